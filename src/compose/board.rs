//! Draws boards for readers: the position of a view as characters, in sentences and as a picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answers::Choices;
use super::composer::Composer;
use super::pictures::Shown;
use crate::draw::ascii::{self, Style};
use crate::draw::layout::{Annotations, Clickable, lay_out};
use crate::draw::picture::Picture;
use crate::draw::sentences::{pieces, sentences};
use crate::draw::{Theme, svg};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::scene::Scene;
use crate::rules::{Game, MoveList, Options, Refusal, Seat, catalogue};
use crate::service::{BoardDrawing, BoardView, NoResult};
use crate::text::Message;

impl Composer {
    /// Draws a board unless it is already drawn. On a board without players, shows the names of the sides instead of
    /// userids.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub fn draw(&self, board: &mut BoardView, shown: Shown) -> anyhow::Result<()> {
        self.name_sides(board)?;
        if board.drawn.is_some() {
            return Ok(());
        }
        let style = if std::mem::take(&mut board.plain) { Style::Plain } else { Style::Named };
        board.drawn = Some(self.drawings.get(board, style, shown, |board| self.drawing(board, style, shown))?);
        Ok(())
    }

    /// Returns the drawings of a board.
    fn drawing(&self, board: &mut BoardView, style: Style, shown: Shown) -> anyhow::Result<BoardDrawing> {
        let words = |message: &Message| self.message(message);
        let position = board.position()?;
        let scene = position.scene();
        let example = position.example();
        let sides = Seat::BOTH.map(|seat| (position.mark(seat), position.side(seat)));
        let achievement = position.achievement().map(|message| self.message(&message)).transpose()?;
        let failure = position.failure().map(|message| self.message(&message)).transpose()?;
        let mut drawn = BoardDrawing { example, achievement, failure, ..BoardDrawing::default() };
        if shown != Shown::Sentences {
            drawn.drawing = ascii::draw(&scene, style, &words)?;
        }
        if shown != Shown::Characters {
            drawn.sentences = sentences(&scene, &sides, &words)?;
        }
        if shown == Shown::Everything {
            drawn.pieces = position.pieces();
        }
        Ok(drawn)
    }

    /// On a board without players, the service uses the marks of the sides as userids. Replaces them with the names of
    /// the sides.
    fn name_sides(&self, board: &mut BoardView) -> anyhow::Result<()> {
        let named = board.seats.iter().filter(|seat| seat.is_nobody());
        let named = named.map(|seat| Ok((seat.userid.clone(), self.message(&seat.side)?)));
        let named = named.collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        let entries = board.moves.iter_mut().chain(&mut board.news).filter_map(|entry| entry.userid.as_mut());
        let result = board.result.iter_mut().flat_map(|result| [&mut result.winner, &mut result.loser]).flatten();
        let seats = board.seats.iter_mut().map(|seat| &mut seat.userid);
        for userid in seats.chain(&mut board.to_move).chain(entries).chain(result) {
            if let Some(side) = named.get(userid) {
                userid.clone_from(side);
            }
        }
        Ok(())
    }

    /// Lays a board out as a picture.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub(crate) fn picture(&self, board: &BoardView) -> anyhow::Result<Picture> {
        let scene = board.clone().position()?.scene();
        self.annotated_picture(board, &scene, None)
    }

    /// Draws a board as SVG.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub fn svg(&self, board: &BoardView) -> anyhow::Result<String> {
        Ok(svg::write(&self.picture(board)?))
    }

    /// Draws a board as a small SVG, for lists.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub fn thumbnail(&self, board: &BoardView, theme: Theme) -> anyhow::Result<String> {
        Ok(svg::write_thumbnail(&self.picture(board)?, theme))
    }

    /// Draws a game's illustrative position as a small SVG.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn sample(&self, game: &dyn Game, theme: Theme) -> anyhow::Result<String> {
        let (options, moves) = game.sample();
        let refused = |refusal: Refusal| anyhow::anyhow!("the sample of {}: {}", game.name(), refusal.message);
        let mut play = game.start(&Options::from_canonical(options)).map_err(refused)?;
        for text in moves.split(' ') {
            play.play(text).map_err(refused)?;
        }
        let sides = Seat::BOTH.map(|seat| (play.mark(seat), String::new()));
        let annotations = Annotations { title: game.title(), sides, captured: &[], clickable: None };
        let picture = lay_out(&play.scene(), &annotations, &|message: &Message| self.message(message))?;
        Ok(svg::write_thumbnail(&picture, theme))
    }

    /// Draws a board as PNG of this width.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub fn png(&self, board: &BoardView, width: u32) -> anyhow::Result<Arc<[u8]>> {
        Ok(self.pictures.png(&self.picture(board)?, width))
    }

    /// Returns the PNG of a board if the cache contains it.
    ///
    /// # Errors
    /// If the moves of a stored view cannot be replayed, or a message cannot be rendered.
    pub fn drawn_png(&self, board: &BoardView, width: u32) -> anyhow::Result<Option<Arc<[u8]>>> {
        Ok(self.pictures.known(&self.picture(board)?, width))
    }

    /// Draws a board with clickable cells as SVG, for a page.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn clickable_svg(&self, board: &BoardView, scene: &Scene, clickable: Clickable<'_>) -> anyhow::Result<String> {
        Ok(svg::write(&self.annotated_picture(board, scene, Some(clickable))?))
    }

    fn annotated_picture(
        &self,
        board: &BoardView,
        scene: &Scene,
        clickable: Option<Clickable<'_>>,
    ) -> anyhow::Result<Picture> {
        let title = self.picture_title(board)?;
        let captured = board.moves.last().map_or(&[][..], |last| &last.effects.captured);
        let side = |i: usize| anyhow::Ok((board.seats[i].mark, self.message(&board.seats[i].side)?));
        let sides = [side(0)?, side(1)?];
        let annotations = Annotations { title: &title, sides, captured, clickable };
        lay_out(scene, &annotations, &|message: &Message| self.message(message))
    }

    /// Describes a picture for readers who cannot see it: the last move, the side to move, and the pieces.
    fn picture_in_words(&self, board: &BoardView, scene: &Scene) -> anyhow::Result<String> {
        let title = self.picture_title(board)?;
        let last = board.moves.last().map(|last| last.text.clone()).unwrap_or_default();
        let seat = board.to_move.as_ref().and_then(|userid| board.seats.iter().find(|seat| seat.userid == *userid));
        let to_move = seat.map_or(Ok(String::new()), |seat| self.message(&seat.side))?;
        let sides: Vec<(char, Message)> = board.seats.iter().map(|seat| (seat.mark, seat.side.clone())).collect();
        let pieces = pieces(scene, &sides, &|message: &Message| self.message(message))?;
        self.message(&message!("compose.picture-in-words", title, last, to_move, pieces))
    }

    fn picture_title(&self, board: &BoardView) -> anyhow::Result<String> {
        let BoardView { title, number, plies, .. } = board;
        self.message(&message!("compose.picture-title", game = title, number = *number, plies = *plies))
    }
}

