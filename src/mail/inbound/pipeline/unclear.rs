//! The answer to a reply without a command, or with an ambiguous one: the board, and an example of a valid line.

use super::super::reply_token::TokenHolder;
use super::stage::CurrentMail;
use crate::message;
use crate::service::Rejection;
use crate::store::{self, Transaction};
use crate::text::Message;

/// Returns the rejection of a reply without a command.
pub(crate) fn nothing_found(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
) -> store::Result<Rejection> {
    rejection(tx, mail, holder, |example| message!("mail.nothing-in-reply", example))
}

/// Returns the rejection of an ambiguous line.
pub(crate) fn unclear(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    nearest: Option<String>,
) -> store::Result<Rejection> {
    let rejection = rejection(tx, mail, holder, |example| message!("mail.unclear-reply", example))?;
    Ok(Rejection { nearest, ..rejection })
}

fn rejection(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    message: impl FnOnce(String) -> Message,
) -> store::Result<Rejection> {
    let mut board = mail.inbox.service.board_now(tx, holder.granted.board, mail.inbox.now)?;
    let mut example = String::new();
    if let Some(board) = &mut board
        && board.to_move.as_deref() == Some(holder.granted.userid.as_str())
    {
        let mut legal = board.position()?.legal_moves();
        // From the middle, because the first moves are in a corner of the board.
        if !legal.is_empty() {
            example = legal.swap_remove(legal.len() / 2);
        }
    }
    let message = message(example);
    Ok(Rejection { message, board: board.map(Box::new), not_understood: true, ..Rejection::default() })
}
