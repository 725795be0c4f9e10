//! Answers to mails, and the times in which mails are not answered.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::rejection::Rejection;
use crate::service::response::Response;
use crate::store::ProposalKind;

/// The most octets of an answer to an address that is no player's, without pages of help.
pub const SHORT_ANSWER: u32 = 2 * 1024;
/// The most octets for each page of help in it. No page is longer.
const HELP_PAGE: u32 = 8 * 1024;

/// What one mail is answered with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// One entry for each command, in order, without those whose own notice tells the sender already.
    pub entries: Vec<AnswerEntry>,
    /// The board that it is about, if the sender plays there and it is in progress: a reply to the answer is meant for
    /// it.
    #[serde(default)]
    pub about: Option<BoardEntry>,
    /// The further boards of that kind; a reply then says which of them it means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<BoardEntry>,
    /// How many commands of the mail were carried out, those without an entry included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub done: usize,
    /// Why no such mail is answered for a while after it, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
    /// The most octets of the letter to an address that is no player's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub octets: Option<u32>,
}

/// A time in which mails are not answered. The last answer before it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// Which mails are not answered.
    pub of: SilenceOf,
    /// When they are answered again.
    pub until: DateTime<Utc>,
}

/// The mails that are not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SilenceOf {
    /// All of an address that has had so many answers in an hour.
    AnHour,
    /// Those that are refused and prove nothing.
    Refused,
    /// Those without a command that prove nothing.
    WithoutCommand,
    /// All of an address that is no player's.
    Stranger,
    /// Those of an address that is no player's, apart from help, a signup and refused ones.
    StrangersRequests,
}

impl Answer {
    /// How many octets it needs at an address that is no player's. Pages of help are sent whole.
    pub(super) fn needed_octets(&self) -> u32 {
        let pages = self.help_pages().and_then(|pages| u32::try_from(pages).ok()).unwrap_or_default();
        SHORT_ANSWER.max(pages.saturating_mul(HELP_PAGE))
    }

    /// Whether it holds something other than help and refusals.
    pub(super) fn shows_something(&self) -> bool {
        self.help_pages().is_none()
    }

    /// How many pages of help it holds; `None` if it holds something other than help and refusals.
    fn help_pages(&self) -> Option<usize> {
        self.entries.iter().try_fold(0, |pages, entry| match entry {
            AnswerEntry::Rejected(_) => Some(pages),
            AnswerEntry::Done(response) => match &**response {
                Response::Help { pages: more } => Some(pages + more.len()),
                _ => None,
            },
        })
    }

    /// The boards that a reply to it may be meant for.
    pub fn boards(&self) -> impl Iterator<Item = BoardEntry> {
        self.about.iter().chain(&self.also).copied()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What one command of a mail is answered with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum AnswerEntry {
    /// It was done.
    #[serde(rename = "answer")]
    Done(Box<Response>),
    /// It was not done.
    #[serde(rename = "refused")]
    Rejected(Rejection),
}

/// A board and an entry of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardEntry {
    /// The board's number.
    pub board: BoardNumber,
    /// The number of the entry: how many there were with it.
    pub entry: EntryNumber,
    /// The proposal that was open then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalKind>,
}
