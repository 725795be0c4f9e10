//! Shared types of the stages: the message, the ways in which a stage ends, and verdicts.

use std::cell::OnceCell;

use crate::mail::inbound::InboxContext;
use crate::mail::inbound::addressing::{Addressing, dmarc_passed};
use crate::mail::inbound::answered_letter::{AnsweredText, answered_text};
use crate::mail::inbound::commands::{FoundCommands, FoundLine, find_commands};
use crate::mail::inbound::consent::asks_to_stop;
use crate::mail::inbound::new_text::{may_hold_lines, may_hold_note, new_text};
use crate::mail::inbound::read::Incoming;
use crate::mail::inbound::reply::{AnsweredLetter, FoundInReply, find_account_lines, find_in_reply};
use crate::service::{Rejection, ServiceError};
use crate::store::{self, InboxId, StoreError, Transaction, Verdict, VerdictKind};
use crate::text::Message;

/// How many words of a line to show to the administrator if no command was found.
const MOST_WORDS: usize = 12;

pub(crate) struct CurrentMail<'a> {
    pub(crate) inbox: InboxContext<'a>,
    pub(crate) id: InboxId,
    /// Whether only the beginning of the message was stored.
    pub(crate) truncated: bool,
    pub(crate) incoming: Incoming,
    pub(crate) addressing: Addressing,
    /// The answered letter. [`CurrentMail::know_letter`] sets this field.
    pub(crate) answered: OnceCell<AnsweredWords>,
    /// The commands of the message, read as if it were not an answer to a letter; set when they are first needed.
    pub(crate) whole: OnceCell<FoundCommands>,
    /// A letter, and the commands of the message when read as an answer to that letter; set when they are first needed.
    pub(crate) in_reply: OnceCell<(AnsweredLetter, FoundInReply)>,
}

/// The answered letter, and the text of the message with the letter's lines marked.
#[derive(Default)]
pub(crate) struct AnsweredWords {
    known: AnsweredText,
    /// The text with the letter's lines marked as quoted; `None` if the text contains no line of the letter.
    marked: Option<String>,
}

/// Why a stage ends the processing of a message.
pub(crate) enum Stop {
    /// The processing ended with this verdict.
    Decided(Verdict),
    /// The store failed, or a password was not hashed before the transaction or has changed since.
    Failed(ServiceError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        Stop::Failed(error.into())
    }
}

impl From<ServiceError> for Stop {
    fn from(error: ServiceError) -> Stop {
        Stop::Failed(error)
    }
}

/// The result of a stage: a value for the next stage, or why the processing ends.
pub(crate) type Stage<T> = Result<T, Stop>;

