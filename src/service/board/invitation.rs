//! Invitations: whoever has one can take the private open challenge that it is to.

use serde::Serialize;

use crate::numbers::BoardNumber;
use crate::service::board::view::offer_view;
use crate::service::board::views::OfferView;
use crate::service::context::Service;
use crate::store::{self, Board, Player, Transaction};
use crate::token::Invitation;

/// The challenge that an invitation is to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum InvitationView {
    /// It can be taken.
    Open {
        /// The challenge.
        offer: Box<OfferView>,
    },
    /// Somebody has taken it.
    Taken {
        /// The number of the board that it became.
        number: BoardNumber,
        /// Whether the reader plays on it.
        plays: bool,
    },
    /// The player who made it has withdrawn it.
    Withdrawn,
}

impl Service<'_> {
    /// Returns what became of the challenge that an invitation is to, for a player or nobody; `None` when the text is no
    /// invitation.
    ///
    /// # Errors
    /// The store's.
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
