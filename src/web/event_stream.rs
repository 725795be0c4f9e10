//! Event streams (`text/event-stream`): responses that stay open and carry one event after another.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::Stream;

/// The interval between comments on an idle stream, which prevent proxies from closing the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Seconds until a client may retry if it has too many streams open.
pub(crate) const RETRY_AFTER: &str = "30";

/// Builds the response that carries these events.
pub(crate) fn event_stream(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let kept_alive = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // A proxy that waits for a full buffer would delay events for days.
    ([("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff")], kept_alive).into_response()
}
