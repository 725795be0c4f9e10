//! A board replayed, for a reader.

use crate::draw::ascii::{self, Style};
use crate::draw::sentences::sentences;
use crate::rules::{Game, Options, Play, Played, Refusal, RefusalKind, Seat, catalogue};
use crate::store::{self, Board, Comment, Entry, EntryKind, StoreError, Transaction};

use crate::service::board::views::{BoardRow, BoardView, CommentView, EntryView, RatingView, ResultView, SeatView};

/// Which moment of a board is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// As it is.
    Now,
    /// After so many entries of its record.
    Entry(u32),
    /// After so many of the plies that stand.
    Ply(u32),
}

/// The board at a moment, for a reader to whom the entries after `since` are new (the last one, when `None`); `None`
/// when there is no such board or moment. Clock and proposal are those of the present and left to the caller.
///
/// # Errors
/// The store's.
pub fn board_view(
    tx: &dyn Transaction,
    number: u32,
    moment: Moment,
    since: Option<u32>,
    plain: bool,
) -> store::Result<Option<BoardView>> {
    let Some(board) = tx.board(number)? else { return Ok(None) };
    let mut entries = tx.entries(number)?;
    match moment {
        Moment::Now => {}
        Moment::Entry(entry) if entry <= board.entries => entries.truncate(entry as usize),
        Moment::Ply(ply) if ply <= board.plies => {
            entries = standing(&entries).into_iter().take(ply as usize).cloned().collect();
        }
        Moment::Entry(_) | Moment::Ply(_) => return Ok(None),
    }
    let mut table = Table::of(&board)?;
    for entry in &entries {
        table.replay(entry)?;
    }
    let last = entries.last();
    let mut view = table.view(plain);
    view.number = number;
    view.private = board.private;
    view.rated = board.rated;
    view.declined = board.declined;
    view.entries = last.map_or(0, |entry| entry.entry);
    let challenger = board.players.iter().find(|seated| Some(seated.id) == board.challenger);
    view.challenger = challenger.map(|seated| seated.userid.clone());
    view.hash = last.map_or_else(|| board.genesis.clone(), |entry| entry.hash.clone());
    let since = since.unwrap_or(view.entries.saturating_sub(1));
    view.news = table.record.into_iter().filter(|entry| entry.entry > since).collect();
    let present = match moment {
        Moment::Now => true,
        Moment::Entry(entry) => entry == board.entries,
        Moment::Ply(ply) => ply == board.plies,
    };
    if present {
        view.to_move = board.to_move.map(|seat| board.players[seat.index()].userid.clone());
        view.result = result_row(tx, &board)?;
    }
    view.comments = comments(tx, &board, since, view.entries)?;
    Ok(Some(view))
}

/// What was said with the entries behind `since` up to `entry`. What was said with the challenge is new with the
/// challenge only.
pub(in crate::service) fn comments(
    tx: &dyn Transaction,
    board: &Board,
    since: u32,
    entry: u32,
) -> store::Result<Vec<CommentView>> {
    let new = |comment: &Comment| comment.entry <= entry && (comment.entry > since || entry == 0);
    let view = |comment: Comment| {
        let player = board.players.iter().find(|seated| seated.id == comment.player);
        CommentView { userid: player.map_or_else(String::new, |player| player.userid.clone()), text: comment.text }
    };
    Ok(tx.comments(board.number)?.into_iter().filter(new).map(view).collect())
}

/// The moves of a record that stand: those that no undo took back.
pub(in crate::service) fn standing(entries: &[Entry]) -> Vec<&Entry> {
    let mut line: Vec<&Entry> = Vec::new();
    for entry in entries {
        match entry.kind {
            EntryKind::Move => line.push(entry),
            EntryKind::Undo => line.truncate(entry.ply as usize),
            EntryKind::Resign | EntryKind::Draw | EntryKind::Forfeit | EntryKind::Adjudge => {}
        }
    }
    line
}

