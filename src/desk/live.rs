//! A board under the desk's hands: its state, record and position, kept in step while entries are added.

use chrono::{DateTime, Utc};

use crate::command::{Plan, Reply, When};
use crate::rules::{Play, Refusal, Seat};
use crate::store::{self, Board, BoardResult, Entry, EntryKind, Ledger, Proposal};

use super::plans;
use super::view::{Table, standing};
use super::views::DroppedView;
use super::{chain, clocks, rate};

/// The `via` of what the server plays for somebody who prepared it.
pub(super) const PLAN: &str = "plan";
/// The `via` of what the clock does.
const CLOCK: &str = "clock";
/// The `via` of the administrator.
const ADMINISTRATOR: &str = "administrator";

/// A board that entries are being added to.
pub(super) struct Live {
    pub(super) board: Board,
    pub(super) table: Table,
    /// The record's length when it was opened: what is new lies behind it.
    pub(super) since: u32,
    /// Prepared replies that came to nothing, and whose.
    pub(super) dropped: Vec<(Seat, DroppedView)>,
    /// The position before the last ply that was played here, and that ply.
    last: Option<(Box<dyn Play>, Seat, String)>,
    now: DateTime<Utc>,
}

/// How a board ends outside its rules.
pub(super) enum End {
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
    pub(super) fn open(ledger: &dyn Ledger, board: Board, now: DateTime<Utc>) -> store::Result<Live> {
        let table = Table::after(&board, &ledger.entries(board.number)?)?;
        Ok(Live { since: board.entries, dropped: Vec::new(), last: None, board, table, now })
    }

    pub(super) fn is_over(&self) -> bool {
        self.board.to_move.is_none()
    }

    /// Plays a move for the player whose turn it is, and ends the board when the rules end it. A refused move
    /// changes nothing.
    pub(super) fn play(
        &mut self,
        ledger: &mut dyn Ledger,
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
        self.append(ledger, EntryKind::Move, self.board.plies + 1, Some(played.seat), &text, via, after.to_move())?;
        self.last = Some((before, played.seat, text));
        if let Some(outcome) = after.outcome() {
            self.close(ledger, outcome.winner, outcome.reason)?;
        }
        Ok(Ok(()))
    }

    /// What was prepared for this moment happens: a resignation, or replies to the ply just played, until nothing is
    /// prepared for whoever is to move.
    pub(super) fn follow_up(&mut self, ledger: &mut dyn Ledger) -> store::Result<()> {
        while let Some(seat) = self.board.to_move {
            if self.board.seats[seat.index()].resigns {
                return self.end(ledger, End::Resign(seat), PLAN);
            }
            // Whoever passed his opponent over has nothing to reply to: what he prepared stays.
            let answers = self.last.as_ref().is_some_and(|(_, mover, _)| *mover == seat.other());
            let plan = &mut self.board.seats[seat.index()].plan;
            let Some(plan) = (if answers { plan.take() } else { None }) else { break };
            let (reply, next) = self.reply(&plans::stored(&self.board, &plan)?);
            let rest = Some(next.to_string()).filter(|rest| !rest.is_empty());
            match reply {
                Reply::Resign => return self.end(ledger, End::Resign(seat), PLAN),
                Reply::Stop => {
                    self.dropped.push((seat, DroppedView { reply: None, why: String::new() }));
                    ledger.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
                }
                Reply::Move(text) => {
                    self.board.seats[seat.index()].plan = rest;
                    if let Err(refusal) = self.play(ledger, &text, PLAN)? {
                        self.board.seats[seat.index()].plan = None;
                        self.dropped.push((seat, DroppedView { reply: Some(text), why: refusal.message }));
                        ledger.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
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
    pub(super) fn undo_ply(&self, ledger: &dyn Ledger, seat: Seat) -> store::Result<Option<u32>> {
        let entries = ledger.entries(self.board.number)?;
        Ok(standing(&entries).iter().rposition(|entry| entry.seat == Some(seat)).map(|at| at as u32))
    }

    /// Takes plies back. Whatever was prepared was prepared for a line that is gone.
    pub(super) fn undo(&mut self, ledger: &mut dyn Ledger, ply: u32, by: Seat, via: &str) -> store::Result<()> {
        for seat in &mut self.board.seats {
            (seat.plan, seat.submitted) = (None, None);
        }
        let entries = ledger.entries(self.board.number)?;
        let line = standing(&entries);
        let table = Table::after(&self.board, line.into_iter().take(ply as usize))?;
        self.append(ledger, EntryKind::Undo, ply, Some(by), "undo", via, table.position().to_move())
    }

    /// Ends the board outside its rules.
    pub(super) fn end(&mut self, ledger: &mut dyn Ledger, end: End, via: &str) -> store::Result<()> {
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
        self.append(ledger, kind, self.board.plies, seat, &text, via, None)?;
        self.close(ledger, winner, &reason)
    }

    fn close(&mut self, ledger: &mut dyn Ledger, winner: Option<Seat>, reason: &str) -> store::Result<()> {
        let result = BoardResult { winner, reason: reason.to_owned(), ended_at: self.now };
        ledger.end_board(self.board.number, &result)?;
        self.board.to_move = None;
        self.board.clock = None;
        self.board.result = Some(result);
        rate::rate(ledger, &self.board)
    }

    #[allow(clippy::too_many_arguments, reason = "they are the entry's parts")]
    fn append(
        &mut self,
        ledger: &mut dyn Ledger,
        kind: EntryKind,
        ply: u32,
        seat: Option<Seat>,
        text: &str,
        via: &str,
        to_move: Option<Seat>,
    ) -> store::Result<()> {
        let board = &mut self.board;
        clocks::stop(ledger, board, self.now)?;
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
        ledger.add_entry(board.number, &entry, to_move)?;
        self.table.replay(&entry)?;
        (board.entries, board.plies, board.to_move, board.moved_at) = (entry.entry, ply, to_move, self.now);
        board.head = entry.hash;
        self.propose(ledger, None)?;
        // A move submitted was submitted for the position that was.
        for seat in Seat::BOTH {
            self.board.seats[seat.index()].submitted = None;
            ledger.set_seat(self.board.number, seat, &self.board.seats[seat.index()])?;
        }
        clocks::start(ledger, &mut self.board, self.now)
    }

    /// Opens a proposal, or clears the open one.
    pub(super) fn propose(&mut self, ledger: &mut dyn Ledger, proposal: Option<Proposal>) -> store::Result<()> {
        if self.board.proposal != proposal {
            ledger.set_proposal(self.board.number, proposal)?;
            self.board.proposal = proposal;
        }
        Ok(())
    }
}
