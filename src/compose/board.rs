//! Drawing boards for readers: the position of a view as characters, in sentences and as a picture.

use std::collections::BTreeMap;

use crate::draw::ascii::{self, Style};
use crate::draw::sentences::sentences;
use crate::draw::svg;
use crate::rules::Seat;
use crate::service::{BoardDrawing, BoardView};

/// Draws a board, unless it is drawn already.
///
/// # Errors
/// The moves of a stored view do not replay.
pub fn draw(board: &mut BoardView) -> anyhow::Result<()> {
    if board.drawn.is_some() {
        return Ok(());
    }
    let style = if std::mem::take(&mut board.plain) { Style::Plain } else { Style::Named };
    let position = board.position()?;
    let scene = position.scene();
    let mut legal = position.legal_moves();
    // Out of the middle: the first moves are a corner of the board, or a swap of sides.
    let example = (!legal.is_empty()).then(|| legal.swap_remove(legal.len() / 2));
    let sides = Seat::BOTH.map(|seat| (position.mark(seat), position.side(seat).to_owned()));
    board.drawn = Some(BoardDrawing {
        example,
        pieces: position.pieces(),
        drawing: ascii::draw(&scene, style),
        sentences: sentences(&scene, &sides),
    });
    Ok(())
}

/// A board as SVG.
///
/// # Errors
/// The moves of a stored view do not replay.
pub fn picture(board: &BoardView) -> anyhow::Result<String> {
    let title = title(board);
    let captured = board.moves.last().map(|last| last.captured.clone()).unwrap_or_default();
    let mut replayed = board.clone();
    let scene = replayed.position()?.scene();
    let side = |i: usize| (board.seats[i].mark, board.seats[i].side.as_str());
    let look = svg::Look {
        title: &title,
        sides: [side(0), side(1)],
        captured: &captured,
        links: &BTreeMap::new(),
        picked: &[],
    };
    Ok(svg::draw(&scene, &look))
}

fn title(board: &BoardView) -> String {
    format!("{} board {} after move {}", board.title, board.number, board.plies)
}

/// A board of a letter, to be shown as a picture in its HTML part.
pub(super) struct DrawnBoard {
    /// The lines that show it in the text part.
    pub(super) drawing: String,
    pub(super) number: u32,
    to_move: Option<String>,
    pub(super) svg: String,
    pub(super) title: String,
    /// Every legal move.
    pub(super) legal: Vec<String>,
}

impl DrawnBoard {
    pub(super) fn new(board: &mut BoardView) -> anyhow::Result<DrawnBoard> {
        draw(board)?;
        // A drawing that an earlier version stored came without the position.
        let legal = board.position()?.legal_moves();
        let drawing = board.drawn.as_ref().map(|drawn| drawn.drawing.trim_end().to_owned()).unwrap_or_default();
        let (number, to_move) = (board.number, board.to_move.clone());
        Ok(DrawnBoard { drawing, number, to_move, svg: picture(board)?, title: title(board), legal })
    }

    /// Whether it is this player's turn.
    pub(super) fn waits_for(&self, userid: &str) -> bool {
        self.to_move.as_deref() == Some(userid)
    }
}
