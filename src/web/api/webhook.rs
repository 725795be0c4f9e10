//! The player's webhook: the address to which their turns are posted.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::request::ApiRequest;
use crate::web::webhooks::{self, MAX_URL};

/// The address to which turns are to be posted.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewHook")]
pub(super) struct NewWebhook {
    /// `https://bot.example.org/turn`: when it is the player's turn,
    /// `{"type":"board.your_turn","timestamp","data":{"board","game","ply","opponent","url"}}` is posted there. Any status
    /// of 200 to 299 accepts it; 410 stops all calls; after anything else it is retried for a day.
    #[schemars(length(max = MAX_URL), regex(pattern = r"^https?://"))]
    url: String,
}

/// A webhook with its secret, which is shown this once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MadeHook")]
pub(super) struct CreatedWebhook {
    url: String,
    /// The secret of the signatures, for any library of Standard Webhooks: `whsec_` and the key in base64.
    /// `webhook-signature: v1,BASE64` has the HMAC-SHA256 with the key over `webhook-id`, a dot, `webhook-timestamp`, a dot
    /// and the body.
    #[schemars(regex(pattern = r"^whsec_[A-Za-z0-9+/]+=*$"))]
    secret: String,
    created_at: DateTime<Utc>,
}

/// `PUT /me/webhook`
pub(super) fn set(request: &mut ApiRequest<'_>, new: NewWebhook) -> Result<CreatedWebhook, ApiError> {
    let (player, now) = (request.player()?, request.parameters.now);
    webhooks::check_url(&new.url, request.site.config.web.private_webhooks)
        .map_err(|wrong| ApiError::not_understood(wrong).about(&new.url))?;
    let webhook = request.write(|service, tx| service.set_webhook(tx, player.id, &new.url, now))?;
    Ok(CreatedWebhook { url: webhook.url, secret: webhook.secret, created_at: webhook.created_at })
}

/// The player's webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MyHook")]
pub(super) struct MyWebhook {
    url: String,
    created_at: DateTime<Utc>,
    /// The number of posts that failed in a row.
    failures: u32,
    /// Since when nothing is sent; setting the address again resumes it. `null`: turns are sent.
    paused_at: Option<DateTime<Utc>>,
    /// Why nothing is sent.
    paused_why: Option<String>,
}

/// `GET /me/webhook`
pub(super) fn show(request: &mut ApiRequest<'_>) -> Result<MyWebhook, ApiError> {
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

/// The address of a webhook that was removed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RemovedHook")]
pub(super) struct RemovedWebhook {
    removed: String,
}

/// `DELETE /me/webhook`
pub(super) fn remove(request: &mut ApiRequest<'_>) -> Result<RemovedWebhook, ApiError> {
    let player = request.player()?;
    let removed = request.write(|service, tx| service.remove_webhook(tx, player.id))??;
    Ok(RemovedWebhook { removed })
}
