//! The log level of a running server.

use serde_json::json;

use crate::cli::exit::{Exit, not_understood, print, refused};
use crate::cli::logs;
use crate::serve::Instance;

/// Changes the server's log level if a new one is given, and prints it.
pub(crate) fn run(instance: &Instance, level: Option<String>, as_json: bool) -> anyhow::Result<Exit> {
    if let Some(Err(why)) = level.as_deref().map(logs::check) {
        return Ok(not_understood(why));
    }
    let Some(level) = instance.log_level(level)? else {
        return Ok(refused("no `turnpost serve` runs here; TURNPOST_LOG says the level with which it starts"));
    };
    print(&match as_json {
        true => format!("{}\n", json!({ "log level": level })),
        false => format!("The log of `serve` has the level {level} until `serve` ends.\n"),
    })?;
    Ok(Exit::Done)
}
