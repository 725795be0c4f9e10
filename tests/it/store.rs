//! The store: the contract that every store keeps, and what SQLite does besides.

mod contract;
mod sqlite;
