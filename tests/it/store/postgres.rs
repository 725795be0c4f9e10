//! What PostgreSQL does besides the contract: its schema, its connections, and what it refuses.

use turnpost::store::*;
use turnpost::world::World;

use super::contract;
use crate::common::postgres;

/// A database without tables, in which the first connection makes them.
struct Empty(postgres::Database);

impl contract::Database for Empty {
    fn open(&self) -> Box<dyn Store> {
        create(self.0.location(), World::REAL).unwrap();
        open(self.0.location(), World::REAL).unwrap()
    }
}

/// An empty database for a test of the contract.
pub fn fresh() -> Box<dyn contract::Database> {
    Box::new(Empty(postgres::Database::empty()))
}
