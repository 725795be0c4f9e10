//! The files that pages refer to: style sheets, the script and the icon. The main style sheet and the script consist of
//! several source files with one purpose each; the themes define the colours of boards.
//!
//! The URL of a file contains a hash of it. Browsers can therefore cache the file until its content changes, and the
//! next page then refers to a new URL.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use minijinja::Value;
use sha2::{Digest, Sha256};

use super::page::Page;
use super::site::Site;
use crate::compose::Composer;
use crate::draw;
use crate::message;
use crate::text::hex;

/// A file and its source files.
struct File {
    name: &'static str,
    content_type: &'static str,
    parts: &'static [&'static str],
}

const FILES: [File; 6] = [
    File {
        name: "style.css",
        content_type: "text/css; charset=utf-8",
        parts: &["style.css", "list.css", "board.css", "panel.css", "board-dark.css"],
    },
    File { name: "learn.css", content_type: "text/css; charset=utf-8", parts: &["learn.css"] },
    File { name: "players.css", content_type: "text/css; charset=utf-8", parts: &["players.css"] },
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

/// Returns the URLs of the files, as a fact for every page.
pub(crate) fn addresses(composer: &Composer) -> anyhow::Result<Value> {
    let addresses = FILES.iter().map(|file| anyhow::Ok((key(file), address(file.name, &file.text(composer)?))));
    addresses.collect::<anyhow::Result<BTreeMap<_, _>>>().map(Value::from)
}

/// Returns the name without its extension, which templates use.
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
            // A page from before an update may request an old hash, which must not be cached.
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
