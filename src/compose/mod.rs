//! Facts → words, by the templates: what a shell prints and what a letter says.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::desk::{Answer, Refused};
use crate::store::{Ledger, OutboxNotice};

/// What one mail is answered with: the facts of an `answer` notice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// One entry a command, in order, without those whose notice tells the sender already.
    pub entries: Vec<ReplyEntry>,
}

/// The answer to one command of a mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyEntry {
    /// Done.
    Answer(Answer),
    /// Not done.
    Refused(Refused),
}

/// A notice composed as mail; the same notice always gives the same letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Addresses; empty when the player has no confirmed one: the notice then has nobody to be told to.
    pub to: Vec<String>,
    /// One line.
    pub subject: String,
    /// The text part; lines of at most 78 columns, LF.
    pub text: String,
    /// With angle brackets, as the following.
    pub message_id: String,
    /// The mail it answers.
    pub in_reply_to: Option<String>,
    /// The thread.
    pub references: Vec<String>,
    /// When the notice was written.
    pub date: DateTime<Utc>,
}

/// The templates, ready to be filled in.
pub struct Composer {}

impl Composer {
    /// The embedded templates, and over them those of a directory, file by file.
    ///
    /// # Errors
    /// A template that does not parse, with its file and line.
    pub fn new(templates: Option<&Path>) -> anyhow::Result<Composer> {
        let _ = templates;
        todo!()
    }

    /// What a shell prints of an answer.
    ///
    /// # Errors
    /// A template that fails.
    pub fn answer(&self, answer: &Answer) -> anyhow::Result<String> {
        let _ = answer;
        todo!()
    }

    /// What a shell prints of a refusal.
    ///
    /// # Errors
    /// A template that fails.
    pub fn refused(&self, refused: &Refused) -> anyhow::Result<String> {
        let _ = refused;
        todo!()
    }

    /// The letter that tells a notice. Reads what it needs (the board at that ply, addresses) from the ledger.
    ///
    /// # Errors
    /// A template or the store that fails.
    pub fn letter(&self, ledger: &dyn Ledger, notice: &OutboxNotice, domain: &str) -> anyhow::Result<Letter> {
        let _ = (ledger, notice, domain);
        todo!()
    }
}
