//! Tables for an administrator, as the database's views show them.

use chrono::NaiveDate;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::{InboxId, OutboxId, Result};
use crate::numbers::BoardNumber;

/// What a table is about. Userids are the same in any case.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// Players, by userid: their boards, how long they have done nothing, their addresses.
    Players {
        /// Only those whose userid or address has this in it.
        named: Option<&'a str>,
        /// Only those who have not left and have done nothing for this many days.
        idle_days: Option<u32>,
        /// Only those with an address to which nothing is sent.
        paused: bool,
        /// Those with the most boards in progress first.
        by_boards: bool,
    },
    /// Boards and open challenges, the newest first.
    Boards {
        /// Only those of this player.
        player: Option<&'a str>,
        /// Only those of the player against this one.
        against: Option<&'a str>,
        /// Only those of this game.
        game: Option<&'a str>,
        /// Only those in progress.
        active: bool,
    },
    /// The row of one board or open challenge.
    Board(BoardNumber),
    /// The story of a board, in order.
    Story(BoardNumber),
    /// Mails, the newest first.
    Inbox {
        /// Only those of this player or from this address.
        from: Option<&'a str>,
        /// Only those that came on this day (UTC).
        on: Option<NaiveDate>,
        /// Only those in which something was refused.
        refused: bool,
        /// Only those that could not be processed.
        set_aside: bool,
    },
    /// The row of one mail.
    Mail(InboxId),
    /// What a mail did, in order.
    MailEffects(InboxId),
    /// Letters, the newest first.
    Letters {
        /// Only those to this player or address.
        to: Option<&'a str>,
        /// Only those that were not sent.
        undelivered: bool,
    },
    /// The row of one letter.
    Letter(OutboxId),
    /// Letters that came back or were refused for good, the newest first.
    Bounces,
    /// What rated boards did to a player's ratings, in order.
    RatingHistory(&'a str),
    /// How many games began and ended, by month.
    Months {
        /// Each game in a separate row.
        by_game: bool,
    },
    /// What administrators did, and what players changed of their accounts, the newest first.
    Acts {
        /// Only those by or about this player.
        of: Option<&'a str>,
    },
}

/// A part of a table.
#[derive(Clone, Copy, Debug)]
pub struct ReportPage {
    /// How many rows to leave out.
    pub skip: u32,
    /// The most rows.
    pub most: u32,
}

/// A row of a table: its columns in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportRow(pub Vec<(String, Value)>);

impl Serialize for ReportRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Tables for an administrator.
pub trait Reports {
    /// Reads a part of a table.
    fn report(&self, report: &Report<'_>, page: ReportPage) -> Result<Vec<ReportRow>>;
}
