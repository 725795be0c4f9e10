//! The page of a board: the current position, earlier ones, and analysis with tried moves.
//!
//! The path contains the position, for example `/boards/12/30/f3/k4,k5` for ply 30 and two tried moves. Players can
//! therefore share a position, and the links on the page are short. The query contains a partly picked move
//! (`?pick=e1`).

use std::collections::BTreeMap;
use std::ops::Range;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::charts;
use super::clicks::{Clicks, separators};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Query};
use crate::command::{BoardPosition, Command, ParsedLine, typed_move as plain_move};
use crate::compose::{Composer, Shown};
use crate::draw::layout::Clickable;
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::{Game, Notation, catalogue};
use crate::service::{self, BoardAnalysis, EntryView, Exploration, ExploreQuery, Rejection};

/// The maximum number of moves in a line of tried moves.
const MAX_LINE: usize = 100;

/// The query of a board's page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PickQuery {
    /// The cells picked so far for a move.
    pick: String,
}

impl PickQuery {
    fn pick(&self) -> Option<String> {
        Some(typed_move(&self.pick)).filter(|pick| !pick.is_empty())
    }
}

/// A rejected action.
pub(crate) struct FailedAction<'a> {
    /// The reason for the rejection.
    pub(crate) rejection: &'a Rejection,
    /// The posted form. The page shows the form again with the same texts in its fields.
    pub(crate) fields: &'a Fields,
}

/// `GET /boards/N`: the current position.
pub(crate) fn now(request: &mut PageRequest<'_>, number: BoardNumber, query: &PickQuery) -> PageResult {
    let query = ExploreQuery { number, pick: query.pick(), ..ExploreQuery::default() };
    board_page(request, &query, None)
}

/// `GET /boards/N/`
pub(crate) async fn without_slash(Path(number): Path<BoardNumber>) -> Response {
    Page::redirect(&format!("/boards/{number}")).into_response()
}

/// `GET /boards/N/PLY`: the position after a ply.
pub(crate) fn at_ply(
    request: &mut PageRequest<'_>,
    (Path((number, ply)), Query(query)): (Path<(BoardNumber, Ply)>, Query<PickQuery>),
) -> PageResult {
    let query = ExploreQuery { number, ply: Some(ply), pick: query.pick(), ..ExploreQuery::default() };
    board_page(request, &query, None)
}

/// `GET /boards/N/PLY/MOVE/…`: the position after a ply and tried moves.
pub(crate) fn at_line(
    request: &mut PageRequest<'_>,
    (Path((number, ply, line)), Query(query)): (Path<(BoardNumber, Ply, String)>, Query<PickQuery>),
) -> PageResult {
    let line: Vec<String> = line.split('/').filter(|text| !text.is_empty()).map(typed_move).collect();
    let query = ExploreQuery { number, ply: Some(ply), line, pick: query.pick() };
    match query.line.len() {
        ..=MAX_LINE => board_page(request, &query, None),
        _ => request.message_page(StatusCode::NOT_FOUND, message!("web.too-many-tried-moves", most = MAX_LINE)),
    }
}

/// Normalizes a move that a player typed.
pub(crate) fn typed_move(text: &str) -> String {
    plain_move(text).to_lowercase()
}

/// The maximum number of moves that a page lists. Each costs 45 bytes.
const MOST_LISTED: usize = 200;

