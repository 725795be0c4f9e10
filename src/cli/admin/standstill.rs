//! Pauses all clocks, and gives players more time.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::store::{ActKind, StopCause, Store};

use super::acts::{NewAct, log};

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
        (false, Some(since)) => format!("All clocks run again. They were stopped since {}.\n", at(since)),
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
        return Ok(refused(format_args!("no clock runs at board {number}; `turnpost admin clocks` lists them")));
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
