//! A board under the service's hands: its state, record and position, kept in step while entries are added.

use chrono::{DateTime, Utc};

use crate::command::{Plan, Reply, When};
use crate::rules::{Play, Refusal, Seat};
use crate::store::{self, Board, BoardResult, Entry, EntryKind, Proposal, Transaction};
use crate::text::Message;

use crate::service::board::plans;
use crate::service::board::view::{Table, standing};
use crate::service::board::views::DroppedView;
use crate::service::board::{chain, clocks, rate};

/// The `via` of what the server plays for somebody who prepared it.
pub(in crate::service) const PLAN: &str = "plan";
/// The `via` of what the clock does.
const CLOCK: &str = "clock";
/// The `via` of the administrator.
const ADMINISTRATOR: &str = "administrator";

/// A board that entries are being added to.
pub(in crate::service) struct Live {
    pub(in crate::service) board: Board,
    pub(in crate::service) table: Table,
    /// The record's length when it was opened: what is new lies behind it.
    pub(in crate::service) since: u32,
    /// Prepared replies that came to nothing, and whose.
    pub(in crate::service) dropped: Vec<(Seat, DroppedView)>,
    /// The position before the last ply that was played here, and that ply.
    last: Option<(Box<dyn Play>, Seat, String)>,
    now: DateTime<Utc>,
}

/// How a board ends outside its rules.
pub(in crate::service) enum End {
    /// This seat resigns.
    Resign(Seat),
    /// A draw, which this seat accepted.
    Draw(Seat),
    /// This seat's time is up.
    Forfeit(Seat),
    /// The administrator gives it to a seat or to none, for a reason.
    Adjudge(Option<Seat>, String),
}

impl Live {
    pub(in crate::service) fn open(tx: &dyn Transaction, board: Board, now: DateTime<Utc>) -> store::Result<Live> {
        let table = Table::after(&board, &tx.entries(board.number)?)?;
        Ok(Live { since: board.entries, dropped: Vec::new(), last: None, board, table, now })
    }

    pub(in crate::service) fn is_over(&self) -> bool {
        self.board.to_move.is_none()
    }

