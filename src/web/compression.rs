//! Gzip compression of pages and API responses, for clients that accept it.

use std::io::Write;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Compression does not pay off for shorter bodies.
const MIN_LENGTH: u64 = 1_000;
/// The compression level, up to 9. Higher levels cost more time than they save in size.
const LEVEL: Compression = Compression::new(4);
/// The content types that are worth compressing, by prefix. Event streams have no length and are excluded.
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
}