/// The maximum number of pictures in a letter. Further boards are shown as in the text part.
pub(crate) const MAX_PICTURES: usize = 10;

/// A board of a letter, for a picture in its HTML part.
pub(crate) struct DrawnBoard {
    /// The lines that represent the board in the text part.
    pub(crate) drawing: String,
    pub(crate) number: BoardNumber,
    /// The board and the length of its record; `None` for a position without a record, such as a preview or a puzzle.
    pub(crate) of: Option<(BoardNumber, EntryNumber)>,
    pub(crate) your_turn: bool,
    /// The verbs that the reader can reply with instead of a move, most likely first.
    pub(crate) acts: Vec<&'static str>,
    pub(crate) picture: Picture,
    pub(crate) scene: Scene,
    /// The number of legal moves; 0 if it is not the reader's turn.
    pub(crate) legal: usize,
    /// The legal moves, or only those of one cell if a move is a set of cells; empty if it is not the reader's turn.
    pub(crate) choices: Choices,
    /// The picture in words: the last move, the side to move and the pieces.
    pub(crate) alt: String,
    /// Whether the letter omits the drawing of the board, and the links for its moves.
    pub(crate) brief: bool,
}

impl DrawnBoard {
    /// Draws a board for the reader with this userid.
    pub(crate) fn new(composer: &Composer, board: &mut BoardView, reader: &str) -> anyhow::Result<DrawnBoard> {
        composer.draw(board, Shown::Characters)?;
        let your_turn = board.to_move.as_deref() == Some(reader);
        // Compute the position, because drawings stored by earlier versions lack it.
        let position = board.position()?;
        let (scene, legal) = (position.scene(), if your_turn { position.legal_count() } else { 0 });
        let moves = match position.move_list() {
            _ if !your_turn => Vec::new(),
            MoveList::Texts(moves) => moves,
            // A click on the picture plays one cell.
            MoveList::Sets(sets) => sets.cells,
        };
        let drawing = board.drawn.as_ref().map(|drawn| drawn.drawing.trim_end().to_owned()).unwrap_or_default();
        let (number, acts) = (board.number, acts(board, reader));
        let of = (!board.hash.is_empty()).then_some((number, board.entries));
        let picture = composer.annotated_picture(board, &scene, None)?;
        let alt = composer.picture_in_words(board, &scene)?;
        let notation = catalogue::find(&board.game).map(|game| game.notation()).unwrap_or_default();
        let choices = Choices::new(&scene, notation, &moves);
        Ok(DrawnBoard { drawing, number, of, your_turn, acts, picture, scene, legal, choices, alt, brief: false })
    }
}

