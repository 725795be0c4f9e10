//! Pairs of players who may be the same person.

use serde_json::Value;

use crate::service::board::robots::is_kept_for_robots;
use crate::store::{self, Report, ReportPage, Transaction};

/// A pair of players who may be the same person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suspicion {
    /// The userid of the first player.
    pub player: String,
    /// The userid of the second player.
    pub other: String,
    /// The evidence.
    pub seen: Seen,
}

/// The evidence about a pair of players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Both used this address.
    Address(String),
    /// Both logged in with the same browser.
    Browser,
    /// The first lost all their rated boards against the second.
    Lost {
        /// The number of these boards.
        boards: u64,
        /// The total number of their rated boards.
        of: u64,
    },
}

/// Lists pairs of players who may be the same person, without computer players.
///
/// # Errors
/// If the store fails.
pub(crate) fn suspicious(tx: &Transaction<'_>) -> store::Result<Vec<Suspicion>> {
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
