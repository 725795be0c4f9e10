//! A position on a page, to solve by one move that is clicked or typed: lessons and puzzles.

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

/// The query of such a page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TryQuery {
    /// The cells of a move that is being picked.
    pick: String,
    /// A whole move.
    #[serde(rename = "move")]
    tried: String,
}

/// A position to solve.
pub(super) struct Exercise<'a> {
    pub(super) game: &'static dyn Game,
    /// The path of its page.
    pub(super) here: &'a str,
    /// The title of its picture.
    pub(super) title: &'a str,
    pub(super) goal: &'a Goal,
    pub(super) position: &'a dyn Play,
    /// The move that led to the position.
    pub(super) last: Option<&'a PlayedMove>,
    /// Whether the position stays open after a move that does not solve it. Otherwise, the page shows what the move does.
    pub(super) goes_on: bool,
}

/// What a page shows of an exercise.
pub(super) enum Shown {
    /// The facts for its template: the picture, and what is said of a move.
    Page(Value),
    /// The pick is this whole move, right or wrong.
    Picked(String),
}

impl Exercise<'_> {
    /// What a page of this query shows. When a move solves the exercise, `tried` is it and there is no `failure`.
    pub(super) fn shown(&self, request: &PageRequest<'_>, query: &TryQuery) -> anyhow::Result<Shown> {
        let (pick, tried) = (typed_move(&query.pick), typed_move(&query.tried));
        match (tried.as_str(), pick.as_str()) {
            ("", pick) => Ok(self.picking(request, pick)?.map_or_else(|| Shown::Picked(pick.to_owned()), Shown::Page)),
            (tried, _) => self.tried(request, tried).map(Shown::Page),
        }
    }

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
        Ok(Some(context! { svg, pick, whole, ..self.choice(clicks) }))
    }

    /// The position after a move, or before one that the rules refuse.
    pub(super) fn tried(&self, request: &PageRequest<'_>, text: &str) -> anyhow::Result<Value> {
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

    /// What a page needs for a move to be chosen.
    fn choice(&self, clicks: Clicks) -> Value {
        let notation = self.game.notation();
        let moves_pieces = clicks.moves_pieces(notation);
        context! { words => clicks.words, legal => clicks.moves, moves_pieces, separators => separators(notation) }
    }

    /// The position to solve, after a move that did not.
    fn again(&self, composer: &Composer, failure: Message) -> anyhow::Result<Value> {
        let clicks = Clicks::of(self.game.notation(), &self.position.legal_moves(), "");
        let svg = self.clickable(composer, &clicks, Vec::new())?;
        Ok(context! { svg, failure => Serde(failure), ..self.choice(clicks) })
    }

    /// The position with links.
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
