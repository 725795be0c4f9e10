//! Downloads of a board: pictures in SVG and PNG, and the record.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::page::{Page, PageResult};
use super::page_request::{PageRequest, Path, Query, Requester, ask, busy, failed};
use super::site::Site;
use crate::draw::Theme;
use crate::draw::png::WIDTH;
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::catalogue;
use crate::service::BoardView;
use crate::text::hex;

/// The query of a picture.
#[derive(Deserialize)]
pub(crate) struct PlyQuery {
    /// The number of plies; the default is the current position.
    ply: Option<Ply>,
}

/// `GET /boards/N/board.svg`
pub(crate) fn svg(
    request: &mut PageRequest<'_>,
    (Path(number), Query(query), headers): (Path<BoardNumber>, Query<PlyQuery>, HeaderMap),
) -> PageResult {
    match board(request, number, query.ply)? {
        Ok(board) => Ok(tagged_file("image/svg+xml", request.site.composer.svg(&board)?.as_bytes(), &headers)),
        Err(page) => Ok(page),
    }
}

/// The query of a thumbnail.
#[derive(Deserialize)]
pub(crate) struct VersionQuery {
    /// The version of the picture, which changes with every entry of the board's record.
    v: Option<String>,
    #[serde(flatten)]
    theme: ThemeQuery,
}

/// The theme of a picture. Pages add the reader's theme to the URL, so that a new theme has a new URL.
#[derive(Deserialize)]
pub(crate) struct ThemeQuery {
    theme: Option<String>,
}

impl ThemeQuery {
    /// Returns the theme. Returns the default theme if the name is missing or unknown.
    pub(crate) fn theme(&self) -> Theme {
        self.theme.as_ref().and_then(|name| name.parse().ok()).unwrap_or_default()
    }
}

/// `GET /boards/N/thumbnail.svg`: a small picture for lists, which add its version to the URL.
pub(crate) fn thumbnail(
    request: &mut PageRequest<'_>,
    (Path(number), Query(query)): (Path<BoardNumber>, Query<VersionQuery>),
) -> PageResult {
    match board(request, number, None)? {
        Ok(board) => {
            let page = Page::file("image/svg+xml", request.site.composer.thumbnail(&board, query.theme.theme())?);
            // The board may be private, so shared caches must not store the picture.
            Ok(if query.v.is_some() { page.cached("private, max-age=86400") } else { page })
        }
        Err(page) => Ok(page),
    }
}

/// `GET /games/GAME/picture.svg`: a sample position of a game.
pub(crate) fn sample(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<ThemeQuery>),
) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    let page = Page::file("image/svg+xml", request.site.composer.sample(game, query.theme())?);
    Ok(page.cached("public, max-age=86400"))
}

/// `GET /boards/N/board.png`: the picture for programs without support for SVG.
pub(crate) async fn png(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(number): Path<BoardNumber>,
    Query(query): Query<PlyQuery>,
    headers: HeaderMap,
) -> Response {
    let found = ask(requester, move |request| {
        let board = board(request, number, query.ply)?;
        let drawn = board.as_ref().ok().map(|board| request.site.composer.drawn_png(board, WIDTH)).transpose()?;
        Ok((board, drawn.flatten()))
    });
    let drawn = match found.await {
        Err(response) => return response,
        Ok((Err(page), _)) => return page.into_response(),
        Ok((Ok(_), Some(drawn))) => Ok(Some(drawn)),
        Ok((Ok(board), None)) => {
            let drawing = Arc::clone(&site);
            site.drawing.draw(move || drawing.composer.png(&board, WIDTH)).await
        }
    };
    match drawn {
        Ok(Some(drawn)) => tagged_file("image/png", &drawn, &headers).into_response(),
        Ok(None) => busy(&site),
        Err(error) => failed(&site, &error),
    }
}

/// Returns a file with its entity tag (RFC 9110, 8.8.3), or only the tag if the client already has this version of the
/// file.
pub(crate) fn tagged_file(content_type: &'static str, file: &[u8], asked: &HeaderMap) -> Page {
    let tag = format!("\"{}\"", hex(&Sha256::digest(file)[..16]));
    let known = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    // A proxy that compresses responses makes the tag weak, with the prefix `W/`.
    let mut known = known.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
    let page = match known.any(|known| known == tag || known == "*") {
        true => Page::empty(StatusCode::NOT_MODIFIED),
        false => Page::file(content_type, file),
    };
    // XML (SVG and Atom) may be sent compressed or uncompressed, so its octets vary and its tag must be weak.
    let weak = if content_type == "image/png" { "" } else { "W/" };
    page.with("ETag", format!("{weak}{tag}"))
}

/// `GET /boards/N/record.json`: the board's record in the format of `docs/record.schema.json`.
pub(crate) fn record(request: &mut PageRequest<'_>, Path(number): Path<BoardNumber>) -> PageResult {
    let board = match board(request, number, None)? {
        Ok(board) => board,
        Err(page) => return Ok(page),
    };
    match request.run_line(&format!("{} history {} --format=json", board.game, board.number), None)? {
        Ok(answer) => Ok(Page::file("application/json", request.site.composer.answer(&answer)?)),
        Err(rejection) => request.rejection_page(rejection),
    }
}

/// Returns the board after this ply; without a ply, in its current position. If the service rejects the request,
/// returns a page with the reason.
fn board(
    request: &mut PageRequest<'_>,
    number: BoardNumber,
    ply: Option<Ply>,
) -> anyhow::Result<Result<BoardView, Page>> {
    let ply = ply.map(|ply| format!("#{ply}")).unwrap_or_default();
    match request.run_line(&format!("show {number}{ply}"), None)? {
        Ok(answer) => match answer.boards().first() {
            Some(board) => Ok(Ok((*board).clone())),
            None => {
                let page = request.message_page(StatusCode::NOT_FOUND, message!("web.is-open-challenge", number))?;
                Ok(Err(page))
            }
        },
        Err(rejection) => Ok(Err(request.rejection_page(rejection)?)),
    }
}
