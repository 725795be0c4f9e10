//! The `Host` header of requests.

use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Rejects a request without exactly one `Host` header (RFC 9112, section 3.2). HTTP/1.0 does not require it.
pub async fn require_one_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11 {
        return next.run(request).await;
    }
    (StatusCode::BAD_REQUEST, "An HTTP/1.1 request must have exactly one Host header.\n").into_response()
}
