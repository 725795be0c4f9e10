//! Event streams (`text/event-stream`): responses that stay open and carry one event after the other.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::Stream;

/// How often a comment is sent where nothing else is, so that no proxy takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Seconds after which a client that found no free stream may retry.
pub(super) const RETRY_AFTER: &str = "30";

/// The response that carries these events.
pub(super) fn event_stream(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let kept_alive = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // A proxy that waited for a full buffer would wait for days.
    ([("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff")], kept_alive).into_response()
}
