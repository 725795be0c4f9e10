//! The record of a board, and how boards end.

use EntryKind::{Adjudge, Draw, Forfeit, Move, Resign, Undo};
use Seat::{First, Second};

use super::*;

#[test]
fn entries_and_comments() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    l.add_entry(1, &ply(1, First), Some(Second)).unwrap();
    l.add_entry(1, &ply(2, Second), Some(First)).unwrap();
    assert_eq!(l.entries(1).unwrap(), [ply(1, First), ply(2, Second)]);
    let comment = Comment { board: 1, entry: 1, player: alice, text: "hello".into(), said_at: at(2) };
    l.add_comment(&comment).unwrap();
    assert_eq!(l.comments(1).unwrap(), [comment]);
    let board = l.board(1).unwrap().unwrap();
    assert_eq!((board.entries, board.plies, board.head.as_str(), board.genesis.as_str()), (2, 2, "02aa", "00"));
    assert_eq!((board.to_move, board.moved_at), (Some(First), at(3)));
    assert_eq!(board.players, [named(alice, "Alice"), named(bob, "bob")]);
}

#[test]
fn moves_are_taken_back() {
    let Instance { dir: _dir, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    l.add_entry(1, &ply(1, First), Some(Second)).unwrap();
    l.add_entry(1, &ply(2, Second), Some(First)).unwrap();
    for ply in [2, 3] {
        let error = l.add_entry(1, &entry(3, Undo, ply, Some(Second)), Some(Second)).unwrap_err().to_string();
        assert!(error.contains("an undo must go back"), "{error}");
    }
    let undo = entry(3, Undo, 1, Some(Second));
    l.add_entry(1, &undo, Some(Second)).unwrap();
    let board = l.board(1).unwrap().unwrap();
    assert_eq!((board.entries, board.plies, board.to_move, board.head.as_str()), (3, 1, Some(Second), "03aa"));
    let again = entry(4, Move, 2, Some(Second));
    l.add_entry(1, &again, Some(First)).unwrap();
    assert_eq!(l.entries(1).unwrap()[2..], [undo, again]);
    l.add_entry(1, &entry(5, Undo, 0, None), Some(First)).unwrap_err();
    l.add_entry(1, &entry(5, Undo, 0, Some(First)), Some(First)).unwrap();
    assert_eq!(l.board(1).unwrap().unwrap().plies, 0);
}

#[test]
fn what_is_out_of_order_is_refused() {
    let Instance { dir: _dir, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let mut refused = |number, entry: &Entry, words: &str| {
        let error = l.add_entry(number, entry, None).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(1, &ply(2, First), "an entry must be the next one");
    refused(1, &entry(2, Move, 1, Some(First)), "an entry must be the next one");
    refused(1, &entry(1, Move, 2, Some(First)), "a move must be the next ply");
    refused(1, &entry(1, Move, 0, Some(First)), "a move must be the next ply");
    refused(1, &ply(1, Second), "whose turn it is");
    refused(1, &entry(1, Move, 1, None), "whose turn it is");
    refused(1, &entry(1, Undo, 0, Some(First)), "an undo must go back");
    for kind in [Resign, Draw, Forfeit] {
        refused(1, &entry(1, kind, 1, Some(First)), "an end is no ply");
        refused(1, &entry(1, kind, 0, None), "CHECK");
    }
    refused(1, &entry(1, Adjudge, 0, Some(First)), "CHECK");
    refused(7, &ply(1, First), "there is no board 7");
    l.add_entry(1, &ply(1, First), Some(Second)).unwrap();
    let mut same = ply(2, Second);
    same.hash = ply(1, First).hash;
    assert!(l.add_entry(1, &same, Some(First)).is_err(), "the hash is the one before");
    l.decline_board(1, PlayerId(2), at(9)).unwrap();
    let error = l.add_entry(1, &ply(2, Second), None).unwrap_err().to_string();
    assert!(error.contains("over, declined or not there"), "{error}");
}

#[test]
fn every_kind_of_end() {
    let ends = [
        (Resign, Some(First), Some(Second)),
        (Resign, Some(Second), Some(First)),
        (Draw, Some(Second), None),
        (Forfeit, Some(Second), Some(First)),
        (Adjudge, None, Some(First)),
        (Adjudge, None, None),
    ];
    for (kind, seat, winner) in ends {
        let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
        let mut l = store.write().unwrap();
        l.add_entry(1, &ply(1, First), Some(Second)).unwrap();
        let end = entry(2, kind, 1, seat);
        l.add_entry(1, &end, None).unwrap();
        let result = result(winner, "so it was");
        l.end_board(1, &result).unwrap();
        let board = l.board(1).unwrap().unwrap();
        assert_eq!((board.entries, board.plies, board.to_move, board.declined), (2, 1, None, false));
        assert_eq!((board.result, l.entries(1).unwrap().pop()), (Some(result.clone()), Some(end)));
        assert!(l.end_board(1, &result).is_err() && l.decline_board(1, bob, at(9)).is_err());
        assert!(l.add_entry(1, &entry(3, Move, 2, Some(Second)), None).is_err());
        assert!(l.boards(None, None, true).unwrap().is_empty());
        assert_eq!(l.boards(Some("marque"), Some(alice), false).unwrap().len(), 1);
        assert!(l.boards(Some("chess"), None, false).unwrap().is_empty());
    }
}

#[test]
fn moves_are_append_only() {
    let Instance { dir: _dir, mut store, path, .. } = instance();
    let mut l = store.write().unwrap();
    l.add_entry(1, &ply(1, First), Some(Second)).unwrap();
    l.commit().unwrap();
    let db = Connection::open(&path).unwrap();
    let values = "(board, entry, kind, ply, seat, text, made_at, via, previous_hash, hash) VALUES (1,";
    for (sql, words) in [
        ("UPDATE moves SET text = 'a1'".to_owned(), "never changed"),
        ("DELETE FROM moves".to_owned(), "never taken away"),
        (
            format!("REPLACE INTO moves {values} 1, 'move', 2, 2, 'a', '2026-11-21T14:20:33Z', 'x', '01aa', 'ff')"),
            "the next one",
        ),
        (
            format!("INSERT INTO moves {values} 2, 'move', 2, 2, 'a', '2026-11-21T14:20:33Z', 'x', 'broken', 'ff')"),
            "chained to the hash",
        ),
    ] {
        let error = db.execute(&sql, []).unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
}
