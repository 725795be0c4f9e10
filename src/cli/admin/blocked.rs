//! Blocks addresses and domains, shows and lifts rate limits, and sends a letter to every player.

use std::net::IpAddr;

use serde_json::json;

use super::names::check_known;
use super::table::{act, counted, send_letters, table};
use crate::cli::exit::{Exit, print, refused, say, unconfirmed};
use crate::serve::Instance;
use crate::service::{LONGEST_TEXT, administration};
use crate::store::{self, Act, ActKind, BlockedSender, Transaction};

/// Blocks an address or a domain.
pub(crate) fn block(instance: &mut Instance, word: &str, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let sender = sender(instance, word)?;
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let blocked = BlockedSender { sender, blocked_at: (instance.world.now)(), reason };
    let BlockedSender { sender, reason, blocked_at } = &blocked;
    let act = Act { detail: sender.clone(), reason: reason.clone(), ..act(ActKind::Block, *blocked_at) };
    let players = store::write_with_retries(&mut *instance.store, |tx| {
        // Without a new reason, keep the stored one.
        if reason.is_empty() && !tx.blocked_among(std::slice::from_ref(sender))?.is_empty() {
            return store::Result::Ok(None);
        }
        tx.add_act(&act)?;
        administration::block_sender(tx, &blocked).map(Some)
    })?;
    let Some(players) = players else {
        return Err(refused(format_args!(
            "{sender} is already blocked; `turnpost admin blocked` shows since when and why. To change the reason, add \
             --reason"
        )));
    };
    let facts = json!({ "sender": sender, "blocked": true, "reason": reason, "players": players });
    let mut text = format!("{sender} is blocked.\n");
    if !players.is_empty() {
        text += &format!("Players with such an address: {}\n", players.join(", "));
        text += "To block a player: turnpost admin player block USERID\n";
    }
    say(as_json, facts, || text)
}

/// Unblocks an address or a domain.
pub(crate) fn unblock(instance: &mut Instance, word: &str, as_json: bool) -> anyhow::Result<Exit> {
    let sender = sender(instance, word)?;
    let act = Act { detail: sender.clone(), ..act(ActKind::Unblock, (instance.world.now)()) };
    let was_blocked = store::write_with_retries(&mut *instance.store, |tx| {
        let was_blocked = administration::unblock_sender(tx, &sender)?;
        if was_blocked {
            tx.add_act(&act)?;
        }
        store::Result::Ok(was_blocked)
    })?;
    if !was_blocked {
        return Err(refused(format_args!(
            "{sender} is not blocked; `turnpost admin blocked` lists the blocked senders"
        )));
    }
    say(as_json, json!({ "sender": sender, "blocked": false }), || format!("{sender} is no longer blocked.\n"))
}

/// Returns the stored form of an address or a domain. Refuses any other word.
fn sender(instance: &mut Instance, word: &str) -> anyhow::Result<String> {
    if let Some(sender) = administration::sender_name(word) {
        return Ok(sender);
    }
    Err(match administration::player(&instance.store.read()?, word)? {
        Some(player) => refused(format_args!(
            "{0} is a player. To block or unblock them: `turnpost admin player block {0}`, or \
             `turnpost admin player unblock {0}`",
            player.userid
        )),
        None => refused(format_args!("\"{word}\" is not an address or a domain. Write a@example.org or @example.org")),
    })
}

/// Shows the rate limits that currently apply to a player, an address or everyone.
pub(crate) fn show(instance: &mut Instance, who: Option<&str>, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let tx = instance.store.read()?;
    let names = who.map(|who| administration::limited_names(&tx, who)).transpose()?;
    let rows = service.limit_rows(&tx, names.as_deref(), now)?;
    if let Some(who) = who.filter(|_| rows.is_empty()) {
        check_limited(&tx, who)?;
    }
    say(as_json, &rows, || table(&rows))
}

/// Refuses a name that is neither a network address nor a player's userid or address.
fn check_limited(tx: &Transaction<'_>, who: &str) -> anyhow::Result<()> {
    let client = who.split('/').next().unwrap_or(who);
    if client.parse::<IpAddr>().is_ok() { Ok(()) } else { check_known(tx, who) }
}

/// Lifts the rate limits that currently apply to a player or an address, and lists them.
pub(crate) fn lift(instance: &mut Instance, who: &str, as_json: bool) -> anyhow::Result<Exit> {
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let tx = instance.store.read()?;
    let names = administration::limited_names(&tx, who)?;
    if service.limit_rows(&tx, Some(names.as_slice()), now)?.is_empty() {
        check_limited(&tx, who)?;
    }
    drop(tx);
    let rows = store::write_with_retries(&mut *instance.store, |tx| {
        let names = administration::limited_names(tx, who)?;
        let rows = service.liftable_rows(tx, &names, now)?;
        service.lift_limits(tx, &names, now)?;
        let player = tx.player(who)?.map(|player| player.id);
        let detail = if player.is_some() { "" } else { who }.to_owned();
        tx.add_act(&Act { player, detail, ..act(ActKind::Lift, now) })?;
        store::Result::Ok(rows)
    })?;
    say(as_json, json!({ "lifted": rows }), || match rows.is_empty() {
        true => format!("{who} has no limit that can be lifted.\n"),
        false => format!("These limits are lifted:\n{}", table(&rows)),
    })?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}

/// Sends a letter to every reachable player. Without `yes`, only shows how many players would receive it.
pub(crate) fn broadcast(instance: &mut Instance, text: &str, yes: bool, as_json: bool) -> anyhow::Result<Exit> {
    let length = text.chars().count();
    if length > LONGEST_TEXT {
        return Err(refused(format_args!("the text has {length} characters; at most {LONGEST_TEXT} can be sent")));
    }
    let text = administration::clean_text(text);
    if text.is_empty() {
        return Err(refused("the text is empty; write it after --say="));
    }
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    let readers = administration::broadcast_readers(&tx)?;
    if yes {
        service.broadcast(&mut tx, "", &text, &readers, now)?;
        tx.add_act(&Act { detail: text, ..act(ActKind::Broadcast, now) })?;
        tx.commit()?;
    } else {
        drop(tx);
    }
    let userids: Vec<&str> = readers.iter().map(|reader| reader.userid.as_str()).collect();
    if as_json {
        print(&format!("{}\n", json!({ "players": userids, "sent": yes })))?;
    }
    let players = counted(readers.len(), "player", "players");
    if !yes {
        return Ok(unconfirmed(format_args!("{players} would get this letter: repeat the command with --yes")));
    }
    if !as_json {
        print(&format!("{players} get this letter.\n"))?;
    }
    Ok(send_letters(instance))
}
