//! Request bodies, which the server reads before it responds.
//!
//! A server that responds early and closes the connection resets it while the client is still sending, and the client
//! loses the response (RFC 9112, 9.6). Behind a proxy, the client gets either the response or an error, depending on
//! timing.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tokio::time::timeout;

use super::api;
use super::page::Page;
use super::site::Site;
use crate::message;

/// The longest accepted body, in octets.
pub(crate) const MAX_BODY: usize = 64 * 1024;
/// The most octets beyond the limit that are read and dropped. Clients that send more may lose the response.
const MAX_DROPPED: usize = 1024 * 1024;

/// The longest time for reading a body.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the whole body, and passes at most one octet more than the limit to the handlers.
pub(crate) async fn read_whole(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_for_program = parts.uri.path().starts_with("/api/");
    let (status, message) = match timeout(TIMEOUT, kept(body)).await {
        Ok(Ok(kept)) => return next.run(Request::from_parts(parts, Body::from(kept))).await,
        Ok(Err(_)) => (StatusCode::BAD_REQUEST, message!("web.incomplete-request")),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, message!("web.slow-request")),
    };
    match is_for_program {
        true => api::incomplete(&site, status, message),
        false => Page::text(status, &site.words(&message)).into_response(),
    }
}

/// Reads a body; returns at most one octet more than the limit.
async fn kept(body: Body) -> Result<Vec<u8>, axum::Error> {
    let mut chunks = body.into_data_stream();
    let (mut kept, mut length) = (Vec::new(), 0);
    while length <= MAX_BODY + MAX_DROPPED {
        let Some(chunk) = chunks.next().await.transpose()? else { break };
        length += chunk.len();
        let room = MAX_BODY + 1 - kept.len();
        kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    Ok(kept)
}
