//! The first lessons of a game: positions to solve by one move. They need no login and change nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board::typed_move;
use super::clicks::Clicks;
use super::extract::{Path, Query};
use super::game_facts::game_facts;
use super::page::Page;
use super::page_request::{PageRequest, Requester, respond};
use super::site::Site;
use crate::compose::{Composer, Lesson, PositionPicture};
use crate::draw::layout::Clickable;
use crate::rules::lesson::attempt;
use crate::rules::{Game, Play, PlayedMove, catalogue};
use crate::text::Message;

/// The query of a lesson.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TryQuery {
    /// The cells of a move that is being picked.
    pick: String,
    /// A whole move.
    #[serde(rename = "move")]
    tried: String,
}

/// `GET /learn`: the lessons of all games.
pub(super) async fn all(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| {
        let composer = &request.site.composer;
        let lessons = catalogue::GAMES.iter().map(|game| {
            let titles = composer.lessons(*game)?.into_iter().map(|lesson| lesson.title);
            anyhow::Ok(context! { game => game_facts(*game), titles => titles.collect::<Vec<_>>() })
        });
        let games = lessons.collect::<anyhow::Result<Vec<_>>>()?;
        request.page("learn", context! { games })
    })
    .await
}

/// `GET /learn/GAME`: the first lesson of a game.
pub(super) async fn first(State(site): State<Arc<Site>>, requester: Requester, Path(name): Path<String>) -> Response {
    respond(site, requester, move |request| match catalogue::find(&name) {
        Some(game) => Ok(Page::redirect(&format!("/learn/{}/1", game.name()))),
        None => request.not_found(),
    })
    .await
}

/// `GET /learn/GAME/NUMBER`: a lesson, and what a move does there.
pub(super) async fn lesson(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path((name, number)): Path<(String, usize)>,
    Query(query): Query<TryQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        let lessons = request.site.composer.lessons(game)?;
        let Some(lesson) = number.checked_sub(1).and_then(|index| lessons.get(index)) else {
            return request.not_found();
        };
        let (position, last) = lesson.setup.play(game)?;
        let shown = Shown { game, lesson, position: &*position, last };
        let (pick, tried) = (typed_move(&query.pick), typed_move(&query.tried));
        let facts = match (tried.as_str(), pick.as_str()) {
            ("", pick) => match shown.picking(request, pick)? {
                Some(facts) => facts,
                None => return Ok(Page::redirect(&format!("/learn/{}/{number}?move={pick}", game.name()))),
            },
            (tried, _) => shown.tried(request, tried)?,
        };
        let titles: Vec<String> = lessons.iter().map(|lesson| lesson.title.clone()).collect();
        let Lesson { title, task, hint, .. } = lesson.clone();
        let side = position.to_move().map(|seat| Serde(position.side(seat)));
        let own = context! {
            game => game_facts(game), number, titles, side, title, task, hint
        };
        request.page("lesson", context! { ..own, ..facts })
    })
    .await
}

/// A lesson and its position.
struct Shown<'a> {
    game: &'static dyn Game,
    lesson: &'a Lesson,
    position: &'a dyn Play,
    /// The move that led to the position.
    last: Option<PlayedMove>,
}

impl Shown<'_> {
    /// The position with the cells of a move picked; none when the pick is a whole move, right or wrong.
    fn picking(&self, request: &PageRequest<'_>, pick: &str) -> anyhow::Result<Option<Value>> {
        let legal = self.position.legal_moves();
        let clicks = Clicks::of(self.game.notation(), &legal, pick);
        if !pick.is_empty() && !clicks.goes_on {
            return Ok(None);
        }
        let whole = legal.iter().find(|text| *text == pick);
        let picked = self.game.notation().cells(pick).into_iter().map(str::to_owned).collect();
        let svg = self.clickable(&request.site.composer, &clicks, picked)?;
        Ok(Some(context! { svg, pick, whole, words => clicks.words }))
    }

    /// The position after a move, or before one that the rules refuse.
    fn tried(&self, request: &PageRequest<'_>, text: &str) -> anyhow::Result<Value> {
        let composer = &request.site.composer;
        let attempt = match attempt(self.position, &self.lesson.goal, text) {
            Ok(attempt) => attempt,
            Err(refusal) => {
                let clicks = Clicks::of(self.game.notation(), &self.position.legal_moves(), "");
                let svg = self.clickable(composer, &clicks, Vec::new())?;
                return Ok(context! { svg, failure => Serde(refusal.whole_message()), words => clicks.words });
            }
        };
        let last = attempt.reply.as_ref().unwrap_or(&attempt.played);
        let svg = picture(composer, self.lesson, &*attempt.after, Some(last), None)?;
        let solved = attempt.failure.is_none().then(|| self.lesson.solved.clone());
        Ok(context! { svg, tried => attempt.played.text, solved, failure => attempt.failure.map(Serde::<Message>) })
    }

    /// The position with links.
    fn clickable(&self, composer: &Composer, clicks: &Clicks, picked: Vec<String>) -> anyhow::Result<Value> {
        let link = |(cell, pick): (&String, &String)| (cell.clone(), format!("?pick={pick}"));
        let links: BTreeMap<String, String> = clicks.cells.iter().map(link).collect();
        let clickable = Clickable { links: &links, picked: &picked, targets: &clicks.targets };
        picture(composer, self.lesson, self.position, self.last.as_ref(), Some(clickable))
    }
}

fn picture(
    composer: &Composer,
    lesson: &Lesson,
    position: &dyn Play,
    last: Option<&PlayedMove>,
    clickable: Option<Clickable<'_>>,
) -> anyhow::Result<Value> {
    let how = PositionPicture { title: &lesson.title, prefix: "", last, clickable };
    Ok(Value::from_safe_string(composer.position_svg(position, &how)?))
}