/// Makes the page of a board, or of an open challenge.
// Long, because it collects everything that the page shows.
pub(crate) fn board_page(
    request: &mut PageRequest<'_>,
    query: &ExploreQuery,
    failed: Option<FailedAction<'_>>,
) -> PageResult {
    let (number, from) = (query.number, request.origin());
    if request.read(|service, tx| service.shows_open_challenge(tx, &from, number))? {
        let answer = request.run_line(&format!("show {number}"), None)?;
        let error = failed.map(|failed| Serde(failed.rejection.message.clone()));
        let origin = request.address();
        return request.answer_page("offer", context! { error, origin }, answer);
    }
    let line = ParsedLine::of(Command::ShowBoards {
        boards: vec![BoardPosition { board: number, ply: query.ply }],
        plain: false,
    });
    let asked = service::Request { line, from: request.origin(), comment: None, client: None, now: request.now };
    let player = request.player.clone();
    let seen = request.read(|service, tx| {
        let exploration = match service.explore(tx, &asked, query, player.as_ref())? {
            Ok(exploration) => exploration,
            Err(rejection) => return Ok(Err(rejection)),
        };
        // Only finished boards have an analysis.
        let known = service.board_analysis(tx, &asked, number)?.ok();
        let to_see = match player.as_ref().filter(|_| query.ply.is_none()) {
            Some(player) => service.notices_to_see(tx, player.id, number, asked.now)?,
            None => Vec::new(),
        };
        Ok(Ok((exploration, known, service.change_of_board(tx, number)?, to_see)))
    })?;
    let (mut exploration, known, change, to_see) = match seen {
        Ok(seen) => seen,
        Err(rejection) => return request.rejection_page(rejection),
    };
    if !to_see.is_empty() && !request.site.host.is_read_only() {
        request.write(|service, tx| service.forget_seen(tx, &to_see))?;
    }
    request.site.composer.draw(&mut exploration.board, Shown::Sentences)?;
    let position = ShownPosition::of(query, &exploration);
    // After a rejected move, do not redirect, because this page shows the reason.
    if let (Some(next), None) = (position.completed_by_one_click(), &failed) {
        return Ok(Page::redirect(&next));
    }
    let status = if failed.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let svg = position.draw(&request.site.composer)?;
    let analysis = known.map(|known| position.analysis(&request.site.composer, &known)).transpose()?;
    let levels = exploration.scene.cells.last().map_or(0, |cell| cell.level + 1);
    let facts = context! {
        levels,
        analysis,
        svg => Value::from_safe_string(svg),
        change,
        role => Serde(exploration.role.clone()),
        next_board => next_board(request, number),
        failed => failed.as_ref().map(|failed| Serde(failed.rejection.clone())),
        typed => typed(failed.map_or(&Fields::default(), |failed| failed.fields)),
        ..position.facts()
    };
    request.page_with(status, "board", facts)
}

/// Returns the next board on which it is the player's turn. After the board with the highest number, this is the one
/// with the lowest number.
fn next_board(request: &PageRequest<'_>, number: BoardNumber) -> Option<u32> {
    let others = || request.waiting.iter().filter(|waiting| **waiting != number);
    others().find(|waiting| **waiting > number).or_else(|| others().next()).map(|next| next.0)
}

/// Returns the text in each field of an action's form, to fill the form in again. Missing fields are empty.
fn typed(fields: &Fields) -> BTreeMap<String, String> {
    ["do", "say", "plan", "move"].into_iter().map(|name| (name.to_owned(), fields.get(name).to_owned())).collect()
}

/// The position that a board's page shows.
struct ShownPosition<'a> {
    query: &'a ExploreQuery,
    exploration: &'a Exploration,
    /// The notation of the board's game.
    notation: Notation,
    clicks: Clicks,
    /// The cells picked so far; empty if no move is being picked.
    pick: &'a str,
    /// Whether tried moves start at the current position.
    present: bool,
    /// Whether the viewer can send the picked move to the opponent: it is their turn, and the page shows the current
    /// position without tried moves.
    sends: bool,
    /// The path of the position where tried moves start.
    base_path: String,
}

