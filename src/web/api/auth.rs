//! The token of a request, and the player whose it is.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::{DateTime, Utc};

use super::error::ApiError;
use crate::message;
use crate::service::TokenOwner;
use crate::store::Player;
use crate::web::pool::PooledStore;
use crate::web::site::Site;

/// The token in the headers of a request, if there is one.
pub(super) fn token(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let shown = header.to_str().ok().and_then(|header| header.split_once(' '));
    match shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) {
        Some((_, token)) => Ok(Some(token.trim().to_owned())),
        None => Err(ApiError::unauthenticated(message!("web.token-scheme"))),
    }
}

/// Finds the player of a token; `None` when no token is shown. The use of the token is recorded.
pub(super) fn authenticate(
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
