//! Composes the answered letter a second time, to recognise its text in the message.
//!
//! The outbox stores the notices of a letter, and the same notices produce the same text. Storing the text would double
//! the data written for each letter, and few replies quote a letter without marks. Recognising the templates would not
//! be enough: letters also contain notes, comments and positions that other players must not read.

use serde_json::Value;

use super::addressing::{Addressing, local_parts};
use super::new_text::OwnLetter;
use super::signed_token::{Named, named_by_token};
use super::{InboxContext, html};
use crate::service::{Notice, ReadNotice, boards_in_letter, read_notices};
use crate::store::{self, OutboxId, OutboxNotice, PlayerId, Transaction};

/// The maximum number of letters to compose for one message.
const MAX_LETTERS: usize = 3;
/// How many notices about a board to search for the answered letter.
const MAX_NOTICES: u32 = 6;

/// The text of the letters that a message answers.
#[derive(Default)]
pub(crate) struct AnsweredText {
    pub(crate) letter: OwnLetter,
    /// The reader's private notes on the boards of the letters.
    pub(crate) notes: OwnLetter,
}

/// Returns the text of the letters that a message from this sender answers. Unless `is_long`, the message cannot quote
/// the letters, and only the notes are returned.
pub(crate) fn answered_text(
    tx: &Transaction<'_>,
    inbox: &InboxContext<'_>,
    addressing: &Addressing,
    sender: &str,
    is_long: bool,
) -> store::Result<AnsweredText> {
    let named = named_by_token(tx, addressing, inbox.server_address)?;
    let reader = match &named {
        Some((player, _)) => Some(*player),
        None => tx.player_by_address(sender)?.map(|player| player.id),
    };
    let (mut parts, mut texts, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for letter in letters(tx, addressing, named)?.into_iter().take(MAX_LETTERS) {
        let notices = tx.letter(letter)?;
        // A sender who names another player's letter must not learn its content.
        let is_readers = |notice: &OutboxNotice| match &notice.player {
            Some(player) => Some(player.id) == reader,
            None => notice.address.as_ref().is_some_and(|address| address.eq_ignore_ascii_case(sender)),
        };
        if notices.is_empty() || !notices.iter().all(is_readers) {
            continue;
        }
        if let Some(reader) = reader {
            // An unreadable notice must not prevent the processing of the current message.
            for of in boards_in_letter(&read_notices(&notices).unwrap_or_default()) {
                notes.extend(tx.note(of.board, reader)?);
            }
        }
        if is_long {
            parts.extend(words(tx, inbox, &notices));
            texts.extend(said(&notices));
        }
    }
    Ok(AnsweredText { letter: OwnLetter::new(&parts, &texts), notes: OwnLetter::new(&notes, &[]) })
}

/// Lists the letters that a message may answer: those named by its IDs and its token. If the message names no letter,
/// lists the letters about the token's board, because some mail servers replace the IDs.
fn letters(
    tx: &Transaction<'_>,
    addressing: &Addressing,
    named: Option<(PlayerId, Named)>,
) -> store::Result<Vec<OutboxId>> {
    let server = tx.server_id()?;
    let ids = addressing.in_reply_to.iter().chain(&addressing.references);
    let mut letters: Vec<OutboxId> = ids.flat_map(|ids| letters_in(ids, &server)).collect();
    match named {
        Some((_, Named::Letter(letter))) => letters.insert(0, letter),
        Some((player, Named::Board(board, entry))) if letters.is_empty() => {
            letters = tx.letters_about(player, board, entry, OutboxId(i64::MAX), MAX_NOTICES)?;
        }
        Some(_) | None => {}
    }
    letters.dedup();
    Ok(letters)
}

/// Returns the words of the text part and the HTML part of a letter; empty if the letter can no longer be composed.
fn words(tx: &Transaction<'_>, inbox: &InboxContext<'_>, notices: &[OutboxNotice]) -> Vec<String> {
    match inbox.composer.letter(tx, notices, inbox.server_address) {
        Ok(letter) => {
            let html = letter.html.map(|html| html.html);
            let html = html.iter().flat_map(|html| [true, false].map(|pictures| html::words(html, pictures)));
            std::iter::once(letter.text).chain(html).collect()
        }
        Err(error) => {
            tracing::warn!(letter = notices[0].id.0, "cannot compose an answered letter again: {error:#}");
            Vec::new()
        }
    }
}

/// Lists the players' texts that a letter forwards and its reader may repeat: the comments at its only board, messages,
/// broadcasts, and the texts in an answer, such as the quote of a refused message. Comments at several boards may have
/// different readers.
fn said(notices: &[OutboxNotice]) -> Vec<String> {
    let mut said = Vec::new();
    let is_of_one = notices.iter().all(|notice| notice.board == notices[0].board);
    // An unreadable notice must not prevent the processing of the current message.
    for ReadNotice { notice, .. } in read_notices(notices).unwrap_or_default() {
        match &notice {
            Notice::Board(board) if is_of_one => {
                said.extend(board.facts.comments.iter().map(|comment| comment.text.clone()));
            }
            Notice::Message(text) | Notice::Broadcast(text) => said.push(text.text.clone()),
            Notice::Answer(answer) => add_sentences(&serde_json::to_value(answer).unwrap_or_default(), &mut said),
            _ => {}
        }
    }
    said
}

fn add_sentences(facts: &Value, sentences: &mut Vec<String>) {
    match facts {
        Value::String(text) if text.contains(char::is_whitespace) => sentences.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| add_sentences(value, sentences)),
        Value::Object(values) => values.values().for_each(|value| add_sentences(value, sentences)),
        _ => {}
    }
}

/// Lists the letters whose Message-IDs a header contains, the last one first: `<12.server@domain>` or
/// `<12.server.TOKEN@domain>`.
fn letters_in(header: &str, server: &str) -> Vec<OutboxId> {
    let letter = |local: &str| {
        let mut parts = local.split('.');
        let number = parts.next()?.parse().ok()?;
        (parts.next()? == server).then_some(OutboxId(number))
    };
    local_parts(header).rev().filter_map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_message_ids_identify_their_letters() {
        let ids = "<board-1.server@x> <12.server.abc2@x>\r\n <cc@x> <13.server@x> <14.other.abc2@x> <1@x> <15";
        assert_eq!(letters_in(ids, "server"), [OutboxId(13), OutboxId(12)]);
    }
}
