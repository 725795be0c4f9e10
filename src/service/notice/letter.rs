//! The topic of a letter: boards, a message, a puzzle, or the question whether its reader wrote a given message.

use super::answer::{AnswerEntry, BoardEntry};
use super::facts::{Notice, ToldPuzzle};
use crate::service::puzzle::views::PuzzleAnswer;
use crate::service::response::Response;
use crate::store::{self, OutboxNotice};

/// A notice of a letter, with its decoded facts.
pub struct ReadNotice<'a> {
    /// The stored notice.
    pub row: &'a OutboxNotice,
    /// The decoded facts.
    pub notice: Notice,
}

/// Reads the facts of a letter's notices.
///
/// # Errors
/// If a notice cannot be read.
pub fn read_notices(rows: &[OutboxNotice]) -> store::Result<Vec<ReadNotice<'_>>> {
    rows.iter().map(|row| Ok(ReadNotice { row, notice: Notice::read(row)? })).collect()
}

/// Returns the boards in a letter's notices, by number, each with the state of the last notice.
pub fn boards_told(notices: &[ReadNotice<'_>]) -> Vec<BoardEntry> {
    let mut boards: Vec<BoardEntry> = Vec::new();
    for ReadNotice { row, notice } in notices {
        let told = match (notice, row.board) {
            (Notice::Board(notice), Some(board)) => {
                let proposal = notice.facts.proposal.as_ref().map(|open| open.kind);
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
    boards
}

/// Returns whether a letter asks its reader to confirm a message that may end a game.
pub fn asks_last_word(notices: &[ReadNotice<'_>]) -> bool {
    let asks = |entry: &AnswerEntry| match entry {
        AnswerEntry::Rejected(rejection) => rejection.message.code == "service.last-word-asked",
        AnswerEntry::Done(_) => false,
    };
    let mut answers = notices.iter().filter_map(|ReadNotice { notice, .. }| match notice {
        Notice::Answer(answer) => Some(answer),
        _ => None,
    });
    answers.any(|answer| answer.entries.iter().any(asks))
}

/// Returns the userid of the player whose messages a letter forwards; `None` if it contains anything else.
pub fn message_writer<'a>(notices: &'a [ReadNotice<'_>]) -> Option<&'a str> {
    let mut writer: Option<&str> = None;
    for ReadNotice { notice, .. } in notices {
        match notice {
            Notice::Message(text) | Notice::Broadcast(text) if writer.is_none_or(|by| by == text.by) => {
                writer = Some(&text.by);
            }
            _ => return None,
        }
    }
    writer.filter(|by| !by.is_empty())
}

/// Returns the puzzle that a letter shows; `None` if it contains anything else.
pub fn puzzle_told(notices: &[ReadNotice<'_>]) -> Option<ToldPuzzle> {
    let [ReadNotice { notice, .. }] = notices else { return None };
    match notice {
        Notice::Puzzle(puzzle) => Some(puzzle.clone()),
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
    }
}
