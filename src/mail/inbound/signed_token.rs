//! Finds the signed token of a message, and the letters and threads that the message answers.

use super::addressing::{Addressing, local_parts, tags};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::NoticeKind;
use crate::store::{self, OutboxId, PlayerId, Transaction};
use crate::token::{ConfirmationToken, Key, LetterId, LetterToken, Token};

/// How many IDs of our letters in `References` to read, beginning with the last. Also limits the number of boards to
/// whose threads a message belongs.
const MAX_REFERENCES: usize = 5;

/// A signed token of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signed {
    Board(Token),
    Letter(LetterToken),
    Confirmation(ConfirmationToken),
}

impl Signed {
    fn verify(text: &str, key: &Key) -> Option<Signed> {
        let board = Token::verify(text, key).map(Signed::Board);
        let letter = || LetterToken::verify(text, key).map(Signed::Letter);
        board.or_else(letter).or_else(|| ConfirmationToken::verify(text, key).map(Signed::Confirmation))
    }

    /// Returns the token of the letter whose Message-ID contains this text. In earlier versions, the ID contained the
    /// token itself.
    fn of_id(tx: &Transaction<'_>, text: &str, key: &Key) -> store::Result<Option<Signed>> {
        let Some(LetterId { letter }) = LetterId::verify(text, key) else { return Ok(Signed::verify(text, key)) };
        let notices = tx.letter(OutboxId(letter.into()))?;
        let Some(leading) = notices.first() else { return Ok(None) };
        if NoticeKind::of(leading) == Some(NoticeKind::Confirm) {
            return Ok(Some(Signed::Confirmation(ConfirmationToken { letter })));
        }
        let player = leading.player.as_ref().and_then(|player| u32::try_from(player.id.0).ok());
        Ok(player.map(|player| Signed::Letter(LetterToken { player, letter })))
    }
}

pub(crate) enum Found {
    Nothing,
    NoToken,
    Token(Signed),
}

/// Finds the token of a message: first in its recipients, then in the Message-IDs that it answers.
pub(crate) fn find(tx: &Transaction<'_>, addressing: &Addressing, own_address: &str) -> store::Result<Found> {
    let Addressing { recipients, in_reply_to, references, .. } = addressing;
    let server = tx.server_id()?;
    let mut answered: Vec<String> = in_reply_to.iter().flat_map(|ids| in_ids(ids, &server)).collect();
    for ids in references {
        let found = in_ids(ids, &server);
        answered.extend(found.into_iter().rev().take(MAX_REFERENCES));
    }
    let sent_to: Vec<String> = recipients.iter().flat_map(|text| tags(text, own_address, "")).collect();
    if sent_to.is_empty() && answered.is_empty() {
        return Ok(Found::Nothing);
    }
    let key = tx.reply_key()?;
    let mut tokens = sent_to.iter().filter_map(|text| Signed::verify(text, &key));
    if let Some(token) = tokens.next() {
        // A message to the reply addresses of two letters answers neither letter.
        let answers_one = tokens.all(|other| other == token);
        return Ok(if answers_one { Found::Token(token) } else { Found::NoToken });
    }
    for text in &answered {
        if let Some(token) = Signed::of_id(tx, text, &key)? {
            return Ok(Found::Token(token));
        }
    }
    Ok(Found::NoToken)
}

/// The letter or board that a token names, in addition to its player.
pub(crate) enum Named {
    Letter(OutboxId),
    /// A board, and the length of its record when the letter was composed.
    Board(BoardNumber, EntryNumber),
}

/// Returns the player and the letter or board named by a message's token, without checking the sender.
pub(crate) fn named_by_token(
    tx: &Transaction<'_>,
    addressing: &Addressing,
    own_address: &str,
) -> store::Result<Option<(PlayerId, Named)>> {
    Ok(match find(tx, addressing, own_address)? {
        Found::Nothing | Found::NoToken | Found::Token(Signed::Confirmation(_)) => None,
        Found::Token(Signed::Board(Token { player, board, entry, .. })) => {
            Some((PlayerId(player.into()), Named::Board(board, entry)))
        }
        Found::Token(Signed::Letter(LetterToken { player, letter })) => {
            Some((PlayerId(player.into()), Named::Letter(OutboxId(letter.into()))))
        }
    })
}

/// Returns the boards to whose threads a message belongs. A thread begins with `<board-12.server@domain>`.
pub(crate) fn thread_boards(tx: &Transaction<'_>, addressing: &Addressing) -> store::Result<Vec<BoardNumber>> {
    let server = tx.server_id()?;
    let ids = addressing.in_reply_to.iter().chain(&addressing.references);
    Ok(ids.flat_map(|ids| boards_in(ids, &server)).take(MAX_REFERENCES).collect())
}

/// Returns the secret parts of IDs of our letters, `<12.server.SECRET@domain>`.
fn in_ids(header: &str, server: &str) -> Vec<String> {
    let token = |local: &str| match local.split('.').collect::<Vec<_>>()[..] {
        [_notice, of, token] if of == server => Some(token.to_owned()),
        _ => None,
    };
    local_parts(header).filter_map(token).collect()
}

/// Returns the boards whose threads begin with one of these IDs.
fn boards_in(header: &str, server: &str) -> Vec<BoardNumber> {
    let board = |local: &str| {
        let (number, of) = local.strip_prefix("board-")?.split_once('.')?;
        number.parse().ok().filter(|_| of == server).map(BoardNumber)
    };
    local_parts(header).filter_map(board).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_in_the_ids_of_their_threads() {
        let ids = "<board-7.server@x> <board-8.other@x> <board-x.server@x> <7.server@x> <board-9.server@x";
        assert_eq!(boards_in(ids, "server"), [BoardNumber(7)]);
    }

    #[test]
    fn tokens_are_found_in_the_ids_of_our_letters() {
        assert_eq!(in_ids("<a@b> <12.server.abc2@example.org>\r\n <12.other.abc2@x> <1.server@x>", "server"), ["abc2"]);
    }
}
