//! Playing: moves, resignations, and what the players of a board agree on.

use chrono::{DateTime, Utc};

use crate::command::{Act, Password};
use crate::rules::{Refusal, Seat};
use crate::store::{self, Board, Comment, EntryKind, Ledger, Player, PlayerId, ProposalKind};

use super::live::{End, Live};
use super::view::{Moment, board_view};
use super::{Answer, BoardView, Desk, Done, Fail, Hindrance, Request, clocks, identity, look, notices, refusal};
use super::{refused_by_rules, view};

/// A player who has shown who he is, at a board of his that is in progress.
pub(super) struct Seated {
    pub(super) live: Live,
    pub(super) player: Player,
    /// His seats: both, when he plays against himself.
    pub(super) seats: Vec<Seat>,
}

impl Seated {
    pub(super) fn board(&self) -> &Board {
        &self.live.board
    }

    /// Whose turn it is.
    fn to_move(&self) -> Seat {
        self.board().to_move.expect("a board in progress waits for somebody")
    }

    /// His seat if it is his turn.
    pub(super) fn turn(&self) -> Option<Seat> {
        Some(self.to_move()).filter(|seat| self.seats.contains(seat))
    }

    pub(super) fn plays_alone(&self) -> bool {
        self.seats.len() == 2
    }

    pub(super) fn opponent(&self) -> &str {
        let seat = self.seats[0].other();
        &self.board().players[seat.index()].1
    }
}

/// Checks who asks, that the board is there and in progress, and that he plays on it.
pub(super) fn seated(
    ledger: &mut dyn Ledger,
    request: &Request,
    player: Player,
    game: &str,
    number: u32,
) -> Done<Seated> {
    let board = look::board(ledger, request, Some(game), number)?;
    let seats: Vec<Seat> = Seat::BOTH.into_iter().filter(|seat| board.players[seat.index()].0 == player.id).collect();
    if seats.is_empty() {
        let [(_, first), (_, second)] = &board.players;
        let message = format!("Board {number} is played by {first} and {second}.");
        return Err(refusal(request, &player.userid, message, None).of(Hindrance::NotYours));
    }
    let over = if board.declined {
        Some(format!("Board {number} was taken out of play."))
    } else if board.to_move.is_none() {
        Some(format!("The game on board {number} is over."))
    } else {
        None
    };
    let seated = Seated { live: Live::open(ledger, board, request.now)?, player, seats };
    match over {
        Some(message) => refuse_at(ledger, request, &seated, "", message),
        None => Ok(seated),
    }
}

/// Refuses, and shows the board as it is.
pub(super) fn refuse_at<T>(
    ledger: &dyn Ledger,
    request: &Request,
    seated: &Seated,
    word: &str,
    message: impl Into<String>,
) -> Done<T> {
    let board = view_now(ledger, request.now, seated.board(), None)?;
    let mut fail = refusal(request, word, message, None);
    if let Fail::Refused(refused) = &mut fail {
        refused.board = Some(Box::new(board));
    }
    Err(fail)
}

/// The board as it is, to a reader to whom the entries after `since` are new.
pub(super) fn view_now(
    ledger: &dyn Ledger,
    now: DateTime<Utc>,
    board: &Board,
    since: Option<u32>,
) -> store::Result<BoardView> {
    let board = ledger.board(board.number)?.expect("the board is there: this transaction has just used it");
    let view = board_view(ledger, board.number, Moment::Now, since, false)?;
    let mut view = view.expect("the board is there: this transaction has just used it");
    view.clock = clocks::view(ledger, &board, now)?;
    view.proposal = notices::proposal(&board);
    Ok(view)
}

