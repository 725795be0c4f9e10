//! Limits in force, and lifting them.

use serde_json::json;

use crate::cli::exit::{Exit, print};
use crate::serve::Instance;
use crate::service::{Limit, LimitKind, administration};
use crate::store::{self, ActKind, ReportRow, Store};

use super::acts::{self, NewAct};
use super::table::{row, table};

/// Shows the limits in force for somebody, or for everybody.
pub(super) fn show(instance: &mut Instance, who: Option<&str>, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let tx = instance.store.read()?;
    let names = who.map(|who| administration::limited_names(&*tx, who)).transpose()?;
    let rows = rows(service.limits(&*tx, names.as_deref(), now)?);
    print(&if as_json { serde_json::to_string(&rows)? + "\n" } else { table(&rows) })?;
    Ok(Exit::Done)
}

/// Lifts the limits in force for somebody, and shows them.
pub(super) fn lift(instance: &mut Instance, who: &str, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let lifted = store::write_alone(&mut *instance.store, |tx| {
        let names = administration::limited_names(tx, who)?;
        let limits = service.limits(tx, Some(&names), now)?;
        service.lift_limits(tx, &names, now)?;
        let player = tx.player(who)?.map(|player| player.id);
        let detail = if player.is_some() { "" } else { who };
        acts::log(tx, now, &NewAct { player, detail, ..NewAct::new(ActKind::Lift) })?;
        store::Result::Ok(limits)
    })?;
    let rows = rows(lifted);
    print(&match (as_json, rows.is_empty()) {
        (true, _) => json!({ "lifted": rows }).to_string() + "\n",
        (false, true) => format!("No limit is in force for {who}.\n"),
        (false, false) => format!("These limits are lifted:\n{}", table(&rows)),
    })?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}

fn rows(limits: Vec<Limit>) -> Vec<ReportRow> {
    let limits = limits.into_iter().map(|Limit { kind, source, of, count, until }| {
        row([
            ("limited", json!(words(kind))),
            ("source", json!(source)),
            ("of", json!(of)),
            ("count", json!(count)),
            ("until", json!(until)),
        ])
    });
    limits.collect()
}

fn words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Passwords => "passwords",
        LimitKind::Tries => "passwords and codes",
        LimitKind::LettersTo => "letters to an address",
        LimitKind::LettersFrom => "letters because of a source",
        LimitKind::PasswordRequests => "requests for passwords",
        LimitKind::PasswordLinks => "links for new passwords",
        LimitKind::LoginLinks => "links to log in",
        LimitKind::Answers => "answers to refused mail",
        LimitKind::Paused => "letters to a paused address",
    }
}