/// Returns the verbs that a board's reader can reply with instead of a move, most likely first.
fn acts(board: &BoardView, reader: &str) -> Vec<&'static str> {
    let asked = board.proposal.as_ref().is_some_and(|open| open.by != reader);
    let asked: &[&str] = if asked { &["accept", "reject"] } else { &[] };
    let has_moved = board.moves.iter().any(|entry| entry.userid.as_deref() == Some(reader));
    let has_ended = board.result.is_some() || board.no_result == Some(NoResult::Abandoned);
    let declines = board.challenger.as_deref() != Some(reader) && !has_moved;
    // Before a player's own first move, there is no move to undo and no reason to propose a draw.
    let proposes = has_moved && board.proposal.is_none();
    let has_draws = catalogue::find(&board.game).is_some_and(|game| game.has_draws());
    let draw: &[&str] = if has_draws { &["propose"] } else { &[] };
    let other = match (has_ended, declines, proposes) {
        (true, ..) => vec!["rematch"],
        (false, true, _) => vec!["decline"],
        (false, false, true) if board.to_move.as_deref() == Some(reader) => [&["resign"], draw, &["undo"]].concat(),
        (false, false, true) => [&["undo"], draw, &["resign"]].concat(),
        (false, false, false) => vec!["resign"],
    };
    [asked, &other].concat()
}

#[cfg(test)]
mod tests {
    use crate::command;
    use crate::compose::{Composer, Shown};
    use crate::numbers::{BoardNumber, Ply};
    use crate::service::{
        Answer, AnswerEntry, BoardView, ExploreQuery, Notice, Origin, Policy, REPLAYS, Recipient, Request, Response,
        Service, checked_view,
    };
    use crate::store::{self, Store};
    use crate::world::World;

    /// Runs a function, and counts how often it replays a board.
    fn replays<T>(done: impl FnOnce() -> T) -> (T, u32) {
        REPLAYS.set(0);
        (done(), REPLAYS.get())
    }

    fn ask(store: &mut dyn Store, line: &str) -> (Response, u32) {
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let (line, from) = (command::parse(line).unwrap(), Origin::Shell { password: None });
        let request = Request { line, from, comment: None, client: None, now: (World::REAL.now)() };
        let (answered, replays) = replays(|| service.run(store, &request));
        (answered.unwrap().unwrap(), replays)
    }

    fn store() -> Box<dyn Store> {
        let mut store = store::in_memory(World::REAL).unwrap();
        for line in [
            "signup alice wonderland alice@example.org",
            "signup bob bricklayer bob@example.org",
            "marque challenge alice bob",
        ] {
            ask(&mut *store, line);
        }
        store
    }

    #[test]
    fn a_request_replays_its_board_once_and_draws_nothing() {
        let mut store = store();
        for line in [
            "marque move 1 alice wonderland f3",
            "marque move 1 bob bricklayer f4",
            "marque undo 1 bob bricklayer",
            "marque accept 1 alice wonderland",
            "marque queue 1 alice wonderland k10",
            "marque move 1 bob bricklayer k4",
            "show 1",
            "show 1#1",
            "marque preview 1 q7",
            "marque resign 1 bob bricklayer",
        ] {
            let (response, replays) = ask(&mut *store, line);
            assert_eq!(replays, 1, "{line}");
            assert!(response.boards().iter().all(|board| board.drawn.is_none()), "{line}");
        }
    }

