//! Leaves the server.

use chrono::TimeDelta;

use crate::clock::Span;
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::store::{ActKind, Board, NoResult, Player};

use crate::service::account::erase::{erase_addresses, own_addresses};
use crate::service::board::open::{Ending, OpenBoard};
use crate::service::context::Context;
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;

/// How long the code that confirms leaving is valid.
const CODE_COUNTS: TimeDelta = TimeDelta::days(7);

/// The boards that ended because their player left or was blocked.
#[derive(Clone, Debug, Default)]
pub struct ClosedBoards {
    /// Boards resigned.
    pub resigned: Vec<BoardNumber>,
    /// Boards taken out of play because the player had not moved.
    pub declined: Vec<BoardNumber>,
}

impl Context<'_, '_> {
    pub(crate) fn ask_to_sign_off(&mut self, player: &Player) -> RequestResult<Response> {
        let code = self.service.world.letters(8);
        self.tx.begin_signoff(player.id, &code, self.request.now)?;
        let boards = self.tx.boards(None, Some(player.id), true)?.iter().map(|board| board.number).collect();
        Ok(Response::SignoffAsked { userid: player.userid.clone(), code, boards })
    }

    pub(crate) fn sign_off(&mut self, player: &Player, code: &str) -> RequestResult<Response> {
        let now = self.now();
        let lifetime = Span::last(CODE_COUNTS, now);
        let valid = player
            .signoff
            .as_ref()
            .is_some_and(|asked| asked.code.eq_ignore_ascii_case(code) && lifetime.contains(asked.given_at));
        if !valid {
            return self.refuse(code, message!("service.wrong-signoff-code"));
        }
        let mut addresses = own_addresses(&*self.tx, player)?;
        if let Origin::Mail { sender, .. } = &self.request.from
            && self.tx.player_by_address(sender)?.is_none()
        {
            addresses.push(sender.clone());
        }
        let ClosedBoards { resigned, declined } = self.close_account(player)?;
        erase_addresses(self.tx, &addresses, now)?;
        self.log_change(player.id, ActKind::SignOff, "")?;
        Ok(Response::SignedOff { userid: player.userid.clone(), resigned, removed: declined })
    }

    /// Removes a player's data and ends their boards.
    pub(crate) fn close_account(&mut self, player: &Player) -> RequestResult<ClosedBoards> {
        // Remove the addresses first: the answer informs the player, so no letters about these boards are necessary.
        self.tx.leave(player.id, self.now())?;
        self.close_boards(player)
    }

    /// Withdraws a player's open challenges, and ends their boards.
    pub(crate) fn close_boards(&mut self, player: &Player) -> RequestResult<ClosedBoards> {
        let now = self.now();
        for offer in self.tx.open_challenges(None)?.iter().filter(|offer| offer.challenger.id == player.id) {
            self.tx.close_open_challenge(offer.number, now)?;
        }
        let mut closed = ClosedBoards::default();
        for board in self.tx.boards(None, Some(player.id), true)? {
            let number = board.number;
            match self.leave_board(player, board)? {
                true => closed.resigned.push(number),
                false => closed.declined.push(number),
            }
        }
        Ok(closed)
    }

    /// Resigns a board of a leaving player, or removes it if they never moved. Returns whether they resigned.
    fn leave_board(&mut self, player: &Player, board: Board) -> RequestResult<bool> {
        let seats: Vec<Seat> = Seat::BOTH.into_iter().filter(|s| board.players[s.index()].id == player.id).collect();
        let mut open = OpenBoard::open(self.tx, board, self.now())?;
        let resigns = open.has_moved(&seats);
        if resigns {
            let via = self.via();
            open.end(self.tx, Ending::Resignation(seats[0]), via)?;
            self.service.notify(self.tx, self.request, &mut open, BoardEvent::End)?;
        } else {
            open.end_without_result(self.tx, NoResult::Declined, Some(player.id))?;
            let by = player.userid.clone();
            self.service.notify(self.tx, self.request, &mut open, BoardEvent::Decline { by })?;
        }
        Ok(resigns)
    }
}