impl Desk<'_> {
    /// A board as it is, for an answer that comes from no command.
    ///
    /// # Errors
    /// The store's.
    pub fn board_now(&self, ledger: &dyn Ledger, number: u32, now: DateTime<Utc>) -> store::Result<Option<BoardView>> {
        ledger.board(number)?.map(|board| view_now(ledger, now, &board, None)).transpose()
    }

    /// What a player does at a board, or with the open challenge of that number.
    pub(super) fn act(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        game: &'static str,
        (number, userid, password): (u32, &str, &Password),
        act: &Act,
    ) -> Done<Answer> {
        let player = identity::player(ledger, request, userid, password)?;
        self.acted(ledger, &player, request.now)?;
        if let Some(offer) = ledger.offer(number)?.filter(|offer| offer.closed_at.is_none()) {
            return self.act_on_offer(ledger, request, game, offer, &player, act);
        }
        let seated = seated(ledger, request, player, game, number)?;
        match act {
            Act::Move { text, ply } => self.make_move(ledger, request, seated, text, *ply),
            Act::Submit { text, ply } => self.submit(ledger, request, seated, text, *ply),
            Act::Confirm => self.confirm(ledger, request, seated),
            Act::Queue(text) => self.queue(ledger, request, seated, text.as_deref()),
            Act::If(plan) => self.prepare(ledger, request, seated, plan.as_ref()),
            Act::Resign => self.resign(ledger, request, seated),
            Act::Decline => self.decline(ledger, request, seated),
            Act::Propose => self.propose(ledger, request, seated, ProposalKind::Draw),
            Act::Undo => self.propose(ledger, request, seated, ProposalKind::Undo),
            Act::Accept => self.accept(ledger, request, seated),
            Act::Reject => self.reject(ledger, request, seated),
            Act::Chat => self.chat(ledger, request, seated),
            Act::Note => note(ledger, request, &seated),
        }
    }

    pub(super) fn make_move(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        mut seated: Seated,
        text: &str,
        guard: Option<u32>,
    ) -> Done<Answer> {
        check_turn(ledger, request, &seated, guard)?;
        self.settle_played(ledger, request, &mut seated, text)?;
        Ok(Answer::Moved { board: view_now(ledger, request.now, seated.board(), Some(seated.live.since))? })
    }

    /// Plays a move, with its comment and what was prepared to follow it, and tells it.
    fn settle_played(&self, ledger: &mut dyn Ledger, request: &Request, seated: &mut Seated, text: &str) -> Done<()> {
        if let Err(mut refusal) = seated.live.play(ledger, text, request.from.via())? {
            // The rules name the canonical text; the player looks for what he typed.
            if !request.line.shown.contains(&refusal.word) {
                refusal.word = text.to_owned();
            }
            return Err(refused_at_board(ledger, request, seated, refusal)?);
        }
        comment(ledger, request, seated)?;
        seated.live.follow_up(ledger)?;
        let kind = if seated.live.is_over() { "end" } else { "move" };
        self.tell(ledger, request, &mut seated.live, kind, None)?;
        Ok(())
    }

    fn submit(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        seated: Seated,
        text: &str,
        guard: Option<u32>,
    ) -> Done<Answer> {
        let seat = check_turn(ledger, request, &seated, guard)?;
        let mut table = view::Table::after(seated.board(), &ledger.entries(seated.board().number)?)?;
        let played = match table.play(text) {
            Ok(played) => played,
            Err(refusal) => return Err(refused_at_board(ledger, request, &seated, refusal)?),
        };
        let mut state = seated.board().seats[seat.index()].clone();
        state.submitted = Some((played.text, seated.board().entries));
        ledger.set_seat(seated.board().number, seat, &state)?;
        let mut board = table.view(false);
        board.number = seated.board().number;
        Ok(Answer::Submitted { board, userid: seated.player.userid })
    }

    fn confirm(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        let mine = seated.turn().and_then(|seat| seated.board().seats[seat.index()].submitted.clone());
        match mine {
            Some((text, after)) if after == seated.board().entries => {
                self.settle_played(ledger, request, &mut seated, &text)?;
                Ok(Answer::Moved { board: view_now(ledger, request.now, seated.board(), Some(seated.live.since))? })
            }
            _ => refuse_at(ledger, request, &seated, "confirm", "No move of yours waits to be confirmed here."),
        }
    }

    pub(super) fn resign(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        // Whoever was challenged and has not moved yet owes the game nothing.
        if may_decline(ledger, &seated)? {
            return self.decline(ledger, request, seated);
        }
        let Some(seat) = seated.turn() else {
            let seat = seated.seats[0];
            let mut state = seated.board().seats[seat.index()].clone();
            state.resigns = !state.resigns;
            ledger.set_seat(seated.board().number, seat, &state)?;
            let (number, to_move) = (seated.board().number, seated.opponent().to_owned());
            return Ok(Answer::ResignQueued { number, to_move, cancelled: !state.resigns });
        };
        seated.live.end(ledger, End::Resign(seat), request.from.via())?;
        comment(ledger, request, &seated)?;
        self.tell(ledger, request, &mut seated.live, "end", None)?;
        Ok(Answer::Resigned { board: view_now(ledger, request.now, seated.board(), None)? })
    }

    pub(super) fn decline(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        if !may_decline(ledger, &seated)? {
            let message = if seated.board().challenger == Some(seated.player.id) {
                "You made this challenge yourself; only who was challenged can decline it."
            } else {
                "A board can be declined only before one's own first move; resign instead."
            };
            return refuse_at(ledger, request, &seated, "decline", message);
        }
        ledger.decline_board(seated.board().number, seated.player.id, request.now)?;
        comment(ledger, request, &seated)?;
        self.tell(ledger, request, &mut seated.live, "decline", Some(&seated.player.userid))?;
        let board = view_now(ledger, request.now, seated.board(), None)?;
        Ok(Answer::Declined { board, by: seated.player.userid })
    }

    fn chat(&self, ledger: &mut dyn Ledger, request: &Request, mut seated: Seated) -> Done<Answer> {
        let said = said(request);
        if said.is_empty() {
            return refuse_at(
                ledger,
                request,
                &seated,
                "chat",
                "What do you want to say? It stands below the command.",
            );
        }
        comment(ledger, request, &seated)?;
        let told = self.tell(ledger, request, &mut seated.live, "chat", Some(&seated.player.userid))?;
        let mut to = Vec::new();
        for id in told.into_iter().filter(|id| *id != seated.player.id) {
            to.extend(ledger.player_by_id(id)?.map(|player| player.userid));
        }
        Ok(Answer::Chatted { number: seated.board().number, to })
    }
}

