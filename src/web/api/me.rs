//! The authenticated player: account, boards, tokens and the webhook.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{ApiError, Problem};
use super::request::{ApiRequest, PAGE_SIZE};
use super::schemas::Userid;
use crate::command::BoardFilter;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{AddressRow, MyBoardRow, TokenRow};
use crate::web::webhooks::{self, MAX_URL};

/// A player's own account.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Me {
    userid: String,
    /// The time of the sign-up.
    since: DateTime<Utc>,
    /// The addresses for letters.
    addresses: Vec<AddressRow>,
    /// The players whom the player has blocked.
    blocked: Vec<String>,
    /// The player's settings, with the names and values of the command `set`: for example `each` for `rhythm`.
    settings: BTreeMap<&'static str, String>,
}

/// `GET /me`
pub(crate) fn me(request: &mut ApiRequest<'_>) -> Result<Me, ApiError> {
    let player = request.player()?;
    let (addresses, blocked) =
        request.read(|service, tx| Ok((service.addresses(tx, player.id)?, service.blocked_by(tx, player.id)?)))?;
    Ok(Me {
        userid: player.userid,
        since: player.created_at,
        addresses,
        blocked,
        settings: player.settings.pairs().into(),
    })
}

/// A part of the list of a player's boards.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MyBoards {
    boards: Vec<MyBoardRow>,
    /// The value of `after` for the next part of the list; `null` at its end.
    next: Option<BoardNumber>,
}

/// `GET /me/boards`
pub(crate) fn boards(request: &mut ApiRequest<'_>) -> Result<MyBoards, ApiError> {
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

/// The body of a request for a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// The userid.
    userid: Userid,
    /// The player's password.
    #[schemars(length(min = 1))]
    password: String,
    /// The purpose of the token, to identify it in the list of tokens.
    #[schemars(length(min = 1, max = 60), regex(pattern = r"\S"))]
    label: String,
}

/// A new token. Only this response contains it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MadeToken")]
pub(crate) struct CreatedToken {
    /// The token, to send as `Authorization: Bearer tp_…`. The server stores only a hash and cannot show it again.
    token: String,
    /// The id for revoking the token.
    id: String,
    /// The userid.
    userid: String,
    label: String,
    created_at: DateTime<Utc>,
}

/// `POST /tokens`
pub(crate) fn make_token(request: &mut ApiRequest<'_>, new: NewToken) -> Result<CreatedToken, ApiError> {
    let now = request.now;
    if new.label.trim().is_empty() {
        return Err(ApiError::malformed(message!("web.blank-label")));
    }
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
pub(crate) struct MyTokens {
    tokens: Vec<TokenRow>,
}

/// `GET /me/tokens`
pub(crate) fn tokens(request: &mut ApiRequest<'_>) -> Result<MyTokens, ApiError> {
    let player = request.player()?.id;
    Ok(MyTokens { tokens: request.read(|service, tx| service.tokens(tx, player))? })
}

/// The id of a revoked token.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Revoked")]
pub(crate) struct RevokedToken {
    revoked: String,
}

/// `DELETE /me/tokens/ID`
pub(crate) fn revoke_token(request: &mut ApiRequest<'_>) -> Result<RevokedToken, ApiError> {
    let (player, id) = (request.player()?, request.parameters.in_path("id"));
    if !request.write(|service, tx| service.revoke_token(tx, player.id, id))? {
        return Err(ApiError::not_there(message!("web.no-such-token", id)));
    }
    tracing::info!(userid = player.userid, "token revoked");
    Ok(RevokedToken { revoked: id.to_owned() })
}

/// A new webhook.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewHook")]
pub(crate) struct NewWebhook {
    /// An address such as `https://bot.example.org/turn`. On each of the player's turns, the server posts
    /// `{"type":"board.your_turn","timestamp","data":{"board","game","ply","opponent","url"}}` there. Any status from
    /// 200 to 299 accepts the call, and 410 stops all calls. After any other result, the server retries for a day.
    #[schemars(length(max = MAX_URL), regex(pattern = r"^https?://"))]
    url: String,
}

/// A webhook with its secret. Only this response contains the secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MadeHook")]
pub(crate) struct CreatedWebhook {
    url: String,
    /// The signing secret, for any library of Standard Webhooks: `whsec_` and the key in base64. The header
    /// `webhook-signature: v1,BASE64` contains the HMAC-SHA256, with this key, of `webhook-id`, a dot,
    /// `webhook-timestamp`, a dot and the body.
    #[schemars(regex(pattern = r"^whsec_[A-Za-z0-9+/]+=*$"))]
    secret: String,
    created_at: DateTime<Utc>,
}

/// `PUT /me/webhook`
pub(crate) fn set(request: &mut ApiRequest<'_>, new: NewWebhook) -> Result<CreatedWebhook, ApiError> {
    let (player, now) = (request.player()?, request.parameters.now);
    webhooks::check_url(&new.url, request.site.config.web.private_webhooks).map_err(|wrong| {
        // The schema requires one of these schemes.
        let has_scheme = ["https://", "http://"].iter().any(|scheme| new.url.starts_with(scheme));
        let error = if has_scheme { ApiError::not_understood(wrong) } else { ApiError::malformed(wrong) };
        error.about(&new.url)
    })?;
    let secret = request.write(|service, tx| service.set_webhook(tx, player.id, &new.url, now))?;
    Ok(CreatedWebhook { url: new.url, secret, created_at: now })
}

/// The player's webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MyHook")]
pub(crate) struct MyWebhook {
    url: String,
    created_at: DateTime<Utc>,
    /// The number of consecutive failed calls.
    failures: u32,
    /// The time since which calls are paused; `null` if they are not. Setting the URL again resumes them.
    paused_at: Option<DateTime<Utc>>,
    /// Why calls are paused.
    paused_why: Option<String>,
}

/// `GET /me/webhook`
pub(crate) fn show(request: &mut ApiRequest<'_>) -> Result<MyWebhook, ApiError> {
    let player = request.player()?;
    let webhook = request.read(|service, tx| service.webhook(tx, player.id))??;
    let (paused_at, paused_why) = webhook.paused.map(|pause| (pause.since, pause.why)).unzip();
    Ok(MyWebhook {
        url: webhook.url,
        created_at: webhook.created_at,
        failures: webhook.failures,
        paused_at,
        paused_why: paused_why.map(|why| request.site.words(&why)),
    })
}

/// The URL of the removed webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RemovedHook")]
pub(crate) struct RemovedWebhook {
    removed: String,
}

/// `DELETE /me/webhook`
pub(crate) fn remove(request: &mut ApiRequest<'_>) -> Result<RemovedWebhook, ApiError> {
    let player = request.player()?;
    let removed = request.write(|service, tx| service.remove_webhook(tx, player.id))??;
    Ok(RemovedWebhook { removed })
}
