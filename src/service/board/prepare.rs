//! Queued moves and conditional replies.

use crate::command::{Plan, Reply};
use crate::message;
use crate::rules::Refusal;

use crate::service::board::plans;
use crate::service::board::player_at_board::PlayerAtBoard;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    /// `queue`: prepares one reply to any move of the opponent. If it is already the player's turn, plays the move.
    pub(crate) fn queue(&mut self, at: PlayerAtBoard, text: Option<&str>) -> RequestResult<Response> {
        match text {
            Some(text) if at.turn().is_some() => self.make_move(at, text, None),
            Some(text) => {
                let reply = Reply::Move(text.to_ascii_lowercase());
                self.prepare(&at, Some(&plans::to_any_move(reply)))
            }
            None => self.prepare(&at, None),
        }
    }

    /// `if`: replaces the prepared replies, or removes them if the plan is `None`.
    pub(crate) fn prepare(&mut self, at: &PlayerAtBoard, plan: Option<&Plan>) -> RequestResult<Response> {
        if at.plays_alone() {
            return self.refuse_at(at, "", message!("service.nothing-to-prepare-alone"));
        }
        let (seat, position) = (at.seats[0], at.open.replayed.position());
        let plan = match plan {
            None => Plan::default(),
            Some(_) if at.turn().is_some() => return self.refuse_at(at, "", message!("service.move-before-preparing")),
            Some(plan) => match plans::understand(position, seat, plan) {
                Ok(plan) => plan,
                Err(refusal) => {
                    let refusal = Refusal { word: refusal.word.to_ascii_lowercase(), ..refusal };
                    return Err(self.refused_by_rules_at(at, refusal));
                }
            },
        };
        let board = at.board();
        let mut state = board.seats[seat.index()].clone();
        state.plan = Some(plan.to_string()).filter(|text| !text.is_empty());
        self.tx.set_seat(board.number, seat, &state)?;
        Ok(Response::Planned {
            number: board.number,
            userid: at.player.userid.clone(),
            opponent: at.opponent().to_owned(),
            game: board.game.clone(),
            plan: plans::lines(position, &plan),
        })
    }
}
