//! Injected faults, for the simulation.

/// Decides when a store fails. Each method is called at its point, and a return value of `true` causes the failure.
pub trait StoreFaults: Send + Sync {
    /// A writing transaction is about to begin. It fails as busy.
    fn fails_to_begin(&self) -> bool;
    /// A statement is running; called repeatedly meanwhile. It fails as interrupted, and its transaction is rolled
    /// back.
    fn fails_in_statement(&self) -> bool;
    /// A transaction with changes is about to be committed. It is rolled back.
    fn fails_to_commit(&self) -> bool;
}
