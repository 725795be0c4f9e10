//! The puzzle of the day of each game, and its letters. Days are in UTC.

use chrono::{DateTime, Utc};

use crate::command::UnsolicitedLetters;
use crate::rules::catalogue;
use crate::service::account::out_of_reach::out_of_reach;
use crate::service::board::view::game_title;
use crate::service::context::{Context, Service};
use crate::service::notice::facts::{Notice, ToldPuzzle};
use crate::service::rejection::RequestResult;
use crate::service::response::Response;
use crate::store::{self, Player, PlayerId, Transaction};

impl Service<'_> {
    /// Returns whether a game has puzzles, but none is chosen for today.
    ///
    /// # Errors
    /// If the store fails.
    pub fn wants_puzzle_of_day(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!games_due(tx, now)?.is_empty())
    }

    /// Chooses the puzzle of the day of each game that lacks one, and notifies the subscribers. Returns the number of
    /// chosen puzzles. Both happen in one transaction, so that each puzzle is announced once.
    ///
    /// # Errors
    /// If the store fails.
    pub fn choose_puzzles_of_day(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<usize> {
        let mut chosen = 0;
        for game in games_due(tx, now)? {
            let Some(puzzle) = tx.puzzle_of_day(&game, now.date_naive())? else { continue };
            tx.set_puzzle_of_day(&game, puzzle.number, now.date_naive())?;
            chosen += 1;
            let notice = Notice::Puzzle(ToldPuzzle { game: game.clone(), number: puzzle.number });
            for reader in tx.puzzle_readers(&game)? {
                if is_written_to(tx, reader)? {
                    self.write_to(tx, &notice, reader, now)?;
                }
            }
        }
        Ok(chosen)
    }
}

/// Returns the games with puzzles that lack one for today. One chosen for tomorrow, before the system's clock was set
/// back, also counts.
fn games_due(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Vec<String>> {
    let games: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
    tx.games_without_puzzle(&games, now.date_naive())
}

/// Returns whether a player receives letters now. Missed puzzles are not sent later.
fn is_written_to(tx: &Transaction<'_>, reader: PlayerId) -> store::Result<bool> {
    let wants = tx.player_by_id(reader)?.is_some_and(|player| player.settings.letters != UnsolicitedLetters::None);
    let reached = tx.addresses(reader)?.iter().any(|address| address.confirmed_at.is_some());
    Ok(wants && reached && out_of_reach(tx, reader)?.is_none())
}

impl Context<'_, '_> {
    /// Subscribes or unsubscribes a player to a game's puzzle of the day.
    pub(crate) fn get_puzzles(&mut self, game: &'static str, player: &Player, gets: bool) -> RequestResult<Response> {
        self.tx.set_gets_puzzles(player.id, game, gets)?;
        Ok(Response::PuzzlesSubscribed { userid: player.userid.clone(), game: game_title(game).to_owned(), gets })
    }
}
