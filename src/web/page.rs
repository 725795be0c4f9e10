//! Finished pages and files, and their responses.

use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// A finished page or file.
pub(crate) struct Page {
    status: StatusCode,
    content_type: &'static str,
    body: Vec<u8>,
    headers: Vec<(&'static str, String)>,
    cache: &'static str,
}

impl Page {
    /// An HTML page.
    pub(crate) fn html(status: StatusCode, html: String) -> Page {
        Page { status, ..Page::file("text/html; charset=utf-8", html) }
    }

    /// A plain-text page, for use when no other page can be made.
    pub(crate) fn text(status: StatusCode, words: &str) -> Page {
        Page { status, ..Page::file("text/plain; charset=utf-8", format!("{words}\n")) }
    }

    /// A file with this content type.
    pub(crate) fn file(content_type: &'static str, body: impl Into<Vec<u8>>) -> Page {
        let (body, cache) = (body.into(), "private, no-cache");
        Page { status: StatusCode::OK, content_type, body, headers: Vec::new(), cache }
    }

    /// A response without a body.
    pub(crate) fn empty(status: StatusCode) -> Page {
        Page { status, ..Page::file("text/plain", "") }
    }

    /// A redirect to another path of this site.
    pub(crate) fn redirect(path: &str) -> Page {
        Page::empty(StatusCode::SEE_OTHER).with("Location", path.to_owned())
    }

    /// Sets the value of the `Cache-Control` header.
    pub(crate) fn cached(self, cache: &'static str) -> Page {
        Page { cache, ..self }
    }

    /// Adds a header.
    pub(crate) fn with(mut self, header: &'static str, value: String) -> Page {
        self.headers.push((header, value));
        self
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let headers = [
            ("Content-Type", self.content_type),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                 form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            ),
            // With "no-referrer", a browser would send `Origin: null` with a form.
            ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", self.cache),
        ];
        let mut response = (self.status, headers, self.body).into_response();
        for (name, value) in self.headers {
            // A value with invalid characters comes from the client, who gets the page without the header.
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}
