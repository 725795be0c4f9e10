//! Running a subcommand of `turnpost admin`.

use std::path::Path;

use serde_json::Value;

use crate::cli::exit::{Exit, print, refused};
use crate::cli::logs;
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{OutboxId, Store};
use crate::world::World;

use super::table::table;
use super::task::Task;
use super::{board, check, lists, player, transfer};

/// Runs a subcommand of `turnpost admin`.
pub(in crate::cli) fn run(data: &Path, task: Task, as_json: bool) -> anyhow::Result<Exit> {
    logs::start(logs::Level::Warn, false);
    let mut instance = Instance::open(data, World::REAL)?;
    let now = (instance.world.now)();
    let rows = match task {
        Task::Resend { letter } => return resend(&mut instance, letter),
        Task::Adjudicate { board, winner, reason } => {
            return board::adjudicate(&mut instance, board, &winner, &reason);
        }
        Task::Export { userid, output } => {
            return transfer::export(&mut instance, userid.as_deref(), output.as_deref());
        }
        Task::Import { file } => return transfer::import(&mut instance, &file),
        Task::Check => return check::check(&*instance.store.read()?, as_json),
        Task::Board { number } => return board::show(&*instance.store.read()?, number, as_json),
        Task::Player { task } => return player::run(&mut instance, &task, as_json),
        Task::Players => lists::players(&*instance.store.read()?)?,
        Task::Boards => lists::boards(&*instance.store.read()?)?,
        Task::Clocks => lists::clocks(&*instance.store.read()?, now)?,
        Task::Inbox => lists::inbox(&*instance.store.read()?)?,
        Task::Outbox { undelivered } => lists::outbox(&*instance.store.read()?, undelivered)?,
    };
    print(&if as_json { Value::from(rows).to_string() + "\n" } else { table(&rows) })?;
    Ok(Exit::Done)
}

fn resend(instance: &mut Instance, letter: i64) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    if !administration::resend(&mut *tx, OutboxId(letter), now)? {
        return Ok(refused(format_args!("there is no letter {letter}; `turnpost admin outbox` lists them")));
    }
    tx.commit()?;
    instance.process_or_wake()?;
    let letters = administration::outbox(&*instance.store.read()?, false, u32::MAX)?;
    let state = letters.iter().find(|row| row.id.0 == letter).map_or_else(String::new, lists::state);
    print(&format!("{state}\n"))?;
    Ok(Exit::Done)
}
