//! What a transaction has read and need not read again: a turn asks for the same two players and the same board many
//! times over.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::store::{Address, Board, Player, PlayerId, Result};

/// How much of each kind is known at a time: more than one turn asks for.
const KEPT: usize = 16;

/// What a transaction has read, and not written since.
#[derive(Default)]
pub(super) struct Known {
    pub(super) players: Recent<Player>,
    /// The addresses of players.
    pub(super) addresses: Recent<(PlayerId, Vec<Address>)>,
    pub(super) boards: Recent<Board>,
}

/// The last values that were read.
pub(super) struct Recent<T>(RefCell<VecDeque<T>>);

impl Known {
    /// Something was written, and it may be any of this.
    pub(super) fn forget(&self) {
        self.players.forget();
        self.addresses.forget();
        self.boards.forget();
    }
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent(RefCell::default())
    }
}

impl<T: Clone> Recent<T> {
    /// The value that it is, or else the one that is read now.
    pub(super) fn get(
        &self,
        is_it: impl Fn(&T) -> bool,
        read: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        if let Some(known) = self.0.borrow().iter().find(|known| is_it(known)) {
            return Ok(Some(known.clone()));
        }
        let found = read()?;
        if let Some(found) = &found {
            let mut known = self.0.borrow_mut();
            known.truncate(KEPT - 1);
            known.push_front(found.clone());
        }
        Ok(found)
    }
}

impl<T> Recent<T> {
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}
