//! The puzzle of the day, the command `puzzle`, and the puzzles that a player has solved.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, Utc};

use super::find::{OpenPuzzle, is_of_day, of_day, of_day_in_any_game, open};
use super::views::{PuzzleAnswer, PuzzleVerdict};
use crate::command::{PuzzleAction, UnsolicitedLetters};
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::rules::catalogue;
use crate::service::board::view::game_title;
use crate::service::context::{Context, ReadContext, Service};
use crate::service::notice::facts::{Notice, PuzzleNotice};
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{self, Player, PlayerId, Puzzle, SolvedPuzzle, Transaction};

/// The puzzles whose solution a player knows.
pub struct SolvedPuzzles {
    known: Vec<SolvedPuzzle>,
    today: NaiveDate,
}

impl SolvedPuzzles {
    /// Returns the number of solved puzzles of all games.
    pub fn count(&self) -> usize {
        self.found().count()
    }

    /// Returns the numbers of the solved puzzles of a game.
    pub fn of_game(&self, game: &str) -> Vec<PuzzleNumber> {
        self.found().filter(|solved| solved.game == game).map(|solved| solved.number).collect()
    }

    /// Returns whether the player knows the solution of a puzzle.
    pub fn knows(&self, game: &str, number: PuzzleNumber) -> bool {
        self.known.iter().any(|known| known.game == game && known.number == number)
    }

    /// Returns the number of days in a row, up to today, on each of which the player solved a puzzle. A row up to
    /// yesterday is included, because a puzzle solved today would extend it.
    pub fn days_in_a_row(&self) -> usize {
        let days: BTreeSet<NaiveDate> = self.found().map(|solved| solved.day).collect();
        let before = |day: NaiveDate| day.checked_sub_days(Days::new(1));
        let solved = |day: &NaiveDate| days.contains(day);
        let last = Some(self.today).filter(solved).or_else(|| before(self.today).filter(solved));
        std::iter::successors(last, |day| before(*day).filter(solved)).count()
    }

    fn found(&self) -> impl Iterator<Item = &SolvedPuzzle> {
        self.known.iter().filter(|known| known.found)
    }
}

impl Service<'_> {
    /// Returns the puzzles whose solution a player has found or seen.
    ///
    /// # Errors
    /// If the store fails.
    pub fn solved_puzzles(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<SolvedPuzzles> {
        Ok(SolvedPuzzles { known: tx.solved_puzzles(player)?, today: now.date_naive() })
    }

    /// Records that a player found the solution of a puzzle, or saw it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn record_solved_puzzle(
        &self,
        tx: &mut Transaction<'_>,
        player: PlayerId,
        solved: (&str, PuzzleNumber),
        found: bool,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let (game, number) = solved;
        tx.add_solved_puzzle(player, &SolvedPuzzle { game: game.to_owned(), number, day: now.date_naive(), found })
    }
}

impl Context<'_, '_> {
    /// Records a solution found or requested by mail. Other adapters run the command in a read transaction, which
    /// cannot record it.
    pub(crate) fn record_mailed_solution(&mut self, answer: &PuzzleAnswer) -> store::Result<()> {
        let (Some(verdict), Origin::Mail { sender, .. }) = (&answer.verdict, &self.request.from) else { return Ok(()) };
        let Some(player) = self.tx.player_by_address(sender)?.filter(|_| verdict.right) else { return Ok(()) };
        let solved = (answer.puzzle.game.as_str(), answer.puzzle.number);
        self.service.record_solved_puzzle(self.tx, player.id, solved, !verdict.told, self.request.now)
    }
}

impl Service<'_> {
    /// Returns whether any game has puzzles but no puzzle of the day yet.
    ///
    /// # Errors
    /// If the store fails.
    pub fn wants_puzzle_of_day(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!games_due(tx, now)?.is_empty())
    }

    /// Chooses the puzzle of the day of each game that lacks one, and notifies the subscribers in the same transaction,
    /// so that each puzzle is announced once. Returns the number of chosen puzzles.
    ///
    /// # Errors
    /// If the store fails.
    pub fn choose_puzzles_of_day(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<usize> {
        let mut chosen = 0;
        for game in games_due(tx, now)? {
            let Some(puzzle) = tx.puzzle_of_day(&game, now.date_naive())? else { continue };
            tx.set_puzzle_of_day(&game, puzzle.number, now.date_naive())?;
            chosen += 1;
            let notice = Notice::Puzzle(PuzzleNotice { game: game.clone(), number: puzzle.number });
            for reader in tx.puzzle_readers(&game)? {
                if is_written_to(tx, reader)? {
                    self.write_to(tx, &notice, reader, now)?;
                }
            }
        }
        Ok(chosen)
    }
}

