//! The administrator's policy: limits and default settings.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::clock::TimeControl;
use crate::command::SHORTEST_PASSWORD;
use crate::rules::{Game, Options};

/// The policy: the table `[policy]` of the configuration.
// This struct is long, because it has one field for each key of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Default days of thinking time before the first reminder; 0 for only the reminder before a limit.
    pub nagtime: u32,
    /// Default days of thinking time on one move before a forfeit; 0 for never.
    pub forfeittime: u32,
    /// Default days of thinking time on all moves; 0 for no limit.
    pub totaltime: u32,
    /// The maximum days of vacation of a player in a year.
    pub vacation_days: u32,
    /// The maximum number of a player's open challenges and unanswered boards.
    pub unanswered: u32,
    /// The maximum number of letters in a day to an address that no player has confirmed.
    pub letters_to_stranger: u32,
    /// The maximum number of answers in a day to a stranger, apart from help pages and refusals.
    pub answers_to_stranger: u32,
    /// The maximum number of letters in a day that one sender or client can cause to unconfirmed addresses.
    pub letters_from_source: u32,
    /// The minimum length of a new password.
    pub shortest_password: u32,
    /// Days after which a message's sender and content are erased; 0 for never.
    pub keep_messages: u32,
    /// Days after which a sent or abandoned letter is deleted; 0 for never, otherwise at least
    /// [`Policy::KEPT_LETTERS`].
    pub keep_letters: u32,
    /// The number of built-in computer players, starting with the weakest, `robot1`; at most 12. Configured in a
    /// separate table, as are external programs.
    #[serde(skip)]
    pub robots: u8,
    /// External programs that can be challenged as computer players.
    #[serde(skip)]
    pub engines: Vec<EngineRobot>,
    /// The default options of a challenge, by game. Configured in the tables of the games.
    #[serde(skip)]
    pub default_options: BTreeMap<&'static str, Options>,
    /// Whether every player may create events. Configured in a separate table.
    #[serde(skip)]
    pub player_events: bool,
    /// Userids of players who may `broadcast` and see the administration pages.
    pub administrators: Vec<String>,
}

/// An external program that plays as a computer player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRobot {
    /// The userid, in lower case.
    pub userid: String,
    /// The names of the games that the program plays.
    pub games: Vec<String>,
    /// Whether the program supports boards with options.
    pub takes_options: bool,
}

impl EngineRobot {
    /// The prefix of the userid of each external program.
    pub const PREFIX: &str = "robot-";
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            nagtime: 7,
            forfeittime: 21,
            totaltime: 0,
            vacation_days: 30,
            unanswered: 20,
            letters_to_stranger: 5,
            answers_to_stranger: 1,
            letters_from_source: 20,
            shortest_password: SHORTEST_PASSWORD,
            keep_messages: 0,
            keep_letters: 0,
            robots: 12,
            engines: Vec::new(),
            default_options: BTreeMap::new(),
            player_events: false,
            administrators: Vec::new(),
        }
    }
}

impl Policy {
    /// The minimum number of days for which letters are stored, because bounces are counted over this many days.
    pub const KEPT_LETTERS: u32 = 30;

    /// Returns whether messages and letters are stored without a time limit.
    pub fn keeps_all(&self) -> bool {
        (self.keep_messages, self.keep_letters) == (0, 0)
    }

    /// Returns whether a userid belongs to an administrator.
    pub fn is_administrator(&self, userid: &str) -> bool {
        self.administrators.iter().any(|administrator| administrator.eq_ignore_ascii_case(userid))
    }

    /// Returns the external program that plays under a userid.
    pub fn engine(&self, userid: &str) -> Option<&EngineRobot> {
        self.engines.iter().find(|engine| engine.userid.eq_ignore_ascii_case(userid))
    }

    /// Returns `given` as the options of a new board or, if it is empty, the default options of the game.
    pub fn options(&self, game: &dyn Game, given: &Options) -> Options {
        let default = self.default_options.get(game.name()).filter(|_| given.is_empty());
        default.unwrap_or(given).clone()
    }

    /// Returns the default time control of a challenge.
    pub fn time_control(&self) -> TimeControl {
        TimeControl { nag: self.nagtime, forfeit: self.forfeittime, total: self.totaltime, fischer: None }
    }
}
