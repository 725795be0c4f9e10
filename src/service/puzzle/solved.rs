//! The puzzles that a player has solved.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, Utc};

use crate::numbers::PuzzleNumber;
use crate::service::context::{Context, Service};
use crate::service::puzzle::views::PuzzleAnswer;
use crate::service::request::Origin;
use crate::store::{self, PlayerId, SolvedPuzzle, Transaction};

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

    /// Returns the number of days in a row, up to today, on each of which the player solved a puzzle. A row that ended
    /// yesterday can still grow.
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
    /// Returns the puzzles that a player has solved.
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
    /// Records a solution that was mailed. Other adapters run the command in a transaction that only reads.
    pub(crate) fn record_mailed_solution(&mut self, answer: &PuzzleAnswer) -> store::Result<()> {
        let (Some(verdict), Origin::Mail { sender, .. }) = (&answer.verdict, &self.request.from) else { return Ok(()) };
        let Some(player) = self.tx.player_by_address(sender)?.filter(|_| verdict.right) else { return Ok(()) };
        let solved = (answer.puzzle.game.as_str(), answer.puzzle.number);
        self.service.record_solved_puzzle(self.tx, player.id, solved, !verdict.told, self.request.now)
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
