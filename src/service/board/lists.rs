//! Pages of boards and standings, open challenges, and a player's own boards.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, Ply};
use crate::service::board::clocks;
use crate::service::board::find::{may_see_challenge, shown_to};
use crate::service::board::players::{self, standing_row};
use crate::service::board::view::{self, offer_view};
use crate::service::board::views::{BoardRow, ClockView, OfferView, ProposalView, StandingRow};
use crate::service::context::Service;
use crate::service::request::Origin;
use crate::store::{self, Board, BoardList, PlayerId, PlayerRef, Transaction};
pub use crate::store::{BoardsOf, Cursor};

/// The number of rows on a page.
const ROWS: u32 = 50;

/// The number of recent changes that [`Service::latest_board`] searches.
const LATEST: i64 = 100;

/// An open challenge in the lobby.
#[derive(Clone, Debug, Serialize)]
pub struct LobbyRow {
    /// The challenge.
    #[serde(flatten)]
    pub offer: OfferView,
    /// The standing of the creator in the game of the challenge.
    pub standing: Option<StandingRow>,
}

/// A page of a list of boards, newest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardPage {
    /// The boards on this page.
    pub boards: Vec<BoardRow>,
    /// The number of the first board on this page, for a link to newer boards; `null` on the newest page.
    pub newer: Option<BoardNumber>,
    /// The number of the last board on this page, for a link to older boards; `null` on the oldest page.
    pub older: Option<BoardNumber>,
}

/// A page of the standings in a game, best first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StandingsPage {
    /// The players on this page.
    pub rows: Vec<StandingRow>,
    /// The rank of the first player, from 1.
    pub from: u32,
    /// The rank at which the previous page starts.
    pub better: Option<u32>,
    /// The rank at which the next page starts.
    pub worse: Option<u32>,
}

/// A player's own board in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MyBoardRow {
    /// The public part of the row.
    #[serde(flatten)]
    pub board: BoardRow,
    /// The other player, or the same player on a board against oneself.
    pub opponent: String,
    /// Whether it is this player's turn.
    pub your_turn: bool,
    /// Whether only the players can see the board.
    pub private: bool,
    /// The clock of the player to move, if it has one.
    pub clock: Option<ClockView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// Whether the player has prepared replies or queued a move.
    pub prepared: bool,
    /// The player's submitted move, which awaits confirmation.
    pub submitted: Option<String>,
}

