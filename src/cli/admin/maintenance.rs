//! Maintenance: pages return 503, mail waits, clocks are stopped.

use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::exit::{Exit, print, refused};
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{ActKind, Stop, StopCause, Store};

use super::acts::{self, NewAct};

/// Starts or ends maintenance.
#[derive(Subcommand)]
pub(crate) enum MaintenanceTask {
    /// Start maintenance, or change its text
    On {
        /// The text for players. A time in it, as 18:00 (UTC) or 2026-11-21T18:00:00Z, tells programs when to try
        /// again
        text: String,
    },
    /// End maintenance
    Off,
}

/// Starts, ends or shows maintenance.
pub(crate) fn run(instance: &mut Instance, task: Option<&MaintenanceTask>, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut ended = None;
    match task {
        Some(MaintenanceTask::On { text }) => {
            let text = administration::clean_text(text);
            if text.is_empty() {
                return Ok(refused("the text is empty; players read it"));
            }
            let mut tx = instance.store.write()?;
            service.begin_maintenance(&mut tx, &text, now)?;
            let act = NewAct { detail: "on", reason: &text, ..NewAct::new(ActKind::Maintenance) };
            acts::log(&mut tx, now, &act)?;
            tx.commit()?;
        }
        Some(MaintenanceTask::Off) => {
            let mut tx = instance.store.write()?;
            ended = service.end_standstill(&mut tx, StopCause::Maintenance, now)?;
            acts::log(&mut tx, now, &NewAct { detail: "off", ..NewAct::new(ActKind::Maintenance) })?;
            tx.commit()?;
            instance.process_or_wake()?;
        }
        None => {}
    }
    let state = administration::maintenance(&instance.store.read()?)?;
    print(&if as_json { format!("{}\n", as_value(state.as_ref())) } else { words(state.as_ref(), ended) })?;
    Ok(Exit::Done)
}

/// Returns the maintenance state as JSON.
pub(crate) fn as_value(state: Option<&Stop>) -> Value {
    json!({ "maintenance": state.map(|Stop { from, reason, .. }| json!({ "since": from, "text": reason })) })
}

fn words(state: Option<&Stop>, ended: Option<DateTime<Utc>>) -> String {
    let at = |time: DateTime<Utc>| time.format("%Y-%m-%dT%H:%M:%SZ");
    match (state, ended) {
        (Some(Stop { from, reason, .. }), _) => format!(
            "Maintenance since {}: {reason}\nPages answer 503, mail waits, and all clocks are stopped. To end it: turnpost \
             admin maintenance off\n",
            at(*from)
        ),
        (None, Some(from)) => format!("Maintenance has ended. It began at {}.\n", at(from)),
        (None, None) => "There is no maintenance.\n".to_owned(),
    }
}
