//! A player at one of their boards: the common start of every action there.

use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Refusal, Seat};
use crate::store::{Board, Comment, NoResult, Player, PlayerId, PlayerRef};
use crate::text::Message;

use crate::service::board::open::OpenBoard;
use crate::service::context::Context;
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::{Reason, RequestError, RequestResult};

/// An authenticated player at one of their boards in progress.
pub(crate) struct PlayerAtBoard {
    pub(crate) open: OpenBoard,
    pub(crate) player: Player,
    /// The player's seats: both if they play against themselves.
    pub(crate) seats: Vec<Seat>,
}

impl PlayerAtBoard {
    pub(crate) fn board(&self) -> &Board {
        &self.open.board
    }

    /// Returns the player's seat if it is their turn.
    pub(crate) fn turn(&self) -> Option<Seat> {
        self.board().to_move.filter(|seat| self.seats.contains(seat))
    }

    pub(crate) fn plays_alone(&self) -> bool {
        self.seats.len() == 2
    }

    pub(crate) fn opponent(&self) -> &str {
        let seat = self.seats[0].other();
        &self.board().players[seat.index()].userid
    }

    /// Returns whether the player was challenged and has not moved yet. A player of an event has accepted its boards.
    pub(crate) fn may_decline(&self) -> bool {
        if self.board().event.is_some() {
            return false;
        }
        let challenged = self.board().challenger != Some(self.player.id) || self.plays_alone();
        challenged && !self.open.has_moved(&self.seats)
    }
}

/// Returns the seats of a player: both if they play against themselves.
pub(crate) fn seats_of(board: &Board, player: PlayerId) -> Vec<Seat> {
    Seat::BOTH.into_iter().filter(|seat| board.players[seat.index()].id == player).collect()
}

impl Context<'_, '_> {
    /// Refuses a board that has ended.
    pub(crate) fn in_progress(&self, at: PlayerAtBoard) -> RequestResult<PlayerAtBoard> {
        if at.board().to_move.is_none() {
            return self.refuse_at(&at, "", message!("service.board-over", number = at.board().number));
        }
        Ok(at)
    }

    /// Opens a board for one of its players. It may have ended, but not have been removed from play.
    pub(crate) fn at_board_of(&self, player: Player, game: &str, number: BoardNumber) -> RequestResult<PlayerAtBoard> {
        let board = self.reading().board(Some(game), number)?;
        let seats = seats_of(&board, player.id);
        if seats.is_empty() {
            let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
            let message = message!("service.played-by-others", number, first, second);
            return Err(self.rejection(&player.userid, message).because(Reason::NotYours).into());
        }
        self.tx.read_ahead(|tx| {
            drop((tx.entries(number), tx.comments(number), tx.followers(number)));
            for PlayerRef { id, userid } in &board.players {
                drop((tx.player(userid), tx.player_by_id(*id), tx.addresses(*id), tx.vacations(*id), tx.stops(*id)));
                drop((tx.is_muted(*id, number), tx.webhook(*id), tx.note(number, *id)));
            }
        })?;
        let at = PlayerAtBoard { open: OpenBoard::open(&*self.tx, board, self.now())?, player, seats };
        if at.board().no_result.is_some_and(NoResult::is_out_of_play) {
            return self.refuse_at(&at, "", message!("service.board-out-of-play", number));
        }
        Ok(at)
    }

    /// Refuses the request, and shows the current board.
    pub(crate) fn refuse_at<T>(&self, at: &PlayerAtBoard, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).at_board(at.open.view(&*self.tx)?).into())
    }

    /// Returns the rules' refusal, with the current board.
    pub(crate) fn refused_by_rules_at(&self, at: &PlayerAtBoard, refusal: Refusal) -> RequestError {
        match at.open.view(&*self.tx) {
            Ok(board) => self.request.rejection_by_rules(refusal).at_board(board).into(),
            Err(error) => error.into(),
        }
    }

    /// Notifies the players and followers of a board about an action. Returns the notified players.
    pub(crate) fn notify(&mut self, at: &mut PlayerAtBoard, event: BoardEvent) -> RequestResult<Vec<PlayerId>> {
        Ok(self.service.notify(self.tx, self.request, &mut at.open, event)?)
    }

    /// Records the comment of the command, if any.
    pub(crate) fn record_comment_at(&mut self, at: &PlayerAtBoard) -> RequestResult<()> {
        self.record_comment(at.board(), at.player.id)
    }

    /// Records the comment of the command on a new board.
    pub(crate) fn record_comment(&mut self, board: &Board, player: PlayerId) -> RequestResult<()> {
        let text = self.request.comment_text();
        if !text.is_empty() {
            let (number, entry) = (board.number, board.entries);
            self.tx.add_comment(&Comment { board: number, entry, player, text, said_at: self.now() })?;
        }
        Ok(())
    }
}
