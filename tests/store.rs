//! The store on a real file, at given times.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;
use turnpost::store::*;

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_270_833, 0).unwrap() + TimeDelta::minutes(minute)
}

fn file() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("turnpost.db");
    (dir, path)
}

/// Alice and Bob, and a board between them.
fn game(store: &mut SqliteStore) -> ([PlayerId; 2], u32) {
    let mut l = store.write().unwrap();
    let alice = l.add_player("Alice", "$argon2$a", at(0)).unwrap();
    let bob = l.add_player("bob", "$argon2$b", at(0)).unwrap();
    let board = NewBoard {
        game: "marque".into(),
        options: String::new(),
        players: [alice, bob],
        to_move: Seat::First,
        challenger: Some(alice),
        hash: "00".into(),
        created_at: at(1),
    };
    let number = l.add_board(&board).unwrap();
    l.commit().unwrap();
    ([alice, bob], number)
}

fn ply(ply: u32, seat: Seat) -> Move {
    let (text, via, hash) = ("f3".into(), "mail".into(), format!("{ply:02}aa"));
    Move { ply, seat, text, made_at: at(i64::from(ply) + 1), via, hash }
}

fn verdict(kind: VerdictKind, identity: &str) -> Verdict {
    let (sender, identity) = (Some("a@example.org".into()), Some(identity.into()));
    Verdict { kind, sender, identity, commands: "move 1 f3".into(), reason: "obeyed".into() }
}

