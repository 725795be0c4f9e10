//! When a player is notified: immediately, once a day, or, with the rhythm `once`, one letter for each turn.
//!
//! With that rhythm, a letter about a player's turn on a board is the last one about that board until they act there.
//! Other letters do not silence the board, and other boards are not affected, so that every turn is announced.

use chrono::{DateTime, Utc};

use crate::command::{Rhythm, UnsolicitedLetters};
use crate::numbers::BoardNumber;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::service::notice::answer::BoardEntry;
use crate::service::notice::kind::{Due, NoticeKind};
use crate::store::{self, Player, Transaction};

/// The parts of a notice that determine its timing.
#[derive(Clone, Copy)]
pub(crate) struct TimedNotice<'a> {
    pub(crate) kind: NoticeKind,
    /// The board of the notice.
    pub(crate) about: Option<BoardEntry>,
    /// Whether it is the reader's turn on that board.
    pub(crate) your_turn: bool,
    /// The userid of the acting player.
    pub(crate) actor: Option<&'a str>,
}

impl TimedNotice<'_> {
    /// Returns whether the rhythm `once` holds the notice: its reader was notified of this turn and has not acted
    /// since.
    fn is_silenced(&self, tx: &Transaction<'_>, reader: &Player) -> store::Result<bool> {
        let Some(about) = self.about.filter(|_| !self.kind.ends_board()) else { return Ok(false) };
        // Players need not respond to their own actions. The letter is sent together with the released ones.
        if self.actor.is_some_and(|actor| actor.eq_ignore_ascii_case(&reader.userid)) {
            return Ok(false);
        }
        let told = tx.turn_letter(reader.id, about.board)?;
        Ok(told.is_some_and(|entry| !self.your_turn || entry == about.entry))
    }
}

impl Service<'_> {
    /// Returns when a player is notified; `None` for after their next action.
    pub(crate) fn due_at(
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

    /// Records a notice sent to a player. If it announces their turn, it silences the board.
    pub(crate) fn note_turn_letter(
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

    /// Releases the letters that waited for a player's action, at this board if given.
    pub(crate) fn acted(
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
