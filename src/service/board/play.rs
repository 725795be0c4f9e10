//! A player's actions at a board: moves, queued moves, resignations, declining, chat and notes.

use chrono::{DateTime, Utc};

use super::find::PlayerAtBoard;
use super::open::Ending;
use super::views::BoardView;
use super::{plans, view};
use crate::command::{BoardAction, Password, Plan, Reply};
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::{Refusal, Seat};
use crate::service::context::{Context, Service};
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;
use crate::store::{self, EditionRef, NoResult, PlayerId, ProposalKind, SubmittedMove, Transaction};

impl Context<'_, '_> {
    pub(crate) fn make_move(&mut self, mut at: PlayerAtBoard, text: &str, ply: Option<Ply>) -> RequestResult<Response> {
        self.check_turn(&at, ply)?;
        self.play(&mut at, text)
    }

    /// Plays a move with its comment and the prepared replies, and notifies the players.
    fn play(&mut self, at: &mut PlayerAtBoard, text: &str) -> RequestResult<Response> {
        let via = self.via();
        if let Err(mut refusal) = at.open.play(self.tx, text, via)? {
            // The rules' refusal contains the canonical spelling of the move. If the player typed another spelling,
            // show that one.
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
        self.pass_on_comment(&mut at)?;
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
        // A challenged player who has not moved yet may leave the game without losing it.
        if at.may_decline() {
            return self.decline(at);
        }
        // A player who plays both sides resigns for the side to move.
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
        self.request.check_length()?;
        if self.request.comment_text().is_empty() {
            return self.refuse_at(&at, "chat", self.no_text("chat"));
        }
        if self.is_chatted_again(&at)? {
            return Ok(Response::Chatted { number: at.board().number, to: Vec::new() });
        }
        let mut to = Vec::new();
        for id in self.send_comment(&mut at)?.into_iter().filter(|id| *id != at.player.id) {
            to.extend(self.tx.player_by_id(id)?.map(|player| player.userid));
        }
        Ok(Response::Chatted { number: at.board().number, to })
    }

    /// Sends the comment of a command that leaves the board unchanged, if it has one.
    fn pass_on_comment(&mut self, at: &mut PlayerAtBoard) -> RequestResult<()> {
        if !self.request.comment_text().is_empty() {
            self.request.check_length()?;
            self.send_comment(at)?;
        }
        Ok(())
    }

    /// Sends the comment to the other player and the followers. Returns the notified players.
    fn send_comment(&mut self, at: &mut PlayerAtBoard) -> RequestResult<Vec<PlayerId>> {
        self.check_comments(at.player.id, at.board().number, at.opponent())?;
        self.record_comment_at(at)?;
        let by = at.player.userid.clone();
        self.notify(at, BoardEvent::Chat { by })
    }

    /// Writes or shows a player's private note.
    pub(crate) fn note(&mut self, at: &PlayerAtBoard) -> RequestResult<Response> {
        self.request.check_length()?;
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

/// The player and the board of a command.
pub(crate) struct BoardTarget<'a> {
    pub(crate) game: &'static str,
    pub(crate) number: BoardNumber,
    pub(crate) userid: &'a str,
    pub(crate) password: &'a Password,
}

impl Context<'_, '_> {
    /// Carries out a player's action on the board or open challenge with this number.
    pub(crate) fn act(&mut self, target: &BoardTarget<'_>, action: &BoardAction) -> RequestResult<Response> {
        let BoardTarget { game, number, userid, password } = *target;
        let player = self.authenticate(userid, password)?;
        self.service.acted(self.tx, &player, Some(number), self.request.now)?;
        if let Some(challenge) = self.tx.open_challenge(number)?.filter(|challenge| challenge.closed_at.is_none()) {
            return self.act_on_challenge(game, challenge, &player, action);
        }
        if let Some(response) = self.declined_again(number, &player, action)? {
            return Ok(response);
        }
        if let BoardAction::Accept(_) = action {
            self.check_not_taken(game, number, &player)?;
        }
        let at = self.at_board_of(player, game, number)?;
        if let Some(response) = self.repeated(&at, action)? {
            return Ok(response);
        }
        let mut at = match action {
            BoardAction::Rematch | BoardAction::Chat | BoardAction::Note => at,
            _ => self.in_progress(at)?,
        };
        match action {
            BoardAction::Move { text, ply } => self.make_move(at, text, *ply),
            BoardAction::Submit { text, ply } => self.submit(at, text, *ply),
            BoardAction::Confirm => self.confirm(at),
            BoardAction::Queue(text) => self.queue(at, text.as_deref()),
            BoardAction::If(plan) => self.prepare(&mut at, plan.as_ref()),
            BoardAction::Resign => self.resign(at),
            BoardAction::Decline => self.decline(at),
            BoardAction::Propose => self.propose(at, ProposalKind::Draw),
            BoardAction::Undo => self.propose(at, ProposalKind::Undo),
            BoardAction::Abandon => self.propose(at, ProposalKind::Abandon),
            BoardAction::Accept(_) => self.accept(at),
            BoardAction::Reject => self.reject(at),
            BoardAction::Rematch => self.rematch(&at),
            BoardAction::Chat => self.chat(at),
            BoardAction::Note => self.note(&at),
        }
    }
}

impl Service<'_> {
    /// Returns the current board, for the answer to a message that contains no valid command.
    ///
    /// # Errors
    /// If the store fails.
    pub fn board_now(
        &self,
        tx: &Transaction<'_>,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Option<BoardView>> {
        tx.board(number)?.map(|board| view::stored_view(tx, &board, now)).transpose()
    }
}

impl Context<'_, '_> {
    /// `queue`: prepares one reply to any move of the opponent. If it is already the player's turn, plays the move.
    pub(crate) fn queue(&mut self, mut at: PlayerAtBoard, text: Option<&str>) -> RequestResult<Response> {
        match text {
            Some(text) if at.turn().is_some() => self.make_move(at, text, None),
            Some(text) => {
                let reply = Reply::Move(text.to_ascii_lowercase());
                self.prepare(&mut at, Some(&plans::to_any_move(reply)))
            }
            None => self.prepare(&mut at, None),
        }
    }

    /// `if`: replaces the prepared replies, or removes them if the plan is `None`.
    pub(crate) fn prepare(&mut self, at: &mut PlayerAtBoard, plan: Option<&Plan>) -> RequestResult<Response> {
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
        let planned = Response::Planned {
            number: board.number,
            userid: at.player.userid.clone(),
            opponent: at.opponent().to_owned(),
            game: board.game.clone(),
            plan: plans::lines(position, &plan),
        };
        self.pass_on_comment(at)?;
        Ok(planned)
    }
}
