//! A board to look at, to try moves on, and to play: as it is, as it was, and what can be taken along of it.
//!
//! Where one looks stands in the path (`/boards/12/30/f3/k4,k5`: after move 30, with two moves tried), so that it can be
//! shared and every link on the page is short; what is about to be chosen stands behind it (`?pick=e1`).

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::clicks::Clicks;
use super::visit::{Visit, Visitor};
use super::{Page, Site, at_desk};
use crate::command::{Command, ParsedLine};
use crate::compose::{draw, picture};
use crate::draw::{png as image, svg};
use crate::rules::{Notation, catalogue};
use crate::service::{self, BoardView, EntryView, Explored, Exploring, Place, Rejection};

/// The most moves that are tried behind one another.
const LONGEST_LINE: usize = 100;

/// What is about to be chosen.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Picked {
    pick: String,
}

/// Where somebody looks at a board.
#[derive(Default)]
pub(super) struct Spot {
    pub(super) number: u32,
    /// After so many moves; `None`: as it is.
    pub(super) ply: Option<u32>,
    /// Moves tried from there.
    pub(super) line: Vec<String>,
    /// What is about to be chosen; empty: nothing.
    pub(super) pick: String,
}

/// What was not done there, and what its player had said.
pub(super) struct Undone<'a> {
    pub(super) refused: &'a Rejection,
    pub(super) say: &'a str,
}

/// The board as it is.
pub(super) async fn now(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(number): Path<u32>,
    Query(picked): Query<Picked>,
) -> Response {
    let spot = Spot { number, pick: typed(&picked.pick), ..Spot::default() };
    at_desk(site, visitor, move |visit| shown(visit, &spot, None)).await
}

/// The board after so many plies.
pub(super) async fn then(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((number, ply)): Path<(u32, u32)>,
    Query(picked): Query<Picked>,
) -> Response {
    let spot = Spot { number, ply: Some(ply), pick: typed(&picked.pick), ..Spot::default() };
    at_desk(site, visitor, move |visit| shown(visit, &spot, None)).await
}

/// The same, with moves tried.
pub(super) async fn tried(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((number, ply, line)): Path<(u32, u32, String)>,
    Query(picked): Query<Picked>,
) -> Response {
    let line: Vec<String> = line.split('/').filter(|text| !text.is_empty()).map(typed).collect();
    let spot = Spot { number, ply: Some(ply), line, pick: typed(&picked.pick) };
    at_desk(site, visitor, move |visit| match spot.line.len() {
        ..=LONGEST_LINE => shown(visit, &spot, None),
        _ => visit.no(StatusCode::NOT_FOUND, &format!("At most {LONGEST_LINE} moves can be tried behind one another.")),
    })
    .await
}

/// A move as somebody may type it.
pub(super) fn typed(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_lowercase()
}

/// The page of a board, or of the open challenge of that number.
pub(super) fn shown(visit: &mut Visit<'_>, spot: &Spot, undone: Option<Undone<'_>>) -> anyhow::Result<Page> {
    let (number, pick) = (spot.number, &spot.pick);
    let line = ParsedLine::of(Command::ShowBoards { boards: vec![(number, spot.ply)], plain: false });
    let request = service::Request { line, from: visit.origin(), comment: None, now: visit.now };
    let at = Exploring {
        number,
        ply: spot.ply,
        line: spot.line.clone(),
        pick: Some(pick.clone()).filter(|pick| !pick.is_empty()),
    };
    let service = visit.site.config.service(visit.site.world);
    let tx = visit.store.read()?;
    if tx.open_challenge(number)?.is_some_and(|offer| offer.closed_at.is_none()) {
        drop(tx);
        let answer = visit.ask(&format!("show {number}"))?;
        return visit.answered(
            "offer",
            context! { refused => undone.map(|undone| Serde(undone.refused.message.clone())) },
            answer,
        );
    }
    let mut seen = match service.explore(&*tx, &request, &at)? {
        Ok(seen) => seen,
        Err(refused) => {
            drop(tx);
            return visit.refusal(&refused);
        }
    };
    let place = match &visit.player {
        Some(player) => service.place(&*tx, number, player)?,
        None => Place::default(),
    };
    let change = tx.change_of(number)?;
    drop(tx);
    draw(&mut seen.board)?;
    let present = seen.base as usize == seen.moves.len();
    let notation = notation(&seen);
    let clicks = Clicks::of(notation, &seen.legal, pick);
    let sends = present && spot.line.is_empty() && place.turn;
    let path = format!("/boards/{number}/{}", seen.base);
    let tried = seen.board.moves.iter().skip(seen.base as usize).take(spot.line.len()).enumerate();
    let tried: Vec<Value> = tried
        .map(|(i, mv)| {
            let path = format!("{path}/{}", spot.line[..=i].join("/"));
            context! { text => mv.text.clone(), userid => mv.userid.clone(), path }
        })
        .collect();
    let here = if spot.line.is_empty() { path.clone() } else { format!("{path}/{}", spot.line.join("/")) };
    // A move that is tried and can only be meant whole is made at once.
    if let Some(picked) = seen.picked.as_ref().filter(|_| !sends && !clicks.goes_on) {
        return Ok(Page::redirect(&format!("{here}/{}", picked.text)));
    }
    let back = match (spot.line.len(), seen.base) {
        (0, 0) => None,
        (0, base) => Some(format!("/boards/{number}/{}", base - 1)),
        (1, _) => Some(path.clone()),
        (length, _) => Some(format!("{path}/{}", spot.line[..length - 1].join("/"))),
    };
    let on = (spot.line.is_empty() && !present).then(|| format!("/boards/{number}/{}", seen.base + 1));
    let wrong =
        seen.refusal.as_ref().filter(|_| !clicks.goes_on).map(|why| (Serde(why.message.clone()), why.nearest.clone()));
    let facts = context! {
        svg => Value::from_safe_string(drawn(&seen, &clicks, pick)),
        board => Serde(seen.board.clone()),
        moves => Serde(seen.moves.clone()),
        change,
        base => seen.base,
        present,
        place => Serde(place.clone()),
        tried,
        path,
        here => here.clone(),
        back,
        on,
        pick,
        wrong,
        whole => seen.picked.as_ref().map(|picked| picked.text.clone()),
        captured => seen.picked.as_ref().map(|picked| picked.captured.clone()),
        go_on => seen.picked.as_ref().map(|picked| format!("{here}/{}", picked.text)),
        words => clicks.words,
        sends,
        to_move => seen.to_move.clone(),
        reply_line => reply_line(&seen, spot, &place, present),
        undone => undone.as_ref().map(|undone| Serde(undone.refused.clone())),
        say => undone.as_ref().map_or("", |undone| undone.say),
    };
    let status = if undone.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    visit.page_with(status, "board", facts)
}

