//! Evaluations by computer players: analyses of finished boards, and hints at their moves.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Row, Time, all, one, params, run};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// A requested or finished analysis of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// The board.
    pub board: BoardNumber,
    /// The hash of the record's last entry; it differs if the game was continued after the analysis.
    pub head: String,
    /// The time of the first request.
    pub asked_at: DateTime<Utc>,
    /// The players who are waiting for it.
    pub askers: Vec<Asker>,
    /// The analysis as JSON; `None` if it is not finished.
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

/// Formats the askers of a row as JSON pairs.
pub(crate) fn written_askers(askers: &[Asker]) -> String {
    let pairs: Vec<(i64, bool)> = askers.iter().map(|asker| (asker.player.0, asker.by_letter)).collect();
    serde_json::to_string(&pairs).unwrap_or_default()
}

/// Parses the askers of a row.
pub(crate) fn read_askers(askers: &str) -> Vec<Asker> {
    let pairs: Vec<(i64, bool)> = serde_json::from_str(askers).unwrap_or_default();
    pairs.into_iter().map(|(id, by_letter)| Asker { player: PlayerId(id), by_letter }).collect()
}

pub(crate) const OF_BOARD: &str = "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE board = ?1";
pub(crate) const WAITING: &str =
    "SELECT board, head, asked_at, askers, analysis FROM analyses WHERE analysis IS NULL ORDER BY asked_at, board";

fn analysis(row: &Row<'_>) -> Result<StoredAnalysis> {
    let mut cells = Cells::of(row);
    Ok(StoredAnalysis {
        board: cells.take()?,
        head: cells.take()?,
        asked_at: cells.time()?,
        askers: read_askers(&cells.take::<String>()?),
        analysis: cells.take()?,
    })
}

/// Analyses, at most one for each board.
impl Transaction<'_> {
    /// Returns the analysis of a board, if it was requested.
    pub fn analysis(&self, board: BoardNumber) -> Result<Option<StoredAnalysis>> {
        one(self.db(), OF_BOARD, params![board], analysis)
    }

    /// Lists the unfinished analyses, in the order of the requests.
    pub fn waiting_analyses(&self) -> Result<Vec<StoredAnalysis>> {
        all(self.db(), WAITING, &[], analysis)
    }

    /// Replaces a board's analysis.
    pub fn put_analysis(&mut self, new: &StoredAnalysis) -> Result<()> {
        let sql = "INSERT INTO analyses (board, head, asked_at, askers, analysis) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET head = excluded.head, asked_at = excluded.asked_at, \
             askers = excluded.askers, analysis = excluded.analysis";
        let StoredAnalysis { board, head, asked_at, askers, analysis } = new;
        run(self.writable()?, sql, params![board, head, Time(*asked_at), written_askers(askers), analysis]).map(drop)
    }
}

/// The evaluation of a computer player at its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The entry of the move. The hint is valid while this is the last entry of the board's record.
    pub entry: EntryNumber,
    /// The player's own winning chance, in thousandths; `None` if it had only one move and did not search.
    pub chance: Option<u32>,
    /// Whether the result is proved. The chance is then 1000, 500 or 0.
    pub proved: bool,
    /// The expected next moves, starting with the opponent's.
    pub line: Vec<String>,
}

/// Formats the moves of a line, separated by spaces.
pub(crate) fn written_line(line: &[String]) -> String {
    line.join(" ")
}

/// Parses the moves of a line.
pub(crate) fn read_line(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

pub(crate) const HINT: &str = "SELECT entry, chance, proved, line FROM hints WHERE board = ?1";

/// Hints, at most one for each board.
impl Transaction<'_> {
    /// Returns the hint at the last move of a computer player on a board, if one is stored.
    pub fn hint(&self, board: BoardNumber) -> Result<Option<Hint>> {
        one(self.db(), HINT, params![board], |row| {
            let mut cells = Cells::of(row);
            Ok(Hint {
                entry: cells.take()?,
                chance: cells.take()?,
                proved: cells.take()?,
                line: read_line(&cells.take::<String>()?),
            })
        })
    }

    /// Replaces the board's hint.
    pub fn put_hint(&mut self, board: BoardNumber, hint: &Hint) -> Result<()> {
        let sql = "INSERT INTO hints (board, entry, chance, proved, line) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (board) DO UPDATE SET entry = excluded.entry, chance = excluded.chance, \
             proved = excluded.proved, line = excluded.line";
        let Hint { entry, chance, proved, line } = hint;
        run(self.writable_board()?, sql, params![board, entry, chance, proved, written_line(line)]).map(drop)
    }
}
