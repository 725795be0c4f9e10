//! `turnpost admin check`.

use serde_json::json;

use crate::cli::exit::{Exit, print};
use crate::compose::Composer;
use crate::service;
use crate::store::Transaction;

/// Replays and recomputes everything, and reports the differences.
pub(super) fn check(composer: &Composer, tx: &dyn Transaction, as_json: bool) -> anyhow::Result<Exit> {
    let service::CheckReport { boards, entries, rated, differences } = service::check(tx)?;
    let differences = differences.iter().map(|difference| composer.message(difference));
    let differences = differences.collect::<anyhow::Result<Vec<_>>>()?;
    if as_json {
        let found = json!({ "boards": boards, "entries": entries, "rated": rated, "differences": differences });
        print(&format!("{found}\n"))?;
    } else {
        let counted = |count: u32, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let (boards, entries) = (counted(boards, "board", "boards"), counted(entries, "entry", "entries"));
        let many = match differences.len() {
            0 => "no difference.".to_owned(),
            1 => "1 difference:".to_owned(),
            many => format!("{many} differences:"),
        };
        let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
        print(&format!("{boards}, {entries}, {rated} rated: {many}\n{lines}"))?;
    }
    Ok(if differences.is_empty() { Exit::Done } else { Exit::Refused })
}
