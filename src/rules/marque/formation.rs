//! The formations. To win, a chain must occupy the bases of the formation.

use std::fmt;

use super::tiling::LETTERS;
use crate::message;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// The options of a challenge. Each one selects a formation.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    formation("any_2", Message::new("marque.option-any-2"), Message::new("marque.option-any-2")),
    formation("any_3", Message::new("marque.option-any-3"), Message::new("marque.option-any-3")),
    formation("any_4", Message::new("marque.option-any-4"), Message::new("marque.option-any-4")),
    formation("non_adj_2", Message::new("marque.option-non-adj-2"), Message::new("marque.option-non-adj-2")),
    formation("opposite", Message::new("marque.option-opposite"), Message::new("marque.label-opposite")),
    formation("y", Message::new("marque.option-y"), Message::new("marque.option-y")),
];

const fn formation(name: &'static str, about: Message, label: Message) -> OptionSpec {
    OptionSpec { name, value: None, numbers: &[], about, label }
}

const A: u8 = 1;
const B: u8 = 1 << 1;
const C: u8 = 1 << 2;
const E: u8 = 1 << 4;
const F: u8 = 1 << 5;
const G: u8 = 1 << 6;

/// The sets of three bases of which no two share a square.
const Y: [u8; 2] = [A | E | F, B | C | G];
/// The pairs of bases across the board from each other.
const OPPOSITE: [u8; 3] = [A | G, B | F, C | E];
/// The pairs of bases that share no square. D shares one with every other base.
const NON_ADJACENT: [u8; 9] = [A | E, A | F, A | G, B | C, B | F, B | G, C | E, C | G, E | F];

/// The bases that a chain must occupy to win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formation {
    /// Three mutually non-adjacent bases.
    #[default]
    Y,
    /// Two opposite bases.
    Opposite,
    /// Any bases, at least this many.
    Any(u32),
    /// Any two non-adjacent bases.
    NonAdjacent,
}

impl Formation {
    /// Returns the formation that a challenge's options select.
    ///
    /// # Errors
    /// [`RefusalKind::Options`] if the options name more than one formation, or an unknown one.
    pub fn of(options: &Options) -> Result<Formation, Refusal> {
        let mut words = options.iter().map(|(name, _)| name);
        let Some(word) = words.next() else { return Ok(Formation::default()) };
        if let Some(second) = words.next() {
            let message = message!("marque.two-formations", first = word, second);
            return Err(Refusal::new(RefusalKind::Options, format!("-{second}"), message));
        }
        match word {
            "y" => Ok(Formation::Y),
            "opposite" => Ok(Formation::Opposite),
            "any_2" => Ok(Formation::Any(2)),
            "any_3" => Ok(Formation::Any(3)),
            "any_4" => Ok(Formation::Any(4)),
            "non_adj_2" => Ok(Formation::NonAdjacent),
            _ => Err(Refusal::new(RefusalKind::Options, format!("-{word}"), message!("marque.no-such-option"))),
        }
    }

    /// Returns whether a chain that occupies these bases completes the formation.
    pub fn is_made_by(self, bases: Bases) -> bool {
        match self {
            Formation::Y => Y.iter().any(|set| bases.include(*set)),
            Formation::Opposite => OPPOSITE.iter().any(|set| bases.include(*set)),
            Formation::Any(count) => bases.count() >= count,
            Formation::NonAdjacent => NON_ADJACENT.iter().any(|set| bases.include(*set)),
        }
    }

    /// Returns the aim of the game in a sentence.
    pub fn aim(self) -> Message {
        match self {
            Formation::Y => message!("marque.aim-y"),
            Formation::Opposite => message!("marque.aim-opposite"),
            Formation::Any(2) => message!("marque.aim-any-2"),
            Formation::Any(3) => message!("marque.aim-any-3"),
            Formation::Any(_) => message!("marque.aim-any-4"),
            Formation::NonAdjacent => message!("marque.aim-non-adjacent"),
        }
    }
}

/// A set of bases: those that a chain, or a player, occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases(pub(crate) u8);

impl Bases {
    /// Returns the number of bases.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set contains a base, given by its index.
    pub(crate) const fn has(self, base: usize) -> bool {
        self.0 >> base & 1 != 0
    }

    /// Returns whether the set contains all of `others`.
    pub(crate) const fn include(self, others: u8) -> bool {
        self.0 & others == others
    }
}

/// Writes the letters together: `AEF`.
impl fmt::Display for Bases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS.iter().enumerate().filter(|(base, _)| self.0 & (1 << base) != 0).try_for_each(|(_, c)| write!(f, "{c}"))
    }
}
