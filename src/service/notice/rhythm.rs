//! When a player is told: at once, once a day, or, with the rhythm `once`, a letter for each turn.
//!
//! With that rhythm, a letter that tells a player of their turn on a board is the last one about that board until they
//! do something there. No other letter silences a board, and none silences another board, so no turn is lost.

use chrono::{DateTime, Utc};

use crate::command::{Rhythm, UnsolicitedLetters};
use crate::numbers::BoardNumber;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::service::notice::answer::BoardEntry;
use crate::service::notice::kind::{Due, NoticeKind};
use crate::store::{self, Player, Transaction};

/// A notice, as far as it decides when its reader is told.
#[derive(Clone, Copy)]
pub(in crate::service) struct TimedNotice<'a> {
    pub(in crate::service) kind: NoticeKind,
    /// The board that it is about.
    pub(in crate::service) about: Option<BoardEntry>,
    /// It is the reader's turn on that board.
    pub(in crate::service) your_turn: bool,
    /// The userid of the player who did something.
    pub(in crate::service) actor: Option<&'a str>,
}

impl TimedNotice<'_> {
    /// Whether the rhythm `once` holds it: its reader was told of this turn and has done nothing since.
    fn is_silenced(&self, tx: &Transaction<'_>, reader: &Player) -> store::Result<bool> {
        let Some(about) = self.about.filter(|_| !self.kind.ends_board()) else { return Ok(false) };
        // What players do themselves needs no answer of theirs; its letter goes out with those that it releases.
        if self.actor.is_some_and(|actor| actor.eq_ignore_ascii_case(&reader.userid)) {
            return Ok(false);
        }
        let told = tx.turn_letter(reader.id, about.board)?;
        Ok(told.is_some_and(|entry| !self.your_turn || entry == about.entry))
    }
}

impl Service<'_> {
    /// When a player is told; `None`: not before they have done something.
    pub(in crate::service) fn due_at(
        &self,
        tx: &Transaction<'_>,
        reader: &Player,
        notice: &TimedNotice<'_>,
        now: DateTime<Utc>,
    ) -> store::Result<Option<DateTime<Utc>>> {
        let due = notice.kind.due();
        if due == Due::Asked {
            return Ok(Some(now));
        }
        if reader.settings.letters == UnsolicitedLetters::None {
            return Ok(None);
        }
        Ok(match reader.settings.rhythm {
            _ if due == Due::AtOnce => Some(now),
            Rhythm::Each => Some(now),
            Rhythm::Daily(hour) => Some(clocks::calendar(tx, reader)?.next_hour(now, hour)),
            Rhythm::Once if notice.is_silenced(tx, reader)? => None,
            Rhythm::Once => Some(now),
        })
    }

    /// A notice is sent to a player: if it tells them of their turn, it silences the board.
    pub(in crate::service) fn note_turn_letter(
        &self,
        tx: &mut Transaction<'_>,
        reader: &Player,
        notice: &TimedNotice<'_>,
    ) -> store::Result<()> {
        match notice.about.filter(|_| notice.your_turn && reader.settings.rhythm == Rhythm::Once) {
            Some(about) => tx.set_turn_letter(reader.id, about.board, about.entry),
            None => Ok(()),
        }
    }

    /// A player has done something, at this board if at one: the letters that waited for it are due.
    pub(in crate::service) fn acted(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        at: Option<BoardNumber>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        if player.settings.rhythm != Rhythm::Once {
            return Ok(());
        }
        if let Some(board) = at {
            tx.forget_turn_letter(player.id, board)?;
        }
        if player.settings.letters != UnsolicitedLetters::None {
            tx.release_held(player.id, now)?;
        }
        Ok(())
    }
}
