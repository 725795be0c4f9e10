//! Finds puzzles by game and number, or by day, and replays their positions.

use chrono::{DateTime, Datelike, Utc};

use crate::numbers::{BoardNumber, PuzzleNumber};
use crate::rules::{Options, PlayedMove, Refusal, catalogue};
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::service::board::view::game_title;
use crate::service::context::Service;
use crate::service::notice::facts::PuzzleNotice;
use crate::service::puzzle::views::{PuzzleList, PuzzleView};
use crate::store::{self, PlayerId, Puzzle, StoreError, Transaction};
use crate::text::Message;

/// A puzzle with its position.
pub struct OpenPuzzle {
    /// The puzzle as players see it.
    pub view: PuzzleView,
    /// The move that led to the position.
    pub last: Option<PlayedMove>,
    pub(crate) puzzle: Puzzle,
    pub(crate) replayed: ReplayedBoard,
}

impl OpenPuzzle {
    /// Returns the number of the board on which the position occurred.
    pub fn board(&self) -> BoardNumber {
        self.puzzle.board
    }

    /// Returns the winning move.
    pub fn solution(&self) -> &str {
        &self.puzzle.solution
    }
}

impl Service<'_> {
    /// Returns the games to whose puzzle of the day a player has subscribed.
    ///
    /// # Errors
    /// If the store fails.
    pub fn gets_puzzles_of(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<String>> {
        tx.gets_puzzles_of(player)
    }

    /// Returns the highest number of a puzzle of each game, and its puzzle of the day.
    ///
    /// # Errors
    /// If the store fails.
    pub fn puzzle_lists(&self, tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Vec<PuzzleList>> {
        let list = |game: &str| {
            Ok(PuzzleList {
                game: game.to_owned(),
                title: game_title(game).to_owned(),
                count: tx.last_puzzle(game)?,
                daily: of_day(tx, game, now)?.map(|puzzle| puzzle.number),
            })
        };
        catalogue::GAMES.iter().map(|game| list(game.name())).collect()
    }

    /// Lists the numbers of a game's puzzles between these two.
    ///
    /// # Errors
    /// If the store fails.
    pub fn puzzle_numbers(&self, tx: &Transaction<'_>, game: &str, from: u32, until: u32) -> store::Result<Vec<u32>> {
        let listed = tx.puzzles(game, PuzzleNumber(from.saturating_sub(1)), until.saturating_sub(from) + 1)?;
        Ok(listed.into_iter().map(|puzzle| puzzle.number.0).take_while(|number| *number <= until).collect())
    }

    /// Returns a puzzle with its position; `None` if the number does not exist.
    ///
    /// # Errors
    /// If the store fails, or the board cannot be replayed.
    pub fn open_puzzle(
        &self,
        tx: &Transaction<'_>,
        game: &str,
        number: PuzzleNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Option<OpenPuzzle>> {
        let Some(puzzle) = tx.puzzle(game, number)? else { return Ok(None) };
        let daily = is_of_day(tx, &puzzle, now)?;
        open(tx, puzzle, daily).map(Some)
    }
}

/// Returns the puzzle of the day of a game.
pub(crate) fn of_day(tx: &Transaction<'_>, game: &str, now: DateTime<Utc>) -> store::Result<Option<Puzzle>> {
    tx.puzzle_of_day(game, now.date_naive())
}

/// Returns the puzzle of the day of one game. On the next day, it is the turn of the next game that has puzzles.
pub(crate) fn of_day_in_any_game(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Option<Puzzle>> {
    let mut puzzles = Vec::new();
    for game in catalogue::GAMES {
        puzzles.extend(of_day(tx, game.name(), now)?);
    }
    let day = usize::try_from(now.date_naive().num_days_from_ce()).unwrap_or_default();
    Ok((!puzzles.is_empty()).then(|| puzzles.swap_remove(day % puzzles.len())))
}

/// Returns whether a puzzle is its game's puzzle of the day.
pub(crate) fn is_of_day(tx: &Transaction<'_>, puzzle: &Puzzle, now: DateTime<Utc>) -> store::Result<bool> {
    Ok(of_day(tx, &puzzle.game, now)?.is_some_and(|daily| daily.number == puzzle.number))
}

/// Returns the puzzle that a notice announces; `None` if it was withdrawn.
///
/// # Errors
/// If the store fails.
pub fn noticed_puzzle(tx: &Transaction<'_>, notice: &PuzzleNotice) -> store::Result<Option<PuzzleView>> {
    let puzzle = tx.puzzle(&notice.game, notice.number)?;
    Ok(puzzle.map(|puzzle| open(tx, puzzle, true)).transpose()?.map(|open| open.view))
}

/// Replays the board of a puzzle up to its position.
pub(crate) fn open(tx: &Transaction<'_>, puzzle: Puzzle, daily: bool) -> store::Result<OpenPuzzle> {
    let none = |what: String| StoreError::Failed(format!("the puzzle's {what} does not exist"));
    let board = tx.board(puzzle.board)?.ok_or_else(|| none(format!("board {}", puzzle.board)))?;
    let game = catalogue::find(&board.game).ok_or_else(|| none(format!("game {}", board.game)))?;
    let options = Options::from_canonical(&board.options);
    let broken = |refusal: Refusal| {
        StoreError::WrongRecord(Message::verbatim(format!(
            "{} puzzle {} does not replay: {refusal}",
            puzzle.game, puzzle.number
        )))
    };
    // Replay without userids, so that the puzzle does not reveal who played.
    let mut replayed = ReplayedBoard::new(game, options, Default::default()).map_err(broken)?;
    replayed.name_players_by_marks();
    let mut last = None;
    for entry in standing_moves(&tx.entries(puzzle.board)?).into_iter().take(puzzle.ply.0 as usize) {
        last = Some(replayed.try_move(&entry.text).map_err(broken)?);
    }
    replayed.name_players_by_marks();
    let play = replayed.position();
    let over = || StoreError::Failed(format!("{} puzzle {} has no player to move", puzzle.game, puzzle.number));
    let to_move = play.to_move().ok_or_else(over)?;
    let view = PuzzleView {
        game: puzzle.game.clone(),
        title: game.title().to_owned(),
        number: puzzle.number,
        count: tx.last_puzzle(&puzzle.game)?,
        daily,
        side: play.side(to_move),
        position: replayed.view(false),
    };
    Ok(OpenPuzzle { view, last, puzzle, replayed })
}
