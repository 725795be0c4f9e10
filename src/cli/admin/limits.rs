//! Shows and lifts limits in force.

use serde_json::json;

use crate::cli::exit::{Exit, print};
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{self, ActKind, Store};

use super::acts::{self, NewAct};
use super::table::table;

/// Shows the limits in force for a player, an address or everyone.
pub(crate) fn show(instance: &mut Instance, who: Option<&str>, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let tx = instance.store.read()?;
    let names = who.map(|who| administration::limited_names(&tx, who)).transpose()?;
    let rows = service.limit_rows(&tx, names.as_deref(), now)?;
    print(&if as_json { serde_json::to_string(&rows)? + "\n" } else { table(&rows) })?;
    Ok(Exit::Done)
}

/// Lifts the limits in force for a player or an address, and shows them.
pub(crate) fn lift(instance: &mut Instance, who: &str, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let rows = store::write_alone(&mut *instance.store, |tx| {
        let names = administration::limited_names(tx, who)?;
        let rows = service.liftable_rows(tx, &names, now)?;
        service.lift_limits(tx, &names, now)?;
        let player = tx.player(who)?.map(|player| player.id);
        let detail = if player.is_some() { "" } else { who };
        acts::log(tx, now, &NewAct { player, detail, ..NewAct::new(ActKind::Lift) })?;
        store::Result::Ok(rows)
    })?;
    print(&match (as_json, rows.is_empty()) {
        (true, _) => json!({ "lifted": rows }).to_string() + "\n",
        (false, true) => format!("No limit that can be lifted is in force for {who}.\n"),
        (false, false) => format!("These limits are lifted:\n{}", table(&rows)),
    })?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}
