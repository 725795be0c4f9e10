//! The record of a board, and how boards end.

use EntryKind::{Adjudge, Draw, Forfeit, Move, Reopen, Resign, Undo, Void};
use Seat::{First, Second};

use super::*;

pub fn entries_and_comments_are_stored(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let first = append(&mut tx, 1, &ply(1, First), Some(Second)).unwrap();
    let second = append(&mut tx, 1, &ply(2, Second), Some(First)).unwrap();
    assert_eq!(tx.entries(BoardNumber(1)).unwrap(), [first, second.clone()]);
    let comment =
        Comment { board: BoardNumber(1), entry: EntryNumber(1), player: alice, text: "hello".into(), said_at: at(2) };
    tx.add_comment(&comment).unwrap();
    assert_eq!(tx.comments(BoardNumber(1)).unwrap(), std::slice::from_ref(&comment));
    tx.add_comment(&comment).unwrap();
    tx.replace_comment(&comment, "removed").unwrap();
    let removed = Comment { text: "removed".into(), ..comment.clone() };
    assert_eq!(
        tx.comments(BoardNumber(1)).unwrap(),
        [removed, comment.clone()],
        "only one of two equal comments is replaced"
    );
    assert!(refuses(&mut tx, |tx| tx.replace_comment(&Comment { player: bob, ..comment }, "removed")));
    let board = tx.board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!(
        (board.entries, board.plies, board.head, board.genesis.as_str()),
        (EntryNumber(2), Ply(2), second.hash, "00")
    );
    assert_eq!((board.to_move, board.moved_at), (Some(First), at(3)));
    assert_eq!(board.players, [named(alice, "Alice"), named(bob, "bob")]);
}

pub fn moves_are_taken_back(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    append(&mut tx, 1, &ply(1, First), Some(Second)).unwrap();
    append(&mut tx, 1, &ply(2, Second), Some(First)).unwrap();
    for ply in [2, 3] {
        let error = append(&mut tx, 1, &entry(3, Undo, ply, Some(Second)), Some(Second)).unwrap_err().to_string();
        assert!(error.contains("an undo must reduce the number of plies"), "{error}");
    }
    let undo = entry(3, Undo, 1, Some(Second));
    let undo = append(&mut tx, 1, &undo, Some(Second)).unwrap();
    let board = tx.board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!(
        (board.entries, board.plies, board.to_move, board.head),
        (EntryNumber(3), Ply(1), Some(Second), undo.hash.clone())
    );
    let again = entry(4, Move, 2, Some(Second));
    let again = append(&mut tx, 1, &again, Some(First)).unwrap();
    assert_eq!(tx.entries(BoardNumber(1)).unwrap()[2..], [undo, again]);
    append(&mut tx, 1, &entry(5, Undo, 0, None), Some(First)).unwrap_err();
    append(&mut tx, 1, &entry(5, Undo, 0, Some(First)), Some(First)).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().plies, Ply(0));
}

