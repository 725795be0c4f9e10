//! The reader that something is worded for.

use minijinja::{Value, context};

use crate::command::MailForm;
use crate::service::NoticeKind;
use crate::store::{self, OutboxNotice, PlayerRef, SentAs, Transaction};

/// What is drawn of a board: what its reader is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The board in characters.
    Characters,
    /// The board in sentences.
    Sentences,
    /// Both, and its pieces: for programs.
    Everything,
}

/// The reader that something is worded for.
pub(super) struct Reader {
    /// Their userid; empty, which is nobody's userid, when they are no player.
    pub(super) userid: String,
    /// Their time zone.
    zone: String,
    /// How boards are shown to them.
    pub(super) form: MailForm,
}

impl Reader {
    /// Somebody at a shell, or who is no player.
    pub(super) fn nobody() -> Reader {
        Reader { userid: String::new(), zone: "UTC".to_owned(), form: MailForm::Text }
    }

    /// A player, with what they have set.
    pub(super) fn of(tx: &Transaction<'_>, player: Option<&PlayerRef>) -> store::Result<Reader> {
        let Some(PlayerRef { id, userid }) = player else { return Ok(Reader::nobody()) };
        let Some(player) = tx.player_by_id(*id)? else { return Ok(Reader::nobody()) };
        Ok(Reader { userid: userid.clone(), zone: player.settings.zone, form: player.settings.mail })
    }

    /// The reader of the letter that a notice leads: as they were when it was sent, if it was.
    pub(super) fn of_letter(tx: &Transaction<'_>, leading: &OutboxNotice) -> store::Result<Reader> {
        let mut reader = Reader::of(tx, leading.player.as_ref())?;
        if NoticeKind::of(leading) == Some(NoticeKind::Confirm) {
            reader.form = MailForm::Html;
        }
        Ok(match tx.sent_as(leading.id)? {
            Some(SentAs { form, zone }) => Reader { form, zone, ..reader },
            None => reader,
        })
    }

    /// What the reader is shown of a board. The HTML part of a letter is made from its text, characters included.
    pub(super) fn shown(&self) -> Shown {
        match self.form {
            MailForm::Html | MailForm::Text => Shown::Characters,
            MailForm::Accessible => Shown::Sentences,
        }
    }

    /// The facts of a template, with the reader's own beside them.
    pub(super) fn context(&self, facts: Value) -> Value {
        let Reader { userid, zone, form } = self;
        let accessible = *form == MailForm::Accessible;
        context! { ..facts, ..context! { reader => userid, zone, accessible } }
    }
}
