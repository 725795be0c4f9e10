//! `turnpost admin check`.

use serde_json::json;

use crate::cli::exit::{Exit, print};
use crate::serve::Instance;
use crate::service;
use crate::store::{FileCheck, Store, StoreError};

/// Checks the database, replays and recomputes everything, and reports the faults and the differences.
pub(crate) fn check(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let mut faults = instance.store.faults(FileCheck::Full)?;
    let checked = match instance.store.read().and_then(|tx| service::check(&tx)) {
        Err(StoreError::Damaged(fault)) => {
            faults.push(format!("not everything could be replayed: {fault}"));
            service::CheckReport::default()
        }
        checked => checked?,
    };
    let service::CheckReport { boards, entries, rated, differences } = checked;
    let differences = differences.iter().map(|difference| instance.composer.message(difference));
    let differences = differences.collect::<anyhow::Result<Vec<_>>>()?;
    if as_json {
        let found = json!({
            "boards": boards, "entries": entries, "rated": rated, "differences": differences, "faults": faults,
        });
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
        let faults: String = faults.iter().map(|fault| format!("the database is damaged: {fault}\n")).collect();
        print(&format!("{boards}, {entries}, {rated} rated: {many}\n{lines}{faults}"))?;
    }
    Ok(if differences.is_empty() && faults.is_empty() { Exit::Done } else { Exit::Refused })
}