/// The moves tried, when their player could prepare his replies by them: from the board as it is, his moves and the
/// opponent's taking turns. His own next move stands first when it is his turn.
fn reply_line(seen: &Explored, spot: &Spot, place: &Place, present: bool) -> Option<Vec<String>> {
    let tried: Vec<&EntryView> = seen.board.moves.iter().skip(seen.base as usize).take(spot.line.len()).collect();
    let mut opponents = !place.turn;
    for mv in &tried {
        if (mv.userid.as_deref() == Some(&place.opponent)) != opponents || mv.passed_over {
            return None;
        }
        opponents = !opponents;
    }
    let enough = tried.len() >= if place.turn { 1 } else { 2 };
    (present && place.plays && !place.alone && enough).then(|| tried.iter().map(|mv| mv.text.clone()).collect())
}

/// How the board's game writes its moves.
fn notation(seen: &Explored) -> Notation {
    catalogue::find(&seen.board.game).map(|game| game.notation()).unwrap_or_default()
}

fn drawn(seen: &Explored, clicks: &Clicks, pick: &str) -> String {
    let board = &seen.board;
    let title = format!("{} board {} after move {}", board.title, board.number, board.plies);
    let captured = board.moves.last().map(|last| last.captured.clone()).unwrap_or_default();
    let side = |i: usize| (board.seats[i].mark, board.seats[i].side.as_str());
    let link = |(cell, pick): (&String, &String)| (cell.clone(), format!("?pick={pick}"));
    let links: BTreeMap<String, String> = clicks.cells.iter().map(link).collect();
    // What is no move, nor the beginning of one, is not shown as one.
    let counts = clicks.goes_on || seen.picked.is_some();
    let picked = notation(seen).cells(pick).into_iter().filter(|_| counts);
    let picked: Vec<String> = picked.map(str::to_owned).collect();
    let look = svg::Annotations {
        title: &title,
        sides: [side(0), side(1)],
        captured: &captured,
        links: &links,
        picked: &picked,
    };
    svg::draw(&seen.scene, &look)
}

/// Of which moment a file is.
#[derive(Deserialize)]
pub(super) struct Of {
    /// After so many moves; without it, the board as it is.
    ply: Option<u32>,
}

/// The picture as it is drawn.
pub(super) async fn svg(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(number): Path<u32>,
    Query(of): Query<Of>,
) -> Response {
    file(site, visitor, (number, of), |_, board| Ok(Page::file("image/svg+xml", picture(board)?))).await
}

/// The same for programs that know no SVG.
pub(super) async fn png(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(number): Path<u32>,
    Query(of): Query<Of>,
) -> Response {
    file(site, visitor, (number, of), |_, board| {
        Ok(Page::file("image/png", image::render(&picture(board)?, image::WIDTH)))
    })
    .await
}

/// Its record, by `docs/record.schema.json`.
pub(super) async fn record(State(site): State<Arc<Site>>, visitor: Visitor, Path(number): Path<u32>) -> Response {
    file(site, visitor, (number, Of { ply: None }), |visit, board| {
        match visit.ask(&format!("{} history {} --format=json", board.game, board.number))? {
            Ok(answer) => Ok(Page::file("application/json", visit.site.composer.answer(&answer)?)),
            Err(refused) => visit.refusal(&refused),
        }
    })
    .await
}

async fn file(
    site: Arc<Site>,
    visitor: Visitor,
    (number, of): (u32, Of),
    make: impl FnOnce(&mut Visit<'_>, &BoardView) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    let moment = of.ply.map(|ply| format!("#{ply}")).unwrap_or_default();
    at_desk(site, visitor, move |visit| match visit.ask(&format!("show {number}{moment}"))? {
        Ok(answer) => match answer.boards().first() {
            Some(board) => make(visit, board),
            None => visit.no(StatusCode::NOT_FOUND, &format!("Number {number} is an open challenge.")),
        },
        Err(refused) => visit.refusal(&refused),
    })
    .await
}
