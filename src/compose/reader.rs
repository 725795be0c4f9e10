//! The reader of a composed text.

use minijinja::{Value, context};

use crate::command::{MailForm, Settings};
use crate::service::NoticeKind;
use crate::store::{self, OutboxNotice, PlayerRef, Transaction};

/// The drawings of a board that its reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The board in characters.
    Characters,
    /// The board in sentences.
    Sentences,
    /// Both, and the list of pieces: for programs.
    Everything,
}

/// The reader of a composed text.
pub(crate) struct Reader {
    /// The userid, or an empty text for readers who are not players.
    pub(crate) userid: String,
    /// Their settings.
    pub(crate) settings: Settings,
}

impl Reader {
    /// Creates the reader for the command line, or for a reader who is not a player.
    pub(crate) fn nobody() -> Reader {
        Reader { userid: String::new(), settings: Settings { mail: MailForm::Text, ..Settings::default() } }
    }

    /// Creates the reader for a player, with their settings.
    pub(crate) fn of(tx: &Transaction<'_>, player: Option<&PlayerRef>) -> store::Result<Reader> {
        let Some(PlayerRef { id, userid }) = player else { return Ok(Reader::nobody()) };
        let Some(player) = tx.player_by_id(*id)? else { return Ok(Reader::nobody()) };
        Ok(Reader { userid: userid.clone(), settings: player.settings })
    }

    /// Creates the reader of the letter that starts with this notice. If it was already sent, uses the settings of
    /// that time.
    pub(crate) fn of_letter(tx: &Transaction<'_>, leading: &OutboxNotice) -> store::Result<Reader> {
        let mut reader = Reader::of(tx, leading.player.as_ref())?;
        if NoticeKind::of(leading) == Some(NoticeKind::Confirm) {
            reader.settings.mail = MailForm::Html;
        }
        Ok(match tx.sent_as(leading.id)? {
            Some(settings) => Reader { settings, ..reader },
            None => reader,
        })
    }

    /// Returns the drawings that the reader sees. The HTML part of a letter is built from its text, including
    /// characters.
    pub(crate) fn shown(&self) -> Shown {
        match self.settings.mail {
            MailForm::Html | MailForm::Text => Shown::Characters,
            MailForm::Accessible => Shown::Sentences,
        }
    }

    /// Adds the reader's own facts to the facts of a template.
    pub(crate) fn context(&self, facts: Value) -> Value {
        let Reader { userid, settings } = self;
        let (zone, accessible) = (&*settings.zone, settings.mail == MailForm::Accessible);
        context! { ..facts, ..context! { reader => userid, zone, accessible } }
    }
}
