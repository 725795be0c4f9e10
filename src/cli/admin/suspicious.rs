//! Pairs of players who may be one person.

use serde_json::json;

use crate::service::administration::{self, Seen, Suspicion};
use crate::store::{ReportRow, Transaction};

use super::table::row;

/// Lists pairs of players who may be one person, with what was seen.
pub(super) fn suspicious(tx: &dyn Transaction) -> anyhow::Result<Vec<ReportRow>> {
    let rows = administration::suspicious(tx)?.into_iter().map(|Suspicion { player, other, seen }| {
        let seen = match seen {
            Seen::Address(address) => format!("both used {address}"),
            Seen::Browser => "both logged in with the same browser".to_owned(),
            Seen::Lost { boards, of } => {
                format!("{player} lost all {boards} rated boards to {other}, of {of} in all")
            }
        };
        row([("player", json!(player)), ("other", json!(other)), ("seen", json!(seen))])
    });
    Ok(rows.collect())
}
