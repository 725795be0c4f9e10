//! Weekends: the days of the week on which clocks are stopped.

use std::fmt;

/// The days of the week on which a player's clocks are stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weekend(u8);

/// The names of the days, from Monday.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The longest weekend, in days. A clock must run on at least three days of the week.
const MOST: u32 = 4;

impl Weekend {
    /// Reads `sat,sun` or `none`, ignoring case. `None` for an unknown day, or for more than four days.
    pub fn read(text: &str) -> Option<Weekend> {
        let text = text.to_ascii_lowercase();
        if text == "none" {
            return Some(Weekend::default());
        }
        let mut days = 0_u8;
        for word in text.split(',') {
            days |= 1 << DAYS.iter().position(|day| *day == word)?;
        }
        (days.count_ones() <= MOST).then_some(Weekend(days))
    }

    /// Returns whether the weekend contains a day; 0 is Monday.
    pub fn contains(self, day: u32) -> bool {
        self.0 & (1 << day) != 0
    }
}

/// Writes the form that [`Weekend::read`] reads.
impl fmt::Display for Weekend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<&str> = (0..7).filter(|&day| self.contains(day)).map(|day| DAYS[day as usize]).collect();
        f.write_str(if days.is_empty() { "none" } else { "" })?;
        f.write_str(&days.join(","))
    }
}