impl Service<'_> {
    /// Returns a page of the boards of a game or a player, either in progress or finished (`over`). Omits private
    /// boards that the requester may not see. Returns the newest page if the requested one is empty.
    ///
    /// # Errors
    /// If the store fails.
    pub fn board_page(
        &self,
        tx: &Transaction<'_>,
        from: &Origin,
        of: BoardsOf<'_>,
        over: bool,
        cursor: Cursor,
    ) -> store::Result<BoardPage> {
        let list = BoardList { of, over, shown_to: shown_to(tx, from)? };
        let mut boards = tx.board_page(&list, cursor, ROWS)?;
        if boards.is_empty() && cursor != Cursor::Newest {
            boards = tx.board_page(&list, Cursor::Newest, ROWS)?;
        }
        let beyond = |end: Option<&Board>, cursor: fn(BoardNumber) -> Cursor| -> store::Result<Option<BoardNumber>> {
            let Some(number) = end.map(|board| board.number) else { return Ok(None) };
            Ok((!tx.board_page(&list, cursor(number), 1)?.is_empty()).then_some(number))
        };
        Ok(BoardPage {
            newer: beyond(boards.first(), Cursor::After)?,
            older: beyond(boards.last(), Cursor::Before)?,
            boards: boards.iter().map(|board| view::row(tx, board)).collect::<store::Result<_>>()?,
        })
    }

    /// Returns the public open challenges of a game that the requester may see, by number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn open_challenges(&self, tx: &Transaction<'_>, from: &Origin, game: &str) -> store::Result<Vec<OfferView>> {
        let asker = shown_to(tx, from)?;
        let mut challenges = tx.open_challenges(Some(game))?;
        challenges.retain(|challenge| !challenge.terms.flags.private);
        let seen = challenges
            .iter()
            .map(|challenge| Ok(may_see_challenge(tx, asker, challenge)?.then(|| offer_view(challenge))));
        seen.filter_map(Result::transpose).collect()
    }

    /// Returns the open challenges of all games that the requester may see, newest first, each with its creator's
    /// standing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn lobby(&self, tx: &Transaction<'_>, from: &Origin) -> store::Result<Vec<LobbyRow>> {
        let asker = shown_to(tx, from)?;
        let mut rows = Vec::new();
        for challenge in tx.open_challenges(None)?.into_iter().rev() {
            if may_see_challenge(tx, asker, &challenge)? {
                let standing = tx.standing(&challenge.game, challenge.challenger.id)?.as_ref().map(standing_row);
                rows.push(LobbyRow { offer: offer_view(&challenge), standing });
            }
        }
        Ok(rows)
    }

    /// Returns the public board in progress with at least one ply that changed last; `None` if the latest changes
    /// contain no such board.
    ///
    /// # Errors
    /// If the store fails.
    pub fn latest_board(&self, tx: &Transaction<'_>) -> store::Result<Option<BoardRow>> {
        let changes = tx.changes_since(tx.last_change()? - LATEST, LATEST.unsigned_abs() as u32)?;
        for change in changes.iter().rev() {
            let board = tx.board(change.board)?.filter(|board| !board.terms.flags.private && board.to_move.is_some());
            if let Some(board) = board.filter(|board| board.plies > Ply::START) {
                return view::row(tx, &board).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the numbers of the boards on which it is a player's turn, in order.
    ///
    /// # Errors
    /// If the store fails.
    pub fn waiting_boards(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<BoardNumber>> {
        tx.waiting_for(player)
    }

    /// Returns a page of the standings in a game, from this rank on, without players who have left.
    ///
    /// # Errors
    /// If the store fails.
    pub fn standings_page(&self, tx: &Transaction<'_>, game: &str, from: u32) -> store::Result<StandingsPage> {
        let from = from.max(1);
        // Read one row more than shown, to detect whether there is a next page.
        let mut standings = tx.standings_page(game, from - 1, ROWS + 1)?;
        let more = standings.len() > ROWS as usize;
        standings.truncate(ROWS as usize);
        Ok(StandingsPage {
            rows: standings.iter().map(standing_row).collect(),
            from,
            better: (from > 1).then(|| from.saturating_sub(ROWS).max(1)),
            worse: more.then(|| from + ROWS),
        })
    }

    /// Lists at most `most` userids with this prefix, in order.
    ///
    /// # Errors
    /// If the store fails.
    pub fn userids(&self, tx: &Transaction<'_>, beginning: &str, most: u32) -> store::Result<Vec<String>> {
        tx.userids(beginning, most)
    }

    /// Returns the players who look for opponents in a game, by userid, each with the number of wanted opponents.
    ///
    /// # Errors
    /// If the store fails.
    pub fn seekers(&self, tx: &Transaction<'_>, game: &str) -> store::Result<Vec<(String, u32)>> {
        players::seekers(tx, game)
    }

    /// Returns a player's boards in progress in order of urgency: first those where it is the player's turn, by
    /// deadline, then the others.
    ///
    /// # Errors
    /// If the store fails.
    pub fn my_boards(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<MyBoardRow>> {
        let boards = tx.boards(None, Some(player), true)?;
        let mut rows = boards.iter().map(|board| my_row(tx, player, board, now)).collect::<store::Result<Vec<_>>>()?;
        rows.sort_by_key(|row| {
            let deadline = row.clock.as_ref().and_then(|clock| clock.deadline);
            (!row.your_turn, deadline.is_none(), deadline, row.board.moved_at, row.board.number)
        });
        Ok(rows)
    }

    /// Returns at most `most` of a player's boards, by number, starting after the number `after`.
    ///
    /// # Errors
    /// If the store fails.
    pub fn my_boards_by_number(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        after: BoardNumber,
        most: u32,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<MyBoardRow>> {
        let boards = tx.boards_after(None, Some(player), after, most)?;
        boards.iter().map(|board| my_row(tx, player, board, now)).collect()
    }
}

fn my_row(tx: &Transaction<'_>, player: PlayerId, board: &Board, now: DateTime<Utc>) -> store::Result<MyBoardRow> {
    let is_own = |seated: &PlayerRef| seated.id == player;
    let own = board.players.iter().zip(&board.seats).filter(|(seat, _)| is_own(seat)).map(|(_, state)| state);
    let opponent = board.players.iter().find(|seat| !is_own(seat)).unwrap_or(&board.players[0]);
    Ok(MyBoardRow {
        board: view::row(tx, board)?,
        opponent: opponent.userid.clone(),
        your_turn: board.to_move.is_some_and(|seat| is_own(&board.players[seat.index()])),
        private: board.terms.flags.private,
        clock: clocks::view(tx, board, now)?,
        proposal: view::proposal(board),
        prepared: own.clone().any(|state| state.plan.is_some()),
        // A move submitted for an earlier turn is no longer valid.
        submitted: own
            .clone()
            .filter_map(|state| state.submitted.clone())
            .find_map(|submitted| (submitted.after == board.entries).then_some(submitted.text)),
    })
}
