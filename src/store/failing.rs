//! A store that fails on purpose.

/// When a store fails: the simulation decides it. Each is asked at its moment, and true makes the store fail there.
pub trait StoreFaults: Send + Sync {
    /// The next writing transaction is to begin. Failing, it is busy.
    fn fails_to_begin(&self) -> bool;
    /// A statement runs; asked again and again while it does. Failing, it is interrupted, and what its transaction has
    /// written is undone.
    fn fails_in_statement(&self) -> bool;
    /// A transaction that has written is to be committed. Failing, it is rolled back.
    fn fails_to_commit(&self) -> bool;
}
