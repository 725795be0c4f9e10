//! A board replayed, for a reader.

use crate::draw::ascii::{self, Style};
use crate::rules::{Game, Options, Play, Played, Refusal, RefusalKind, Seat, catalogue};
use crate::store::{self, Board, Entry, Ledger, StoreError};

use super::{BoardRow, BoardView, CommentView, MoveView, ResultView, SeatView};

/// The board after `ply` plies (now, when `None`), for a reader; `None` when there is no such board or ply.
///
/// # Errors
/// The store's.
pub fn board_view(ledger: &dyn Ledger, number: u32, ply: Option<u32>, plain: bool) -> store::Result<Option<BoardView>> {
    let Some(board) = ledger.board(number)? else { return Ok(None) };
    let shown = ply.unwrap_or(board.plies);
    if shown > board.plies {
        return Ok(None);
    }
    let mut table = Table::of(&board)?;
    let mut head = board.genesis.clone();
    for mv in ledger.entries(number)?.into_iter().take(shown as usize) {
        head.clone_from(&mv.hash);
        table.replay(&mv)?;
    }
    let mut view = table.view(plain);
    view.number = number;
    view.declined = board.declined;
    let challenger = board.players.iter().find(|(id, _)| Some(*id) == board.challenger);
    view.challenger = challenger.map(|(_, userid)| userid.clone());
    view.hash = head;
    if shown == board.plies {
        // What ended the board outside its rules (a resignation) is not in its moves.
        view.result = result_row(&board);
        view.to_move = board.to_move.map(|seat| board.players[seat.index()].1.clone());
    }
    for comment in ledger.comments(number)? {
        if comment.entry == shown {
            let userid = board.players.iter().find(|(id, _)| *id == comment.player);
            let userid = userid.map_or_else(String::new, |(_, userid)| userid.clone());
            view.comments.push(CommentView { userid, text: comment.text });
        }
    }
    Ok(Some(view))
}

/// A board in a list.
pub(super) fn row(board: &Board) -> BoardRow {
    BoardRow {
        number: board.number,
        options: board.options.clone(),
        players: board.players.clone().map(|(_, userid)| userid),
        plies: board.plies,
        to_move: board.to_move.map(|seat| board.players[seat.index()].1.clone()),
        result: result_row(board),
        moved_at: board.moved_at,
    }
}

fn result_row(board: &Board) -> Option<ResultView> {
    let result = board.result.as_ref()?;
    let userid = |seat: Seat| board.players[seat.index()].1.clone();
    Some(ResultView {
        winner: result.winner.map(userid),
        loser: result.winner.map(Seat::other).map(userid),
        reason: result.reason.clone(),
    })
}

/// A board under play with what has been played on it: what a view is made from.
pub(super) struct Table {
    game: &'static dyn Game,
    options: Options,
    players: [String; 2],
    play: Box<dyn Play>,
    moves: Vec<MoveView>,
}

impl Table {
    /// An empty board.
    pub(super) fn new(game: &'static dyn Game, options: Options, players: [String; 2]) -> Result<Table, Refusal> {
        let play = game.start(&options)?;
        Ok(Table { game, options, players, play, moves: Vec::new() })
    }

    /// The empty board that a stored board began as.
    fn of(board: &Board) -> store::Result<Table> {
        let broken = |what: String| StoreError::Failed(format!("board {}: {what}", board.number));
        let game = catalogue::find(&board.game).ok_or_else(|| broken(format!("no game {:?}", board.game)))?;
        let players = board.players.clone().map(|(_, userid)| userid);
        Table::new(game, Options::from_canonical(&board.options), players).map_err(|error| broken(error.to_string()))
    }

    /// A stored board with so many of its moves played.
    pub(super) fn after(board: &Board, moves: &[Entry]) -> store::Result<Table> {
        let mut table = Table::of(board)?;
        for mv in moves {
            table.replay(mv)?;
        }
        Ok(table)
    }

    /// Plays a stored move: one that the rules refuse means that the database was tampered with.
    fn replay(&mut self, mv: &Entry) -> store::Result<()> {
        self.play(&mv.text)
            .map_err(|error| StoreError::Failed(format!("ply {} ({}) does not replay: {error}", mv.ply, mv.text)))?;
        if let Some(last) = self.moves.last_mut() {
            last.made_at = Some(mv.made_at);
            last.hash.clone_from(&mv.hash);
        }
        Ok(())
    }

    /// Plays a move for the player whose turn it is.
    pub(super) fn play(&mut self, text: &str) -> Result<Played, Refusal> {
        let played = self.play.play(text)?;
        self.moves.push(MoveView {
            ply: self.moves.len() as u32 + 1,
            userid: self.players[played.seat.index()].clone(),
            mark: self.play.mark(played.seat),
            text: played.text.clone(),
            captured: played.captured.clone(),
            passed_over: played.passed_over,
            made_at: None,
            hash: String::new(),
        });
        Ok(played)
    }

    /// The position.
    pub(super) fn position(&self) -> &dyn Play {
        self.play.as_ref()
    }

    /// For a reader: without number, comments and hash, which a position does not have.
    pub(super) fn view(&self, plain: bool) -> BoardView {
        let play = &self.play;
        let userid = |seat: Seat| self.players[seat.index()].clone();
        let seat =
            |seat: Seat| SeatView { userid: userid(seat), side: play.side(seat).to_owned(), mark: play.mark(seat) };
        let style = if plain { Style::Plain } else { Style::Named };
        BoardView {
            number: 0,
            game: self.game.name().to_owned(),
            title: self.game.title().to_owned(),
            options: self.options.to_string(),
            aim: play.aim(),
            seats: Seat::BOTH.map(seat).to_vec(),
            challenger: None,
            plies: self.moves.len() as u32,
            to_move: play.to_move().map(userid),
            moves: self.moves.clone(),
            result: play.outcome().map(|outcome| ResultView {
                winner: outcome.winner.map(userid),
                loser: outcome.winner.map(Seat::other).map(userid),
                reason: outcome.reason.to_owned(),
            }),
            declined: false,
            comments: Vec::new(),
            pieces: play.pieces(),
            drawing: ascii::draw(&play.scene(), style),
            hash: String::new(),
        }
    }
}

/// Whether a refusal of the rules means that the text was not understood, as against forbidden.
pub(super) fn not_understood(refusal: &Refusal) -> bool {
    matches!(refusal.kind, RefusalKind::NotAMove | RefusalKind::Options)
}
