//! A board to look at: as it is or as it was, and what can be taken along of it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::pages::{answered, refusal};
use super::{Page, Site, ask, at_desk};
use crate::compose::picture;
use crate::desk::{Answer, BoardView, Refused};
use crate::draw::png as image;

/// The board as it is.
pub(super) async fn now(State(site): State<Arc<Site>>, Path(number): Path<u32>) -> Response {
    at_desk(site, move |site, store| shown(site, ask(site, store, &format!("show {number}"))?, None)).await
}

/// The board after so many plies.
pub(super) async fn then(State(site): State<Arc<Site>>, Path((number, ply)): Path<(u32, u32)>) -> Response {
    at_desk(site, move |site, store| {
        // All its moves, for the list of them.
        let whole = match ask(site, store, &format!("show {number}"))? {
            Ok(answer) => answer,
            Err(refused) => return refusal(site, &refused),
        };
        shown(site, ask(site, store, &format!("show {number}#{ply}"))?, Some(&whole))
    })
    .await
}

fn shown(site: &Site, answer: Result<Answer, Refused>, whole: Option<&Answer>) -> anyhow::Result<Page> {
    let Some(board) = answer.as_ref().ok().and_then(only) else { return answered(site, "offer", context! {}, answer) };
    let all = whole.and_then(only).unwrap_or(board);
    let facts = context! {
        svg => Value::from_safe_string(picture(board)?),
        board => Serde(board.clone()),
        moves => Serde(all.moves.clone()),
        present => board.plies == all.plies,
    };
    answered(site, "board", facts, answer)
}

/// The one board of an answer; none when it is an open challenge.
fn only(answer: &Answer) -> Option<&BoardView> {
    answer.boards().first()
}

/// The picture as it is drawn.
pub(super) async fn svg(State(site): State<Arc<Site>>, Path(number): Path<u32>) -> Response {
    file(site, number, |_, _, board| Ok(Page::file("image/svg+xml", picture(board)?))).await
}

/// The same for programs that know no SVG.
pub(super) async fn png(State(site): State<Arc<Site>>, Path(number): Path<u32>) -> Response {
    file(site, number, |_, _, board| Ok(Page::file("image/png", image::render(&picture(board)?, image::WIDTH)))).await
}

/// Its record, by `docs/record.schema.json`.
pub(super) async fn record(State(site): State<Arc<Site>>, Path(number): Path<u32>) -> Response {
    file(site, number, |site, store, board| {
        match ask(site, store, &format!("{} history {} --format=json", board.game, board.number))? {
            Ok(answer) => Ok(Page::file("application/json", site.composer.answer(&answer)?)),
            Err(refused) => refusal(site, &refused),
        }
    })
    .await
}

async fn file(
    site: Arc<Site>,
    number: u32,
    make: impl FnOnce(&Site, &mut dyn crate::store::Store, &BoardView) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    at_desk(site, move |site, store| match ask(site, store, &format!("show {number}"))? {
        Ok(answer) => match only(&answer) {
            Some(board) => make(site, store, board),
            None => refusal(
                site,
                &Refused { message: format!("Number {number} is an open challenge."), ..Refused::default() },
            ),
        },
        Err(refused) => refusal(site, &refused),
    })
    .await
}
