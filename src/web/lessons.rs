//! Exercises: positions to solve with one clicked or typed move. Lessons need no login and change nothing.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board::typed_move;
use super::clicks::{Clicks, separators};
use super::page::{Page, PageResult};
use super::page_request::{PageRequest, Path, Query};
use crate::compose::{Composer, Lesson, PositionPicture};
use crate::draw::layout::Clickable;
use crate::rules::lesson::{Goal, attempt};
use crate::rules::{Game, Kind, Play, PlayedMove, catalogue};
use crate::text::Message;

/// `GET /learn`: the lessons of all games.
pub(crate) fn all(request: &mut PageRequest<'_>) -> PageResult {
    let composer = &request.site.composer;
    let lessons = catalogue::GAMES.iter().map(|game| {
        let titles = composer.lessons(*game)?.into_iter().map(|lesson| lesson.title);
        anyhow::Ok(context! { game => game_facts(*game), titles => titles.collect::<Vec<_>>() })
    });
    let games = lessons.collect::<anyhow::Result<Vec<_>>>()?;
    request.page("learn", context! { games })
}

/// `GET /learn/GAME`: the first lesson of a game.
pub(crate) fn first(request: &mut PageRequest<'_>, Path(name): Path<String>) -> PageResult {
    match catalogue::find(&name) {
        Some(game) => Ok(Page::redirect(&format!("/learn/{}/1", game.name()))),
        None => request.not_found(),
    }
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
pub(crate) fn lesson(
    request: &mut PageRequest<'_>,
    (Path((name, number)), Query(query)): (Path<(String, usize)>, Query<TryQuery>),
) -> PageResult {
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
}

pub(crate) fn all_games() -> Vec<Value> {
    catalogue::GAMES.iter().map(|game| game_facts(*game)).collect()
}

/// Lists all games, grouped by kind.
pub(crate) fn games_by_kind() -> Vec<Value> {
    let kind = |kind: Kind| {
        let games = catalogue::GAMES.iter().filter(|game| game.kind() == kind);
        context! { title => Serde(kind.title()), games => games.map(|game| game_facts(*game)).collect::<Vec<_>>() }
    };
    Kind::ALL.map(kind).into()
}

/// Returns the facts about a game that templates show.
pub(crate) fn game_facts(game: &dyn Game) -> Value {
    let about = Serde(game.about());
    context! { name => game.name(), title => game.title(), designer => game.designer(), about }
}

/// The query of an exercise.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TryQuery {
    /// The cells picked so far for a move.
    pick: String,
    /// A complete move.
    #[serde(rename = "move")]
    tried: String,
}

pub(crate) struct Exercise<'a> {
    pub(crate) game: &'static dyn Game,
    /// The path of the page.
    pub(crate) here: &'a str,
    /// The title of the picture.
    pub(crate) title: &'a str,
    pub(crate) goal: &'a Goal,
    pub(crate) position: &'a dyn Play,
    /// The move that led to the position.
    pub(crate) last: Option<&'a PlayedMove>,
    /// Whether the player can try again after a wrong move. If not, the page shows the effect of the wrong move.
    pub(crate) goes_on: bool,
}

/// The page of an exercise.
pub(crate) enum Shown {
    /// The facts for the template: the picture, and a comment if the player has moved.
    Page(Value),
    /// No click can continue this pick, so it must be tried as a move, which may be right, wrong or illegal.
    Picked(String),
}

impl Exercise<'_> {
    /// Processes the query. If a move solves the exercise, the facts contain it as `tried`, and do not contain
    /// `failure`.
    pub(crate) fn shown(&self, request: &PageRequest<'_>, query: &TryQuery) -> anyhow::Result<Shown> {
        let (pick, tried) = (typed_move(&query.pick), typed_move(&query.tried));
        match (tried.as_str(), pick.as_str()) {
            ("", pick) => Ok(self.picking(request, pick)?.map_or_else(|| Shown::Picked(pick.to_owned()), Shown::Page)),
            (tried, _) => self.tried(request, tried).map(Shown::Page),
        }
    }

    /// Shows the position with the picked cells. Returns `None` if no click can continue the pick, so that it must be
    /// tried as a move.
    fn picking(&self, request: &PageRequest<'_>, pick: &str) -> anyhow::Result<Option<Value>> {
        let clicks = Clicks::of(self.game.notation(), &self.position.move_list(), pick);
        if !pick.is_empty() && !clicks.goes_on {
            return Ok(None);
        }
        let whole = self.position.boxed_clone().play(pick).ok().map(|played| played.text);
        let picked = self.game.notation().cells(pick).into_iter().map(str::to_owned).collect();
        let composer = &request.site.composer;
        let svg = self.clickable(composer, &clicks, picked)?;
        let sentences = composer.position_in_sentences(self.position)?;
        Ok(Some(context! { svg, sentences, pick, whole, ..self.choice(clicks) }))
    }

    /// Shows the position after a move. Shows the position unchanged if the move is illegal, or if it is wrong and the
    /// player can try again.
    pub(crate) fn tried(&self, request: &PageRequest<'_>, text: &str) -> anyhow::Result<Value> {
        let composer = &request.site.composer;
        let attempt = match attempt(self.position, self.goal, text) {
            Ok(attempt) => attempt,
            Err(refusal) => return self.again(composer, refusal.whole_message()),
        };
        if let (true, Some(failure)) = (self.goes_on, &attempt.failure) {
            return self.again(composer, failure.clone());
        }
        let last = attempt.reply.as_ref().unwrap_or(&attempt.played);
        let svg = self.picture(composer, &*attempt.after, Some(last), None)?;
        let sentences = composer.position_in_sentences(&*attempt.after)?;
        let tried = attempt.played.text;
        Ok(match attempt.failure {
            None => context! { svg, sentences, tried },
            Some(failure) => context! { svg, sentences, tried, failure => Serde::<Message>(failure) },
        })
    }

    /// Returns the facts with which the template lets the player choose a move.
    fn choice(&self, clicks: Clicks) -> Value {
        let notation = self.game.notation();
        let moves_pieces = clicks.moves_pieces(notation);
        let Clicks { words, moves, most, .. } = clicks;
        context! { words, legal => moves, most, moves_pieces, separators => separators(notation) }
    }

    /// Shows the position again after a wrong move.
    fn again(&self, composer: &Composer, failure: Message) -> anyhow::Result<Value> {
        let clicks = Clicks::of(self.game.notation(), &self.position.move_list(), "");
        let svg = self.clickable(composer, &clicks, Vec::new())?;
        let sentences = composer.position_in_sentences(self.position)?;
        Ok(context! { svg, sentences, failure => Serde(failure), ..self.choice(clicks) })
    }

    /// Draws the position with links.
    fn clickable(&self, composer: &Composer, clicks: &Clicks, picked: Vec<String>) -> anyhow::Result<Value> {
        let link = |(cell, pick): (&String, &String)| (cell.clone(), format!("{}?pick={pick}", self.here));
        let links: BTreeMap<String, String> = clicks.cells.iter().map(link).collect();
        let Clicks { targets, named, .. } = clicks;
        let clickable = Clickable { links: &links, picked: &picked, is_whole: false, targets, named };
        self.picture(composer, self.position, self.last, Some(clickable))
    }

    fn picture(
        &self,
        composer: &Composer,
        position: &dyn Play,
        last: Option<&PlayedMove>,
        clickable: Option<Clickable<'_>>,
    ) -> anyhow::Result<Value> {
        let how = PositionPicture { title: self.title, prefix: "", last, clickable };
        Ok(Value::from_safe_string(composer.position_svg(position, &how)?))
    }
}
