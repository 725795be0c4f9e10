//! Drawing boards for readers: the position of a view as characters, in sentences and as a picture.

use std::collections::BTreeMap;

use crate::draw::ascii::{self, Style};
use crate::draw::sentences::sentences;
use crate::draw::svg;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Seat;
use crate::service::{BoardDrawing, BoardView};

/// Draws a board, unless it is drawn already.
///
/// # Errors
/// The moves of a stored view do not replay.
pub fn draw(board: &mut BoardView) -> anyhow::Result<()> {
    if board.drawn.is_some() {
        return Ok(());
    }
    let style = if std::mem::take(&mut board.plain) { Style::Plain } else { Style::Named };
    let position = board.position()?;
    let scene = position.scene();
    let mut legal = position.legal_moves();
    // Out of the middle: the first moves are a corner of the board, or a swap of sides.
    let example = (!legal.is_empty()).then(|| legal.swap_remove(legal.len() / 2));
    let sides = Seat::BOTH.map(|seat| (position.mark(seat), position.side(seat).to_owned()));
    board.drawn = Some(BoardDrawing {
        example,
        pieces: position.pieces(),
        drawing: ascii::draw(&scene, style),
        sentences: sentences(&scene, &sides),
    });
    Ok(())
}

/// A board as SVG.
///
/// # Errors
/// The moves of a stored view do not replay.
pub fn picture(board: &BoardView) -> anyhow::Result<String> {
    let title = title(board);
    let captured = board.moves.last().map(|last| last.captured.clone()).unwrap_or_default();
    let mut replayed = board.clone();
    let scene = replayed.position()?.scene();
    let side = |i: usize| (board.seats[i].mark, board.seats[i].side.as_str());
    let annotations = svg::Annotations {
        title: &title,
        sides: [side(0), side(1)],
        captured: &captured,
        links: &BTreeMap::new(),
        picked: &[],
    };
    Ok(svg::draw(&scene, &annotations))
}

fn title(board: &BoardView) -> String {
    format!("{} board {} after move {}", board.title, board.number, board.plies)
}

/// The most pictures of a letter; further boards stand in it as they stand in the text.
pub(super) const MAX_PICTURES: usize = 10;

/// A board of a letter, to be shown as a picture in its HTML part.
pub(super) struct DrawnBoard {
    /// The lines that show it in the text part.
    pub(super) drawing: String,
    pub(super) number: BoardNumber,
    /// Where it stands in its record; none in a preview.
    pub(super) of: Option<(BoardNumber, EntryNumber)>,
    to_move: Option<String>,
    /// Who has proposed something to the other player.
    proposer: Option<String>,
    pub(super) svg: String,
    pub(super) title: String,
    /// Every legal move.
    pub(super) legal: Vec<String>,
}

impl DrawnBoard {
    pub(super) fn new(board: &mut BoardView) -> anyhow::Result<DrawnBoard> {
        draw(board)?;
        // A drawing that an earlier version stored came without the position.
        let legal = board.position()?.legal_moves();
        let drawing = board.drawn.as_ref().map(|drawn| drawn.drawing.trim_end().to_owned()).unwrap_or_default();
        let (number, to_move) = (board.number, board.to_move.clone());
        let proposer = board.proposal.as_ref().map(|open| open.by.clone());
        let of = (!board.hash.is_empty()).then_some((number, board.entries));
        Ok(DrawnBoard { drawing, number, of, to_move, proposer, svg: picture(board)?, title: title(board), legal })
    }

    /// Whether it is this player's turn.
    pub(super) fn waits_for(&self, userid: &str) -> bool {
        self.to_move.as_deref() == Some(userid)
    }

    /// What this player, who plays there, may answer beside a move, most likely first.
    pub(super) fn acts(&self, userid: &str) -> Vec<&'static str> {
        let asked = self.proposer.as_ref().is_some_and(|by| by != userid);
        let asked: &[&str] = if asked { &["accept", "reject"] } else { &[] };
        let turn: &[&str] = if self.waits_for(userid) { &["resign", "propose", "undo"] } else { &[] };
        [asked, turn].concat()
    }
}

#[cfg(test)]
mod tests {
    use crate::command;
    use crate::compose::Composer;
    use crate::numbers::{BoardNumber, Ply};
    use crate::service::{
        Answer, AnswerEntry, ExploreQuery, Notice, Origin, Policy, REPLAYS, Recipient, Request, Response, Service,
        checked_view,
    };
    use crate::store::{self, Store};
    use crate::world::World;

