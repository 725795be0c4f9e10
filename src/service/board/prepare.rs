//! Preparing: queued moves and conditional replies.

use crate::command::Plan;
use crate::rules::Refusal;
use crate::store::Transaction;

use crate::service::board::plans;
use crate::service::board::play::{Seated, refuse_at, refused_at_board};
use crate::service::{Request, RequestResult, Response, Service};

impl Service<'_> {
    /// `queue`: one reply to whatever the opponent plays. When it is the player's turn already, it is a move.
    pub(in crate::service) fn queue(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        seated: Seated,
        text: Option<&str>,
    ) -> RequestResult<Response> {
        match text {
            Some(text) if seated.turn().is_some() => self.make_move(tx, request, seated, text, None),
            Some(text) => self.prepare(tx, request, seated, Some(&plans::queued(text))),
            None => self.prepare(tx, request, seated, None),
        }
    }

    /// `if`: replaces what is prepared, or with `None` gives it up.
    pub(in crate::service) fn prepare(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        seated: Seated,
        plan: Option<&Plan>,
    ) -> RequestResult<Response> {
        if seated.plays_alone() {
            return refuse_at(tx, request, &seated, "", "Against yourself there is nothing to prepare.");
        }
        let seat = seated.seats[0];
        let plan = match plan {
            None => Plan::default(),
            Some(_) if seated.turn().is_some() => {
                let message = "It is your turn: make your move first, and prepare replies after it.";
                return refuse_at(tx, request, &seated, "", message);
            }
            Some(plan) => match plans::understand(seated.live.table.position(), seat, plan) {
                Ok(plan) => plan,
                Err(refusal) => {
                    let refusal = Refusal { word: refusal.word.to_ascii_lowercase(), ..refusal };
                    return Err(refused_at_board(tx, request, &seated, refusal)?);
                }
            },
        };
        let mut state = seated.board().seats[seat.index()].clone();
        state.plan = Some(plan.to_string()).filter(|text| !text.is_empty());
        tx.set_seat(seated.board().number, seat, &state)?;
        Ok(Response::Planned {
            number: seated.board().number,
            userid: seated.player.userid.clone(),
            opponent: seated.opponent().to_owned(),
            game: seated.board().game.clone(),
            plan: plans::lines(seated.live.table.position(), &plan),
        })
    }
}
