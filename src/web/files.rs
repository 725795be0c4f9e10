//! The files that pages refer to: style sheets, script and icon.
//!
//! The address of a file holds a hash of it, so that a browser keeps the file for as long as it is the same and fetches
//! another one with the first page that refers to it.

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
use crate::message;
use crate::text::hex;

/// The files, with their content types.
const FILES: [(&str, &str); 6] = [
    ("style.css", "text/css; charset=utf-8"),
    ("learn.css", "text/css; charset=utf-8"),
    ("players.css", "text/css; charset=utf-8"),
    ("admin.css", "text/css; charset=utf-8"),
    ("script.js", "text/javascript; charset=utf-8"),
    ("icon.svg", "image/svg+xml"),
];

/// The addresses of the files by their names, as a fact of every page.
pub(super) fn addresses(composer: &Composer) -> anyhow::Result<Value> {
    let addresses = FILES.iter().map(|(name, _)| {
        let address = address(name, &composer.file(name)?);
        anyhow::Ok((name.split('.').next().unwrap_or_default().to_owned(), address))
    });
    addresses.collect::<anyhow::Result<BTreeMap<_, _>>>().map(Value::from)
}

fn address(name: &str, text: &str) -> String {
    format!("/files/{}/{name}", hex(&Sha256::digest(text)[..8]))
}

/// `GET /files/HASH/style.css`, or `/style.css`: the file as it is now.
pub(super) async fn file(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let Some((name, content_type)) = FILES.iter().find(|(known, _)| *known == name) else {
        return Page::text(StatusCode::NOT_FOUND, &site.words(&message!("web.no-such-page"))).into_response();
    };
    match site.composer.file(name) {
        Ok(text) => {
            let same = uri.path() == address(name, &text);
            let page = Page::file(content_type, text);
            // Under the hash of another version it may be asked for by an old page, but not for long.
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
