//! Hints of computer players.

use super::*;

pub fn the_last_hint_of_a_board_is_stored(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    for _ in 0..2 {
        tx.add_board(&board([alice, bob])).unwrap();
    }
    let hint = |entry: u32, chance: Option<u32>, proved: bool, line: &[&str]| Hint {
        entry: EntryNumber(entry),
        chance,
        proved,
        line: line.iter().map(|&text| text.to_owned()).collect(),
    };
    assert_eq!(tx.hint(BoardNumber(1)).unwrap(), None);
    for kept in [
        hint(1, Some(512), false, &["f3,f4", "e1"]),
        hint(3, None, false, &[]),
        hint(5, Some(1_000), true, &["g4"]),
        hint(4, Some(0), true, &[]),
    ] {
        tx.put_hint(BoardNumber(1), &kept).unwrap();
        assert_eq!(tx.hint(BoardNumber(1)).unwrap(), Some(kept));
    }
    assert_eq!(tx.hint(BoardNumber(2)).unwrap(), None, "board 2 has no hint");
    tx.commit().unwrap();
    assert_eq!(store.read().unwrap().hint(BoardNumber(1)).unwrap(), Some(hint(4, Some(0), true, &[])));
    for (number, wrong) in
        [(99, hint(1, None, false, &[])), (2, hint(0, None, false, &[])), (2, hint(1, Some(1_001), false, &[]))]
    {
        let mut tx = store.write().unwrap();
        assert!(refuses(&mut tx, |tx| tx.put_hint(BoardNumber(number), &wrong)), "{number}: {wrong:?}");
    }
}
