//! The player's webhook: the URL that receives their turns.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::request::ApiRequest;
use crate::web::webhooks::{self, MAX_URL};

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
    /// The secret of the signatures, for any library of Standard Webhooks: `whsec_` and the key in base64. The header
    /// `webhook-signature: v1,BASE64` has the HMAC-SHA256 with the key over `webhook-id`, a dot, `webhook-timestamp`, a
    /// dot and the body.
    #[schemars(regex(pattern = r"^whsec_[A-Za-z0-9+/]+=*$"))]
    secret: String,
    created_at: DateTime<Utc>,
}

/// `PUT /me/webhook`
pub(crate) fn set(request: &mut ApiRequest<'_>, new: NewWebhook) -> Result<CreatedWebhook, ApiError> {
    let (player, now) = (request.player()?, request.parameters.now);
    webhooks::check_url(&new.url, request.site.config.web.private_webhooks)
        .map_err(|wrong| ApiError::not_understood(wrong).about(&new.url))?;
    let webhook = request.write(|service, tx| service.set_webhook(tx, player.id, &new.url, now))?;
    Ok(CreatedWebhook { url: webhook.url, secret: webhook.secret, created_at: webhook.created_at })
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
