//! Invitations, whose holders can accept a private open challenge.

use serde::Serialize;

use crate::numbers::BoardNumber;
use crate::service::board::view::offer_view;
use crate::service::board::views::OfferView;
use crate::service::context::Service;
use crate::store::{self, Board, Player, Transaction};
use crate::token::Invitation;

/// The challenge of an invitation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum InvitationView {
    /// It can be accepted.
    Open {
        /// The challenge.
        offer: Box<OfferView>,
    },
    /// It was accepted.
    Taken {
        /// The number of the resulting board.
        number: BoardNumber,
        /// Whether the reader plays on it.
        plays: bool,
    },
    /// Its creator withdrew it.
    Withdrawn,
}

impl Service<'_> {
    /// Returns the state of the challenge of an invitation, for a player or visitor; `None` if the text is not an
    /// invitation.
    ///
    /// # Errors
    /// If the store fails.
    pub fn invitation(
        &self,
        tx: &Transaction<'_>,
        text: &str,
        reader: Option<&Player>,
    ) -> store::Result<Option<InvitationView>> {
        let Some(Invitation { challenge }) = Invitation::verify(text, &tx.reply_key()?) else { return Ok(None) };
        let Some(offer) = tx.open_challenge(challenge)? else { return Ok(None) };
        let plays =
            |board: &Board| reader.is_some_and(|reader| board.players.iter().any(|seated| seated.id == reader.id));
        Ok(Some(match tx.board(challenge)? {
            Some(board) => InvitationView::Taken { number: challenge, plays: plays(&board) },
            None if offer.closed_at.is_some() => InvitationView::Withdrawn,
            None => InvitationView::Open { offer: Box::new(offer_view(&offer)) },
        }))
    }
}