impl<'a> ShownPosition<'a> {
    fn of(query: &'a ExploreQuery, exploration: &'a Exploration) -> ShownPosition<'a> {
        let pick = query.pick.as_deref().unwrap_or_default();
        let present = exploration.base.0 as usize == exploration.moves.len();
        let game = catalogue::find(&exploration.board.game);
        let notation = game.map(Game::notation).unwrap_or_default();
        ShownPosition {
            query,
            exploration,
            notation,
            clicks: Clicks::of(notation, &exploration.legal, pick),
            pick,
            present,
            sends: present && query.line.is_empty() && exploration.role.turn,
            base_path: format!("/boards/{}/{}", query.number, exploration.base),
        }
    }

    /// Returns whether the page has buttons for moves without a cell, such as `swap`. In the current position, only the
    /// player to move gets these buttons.
    fn offers_words(&self) -> bool {
        self.sends || !self.present || !self.query.line.is_empty()
    }

    /// Returns the path of the position after the first `tried` moves of the tried line.
    fn path(&self, tried: usize) -> String {
        let moves = self.query.line[..tried].iter();
        moves.fold(self.base_path.clone(), |path, text| path + "/" + text)
    }

    fn here(&self) -> String {
        self.path(self.query.line.len())
    }

    /// Returns the path of the position after the picked move if the move is legal.
    fn after_pick(&self) -> Option<String> {
        self.exploration.picked.as_ref().map(|picked| format!("{}/{}", self.here(), picked.text))
    }

    /// Returns the path of the position after the picked move, if the page must redirect to it: the move is tried and
    /// not sent, it is complete, and a click cannot continue it.
    fn completed_by_one_click(&self) -> Option<String> {
        self.after_pick().filter(|_| !self.sends && !self.clicks.goes_on)
    }

    /// Returns the tried moves as entries.
    fn tried(&self) -> impl Iterator<Item = &'a EntryView> {
        let board = &self.exploration.board;
        board.moves.iter().skip(self.exploration.base.0 as usize).take(self.query.line.len())
    }

    /// Returns the path of the previous position.
    fn previous(&self) -> Option<String> {
        match (self.query.line.len(), self.exploration.base) {
            (0, Ply::START) => None,
            (0, base) => Some(format!("/boards/{}/{}", self.query.number, base.previous())),
            (length, _) => Some(self.path(length - 1)),
        }
    }

    /// Returns the path of the next position in the record.
    fn next(&self) -> Option<String> {
        let has_next = self.query.line.is_empty() && !self.present;
        has_next.then(|| format!("/boards/{}/{}", self.query.number, self.exploration.base.next()))
    }

    /// Returns the tried moves if the viewer can prepare replies from them. The line must start at the current
    /// position, and the viewer and the opponent must move alternately. On the viewer's turn, the first move must be
    /// the viewer's own.
    fn reply_line(&self) -> Option<Vec<String>> {
        let role = &self.exploration.role;
        let mut opponents_turn = !role.turn;
        for entry in self.tried() {
            if (entry.userid.as_deref() == Some(&role.opponent)) != opponents_turn || entry.effects.passed_over {
                return None;
            }
            opponents_turn = !opponents_turn;
        }
        let enough = self.query.line.len() >= if role.turn { 1 } else { 2 };
        let prepares = self.present && role.plays && !role.alone && enough;
        prepares.then(|| self.tried().map(|entry| entry.text.clone()).collect())
    }

    /// Returns the range of the moves that the page lists: those closest to the shown position.
    fn listed(&self) -> Range<usize> {
        let (base, length) = (self.exploration.base.0 as usize, self.exploration.moves.len());
        let end = (base + MOST_LISTED / 2).max(MOST_LISTED).min(length);
        end.saturating_sub(MOST_LISTED)..end
    }

    /// Returns facts about a finished board's analysis for the template. Without an analysis, there is no chart.
    fn analysis(&self, composer: &Composer, known: &BoardAnalysis) -> anyhow::Result<Value> {
        let title = composer.curve_title(known)?;
        let Exploration { moves, base, .. } = self.exploration;
        let chart = charts::chances(known, &title, moves, base.0 as usize, self.listed());
        Ok(context! { chart, known => Serde(known.clone()) })
    }

    fn facts(&self) -> Value {
        let seen = self.exploration;
        let listed = self.listed();
        let tried = self.tried().enumerate().map(|(i, entry)| {
            context! { entry => Serde(entry), path => self.path(i + 1) }
        });
        let tried: Vec<Value> = tried.collect();
        let wrong = seen.refusal.as_ref().filter(|_| !self.clicks.goes_on);
        let wrong = wrong.map(|why| context! { message => Serde(why.message.clone()), nearest => why.nearest.clone() });
        context! {
            board => Serde(seen.board.clone()),
            moves => Serde(seen.moves[listed.clone()].to_vec()),
            first_listed => listed.start + 1,
            later_moves => (listed.end < seen.moves.len()).then_some(listed.end + 1),
            light => seen.scene.light.to_string(),
            base => seen.base.0,
            present => self.present,
            tried,
            here => self.here(),
            previous => self.previous(),
            next => self.next(),
            pick => self.pick,
            wrong,
            whole => seen.picked.as_ref().map(|picked| picked.text.clone()),
            picked => Serde(seen.picked.clone()),
            after_pick => self.after_pick(),
            words => if self.offers_words() { self.clicks.words.clone() } else { Vec::new() },
            legal => self.clicks.moves.clone(),
            most => self.clicks.most,
            separators => separators(self.notation),
            moves_pieces => self.clicks.moves_pieces(self.notation),
            sends => self.sends,
            to_move => seen.to_move.clone(),
            reply_line => self.reply_line(),
            standings => Serde(seen.standings.clone()),
            achievement => seen.achievement.clone().map(Serde),
            failure => seen.failure.clone().map(Serde),
            private_chat => seen.private_chat,
            rematch => seen.rematch.map(|rematch| rematch.0),
        }
    }

    fn draw(&self, composer: &Composer) -> anyhow::Result<String> {
        let board = &self.exploration.board;
        let link = |(cell, pick): (&String, &String)| (cell.clone(), format!("?pick={pick}"));
        let links: BTreeMap<String, String> = self.clicks.cells.iter().map(link).collect();
        // Do not mark the picked cells if no legal move begins with them.
        let is_whole = self.exploration.picked.is_some();
        let marked = self.clicks.goes_on || is_whole;
        let picked = self.notation.cells(self.pick).into_iter().filter(|_| marked);
        let picked: Vec<String> = picked.map(str::to_owned).collect();
        let Clicks { targets, named, .. } = &self.clicks;
        let clickable = Clickable { links: &links, picked: &picked, is_whole, targets, named };
        composer.clickable_svg(board, &self.exploration.scene, clickable)
    }
}
