//! Finished pages and files, event streams, and their responses.
//!
//! The URL of a file contains a hash of the file. Browsers can therefore cache the file until its content changes, and
//! the next page then refers to a new URL.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::Stream;
use minijinja::Value;
use sha2::{Digest, Sha256};

use super::site::Site;
use crate::compose::Composer;
use crate::text::hex;
use crate::{draw, message};

/// A finished page or file.
pub(crate) struct Page {
    status: StatusCode,
    content_type: &'static str,
    body: Vec<u8>,
    headers: Vec<(&'static str, String)>,
    cache: &'static str,
}

/// A page, or the error that prevented it.
pub(crate) type PageResult = anyhow::Result<Page>;

impl Page {
    pub(crate) fn html(status: StatusCode, html: String) -> Page {
        Page { status, ..Page::file("text/html; charset=utf-8", html) }
    }

    /// Creates a plain-text page, for responses that use no template.
    pub(crate) fn text(status: StatusCode, words: &str) -> Page {
        Page { status, ..Page::file("text/plain; charset=utf-8", format!("{words}\n")) }
    }

    pub(crate) fn file(content_type: &'static str, body: impl Into<Vec<u8>>) -> Page {
        let (body, cache) = (body.into(), "private, no-cache");
        Page { status: StatusCode::OK, content_type, body, headers: Vec::new(), cache }
    }

    /// Creates a response without a body.
    pub(crate) fn empty(status: StatusCode) -> Page {
        Page { status, ..Page::file("text/plain", "") }
    }

    /// Creates a redirect to another path of this site.
    pub(crate) fn redirect(path: &str) -> Page {
        Page::empty(StatusCode::SEE_OTHER).with("Location", path.to_owned())
    }

    /// Replaces the value of the `Cache-Control` header.
    pub(crate) fn cached(self, cache: &'static str) -> Page {
        Page { cache, ..self }
    }

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
            // Not "no-referrer", because a browser would then send `Origin: null` with a form.
            ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", self.cache),
        ];
        let mut response = (self.status, headers, self.body).into_response();
        for (name, value) in self.headers {
            // A header value has invalid characters only if the client sent them. That client gets the page without the
            // header.
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}

/// The interval between comments on an idle stream, which prevent proxies from closing the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Seconds until a client may retry if the server is busy, a stream fails, or too many streams are open.
pub(crate) const RETRY_AFTER: &str = "30";

/// Builds the response that carries these events.
pub(crate) fn event_stream(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let kept_alive = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // Without this header, nginx collects events until its buffer is full, which may take days.
    ([("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff")], kept_alive).into_response()
}

/// A file and its source files.
struct File {
    name: &'static str,
    content_type: &'static str,
    parts: &'static [&'static str],
}

const FILES: [File; 7] = [
    File {
        name: "style.css",
        content_type: "text/css; charset=utf-8",
        parts: &["style.css", "list.css", "board.css", "panel.css", "board-dark.css"],
    },
    File { name: "learn.css", content_type: "text/css; charset=utf-8", parts: &["learn.css"] },
    File { name: "players.css", content_type: "text/css; charset=utf-8", parts: &["players.css"] },
    File { name: "events.css", content_type: "text/css; charset=utf-8", parts: &["events.css"] },
    File { name: "admin.css", content_type: "text/css; charset=utf-8", parts: &["admin.css"] },
    File {
        name: "script.js",
        content_type: "text/javascript; charset=utf-8",
        // The first source file opens the function around the whole script, so the order matters.
        parts: &[
            "page.js", "find.js", "show.js", "pick.js", "drag.js", "send.js", "view.js", "keys.js", "live.js",
            "lists.js", "start.js", "time.js",
        ],
    },
    File { name: "icon.svg", content_type: "image/svg+xml", parts: &["icon.svg"] },
];

impl File {
    fn text(&self, composer: &Composer) -> anyhow::Result<String> {
        let parts = self.parts.iter().map(|part| composer.file(part)).collect::<anyhow::Result<String>>()?;
        Ok(if self.name == "style.css" { draw::style_sheet() + &parts } else { parts })
    }
}

/// Returns the URLs of the files, which the templates of all pages use.
pub(crate) fn addresses(composer: &Composer) -> anyhow::Result<Value> {
    let addresses = FILES.iter().map(|file| anyhow::Ok((key(file), address(file.name, &file.text(composer)?))));
    addresses.collect::<anyhow::Result<BTreeMap<_, _>>>().map(Value::from)
}

/// Returns the name that templates use: the file's name without its extension.
fn key(file: &File) -> &'static str {
    file.name.split('.').next().unwrap_or_default()
}

fn address(name: &str, text: &str) -> String {
    format!("/files/{}/{name}", hex(&Sha256::digest(text)[..8]))
}

/// `GET /files/HASH/style.css`, or `/style.css`: the current version of the file.
pub(crate) async fn file(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return Page::text(StatusCode::NOT_FOUND, &site.words(&message!("web.no-such-page"))).into_response();
    };
    match file.text(&site.composer) {
        Ok(text) => {
            let same = uri.path() == address(name, &text);
            let page = Page::file(file.content_type, text);
            // A page that was loaded before an update may request the file with an old hash. That response must not be
            // cached.
            match same {
                true => page.cached("public, max-age=31536000, immutable").into_response(),
                false => page.into_response(),
            }
        }
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a file failed");
            Page::text(StatusCode::INTERNAL_SERVER_ERROR, &site.words(&message!("web.server-failed"))).into_response()
        }
    }
}
