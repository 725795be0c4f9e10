//! Messages from one player to others.

use chrono::{DateTime, Utc};

use crate::command::UnsolicitedLetters;
use crate::message;
use crate::store::{self, CountedKind, Player, PlayerId, Transaction};

use crate::service::context::{Context, Service};
use crate::service::notice::facts::{Notice, PlayerText};
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;

impl Context<'_, '_> {
    pub(crate) fn message(&mut self, player: &Player, to: &[String]) -> RequestResult<Response> {
        self.check_no_guest(player)?;
        let text = self.text_of("message")?;
        let to = to.iter().map(|userid| self.reading().active_player(userid)).collect::<RequestResult<Vec<_>>>()?;
        for addressee in &to {
            if !self.has_address(addressee.id)? {
                let message = message!("service.player-without-address", userid = &addressee.userid);
                return self.refuse(&addressee.userid, message);
            }
            if addressee.settings.letters == UnsolicitedLetters::Boards {
                let message = message!("service.player-takes-no-messages", userid = &addressee.userid);
                return self.refuse(&addressee.userid, message);
            }
        }
        for addressee in &to {
            self.check_messages(player, addressee)?;
        }
        self.check_unconfirmed_writer(player, &to)?;
        let notice = Notice::Message(PlayerText { by: player.userid.clone(), text });
        for addressee in &to {
            self.tx.count(CountedKind::Message, &addressee.userid, &player.userid, self.request.now)?;
            // A blocked player gets the same answer.
            if !self.tx.has_blocked(addressee.id, player.id)? {
                self.service.write_to(self.tx, &notice, addressee.id, self.request.now)?;
            }
        }
        Ok(Response::Messaged { to: to.into_iter().map(|addressee| addressee.userid).collect() })
    }

    pub(crate) fn broadcast(&mut self, player: &Player) -> RequestResult<Response> {
        if !self.service.policy.is_administrator(&player.userid) {
            return self.refuse(&player.userid, message!("service.no-administrator"));
        }
        let text = self.text_of("broadcast")?;
        let to = broadcast_readers(self.tx)?;
        self.service.broadcast(self.tx, &player.userid, &text, &to, self.request.now)?;
        Ok(Response::Messaged { to: to.into_iter().map(|reader| reader.userid).collect() })
    }

    /// Returns the text of a message, which is the comment of its command.
    pub(crate) fn text_of(&self, verb: &str) -> RequestResult<String> {
        let text = self.request.comment_text();
        if text.is_empty() {
            return self.refuse(verb, message!("service.no-message-text"));
        }
        Ok(text)
    }

    /// Counts the letters of a player without a confirmed address, whose identity is unknown, and refuses too many.
    fn check_unconfirmed_writer(&mut self, player: &Player, to: &[Player]) -> RequestResult<()> {
        if matches!(self.request.from, Origin::Shell { .. }) || self.has_address(player.id)? {
            return Ok(());
        }
        let to: Vec<String> = to.iter().map(|addressee| addressee.userid.clone()).collect();
        self.check_letters(&to)?;
        for userid in &to {
            self.tx.count(CountedKind::Letter, userid, &self.request.source(), self.request.now)?;
        }
        Ok(())
    }

    fn has_address(&self, player: PlayerId) -> RequestResult<bool> {
        Ok(has_address(self.tx, player)?)
    }
}

impl Service<'_> {
    /// Sends a text to each of these players. `by` is the administrator's userid, or empty if they are not a player.
    ///
    /// # Errors
    /// If the store fails.
    pub fn broadcast(
        &self,
        tx: &mut Transaction<'_>,
        by: &str,
        text: &str,
        to: &[Player],
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let notice = Notice::Broadcast(PlayerText { by: by.to_owned(), text: text.to_owned() });
        to.iter().try_for_each(|reader| self.write_to(tx, &notice, reader.id, now))
    }
}

/// Returns the recipients of a broadcast.
///
/// # Errors
/// If the store fails.
pub fn broadcast_readers(tx: &Transaction<'_>) -> store::Result<Vec<Player>> {
    let mut readers = Vec::new();
    for player in tx.players()?.into_iter().filter(wants_broadcasts) {
        if has_address(tx, player.id)? {
            readers.push(player);
        }
    }
    Ok(readers)
}

fn has_address(tx: &Transaction<'_>, player: PlayerId) -> store::Result<bool> {
    Ok(tx.addresses(player)?.iter().any(|address| address.confirmed_at.is_some()))
}

/// Returns whether a player receives broadcasts.
fn wants_broadcasts(player: &Player) -> bool {
    player.left_at.is_none() && player.blocked_at.is_none() && player.settings.letters != UnsolicitedLetters::Boards
}
