//! Which boards a letter is about.

use super::facts::{BoardEntry, Notice};
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
