//! Exercises: positions to solve with one clicked or typed move, for lessons and puzzles.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board::typed_move;
use super::clicks::{Clicks, separators};
use super::page_request::PageRequest;
use crate::compose::{Composer, PositionPicture};
use crate::draw::layout::Clickable;
use crate::rules::lesson::{Goal, attempt};
use crate::rules::{Game, Play, PlayedMove};
use crate::text::Message;

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

/// An exercise.
pub(crate) struct Exercise<'a> {
    pub(crate) game: &'static dyn Game,
    /// The path of the page.
    pub(crate) here: &'a str,
    /// The title of the picture.
    pub(crate) title: &'a str,
    pub(crate) goal: &'a Goal,
    pub(crate) position: &'a dyn Play,
    /// The move before the position.
    pub(crate) last: Option<&'a PlayedMove>,
    /// Whether the player can try again after a wrong move. Otherwise, the page shows the effect of the move.
    pub(crate) goes_on: bool,
}

/// The page of an exercise.
pub(crate) enum Shown {
    /// The facts for the template: the picture, and the comment on a move.
    Page(Value),
    /// The pick is this complete move, right or wrong.
    Picked(String),
}

impl Exercise<'_> {
    /// Processes the query. If a move solves the exercise, the facts have it as `tried`, and they have no `failure`.
    pub(crate) fn shown(&self, request: &PageRequest<'_>, query: &TryQuery) -> anyhow::Result<Shown> {
        let (pick, tried) = (typed_move(&query.pick), typed_move(&query.tried));
        match (tried.as_str(), pick.as_str()) {
            ("", pick) => Ok(self.picking(request, pick)?.map_or_else(|| Shown::Picked(pick.to_owned()), Shown::Page)),
            (tried, _) => self.tried(request, tried).map(Shown::Page),
        }
    }

    /// Shows the position with the picked cells; returns `None` if the pick is a complete move, right or wrong.
    fn picking(&self, request: &PageRequest<'_>, pick: &str) -> anyhow::Result<Option<Value>> {
        let clicks = Clicks::of(self.game.notation(), &self.position.move_list(), pick);
        if !pick.is_empty() && !clicks.goes_on {
            return Ok(None);
        }
        let whole = self.position.boxed_clone().play(pick).ok().map(|played| played.text);
        let picked = self.game.notation().cells(pick).into_iter().map(str::to_owned).collect();
        let svg = self.clickable(&request.site.composer, &clicks, picked)?;
        Ok(Some(context! { svg, pick, whole, ..self.choice(clicks) }))
    }

    /// Shows the position after a move, or the unchanged position if the move is illegal.
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
        let tried = attempt.played.text;
        Ok(match attempt.failure {
            None => context! { svg, tried },
            Some(failure) => context! { svg, tried, failure => Serde::<Message>(failure) },
        })
    }

    /// Returns the facts for choosing a move.
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
        Ok(context! { svg, failure => Serde(failure), ..self.choice(clicks) })
    }

    /// Draws the position with links.
    fn clickable(&self, composer: &Composer, clicks: &Clicks, picked: Vec<String>) -> anyhow::Result<Value> {
        let link = |(cell, pick): (&String, &String)| (cell.clone(), format!("{}?pick={pick}", self.here));
        let links: BTreeMap<String, String> = clicks.cells.iter().map(link).collect();
        let clickable = Clickable { links: &links, picked: &picked, targets: &clicks.targets, named: &clicks.named };
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
