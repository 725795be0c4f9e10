//! Playing: moves, submitted moves, resignations, declining, chat and notes.

use crate::message;
use crate::numbers::Ply;
use crate::rules::Seat;
use crate::store::{EditionRef, NoResult, SubmittedMove};

use crate::service::board::open::Ending;
use crate::service::board::player_at_board::PlayerAtBoard;
use crate::service::context::Context;
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    pub(crate) fn make_move(&mut self, mut at: PlayerAtBoard, text: &str, ply: Option<Ply>) -> RequestResult<Response> {
        self.check_turn(&at, ply)?;
        self.play(&mut at, text)
    }

    /// Plays a move with its comment and the prepared replies, and notifies the players.
    fn play(&mut self, at: &mut PlayerAtBoard, text: &str) -> RequestResult<Response> {
        let via = self.via();
        if let Err(mut refusal) = at.open.play(self.tx, text, via)? {
            // The rules use the canonical text, but the player looks for the typed one.
            if !self.request.line.shown.contains(&refusal.word) {
                refusal.word = text.to_owned();
            }
            return Err(self.refused_by_rules_at(at, refusal));
        }
        self.record_comment_at(at)?;
        at.open.follow_up(self.tx)?;
        let event = if at.open.is_over() { BoardEvent::End } else { BoardEvent::Move };
        self.notify(at, event)?;
        Ok(Response::Moved { board: at.open.view_of_news(self.tx)? })
    }

    pub(crate) fn submit(&mut self, mut at: PlayerAtBoard, text: &str, ply: Option<Ply>) -> RequestResult<Response> {
        let seat = self.check_turn(&at, ply)?;
        let played = match at.open.replayed.try_move(text) {
            Ok(played) => played,
            Err(refusal) => return Err(self.refused_by_rules_at(&at, refusal)),
        };
        let mut state = at.board().seats[seat.index()].clone();
        state.submitted = Some(SubmittedMove { text: played.text, after: at.board().entries });
        self.tx.set_seat(at.board().number, seat, &state)?;
        let mut board = at.open.replayed.view(false);
        board.number = at.board().number;
        Ok(Response::Submitted { board, userid: at.player.userid })
    }

    pub(crate) fn confirm(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        let submitted = at.turn().and_then(|seat| at.board().seats[seat.index()].submitted.clone());
        match submitted {
            Some(SubmittedMove { text, after }) if after == at.board().entries => self.play(&mut at, &text),
            _ => self.refuse_at(&at, "confirm", message!("service.nothing-to-confirm")),
        }
    }

    pub(crate) fn resign(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        // A challenged player who has not moved yet has no obligation to the game.
        if at.may_decline() {
            return self.decline(at);
        }
        // A player against themselves resigns for the side to move.
        let (seat, via) = (at.turn().unwrap_or(at.seats[0]), self.via());
        at.open.end(self.tx, Ending::Resignation(seat), via)?;
        self.record_comment_at(&at)?;
        self.notify(&mut at, BoardEvent::End)?;
        Ok(Response::Resigned { board: at.open.view(self.tx)? })
    }

    pub(crate) fn decline(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        if !at.may_decline() {
            if let Some(EditionRef { name, .. }) = &at.board().event {
                return self.refuse_at(&at, "decline", message!("service.event-board-declined", name));
            }
            let own = at.board().challenger == Some(at.player.id);
            return self.refuse_at(&at, "decline", message!("service.cannot-decline", own));
        }
        at.open.end_without_result(self.tx, NoResult::Declined, Some(at.player.id))?;
        self.record_comment_at(&at)?;
        let by = at.player.userid.clone();
        self.notify(&mut at, BoardEvent::Decline { by })?;
        Ok(Response::Declined { board: at.open.view(self.tx)?, by: at.player.userid })
    }

    pub(crate) fn chat(&mut self, mut at: PlayerAtBoard) -> RequestResult<Response> {
        if self.request.comment_text().is_empty() {
            return self.refuse_at(&at, "chat", message!("service.no-chat-text"));
        }
        self.check_comments(at.player.id, at.board().number, at.opponent())?;
        self.record_comment_at(&at)?;
        let by = at.player.userid.clone();
        let told = self.notify(&mut at, BoardEvent::Chat { by })?;
        let mut to = Vec::new();
        for id in told.into_iter().filter(|id| *id != at.player.id) {
            to.extend(self.tx.player_by_id(id)?.map(|player| player.userid));
        }
        Ok(Response::Chatted { number: at.board().number, to })
    }

    /// Writes or shows a player's private note.
    pub(crate) fn note(&mut self, at: &PlayerAtBoard) -> RequestResult<Response> {
        let (number, player) = (at.board().number, at.player.id);
        let text = self.request.comment_text();
        if !text.is_empty() {
            let kept = Some(text.as_str()).filter(|text| *text != "-");
            self.tx.set_note(number, player, kept, self.now())?;
        }
        Ok(Response::Noted { number, text: self.tx.note(number, player)? })
    }

    /// Returns the seat to move, after checking that it is the player's and that the next ply is the intended one.
    fn check_turn(&self, at: &PlayerAtBoard, meant: Option<Ply>) -> RequestResult<Seat> {
        let Some(seat) = at.turn() else {
            let message = message!("service.not-your-turn", opponent = at.opponent());
            return self.refuse_at(at, &at.player.userid, message);
        };
        let next = at.board().plies.next();
        match meant {
            Some(meant) if meant != next => {
                self.refuse_at(at, &format!("#{meant}"), message!("service.another-ply", meant, next))
            }
            _ => Ok(seat),
        }
    }
}