impl CurrentMail<'_> {
    /// Finds lines of the answered letter in the text, and marks them as quoted, because the sender did not write them.
    pub(crate) fn know_letter(&self, tx: &Transaction<'_>) -> store::Result<()> {
        if self.answered.get().is_some() {
            return Ok(());
        }
        let Incoming { text, sender, .. } = &self.incoming;
        let mut words = AnsweredWords::default();
        let new = new_text(text).text();
        if may_hold_note(&new) {
            let sender = sender.as_deref().unwrap_or_default();
            words.known = answered_text(tx, &self.inbox, &self.addressing, sender, may_hold_lines(&new))?;
            words.marked = words.known.letter.marked(text);
        }
        self.answered.get_or_init(|| words);
        Ok(())
    }

    /// Returns the text, with lines of the answered letter marked as quoted.
    fn text(&self) -> &str {
        let marked = self.answered.get().and_then(|words| words.marked.as_deref());
        marked.unwrap_or(&self.incoming.text)
    }

    /// Returns whether a text repeats several lines of the answered letter, or a line of its reader's private notes.
    pub(crate) fn repeats_letter(&self, text: &str) -> bool {
        let repeats = |known: &AnsweredText| known.letter.lines_in(text) > 1 || known.notes.lines_in(text) > 0;
        self.answered.get().is_some_and(|words| repeats(&words.known))
    }

    /// Returns the commands of the message, read as if it were not an answer to a letter.
    pub(crate) fn whole_commands(&self) -> &FoundCommands {
        self.whole.get_or_init(|| find_commands(self.subject(), self.text()))
    }

    /// Returns whether the message only asks to stop letters.
    pub(crate) fn asks_to_stop(&self) -> bool {
        asks_to_stop(self.subject(), &self.incoming.text) && self.whole_commands().lines.is_empty()
    }

    /// Returns the commands of the message as an answer to this letter.
    pub(crate) fn commands_in_reply(&self, letter: &AnsweredLetter) -> FoundInReply {
        let find = || find_in_reply(self.subject(), self.text(), letter);
        match self.in_reply.get_or_init(|| (letter.clone(), find())) {
            (same, found) if same == letter => found.clone(),
            _ => find(),
        }
    }

    /// Returns the lines about the author's account, in answer to this letter.
    pub(crate) fn account_lines(&self, letter: &AnsweredLetter) -> FoundInReply {
        let subject = self.subject().filter(|_| letter.other.is_none());
        find_account_lines(subject, self.text(), letter)
    }

    /// Returns whether the receiving mail server reports that DMARC passed for this sender of the message.
    pub(crate) fn dmarc_passed(&self, sender: &str) -> bool {
        dmarc_passed(&self.incoming.authentication_results, self.inbox.service.authserv_id, sender)
    }

    pub(crate) fn subject(&self) -> Option<&str> {
        self.incoming.subjects.first().map(String::as_str)
    }

    pub(crate) fn verdict(&self, kind: VerdictKind, commands: String, reason: Message) -> Verdict {
        let Incoming { sender, identity, .. } = &self.incoming;
        let reason = self.inbox.words(&reason);
        Verdict { kind, sender: sender.clone(), identity: Some(identity.clone()), commands, reason }
    }

    /// Returns the commands of the message with masked passwords, for the administrator. For a message without
    /// commands, returns its subject and first line, omitting either if it contains only hidden or short words.
    fn asked_for(&self, tx: &Transaction<'_>) -> store::Result<String> {
        let service = self.inbox.service;
        let mut asked = Vec::new();
        for line in &self.whole_commands().lines {
            asked.push(match line {
                FoundLine::Command(line) => service.shown(tx, line)?,
                FoundLine::NotUnderstood(error) => {
                    service.kept(tx, Rejection { line: error.line.clone(), ..Rejection::default() })?.line
                }
            });
        }
        if asked.is_empty() {
            let new = new_text(&self.incoming.text);
            let first = new.first().iter().copied().find(|line| !line.trim().is_empty());
            for line in self.subject().into_iter().chain(first) {
                let line = line.split_whitespace().take(MOST_WORDS).collect::<Vec<_>>().join(" ");
                let masked = service.kept(tx, Rejection { line, ..Rejection::default() })?.line;
                let says_something = masked.split(' ').any(|word| word.len() > 3 && !word.contains("***"));
                asked.extend(says_something.then_some(masked));
            }
        }
        Ok(asked.join("\n"))
    }

    /// Ends the processing with the verdict *ignored*, and shows the administrator what the sender may have requested.
    pub(crate) fn ignored_request<T>(&self, tx: &Transaction<'_>, reason: Message) -> Stage<T> {
        Err(Stop::Decided(self.verdict(VerdictKind::Ignored, self.asked_for(tx)?, reason)))
    }

    /// Ends the processing with the verdict *refused*, because no command was executed.
    pub(crate) fn refused<T>(&self, tx: &Transaction<'_>, reason: Message) -> Stage<T> {
        Err(Stop::Decided(self.verdict(VerdictKind::Refused, self.asked_for(tx)?, reason)))
    }

    /// Ends the processing with the verdict *ignored*.
    pub(crate) fn ignored<T>(&self, reason: Message) -> Stage<T> {
        Err(Stop::Decided(self.verdict(VerdictKind::Ignored, String::new(), reason)))
    }
}
