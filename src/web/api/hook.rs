//! The address at which a player's turns are told.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::trouble::Trouble;
use crate::web::hooks;

/// Where turns are to be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewHook {
    /// `https://bot.example.org/turn`: when it is the player's turn, `{"event":"your-turn","id","board","game","ply","opponent","url"}`
    /// is posted there. Any status of 200 to 299 is yes; anything else is tried again for a day.
    url: String,
}

/// Where turns are told, with the secret, which is shown this once.
#[derive(Serialize, JsonSchema)]
pub(super) struct MadeHook {
    url: String,
    /// What posts are signed with: `Turnpost-Signature: t=UNIX,v1=HEX` has the HMAC-SHA256 with it over the time, a dot and
    /// the body.
    secret: String,
    created_at: DateTime<Utc>,
}

pub(super) fn set(call: &mut Call<'_>, new: NewHook) -> Result<MadeHook, Trouble> {
    let (player, site, now) = (call.me()?, call.site, call.asked.now);
    if let Some(flaw) = hooks::flaw(&new.url, site.config.web.private_webhooks) {
        return Err(Trouble::not_understood(flaw));
    }
    let mut tx = call.store.write()?;
    let hook = site.config.service(site.world).set_hook(&mut *tx, player.id, &new.url, now)?;
    tx.commit()?;
    Ok(MadeHook { url: hook.url, secret: hook.secret, created_at: hook.created_at })
}

/// Where turns are told.
#[derive(Serialize, JsonSchema)]
pub(super) struct MyHook {
    url: String,
    created_at: DateTime<Utc>,
    /// Posts that failed in a row.
    failures: u32,
    /// Nothing is sent since then; it is taken up again when the address is set again.
    paused_at: Option<DateTime<Utc>>,
    /// Why.
    paused_why: Option<String>,
}

pub(super) fn hook(call: &mut Call<'_>) -> Result<MyHook, Trouble> {
    let player = call.me()?;
    let hook = call.store.read()?.webhook(player.id)?.ok_or_else(none)?;
    let (paused_at, paused_why) = hook.paused.unzip();
    Ok(MyHook { url: hook.url, created_at: hook.created_at, failures: hook.failures, paused_at, paused_why })
}

/// An address that nothing is sent to any more.
#[derive(Serialize, JsonSchema)]
pub(super) struct RemovedHook {
    removed: String,
}

pub(super) fn remove(call: &mut Call<'_>) -> Result<RemovedHook, Trouble> {
    let player = call.me()?;
    let mut tx = call.store.write()?;
    let hook = tx.webhook(player.id)?.ok_or_else(none)?;
    tx.remove_webhook(player.id)?;
    tx.commit()?;
    Ok(RemovedHook { removed: hook.url })
}

fn none() -> Trouble {
    Trouble::not_there("You have no webhook; PUT one with its url.")
}