/// That it is the player's turn, and the ply that he means.
fn check_turn(ledger: &dyn Ledger, request: &Request, seated: &Seated, guard: Option<u32>) -> Done<Seat> {
    let Some(seat) = seated.turn() else {
        let message = format!("It is {}'s turn.", seated.opponent());
        return refuse_at(ledger, request, seated, &seated.player.userid, message);
    };
    let ply = seated.board().plies + 1;
    match guard {
        Some(guard) if guard != ply => {
            let message = format!("This is meant as move {guard} of the game, and the next one is move {ply}.");
            refuse_at(ledger, request, seated, &format!("#{guard}"), message)
        }
        _ => Ok(seat),
    }
}

/// What the rules refused, with the board as it is.
pub(super) fn refused_at_board(
    ledger: &dyn Ledger,
    request: &Request,
    seated: &Seated,
    refusal: Refusal,
) -> store::Result<Fail> {
    Ok(refused_by_rules(request, refusal, Some(view_now(ledger, request.now, seated.board(), None)?)))
}

/// Who was challenged may decline before his own first move.
fn may_decline(ledger: &dyn Ledger, seated: &Seated) -> Done<bool> {
    let challenged = seated.board().challenger != Some(seated.player.id) || seated.plays_alone();
    Ok(challenged && !has_moved(ledger, seated.board().number, &seated.seats)?)
}

/// Whether a move was ever made from one of these seats, taken back or not.
pub(super) fn has_moved(ledger: &dyn Ledger, number: u32, seats: &[Seat]) -> store::Result<bool> {
    let mine = |entry: &store::Entry| entry.seat.is_some_and(|seat| seats.contains(&seat));
    Ok(ledger.entries(number)?.iter().any(|entry| entry.kind == EntryKind::Move && mine(entry)))
}

/// What was said beside a command.
pub(super) fn said(request: &Request) -> String {
    request.line.say.as_deref().or(request.comment.as_deref()).map(look::clean).unwrap_or_default()
}

/// Records what was said beside a command, if anything was.
pub(super) fn comment(ledger: &mut dyn Ledger, request: &Request, seated: &Seated) -> Done<()> {
    remark(ledger, request, (seated.board().number, seated.board().entries), seated.player.id)
}

pub(super) fn remark(
    ledger: &mut dyn Ledger,
    request: &Request,
    (board, entry): (u32, u32),
    player: PlayerId,
) -> Done<()> {
    let text = said(request);
    if !text.is_empty() {
        ledger.add_comment(&Comment { board, entry, player, text, said_at: request.now })?;
    }
    Ok(())
}

fn note(ledger: &mut dyn Ledger, request: &Request, seated: &Seated) -> Done<Answer> {
    let (number, player) = (seated.board().number, seated.player.id);
    let text = said(request);
    if !text.is_empty() {
        let kept = Some(text.as_str()).filter(|text| *text != "-");
        ledger.set_note(number, player, kept, request.now)?;
    }
    Ok(Answer::Noted { number, text: ledger.note(number, player)? })
}
