//! Pairs of players who may be one person.

use serde_json::Value;

use crate::service::board::robots::is_kept_for_robots;
use crate::store::{self, Report, ReportPage, Transaction};

/// A pair of players who may be one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The userid of the first player.
    pub player: String,
    /// The userid of the second player.
    pub other: String,
    /// What was seen.
    pub seen: Seen,
}

/// What was seen of a pair of players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Both used this address.
    Address(String),
    /// Both logged in with the same browser.
    Browser,
    /// The first lost all their rated boards against the second.
    Lost {
        /// How many.
        boards: u64,
        /// How many rated boards they have in all.
        of: u64,
    },
}

/// Lists pairs of players who may be one person, without computer players.
///
/// # Errors
/// The store's.
pub fn suspicious(tx: &Transaction<'_>) -> store::Result<Vec<Suspicion>> {
    let all = ReportPage { skip: 0, most: u32::MAX };
    let pairs = tx.report(&Report::Suspicious, all)?.into_iter().map(|row| {
        let cell = |column: &str| row.0.iter().find(|(name, _)| name == column).map(|(_, value)| value);
        let text = |column: &str| cell(column).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |column: &str| cell(column).and_then(Value::as_u64);
        let seen = match (number("boards"), number("of")) {
            (Some(boards), Some(of)) => Seen::Lost { boards, of },
            _ => match text("address") {
                address if address.is_empty() => Seen::Browser,
                address => Seen::Address(address),
            },
        };
        Suspicion { player: text("player"), other: text("other"), seen }
    });
    Ok(pairs.filter(|pair| !is_kept_for_robots(&pair.player) && !is_kept_for_robots(&pair.other)).collect())
}
