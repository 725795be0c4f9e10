//! What a player's program asks about its player, and the tokens that programs show.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::table::PAGE;
use super::trouble::Trouble;
use crate::command::BoardFilter;
use crate::service::{MyBoardRow, TokenRow};
use crate::store::Address;
use crate::web::limits::TOO_OFTEN;

/// A player as he sees himself.
#[derive(Serialize, JsonSchema)]
pub(super) struct Me {
    userid: String,
    /// When he signed up.
    since: DateTime<Utc>,
    /// Where letters go.
    addresses: Vec<MyAddress>,
    /// What he has set, as `set` takes it: `rhythm` and `each`.
    settings: BTreeMap<String, String>,
}

/// An address of a player.
#[derive(Serialize, JsonSchema)]
struct MyAddress {
    address: String,
    /// Its owner has confirmed it; letters go to confirmed addresses only.
    confirmed: bool,
    /// Why nothing is sent to it at present; `null`: letters are sent.
    paused: Option<String>,
}

pub(super) fn me(call: &mut Call<'_>) -> Result<Me, Trouble> {
    let player = call.me()?;
    let settings = call.service().settings(&player).into_iter().collect();
    let addresses = call.store.read()?.addresses(player.id)?.into_iter().map(|address| {
        let Address { address, confirmed_at, paused } = address;
        MyAddress { address, confirmed: confirmed_at.is_some(), paused: paused.map(|(_, why)| why) }
    });
    Ok(Me { addresses: addresses.collect(), settings, since: player.created_at, userid: player.userid })
}

/// Boards of a player.
#[derive(Serialize, JsonSchema)]
pub(super) struct MyBoards {
    boards: Vec<MyBoardRow>,
    /// The number to go on `after`; `null`: there are no more.
    next: Option<u32>,
}

pub(super) fn boards(call: &mut Call<'_>) -> Result<MyBoards, Trouble> {
    let (player, site, now) = (call.me()?, call.site, call.asked.now);
    let service = site.config.service(site.world);
    let which = match call.asked.given("which").unwrap_or("active") {
        "next" => BoardFilter::Next,
        "active" => BoardFilter::Active,
        "all" => BoardFilter::All,
        other => {
            let message = format!("which is \"next\", \"active\" or \"all\", not {other:?}.");
            return Err(Trouble::not_understood(message));
        }
    };
    let after = call.asked.given_number::<u32>("after")?;
    let tx = call.store.read()?;
    if which != BoardFilter::All {
        if after.is_some() {
            return Err(Trouble::not_understood("after goes with which=all; the other lists come as a whole."));
        }
        let mut boards = service.my_boards(&*tx, player.id, now)?;
        boards.retain(|row| which == BoardFilter::Active || row.your_turn);
        return Ok(MyBoards { boards, next: None });
    }
    let boards = service.my_boards_by_number(&*tx, player.id, (after.unwrap_or(0), PAGE), now)?;
    let next = boards.last().filter(|_| boards.len() == PAGE as usize).map(|row| row.board.number);
    Ok(MyBoards { boards, next })
}

/// What a token is made from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewToken {
    /// Whose it will be.
    userid: String,
    /// His password, which is not kept.
    password: String,
    /// What the token is for, as its player will read it in his list.
    label: String,
}

/// A token, shown this once.
#[derive(Serialize, JsonSchema)]
pub(super) struct MadeToken {
    /// To be shown as `Authorization: Bearer tp_…`. It is not kept here, and cannot be shown again.
    token: String,
    /// What it is revoked by.
    id: String,
    /// Whose it is.
    userid: String,
    label: String,
    created_at: DateTime<Utc>,
}

pub(super) fn make_token(call: &mut Call<'_>, new: NewToken) -> Result<MadeToken, Trouble> {
    let (site, now) = (call.site, call.asked.now);
    if !site.limits.try_once(call.asked.client.key(), now) {
        return Err(Trouble::new(StatusCode::TOO_MANY_REQUESTS, TOO_OFTEN));
    }
    let service = site.config.service(site.world);
    let mut tx = call.store.write()?;
    let player = service.player_by_password(&mut *tx, &new.userid, &new.password, now)?;
    let made = match &player {
        Ok(player) => Some(service.make_token(&mut *tx, player.id, &new.label, now)?),
        Err(_) => None,
    };
    // A wrong password is counted.
    tx.commit()?;
    let userid = player?.userid;
    site.limits.forgive(call.asked.client.key());
    let (token, TokenRow { id, label, created_at, .. }) = made.expect("the player was found")?;
    tracing::info!(userid, label, "token made");
    Ok(MadeToken { token, id, userid, label, created_at })
}

/// A player's tokens.
#[derive(Serialize, JsonSchema)]
pub(super) struct MyTokens {
    tokens: Vec<TokenRow>,
}

pub(super) fn tokens(call: &mut Call<'_>) -> Result<MyTokens, Trouble> {
    let (player, site) = (call.me()?, call.site);
    let tx = call.store.read()?;
    Ok(MyTokens { tokens: site.config.service(site.world).tokens(&*tx, player.id)? })
}

/// A token that counts no more.
#[derive(Serialize, JsonSchema)]
pub(super) struct Revoked {
    revoked: String,
}

pub(super) fn revoke_token(call: &mut Call<'_>) -> Result<Revoked, Trouble> {
    let (player, site, id) = (call.me()?, call.site, call.asked.word("id"));
    let mut tx = call.store.write()?;
    if !site.config.service(site.world).revoke_token(&mut *tx, player.id, id)? {
        return Err(Trouble::not_there(format!("You have no token {id:?}.")));
    }
    tx.commit()?;
    tracing::info!(userid = player.userid, "token revoked");
    Ok(Revoked { revoked: id.to_owned() })
}
