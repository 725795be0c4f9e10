//! The addresses for replies to a letter and to each of its boards.

use minijinja::{Value, context};

use super::lines::WIDTH;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{BoardEntry, NoticeKind};
use crate::store::{self, OutboxNotice, ProposalKind, Transaction};
use crate::token::{ConfirmationToken, Key, LetterId, LetterToken, Proposed, Token};

/// The columns reserved for the indentation and the board number in a line that shows an address.
const INDENT: usize = 12;

/// The tokens of a letter and the addresses built from them. A letter about one board has that board's token, unless a
/// reply must identify the letter. Other letters to players have a separate token. A letter about several boards also
/// has an address for each board.
#[derive(Default)]
pub(crate) struct Replies {
    /// The secret part of the letter's Message-ID; `None` if replies are not valid.
    pub(crate) id: Option<String>,
    /// The address for replies to the complete letter.
    pub(crate) address: Option<String>,
    boards: Vec<BoardReply>,
}

/// A board that a reply may concern.
struct BoardReply {
    number: BoardNumber,
    /// The length of the board's record.
    entry: EntryNumber,
    /// The address for replies about this board only.
    address: Option<String>,
}

/// Returns the secret part of the Message-ID of the letter that starts with this notice.
pub(crate) fn letter_id(leading: &OutboxNotice, key: &Key) -> Option<String> {
    letter_number(leading).map(|letter| LetterId { letter }.sign(key))
}

fn letter_number(leading: &OutboxNotice) -> Option<u32> {
    u32::try_from(leading.letter.unwrap_or(leading.id).0).ok()
}

impl Replies {
    /// Creates the tokens and addresses for replies to a letter. `boards` are the boards of the letter on which its
    /// reader plays. `is_whole` means that a reply must identify the letter and not only its board, because the reply
    /// may be about an event or a puzzle, or accept a proposal that ends a game. `own` is the server's address.
    pub(crate) fn new(
        tx: &Transaction<'_>,
        leading: &OutboxNotice,
        boards: &[BoardEntry],
        is_whole: bool,
        own: &str,
    ) -> store::Result<Replies> {
        let Some(letter) = letter_number(leading) else { return Ok(Replies::default()) };
        let key = tx.reply_key()?;
        let id = letter_id(leading, &key);
        if NoticeKind::of(leading) == Some(NoticeKind::Confirm) {
            let address = own_address(own, &ConfirmationToken { letter }.sign(&key));
            return Ok(Replies { id, address, boards: Vec::new() });
        }
        let player = leading.player.as_ref().and_then(|player| u32::try_from(player.id.0).ok());
        let Some(player) = player else { return Ok(Replies::default()) };
        let token = match boards {
            [only] if !is_whole => board_token(player, only, &key),
            _ => LetterToken { player, letter }.sign(&key),
        };
        let address = |of: &BoardEntry| match boards {
            [_] => own_address(own, &token),
            _ => own_address(own, &board_token(player, of, &key)),
        };
        let replies =
            boards.iter().map(|of| BoardReply { number: of.board, entry: of.entry, address: address(of) }).collect();
        Ok(Replies { id, address: own_address(own, &token), boards: replies })
    }

    /// Returns whether a reply can concern a board.
    pub(crate) fn has_boards(&self) -> bool {
        !self.boards.is_empty()
    }

    /// Returns whether a reply to the complete letter must name the board.
    pub(crate) fn are_numbered(&self) -> bool {
        self.boards.len() > 1
    }

    /// Returns the address for replies about this board only. Returns `None` if the letter does not show the board with
    /// a record of this length, or the address would be too long.
    pub(crate) fn address_at(&self, (board, entry): (BoardNumber, EntryNumber)) -> Option<&str> {
        self.boards.iter().find(|of| of.number == board && of.entry == entry)?.address.as_deref()
    }

    /// Returns the facts for a template about replies to this board; `none` if replies are not valid. `prefix` precedes
    /// the reply's text. `address` is the board's own address, if the letter has a different one.
    pub(crate) fn facts(&self, board: BoardNumber) -> Value {
        match (self.boards.iter().any(|of| of.number == board), self.are_numbered()) {
            (false, _) => Value::from(()),
            (true, false) => context! { prefix => "", address => () },
            (true, true) => context! { prefix => format!("{board} "), address => self.shown_address(board) },
        }
    }

    /// Returns the board's address if a text can show it in one line.
    pub(crate) fn shown_address(&self, board: BoardNumber) -> Option<&str> {
        let address = self.boards.iter().find(|of| of.number == board)?.address.as_deref();
        address.filter(|address| address.len() + INDENT <= WIDTH)
    }
}

fn board_token(player: u32, of: &BoardEntry, key: &Key) -> String {
    let proposal = of.proposal.map(|kind| match kind {
        ProposalKind::Draw => Proposed::Draw,
        ProposalKind::Undo => Proposed::Undo,
        ProposalKind::Abandon => Proposed::Abandon,
    });
    Token { player, proposal, board: of.board, entry: of.entry }.sign(key)
}

/// Returns the server's address with a detail after its name (plus addressing, RFC 5233). Returns `None` if that would
/// exceed the maximum length of a local part (RFC 5321, 4.5.3.1.1), or `own` is not an address. Replies are then
/// identified by the Message-ID that they answer.
pub fn own_address(own: &str, detail: &str) -> Option<String> {
    let (name, domain) = own.rsplit_once('@')?;
    let local = format!("{name}+{detail}");
    (local.len() <= 64).then(|| format!("{local}@{domain}"))
}
