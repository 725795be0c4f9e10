//! Analyses of finished boards: a cache of what the computer player thinks.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};
use crate::numbers::BoardNumber;

/// The analysis of a board's record, or that it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// The board.
    pub board: BoardNumber,
    /// The hash of the last entry of the record that is analysed: of a record that went on, it is another one.
    pub head: String,
    /// When it was asked for.
    pub asked_at: DateTime<Utc>,
    /// The players who wait for it.
    pub askers: Vec<Asker>,
    /// The analysis as JSON; `None`: it is not made yet.
    pub analysis: Option<String>,
}

/// A player who waits for an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The player.
    pub player: PlayerId,
    /// Whether a letter brings it.
    pub by_letter: bool,
}

/// Analyses, one for each board at most.
pub trait Analyses {
    /// The analysis of a board, if it was asked for.
    fn analysis(&self, board: BoardNumber) -> Result<Option<StoredAnalysis>>;
    /// Lists those that are not made yet, in the order in which they were asked for.
    fn waiting_analyses(&self) -> Result<Vec<StoredAnalysis>>;
    /// Puts an analysis in the place of the board's last one.
    fn put_analysis(&mut self, analysis: &StoredAnalysis) -> Result<()>;
    /// Removes a board's analysis, if there is one.
    fn remove_analysis(&mut self, board: BoardNumber) -> Result<()>;
}

/// The askers of a row as they are stored: pairs in JSON.
pub(super) fn written(askers: &[Asker]) -> String {
    let pairs: Vec<(i64, bool)> = askers.iter().map(|asker| (asker.player.0, asker.by_letter)).collect();
    serde_json::to_string(&pairs).unwrap_or_default()
}

/// The askers of a row as they were stored.
pub(super) fn read(askers: &str) -> Vec<Asker> {
    let pairs: Vec<(i64, bool)> = serde_json::from_str(askers).unwrap_or_default();
    pairs.into_iter().map(|(id, by_letter)| Asker { player: PlayerId(id), by_letter }).collect()
}
