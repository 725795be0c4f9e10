//! An open board: a stored board with its position. Appending an entry updates both.

use chrono::{DateTime, Utc};

use crate::command::{Plan, Reply, When};
use crate::numbers::{EntryNumber, Ply};
use crate::rules::{Play, PlayedMove, Refusal, Seat};
use crate::store::{
    self, Board, BoardResult, Channel, Departure, Entry, EntryKind, NoResult, PlayerId, Proposal, ResultReason,
    SeatState, StoreError, Transaction, next_hash,
};
use crate::text::Message;

use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::service::board::views::{BoardView, DroppedView, ProposalView};
use crate::service::board::{clocks, plans, rate, view};

/// A board to which entries are appended.
pub(crate) struct OpenBoard {
    pub(crate) board: Board,
    pub(crate) replayed: ReplayedBoard,
    entries: Vec<Entry>,
    /// The length of the record when the board was opened. Later entries are new to the readers.
    pub(crate) since: EntryNumber,
    pub(crate) dropped: Vec<DroppedReply>,
    /// The proposal that a move has removed since the board was opened.
    pub(crate) cleared: Option<ProposalView>,
    /// The last ply played since the board was opened.
    last: Option<LastPly>,
    /// The seats as stored, so that only changed seats are written.
    stored_seats: [SeatState; 2],
    now: DateTime<Utc>,
}

/// The prepared replies of a seat, after they were dropped because one could not be played, or because none was for the
/// opponent's move.
pub(crate) struct DroppedReply {
    pub(crate) seat: Seat,
    pub(crate) view: DroppedView,
}

/// A ply with the position before it.
struct LastPly {
    before: Box<dyn Play>,
    seat: Seat,
    text: String,
}

/// The parts of a new entry that cannot be derived from the board.
struct NewEntry<'a> {
    kind: EntryKind,
    ply: Ply,
    seat: Option<Seat>,
    text: &'a str,
    via: Channel,
    /// The seat to move after the entry.
    to_move: Option<Seat>,
    /// The effects of the move, if the entry is a move.
    played: Option<PlayedMove>,
}

/// Why a board ends, if the rules of the game do not end it.
pub(crate) enum Ending<'a> {
    /// This seat resigns.
    Resignation(Seat),
    /// A player was withdrawn from the event of the board.
    Departure(Departure<'a>),
    /// A draw that this seat accepted.
    Agreement(Seat),
    /// This seat ran out of time.
    Time(Seat),
    /// The administrator decided for a seat or for a draw.
    Adjudication {
        /// The winning seat; `None` for a draw.
        winner: Option<Seat>,
        /// The reason, which both players read.
        reason: String,
    },
}

