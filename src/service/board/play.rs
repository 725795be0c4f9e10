//! Playing: moves, resignations, and what the players of a board agree on.

use chrono::{DateTime, Utc};

use crate::command::{BoardAction, Password};
use crate::rules::{Refusal, Seat};
use crate::store::{self, Board, Comment, EntryKind, Player, PlayerId, ProposalKind, Transaction};
use crate::text::Message;

use crate::service::account::identity;
use crate::service::board::live::{End, Live};
use crate::service::board::view;
use crate::service::board::view::{Moment, board_view};
use crate::service::board::{clocks, look};
use crate::service::notice::facts::BoardEvent;
use crate::service::notice::notices;
use crate::service::refused_by_rules;
use crate::service::{BoardView, Reason, Request, RequestError, RequestResult, Response, Service, refusal};

/// A player who has shown who he is, at a board of his that is in progress.
pub(in crate::service) struct Seated {
    pub(in crate::service) live: Live,
    pub(in crate::service) player: Player,
    /// His seats: both, when he plays against himself.
    pub(in crate::service) seats: Vec<Seat>,
}

impl Seated {
    pub(in crate::service) fn board(&self) -> &Board {
        &self.live.board
    }

    /// Whose turn it is.
    fn to_move(&self) -> Seat {
        self.board().to_move.expect("a board in progress waits for somebody")
    }

    /// His seat if it is his turn.
    pub(in crate::service) fn turn(&self) -> Option<Seat> {
        Some(self.to_move()).filter(|seat| self.seats.contains(seat))
    }

    pub(in crate::service) fn plays_alone(&self) -> bool {
        self.seats.len() == 2
    }

    pub(in crate::service) fn opponent(&self) -> &str {
        let seat = self.seats[0].other();
        &self.board().players[seat.index()].userid
    }
}

/// Checks who asks, that the board is there and in progress, and that he plays on it.
pub(in crate::service) fn seated(
    tx: &mut dyn Transaction,
    request: &Request,
    player: Player,
    game: &str,
    number: u32,
) -> RequestResult<Seated> {
    let board = look::board(tx, request, Some(game), number)?;
    let seats: Vec<Seat> = Seat::BOTH.into_iter().filter(|seat| board.players[seat.index()].id == player.id).collect();
    if seats.is_empty() {
        let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
        let message = format!("Board {number} is played by {first} and {second}.");
        return Err(refusal(request, &player.userid, message, None).of(Reason::NotYours));
    }
    let over = if board.declined {
        Some(format!("Board {number} was taken out of play."))
    } else if board.to_move.is_none() {
        Some(format!("The game on board {number} is over."))
    } else {
        None
    };
    let seated = Seated { live: Live::open(tx, board, request.now)?, player, seats };
    match over {
        Some(message) => refuse_at(tx, request, &seated, "", message),
        None => Ok(seated),
    }
}

/// Refuses, and shows the board as it is.
pub(in crate::service) fn refuse_at<T>(
    tx: &dyn Transaction,
    request: &Request,
    seated: &Seated,
    word: &str,
    message: impl Into<Message>,
) -> RequestResult<T> {
    let board = view_now(tx, request.now, seated.board(), None)?;
    let mut fail = refusal(request, word, message, None);
    if let RequestError::Rejected(refused) = &mut fail {
        refused.board = Some(Box::new(board));
    }
    Err(fail)
}

/// The board as it is, to a reader to whom the entries after `since` are new.
pub(in crate::service) fn view_now(
    tx: &dyn Transaction,
    now: DateTime<Utc>,
    board: &Board,
    since: Option<u32>,
) -> store::Result<BoardView> {
    let board = tx.board(board.number)?.expect("the board is there: this transaction has just used it");
    let view = board_view(tx, board.number, Moment::Now, since, false)?;
    let mut view = view.expect("the board is there: this transaction has just used it");
    view.clock = clocks::view(tx, &board, now)?;
    view.proposal = notices::proposal(&board);
    Ok(view)
}

