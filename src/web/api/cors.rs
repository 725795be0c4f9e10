//! Cross-origin requests: pages of other sites can use the API only with a token.
//!
//! Browsers do not add tokens by themselves, so a page that sends one got it from its player. The API ignores cookies
//! and does not allow credentials.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, ORIGIN,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Answers preflight requests, and lets pages of all sites read responses to requests with a token.
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