#[test]
fn players_and_addresses() {
    let (_dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    let ([alice, bob], _) = game(&mut store);
    let mut l = store.write().unwrap();
    assert!(l.add_player("ALICE", "x", at(0)).is_err(), "a userid is unique in any case");
    assert_eq!(l.player("aLICE").unwrap().unwrap().userid, "Alice");
    assert_eq!(l.players().unwrap().len(), 2);
    l.set_password(alice, "new").unwrap();
    assert_eq!(l.player("alice").unwrap().unwrap().password_hash, "new");
    l.add_address(alice, "A@example.org", Some("111"), at(1)).unwrap();
    l.add_address(bob, "a@Example.org", Some("222"), at(1)).unwrap();
    assert!(l.player_by_address("a@example.org").unwrap().is_none(), "nobody confirmed it");
    assert_eq!(l.confirm_address(alice, "222", at(2)).unwrap(), None);
    assert_eq!(l.confirm_address(alice, "111", at(2)).unwrap().as_deref(), Some("A@example.org"));
    assert_eq!(l.confirm_address(bob, "222", at(2)).unwrap(), None, "it is taken");
    assert_eq!(l.player_by_address("a@EXAMPLE.org").unwrap().unwrap().id, alice);
    l.add_address(alice, "second@example.org", None, at(3)).unwrap();
    assert_eq!(l.addresses(alice).unwrap()[1].confirmed_at, Some(at(3)));
    l.remove_address(alice, "A@EXAMPLE.ORG").unwrap();
    assert_eq!(l.addresses(alice).unwrap().len(), 1);
    l.count_wrong_password("Nobody", at(0)).unwrap();
    l.count_wrong_password("nobody", at(5)).unwrap();
    assert_eq!(l.wrong_passwords("NOBODY", at(1)).unwrap(), 1);
    assert_eq!(l.wrong_passwords("NOBODY", at(0)).unwrap(), 2);
}

#[test]
fn boards_moves_and_comments() {
    let (_dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    let ([alice, bob], n) = game(&mut store);
    let mut l = store.write().unwrap();
    assert!(l.add_move(n, &ply(2, Seat::First), None).is_err(), "not the next ply");
    assert!(l.add_move(n, &ply(1, Seat::Second), None).is_err(), "not his turn");
    l.add_move(n, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    assert!(l.add_move(n, &ply(1, Seat::Second), None).is_err(), "made already");
    l.add_move(n, &ply(2, Seat::Second), Some(Seat::First)).unwrap();
    assert_eq!(l.moves(n).unwrap(), [ply(1, Seat::First), ply(2, Seat::Second)]);
    let comment = Comment { board: n, ply: 1, player: alice, text: "hello".into(), said_at: at(2) };
    l.add_comment(&comment).unwrap();
    assert_eq!(l.comments(n).unwrap(), [comment]);
    let board = l.board(n).unwrap().unwrap();
    assert_eq!((board.plies, board.head.as_str(), board.genesis.as_str()), (2, "02aa", "00"));
    assert_eq!((board.to_move, board.moved_at), (Some(Seat::First), at(3)));
    assert_eq!(board.players, [(alice, "Alice".into()), (bob, "bob".into())]);
    let result = BoardResult { winner: Some(Seat::Second), reason: "resignation".into(), ended_at: at(9) };
    l.end_board(n, &result).unwrap();
    assert_eq!(l.board(n).unwrap().unwrap().result, Some(result.clone()));
    assert!(l.end_board(n, &result).is_err() && l.add_move(n, &ply(3, Seat::First), None).is_err());
    assert!(l.boards(None, None, true).unwrap().is_empty());
    assert_eq!(l.boards(Some("marque"), Some(bob), false).unwrap().len(), 1);
    assert!(l.boards(Some("chess"), None, false).unwrap().is_empty());
    drop(l);
    let (mut l, both) = (store.write().unwrap(), [alice, bob]);
    let new = NewBoard {
        game: "marque".into(),
        options: "x".into(),
        players: both,
        to_move: Seat::First,
        challenger: None,
        hash: "01".into(),
        created_at: at(4),
    };
    let second = l.add_board(&new).unwrap();
    l.decline_board(second, bob, at(5)).unwrap();
    assert!(l.board(second).unwrap().unwrap().declined);
    assert_eq!(l.boards(None, None, false).unwrap().len(), 1);
}

#[test]
fn dropped_without_commit_nothing_changes() {
    let (_dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    store.write().unwrap().add_player("carol", "x", at(0)).unwrap();
    assert!(store.read().unwrap().player("carol").unwrap().is_none());
    assert!(store.read().unwrap().add_player("carol", "x", at(0)).is_err(), "reading, nothing is written");
}

#[test]
fn moves_are_append_only() {
    let (_dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    let (_, n) = game(&mut store);
    let mut l = store.write().unwrap();
    l.add_move(n, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    l.commit().unwrap();
    let db = Connection::open(&path).unwrap();
    let values = "(board, ply, seat, text, made_at, via, previous_hash, hash) VALUES (1,";
    for sql in [
        "UPDATE moves SET text = 'a1'".to_owned(),
        "DELETE FROM moves".to_owned(),
        format!("INSERT OR REPLACE INTO moves {values} 1, 2, 'a1', '2026-11-21T14:20:33Z', 'x', '01aa', 'ff')"),
        format!("INSERT INTO moves {values} 2, 2, 'a1', '2026-11-21T14:20:33Z', 'x', 'broken', 'ff')"),
    ] {
        assert!(db.execute(&sql, []).unwrap_err().to_string().contains("a move "), "{sql}");
    }
}

#[test]
fn inbox_and_outbox() {
    let (_dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    let ([alice, _], n) = game(&mut store);
    let mut l = store.write().unwrap();
    let ids: Vec<_> = (0..3).map(|i| l.add_mail(b"raw\xff", i == 1, "pipe", at(i)).unwrap()).collect();
    assert_eq!(l.count_attempt(ids[0]).unwrap(), 1);
    let waiting = l.waiting_mail(2).unwrap();
    assert_eq!((waiting.len(), &waiting[0].raw[..], waiting[0].attempts), (2, &b"raw\xff"[..], 1));
    assert!(!waiting[0].truncated && waiting[1].truncated && waiting[1].received_at == at(1));
    l.close_mail(ids[0], &verdict(VerdictKind::Done, "<m@x>"), at(4)).unwrap();
    assert_eq!(l.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    assert!(l.close_mail(ids[1], &verdict(VerdictKind::Done, "<m@x>"), at(4)).is_err(), "one mail, one effect");
    l.close_mail(ids[1], &verdict(VerdictKind::Repeated, "<m@x>"), at(4)).unwrap();
    assert_eq!(l.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    assert!(
        l.close_mail(ids[0], &verdict(VerdictKind::Done, "<o@x>"), at(4)).is_err() && l.count_attempt(ids[0]).is_err()
    );
    let rows = l.inbox(9).unwrap();
    assert!(rows[0].verdict.is_none() && rows[1].verdict.as_ref().unwrap().kind == VerdictKind::Repeated);

    let new = NewNotice {
        player: Some(alice),
        address: None,
        kind: "move".into(),
        board: Some(n),
        ply: Some(1),
        facts: "{}".into(),
        in_reply_to: Some("<m@x>".into()),
        domain: "example.org".into(),
        created_at: at(5),
    };
    let id = l.add_notice(&new).unwrap();
    assert!(l.due_notices(at(4), 9).unwrap().is_empty());
    let due = l.due_notices(at(5), 9).unwrap().remove(0);
    assert_eq!(due.message_id, format!("<{}.{}@example.org>", id.0, l.server_id().unwrap()));
    assert_eq!((due.player, due.attempts, l.next_due().unwrap()), (Some((alice, "Alice".into())), 0, Some(at(5))));
    l.notice_failed(id, "no route", Some(at(10))).unwrap();
    assert_eq!(l.next_due().unwrap(), Some(at(10)));
    l.notice_failed(id, "no route", None).unwrap();
    assert_eq!((l.next_due().unwrap(), l.outbox(true, 9).unwrap()[0].attempts), (None, 2));
    assert!(l.resend(id, at(20)).unwrap() && !l.resend(OutboxId(99), at(20)).unwrap());
    assert_eq!(l.next_due().unwrap(), Some(at(20)));
    l.notice_sent(id, at(21)).unwrap();
    assert!(l.outbox(true, 9).unwrap().is_empty());
    assert_eq!(l.outbox(false, 9).unwrap()[0].sent_at, Some(at(21)));
}

#[test]
fn an_older_database_is_upgraded_and_a_newer_refused() {
    let (_dir, path) = file();
    let db = Connection::open(&path).unwrap();
    db.execute_batch(include_str!("../migrations/0001_tables.sql")).unwrap();
    db.execute_batch("INSERT INTO players VALUES (1, 'old', 'x', '2026-01-01T00:00:00Z'); PRAGMA user_version = 1")
        .unwrap();
    let mut store = SqliteStore::open(&path).unwrap();
    assert!(store.read().unwrap().player("old").unwrap().is_some());
    for view in ["games", "game_moves", "waiting", "undelivered_mail", "incoming_mail"] {
        db.prepare(&format!("SELECT * FROM {view}")).unwrap().query([]).unwrap().next().unwrap();
    }
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(StoreError::TooNew { found: 99, known: 2 })));
}

#[test]
fn many_open_a_fresh_file_at_once() {
    for _ in 0..5 {
        let (_dir, path) = file();
        let name = |path: &Path| SqliteStore::open(path).unwrap().read().unwrap().server_id().unwrap();
        let names: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| name(&path))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(names.iter().all(|name| *name == names[0]));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap()) & 0o777, 0o600);
    }
}

/// Mails of many lengths, so that the pages of the table are split and joined while secrets lie in them.
#[test]
fn a_closed_mail_leaves_no_trace() {
    let (dir, path) = file();
    let mut store = SqliteStore::open(&path).unwrap();
    let mut ids = Vec::new();
    for n in 0..120_usize {
        let mut l = store.write().unwrap();
        let raw = format!("{}sesame-open-up{}", "x".repeat(n * 37 % 3000), "y".repeat(n * 911 % 9000));
        ids.push((n, l.add_mail(raw.as_bytes(), false, "pipe", at(0)).unwrap()));
        l.commit().unwrap();
        if n % 3 == 2 {
            let (n, id) = ids.remove(ids.len() / 2);
            let mut l = store.write().unwrap();
            l.close_mail(id, &verdict(VerdictKind::Done, &n.to_string()), at(1)).unwrap();
            l.commit().unwrap();
        }
    }
    let mut l = store.write().unwrap();
    for (n, id) in ids {
        l.close_mail(id, &verdict(VerdictKind::Done, &n.to_string()), at(1)).unwrap();
    }
    l.commit().unwrap();
    store.settle().unwrap();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let left = bytes.windows(14).filter(|w| w == b"sesame-open-up").count();
        assert_eq!(left, 0, "{}", path.display());
    }
}