/// Why a board becomes void.
pub(crate) enum Voiding<'a> {
    /// The administrator voided the board, for this reason. Both players read it.
    Decision(&'a str),
    /// A player was withdrawn from the event of the board.
    Annulment(Departure<'a>),
}

impl OpenBoard {
    pub(crate) fn open(tx: &Transaction<'_>, board: Board, now: DateTime<Utc>) -> store::Result<OpenBoard> {
        let entries = tx.entries(board.number)?;
        let replayed = ReplayedBoard::after(&board, &entries)?;
        Ok(OpenBoard {
            since: board.entries,
            dropped: Vec::new(),
            cleared: None,
            last: None,
            stored_seats: board.seats.clone(),
            board,
            replayed,
            entries,
            now,
        })
    }

    /// Returns the channel of a seat's last entry.
    pub(crate) fn last_via(&self, seat: Seat) -> Option<Channel> {
        self.entries.iter().rev().find(|entry| entry.seat == Some(seat)).map(|entry| entry.via)
    }

    /// Returns whether the player made all entries since the board was opened.
    pub(crate) fn news_are_of(&self, player: PlayerId) -> bool {
        let of = |seat: Seat| self.board.players[seat.index()].id == player;
        let mut news = self.entries.iter().filter(|entry| entry.entry > self.since);
        news.all(|entry| entry.seat.is_some_and(of))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.board.to_move.is_none()
    }

    /// Returns a view of the current board, with the last entry as its news.
    pub(crate) fn view(&self, tx: &Transaction<'_>) -> store::Result<BoardView> {
        view::present_view(tx, &self.board, &self.replayed, None, self.now)
    }

    /// Returns a view of the current board, with all entries since it was opened as its news.
    pub(crate) fn view_of_news(&self, tx: &Transaction<'_>) -> store::Result<BoardView> {
        let board = view::present_view(tx, &self.board, &self.replayed, Some(self.since), self.now)?;
        Ok(BoardView { cleared: self.cleared.clone(), ..board })
    }

    /// Returns the seat that made the last entry.
    pub(crate) fn last_seat(&self) -> Option<Seat> {
        self.entries.last().and_then(|entry| entry.seat)
    }

    /// Returns the entry that follows this one in the record.
    pub(crate) fn entry_after(&self, entry: EntryNumber) -> Option<&Entry> {
        self.entries.get(entry.0 as usize)
    }

    /// Returns whether the entry that follows this one is the move `text`, and the move has not been undone.
    pub(crate) fn is_made_again(&self, after: EntryNumber, text: &str) -> store::Result<bool> {
        let (before, from) = self.entries.split_at(after.0 as usize);
        let [made, later @ ..] = from else { return Ok(false) };
        let stands = later.iter().all(|entry| entry.kind != EntryKind::Undo || entry.ply >= made.ply);
        let mut replayed = ReplayedBoard::after(&self.board, before)?;
        Ok(stands && replayed.try_move(text).is_ok_and(|played| played.text == made.text))
    }

    /// Returns whether one of these seats has ever made a move, even if the move was undone.
    pub(crate) fn has_moved(&self, seats: &[Seat]) -> bool {
        has_moved(&self.entries, seats)
    }

    /// Plays a move for the player whose turn it is, and ends the board if the rules end it. A refused move changes
    /// nothing.
    pub(crate) fn play(
        &mut self,
        tx: &mut Transaction<'_>,
        text: &str,
        via: Channel,
    ) -> store::Result<Result<(), Refusal>> {
        let before = self.replayed.position().boxed_clone();
        let played = match self.replayed.make(text) {
            Ok(played) => played,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(open) = view::proposal(&self.board) {
            self.cleared = Some(open);
        }
        let (seat, text) = (played.seat, played.text.clone());
        let position = self.replayed.position();
        let (to_move, outcome) = (position.to_move(), position.outcome());
        let ply = self.board.plies.next();
        let kind = EntryKind::Move;
        let entry = NewEntry { kind, ply, seat: Some(seat), text: &text, via, to_move, played: Some(played) };
        self.append(tx, entry)?;
        self.last = Some(LastPly { before, seat, text });
        if let Some(outcome) = outcome {
            self.close(tx, outcome.winner, ResultReason::Rules(outcome.reason.as_str().to_owned()))?;
        }
        Ok(Ok(()))
    }

    /// Plays the prepared replies to the last ply, until the player to move has none.
    pub(crate) fn follow_up(&mut self, tx: &mut Transaction<'_>) -> store::Result<()> {
        while let Some(seat) = self.board.to_move {
            // If the opponent's turn was skipped, the plan has no move to answer, and remains.
            let answers = self.last.as_ref().is_some_and(|last| last.seat == seat.other());
            let plan = &mut self.board.seats[seat.index()].plan;
            let Some(plan) = (if answers { plan.take() } else { None }) else { break };
            let (reply, next) = self.reply(&plans::stored(&self.board, &plan)?);
            let rest = Some(next.to_string()).filter(|rest| !rest.is_empty());
            match reply {
                Reply::Resign => return self.end(tx, Ending::Resignation(seat), Channel::Plan),
                Reply::Stop => self.drop_plan(tx, seat, DroppedView { reply: None, why: Message::default() })?,
                Reply::Move(text) => {
                    self.board.seats[seat.index()].plan = rest;
                    if let Err(refusal) = self.play(tx, &text, Channel::Plan)? {
                        self.drop_plan(tx, seat, DroppedView { reply: Some(text), why: refusal.message })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn drop_plan(&mut self, tx: &mut Transaction<'_>, seat: Seat, view: DroppedView) -> store::Result<()> {
        self.board.seats[seat.index()].plan = None;
        self.dropped.push(DroppedReply { seat, view });
        self.store_seats(tx)
    }

    /// Stores the seats that have changed.
    fn store_seats(&mut self, tx: &mut Transaction<'_>) -> store::Result<()> {
        for seat in Seat::BOTH {
            let (state, stored) = (&self.board.seats[seat.index()], &mut self.stored_seats[seat.index()]);
            if state != stored {
                tx.set_seat(self.board.number, seat, state)?;
                stored.clone_from(state);
            }
        }
        Ok(())
    }

    /// Returns the plan's reply to the last ply, and the remaining plan.
    fn reply(&self, plan: &Plan) -> (Reply, Plan) {
        let Some(last) = &self.last else { return (Reply::Stop, Plan::default()) };
        let is_it = |text: &String| last.before.boxed_clone().play(text).is_ok_and(|other| other.text == last.text);
        let branch = plan.branches.iter().find(|branch| match &branch.when {
            When::Moves(moves) => moves.iter().any(is_it),
            When::Else => true,
        });
        branch.map_or((Reply::Stop, Plan::default()), |branch| (branch.reply.clone(), branch.next.clone()))
    }

    /// Returns the ply to which an undo takes the game back: the one before the last move of this seat. `None` if the
    /// seat has not moved.
    pub(crate) fn undo_ply(&self, seat: Seat) -> Option<Ply> {
        let line = standing_moves(&self.entries);
        line.iter().rposition(|entry| entry.seat == Some(seat)).map(|at| Ply(at as u32))
    }

    /// Undoes all plies after `ply`. Deletes all prepared replies and submitted moves, because they were for the undone
    /// position.
    pub(crate) fn undo(&mut self, tx: &mut Transaction<'_>, ply: Ply, by: Seat, via: Channel) -> store::Result<()> {
        for seat in &mut self.board.seats {
            (seat.plan, seat.submitted) = (None, None);
        }
        let to_move = match standing_moves(&self.entries).get(ply.0 as usize) {
            Some(entry) => entry.seat,
            None => self.board.to_move,
        };
        let kind = EntryKind::Undo;
        self.append(tx, NewEntry { kind, ply, seat: Some(by), text: "undo", via, to_move, played: None })
    }

    /// Ends the board for a reason outside the rules.
    pub(crate) fn end(&mut self, tx: &mut Transaction<'_>, ending: Ending<'_>, via: Channel) -> store::Result<()> {
        let number = |seat: Seat| seat.index() + 1;
        let (kind, seat, text, winner, reason) = match ending {
            Ending::Resignation(seat) => {
                let text = format!("resign {}", number(seat));
                (EntryKind::Resign, Some(seat), text, Some(seat.other()), ResultReason::Resignation)
            }
            Ending::Departure(departure) => {
                let (seat, text) = (departure.seat, departure.text(EntryKind::Resign));
                (EntryKind::Resign, Some(seat), text, Some(seat.other()), ResultReason::Resignation)
            }
            Ending::Agreement(seat) => (EntryKind::Draw, Some(seat), "draw".to_owned(), None, ResultReason::Agreement),
            Ending::Time(seat) => {
                let text = format!("forfeit {}", number(seat));
                (EntryKind::Forfeit, Some(seat), text, Some(seat.other()), ResultReason::Time)
            }
            Ending::Adjudication { winner, reason } => {
                let who = winner.map_or_else(|| "draw".to_owned(), |seat| number(seat).to_string());
                let text = format!("adjudge {who} {reason}");
                (EntryKind::Adjudge, None, text, winner, ResultReason::Adjudication(reason))
            }
        };
        let ply = self.board.plies;
        self.append(tx, NewEntry { kind, ply, seat, text: &text, via, to_move: None, played: None })?;
        self.close(tx, winner, reason)
    }

    /// Ends the board without a result, by agreement of both players. `by` is the seat that accepted the proposal.
    pub(crate) fn abandon(&mut self, tx: &mut Transaction<'_>, by: Seat, via: Channel) -> store::Result<()> {
        let (kind, ply, seat) = (EntryKind::Abandon, self.board.plies, Some(by));
        self.append(tx, NewEntry { kind, ply, seat, text: "abandon", via, to_move: None, played: None })?;
        self.end_without_result(tx, NoResult::Abandoned, None)
    }

    fn close(&mut self, tx: &mut Transaction<'_>, winner: Option<Seat>, reason: ResultReason) -> store::Result<()> {
        let result = BoardResult { winner, reason, ended_at: self.now };
        tx.end_board(self.board.number, &result)?;
        self.board.result = Some(result);
        if !rate::is_resigned_unanswered(tx, &self.board)? {
            rate::rate(tx, &self.board)?;
        }
        self.read_again(tx)
    }

    /// Ends the board without a result. `by` is the player who caused this; `None` for the administrator, both players
    /// or an event.
    pub(crate) fn end_without_result(
        &mut self,
        tx: &mut Transaction<'_>,
        why: NoResult,
        by: Option<PlayerId>,
    ) -> store::Result<()> {
        tx.end_without_result(self.board.number, why, by, self.now)?;
        self.read_again(tx)
    }

    /// Reopens an ended board, and reverts the rating changes of its end. The position must have a player to move.
    pub(crate) fn reopen(&mut self, tx: &mut Transaction<'_>, reason: &str) -> store::Result<()> {
        let to_move = self.replayed.position().to_move();
        self.take_back_end(tx)?;
        let (kind, ply, text) = (EntryKind::Reopen, self.board.plies, &*format!("reopen {reason}"));
        self.append(tx, NewEntry { kind, ply, seat: None, text, via: Channel::Administrator, to_move, played: None })
    }

    /// Makes the board void: ends a board in progress without a result, or removes the result of an ended one.
    pub(crate) fn void(&mut self, tx: &mut Transaction<'_>, why: Voiding<'_>) -> store::Result<()> {
        if self.is_over() {
            self.take_back_end(tx)?;
        }
        let (via, text) = match why {
            Voiding::Decision(reason) => (Channel::Administrator, format!("void {reason}")),
            Voiding::Annulment(annulment) => (Channel::Clock, annulment.text(EntryKind::Void)),
        };
        let (kind, ply) = (EntryKind::Void, self.board.plies);
        self.append(tx, NewEntry { kind, ply, seat: None, text: &text, via, to_move: None, played: None })?;
        self.end_without_result(tx, NoResult::Void, None)
    }

    fn take_back_end(&mut self, tx: &mut Transaction<'_>) -> store::Result<()> {
        rate::take_back(tx, &self.board)?;
        tx.reopen_board(self.board.number)?;
        self.read_again(tx)
    }

    fn read_again(&mut self, tx: &Transaction<'_>) -> store::Result<()> {
        let number = self.board.number;
        self.board = tx.board(number)?.ok_or_else(|| StoreError::Failed(format!("board {number} no longer exists")))?;
        self.stored_seats.clone_from(&self.board.seats);
        Ok(())
    }

    fn append(&mut self, tx: &mut Transaction<'_>, new: NewEntry<'_>) -> store::Result<()> {
        let board = &mut self.board;
        let made_at = clocks::not_before_turn(board, self.now);
        clocks::stop(tx, board, made_at)?;
        if new.kind == EntryKind::Move {
            clocks::credit(board, new.seat);
        }
        let entry = Entry {
            entry: board.entries.next(),
            kind: new.kind,
            ply: new.ply,
            seat: new.seat,
            text: new.text.to_owned(),
            made_at,
            via: new.via,
            hash: next_hash(&board.head, new.ply, new.text),
        };
        tx.add_entry(board.number, &entry, new.to_move)?;
        match new.played {
            Some(played) => self.replayed.append_made(&entry, played),
            None => self.replayed.append(&entry)?,
        }
        (board.entries, board.plies, board.to_move, board.moved_at) = (entry.entry, new.ply, new.to_move, made_at);
        board.head.clone_from(&entry.hash);
        self.entries.push(entry);
        self.propose(tx, None)?;
        // Submitted moves were for the previous position, so drop them.
        for seat in Seat::BOTH {
            self.board.seats[seat.index()].submitted = None;
        }
        self.store_seats(tx)?;
        clocks::start(tx, &mut self.board, made_at)
    }

    /// Stores a new proposal, or removes the open one.
    pub(crate) fn propose(&mut self, tx: &mut Transaction<'_>, proposal: Option<Proposal>) -> store::Result<()> {
        if self.board.proposal != proposal {
            tx.set_proposal(self.board.number, proposal)?;
            self.board.proposal = proposal;
        }
        Ok(())
    }
}

/// Returns whether a record contains a move of one of these seats, even if the move was undone.
pub(crate) fn has_moved(entries: &[Entry], seats: &[Seat]) -> bool {
    let made = |entry: &Entry| entry.kind == EntryKind::Move && entry.seat.is_some_and(|seat| seats.contains(&seat));
    entries.iter().any(made)
}
