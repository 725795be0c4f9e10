//! Stopping all clocks, and giving time.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::store::{StopCause, Store};

/// Lets all clocks stand still.
pub(super) fn pause(instance: &mut Instance, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let since = service.begin_standstill(&mut *tx, StopCause::Paused, reason, (instance.world.now)())?;
    tx.commit()?;
    print(&match as_json {
        true => format!("{}\n", json!({ "clocks_paused_at": since })),
        false => format!("All clocks stand still since {}, until `turnpost admin resume`.\n", at(since)),
    })?;
    Ok(Exit::Done)
}

/// Lets all clocks run again.
pub(super) fn resume(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let since = service.end_standstill(&mut *tx, StopCause::Paused, (instance.world.now)())?;
    tx.commit()?;
    instance.process_or_wake()?;
    print(&match (as_json, since) {
        (true, _) => format!("{}\n", json!({ "clocks_were_paused_at": since })),
        (false, Some(since)) => format!("All clocks run again; they stood still since {}.\n", at(since)),
        (false, None) => "Clocks were not paused.\n".to_owned(),
    })?;
    Ok(Exit::Done)
}

/// Gives whoever is to move more time, at one board or at every board with a clock.
pub(super) fn extend(
    instance: &mut Instance,
    board: Option<BoardNumber>,
    days: u32,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    let boards = match board {
        Some(number) => vec![number],
        None => tx.boards(None, None, true)?.into_iter().map(|board| board.number).collect(),
    };
    let mut extended = Vec::new();
    for number in boards {
        if service.extend(&mut *tx, number, TimeDelta::days(i64::from(days)), now)? {
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
            let days = format!("{days} {} more", if days == 1 { "day" } else { "days" });
            format!(
                "Whoever is to move has {days} at {} {}.\n",
                extended.len(),
                if extended.len() == 1 { "board" } else { "boards" }
            )
        }
    })?;
    Ok(Exit::Done)
}

fn at(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
