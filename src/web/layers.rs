//! The layers around every request: the `Host` header, bodies, compression, cross-origin rules, maintenance, and a
//! read-only database.
//!
//! Pages of all sites may use the API with a token. Browsers do not add tokens by themselves, so a page that sends one
//! got it from its player. The API ignores cookies and does not allow credentials.
//!
//! If a server responds and closes the connection while the client is still sending, the client loses the response (RFC
//! 9112, 9.6). Bodies are therefore read before the response, up to a limit. Behind a proxy, a client that sends a
//! longer body gets either the response or an error, depending on timing.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, ORIGIN,
    RETRY_AFTER, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::api;
use super::page::Page;
use super::page_request::{Requester, message_response};
use super::site::{Site, with_store};
use crate::message;
use crate::service::administration::{self, Stop};

/// The minimum length of a compressed body, in octets. Compressing shorter ones is not worth the time.
const MIN_LENGTH: u64 = 1_000;
/// The compression level, up to 9. Higher levels take much more time and save little.
const LEVEL: Compression = Compression::new(4);
/// The content types worth compressing, by prefix. Event streams are excluded, because their length is unknown.
const TYPES: [&str; 5] = ["text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"];

/// Compresses a response if it is long enough and its client accepts gzip.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    let long = response.body().size_hint().exact().is_some_and(|length| length >= MIN_LENGTH);
    if !long || !is_compressible(response.headers()) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !accepted {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = to_bytes(body, usize::MAX).await else { return Response::from_parts(parts, Body::empty()) };
    let given = plain.clone();
    match tokio::task::spawn_blocking(move || gzip(&given)).await {
        Ok(Ok(packed)) => {
            parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(packed))
        }
        _ => Response::from_parts(parts, Body::from(plain)),
    }
}

fn gzip(plain: &Bytes) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), LEVEL);
    encoder.write_all(plain)?;
    encoder.finish()
}

fn is_compressible(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A strong tag identifies the uncompressed octets (RFC 9110, 8.8.1).
    let has_strong_tag = headers.get(ETAG).is_some_and(|tag| !tag.as_bytes().starts_with(b"W/"));
    let plain = !headers.contains_key(CONTENT_ENCODING) && !has_strong_tag;
    plain && TYPES.iter().any(|compressible| content_type.starts_with(compressible))
}

/// Returns whether the client accepts gzip with a weight above 0 (RFC 9110, 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.split_once('=').is_some_and(|(_, q)| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

/// Answers preflight requests, and lets pages of all sites read the responses to requests with a token.
pub(crate) async fn share(request: Request, next: Next) -> Response {
    if is_preflight(&request) {
        let headers = [
            (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
            (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, DELETE"),
            (ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, If-None-Match, Last-Event-ID"),
            (ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        return (StatusCode::NO_CONTENT, headers).into_response();
    }
    let shared = request.headers().contains_key(ORIGIN) && request.headers().contains_key(AUTHORIZATION);
    let mut response = next.run(request).await;
    if shared {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        let exposed = HeaderValue::from_static("Allow, ETag, Retry-After, WWW-Authenticate");
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    response
}

/// Returns whether this is a preflight request for a request with a token.
fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && asks_for_token(headers)
}

fn asks_for_token(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
    let mut names = values.flat_map(|value| value.split(','));
    names.any(|name| name.trim().eq_ignore_ascii_case(AUTHORIZATION.as_str()))
}

/// The paths that remain available during maintenance: administration, login, and the files that every page uses.
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
    // If the database is unavailable, the handler of the page reports the error.
    let Ok(Some(Stop { from, reason, .. })) = found.await else {
        return next.run(request).await;
    };
    let after = time_in(&reason, from).map(|until| (until - site.now()).num_seconds()).filter(|seconds| *seconds > 0);
    let message = message!("web.maintenance", text = reason);
    let mut response = if path.starts_with("/api/") {
        api::under_maintenance(&site, message)
    } else {
        let (mut parts, _) = request.into_parts();
        let Ok(requester) = Requester::from_request_parts(&mut parts, &site).await;
        message_response(requester, StatusCode::SERVICE_UNAVAILABLE, message).await
    };
    if let Some(seconds) = after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Finds the first time in an administrator's text. The time is in the format of RFC 3339, or it is a time of day
/// (UTC); the latter means the next such time after `begin`.
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

/// Rejects a request that does not have exactly one `Host` header (RFC 9112, section 3.2). HTTP/1.0 requests need none.
pub async fn require_one_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11 {
        return next.run(request).await;
    }
    (StatusCode::BAD_REQUEST, "An HTTP/1.1 request must have exactly one Host header.\n").into_response()
}

/// The maximum length of a request body, in octets.
pub(crate) const MAX_BODY: usize = 64 * 1024;
/// The maximum number of octets to read and drop beyond the limit. Clients that send more may lose the response.
const MAX_DROPPED: usize = 1024 * 1024;

/// The longest time for reading a body.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the whole body. Passes at most one octet more than [`MAX_BODY`] to the handlers, which reject a body that is
/// too long.
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

/// Rejects requests that may change something, on a read-only server.
pub(crate) async fn refuse_changes(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if reads || !site.host.is_read_only() {
        return next.run(request).await;
    }
    let message = message!("web.read-only");
    if request.uri().path().starts_with("/api/") {
        return api::read_only(&site, message);
    }
    let (mut parts, _) = request.into_parts();
    let Ok(requester) = Requester::from_request_parts(&mut parts, &site).await;
    message_response(requester, StatusCode::FORBIDDEN, message).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_accept_gzip_get_it() {
        let accepts = |value: &str| {
            accepts_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap())]))
        };
        for value in ["gzip", "GZIP", "br, gzip", "deflate, gzip;q=0.5", "gzip; q=1"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzip"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

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
