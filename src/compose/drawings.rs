//! A cache of boards in characters or sentences, shared by all their readers.

use std::sync::Arc;

use super::reader::Shown;
use crate::draw::ascii::Style;
use crate::recent::Recent;
use crate::service::{BoardDrawing, BoardView};

/// The most recent drawings. The cache is larger than the number of boards in one batch of letters before the next
/// reader of the same board.
#[derive(Default)]
pub(crate) struct Drawings(Recent<Arc<Kept>, 64>);

/// The inputs of a drawing. The position of a view can be derived from them.
struct Kept {
    game: String,
    options: String,
    moves: Vec<String>,
    style: Style,
    shown: Shown,
    drawing: BoardDrawing,
}

impl Drawings {
    /// Returns the cached drawing of a board, or the result of `draw`.
    pub(crate) fn get(
        &self,
        board: &mut BoardView,
        style: Style,
        shown: Shown,
        draw: impl FnOnce(&mut BoardView) -> anyhow::Result<BoardDrawing>,
    ) -> anyhow::Result<BoardDrawing> {
        if let Some(kept) = self.0.find(|kept| kept.shows(board, style, shown)) {
            return Ok(kept.drawing.clone());
        }
        let drawing = draw(board)?;
        let moves = board.moves.iter().map(|entry| entry.text.clone()).collect();
        let (game, options) = (board.game.clone(), board.options.clone());
        self.0.keep(Arc::new(Kept { game, options, moves, style, shown, drawing: drawing.clone() }));
        Ok(drawing)
    }
}

impl Kept {
    fn shows(&self, board: &BoardView, style: Style, shown: Shown) -> bool {
        let Kept { game, options, moves, .. } = self;
        // Boards differ more often in their last moves than in their first.
        let texts = board.moves.iter().rev().map(|entry| &entry.text);
        (self.style, self.shown) == (style, shown)
            && moves.len() == board.moves.len()
            && moves.iter().rev().eq(texts)
            && *game == board.game
            && *options == board.options
    }
}
