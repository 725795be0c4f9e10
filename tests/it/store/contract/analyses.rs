//! Analyses of finished boards.

use super::*;

pub fn an_analysis_waits_until_it_is_computed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    for _ in 0..2 {
        tx.add_board(&board([alice, bob])).unwrap();
    }
    let asked = |number: u32, minute: i64, askers: &[PlayerId]| StoredAnalysis {
        board: BoardNumber(number),
        head: "5a".repeat(32),
        asked_at: at(minute),
        askers: askers.iter().map(|player| Asker { player: *player, by_letter: *player == bob }).collect(),
        analysis: None,
    };
    assert_eq!(tx.analysis(BoardNumber(1)).unwrap(), None);
    let first = asked(1, 7, &[bob, alice]);
    for asked in [&first, &asked(2, 5, &[]), &asked(3, 5, &[alice])] {
        let before = tx.change_of(asked.board).unwrap();
        tx.put_analysis(asked).unwrap();
        assert!(tx.change_of(asked.board).unwrap() > before, "the request changes the board's page");
        assert_eq!(tx.analysis(asked.board).unwrap().as_ref(), Some(asked));
    }
    let waiting = |tx: &Transaction<'_>| -> Vec<u32> {
        tx.waiting_analyses().unwrap().iter().map(|waiting| waiting.board.0).collect()
    };
    assert_eq!(waiting(&tx), [2, 3, 1]);
    let before = tx.change_of(BoardNumber(1)).unwrap();
    let made = StoredAnalysis { analysis: Some("{\"x\":1}".to_owned()), askers: Vec::new(), ..first };
    tx.put_analysis(&made).unwrap();
    assert!(tx.change_of(BoardNumber(1)).unwrap() > before, "the result changes the board's page");
    assert_eq!(waiting(&tx), [2, 3]);
    tx.commit().unwrap();
    let tx = store.read().unwrap();
    assert_eq!(tx.analysis(BoardNumber(1)).unwrap(), Some(made));
    assert_eq!(tx.analysis(BoardNumber(4)).unwrap(), None);
    drop(tx);
    let mut tx = store.write().unwrap();
    let nowhere = asked(99, 1, &[]);
    assert!(refuses(&mut tx, |tx| tx.put_analysis(&nowhere)), "the board does not exist");
}