pub fn requests_out_of_order_are_refused(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let mut refused = |number, entry: &Entry, words: &str| {
        let error = append(&mut tx, number, entry, None).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(1, &ply(2, First), "an entry must be the next one");
    refused(1, &entry(2, Move, 1, Some(First)), "an entry must be the next one");
    refused(1, &entry(1, Move, 2, Some(First)), "a move must be the next ply");
    refused(1, &entry(1, Move, 0, Some(First)), "a move must be the next ply");
    refused(1, &ply(1, Second), "the player to move");
    refused(1, &entry(1, Move, 1, None), "the player to move");
    refused(1, &entry(1, Undo, 0, Some(First)), "an undo must reduce the number of plies");
    for kind in [Resign, Draw, Forfeit] {
        refused(1, &entry(1, kind, 1, Some(First)), "an end must not change the number of plies");
        refused(1, &entry(1, kind, 0, None), "only the administrator");
    }
    refused(1, &entry(1, Adjudge, 0, Some(First)), "only the administrator");
    refused(1, &Entry { text: String::new(), ..ply(1, First) }, "a text");
    refused(1, &Entry { hash: "ff".into(), ..ply(1, First) }, "chained to the hash");
    refused(7, &ply(1, First), "there is no board 7");
    let first = append(&mut tx, 1, &ply(1, First), Some(Second)).unwrap();
    let same = Entry { hash: first.hash, ..ply(2, Second) };
    assert!(append(&mut tx, 1, &same, Some(First)).is_err(), "an entry cannot repeat the previous hash");
    tx.end_without_result(BoardNumber(1), NoResult::Declined, Some(PlayerId(2)), at(9)).unwrap();
    let error = append(&mut tx, 1, &ply(2, Second), None).unwrap_err().to_string();
    assert!(error.contains("has ended or was declined"), "{error}");
}

pub fn an_end_is_reverted(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert!(tx.reopen_board(BoardNumber(1)).is_err(), "a board in progress cannot be reopened");
    append(&mut tx, 1, &ply(1, First), Some(Second)).unwrap();
    append(&mut tx, 1, &entry(2, Resign, 1, Some(Second)), None).unwrap();
    for seat in [Some(First), Some(Second)] {
        assert!(
            append(&mut tx, 1, &entry(3, Reopen, 1, seat), Some(Second)).is_err(),
            "a player cannot reopen a board"
        );
    }
    tx.end_board(BoardNumber(1), &result(Some(First), "resignation")).unwrap();
    assert!(
        append(&mut tx, 1, &entry(3, Reopen, 1, None), Some(Second)).is_err(),
        "a board with a result accepts no entry"
    );
    assert_eq!(tx.results(alice, ShownTo::Everybody, 9).unwrap().len(), 1);
    tx.reopen_board(BoardNumber(1)).unwrap();
    append(&mut tx, 1, &entry(3, Reopen, 1, None), Some(Second)).unwrap();
    let board = tx.board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!((board.entries, board.to_move, board.result), (EntryNumber(3), Some(Second), None));
    assert_eq!(tx.boards(None, Some(bob), true).unwrap().len(), 1);
    assert_eq!(tx.waiting_for(bob).unwrap(), [BoardNumber(1)]);
    assert_eq!(tx.results(alice, ShownTo::Everybody, 9).unwrap(), []);
    append(&mut tx, 1, &ply(4, Second), Some(First)).unwrap_err();
    append(&mut tx, 1, &entry(4, Move, 2, Some(Second)), Some(First)).unwrap();
    // A board that ended without a result can also be reopened. It can then be voided.
    for (why, by) in [(NoResult::Declined, Some(bob)), (NoResult::Expired, Some(bob)), (NoResult::Void, None)] {
        tx.end_without_result(BoardNumber(1), why, by, at(9)).unwrap();
        assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().no_result, Some(why));
        assert_eq!(tx.boards(None, Some(bob), false).unwrap().len(), 0);
        tx.reopen_board(BoardNumber(1)).unwrap();
    }
    append(&mut tx, 1, &entry(5, Void, 2, None), None).unwrap();
    assert_eq!(tx.entries(BoardNumber(1)).unwrap().len(), 5);
    tx.commit().unwrap();
}

pub fn each_kind_of_end_has_its_winner(fresh: Fresh) {
    let ends = [
        (Resign, Some(First), Some(Second)),
        (Resign, Some(Second), Some(First)),
        (Draw, Some(Second), None),
        (Forfeit, Some(Second), Some(First)),
        (Adjudge, None, Some(First)),
        (Adjudge, None, None),
    ];
    for (kind, seat, winner) in ends {
        let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
        let mut tx = store.write().unwrap();
        append(&mut tx, 1, &ply(1, First), Some(Second)).unwrap();
        let end = entry(2, kind, 1, seat);
        let end = append(&mut tx, 1, &end, None).unwrap();
        let late = append(&mut tx, 1, &entry(3, Adjudge, 1, None), None).unwrap_err();
        assert!(
            matches!(late, StoreError::Record(RecordError(rule)) if rule.contains("has ended")),
            "no entry may follow the end"
        );
        let result = result(winner, "so it was");
        tx.end_board(BoardNumber(1), &result).unwrap();
        let board = tx.board(BoardNumber(1)).unwrap().unwrap();
        assert_eq!((board.entries, board.plies, board.to_move, board.no_result), (EntryNumber(2), Ply(1), None, None));
        assert_eq!((board.result, tx.entries(BoardNumber(1)).unwrap().pop()), (Some(result.clone()), Some(end)));
        assert!(
            tx.end_board(BoardNumber(1), &result).is_err()
                && tx.end_without_result(BoardNumber(1), NoResult::Declined, Some(bob), at(9)).is_err()
        );
        assert!(append(&mut tx, 1, &entry(3, Move, 2, Some(Second)), None).is_err());
        assert!(tx.boards(None, None, true).unwrap().is_empty());
        assert_eq!(tx.boards(Some("marque"), Some(alice), false).unwrap().len(), 1);
        assert!(tx.boards(Some("chess"), None, false).unwrap().is_empty());
    }
}
