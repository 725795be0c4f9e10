//! A cache of the rows that a transaction has read: a turn reads the same two players and the same board many times.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::numbers::BoardNumber;
use crate::recent::Recent;
use crate::store::Result;

/// The rows that a transaction has read and not written since.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) players: Rows,
    /// The addresses of players.
    pub(crate) addresses: Rows,
    pub(crate) boards: Rows,
    /// The comments on boards.
    pub(crate) comments: Rows,
    /// The first copies of mails.
    pub(crate) seen: Rows,
    /// The boards in progress.
    pub(crate) in_progress: RefCell<BTreeSet<BoardNumber>>,
}

/// The last rows of one table, with room for more than a turn reads. The subject defines their type.
#[derive(Default)]
pub(crate) struct Rows(Recent<Rc<dyn Any>, 16>);

impl Known {
    /// Clears the cache, after a write that may have changed any row.
    pub(crate) fn forget(&self) {
        self.players.forget();
        self.addresses.forget();
        self.boards.forget();
        self.comments.forget();
        self.seen.forget();
        self.in_progress.borrow_mut().clear();
    }
}

impl Rows {
    /// Returns the cached row that `is_it` recognises; otherwise reads it with `read`.
    pub(crate) fn get<T: Clone + 'static>(
        &self,
        is_it: impl Fn(&T) -> bool,
        read: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let known = self.0.find(|row| row.downcast_ref().is_some_and(&is_it));
        if let Some(row) = known.as_ref().and_then(|row| row.downcast_ref::<T>()) {
            return Ok(Some(row.clone()));
        }
        let found = read()?;
        found.iter().for_each(|found| self.0.keep(Rc::new(found.clone())));
        Ok(found)
    }

    pub(crate) fn forget(&self) {
        self.0.forget();
    }
}
