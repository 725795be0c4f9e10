//! Positions outside boards: the diagrams of the help, and lessons.

use anyhow::Context;

use super::composer::Composer;
use super::game_file::{Diagram, Lesson};
use crate::draw::ascii::{self, Style};
use crate::draw::layout::{Annotations, Clickable, lay_out};
use crate::draw::svg;
use crate::rules::{Game, Play, PlayedMove, Seat};
use crate::text::Message;

/// The drawing parameters of a position outside boards.
pub struct PositionPicture<'a> {
    /// The title of the picture, for readers who cannot see it.
    pub title: &'a str,
    /// A prefix that distinguishes it from other pictures on the page; may be empty.
    pub prefix: &'a str,
    /// The move that led to the position.
    pub last: Option<&'a PlayedMove>,
    /// The clickable cells.
    pub clickable: Option<Clickable<'a>>,
}

impl Composer {
    /// Returns the lessons of a game, in order.
    ///
    /// # Errors
    /// If the file of the game cannot be read.
    pub fn lessons(&self, game: &dyn Game) -> anyhow::Result<Vec<Lesson>> {
        Ok(self.templates.game_file(game.name())?.lessons)
    }

    /// Draws a position outside boards as SVG.
    ///
    /// # Errors
    /// If a message cannot be put into words.
    pub fn position_svg(&self, position: &dyn Play, how: &PositionPicture<'_>) -> anyhow::Result<String> {
        let side = |seat: Seat| anyhow::Ok((position.mark(seat), self.message(&position.side(seat))?));
        let sides = [side(Seat::First)?, side(Seat::Second)?];
        let captured = how.last.map_or(&[][..], |last| &last.effects.captured);
        let annotations = Annotations { title: how.title, sides, captured, clickable: how.clickable };
        let picture = lay_out(&position.scene(), &annotations, &|message: &Message| self.message(message))?;
        Ok(svg::write(&if how.prefix.is_empty() { picture } else { picture.beside_others(how.prefix) }))
    }

    /// Draws a diagram as SVG.
    pub(crate) fn diagram_svg(&self, game: &dyn Game, diagram: &Diagram) -> anyhow::Result<String> {
        let (position, last) = played(game, diagram)?;
        let (title, prefix) = (&diagram.caption, &diagram.name);
        self.position_svg(&*position, &PositionPicture { title, prefix, last: last.as_ref(), clickable: None })
    }

    /// Draws a diagram in characters: only the pieces, without marks for the last move.
    pub(crate) fn diagram_text(&self, game: &dyn Game, diagram: &Diagram) -> anyhow::Result<String> {
        let mut scene = played(game, diagram)?.0.scene();
        scene.cells.iter_mut().for_each(|cell| cell.last = false);
        scene.winning.clear();
        ascii::draw(&scene, Style::Plain, &|message: &Message| self.message(message))
    }
}

fn played(game: &dyn Game, diagram: &Diagram) -> anyhow::Result<(Box<dyn Play>, Option<PlayedMove>)> {
    diagram.setup.play(game).with_context(|| format!("diagram {} of {}", diagram.name, game.name()))
}
