//! Maintenance: only administrators can use the pages, and the API is closed.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use super::api;
use super::page_request::{Requester, message_response};
use super::site::{Site, with_store};
use crate::message;
use crate::service::administration::{self, Stop};

/// The paths that stay open: the administration, the login, and the files of every page.
const OPEN: [&str; 7] = ["/admin", "/login", "/logout", "/files", "/style.css", "/script.js", "/icon.svg"];

/// Answers 503 during maintenance.
pub(crate) async fn refuse(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_open =
        OPEN.iter().any(|open| path.strip_prefix(open).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..])));
    if is_open {
        return next.run(request).await;
    }
    let found =
        with_store(Arc::clone(&site), |site, store| Ok(site.read(store, |_, tx| administration::maintenance(tx))?));
    // If the database does not answer, the page itself reports it.
    let Ok(Some(Stop { from, reason, .. })) = found.await else {
        return next.run(request).await;
    };
    let after = time_in(&reason, from).map(|until| (until - site.now()).num_seconds()).filter(|seconds| *seconds > 0);
    let message = message!("web.maintenance", text = reason);
    let mut response = if path.starts_with("/api/") {
        api::under_maintenance(&site, message)
    } else {
        let (mut parts, _) = request.into_parts();
        match Requester::from_request_parts(&mut parts, &site).await {
            Ok(requester) => message_response(&site, requester, StatusCode::SERVICE_UNAVAILABLE, message).await,
            Err(never) => match never {},
        }
    };
    if let Some(seconds) = after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Finds the first time in a text: an RFC 3339 time, or a time of day (UTC) after the beginning.
fn time_in(text: &str, begin: DateTime<Utc>) -> Option<DateTime<Utc>> {
    text.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', '(', ')'])).find_map(|word| {
        let whole = DateTime::parse_from_rfc3339(word).map(|time| time.with_timezone(&Utc));
        whole.ok().or_else(|| {
            let time = NaiveTime::parse_from_str(word, "%H:%M").ok()?;
            let today = begin.date_naive().and_time(time).and_utc();
            Some(if today > begin { today } else { today + TimeDelta::days(1) })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_the_text_is_found() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let begin = at("2026-11-21T17:30:00Z");
        for (text, time) in [
            ("back at 18:00", Some("2026-11-21T18:00:00Z")),
            ("Back at 9:15, I hope.", Some("2026-11-22T09:15:00Z")),
            ("until 2026-11-23T10:00:00+01:00.", Some("2026-11-23T09:00:00Z")),
            ("back in 2 hours", None),
            ("99:99", None),
        ] {
            assert_eq!(time_in(text, begin), time.map(at), "{text}");
        }
    }
}
