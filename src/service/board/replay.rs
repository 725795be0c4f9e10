//! Replays a board from its record: the position, the record so far, and the current moves.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::Flags;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{Effects, Game, Options, Play, PlayedMove, Refusal, Seat, catalogue};
use crate::store::{self, Board, Channel, Departure, Entry, EntryKind, ResultReason, StoreError};

use crate::service::board::record;
use crate::service::board::views::{BoardView, EntryView, ResultView, SeatView, ViewedPosition};

/// A board with its position. The record is replayed once; appended entries then update the position.
pub(crate) struct ReplayedBoard {
    game: &'static dyn Game,
    options: Options,
    position: Box<dyn Play>,
    players: [String; 2],
    record: Vec<EntryView>,
    moves: Vec<EntryView>,
    /// The end that an entry recorded.
    ended: Option<End>,
    /// The plies whose positions are cached, because the board may go back to them.
    to_keep: BTreeSet<Ply>,
    kept: BTreeMap<Ply, Box<dyn Play>>,
}

/// An end of a board that an entry recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The winner (`None` for a draw), and the reason.
    Result(Option<Seat>, ResultReason),
    Void,
    Abandoned,
}

/// Returns the end that an entry records; `None` if it records none, or its text is invalid.
pub(crate) fn end_of(entry: &Entry) -> Option<End> {
    let (word, rest) = entry.text.split_once(' ').unwrap_or((&entry.text, ""));
    let seat = |text: &str| text.parse().ok().and_then(record::seat);
    let departed =
        || Departure::of(&entry.text).filter(|_| entry.via == Channel::Clock).map(|departure| departure.seat);
    let loser = || seat(rest).or_else(departed).filter(|seat| Some(*seat) == entry.seat);
    match (entry.kind, word) {
        (EntryKind::Resign, "resign") => Some(End::Result(Some(loser()?.other()), ResultReason::Resignation)),
        (EntryKind::Forfeit, "forfeit") => Some(End::Result(Some(loser()?.other()), ResultReason::Time)),
        (EntryKind::Draw, "draw") => entry.seat.map(|_| End::Result(None, ResultReason::Agreement)),
        (EntryKind::Adjudge, "adjudge") => {
            let (who, why) = rest.split_once(' ')?;
            let winner = if who == "draw" { None } else { Some(seat(who)?) };
            Some(End::Result(winner, ResultReason::Adjudication(why.to_owned())))
        }
        (EntryKind::Void, "void") => Some(End::Void),
        (EntryKind::Abandon, "abandon") => entry.seat.map(|_| End::Abandoned),
        _ => None,
    }
}

fn start(game: &dyn Game, options: &Options) -> Result<Box<dyn Play>, Refusal> {
    #[cfg(test)]
    REPLAYS.with(|replays| replays.set(replays.get() + 1));
    game.start(options)
}

fn broken(refusal: Refusal) -> StoreError {
    StoreError::WrongRecord(refusal.whole_message())
}

fn known_game(name: &str) -> store::Result<&'static dyn Game> {
    catalogue::find(name).ok_or_else(|| StoreError::WrongRecord(message!("check.no-game", name)))
}

/// Returns the current moves of a record, without undone ones.
pub(crate) fn standing_moves(entries: &[Entry]) -> Vec<&Entry> {
    let mut line: Vec<&Entry> = Vec::new();
    for entry in entries {
        match entry.kind {
            EntryKind::Move => line.push(entry),
            EntryKind::Undo => line.truncate(entry.ply.0 as usize),
            _ => {}
        }
    }
    line
}

/// Returns the plies whose positions are cached: those to which undos have returned the game, and those to which the
/// next undo can return it.
fn plies_to_keep(entries: &[Entry]) -> BTreeSet<Ply> {
    let undone = entries.iter().filter(|entry| entry.kind == EntryKind::Undo).map(|entry| entry.ply);
    let line = standing_moves(entries);
    let before_last = |seat| line.iter().rposition(|entry| entry.seat == Some(seat)).map(|ply| Ply(ply as u32));
    undone.chain(Seat::BOTH.into_iter().filter_map(before_last)).collect()
}

impl ReplayedBoard {
    /// Creates an empty board of a game.
    ///
    /// # Errors
    /// A refusal if the options contradict each other.
    pub(crate) fn new(
        game: &'static dyn Game,
        options: Options,
        players: [String; 2],
    ) -> Result<ReplayedBoard, Refusal> {
        Ok(ReplayedBoard {
            position: start(game, &options)?,
            game,
            options,
            players,
            record: Vec::new(),
            moves: Vec::new(),
            ended: None,
            to_keep: BTreeSet::new(),
            kept: BTreeMap::new(),
        })
    }

