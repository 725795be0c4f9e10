//! The player whose token is shown: account, boards, and tokens.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::problem::Problem;
use super::request::{ApiRequest, PAGE_SIZE};
use super::schemas::Userid;
use crate::command::BoardFilter;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{AddressRow, MyBoardRow, TokenRow};

/// A player as the player sees it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Me {
    userid: String,
    /// When the player signed up.
    since: DateTime<Utc>,
    /// The addresses to which letters go.
    addresses: Vec<MyAddress>,
    /// The player's settings, as `set` takes them: `rhythm` and `each`.
    settings: BTreeMap<String, String>,
}

/// A mail address of a player.
#[derive(Serialize, JsonSchema)]
struct MyAddress {
    address: String,
    /// Whether its owner has confirmed it; letters go to confirmed addresses only.
    confirmed: bool,
    /// Why nothing is sent to it at present; `null`: letters are sent.
    paused: Option<String>,
}

/// `GET /me`
pub(super) fn me(request: &mut ApiRequest<'_>) -> Result<Me, ApiError> {
    let player = request.player()?;
    let (settings, addresses) =
        request.read(|service, tx| Ok((service.settings(&player), service.addresses(tx, player.id)?)))?;
    let addresses = addresses.into_iter();
    let addresses = addresses.map(|AddressRow { address, confirmed, paused }| MyAddress { address, confirmed, paused });
    Ok(Me {
        userid: player.userid,
        since: player.created_at,
        addresses: addresses.collect(),
        settings: settings.into_iter().collect(),
    })
}

/// Boards of a player.
#[derive(Serialize, JsonSchema)]
pub(super) struct MyBoards {
    boards: Vec<MyBoardRow>,
    /// The number to pass as `after` for more boards; `null`: there are no more.
    next: Option<BoardNumber>,
}

/// `GET /me/boards`
pub(super) fn boards(request: &mut ApiRequest<'_>) -> Result<MyBoards, ApiError> {
    let (player, now) = (request.player()?.id, request.parameters.now);
    let which = match request.parameters.in_query("which").unwrap_or("active") {
        "next" => BoardFilter::Next,
        "active" => BoardFilter::Active,
        "all" => BoardFilter::All,
        other => return Err(ApiError::malformed(message!("web.unknown-which", word = other)).about(other)),
    };
    let after = request.parameters.number_in_query::<BoardNumber>("after")?;
    if which != BoardFilter::All {
        if after.is_some() {
            return Err(ApiError::not_understood(message!("web.after-without-all")));
        }
        let mut boards = request.read(|service, tx| service.my_boards(tx, player, now))?;
        boards.retain(|row| which == BoardFilter::Active || row.your_turn);
        return Ok(MyBoards { boards, next: None });
    }
    let after = after.unwrap_or_default();
    let boards = request.read(|service, tx| service.my_boards_by_number(tx, player, after, PAGE_SIZE, now))?;
    let next = boards.last().filter(|_| boards.len() == PAGE_SIZE as usize).map(|row| row.board.number);
    Ok(MyBoards { boards, next })
}

/// What a token is made from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewToken {
    /// The player.
    userid: Userid,
    /// The player's password, which is not stored.
    #[schemars(length(min = 1))]
    password: String,
    /// What the token is for, as the player will read it in the list of tokens.
    #[schemars(length(min = 1, max = 60), regex(pattern = r"\S"))]
    label: String,
}

/// A token, which is shown this once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MadeToken")]
pub(super) struct CreatedToken {
    /// The token, to be shown as `Authorization: Bearer tp_…`. It is not stored here and cannot be shown again.
    token: String,
    /// The id by which it is revoked.
    id: String,
    /// The player.
    userid: String,
    label: String,
    created_at: DateTime<Utc>,
}

/// `POST /tokens`
pub(super) fn make_token(request: &mut ApiRequest<'_>, new: NewToken) -> Result<CreatedToken, ApiError> {
    let now = request.now;
    if request.client_waits()? {
        return Err(ApiError::new(Problem::TooOften, message!("service.too-many-tries")));
    }
    let userid = String::from(new.userid);
    let created = request.write_with_credentials(&userid, &new.password, |service, tx, credentials, passwords| {
        let player = match service.player_by_password(tx, credentials, passwords)? {
            Ok(player) => player,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let token = service.make_token(tx, player.id, &new.label, now)?;
        Ok(token.map(|token| (player.userid, token)))
    })?;
    let (userid, (token, TokenRow { id, label, created_at, .. })) = created?;
    tracing::info!(userid, label, "token made");
    Ok(CreatedToken { token, id, userid, label, created_at })
}

/// A player's tokens.
#[derive(Serialize, JsonSchema)]
pub(super) struct MyTokens {
    tokens: Vec<TokenRow>,
}

/// `GET /me/tokens`
pub(super) fn tokens(request: &mut ApiRequest<'_>) -> Result<MyTokens, ApiError> {
    let player = request.player()?.id;
    Ok(MyTokens { tokens: request.read(|service, tx| service.tokens(tx, player))? })
}

/// The id of a token that was revoked.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Revoked")]
pub(super) struct RevokedToken {
    revoked: String,
}

/// `DELETE /me/tokens/ID`
pub(super) fn revoke_token(request: &mut ApiRequest<'_>) -> Result<RevokedToken, ApiError> {
    let (player, id) = (request.player()?, request.parameters.in_path("id"));
    if !request.write(|service, tx| service.revoke_token(tx, player.id, id))? {
        return Err(ApiError::not_there(message!("web.no-such-token", id)));
    }
    tracing::info!(userid = player.userid, "token revoked");
    Ok(RevokedToken { revoked: id.to_owned() })
}
