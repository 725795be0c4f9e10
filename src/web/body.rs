//! The body of a request, which is read before the request is answered.
//!
//! A server that answers earlier and closes the connection resets it under a client that is still sending, and the client
//! loses the answer (RFC 9112, 9.6). A proxy between them passes on whichever it meets first: the answer, or the end of the
//! connection.

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

/// The longest request body that is accepted, in octets.
pub(super) const MAX_BODY: usize = 64 * 1024;
/// How many octets after these are read and dropped. A client that sends more may lose the answer.
const MAX_DROPPED: usize = 1024 * 1024;

/// How long reading a body may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the whole body, and passes on no more than what shows the handlers that it is too long.
pub(super) async fn read_whole(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
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

/// Reads a body, and keeps one octet more of it than is accepted.
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
