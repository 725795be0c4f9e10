//! Boards, and what is arranged on them beside their records.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoardClock, PlayerId, PlayerRef, Result, ResultReason, Seat};
use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber, Ply};

/// A board to be added.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// Its number, when it has one already: that of an open challenge, or the one on the server it is imported from.
    pub number: Option<BoardNumber>,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// The players of the first and the second seat.
    pub players: [PlayerId; 2],
    /// The seat that moves first.
    pub to_move: Seat,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// The board that it is a rematch of.
    pub rematch_of: Option<BoardNumber>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Whether only its players see it.
    pub private: bool,
    /// Its time control.
    pub time_control: TimeControl,
    /// The hash to which the first entry is chained: [`chain::genesis`](super::chain::genesis).
    pub hash: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A board's state beside its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: BoardNumber,
    /// The catalogue's name of the game.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// The players of the first and the second seat.
    pub players: [PlayerRef; 2],
    /// The userids that the genesis is made of: those of its players when it began. `None`: the player was removed.
    pub began_as: [Option<String>; 2],
    /// The seat whose turn it is; `None` when the board is over.
    pub to_move: Option<Seat>,
    /// How many entries its record has.
    pub entries: EntryNumber,
    /// How many plies stand.
    pub plies: Ply,
    /// The hash to which the first entry is chained.
    pub genesis: String,
    /// The hash of the last entry, or the genesis.
    pub head: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When the last entry was made, or the board.
    pub moved_at: DateTime<Utc>,
    /// The result, when it is over.
    pub result: Option<BoardResult>,
    /// Why it ended without a result, if it did.
    pub no_result: Option<NoResult>,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// The board that it is a rematch of.
    pub rematch_of: Option<BoardNumber>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Position among the rated boards in the order in which they ended, from 1.
    pub rated_as: Option<u32>,
    /// Whether only its players see it.
    pub private: bool,
    /// Its time control.
    pub time_control: TimeControl,
    /// The clock of the player to move, if it has one.
    pub clock: Option<BoardClock>,
    /// What is arranged at each seat.
    pub seats: [SeatState; 2],
    /// The open proposal.
    pub proposal: Option<Proposal>,
}

/// What is arranged at a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    /// Time used on earlier plies.
    pub used: TimeDelta,
    /// Conditional replies, canonical.
    pub plan: Option<String>,
    /// A move to be confirmed.
    pub submitted: Option<SubmittedMove>,
}

/// A move that its player has submitted and not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedMove {
    /// The canonical move text.
    pub text: String,
    /// The last entry of the record then.
    pub after: EntryNumber,
}

/// A proposal to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What is proposed.
    pub kind: ProposalKind,
    /// The seat of the proposer.
    pub by: Seat,
}

/// What can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// To end the game as a draw.
    Draw,
    /// To take the proposer's last move back.
    Undo,
    /// To end the game without a result.
    Abandon,
}

impl ProposalKind {
    /// Its name, as it is stored and as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            ProposalKind::Draw => "draw",
            ProposalKind::Undo => "undo",
            ProposalKind::Abandon => "abandon",
        }
    }
}

/// How a board ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardResult {
    /// The seat that won; `None` is a draw.
    pub winner: Option<Seat>,
    /// What ended the game.
    pub reason: ResultReason,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

/// Why a board ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoResult {
    /// A player declined the challenge.
    Declined,
    /// A player made no first move in time.
    Expired,
    /// The administrator voided the board.
    Void,
    /// The players agreed to abandon the game.
    Abandoned,
}

impl NoResult {
    /// Its name, as it is stored and as programs read it.
    pub const fn name(self) -> &'static str {
        match self {
            NoResult::Declined => "declined",
            NoResult::Expired => "expired",
            NoResult::Void => "void",
            NoResult::Abandoned => "abandoned",
        }
    }

    /// Whether the board is not listed and takes no more commands.
    pub const fn is_out_of_play(self) -> bool {
        !matches!(self, NoResult::Abandoned)
    }
}

/// The boards, beside their records.
///
/// Needs: numbers are unique among boards and open challenges, except that the board which an open challenge becomes has
/// its number; a number is never drawn twice, and none is left out, also when a transaction that drew one is dropped.
/// What a writing transaction has read of a board stays true until it commits.
pub trait Boards {
    /// Adds a board, and returns its number: the one it brings, else the next one of the sequence. Fails when the
    /// number is a board's already. The sequence goes on after the greatest number there ever was.
    fn add_board(&mut self, board: &NewBoard) -> Result<BoardNumber>;
    /// Finds the board of a number, also one that was declined.
    fn board(&self, number: BoardNumber) -> Result<Option<Board>>;
    /// Lists boards of a game (or all), of a player (or all), in progress only or not, by number, without declined
    /// ones.
    fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>>;
    /// Lists boards of a game (or all), of a player (or all), whose numbers are greater than `after`, by number, at
    /// most `most`, without declined ones.
    fn boards_after(
        &self,
        game: Option<&str>,
        player: Option<PlayerId>,
        after: BoardNumber,
        most: u32,
    ) -> Result<Vec<Board>>;
    /// Finds the newest rematch of a board, without declined ones.
    fn rematch(&self, number: BoardNumber) -> Result<Option<BoardNumber>>;
    /// How many boards of a game are in progress.
    fn active_boards(&self, game: &str) -> Result<u32>;
    /// Lists every number that is a board's or an open challenge's, also a declined or closed one's, in order. See
    /// [`numbered`](super::numbered()).
    fn numbers(&self) -> Result<Vec<BoardNumber>>;
    /// Ends a board, after an entry to which it is nobody's turn, or without one. Clears its clock, its proposal and
    /// what is arranged at its seats. Fails when it is over or declined.
    fn end_board(&mut self, number: BoardNumber, result: &BoardResult) -> Result<()>;
    /// Ends a board as [`Boards::end_board`] does, but without a result. A board out of play is listed no more, and keeps
    /// its number. `by` is the player who declined it or made no first move; `None`: the administrator, or both players.
    fn end_without_result(
        &mut self,
        number: BoardNumber,
        why: NoResult,
        by: Option<PlayerId>,
        now: DateTime<Utc>,
    ) -> Result<()>;
    /// Takes back the end of a board; then the next entry says whose turn it is. Deletes its analysis, since nobody gets
    /// help with a game in progress. Fails when it is in progress or has changed ratings.
    fn reopen_board(&mut self, number: BoardNumber) -> Result<()>;
    /// Lists the numbers of the boards on which it is this player's turn, in order.
    fn waiting_for(&self, player: PlayerId) -> Result<Vec<BoardNumber>>;
    /// Lists the numbers of the boards on which it is the turn of one of these players, or something is proposed to one of
    /// them, in order. How many boards they have beside those makes no difference.
    fn waiting_for_any(&self, userids: &[String]) -> Result<Vec<BoardNumber>>;
    /// How many challenges of this player are unanswered: open ones, and boards in progress on which no opponent has
    /// ever moved.
    fn unanswered(&self, challenger: PlayerId) -> Result<u32>;
    /// Sets [`Board::began_as`] of a board that is imported.
    fn set_began_as(&mut self, number: BoardNumber, began_as: &[Option<String>; 2]) -> Result<()>;
    /// Replaces what is arranged at a seat.
    fn set_seat(&mut self, number: BoardNumber, seat: Seat, state: &SeatState) -> Result<()>;
    /// Opens a proposal, or clears it.
    fn set_proposal(&mut self, number: BoardNumber, proposal: Option<Proposal>) -> Result<()>;
}
