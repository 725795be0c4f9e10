//! What a letter is about: boards, or a message.

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