    /// Returns the initial state of a stored board, to which these entries will be appended.
    ///
    /// # Errors
    /// If the board's game or options are unknown.
    pub(crate) fn before(board: &Board, entries: &[Entry]) -> store::Result<ReplayedBoard> {
        let players = board.players.clone().map(|seated| seated.userid);
        let options = Options::from_canonical(&board.options);
        let replayed = ReplayedBoard::new(known_game(&board.game)?, options, players).map_err(|refusal| {
            let (options, why) = (&board.options, refusal.whole_message());
            StoreError::WrongRecord(message!("check.wrong-options", board = board.number, options, why))
        })?;
        Ok(ReplayedBoard { to_keep: plies_to_keep(entries), ..replayed })
    }

    /// Returns a stored board after these entries.
    ///
    /// # Errors
    /// If an entry cannot be replayed.
    pub(crate) fn after(board: &Board, entries: &[Entry]) -> store::Result<ReplayedBoard> {
        let mut replayed = ReplayedBoard::before(board, entries)?;
        for entry in entries {
            replayed.append(entry)?;
        }
        Ok(replayed)
    }

    /// Returns a stored board after this many current moves.
    ///
    /// # Errors
    /// If a move cannot be replayed.
    pub(crate) fn after_plies(board: &Board, entries: &[Entry], plies: Ply) -> store::Result<ReplayedBoard> {
        let mut replayed = ReplayedBoard::before(board, &[])?;
        for entry in standing_moves(entries).into_iter().take(plies.0 as usize) {
            replayed.append(entry)?;
        }
        Ok(replayed)
    }

    /// Returns a stored board after these entries, prepared to [`go_back`](Self::go_back) to a ply.
    ///
    /// # Errors
    /// If an entry cannot be replayed.
    pub(crate) fn after_keeping(board: &Board, entries: &[Entry], ply: Ply) -> store::Result<ReplayedBoard> {
        let mut replayed = ReplayedBoard::before(board, entries)?;
        replayed.to_keep.insert(ply);
        for entry in entries {
            replayed.append(entry)?;
        }
        Ok(replayed)
    }

    /// Goes back to a ply without changing the stored board, so that moves can be tried from there.
    ///
    /// # Errors
    /// If the moves cannot be replayed.
    pub(crate) fn go_back(&mut self, ply: Ply) -> store::Result<()> {
        self.ended = None;
        if (ply.0 as usize) < self.moves.len() {
            self.take_back(ply)?;
        }
        Ok(())
    }

    pub(crate) fn position(&self) -> &dyn Play {
        self.position.as_ref()
    }

    /// Returns the result after the entries so far: the winner, and the reason.
    pub(crate) fn result(&self) -> Option<(Option<Seat>, ResultReason)> {
        match &self.ended {
            Some(End::Result(winner, reason)) => Some((*winner, reason.clone())),
            Some(End::Void | End::Abandoned) => None,
            None => self
                .position
                .outcome()
                .map(|outcome| (outcome.winner, ResultReason::Rules(outcome.reason.as_str().to_owned()))),
        }
    }

    pub(crate) fn ended(&self) -> Option<&End> {
        self.ended.as_ref()
    }

    /// Returns the entries so far.
    pub(crate) fn record(&self) -> &[EntryView] {
        &self.record
    }

    pub(crate) fn moves(&self) -> &[EntryView] {
        &self.moves
    }

    /// Returns the number of current moves.
    fn plies(&self) -> Ply {
        Ply(self.moves.len() as u32)
    }

    /// Appends an entry of the record.
    ///
    /// # Errors
    /// If the entry cannot be replayed.
    pub(crate) fn append(&mut self, entry: &Entry) -> store::Result<()> {
        match entry.kind {
            EntryKind::Move => {
                let played = self.make(&entry.text).map_err(|refusal| {
                    let (ply, text, why) = (entry.ply, &entry.text, refusal.whole_message());
                    StoreError::WrongRecord(message!("check.illegal-move", ply, text, why))
                })?;
                self.append_made(entry, played);
                Ok(())
            }
            // Create the view before the undo, which may revert an exchange of colours and thus change the player's
            // mark.
            EntryKind::Undo => {
                let taken_back = self.moves.iter().skip(entry.ply.0 as usize).map(|mv| mv.text.clone()).collect();
                self.record.push(EntryView { taken_back, ..self.entry_view(entry) });
                self.take_back(entry.ply)
            }
            EntryKind::Resign
            | EntryKind::Draw
            | EntryKind::Forfeit
            | EntryKind::Adjudge
            | EntryKind::Reopen
            | EntryKind::Void
            | EntryKind::Abandon => {
                self.record.push(self.entry_view(entry));
                self.ended = end_of(entry);
                Ok(())
            }
        }
    }

    /// Plays a move on the position. The caller must then call [`append_made`](Self::append_made). A refused move
    /// changes nothing.
    pub(crate) fn make(&mut self, text: &str) -> Result<PlayedMove, Refusal> {
        let plies = self.plies();
        if self.to_keep.contains(&plies) {
            self.kept.insert(plies, self.position.boxed_clone());
        }
        self.position.play(text)
    }

