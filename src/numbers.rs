//! The numbers of boards, puzzles, record entries and plies. Each has a separate type, so that they cannot be
//! confused.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::{Fact, schema_as};

/// The number of a board or of an open challenge, from 1. A preview has no stored board and uses the number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardNumber(pub u32);

/// The number of a puzzle within its game, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PuzzleNumber(pub u32);

/// The position of an entry in a board's record, from 1; 0 is before the first. The number of the last entry is also
/// the number of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryNumber(pub u32);

/// The number of a ply, from 1; 0 is the start of the game. Plies that were undone are not counted. The number also
/// identifies the position after the ply, and is the number of plies up to that position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ply(pub u32);

impl EntryNumber {
    /// The number before the first entry.
    pub const START: EntryNumber = EntryNumber(0);

    /// Returns the number of the next entry.
    pub const fn next(self) -> EntryNumber {
        EntryNumber(self.0 + 1)
    }

    /// Returns the number of the entry before this one. [`EntryNumber::START`] is its own predecessor.
    pub const fn previous(self) -> EntryNumber {
        EntryNumber(self.0.saturating_sub(1))
    }
}

impl Ply {
    /// The start of the game.
    pub const START: Ply = Ply(0);

    /// Returns the next ply.
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }

    /// Returns the ply before this one. [`Ply::START`] is its own predecessor.
    pub const fn previous(self) -> Ply {
        Ply(self.0.saturating_sub(1))
    }
}

/// The error for a text that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a whole number, such as 12")]
pub struct NotANumber;

/// Implements display, parsing and the JSON schema of these types as for the inner number.
macro_rules! as_its_number {
    ($($number:ident),*) => {
        $(
            impl fmt::Display for $number {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.0.fmt(f)
                }
            }

            impl FromStr for $number {
                type Err = NotANumber;

                fn from_str(text: &str) -> Result<$number, NotANumber> {
                    text.parse().map($number).map_err(|_| NotANumber)
                }
            }

            impl From<$number> for Fact {
                fn from(number: $number) -> Fact {
                    number.0.into()
                }
            }

            // A derived schema would be a separate definition in the API description, with the type's doc comment.
            schema_as!($number, u32);
        )*
    };
}
as_its_number!(BoardNumber, EntryNumber, Ply, PuzzleNumber);