impl Service<'_> {
    /// A board as it is, for an answer that comes from no command.
    ///
    /// # Errors
    /// The store's.
    pub fn board_now(&self, tx: &dyn Transaction, number: u32, now: DateTime<Utc>) -> store::Result<Option<BoardView>> {
        tx.board(number)?.map(|board| view_now(tx, now, &board, None)).transpose()
    }

    /// What a player does at a board, or with the open challenge of that number.
    pub(in crate::service) fn act(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        game: &'static str,
        (number, userid, password): (u32, &str, &Password),
        act: &BoardAction,
    ) -> RequestResult<Response> {
        let player = identity::player(tx, request, userid, password)?;
        self.acted(tx, &player, request.now)?;
        if let Some(offer) = tx.open_challenge(number)?.filter(|offer| offer.closed_at.is_none()) {
            return self.act_on_offer(tx, request, game, offer, &player, act);
        }
        let seated = seated(tx, request, player, game, number)?;
        match act {
            BoardAction::Move { text, ply } => self.make_move(tx, request, seated, text, *ply),
            BoardAction::Submit { text, ply } => self.submit(tx, request, seated, text, *ply),
            BoardAction::Confirm => self.confirm(tx, request, seated),
            BoardAction::Queue(text) => self.queue(tx, request, seated, text.as_deref()),
            BoardAction::If(plan) => self.prepare(tx, request, seated, plan.as_ref()),
            BoardAction::Resign => self.resign(tx, request, seated),
            BoardAction::Decline => self.decline(tx, request, seated),
            BoardAction::Propose => self.propose(tx, request, seated, ProposalKind::Draw),
            BoardAction::Undo => self.propose(tx, request, seated, ProposalKind::Undo),
            BoardAction::Accept => self.accept(tx, request, seated),
            BoardAction::Reject => self.reject(tx, request, seated),
            BoardAction::Chat => self.chat(tx, request, seated),
            BoardAction::Note => note(tx, request, &seated),
        }
    }

    pub(in crate::service) fn make_move(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
        text: &str,
        guard: Option<u32>,
    ) -> RequestResult<Response> {
        check_turn(tx, request, &seated, guard)?;
        self.settle_played(tx, request, &mut seated, text)?;
        Ok(Response::Moved { board: view_now(tx, request.now, seated.board(), Some(seated.live.since))? })
    }

    /// Plays a move, with its comment and what was prepared to follow it, and tells it.
    fn settle_played(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        seated: &mut Seated,
        text: &str,
    ) -> RequestResult<()> {
        if let Err(mut refusal) = seated.live.play(tx, text, request.from.via())? {
            // The rules name the canonical text; the player looks for what he typed.
            if !request.line.shown.contains(&refusal.word) {
                refusal.word = text.to_owned();
            }
            return Err(refused_at_board(tx, request, seated, refusal)?);
        }
        comment(tx, request, seated)?;
        seated.live.follow_up(tx)?;
        let event = if seated.live.is_over() { BoardEvent::End } else { BoardEvent::Move };
        self.notify(tx, request, &mut seated.live, event)?;
        Ok(())
    }

    fn submit(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        seated: Seated,
        text: &str,
        guard: Option<u32>,
    ) -> RequestResult<Response> {
        let seat = check_turn(tx, request, &seated, guard)?;
        let mut table = view::Table::after(seated.board(), &tx.entries(seated.board().number)?)?;
        let played = match table.play(text) {
            Ok(played) => played,
            Err(refusal) => return Err(refused_at_board(tx, request, &seated, refusal)?),
        };
        let mut state = seated.board().seats[seat.index()].clone();
        state.submitted = Some((played.text, seated.board().entries));
        tx.set_seat(seated.board().number, seat, &state)?;
        let mut board = table.view(false);
        board.number = seated.board().number;
        Ok(Response::Submitted { board, userid: seated.player.userid })
    }

    fn confirm(&self, tx: &mut dyn Transaction, request: &Request, mut seated: Seated) -> RequestResult<Response> {
        let mine = seated.turn().and_then(|seat| seated.board().seats[seat.index()].submitted.clone());
        match mine {
            Some((text, after)) if after == seated.board().entries => {
                self.settle_played(tx, request, &mut seated, &text)?;
                Ok(Response::Moved { board: view_now(tx, request.now, seated.board(), Some(seated.live.since))? })
            }
            _ => refuse_at(tx, request, &seated, "confirm", "No move of yours waits to be confirmed here."),
        }
    }

    pub(in crate::service) fn resign(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
    ) -> RequestResult<Response> {
        // Whoever was challenged and has not moved yet owes the game nothing.
        if may_decline(tx, &seated)? {
            return self.decline(tx, request, seated);
        }
        let Some(seat) = seated.turn() else {
            let seat = seated.seats[0];
            let mut state = seated.board().seats[seat.index()].clone();
            state.resigns = !state.resigns;
            tx.set_seat(seated.board().number, seat, &state)?;
            let (number, to_move) = (seated.board().number, seated.opponent().to_owned());
            return Ok(Response::ResignQueued { number, to_move, cancelled: !state.resigns });
        };
        seated.live.end(tx, End::Resign(seat), request.from.via())?;
        comment(tx, request, &seated)?;
        self.notify(tx, request, &mut seated.live, BoardEvent::End)?;
        Ok(Response::Resigned { board: view_now(tx, request.now, seated.board(), None)? })
    }

    pub(in crate::service) fn decline(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        mut seated: Seated,
    ) -> RequestResult<Response> {
        if !may_decline(tx, &seated)? {
            let message = if seated.board().challenger == Some(seated.player.id) {
                "You made this challenge yourself; only who was challenged can decline it."
            } else {
                "A board can be declined only before one's own first move; resign instead."
            };
            return refuse_at(tx, request, &seated, "decline", message);
        }
        tx.decline_board(seated.board().number, seated.player.id, request.now)?;
        comment(tx, request, &seated)?;
        let by = seated.player.userid.clone();
        self.notify(tx, request, &mut seated.live, BoardEvent::Decline { by })?;
        let board = view_now(tx, request.now, seated.board(), None)?;
        Ok(Response::Declined { board, by: seated.player.userid })
    }

    fn chat(&self, tx: &mut dyn Transaction, request: &Request, mut seated: Seated) -> RequestResult<Response> {
        let said = said(request);
        if said.is_empty() {
            return refuse_at(tx, request, &seated, "chat", "What do you want to say? It stands below the command.");
        }
        comment(tx, request, &seated)?;
        let by = seated.player.userid.clone();
        let told = self.notify(tx, request, &mut seated.live, BoardEvent::Chat { by })?;
        let mut to = Vec::new();
        for id in told.into_iter().filter(|id| *id != seated.player.id) {
            to.extend(tx.player_by_id(id)?.map(|player| player.userid));
        }
        Ok(Response::Chatted { number: seated.board().number, to })
    }
}

