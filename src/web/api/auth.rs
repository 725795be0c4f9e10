//! Authentication of API requests by token.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::{DateTime, Utc};

use super::error::ApiError;
use crate::message;
use crate::service::TokenOwner;
use crate::store::Player;
use crate::web::pool::PooledStore;
use crate::web::site::Site;

/// Extracts the token from the headers of a request.
pub(crate) fn token(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let shown = header.to_str().ok().and_then(|header| header.split_once(' '));
    match shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) {
        Some((_, token)) => Ok(Some(token.trim().to_owned())),
        None => Err(ApiError::unauthenticated(message!("web.token-scheme"))),
    }
}

/// Finds the player of a token and records its use; returns `None` without a token.
pub(crate) fn authenticate(
    site: &Site,
    store: &mut PooledStore,
    token: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<Player>, ApiError> {
    let Some(token) = token else { return Ok(None) };
    let owner = site.read(store, |service, tx| service.player_by_token(tx, token, now))?;
    let Some(TokenOwner { player, record_use }) = owner else {
        return Err(ApiError::unauthenticated(message!("web.token-unknown")));
    };
    if record_use && !site.host.is_read_only() {
        site.write(store, |service, tx| service.record_token_use(tx, token, now))?;
    }
    Ok(Some(player))
}
