//! The hours of the night in which clocks are stopped.

use std::fmt;

/// The hours of a player's night in which their clocks are stopped: from the first to the second full hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Night(Option<(u8, u8)>);

/// The longest night, in hours.
const LONGEST: u8 = 12;

impl Night {
    /// Reads `22-8` or `none`, ignoring case. `None` for an invalid hour, or a night of 0 or more than 12 hours.
    pub fn read(text: &str) -> Option<Night> {
        if text.eq_ignore_ascii_case("none") {
            return Some(Night::default());
        }
        let hour = |text: &str| text.parse().ok().filter(|hour| *hour < 24);
        let (from, until) = text.split_once('-')?;
        let (from, until): (u8, u8) = (hour(from)?, hour(until)?);
        (1..=LONGEST).contains(&((until + 24 - from) % 24)).then_some(Night(Some((from, until))))
    }

    /// Returns the first hour, and the hour at which the night ends.
    pub fn hours(self) -> Option<(u8, u8)> {
        self.0
    }
}

/// Writes the form that [`Night::read`] reads.
impl fmt::Display for Night {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((from, until)) => write!(f, "{from}-{until}"),
            None => f.write_str("none"),
        }
    }
}
