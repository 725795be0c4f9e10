//! Blocks addresses and domains.

use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{self, ActKind, BlockedSender, ReportPage, ReportRow, Store, Transaction};

use super::acts::{self, NewAct};

/// Blocks an address or a domain.
pub(crate) fn block(instance: &mut Instance, word: &str, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let Some(sender) = sender(instance, word)? else { return Ok(Exit::Refused) };
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let blocked = BlockedSender { sender, blocked_at: (instance.world.now)(), reason };
    let act = NewAct { detail: &blocked.sender, reason: &blocked.reason, ..NewAct::new(ActKind::Block) };
    let players = store::write_alone(&mut *instance.store, |tx| {
        acts::log(tx, blocked.blocked_at, &act)?;
        administration::block_sender(tx, &blocked)
    })?;
    let BlockedSender { sender, reason, .. } = blocked;
    if as_json {
        print(
            &(json!({ "sender": sender, "blocked": true, "reason": reason, "players": players }).to_string() + "\n"),
        )?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{sender} is blocked.\n");
    if !players.is_empty() {
        text += &format!("Players with such an address: {}\n", players.join(", "));
        text += "To block a player: turnpost admin player block USERID\n";
    }
    print(&text)?;
    Ok(Exit::Done)
}

/// Unblocks an address or a domain.
pub(crate) fn unblock(instance: &mut Instance, word: &str, as_json: bool) -> anyhow::Result<Exit> {
    let Some(sender) = sender(instance, word)? else { return Ok(Exit::Refused) };
    let (now, act) = ((instance.world.now)(), NewAct { detail: &sender, ..NewAct::new(ActKind::Unblock) });
    let was_blocked = store::write_alone(&mut *instance.store, |tx| {
        let was_blocked = administration::unblock_sender(tx, &sender)?;
        if was_blocked {
            acts::log(tx, now, &act)?;
        }
        store::Result::Ok(was_blocked)
    })?;
    if !was_blocked {
        return Ok(refused(format_args!("{sender} is not blocked; `turnpost admin blocked` lists who is")));
    }
    print(&match as_json {
        true => json!({ "sender": sender, "blocked": false }).to_string() + "\n",
        false => format!("{sender} is no longer blocked.\n"),
    })?;
    Ok(Exit::Done)
}

/// Lists blocked addresses and domains.
pub(crate) fn blocked(tx: &Transaction<'_>, part: ReportPage) -> anyhow::Result<Vec<ReportRow>> {
    let rows = administration::blocked_rows(tx)?.into_iter();
    Ok(rows.skip(part.skip as usize).take(part.most as usize).collect())
}

/// Returns the stored form of an address or a domain. Refuses any other word.
fn sender(instance: &mut Instance, word: &str) -> anyhow::Result<Option<String>> {
    let sender = administration::sender_name(word);
    if sender.is_none() {
        let player = administration::player(&instance.store.read()?, word)?;
        match player {
            Some(player) => refused(format_args!(
                "{0} is a player. To block or unblock a player: turnpost admin player block {0}, or unblock {0}",
                player.userid
            )),
            None => {
                refused(format_args!("\"{word}\" is not an address or a domain. Write a@example.org or @example.org"))
            }
        };
    }
    Ok(sender)
}
