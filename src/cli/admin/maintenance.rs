//! Maintenance: checks the data, stops pages and clocks, and changes the log level of a running server.

use chrono::{DateTime, TimeDelta, Utc};
use clap::Subcommand;
use serde_json::{Value, json};

use super::board::no_board;
use super::table::{self, NewAct, log};
use crate::cli::exit::{Exit, not_understood, print, refused};
use crate::cli::streams;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{self, AnalysisTask, Response, administration};
use crate::store::{ActKind, FileCheck, Stop, StopCause, Store, StoreError};

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
            table::log(&mut tx, now, &act)?;
            tx.commit()?;
        }
        Some(MaintenanceTask::Off) => {
            let mut tx = instance.store.write()?;
            ended = service.end_standstill(&mut tx, StopCause::Maintenance, now)?;
            table::log(&mut tx, now, &NewAct { detail: "off", ..NewAct::new(ActKind::Maintenance) })?;
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
        (None, None) => "The server is not under maintenance.\n".to_owned(),
    }
}

/// Analyses a board immediately. Stores nothing, so that players learn nothing about a board in progress.
pub(crate) fn analyse(instance: &mut Instance, number: BoardNumber, as_json: bool) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let Some(board) = administration::board(&tx, number)? else {
        return Ok(refused(no_board(number)));
    };
    let entries = tx.entries(number)?;
    drop(tx);
    let mut task = AnalysisTask::new(&board, &entries)?;
    while task.go_on(&|| false) {}
    let analysed = task.shown(&board, &entries)?;
    if as_json {
        print(&(serde_json::to_string(&analysed)? + "\n"))?;
    } else {
        print(&instance.composer.answer(&Response::Analysed(analysed))?)?;
    }
    Ok(Exit::Done)
}

/// Checks the database, replays and recomputes everything, and reports the faults and the differences.
pub(crate) fn check(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let mut faults = instance.store.integrity_faults(FileCheck::Full)?;
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

/// Changes the server's log level if a new one is given, and prints it.
pub(crate) fn set_log_level(instance: &Instance, level: Option<String>, as_json: bool) -> anyhow::Result<Exit> {
    if let Some(Err(why)) = level.as_deref().map(streams::check) {
        return Ok(not_understood(why));
    }
    let Some(level) = instance.log_level(level)? else {
        return Ok(refused("`turnpost serve` is not running here; TURNPOST_LOG sets its initial level"));
    };
    print(&match as_json {
        true => format!("{}\n", json!({ "log level": level })),
        false => format!("The log of `serve` has the level {level} until `serve` ends.\n"),
    })?;
    Ok(Exit::Done)
}

/// Stops all clocks.
pub(crate) fn pause(instance: &mut Instance, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let now = (instance.world.now)();
    let since = service.begin_standstill(&mut tx, StopCause::Paused, reason, now)?;
    log(&mut tx, now, &NewAct { reason, ..NewAct::new(ActKind::Pause) })?;
    tx.commit()?;
    print(&match as_json {
        true => format!("{}\n", json!({ "clocks_paused_at": since })),
        false => format!("All clocks are stopped since {}. To start them again: turnpost admin resume\n", at(since)),
    })?;
    Ok(Exit::Done)
}

/// Starts all clocks again.
pub(crate) fn resume(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let now = (instance.world.now)();
    let since = service.end_standstill(&mut tx, StopCause::Paused, now)?;
    log(&mut tx, now, &NewAct::new(ActKind::Resume))?;
    tx.commit()?;
    instance.process_or_wake()?;
    print(&match (as_json, since) {
        (true, _) => format!("{}\n", json!({ "clocks_were_paused_at": since })),
        (false, Some(since)) => format!("All clocks are running again. They had been stopped since {}.\n", at(since)),
        (false, None) => "Clocks were not paused.\n".to_owned(),
    })?;
    Ok(Exit::Done)
}

/// Gives the player to move more time, on one board or on every board with a running clock.
pub(crate) fn extend(
    instance: &mut Instance,
    board: Option<BoardNumber>,
    days: u32,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    let boards = match board {
        Some(number) => tx.board(number)?.into_iter().collect(),
        None => tx.boards(None, None, true)?,
    };
    let mut extended = Vec::new();
    for board in boards {
        let number = board.number;
        if service.extend(&mut tx, board, TimeDelta::days(i64::from(days)), now)? {
            let detail = format!("{days} {}", plural(days as usize, "day"));
            log(&mut tx, now, &NewAct { board: Some(number), detail: &detail, ..NewAct::new(ActKind::Extend) })?;
            extended.push(number);
        }
    }
    if let (Some(number), []) = (board, &extended[..]) {
        return Ok(refused(format_args!("no clock is running on board {number}; `turnpost admin clocks` lists them")));
    }
    tx.commit()?;
    print(&match as_json {
        true => format!("{}\n", json!({ "days": days, "boards": extended })),
        false => {
            let (boards, board, day) = (extended.len(), plural(extended.len(), "board"), plural(days as usize, "day"));
            format!("The player to move has {days} more {day} at {boards} {board}.\n")
        }
    })?;
    Ok(Exit::Done)
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

fn at(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