    /// Appends the entry of the move just played.
    pub(crate) fn append_made(&mut self, entry: &Entry, played: PlayedMove) {
        let mut view = self.entry_view(entry);
        // Players can exchange colours by a move. The move is shown in its player's new colour.
        view.mark = Some(self.position.mark(played.seat));
        view.effects = played.effects;
        self.moves.push(view.clone());
        self.record.push(view);
    }

    fn entry_view(&self, entry: &Entry) -> EntryView {
        let departure = Departure::of(&entry.text).filter(|_| entry.via == Channel::Clock);
        let seat = entry.seat.or(departure.map(|departure| departure.seat));
        EntryView {
            entry: entry.entry,
            kind: entry.kind,
            ply: entry.ply,
            userid: seat.map(|seat| self.players[seat.index()].clone()),
            mark: seat.map(|seat| self.position.mark(seat)),
            text: entry.text.clone(),
            effects: Effects::default(),
            taken_back: Vec::new(),
            prepared: entry.via == Channel::Plan,
            made_at: Some(entry.made_at),
            hash: entry.hash.clone(),
        }
    }

    fn take_back(&mut self, ply: Ply) -> store::Result<()> {
        self.moves.truncate(ply.0 as usize);
        self.kept.retain(|kept, _| *kept <= ply);
        self.position = match self.kept.get(&ply) {
            Some(position) => position.boxed_clone(),
            None => replay(self.game, &self.options, &self.moves).map_err(broken)?,
        };
        Ok(())
    }

    /// Tries a move for the player whose turn it is, without changing the stored board.
    ///
    /// # Errors
    /// If the rules refuse the move.
    pub(crate) fn try_move(&mut self, text: &str) -> Result<PlayedMove, Refusal> {
        let played = self.position.play(text)?;
        self.moves.push(EntryView {
            entry: EntryNumber::START,
            kind: EntryKind::Move,
            ply: self.plies().next(),
            userid: Some(self.players[played.seat.index()].clone()),
            mark: Some(self.position.mark(played.seat)),
            text: played.text.clone(),
            effects: played.effects.clone(),
            taken_back: Vec::new(),
            prepared: false,
            made_at: None,
            hash: String::new(),
        });
        Ok(played)
    }

    /// Names the players by their marks, on a board without players. Call this again after moves, which may exchange
    /// the marks.
    pub(crate) fn name_players_by_marks(&mut self) {
        self.players = Seat::BOTH.map(|seat| self.position.mark(seat).to_string());
    }

    /// Returns the board for a reader, without the facts that only the store has, such as the number, the clock and the
    /// comments.
    pub(crate) fn view(&self, plain: bool) -> BoardView {
        let position = &self.position;
        let to_move = position.to_move().filter(|_| self.ended.is_none());
        let userid = |seat: Seat| self.players[seat.index()].clone();
        let seat = |seat: Seat| SeatView { userid: userid(seat), side: position.side(seat), mark: position.mark(seat) };
        BoardView {
            number: BoardNumber(0),
            game: self.game.name().to_owned(),
            title: self.game.title().to_owned(),
            options: self.options.to_string(),
            aim: if to_move.is_some() { position.aim() } else { position.aim_after_the_end() },
            seats: Seat::BOTH.map(seat).to_vec(),
            challenger: None,
            rematch_of: None,
            event: None,
            flags: Flags { rated: false, ..Flags::default() },
            plies: self.plies(),
            entries: EntryNumber::START,
            to_move: to_move.map(userid),
            moves: self.moves.clone(),
            news: self.moves.last().cloned().into_iter().collect(),
            result: self.result().map(|(winner, reason)| ResultView {
                winner: winner.map(userid),
                loser: winner.map(Seat::other).map(userid),
                reason,
                ratings: Vec::new(),
            }),
            no_result: None,
            comments: Vec::new(),
            drawn: None,
            hash: String::new(),
            clock: None,
            away: Vec::new(),
            proposal: None,
            cleared: None,
            hint: None,
            plain,
            position: Some(ViewedPosition(position.boxed_clone())),
        }
    }
}

fn replay(game: &dyn Game, options: &Options, moves: &[EntryView]) -> Result<Box<dyn Play>, Refusal> {
    let mut position = start(game, options)?;
    for mv in moves {
        position.play(&mv.text)?;
    }
    Ok(position)
}

impl BoardView {
    /// Returns the position of the view. A view from the store lacks it, so its moves are replayed once.
    ///
    /// # Errors
    /// If the game is unknown, or a move cannot be replayed.
    pub fn position(&mut self) -> store::Result<&dyn Play> {
        let position = match self.position.take() {
            Some(position) => position,
            None => {
                let options = Options::from_canonical(&self.options);
                ViewedPosition(replay(known_game(&self.game)?, &options, &self.moves).map_err(broken)?)
            }
        };
        Ok(self.position.insert(position).0.as_ref())
    }
}

#[cfg(test)]
thread_local! {
    /// The number of complete replays of boards on this thread.
    pub(crate) static REPLAYS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}
