//! Tests of the contract that every store fulfils, and of the properties of each database.

mod contract;
mod postgres;
mod schema;
mod sqlite;
