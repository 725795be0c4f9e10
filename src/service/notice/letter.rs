//! What a letter is about: boards, a message, or a puzzle.

use super::facts::{AnswerEntry, BoardEntry, Notice, ToldPuzzle};
use crate::service::puzzle::views::PuzzleAnswer;
use crate::service::response::Response;
use crate::store::{self, OutboxNotice};

/// The boards that the notices of a letter tell, by number, each as the last of them left it.
///
/// # Errors
/// A notice that cannot be read.
pub fn boards_told(notices: &[OutboxNotice]) -> store::Result<Vec<BoardEntry>> {
    let mut boards: Vec<BoardEntry> = Vec::new();
    for row in notices {
        let told = match (Notice::read(row)?, row.board) {
            (Notice::Board(notice), Some(board)) => {
                let proposal = notice.facts.proposal.map(|open| open.kind);
                vec![BoardEntry { board, entry: row.entry.unwrap_or_default(), proposal }]
            }
            (Notice::Answer(answer), _) => answer.boards().collect(),
            _ => Vec::new(),
        };
        for of in told {
            match boards.iter_mut().find(|known| known.board == of.board) {
                Some(known) if known.entry <= of.entry => *known = of,
                Some(_) => {}
                None => boards.push(of),
            }
        }
    }
    boards.sort_by_key(|of| of.board);
    Ok(boards)
}

/// The userid of the one player whose messages a letter passes on; `None` when it tells anything else as well.
///
/// # Errors
/// A notice that cannot be read.
pub fn message_writer(notices: &[OutboxNotice]) -> store::Result<Option<String>> {
    let mut writer: Option<String> = None;
    for row in notices {
        match Notice::read(row)? {
            Notice::Message(text) | Notice::Broadcast(text) if writer.as_ref().is_none_or(|by| *by == text.by) => {
                writer = Some(text.by);
            }
            _ => return Ok(None),
        }
    }
    Ok(writer)
}

/// The one puzzle that a letter shows; `None` when it tells anything else as well.
///
/// # Errors
/// A notice that cannot be read.
pub fn puzzle_told(notices: &[OutboxNotice]) -> store::Result<Option<ToldPuzzle>> {
    let [only] = notices else { return Ok(None) };
    Ok(match Notice::read(only)? {
        Notice::Puzzle(puzzle) => Some(puzzle),
        Notice::Answer(answer) => match answer.entries.as_slice() {
            [AnswerEntry::Done(response)] => match &**response {
                Response::Puzzle(PuzzleAnswer { puzzle, .. }) => {
                    Some(ToldPuzzle { game: puzzle.game.clone(), number: puzzle.number })
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}
