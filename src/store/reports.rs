//! Tables for an administrator, as the database's views show them.

use chrono::NaiveDate;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::{InboxId, OutboxId, Result};
use crate::numbers::BoardNumber;

/// The statement of [`Report::Suspicious`], without its page.
pub(super) const SUSPICIOUS: &str = "WITH used AS (SELECT player, lower(address) AS address FROM addresses \
         UNION SELECT o.player, lower(d.address) FROM deliveries d JOIN outbox o ON o.id = d.letter \
         WHERE o.player IS NOT NULL \
         UNION SELECT author, lower(sender) FROM inbox WHERE author IS NOT NULL AND sender <> ''), \
     present AS (SELECT id, userid FROM players WHERE left_at IS NULL), \
     played AS (SELECT s.player, o.player AS opponent, CASE b.winner WHEN o.seat THEN 1 ELSE 0 END AS lost \
         FROM boards b JOIN seats s ON s.board = b.number JOIN seats o ON o.board = b.number AND o.seat <> s.seat \
         WHERE b.rated_as IS NOT NULL AND s.player <> o.player), \
     totals AS (SELECT player, count(*) AS boards FROM played GROUP BY player), \
     pairs AS (SELECT player, opponent, count(*) AS boards FROM played GROUP BY player, opponent \
         HAVING count(*) >= 5 AND sum(lost) = count(*)) \
     SELECT player, other, address, boards, \"of\" FROM (\
         SELECT a.userid AS player, b.userid AS other, u.address, NULL AS boards, NULL AS \"of\" \
         FROM used u JOIN used v ON v.address = u.address AND v.player > u.player \
         JOIN present a ON a.id = u.player JOIN present b ON b.id = v.player \
         UNION ALL SELECT a.userid, b.userid, '', p.boards, t.boards FROM pairs p \
         JOIN totals t ON t.player = p.player AND 2 * p.boards > t.boards \
         JOIN present a ON a.id = p.player JOIN present b ON b.id = p.opponent \
         UNION ALL SELECT a.userid, b.userid, '', NULL, NULL FROM (SELECT DISTINCT u.player, v.player AS other \
             FROM browsers u JOIN browsers v ON v.hash = u.hash AND v.player > u.player) AS shared \
         JOIN present a ON a.id = shared.player JOIN present b ON b.id = shared.other) AS seen \
     ORDER BY lower(player), lower(other), address";

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
    /// Pairs of players who may be one person: `address`, if both used it, or how many `boards` of the first one's rated
    /// ones (`of`) they lost to the other, if they lost all at least five, and those are most of theirs.
    Suspicious,
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

impl ReportRow {
    /// A row of these columns.
    pub fn of<const N: usize>(columns: [(&str, Value); N]) -> ReportRow {
        ReportRow(columns.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

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
