//! The store: the contract of every store, and the properties of each database.

mod contract;
mod postgres;
mod schema;
mod sqlite;