/// A board in a list.
pub(in crate::service) fn row(tx: &dyn Transaction, board: &Board) -> store::Result<BoardRow> {
    let title = catalogue::find(&board.game).map_or(board.game.as_str(), |game| game.title());
    Ok(BoardRow {
        number: board.number,
        game: board.game.clone(),
        title: title.to_owned(),
        options: board.options.clone(),
        players: board.players.clone().map(|seated| seated.userid),
        plies: board.plies,
        to_move: board.to_move.map(|seat| board.players[seat.index()].userid.clone()),
        result: result_row(tx, board)?,
        moved_at: board.moved_at,
    })
}

fn result_row(tx: &dyn Transaction, board: &Board) -> store::Result<Option<ResultView>> {
    let Some(result) = &board.result else { return Ok(None) };
    let userid = |seat: Seat| board.players[seat.index()].userid.clone();
    let mut ratings = Vec::new();
    for (seat, change) in Seat::BOTH.into_iter().zip(tx.rating_changes(board.number)?.into_iter().flatten()) {
        ratings.push(RatingView {
            userid: userid(seat),
            before: change.before.rating.round() as i64,
            after: change.after.rating.round() as i64,
            deviation: change.after.deviation.round() as i64,
            provisional: change.after.provisional(),
        });
    }
    Ok(Some(ResultView {
        winner: result.winner.map(userid),
        loser: result.winner.map(Seat::other).map(userid),
        reason: result.reason.clone(),
        ratings,
    }))
}

/// A board under play with its record so far: what a view is made from.
pub(in crate::service) struct Table {
    game: &'static dyn Game,
    options: Options,
    players: [String; 2],
    play: Box<dyn Play>,
    moves: Vec<EntryView>,
    /// Every entry replayed, those taken back too.
    record: Vec<EntryView>,
    /// An entry ended the game outside its rules.
    ended: bool,
}

impl Table {
    /// An empty board.
    pub(in crate::service) fn new(
        game: &'static dyn Game,
        options: Options,
        players: [String; 2],
    ) -> Result<Table, Refusal> {
        let play = game.start(&options)?;
        Ok(Table { game, options, players, play, moves: Vec::new(), record: Vec::new(), ended: false })
    }

    /// The empty board that a stored board began as.
    fn of(board: &Board) -> store::Result<Table> {
        let broken = |what: String| StoreError::Failed(format!("board {}: {what}", board.number));
        let game = catalogue::find(&board.game).ok_or_else(|| broken(format!("no game {:?}", board.game)))?;
        let players = board.players.clone().map(|seated| seated.userid);
        Table::new(game, Options::from_canonical(&board.options), players).map_err(|error| broken(error.to_string()))
    }

    /// A stored board with these entries of its record.
    pub(in crate::service) fn after<'a>(
        board: &Board,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> store::Result<Table> {
        let mut table = Table::of(board)?;
        for entry in entries {
            table.replay(entry)?;
        }
        Ok(table)
    }

    /// Takes a stored entry in: a move that the rules refuse means that the database was tampered with.
    pub(in crate::service) fn replay(&mut self, entry: &Entry) -> store::Result<()> {
        let seat = entry.seat.map(|seat| (self.players[seat.index()].clone(), self.play.mark(seat)));
        let (userid, mark) = seat.map_or((None, None), |(userid, mark)| (Some(userid), Some(mark)));
        let mut view = EntryView {
            entry: entry.entry,
            kind: entry.kind,
            ply: entry.ply,
            userid,
            mark,
            text: entry.text.clone(),
            captured: Vec::new(),
            passed_over: false,
            prepared: entry.via == crate::service::board::live::PLAN,
            made_at: Some(entry.made_at),
            hash: entry.hash.clone(),
        };
        match entry.kind {
            EntryKind::Move => {
                let played = self.play.play(&entry.text).map_err(|error| {
                    StoreError::Failed(format!("ply {} ({}) does not replay: {error}", entry.ply, entry.text))
                })?;
                // Players can exchange colours by a move: it is told in the colour that its maker has from then on.
                view.mark = Some(self.play.mark(played.seat));
                view.captured = played.captured;
                view.passed_over = played.passed_over;
                self.moves.push(view.clone());
            }
            EntryKind::Undo => self.take_back(entry.ply)?,
            EntryKind::Resign | EntryKind::Draw | EntryKind::Forfeit | EntryKind::Adjudge => self.ended = true,
        }
        self.record.push(view);
        Ok(())
    }