/// That it is the player's turn, and the ply that he means.
fn check_turn(tx: &dyn Transaction, request: &Request, seated: &Seated, guard: Option<u32>) -> RequestResult<Seat> {
    let Some(seat) = seated.turn() else {
        let message = format!("It is {}'s turn.", seated.opponent());
        return refuse_at(tx, request, seated, &seated.player.userid, message);
    };
    let ply = seated.board().plies + 1;
    match guard {
        Some(guard) if guard != ply => {
            let message = format!("This is meant as move {guard} of the game, and the next one is move {ply}.");
            refuse_at(tx, request, seated, &format!("#{guard}"), message)
        }
        _ => Ok(seat),
    }
}

/// What the rules refused, with the board as it is.
pub(in crate::service) fn refused_at_board(
    tx: &dyn Transaction,
    request: &Request,
    seated: &Seated,
    refusal: Refusal,
) -> store::Result<RequestError> {
    Ok(refused_by_rules(request, refusal, Some(view_now(tx, request.now, seated.board(), None)?)))
}

/// Who was challenged may decline before his own first move.
fn may_decline(tx: &dyn Transaction, seated: &Seated) -> RequestResult<bool> {
    let challenged = seated.board().challenger != Some(seated.player.id) || seated.plays_alone();
    Ok(challenged && !has_moved(tx, seated.board().number, &seated.seats)?)
}

/// Whether a move was ever made from one of these seats, taken back or not.
pub(in crate::service) fn has_moved(tx: &dyn Transaction, number: u32, seats: &[Seat]) -> store::Result<bool> {
    let mine = |entry: &store::Entry| entry.seat.is_some_and(|seat| seats.contains(&seat));
    Ok(tx.entries(number)?.iter().any(|entry| entry.kind == EntryKind::Move && mine(entry)))
}

/// What was said beside a command.
pub(in crate::service) fn said(request: &Request) -> String {
    request.line.say.as_deref().or(request.comment.as_deref()).map(look::clean).unwrap_or_default()
}

/// Records what was said beside a command, if anything was.
pub(in crate::service) fn comment(tx: &mut dyn Transaction, request: &Request, seated: &Seated) -> RequestResult<()> {
    remark(tx, request, (seated.board().number, seated.board().entries), seated.player.id)
}

pub(in crate::service) fn remark(
    tx: &mut dyn Transaction,
    request: &Request,
    (board, entry): (u32, u32),
    player: PlayerId,
) -> RequestResult<()> {
    let text = said(request);
    if !text.is_empty() {
        tx.add_comment(&Comment { board, entry, player, text, said_at: request.now })?;
    }
    Ok(())
}

fn note(tx: &mut dyn Transaction, request: &Request, seated: &Seated) -> RequestResult<Response> {
    let (number, player) = (seated.board().number, seated.player.id);
    let text = said(request);
    if !text.is_empty() {
        let kept = Some(text.as_str()).filter(|text| *text != "-");
        tx.set_note(number, player, kept, request.now)?;
    }
    Ok(Response::Noted { number, text: tx.note(number, player)? })
}
