//! The terms of a board: its clocks, and the flags of its challenge.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::ServerOption;
use super::words::number;
use crate::clock::TimeControl;

/// The terms of a board, as in its challenge: `--nagtime=7 --forfeittime=21 --totaltime=0 --private`.
///
/// In a challenge, `Days` is `Option<u32>`, and `None` is the server's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms<Days = u32> {
    /// The limits of thinking time.
    pub time_control: TimeControl<Days>,
    /// The other terms.
    pub flags: Flags,
}

/// Terms that are on or off. In JSON, a missing flag has its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Flags {
    /// Whether the result of the board changes ratings.
    pub rated: bool,
    /// Whether only the players can see the board. An open challenge then needs an invitation.
    pub private: bool,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags { rated: true, private: false }
    }
}

/// The error for a text that does not describe the terms of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTerms;

impl Terms<Option<u32>> {
    /// Sets the term that an option defines, except the Fischer clock. Returns `false` for all other options.
    pub(crate) fn state(&mut self, option: ServerOption, days: Option<u32>) -> bool {
        match option {
            ServerOption::NagTime => self.time_control.nag = days,
            ServerOption::ForfeitTime => self.time_control.forfeit = days,
            ServerOption::TotalTime => self.time_control.total = days,
            ServerOption::Unrated => self.flags.rated = false,
            ServerOption::Private => self.flags.private = true,
            ServerOption::Say
            | ServerOption::Fischer
            | ServerOption::Plain
            | ServerOption::Format
            | ServerOption::Kind
            | ServerOption::Division
            | ServerOption::Twice
            | ServerOption::Once => return false,
        }
        true
    }

    /// Completes the time control with the server's defaults.
    pub fn or(self, default: TimeControl) -> Terms {
        let TimeControl { nag, forfeit, total, fischer } = self.time_control;
        // With a Fischer clock, the default limits of a move and of all moves do not apply.
        let limits = if fischer.is_some() { TimeControl::default() } else { default };
        let time_control = TimeControl {
            nag: nag.unwrap_or(default.nag),
            forfeit: forfeit.unwrap_or(limits.forfeit),
            total: total.unwrap_or(limits.total),
            fischer,
        };
        Terms { time_control, flags: self.flags }
    }
}

impl Terms {
    /// Returns the terms as options of a challenge, without the server's defaults. [`Terms::or`] adds them again.
    pub(crate) fn without(self, default: TimeControl) -> Terms<Option<u32>> {
        let TimeControl { nag, forfeit, total, fischer } = self.time_control;
        let limits = if fischer.is_some() { TimeControl::default() } else { default };
        let unless = |days: u32, default: u32| Some(days).filter(|days| *days != default);
        let time_control = TimeControl {
            nag: unless(nag, default.nag),
            forfeit: unless(forfeit, limits.forfeit),
            total: unless(total, limits.total),
            fischer,
        };
        Terms { time_control, flags: self.flags }
    }
}

impl<Days: Copy + Into<Option<u32>>> fmt::Display for Terms<Days> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms { time_control: TimeControl { nag, forfeit, total, fischer }, flags: Flags { rated, private } } =
            *self;
        let days =
            [(ServerOption::NagTime, nag), (ServerOption::ForfeitTime, forfeit), (ServerOption::TotalTime, total)];
        let flags = [(ServerOption::Unrated, !rated), (ServerOption::Private, private)];
        let days = days.map(|(option, days)| days.into().map(|days| format!("--{}={days}", option.name())));
        let flags = flags.map(|(option, is_set)| is_set.then(|| format!("--{}", option.name())));
        let fischer = fischer.map(|fischer| format!("--{}={fischer}", ServerOption::Fischer.name()));
        let words: Vec<String> = days.into_iter().chain([fischer]).chain(flags).flatten().collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Terms {
    type Err = InvalidTerms;

    /// Reads the canonical text. A missing number of days is 0.
    fn from_str(text: &str) -> Result<Terms, InvalidTerms> {
        let mut terms = Terms::default();
        for word in text.split_whitespace() {
            let word = word.strip_prefix("--").ok_or(InvalidTerms)?;
            if let Some(value) = word.strip_prefix("fischer=") {
                terms.time_control.fischer = Some(value.parse().map_err(|_| InvalidTerms)?);
                continue;
            }
            let (name, days) = match word.split_once('=') {
                Some((name, days)) => (name, Some(number(days).ok_or(InvalidTerms)?)),
                None => (word, None),
            };
            let option = ServerOption::EACH.into_iter().find(|option| option.name() == name);
            let is_term = option.is_some_and(|option| option.is_flag() == days.is_none() && terms.state(option, days));
            if !is_term {
                return Err(InvalidTerms);
            }
        }
        Ok(terms.or(TimeControl::default()))
    }
}
