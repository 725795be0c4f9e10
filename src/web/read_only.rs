//! Requests to a server with a read-only database.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::api;
use super::page_request::{Requester, message_response};
use super::site::Site;
use crate::message;

/// Rejects requests that may change something, on a read-only server.
pub(crate) async fn refuse(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if reads || !site.host.is_read_only() {
        return next.run(request).await;
    }
    let message = message!("web.read-only");
    if request.uri().path().starts_with("/api/") {
        return api::read_only(&site, message);
    }
    let (mut parts, _) = request.into_parts();
    match Requester::from_request_parts(&mut parts, &site).await {
        Ok(requester) => message_response(&site, requester, StatusCode::FORBIDDEN, message).await,
        Err(never) => match never {},
    }
}
