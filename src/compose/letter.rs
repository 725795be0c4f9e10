//! Letters: a notice composed as mail.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use crate::desk::{Answer, BoardFacts, Refused};
use crate::store::{Ledger, OutboxNotice};

use super::Composer;

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
    Answer(Box<Answer>),
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
    /// The mail it answers; without one it was written unasked.
    pub in_reply_to: Option<String>,
    /// The thread.
    pub references: Vec<String>,
    /// When the notice was written.
    pub date: DateTime<Utc>,
}

impl Composer {
    /// The letter that tells a notice. Reads what it needs (the board at that ply, addresses) from the ledger.
    ///
    /// # Errors
    /// A template or the store that fails.
    pub fn letter(&self, ledger: &dyn Ledger, notice: &OutboxNotice, domain: &str) -> anyhow::Result<Letter> {
        let to = match (&notice.address, &notice.player) {
            (Some(address), _) => vec![address.clone()],
            (None, Some((player, _))) => {
                let known = ledger.addresses(*player)?.into_iter();
                known.filter(|address| address.confirmed_at.is_some()).map(|address| address.address).collect()
            }
            (None, None) => Vec::new(),
        };
        let reader = notice.player.as_ref().map(|(_, userid)| userid.as_str());
        let mut references = Vec::new();
        let (subject, text) = match notice.board {
            Some(board) => {
                references.push(format!("<board-{board}.{}@{domain}>", ledger.server_id()?));
                let facts: BoardFacts = serde_json::from_str(&notice.facts)?;
                let view = facts.board(ledger, board, notice.entry.unwrap_or_default())?;
                self.mail(&notice.kind, &context! { board => Serde(view), reader })?
            }
            None if notice.kind == "answer" => {
                let reply: Reply = serde_json::from_str(&notice.facts)?;
                let texts = reply.entries.iter().map(|entry| match entry {
                    ReplyEntry::Answer(answer) => self.answer(answer),
                    ReplyEntry::Refused(refused) => self.refused(refused),
                });
                let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
                let refused = reply.entries.iter().all(|entry| matches!(entry, ReplyEntry::Refused(_)));
                self.mail("answer", &context! { texts, refused, reader })?
            }
            None => {
                let facts: serde_json::Value = serde_json::from_str(&notice.facts)?;
                self.mail(&notice.kind, &context! { facts => Serde(facts), reader })?
            }
        };
        references.extend(notice.in_reply_to.clone());
        Ok(Letter {
            to,
            subject,
            text,
            message_id: notice.message_id.clone(),
            in_reply_to: notice.in_reply_to.clone(),
            references,
            date: notice.created_at,
        })
    }

    /// The subject and text of a kind of letter. What a template leaves too wide (a long userid, a line as somebody
    /// typed it) is broken here.
    fn mail(&self, kind: &str, facts: &Value) -> anyhow::Result<(String, String)> {
        let subject = self.templates.fill(&format!("mail/{kind}.subject"), facts.clone())?;
        let text = self.templates.fill(&format!("mail/{kind}.txt"), facts.clone())?;
        let text: Vec<_> = text.lines().map(|line| textwrap::fill(line, super::templates::WIDTH)).collect();
        let text = text.join("\n") + "\n";
        Ok((subject.split_whitespace().collect::<Vec<_>>().join(" "), text))
    }
}
