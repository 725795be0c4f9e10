//! The store: the contract that every store keeps, and what each database does besides.

mod contract;
mod postgres;
mod schema;
mod side_by_side;
mod sqlite;
