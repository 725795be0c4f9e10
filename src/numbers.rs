//! The numbers that name a board, a puzzle, an entry of a record and a ply, each a type of its own, so that none can stand in
//! another's place.

use std::borrow::Cow;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::text::Fact;

/// The number of a board or of an open challenge, from 1. A preview is of no stored board and has the number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardNumber(pub u32);

/// The number of a puzzle among those of its game, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PuzzleNumber(pub u32);

/// The position of an entry in a board's record, from 1; 0 is before the first. The number of the last entry is also
/// how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryNumber(pub u32);

/// A ply by its position among those that stand, from 1; 0 is before the first. A position of the game is named by the
/// ply that led to it, which is also how many stand then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ply(pub u32);

impl EntryNumber {
    /// Before the first entry.
    pub const START: EntryNumber = EntryNumber(0);

    /// The number of the entry after this one.
    pub const fn next(self) -> EntryNumber {
        EntryNumber(self.0 + 1)
    }

    /// The number of the entry before this one; nothing is before [`EntryNumber::START`].
    pub const fn previous(self) -> EntryNumber {
        EntryNumber(self.0.saturating_sub(1))
    }
}

impl Ply {
    /// The start of the game.
    pub const START: Ply = Ply(0);

    /// The ply after this one.
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }

    /// The ply before this one; nothing is before [`Ply::START`].
    pub const fn previous(self) -> Ply {
        Ply(self.0.saturating_sub(1))
    }
}

/// Makes each of these types read, written, described and told as the number inside it.
macro_rules! as_its_number {
    ($($number:ident),*) => {
        $(
            impl fmt::Display for $number {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.0.fmt(f)
                }
            }

            impl FromStr for $number {
                type Err = ParseIntError;

                fn from_str(text: &str) -> Result<$number, ParseIntError> {
                    text.parse().map($number)
                }
            }

            impl From<$number> for Fact {
                fn from(number: $number) -> Fact {
                    number.0.into()
                }
            }

            // A derived schema would be a definition of its own, with the type's doc comment.
            impl JsonSchema for $number {
                fn schema_name() -> Cow<'static, str> {
                    u32::schema_name()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    u32::json_schema(generator)
                }

                fn inline_schema() -> bool {
                    true
                }
            }
        )*
    };
}
as_its_number!(BoardNumber, EntryNumber, Ply, PuzzleNumber);
