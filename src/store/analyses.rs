//! Analyses of finished boards, and hints: the estimates that computer players store after their moves.

use chrono::{DateTime, Utc};

use super::sql::{Cell, Param, Raw, Value, all, from_fields, one, params, run};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// A requested or finished analysis of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// The board.
    pub board: BoardNumber,
    /// The hash of the last entry that the analysis covers. If the game has continued since, the board's last hash
    /// differs from this one.
    pub head: String,
    /// The time of the first request.
    pub asked_at: DateTime<Utc>,
    /// The players who are waiting for the analysis.
    pub askers: Vec<Asker>,
    /// The analysis as JSON; `None` before it is finished.
    pub analysis: Option<String>,
}

/// A player who is waiting for an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The player.
    pub player: PlayerId,
    /// Whether to send the analysis in a letter.
    pub by_letter: bool,
}

/// Stored as a JSON array of pairs: a player's id, and whether to send the analysis in a letter.
impl Param for Vec<Asker> {
    fn value(&self) -> Result<Value<'_>> {
        let pairs: Vec<(i64, bool)> = self.iter().map(|asker| (asker.player.0, asker.by_letter)).collect();
        Ok(Value::Text(serde_json::to_string(&pairs).unwrap_or_default().into()))
    }
}

impl Cell for Vec<Asker> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let pairs: Vec<(i64, bool)> = serde_json::from_str(&String::read(cell)?).unwrap_or_default();
        Ok(pairs.into_iter().map(|(id, by_letter)| Asker { player: PlayerId(id), by_letter }).collect())
    }
}

pub(crate) const OF_BOARD: &str = "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE board = ?1";
pub(crate) const WAITING: &str =
    "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE analysis IS NULL ORDER BY asked_at, board";

from_fields!(StoredAnalysis { board, head, asked_at, askers, analysis });

/// Analyses, at most one for each board.
impl Transaction<'_> {
    /// Returns the analysis of a board, if it was requested.
    pub fn analysis(&self, board: BoardNumber) -> Result<Option<StoredAnalysis>> {
        one(self.db(), OF_BOARD, params![board])
    }

    /// Lists the unfinished analyses, in the order of the requests.
    pub fn waiting_analyses(&self) -> Result<Vec<StoredAnalysis>> {
        all(self.db(), WAITING, &[])
    }

    /// Adds or replaces a board's analysis.
    pub fn put_analysis(&mut self, new: &StoredAnalysis) -> Result<()> {
        let sql = "INSERT INTO analyses (board, head, asked_at, askers, analysis) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET head = excluded.head, asked_at = excluded.asked_at, \
             askers = excluded.askers, analysis = excluded.analysis";
        let StoredAnalysis { board, head, asked_at, askers, analysis } = new;
        run(self.writable()?, sql, params![board, head, asked_at, askers, analysis]).map(drop)
    }
}

/// A computer player's estimate after its move on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The entry of the move. The hint is valid while this is the last entry of the board's record.
    pub entry: EntryNumber,
    /// The computer player's estimated chance of winning, in thousandths; `None` if the search had no playout and no
    /// proof, for example because there was only one legal move.
    pub chance: Option<u32>,
    /// Whether the search proved the result of the game. If so, `chance` is 1000 (win), 500 (draw) or 0 (loss).
    pub proved: bool,
    /// The expected next moves, starting with the opponent's.
    pub line: Vec<String>,
}

pub(crate) const HINT: &str = "SELECT entry, chance, proved, line FROM hints WHERE board = ?1";

/// Hints, at most one for each board.
impl Transaction<'_> {
    /// Returns the hint of the last computer player that moved on a board, if one is stored.
    pub fn hint(&self, board: BoardNumber) -> Result<Option<Hint>> {
        let hint = one::<((_, _), (_, String))>(self.db(), HINT, params![board])?;
        Ok(hint.map(|((entry, chance), (proved, line))| {
            let line = line.split_whitespace().map(str::to_owned).collect();
            Hint { entry, chance, proved, line }
        }))
    }

    /// Adds or replaces a board's hint.
    pub fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()> {
        let sql = "INSERT INTO hints (board, entry, chance, proved, line) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET entry = excluded.entry, chance = excluded.chance, \
             proved = excluded.proved, line = excluded.line";
        let Hint { entry, chance, proved, line } = hint;
        run(self.writable_board()?, sql, params![board, entry, chance, proved, line.join(" ")]).map(drop)
    }
}
