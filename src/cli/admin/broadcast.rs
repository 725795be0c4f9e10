//! Sends a letter to every player.

use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::serve::Instance;
use crate::service::{LONGEST_TEXT, administration};
use crate::store::{ActKind, Store};

use super::acts::{self, NewAct};

/// Writes to every reachable player. Without `yes`, shows their number.
pub(crate) fn broadcast(instance: &mut Instance, text: &str, yes: bool, as_json: bool) -> anyhow::Result<Exit> {
    let length = text.chars().count();
    if length > LONGEST_TEXT {
        return Ok(refused(format_args!("the text has {length} characters; {LONGEST_TEXT} can be sent")));
    }
    let text = administration::clean_text(text);
    if text.is_empty() {
        return Ok(refused("the text is empty; say it after --say="));
    }
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    let readers = administration::broadcast_readers(&tx)?;
    if yes {
        service.broadcast(&mut tx, "", &text, &readers, now)?;
        acts::log(&mut tx, now, &NewAct { detail: &text, ..NewAct::new(ActKind::Broadcast) })?;
        tx.commit()?;
    } else {
        drop(tx);
    }
    let userids: Vec<&str> = readers.iter().map(|reader| reader.userid.as_str()).collect();
    if as_json {
        print(&format!("{}\n", json!({ "players": userids, "sent": yes })))?;
    }
    let players = match readers.len() {
        1 => "1 player".to_owned(),
        count => format!("{count} players"),
    };
    if !yes {
        return Ok(refused(format_args!("{players} would get this letter: repeat the command with --yes")));
    }
    if !as_json {
        print(&format!("{players} get this letter.\n"))?;
    }
    if let Err(error) = instance.process_or_wake() {
        // The notices are stored; only the letters are delayed.
        tracing::warn!("letters wait for the next turnpost that runs: {error:#}");
    }
    Ok(Exit::Done)
}
