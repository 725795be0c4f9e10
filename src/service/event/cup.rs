//! Editions of cups: in each round, the losers of the ties are eliminated.

use super::boards::{NewEventBoard, Organizer};
use super::league::{FEWEST, by_rating};
use super::ties::{CupTie, State, bracket_of, count_rounds};
use super::views::has_scored;
use crate::store::{self, BoardPlace, EventBoard, Participant, PlayerId, PlayerRef};

/// The division number of all boards of a cup.
const ONLY: u32 = 1;

impl Organizer<'_, '_> {
    /// Begins an edition of a cup. Returns whether there were enough players.
    pub(crate) fn begin_cup(&mut self, number: u32) -> store::Result<bool> {
        let players = by_rating(self.tx, self.event)?;
        if players.len() < FEWEST {
            return Ok(false);
        }
        let latest_at = self.now + self.longest_tie(&players)? * count_rounds(players.len());
        let edition = self.open_edition(number, Some(latest_at))?;
        for (place, entrant) in (1..).zip(players) {
            let of = Participant { player: entrant.player, division: ONLY, place, withdrawn: None, rank: None };
            self.tx.set_participant(self.event.id, number, &of)?;
        }
        self.write_beginning(&edition)?;
        self.advance_cup(number)?;
        Ok(true)
    }

    /// Begins the due games of a cup. Returns whether the final and the third-place game have ended.
    pub(crate) fn advance_cup(&mut self, edition: u32) -> store::Result<bool> {
        let participants = self.tx.participants(self.event.id, edition)?;
        let boards = self.tx.event_boards(self.event.id, edition)?;
        let rounds = bracket_of(&participants, &boards);
        for (round, ties) in (1..).zip(&rounds) {
            for (slot, tie) in (1..).zip(ties) {
                let place = BoardPlace { division: ONLY, round, slot };
                self.begin_game_of(edition, (tie, place, &boards))?;
            }
            if ties.iter().any(|tie| tie.winner().is_none()) {
                return Ok(false);
            }
        }
        let Some((last, earlier)) = rounds.split_last() else { return Ok(false) };
        let mut ranked: Vec<&Participant> = last.iter().flat_map(|tie| [tie.winner(), tie.loser()]).flatten().collect();
        for ties in earlier.iter().rev() {
            let mut losers: Vec<&Participant> = ties.iter().filter_map(CupTie::loser).collect();
            losers.sort_by_key(|of| of.place);
            ranked.extend(losers);
        }
        let mut done: Vec<PlayerId> = Vec::new();
        for of in ranked {
            if !done.contains(&of.player.id) {
                done.push(of.player.id);
                // A player in first place who has not scored does not win the edition, and gets no rank.
                let is_ranked = done.len() > 1 || has_scored(of.player.id, &participants, &boards);
                let rank = Some(done.len() as u32).filter(|_| is_ranked);
                self.tx.set_participant(self.event.id, edition, &Participant { rank, ..of.clone() })?;
            }
        }
        Ok(true)
    }

    /// Begins the first game of a tie, or a replay with swapped sides.
    fn begin_game_of(
        &mut self,
        edition: u32,
        (tie, place, boards): (&CupTie<'_>, BoardPlace, &[EventBoard]),
    ) -> store::Result<()> {
        let [Some(one), Some(other)] = tie.players else { return Ok(()) };
        let was_first = |player: PlayerId| boards.iter().filter(|board| board.players[0].id == player).count();
        let players: [&PlayerRef; 2] = match tie.state {
            State::New => {
                // The player who has moved first in fewer games moves first. If the numbers are equal, the lower
                // seed moves first.
                let key = |of: &Participant| (was_first(of.player.id), std::cmp::Reverse(of.place));
                if key(one) < key(other) { [&one.player, &other.player] } else { [&other.player, &one.player] }
            }
            State::Replay => {
                let game = boards.iter().find(|board| board.place == place);
                let first = game.map(|game| game.players[0].id);
                if first == Some(one.player.id) { [&other.player, &one.player] } else { [&one.player, &other.player] }
            }
            State::Playing | State::Won(..) => return Ok(()),
        };
        self.begin_event_board(edition, NewEventBoard { place, players, comment: String::new() })?;
        Ok(())
    }
}
