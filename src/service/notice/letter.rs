//! The topic of a letter: boards, a message, a puzzle, events, or a request to confirm a message that may end a game.

use super::answer::{AnswerEntry, BoardEntry};
use super::facts::{Notice, PuzzleNotice};
use crate::service::puzzle::views::PuzzleAnswer;
use crate::service::rejection::Rejection;
use crate::service::response::Response;
use crate::store::{self, OutboxNotice};
use crate::text::Fact;
use crate::token::{Invitation, Key};

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
pub fn boards_in_letter(notices: &[ReadNotice<'_>]) -> Vec<BoardEntry> {
    let mut boards: Vec<BoardEntry> = Vec::new();
    for ReadNotice { row, notice } in notices {
        let of_notice = match (notice, row.board) {
            (Notice::Board(notice), Some(board)) => {
                let proposal = notice.facts.proposal.as_ref().map(|open| open.kind);
                vec![BoardEntry { board, entry: row.entry.unwrap_or_default(), proposal }]
            }
            (Notice::Answer(answer), _) => answer.boards().collect(),
            _ => Vec::new(),
        };
        for of in of_notice {
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

/// Returns the userid of the author of all messages in a letter; `None` if there are several authors or other contents,
/// or the author is the administrator on the command line.
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

/// Returns the userids of the authors of a letter's messages. The letter may have other contents, too.
pub fn writers_in_letter(notices: &[ReadNotice<'_>]) -> Vec<String> {
    let writers = notices.iter().filter_map(|ReadNotice { notice, .. }| match notice {
        Notice::Message(text) => Some(text.by.clone()).filter(|by| !by.is_empty()),
        _ => None,
    });
    writers.collect()
}

/// Returns the puzzles that a letter shows, each once. The letter may have other contents, too.
pub fn puzzles_in_letter(notices: &[ReadNotice<'_>]) -> Vec<PuzzleNotice> {
    let mut puzzles: Vec<PuzzleNotice> = Vec::new();
    for ReadNotice { notice, .. } in notices {
        let shown: Vec<PuzzleNotice> = match notice {
            Notice::Puzzle(puzzle) => vec![puzzle.clone()],
            Notice::Answer(answer) => answer.entries.iter().filter_map(puzzle_of_answer).collect(),
            _ => Vec::new(),
        };
        for puzzle in shown {
            if !puzzles.contains(&puzzle) {
                puzzles.push(puzzle);
            }
        }
    }
    puzzles
}

/// Returns the puzzle that an answer shows.
fn puzzle_of_answer(entry: &AnswerEntry) -> Option<PuzzleNotice> {
    let AnswerEntry::Done(response) = entry else { return None };
    match &**response {
        Response::Puzzle(PuzzleAnswer { puzzle, .. }) => {
            Some(PuzzleNotice { game: puzzle.game.clone(), number: puzzle.number })
        }
        _ => None,
    }
}

/// Returns the codes and invitations in a letter's text. Other people could use them.
pub(crate) fn secrets_in_letter(notices: &[ReadNotice<'_>], key: &Key) -> Vec<String> {
    let mut secrets = Vec::new();
    for ReadNotice { notice, .. } in notices {
        if let Notice::Confirm(asked) = notice {
            secrets.push(asked.code.clone());
        }
        let Notice::Answer(answer) = notice else { continue };
        for entry in &answer.entries {
            let AnswerEntry::Done(response) = entry else { continue };
            if let Response::SignoffAsked { code, .. } = &**response {
                secrets.push(code.clone());
            }
            let private = response.offers().iter().filter(|offer| offer.flags.private);
            secrets.extend(private.map(|offer| Invitation { challenge: offer.number }.sign(key)));
        }
    }
    secrets
}

/// An event that a letter is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventInLetter {
    /// The name of the event.
    pub name: String,
    /// Whether the letter asks its reader to join.
    pub asks: bool,
}

/// Returns the events that a letter is about, each once.
pub fn events_in_letter(notices: &[ReadNotice<'_>]) -> Vec<EventInLetter> {
    let mut events: Vec<EventInLetter> = Vec::new();
    for ReadNotice { notice, .. } in notices {
        let names: Vec<&str> = match notice {
            Notice::EventBegin(facts)
            | Notice::EventReport(facts)
            | Notice::EventEnd(facts)
            | Notice::EventAbsence(facts) => vec![&facts.name],
            Notice::Answer(answer) => answer.entries.iter().filter_map(event_of_answer).collect(),
            _ => Vec::new(),
        };
        let asks = matches!(notice, Notice::EventAbsence(_));
        for name in names {
            match events.iter_mut().find(|known| known.name == name) {
                Some(known) => known.asks |= asks,
                None => events.push(EventInLetter { name: name.to_owned(), asks }),
            }
        }
    }
    events
}

/// Returns the event that an answer concerns.
fn event_of_answer(entry: &AnswerEntry) -> Option<&str> {
    match entry {
        AnswerEntry::Done(response) => match &**response {
            Response::EventJoined { name, .. } | Response::EventLeft { name, .. } => Some(name),
            Response::EventShown { event } => Some(&event.row.name),
            _ => None,
        },
        AnswerEntry::Rejected(Rejection { message, .. }) => match message.facts.get("event") {
            Some(Fact::Text(name)) if message.code == "mail.nothing-about-event" => Some(name),
            _ => None,
        },
    }
}