    #[test]
    fn a_page_and_a_check_replay_a_board_with_a_plan_once() {
        let mut store = store();
        for line in ["marque move 1 alice wonderland f3", "marque if 1 alice wonderland k4 then h2"] {
            ask(&mut *store, line);
        }
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let request = Request {
            line: command::parse("show 1").unwrap(),
            from: Origin::Known { userid: "alice".to_owned(), via: store::Channel::Web },
            comment: None,
            client: None,
            now: (World::REAL.now)(),
        };
        let tx = store.read().unwrap();
        let alice = tx.player("alice").unwrap();
        for ply in [None, Some(Ply::START)] {
            let query = ExploreQuery { number: BoardNumber(1), ply, ..ExploreQuery::default() };
            let (explored, replays) =
                replays(|| service.explore(&tx, &request, &query, alice.as_ref()).unwrap().unwrap());
            let (_, lines) = explored.role.plan.unwrap();
            assert_eq!((replays, lines.len()), (1, 1), "{ply:?}");
        }
        let board = tx.board(BoardNumber(1)).unwrap().unwrap();
        let ((differences, view), replays) = replays(|| checked_view(&tx, &board).unwrap());
        assert_eq!((replays, differences.len(), view.unwrap().news.len()), (1, 0, 1));
    }

    #[test]
    fn a_board_is_drawn_as_its_reader_sees_it() {
        let mut store = store();
        ask(&mut *store, "marque move 1 alice wonderland f3");
        let (response, _) = ask(&mut *store, "show 1");
        let composer = Composer::new(None, None).unwrap();
        for (shown, characters, sentences, pieces) in [
            (Shown::Characters, true, false, false),
            (Shown::Sentences, false, true, false),
            (Shown::Everything, true, true, true),
        ] {
            let mut board = response.boards()[0].clone();
            composer.draw(&mut board, shown).unwrap();
            let drawn = board.drawn.unwrap();
            assert_eq!(drawn.drawing.contains("(o)"), characters, "{shown:?}");
            assert_eq!(drawn.sentences.contains("White on f3"), sentences, "{shown:?}");
            assert_eq!(!drawn.pieces.is_empty(), pieces, "{shown:?}");
        }
    }

    #[test]
    fn a_board_is_drawn_once_for_all_recipients() {
        let mut store = store();
        let composer = Composer::new(None, None).unwrap();
        // A stored view is replayed when it is drawn.
        let mut drawn = |line: &str| {
            ask(&mut *store, line);
            let (response, _) = ask(&mut *store, "show 1");
            let stored = serde_json::to_string(&response.boards()[0]).unwrap();
            [Shown::Characters, Shown::Characters, Shown::Sentences].map(|shown| {
                let mut board: BoardView = serde_json::from_str(&stored).unwrap();
                let ((), replays) = replays(|| composer.draw(&mut board, shown).unwrap());
                (board.drawn.unwrap(), replays)
            })
        };
        let [(first, once), (second, again), (sentences, other)] = drawn("marque move 1 alice wonderland f3");
        assert_eq!((once, again, other), (1, 0, 1));
        assert_eq!(first.drawing, second.drawing);
        assert!(sentences.drawing.is_empty() && sentences.sentences.contains("White on f3"));
        let [(later, once), ..] = drawn("marque move 1 bob bricklayer f4");
        assert_eq!(once, 1);
        assert!(later.drawing.contains("(x)") && !first.drawing.contains("(x)"), "{}", later.drawing);
    }

    #[test]
    fn a_letter_replays_each_of_its_boards_once() {
        let mut store = store();
        ask(&mut *store, "marque move 1 alice wonderland f3");
        let (response, _) = ask(&mut *store, "show 1");
        let mut tx = store.write().unwrap();
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let entries = vec![AnswerEntry::Done(Box::new(response))];
        let answer = Notice::Answer(Answer { entries, ..Answer::default() });
        let (alice, now) = (tx.player("alice").unwrap().unwrap().id, (World::REAL.now)());
        let to = Recipient { player: Some(alice), address: None, in_reply_to: None, due_at: Some(now) };
        service.add_notice(&mut tx, &answer, None, to, now).unwrap();
        let composer = Composer::new(None, None).unwrap();
        let notices = tx.outbox(100).unwrap();
        assert!(notices.len() >= 5, "two letters about the challenge, two about the move, and the answer");
        for notice in notices {
            assert!(!notice.facts.contains("\"drawing\""), "{}", notice.facts);
            let (letter, replays) =
                replays(|| composer.letter(&tx, std::slice::from_ref(&notice), "turnpost@example.org").unwrap());
            assert_eq!(replays, 1, "{}", letter.subject);
            assert_eq!(letter.html.map_or(0, |html| html.pictures.len()), 1, "{}", letter.subject);
        }
    }
}
