//! Lessons for beginners: positions to solve with one move. They need no login and change nothing.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::exercise::{Exercise, Shown, TryQuery};
use super::extract::{Path, Query};
use super::game_facts::game_facts;
use super::page::Page;
use super::page_request::{PageRequest, Requester, respond};
use super::site::Site;
use crate::compose::Lesson;
use crate::rules::catalogue;

/// `GET /learn`: the lessons of all games.
pub(crate) async fn all(State(site): State<Arc<Site>>, requester: Requester) -> Response {
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
pub(crate) async fn first(State(site): State<Arc<Site>>, requester: Requester, Path(name): Path<String>) -> Response {
    respond(site, requester, move |request| match catalogue::find(&name) {
        Some(game) => Ok(Page::redirect(&format!("/learn/{}/1", game.name()))),
        None => request.not_found(),
    })
    .await
}

/// Returns the first lesson of the first game, for the home page.
pub(crate) fn taste(request: &PageRequest<'_>) -> anyhow::Result<Option<Value>> {
    let game = catalogue::GAMES[0];
    let lessons = request.site.composer.lessons(game)?;
    let Some(lesson) = lessons.first() else { return Ok(None) };
    let (position, last) = lesson.setup.play(game)?;
    let Lesson { title, goal, task, .. } = lesson;
    let here = format!("/learn/{}/1", game.name());
    let exercise =
        Exercise { game, here: &here, title, goal, position: &*position, last: last.as_ref(), goes_on: false };
    let Shown::Page(facts) = exercise.shown(request, &TryQuery::default())? else { return Ok(None) };
    Ok(Some(context! { game => game_facts(game), task, ..facts }))
}

/// `GET /learn/GAME/NUMBER`: a lesson, and the effect of a move in it.
pub(crate) async fn lesson(
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
        let Lesson { title, goal, task, hint, solved, .. } = lesson;
        let here = format!("/learn/{}/{number}", game.name());
        let exercise =
            Exercise { game, here: &here, title, goal, position: &*position, last: last.as_ref(), goes_on: false };
        let facts = match exercise.shown(request, &query)? {
            Shown::Page(facts) => facts,
            Shown::Picked(pick) => return Ok(Page::redirect(&format!("{here}?move={pick}"))),
        };
        let titles: Vec<String> = lessons.iter().map(|lesson| lesson.title.clone()).collect();
        let side = position.to_move().map(|seat| Serde(position.side(seat)));
        let own = context! { game => game_facts(game), here, number, titles, side, title, task, hint, solved };
        request.page("lesson", context! { ..own, ..facts })
    })
    .await
}