    /// What is done, and how many boards were replayed for it.
    fn replays<T>(done: impl FnOnce() -> T) -> (T, u32) {
        REPLAYS.set(0);
        (done(), REPLAYS.get())
    }

    fn ask(store: &mut dyn Store, line: &str) -> (Response, u32) {
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let (line, from) = (command::parse(line).unwrap(), Origin::Shell { password: None });
        let request = Request { line, from, comment: None, now: (World::REAL.now)() };
        let mut tx = store.write().unwrap();
        let (response, replays) = replays(|| service.answer(&mut *tx, &request).unwrap().unwrap());
        tx.commit().unwrap();
        (response, replays)
    }

    fn store(directory: &tempfile::TempDir) -> Box<dyn Store> {
        let mut store = store::open(&directory.path().join("turnpost.sqlite"), World::REAL).unwrap();
        for line in [
            "signup alice wonderland alice@example.org",
            "signup bob builder bob@example.org",
            "marque challenge alice bob",
        ] {
            ask(&mut *store, line);
        }
        store
    }

    #[test]
    fn a_request_replays_its_board_once_and_draws_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(&directory);
        for line in [
            "marque move 1 alice wonderland f3",
            "marque move 1 bob builder f4",
            "marque undo 1 bob builder",
            "marque accept 1 alice wonderland",
            "marque queue 1 alice wonderland k10",
            "marque move 1 bob builder k4",
            "show 1",
            "show 1#1",
            "marque preview 1 q7",
            "marque resign 1 bob builder",
        ] {
            let (response, replays) = ask(&mut *store, line);
            assert_eq!(replays, 1, "{line}");
            assert!(response.boards().iter().all(|board| board.drawn.is_none()), "{line}");
        }
    }

    #[test]
    fn a_page_and_a_check_replay_a_board_with_a_plan_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(&directory);
        for line in ["marque move 1 alice wonderland f3", "marque if 1 alice wonderland k4 then h2"] {
            ask(&mut *store, line);
        }
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let request = Request {
            line: command::parse("show 1").unwrap(),
            from: Origin::Known { userid: "alice".to_owned(), via: store::Via::Web },
            comment: None,
            now: (World::REAL.now)(),
        };
        let tx = store.read().unwrap();
        let alice = tx.player("alice").unwrap();
        for ply in [None, Some(Ply::START)] {
            let query = ExploreQuery { number: BoardNumber(1), ply, ..ExploreQuery::default() };
            let (explored, replays) =
                replays(|| service.explore(&*tx, &request, &query, alice.as_ref()).unwrap().unwrap());
            let (_, lines) = explored.role.plan.unwrap();
            assert_eq!((replays, lines.len()), (1, 1), "{ply:?}");
        }
        let board = tx.board(BoardNumber(1)).unwrap().unwrap();
        let ((differences, view), replays) = replays(|| checked_view(&*tx, &board).unwrap());
        assert_eq!((replays, differences.len(), view.unwrap().news.len()), (1, 0, 1));
    }

    #[test]
    fn a_letter_replays_each_of_its_boards_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(&directory);
        ask(&mut *store, "marque move 1 alice wonderland f3");
        let (response, _) = ask(&mut *store, "show 1");
        let mut tx = store.write().unwrap();
        let policy = Policy::default();
        let service = Service { world: World::REAL, domain: "example.org", policy: &policy, authserv_id: None };
        let entries = vec![AnswerEntry::Done(Box::new(response))];
        let answer = Notice::Answer(Answer { entries, ..Answer::default() });
        let (alice, now) = (tx.player("alice").unwrap().unwrap().id, (World::REAL.now)());
        let to = Recipient { player: Some(alice), address: None, in_reply_to: None, due_at: Some(now) };
        service.add_notice(&mut *tx, &answer, None, to, now).unwrap();
        let composer = Composer::new(None, None).unwrap();
        let notices = tx.outbox(false, 100).unwrap();
        assert!(notices.len() >= 5, "two players, a challenge and a move, and the answer");
        for notice in notices {
            assert!(!notice.facts.contains("\"drawing\""), "{}", notice.facts);
            let (letter, replays) =
                replays(|| composer.letter(&*tx, std::slice::from_ref(&notice), "turnpost@example.org").unwrap());
            assert_eq!(replays, 1, "{}", letter.subject);
            assert_eq!(letter.html.map_or(0, |html| html.pictures.len()), 1, "{}", letter.subject);
        }
    }
}
