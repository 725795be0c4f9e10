//! Answers to mail, and periods of silence in which mail is not answered.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::rejection::Rejection;
use crate::service::response::Response;
use crate::store::ProposalKind;

/// The maximum size in octets of an answer to a stranger (an address that is not a player's), without help pages.
pub const SHORT_ANSWER: u32 = 2 * 1024;
/// The maximum size in octets of a help page in an answer to a stranger.
const HELP_PAGE: u32 = 8 * 1024;

/// The answer to one message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// One entry for each command, in order. A command is omitted if a separate notice informs the sender.
    pub entries: Vec<AnswerEntry>,
    /// The board of the answer, if it is in progress and the sender plays on it. A reply to the answer applies to
    /// this board.
    #[serde(default)]
    pub about: Option<BoardEntry>,
    /// Further boards that a reply may be about. A reply must then name the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<BoardEntry>,
    /// The number of successful commands of the message, including those without an entry.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub done: usize,
    /// The silence that starts after this answer, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
    /// The maximum size of the letter in octets, if it is sent to a stranger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub octets: Option<u32>,
}

/// A period in which mail is not answered. The last answer before the period announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// The affected mail.
    pub of: SilenceOf,
    /// The end of the period.
    pub until: DateTime<Utc>,
}

/// The kind of mail that a silence affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SilenceOf {
    /// All mail from an address that has reached the hourly limit on answers.
    AnHour,
    /// Refused mail that does not prove its sender's identity.
    Refused,
    /// Mail that contains no command and does not prove its sender's identity.
    WithoutCommand,
    /// All mail from a stranger.
    Stranger,
    /// Mail from a stranger, except requests for help, signups and refused mail.
    StrangersRequests,
}

impl Answer {
    /// Returns the number of octets that the answer needs in a letter to a stranger. Help pages are sent in full.
    pub(crate) fn needed_octets(&self) -> u32 {
        let pages = self.help_pages().and_then(|pages| u32::try_from(pages).ok()).unwrap_or_default();
        SHORT_ANSWER.max(pages.saturating_mul(HELP_PAGE))
    }

    /// Returns whether the answer contains anything except help and refusals.
    pub(crate) fn shows_something(&self) -> bool {
        self.help_pages().is_none()
    }

    /// Returns the number of help pages in the answer; `None` if it contains anything except help and refusals.
    fn help_pages(&self) -> Option<usize> {
        self.entries.iter().try_fold(0, |pages, entry| match entry {
            AnswerEntry::Rejected(_) => Some(pages),
            AnswerEntry::Done(response) => match &**response {
                Response::Help { pages: more, .. } => Some(pages + more.len()),
                _ => None,
            },
        })
    }

    /// Returns the boards that a reply may be about, except those that the answer says do not exist.
    pub fn boards(&self) -> impl Iterator<Item = BoardEntry> {
        self.about.iter().chain(&self.also).copied().filter(|of| !self.denies(of.board))
    }

    /// Returns the board that a reply may be about; `None` unless there is exactly one.
    pub(crate) fn only_board(&self) -> Option<BoardEntry> {
        let mut boards = self.boards();
        boards.next().filter(|_| boards.next().is_none())
    }

    /// Returns whether the answer says that a board does not exist. A blocked player gets this answer about an open
    /// challenge.
    fn denies(&self, board: BoardNumber) -> bool {
        self.entries.iter().any(|entry| match entry {
            AnswerEntry::Rejected(rejection) => rejection.denies(board),
            AnswerEntry::Done(_) => false,
        })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The answer to one command of a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum AnswerEntry {
    /// The command was carried out.
    #[serde(rename = "answer")]
    Done(Box<Response>),
    /// The command was refused.
    #[serde(rename = "refused")]
    Rejected(Rejection),
}

/// A board and an entry of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardEntry {
    /// The board's number.
    pub board: BoardNumber,
    /// The number of the entry, which is also the length of the record up to this entry.
    pub entry: EntryNumber,
    /// The proposal open at that entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalKind>,
}