/// Returns the games that have puzzles but no puzzle of the day yet. Omits a game whose puzzle was chosen for
/// tomorrow before the system's clock was set back over midnight.
fn games_due(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Vec<String>> {
    let games: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
    tx.games_without_puzzle(&games, now.date_naive())
}

/// Returns whether a player can receive letters now. If not, the puzzle is not sent to them later either.
fn is_written_to(tx: &Transaction<'_>, reader: PlayerId) -> store::Result<bool> {
    let wants = tx.player_by_id(reader)?.is_some_and(|player| player.settings.letters != UnsolicitedLetters::None);
    let reached = tx.addresses(reader)?.iter().any(|address| address.confirmed_at.is_some());
    Ok(wants && reached && tx.out_of_reach(reader)?.is_none())
}

impl Context<'_, '_> {
    /// Subscribes or unsubscribes a player to a game's puzzle of the day.
    pub(crate) fn get_puzzles(&mut self, game: &'static str, player: &Player, gets: bool) -> RequestResult<Response> {
        self.tx.set_gets_puzzles(player.id, game, gets)?;
        Ok(Response::PuzzlesSubscribed { userid: player.userid.clone(), game: game_title(game).to_owned(), gets })
    }
}

impl ReadContext<'_> {
    pub(crate) fn puzzle(
        &self,
        game: Option<&str>,
        number: Option<PuzzleNumber>,
        action: &PuzzleAction,
    ) -> RequestResult<PuzzleAnswer> {
        let puzzle = self.find_puzzle(game, number)?;
        let daily = is_of_day(self.tx, &puzzle, self.request.now)?;
        let opened = open(self.tx, puzzle, daily)?;
        let (text, told) = match action {
            PuzzleAction::Show => {
                return Ok(PuzzleAnswer { puzzle: opened.view, verdict: None });
            }
            PuzzleAction::Try(text) => (text.clone(), false),
            PuzzleAction::Solution => (opened.puzzle.solution.clone(), true),
        };
        let OpenPuzzle { mut view, puzzle, mut replayed, .. } = opened;
        let played = replayed.try_move(&text).map_err(|refusal| self.request.rejection_by_rules(refusal))?;
        let right = played.text == puzzle.solution;
        if right {
            view.position = replayed.view(false);
        }
        let board = right.then_some(puzzle.board);
        let verdict = PuzzleVerdict { right, told, text: played.text, board };
        Ok(PuzzleAnswer { puzzle: view, verdict: Some(verdict) })
    }

    fn find_puzzle(&self, game: Option<&str>, number: Option<PuzzleNumber>) -> RequestResult<Puzzle> {
        let (tx, now) = (self.tx, self.request.now);
        let found = match (game, number) {
            (Some(game), Some(number)) => tx.puzzle(game, number)?,
            (Some(game), None) => of_day(tx, game, now)?,
            (None, _) => of_day_in_any_game(tx, now)?,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let last = game.map(|game| tx.last_puzzle(game)).transpose()?.unwrap_or_default();
        let word = number.map_or_else(|| game.unwrap_or_default().to_owned(), |number| number.to_string());
        let title = game.map(game_title).unwrap_or_default();
        let message = match last {
            PuzzleNumber(0) => message!("service.no-puzzles", game = title),
            last => message!("service.no-such-puzzle", game = title, number = number.unwrap_or_default(), last),
        };
        Err(self.request.rejection(&word, message).because(Reason::NotThere).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_streak_ends_today_or_yesterday() {
        let row = |days: &[u32]| {
            let day = |day: u32| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
            let solved = |on: &u32| SolvedPuzzle {
                game: "marque".to_owned(),
                number: PuzzleNumber(*on),
                day: day(*on),
                found: *on != 9,
            };
            SolvedPuzzles { known: days.iter().map(solved).collect(), today: day(12) }.days_in_a_row()
        };
        assert_eq!(row(&[]), 0);
        assert_eq!((row(&[12]), row(&[11]), row(&[10])), (1, 1, 0));
        assert_eq!((row(&[10, 11, 12]), row(&[7, 10, 11]), row(&[8, 9, 10, 11])), (3, 2, 2));
    }
}
