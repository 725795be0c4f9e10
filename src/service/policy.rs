//! What the administrator decides: limits and standard settings.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::clock::TimeControl;
use crate::rules::{Game, Options};

/// The policy: the table `[policy]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Days of thinking before the first reminder, for a challenge that does not say; 0: none.
    pub nagtime: u32,
    /// Days of thinking on one move before a forfeit; 0: never.
    pub forfeittime: u32,
    /// Days of thinking on all moves; 0: any.
    pub totaltime: u32,
    /// Days of vacation a player has in a year.
    pub vacation_days: u32,
    /// Open challenges and boards that a player may have made and nobody has answered yet.
    pub unanswered: u32,
    /// Letters a day to an address that no player has confirmed.
    pub letters_to_stranger: u32,
    /// Answers a day to a stranger, apart from help pages and refusals.
    pub answers_to_stranger: u32,
    /// Letters a day that one sender or client can cause to such addresses.
    pub letters_from_source: u32,
    /// The least characters of a new password.
    pub shortest_password: u32,
    /// Days after which is erased who sent a mail and what it said; 0: never.
    pub keep_mails: u32,
    /// Days after which a letter that was sent or given up is deleted; 0: never, and at least [`Policy::KEPT_LETTERS`].
    pub keep_letters: u32,
    /// How many computer players can be challenged, `robot1` being the weakest; at most 12, and none with 0. They stand in
    /// a table of their own, as do those of others.
    #[serde(skip)]
    pub robots: u8,
    /// Programs of others that can be challenged as computer players.
    #[serde(skip)]
    pub engines: Vec<EngineRobot>,
    /// The options of a challenge that states none, by the name of its game. They are set in tables of the games.
    #[serde(skip)]
    pub default_options: BTreeMap<&'static str, Options>,
    /// Userids of those who may `broadcast`, and see the pages of the administration.
    pub administrators: Vec<String>,
}

/// A program of others that plays as a computer player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRobot {
    /// Its userid, in small letters.
    pub userid: String,
    /// The names of the games that it plays.
    pub games: Vec<String>,
    /// Whether it plays them under options.
    pub takes_options: bool,
}

impl EngineRobot {
    /// What its userid begins with.
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
            shortest_password: 8,
            keep_mails: 0,
            keep_letters: 0,
            robots: 12,
            engines: Vec::new(),
            default_options: BTreeMap::new(),
            administrators: Vec::new(),
        }
    }
}

impl Policy {
    /// The least days that letters are kept: bounces are counted for as long.
    pub const KEPT_LETTERS: u32 = 30;

    /// Whether nothing is erased because of its age.
    pub fn keeps_all(&self) -> bool {
        (self.keep_mails, self.keep_letters) == (0, 0)
    }

    /// Whether a userid is that of an administrator.
    pub fn is_administrator(&self, userid: &str) -> bool {
        self.administrators.iter().any(|administrator| administrator.eq_ignore_ascii_case(userid))
    }

    /// The program that plays under a userid.
    pub fn engine(&self, userid: &str) -> Option<&EngineRobot> {
        self.engines.iter().find(|engine| engine.userid.eq_ignore_ascii_case(userid))
    }

    /// The given options of a new board, or the default ones of its game when none are given.
    pub fn options(&self, game: &dyn Game, given: &Options) -> Options {
        let default = self.default_options.get(game.name()).filter(|_| given.is_empty());
        default.unwrap_or(given).clone()
    }

    /// The time control of a challenge that sets none.
    pub fn time_control(&self) -> TimeControl {
        TimeControl { nag: self.nagtime, forfeit: self.forfeittime, total: self.totaltime }
    }
}
