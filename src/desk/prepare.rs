//! Preparing: queued moves and conditional replies.

use crate::command::Plan;
use crate::rules::Refusal;
use crate::store::Ledger;

use super::play::{Seated, refuse_at, refused_at_board};
use super::{Answer, Desk, Done, Request, plans};

impl Desk<'_> {
    /// `queue`: one reply to whatever the opponent plays. When it is the player's turn already, it is a move.
    pub(super) fn queue(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        seated: Seated,
        text: Option<&str>,
    ) -> Done<Answer> {
        match text {
            Some(text) if seated.turn().is_some() => self.make_move(ledger, request, seated, text, None),
            Some(text) => self.prepare(ledger, request, seated, Some(&plans::queued(text))),
            None => self.prepare(ledger, request, seated, None),
        }
    }

    /// `if`: replaces what is prepared, or with `None` gives it up.
    pub(super) fn prepare(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        seated: Seated,
        plan: Option<&Plan>,
    ) -> Done<Answer> {
        if seated.plays_alone() {
            return refuse_at(ledger, request, &seated, "", "Against yourself there is nothing to prepare.");
        }
        let seat = seated.seats[0];
        let plan = match plan {
            None => Plan::default(),
            Some(_) if seated.turn().is_some() => {
                let message = "It is your turn: make your move first, and prepare replies after it.";
                return refuse_at(ledger, request, &seated, "", message);
            }
            Some(plan) => match plans::understand(seated.live.table.position(), seat, plan) {
                Ok(plan) => plan,
                Err(refusal) => {
                    let refusal = Refusal { word: refusal.word.to_ascii_lowercase(), ..refusal };
                    return Err(refused_at_board(ledger, request, &seated, refusal)?);
                }
            },
        };
        let mut state = seated.board().seats[seat.index()].clone();
        state.plan = Some(plan.to_string()).filter(|text| !text.is_empty());
        ledger.set_seat(seated.board().number, seat, &state)?;
        Ok(Answer::Planned {
            number: seated.board().number,
            userid: seated.player.userid.clone(),
            opponent: seated.opponent().to_owned(),
            game: seated.board().game.clone(),
            plan: plans::lines(seated.live.table.position(), &plan),
        })
    }
}
