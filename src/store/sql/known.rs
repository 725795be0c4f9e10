//! What a transaction has read and need not read again: a turn asks for the same two players and the same board many
//! times over.

use crate::recent;
use crate::store::{Address, Board, Player, PlayerId, Result};

/// What a transaction has read, and not written since.
#[derive(Default)]
pub(in crate::store) struct Known {
    pub(in crate::store) players: Recent<Player>,
    /// The addresses of players.
    pub(in crate::store) addresses: Recent<(PlayerId, Vec<Address>)>,
    pub(in crate::store) boards: Recent<Board>,
}

/// The last values that were read: more of each kind than one turn asks for.
pub(in crate::store) struct Recent<T: Clone>(recent::Recent<T, 16>);

impl<T: Clone> Default for Recent<T> {
    fn default() -> Self {
        Recent(recent::Recent::default())
    }
}

impl Known {
    /// Something was written, and it may be any of this.
    pub(in crate::store) fn forget(&self) {
        self.players.forget();
        self.addresses.forget();
        self.boards.forget();
    }
}

impl<T: Clone> Recent<T> {
    /// The value that it is, or else the one that is read now.
    pub(in crate::store) fn get(
        &self,
        is_it: impl Fn(&T) -> bool,
        read: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        if let Some(known) = self.0.find(is_it) {
            return Ok(Some(known));
        }
        let found = read()?;
        found.iter().for_each(|found| self.0.keep(found.clone()));
        Ok(found)
    }

    pub(in crate::store) fn forget(&self) {
        self.0.forget();
    }
}