    /// Plays a move for the player whose turn it is, and ends the board when the rules end it. A refused move
    /// changes nothing.
    pub(in crate::service) fn play(
        &mut self,
        tx: &mut dyn Transaction,
        text: &str,
        via: &str,
    ) -> store::Result<Result<(), Refusal>> {
        let before = self.table.position().boxed_clone();
        let mut after = before.boxed_clone();
        let played = match after.play(text) {
            Ok(played) => played,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let text = played.text;
        self.append(tx, EntryKind::Move, self.board.plies + 1, Some(played.seat), &text, via, after.to_move())?;
        self.last = Some((before, played.seat, text));
        if let Some(outcome) = after.outcome() {
            self.close(tx, outcome.winner, outcome.reason.as_str())?;
        }
        Ok(Ok(()))
    }

    /// What was prepared for this moment happens: a resignation, or replies to the ply just played, until nothing is
    /// prepared for whoever is to move.
    pub(in crate::service) fn follow_up(&mut self, tx: &mut dyn Transaction) -> store::Result<()> {
        while let Some(seat) = self.board.to_move {
            if self.board.seats[seat.index()].resigns {
                return self.end(tx, End::Resign(seat), PLAN);
            }
            // Whoever passed his opponent over has nothing to reply to: what he prepared stays.
            let answers = self.last.as_ref().is_some_and(|(_, mover, _)| *mover == seat.other());
            let plan = &mut self.board.seats[seat.index()].plan;
            let Some(plan) = (if answers { plan.take() } else { None }) else { break };
            let (reply, next) = self.reply(&plans::stored(&self.board, &plan)?);
            let rest = Some(next.to_string()).filter(|rest| !rest.is_empty());
            match reply {
                Reply::Resign => return self.end(tx, End::Resign(seat), PLAN),
                Reply::Stop => {
                    self.dropped.push((seat, DroppedView { reply: None, why: Message::default() }));
                    tx.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
                }
                Reply::Move(text) => {
                    self.board.seats[seat.index()].plan = rest;
                    if let Err(refusal) = self.play(tx, &text, PLAN)? {
                        self.board.seats[seat.index()].plan = None;
                        self.dropped.push((seat, DroppedView { reply: Some(text), why: refusal.message }));
                        tx.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What a plan replies to the last ply, and what is left of it then.
    fn reply(&self, plan: &Plan) -> (Reply, Plan) {
        let Some((before, _, played)) = &self.last else { return (Reply::Stop, Plan::default()) };
        let is_it = |text: &String| before.boxed_clone().play(text).is_ok_and(|other| other.text == *played);
        let branch = plan.branches.iter().find(|branch| match &branch.when {
            When::Moves(moves) => moves.iter().any(is_it),
            When::Else => true,
        });
        branch.map_or((Reply::Stop, Plan::default()), |branch| (branch.reply.clone(), branch.next.clone()))
    }

    /// The ply to which a seat's undo goes back: before its own last move. `None` when it has made none.
    pub(in crate::service) fn undo_ply(&self, tx: &dyn Transaction, seat: Seat) -> store::Result<Option<u32>> {
        let entries = tx.entries(self.board.number)?;
        Ok(standing(&entries).iter().rposition(|entry| entry.seat == Some(seat)).map(|at| at as u32))
    }

    /// Takes plies back. Whatever was prepared was prepared for a line that is gone.
    pub(in crate::service) fn undo(
        &mut self,
        tx: &mut dyn Transaction,
        ply: u32,
        by: Seat,
        via: &str,
    ) -> store::Result<()> {
        for seat in &mut self.board.seats {
            (seat.plan, seat.submitted) = (None, None);
        }
        let entries = tx.entries(self.board.number)?;
        let line = standing(&entries);
        let table = Table::after(&self.board, line.into_iter().take(ply as usize))?;
        self.append(tx, EntryKind::Undo, ply, Some(by), "undo", via, table.position().to_move())
    }

    /// Ends the board outside its rules.
    pub(in crate::service) fn end(&mut self, tx: &mut dyn Transaction, end: End, via: &str) -> store::Result<()> {
        let number = |seat: Seat| seat.index() + 1;
        let (kind, seat, text, winner, reason, via) = match end {
            End::Resign(seat) => {
                let text = format!("resign {}", number(seat));
                (EntryKind::Resign, Some(seat), text, Some(seat.other()), "resignation".to_owned(), via)
            }
            End::Draw(seat) => (EntryKind::Draw, Some(seat), "draw".to_owned(), None, "agreement".to_owned(), via),
            End::Forfeit(seat) => {
                let text = format!("forfeit {}", number(seat));
                (EntryKind::Forfeit, Some(seat), text, Some(seat.other()), "time".to_owned(), CLOCK)
            }
            End::Adjudge(winner, why) => {
                let who = winner.map_or_else(|| "draw".to_owned(), |seat| number(seat).to_string());
                let (text, reason) = (format!("adjudge {who} {why}"), format!("adjudication: {why}"));
                (EntryKind::Adjudge, None, text, winner, reason, ADMINISTRATOR)
            }
        };
        self.append(tx, kind, self.board.plies, seat, &text, via, None)?;
        self.close(tx, winner, &reason)
    }

    fn close(&mut self, tx: &mut dyn Transaction, winner: Option<Seat>, reason: &str) -> store::Result<()> {
        let result = BoardResult { winner, reason: reason.to_owned(), ended_at: self.now };
        tx.end_board(self.board.number, &result)?;
        self.board.to_move = None;
        self.board.clock = None;
        self.board.result = Some(result);
        rate::rate(tx, &self.board)
    }

    #[allow(clippy::too_many_arguments, reason = "they are the entry's parts")]
    fn append(
        &mut self,
        tx: &mut dyn Transaction,
        kind: EntryKind,
        ply: u32,
        seat: Option<Seat>,
        text: &str,
        via: &str,
        to_move: Option<Seat>,
    ) -> store::Result<()> {
        let board = &mut self.board;
        clocks::stop(tx, board, self.now)?;
        let entry = Entry {
            entry: board.entries + 1,
            kind,
            ply,
            seat,
            text: text.to_owned(),
            made_at: self.now,
            via: via.to_owned(),
            hash: chain::next(&board.head, ply, text),
        };
        tx.add_entry(board.number, &entry, to_move)?;
        self.table.replay(&entry)?;
        (board.entries, board.plies, board.to_move, board.moved_at) = (entry.entry, ply, to_move, self.now);
        board.head = entry.hash;
        self.propose(tx, None)?;
        // A move submitted was submitted for the position that was.
        for seat in Seat::BOTH {
            self.board.seats[seat.index()].submitted = None;
            tx.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
        }
        clocks::start(tx, &mut self.board, self.now)
    }

    /// Opens a proposal, or clears the open one.
    pub(in crate::service) fn propose(
        &mut self,
        tx: &mut dyn Transaction,
        proposal: Option<Proposal>,
    ) -> store::Result<()> {
        if self.board.proposal != proposal {
            tx.set_proposal(self.board.number, proposal)?;
            self.board.proposal = proposal;
        }
        Ok(())
    }
}