    fn take_back(&mut self, ply: u32) -> store::Result<()> {
        let broken = |error: Refusal| StoreError::Failed(format!("an undo does not replay: {error}"));
        self.moves.truncate(ply as usize);
        self.play = self.game.start(&self.options).map_err(broken)?;
        for mv in &self.moves {
            self.play.play(&mv.text).map_err(broken)?;
        }
        Ok(())
    }

    /// Tries a move for the player whose turn it is, on this board only; it is no part of a record.
    pub(in crate::service) fn play(&mut self, text: &str) -> Result<Played, Refusal> {
        let played = self.play.play(text)?;
        self.moves.push(EntryView {
            entry: 0,
            kind: EntryKind::Move,
            ply: self.moves.len() as u32 + 1,
            userid: Some(self.players[played.seat.index()].clone()),
            mark: Some(self.play.mark(played.seat)),
            text: played.text.clone(),
            captured: played.captured.clone(),
            passed_over: played.passed_over,
            prepared: false,
            made_at: None,
            hash: String::new(),
        });
        Ok(played)
    }

    /// Where nobody plays: its players are called what their pieces are, which they may have exchanged.
    pub(in crate::service) fn name_by_sides(&mut self) {
        self.players = Seat::BOTH.map(|seat| self.play.side(seat).to_owned());
    }

    /// The position.
    pub(in crate::service) fn position(&self) -> &dyn Play {
        self.play.as_ref()
    }

    /// For a reader: without what a position does not have.
    pub(in crate::service) fn view(&self, plain: bool) -> BoardView {
        let play = &self.play;
        let userid = |seat: Seat| self.players[seat.index()].clone();
        let seat =
            |seat: Seat| SeatView { userid: userid(seat), side: play.side(seat).to_owned(), mark: play.mark(seat) };
        let style = if plain { Style::Plain } else { Style::Named };
        let scene = play.scene();
        let mut legal = play.legal_moves();
        // Out of the middle: what comes first is a corner of the board, or a swap of sides.
        let example = (!legal.is_empty()).then(|| legal.swap_remove(legal.len() / 2));
        let sides = Seat::BOTH.map(|seat| (play.mark(seat), play.side(seat).to_owned()));
        BoardView {
            number: 0,
            game: self.game.name().to_owned(),
            title: self.game.title().to_owned(),
            options: self.options.to_string(),
            aim: play.aim(),
            seats: Seat::BOTH.map(seat).to_vec(),
            challenger: None,
            rated: false,
            private: false,
            plies: self.moves.len() as u32,
            entries: 0,
            to_move: play.to_move().filter(|_| !self.ended).map(userid),
            example,
            moves: self.moves.clone(),
            news: self.moves.last().cloned().into_iter().collect(),
            result: play.outcome().map(|outcome| ResultView {
                winner: outcome.winner.map(userid),
                loser: outcome.winner.map(Seat::other).map(userid),
                reason: outcome.reason.as_str().to_owned(),
                ratings: Vec::new(),
            }),
            declined: false,
            comments: Vec::new(),
            pieces: play.pieces(),
            drawing: ascii::draw(&scene, style),
            sentences: sentences(&scene, &sides),
            hash: String::new(),
            clock: None,
            proposal: None,
        }
    }
}

/// Whether a refusal of the rules means that the text was not understood, as against forbidden.
pub(in crate::service) fn not_understood(refusal: &Refusal) -> bool {
    matches!(refusal.kind, RefusalKind::NotAMove | RefusalKind::Options)
}
