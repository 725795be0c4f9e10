//! Maintenance: announces it to players, checks the data, stops and starts clocks, and changes the log level of a
//! running server.

use chrono::{DateTime, TimeDelta, Utc};
use clap::Subcommand;
use serde_json::{Value, json};

use super::board::no_board;
use super::table::{act, counted, counted_parts};
use crate::cli::exit::{Exit, not_understood, print, refused, say};
use crate::cli::streams;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{self, AnalysisTask, Response, administration};
use crate::store::{Act, ActKind, FileCheck, Stop, StopCause, StoreError};

/// Starts or ends maintenance.
#[derive(Subcommand)]
pub(crate) enum MaintenanceTask {
    /// Start maintenance, or change its text
    On {
        /// The text for players. If it contains a time, such as 18:00 (UTC) or 2026-11-21T18:00:00Z, programs try again
        /// then
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
                return Err(refused("the text is empty; players read it"));
            }
            let mut tx = instance.store.write()?;
            service.begin_maintenance(&mut tx, &text, now)?;
            tx.add_act(&Act { detail: "on".to_owned(), reason: text, ..act(ActKind::Maintenance, now) })?;
            tx.commit()?;
        }
        Some(MaintenanceTask::Off) => {
            let mut tx = instance.store.write()?;
            ended = service.end_standstill(&mut tx, StopCause::Maintenance, now)?;
            let off = Act { detail: "off".to_owned(), ..act(ActKind::Maintenance, now) };
            administration::log_if(&mut tx, ended.is_some(), &off)?;
            tx.commit()?;
            instance.process_or_wake()?;
        }
        None => {}
    }
    let state = administration::maintenance(&instance.store.read()?)?;
    say(as_json, as_value(state.as_ref()), || words(state.as_ref(), ended))
}

/// Returns the maintenance state as JSON.
pub(crate) fn as_value(state: Option<&Stop>) -> Value {
    json!({ "maintenance": state.map(|Stop { from, reason, .. }| json!({ "since": from, "text": reason })) })
}

fn words(state: Option<&Stop>, ended: Option<DateTime<Utc>>) -> String {
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
        return Err(refused(no_board(&tx, number)?));
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

/// Checks the database, replays all boards, recomputes derived data, and reports faults and differences.
pub(crate) fn check(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let mut faults = instance.store.integrity_faults(FileCheck::Full)?;
    let checked = match instance.store.read().and_then(|tx| service::check(&tx)) {
        Err(StoreError::Damaged(fault)) => {
            faults.push(format!("the check could not be completed: {fault}"));
            service::CheckReport::default()
        }
        checked => checked?,
    };
    let service::CheckReport { boards, entries, rated, differences } = checked;
    let differences = differences.iter().map(|difference| instance.composer.message(difference));
    let differences = differences.collect::<anyhow::Result<Vec<_>>>()?;
    let found = json!({
        "boards": boards, "entries": entries, "rated": rated, "differences": differences, "faults": faults,
    });
    say(as_json, found, || {
        let counts = counted_parts(boards, entries);
        let many = match differences.len() {
            0 => "no difference.".to_owned(),
            many => counted(many, "difference", "differences") + ":",
        };
        let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
        let faults: String = faults.iter().map(|fault| format!("the database is damaged: {fault}\n")).collect();
        format!("{counts}, {rated} rated: {many}\n{lines}{faults}")
    })?;
    Ok(if differences.is_empty() && faults.is_empty() { Exit::Done } else { Exit::Refused })
}

/// Sets the server's log level to `level` if there is one, and prints the current level.
pub(crate) fn set_log_level(instance: &Instance, level: Option<String>, as_json: bool) -> anyhow::Result<Exit> {
    if let Some(Err(why)) = level.as_deref().map(streams::check) {
        return Err(not_understood(why));
    }
    let Some(level) = instance.log_level(level)? else {
        return Err(refused("`turnpost serve` is not running here; TURNPOST_LOG sets its initial level"));
    };
    say(as_json, json!({ "log level": level }), || {
        format!("The log of `serve` has the level {level} until `serve` ends.\n")
    })
}

/// Stops all clocks.
pub(crate) fn pause(instance: &mut Instance, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let now = (instance.world.now)();
    let runs = tx.lasting(StopCause::Paused)?.is_none();
    let since = service.begin_standstill(&mut tx, StopCause::Paused, reason, now)?;
    administration::log_if(&mut tx, runs, &Act { reason: reason.to_owned(), ..act(ActKind::Pause, now) })?;
    tx.commit()?;
    say(as_json, json!({ "clocks_paused_at": since }), || {
        format!("All clocks are stopped since {}. To start them again: turnpost admin resume\n", at(since))
    })
}

/// The other causes for which all clocks can be stopped, each with the command that ends it.
const OTHER_STOPS: [(StopCause, &str); 2] = [
    (StopCause::Held, "Letters are held. To send them, and to start the clocks: turnpost admin release\n"),
    (StopCause::Maintenance, "The server is under maintenance. To end it: turnpost admin maintenance off\n"),
];

/// Ends the pause of all clocks. They start again unless letters are held or the server is under maintenance.
pub(crate) fn resume(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let now = (instance.world.now)();
    let since = service.end_standstill(&mut tx, StopCause::Paused, now)?;
    administration::log_if(&mut tx, since.is_some(), &act(ActKind::Resume, now))?;
    let mut others = String::new();
    for (cause, words) in OTHER_STOPS {
        if tx.lasting(cause)?.is_some() {
            others += words;
        }
    }
    tx.commit()?;
    instance.process_or_wake()?;
    say(as_json, json!({ "clocks_were_paused_at": since }), || match since {
        Some(since) if others.is_empty() => {
            format!("All clocks are running again. They had been stopped since {}.\n", at(since))
        }
        Some(since) => {
            format!("The pause since {} has ended, but all clocks remain stopped.\n{others}", at(since))
        }
        None => format!("Clocks were not paused.\n{others}"),
    })
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
        Some(number) => {
            let Some(board) = tx.board(number)? else { return Err(refused(no_board(&tx, number)?)) };
            vec![board]
        }
        None => tx.boards(None, None, true)?,
    };
    let mut extended = Vec::new();
    for board in boards {
        let number = board.number;
        if service.extend(&mut tx, board, TimeDelta::days(i64::from(days)), now)? {
            let detail = counted(days as usize, "day", "days");
            tx.add_act(&Act { board: Some(number), detail, ..act(ActKind::Extend, now) })?;
            extended.push(number);
        }
    }
    if let (Some(number), []) = (board, &extended[..]) {
        return Err(refused(format_args!("no clock is running on board {number}; `turnpost admin clocks` lists them")));
    }
    tx.commit()?;
    say(as_json, json!({ "days": days, "boards": extended }), || {
        if extended.is_empty() {
            return "No clock is running.\n".to_owned();
        }
        let (days, boards) =
            (counted(days as usize, "more day", "more days"), counted(extended.len(), "board", "boards"));
        format!("The player to move has {days} at {boards}.\n")
    })
}

fn at(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
