//! The desk: a [`Request`] in, an [`Answer`] or a [`Refused`] out; the only room that changes a board.
//!
//! It works inside a transaction of the store that its caller begins and commits, so that a mail's verdict and what
//! the mail changed are one. It checks everything before it writes anything: a refused request has written nothing
//! (but the count of wrong passwords).

mod types;

pub use types::*;

use crate::store::{self, Ledger};
use crate::world::World;

/// The desk.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Randomness (salts, codes); its clock is not read: the time is the request's.
    pub world: World,
    /// The domain of the server's address, which ends Message-IDs.
    pub domain: &'a str,
}

impl Desk<'_> {
    /// Answers one request inside the caller's transaction, and writes the notices of those who must be told.
    ///
    /// # Errors
    /// The store's, when the transaction should be dropped; a [`Refused`] is an answer, and the transaction may be
    /// committed.
    pub fn answer(&self, ledger: &mut dyn Ledger, request: &Request) -> store::Result<Result<Answer, Refused>> {
        let _ = (ledger, request);
        todo!()
    }
}

/// The board after `ply` plies (now, when `None`), for a reader; `None` when there is no such board or ply.
///
/// # Errors
/// The store's.
pub fn board_view(ledger: &dyn Ledger, number: u32, ply: Option<u32>, plain: bool) -> store::Result<Option<BoardView>> {
    let _ = (ledger, number, ply, plain);
    todo!()
}
