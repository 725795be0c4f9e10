//! Databases of an older turnpost, and of a newer one.

use turnpost::command::MailForm;
use turnpost::numbers::{BoardNumber, EntryNumber, Ply};

use super::*;

const TABLES: &str = include_str!("../../../../migrations/sqlite/0001_tables.sql");
const VIEWS: &str = include_str!("../../../../migrations/sqlite/0002_views.sql");

/// What version 2 left: a board in play, one resigned (which was no entry of a record then), one declined.
const ROWS: &str = "
    INSERT INTO server VALUES (1, 'abcdefgh');
    INSERT INTO players VALUES (1, 'Alice', 'x', '2026-01-01T00:00:00Z'), (2, 'bob', 'y', '2026-01-01T00:00:00Z');
    INSERT INTO addresses VALUES (1, 1, 'a@x.example', NULL, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
    INSERT INTO boards (number, game, options, challenger, to_move, genesis, head, created_at, moved_at) VALUES
        (1, 'marque', '', 1, 1, '00', '00', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z'),
        (2, 'marque', '', NULL, 1, '00', '00', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z'),
        (5, 'marque', '', 1, 1, '00', '00', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z');
    INSERT INTO seats VALUES (1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1), (5, 1, 1), (5, 2, 2);
    INSERT INTO moves VALUES (1, 1, 1, 'a1', '2026-01-03T00:00:00Z', 'mail', '00', replace(hex(zeroblob(32)), '00', '1a'));
    UPDATE boards SET to_move = 2 WHERE number = 1;
    INSERT INTO moves VALUES (1, 2, 2, 'b2', '2026-01-04T00:00:00Z', 'shell',
        replace(hex(zeroblob(32)), '00', '1a'), replace(hex(zeroblob(32)), '00', '2b'));
    UPDATE boards SET to_move = 1 WHERE number = 1;
    INSERT INTO moves VALUES (2, 1, 1, 'c3', '2026-01-03T00:00:00Z', 'mail', '00', replace(hex(zeroblob(32)), '00', '3c'));
    UPDATE boards SET to_move = NULL, winner = 1, reason = 'resignation', ended_at = '2026-01-05T00:00:00Z'
        WHERE number = 2;
    UPDATE boards SET to_move = NULL, declined_by = 2, declined_at = '2026-01-05T00:00:00Z' WHERE number = 5;
    INSERT INTO comments VALUES (1, 1, 0, 1, 'hello', '2026-01-02T00:00:00Z'),
        (2, 1, 2, 2, 'well', '2026-01-04T00:00:00Z');
    INSERT INTO inbox (received_at, via, truncated, raw) VALUES ('2026-01-05T00:00:00Z', 'pipe', 0, x'6869');
    INSERT INTO outbox (player, kind, board, ply, facts, domain, created_at, attempts, due_at, sent_at, error) VALUES
        (1, 'move', 1, 1, '{}', 'x.example', '2026-01-03T00:00:00Z', 1, NULL, '2026-01-03T00:00:00Z', NULL),
        (1, 'move', 1, 2, '{}', 'x.example', '2026-01-04T00:00:00Z', 3, '2026-01-04T02:00:00Z', NULL, 'no route'),
        (2, 'move', 1, 2, '{}', 'x.example', '2026-01-04T00:00:00Z', 0, '2026-01-04T00:00:00Z', NULL, NULL);
    PRAGMA user_version = 2;";

fn day(day: u32) -> DateTime<Utc> {
    format!("2026-01-{day:02}T00:00:00Z").parse().unwrap()
}

/// A file of version 2.
fn older() -> (tempfile::TempDir, PathBuf) {
    let File { dir, path } = File::fresh();
    let db = Connection::open(&path).unwrap();
    for sql in [TABLES, VIEWS, ROWS] {
        db.execute_batch(sql).unwrap();
    }
    (dir, path)
}

/// The upgraded store of version 2, and the path of its file.
fn upgraded() -> (tempfile::TempDir, PathBuf, Box<dyn Store>) {
    let (dir, path) = older();
    let store = open(&path, World::REAL).unwrap();
    (dir, path, store)
}

#[test]
fn boards_and_their_records_are_kept() {
    let (_dir, _, mut store) = upgraded();
    let mut tx = store.write().unwrap();
    let player = tx.player_by_address("a@x.example").unwrap().unwrap();
    assert_eq!(
        (player.settings, player.signoff, player.left_at),
        // Players from before letters had a second part still get none.
        (Settings { mail: MailForm::Text, ..Settings::default() }, None, None)
    );
    let made = |number: u32, seat, text: &str, via, hash: &str, on| {
        let (text, hash) = (text.into(), hash.repeat(32));
        let (entry, ply) = (EntryNumber(number), Ply(number));
        Entry { entry, kind: EntryKind::Move, ply, seat: Some(seat), text, made_at: day(on), via, hash }
    };
    let moves = [made(1, Seat::First, "a1", Via::Mail, "1a", 3), made(2, Seat::Second, "b2", Via::Shell, "2b", 4)];
    assert_eq!(tx.entries(BoardNumber(1)).unwrap(), moves);
    assert_eq!(tx.entries(BoardNumber(2)).unwrap(), [made(1, Seat::First, "c3", Via::Mail, "3c", 3)]);
    assert_eq!(
        tx.comments(BoardNumber(1)).unwrap().iter().map(|comment| comment.entry).collect::<Vec<_>>(),
        [0, 2].map(EntryNumber)
    );

    let [playing, resigned, declined] = [1, 2, 5].map(|number| tx.board(BoardNumber(number)).unwrap().unwrap());
    assert_eq!(
        (playing.entries, playing.plies, playing.head.as_str(), playing.moved_at),
        (EntryNumber(2), Ply(2), "2b".repeat(32).as_str(), day(4))
    );
    assert_eq!((resigned.entries, resigned.plies, resigned.to_move), (EntryNumber(1), Ply(1), None));
    let result = BoardResult { winner: Some(Seat::First), reason: "resignation".into(), ended_at: day(5) };
    assert_eq!((resigned.result.as_ref(), declined.no_result), (Some(&result), Some(NoResult::Declined)));
    for board in [&playing, &resigned, &declined] {
        assert_eq!(
            (board.rated, board.rated_as, board.private, board.time_control),
            (false, None, false, TimeControl::default())
        );
        assert_eq!((board.clock, board.proposal, &board.seats), (None, None, &Default::default()));
    }
    assert_eq!((tx.next_clock().unwrap(), tx.rated_boards().unwrap()), (None, vec![]));

    let mut next = entry(3, EntryKind::Move, 3, Some(Seat::Second));
    assert!(append(&mut tx, 1, &next, None).is_err(), "it is not their turn");
    next.seat = Some(Seat::First);
    append(&mut tx, 1, &next, Some(Seat::Second)).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().entries, EntryNumber(3));
    assert_eq!(tx.add_board(&board([player.id, player.id])).unwrap(), BoardNumber(6), "no number comes twice");
    tx.commit().unwrap();
}

/// A file of version 16 with an entry of each kind, each by another way.
fn of_words() -> (tempfile::TempDir, PathBuf, Vec<Entry>) {
    let File { dir, path } = File::fresh();
    let db = Connection::open(&path).unwrap();
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    let mut files: Vec<_> = std::fs::read_dir(migrations).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in &files[..16] {
        db.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
    }
    db.execute_batch(
        "INSERT INTO server (one, server_id) VALUES (1, 'abcdefgh');
         INSERT INTO players (id, userid, password_hash, created_at) VALUES (1, 'Alice', 'x', '2026-01-01T00:00:00Z');
         INSERT INTO boards (number, game, options, to_move, genesis, head, created_at, moved_at)
             VALUES (7, 'marque', '', 1, '00', '00', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z');
         INSERT INTO seats (board, seat, player) VALUES (7, 1, 1), (7, 2, 1);
         PRAGMA user_version = 16",
    )
    .unwrap();
    let (first, second) = (Some(Seat::First), Some(Seat::Second));
    let entries: Vec<Entry> = [
        (EntryKind::Move, "move", 1, first, "f3", Via::Mail, "mail"),
        (EntryKind::Undo, "undo", 0, second, "undo", Via::Web, "web"),
        (EntryKind::Resign, "resign", 0, first, "resign 1", Via::Api, "api"),
        (EntryKind::Draw, "draw", 0, second, "draw", Via::Shell, "shell"),
        (EntryKind::Forfeit, "forfeit", 0, first, "forfeit 1", Via::Clock, "clock"),
        (EntryKind::Adjudge, "adjudge", 0, None, "adjudge 1 so", Via::Administrator, "administrator"),
        (EntryKind::Move, "move", 1, first, "f4", Via::Visitor, "visitor"),
        (EntryKind::Move, "move", 2, first, "k12,k11", Via::Plan, "plan"),
    ]
    .into_iter()
    .zip(1..)
    .map(|((kind, word, ply, seat, text, via, way), number)| {
        // From before 1970 to after 2038.
        let made_at = at(i64::from(number) * 20_000_000 - 60_000_000);
        let hash = format!("{number:02x}fa").repeat(16);
        let side = seat.map(|seat| if seat == Seat::First { 1 } else { 2 });
        let time = made_at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let sql = "INSERT INTO moves (board, entry, kind, ply, seat, text, made_at, via, previous_hash, hash)
             SELECT 7, ?1, ?2, ?3, ?4, ?5, ?6, ?7, head, ?8 FROM boards";
        db.execute(sql, rusqlite::params![number, word, ply, side, text, time, way, hash]).unwrap();
        Entry { entry: EntryNumber(number), kind, ply: Ply(ply), seat, text: text.into(), made_at, via, hash }
    })
    .collect();
    (dir, path, entries)
}

#[test]
fn entries_of_every_kind_are_kept_and_read_as_words() {
    let (_dir, path, entries) = of_words();
    let views = ["game_moves", "board_story"];
    let rows = |view: &str| {
        let db = Connection::open(&path).unwrap();
        let mut statement = db.prepare(&format!("SELECT * FROM {view}")).unwrap();
        let columns = statement.column_count();
        let rows =
            statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<_>>>());
        rows.unwrap().collect::<rusqlite::Result<Vec<Vec<rusqlite::types::Value>>>>().unwrap()
    };
    let before = views.map(rows);
    assert!(before.iter().all(|rows| rows.len() >= entries.len()));
    let mut store = open(&path, World::REAL).unwrap();
    let tx = store.read().unwrap();
    assert_eq!(tx.entries(BoardNumber(7)).unwrap(), entries);
    let (board, last) = (tx.board(BoardNumber(7)).unwrap().unwrap(), entries.last().unwrap());
    assert_eq!((&board.head, board.moved_at, board.entries), (&last.hash, last.made_at, last.entry));
    assert_eq!(views.map(rows), before, "people read what they read before");
}

#[test]
fn letters_that_were_tried_keep_their_message_ids() {
    let (_dir, _, mut store) = upgraded();
    let mut tx = store.write().unwrap();
    assert_eq!(tx.waiting(tx.waiting_after(InboxId(0), 9).unwrap()[0]).unwrap().unwrap().raw, b"hi");
    let notices = tx.outbox(false, 9).unwrap();
    assert_eq!(notices.iter().map(|notice| notice.entry.unwrap()).collect::<Vec<_>>(), [2, 2, 1].map(EntryNumber));
    assert_eq!(tx.next_due().unwrap(), Some(day(4)));
    let loose = tx.loose_notices(day(5), 9).unwrap();
    assert_eq!(loose.iter().map(|notice| notice.id.0).collect::<Vec<_>>(), [3], "not tried, it may join others");
    let letters = tx.due_letters(day(5), 9, None).unwrap();
    assert_eq!((letters.len(), letters[0][0].id.0, letters[0][0].attempts), (1, 2, 3));
    assert!(letters[0][0].message_id.starts_with("<2."));
    assert!(tx.resend(OutboxId(1), day(5)).unwrap());
    assert!(tx.due_letters(day(5), 9, None).unwrap().iter().any(|letter| letter[0].message_id.starts_with("<1.")));
}

#[test]
fn the_file_is_sound_and_its_views_answer() {
    let (_dir, path, _store) = upgraded();
    let db = Connection::open(path).unwrap();
    let views = "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name";
    let views: Vec<String> =
        db.prepare(views).unwrap().query_map([], |row| row.get(0)).unwrap().map(|name| name.unwrap()).collect();
    let all = [
        "board_story",
        "bounces",
        "game_moves",
        "games",
        "games_a_month",
        "incoming_mail",
        "letters",
        "mail_effects",
        "open_challenges",
        "paused_addresses",
        "player_activity",
        "rating_history",
        "ratings",
        "record",
        "undelivered_mail",
        "waiting",
    ];
    assert_eq!(views, all);
    for view in views {
        db.prepare(&format!("SELECT * FROM {view}")).unwrap().query([]).unwrap().next().unwrap();
    }
    let last: String = db.query_row("SELECT last_move FROM games WHERE board = 1", [], |row| row.get(0)).unwrap();
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let orphans = db.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert_eq!((last.as_str(), check.as_str(), orphans), ("b2", "ok", false));
    // Every object is the new one: nothing refers to the table that was filled and renamed.
    let old =
        "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%INSERT ON entries%' OR name IN ('entries', 'compact')";
    assert_eq!(db.query_row(old, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn many_upgrade_a_file_at_once() {
    for _ in 0..5 {
        let (_dir, path) = older();
        let entries =
            |path: &Path| open(path, World::REAL).unwrap().read().unwrap().entries(BoardNumber(1)).unwrap().len();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| entries(&path))).collect();
            assert!(all.into_iter().all(|one| one.join().unwrap() == 2));
        });
    }
}

#[test]
fn an_older_database_is_upgraded_and_a_newer_refused() {
    let File { dir: _dir, path } = File::fresh();
    let db = Connection::open(&path).unwrap();
    db.execute_batch(TABLES).unwrap();
    db.execute_batch("INSERT INTO server VALUES (1, 'abcdefgh'); INSERT INTO players VALUES (1, 'old', 'x', '2026-01-01T00:00:00Z'); PRAGMA user_version = 1")
        .unwrap();
    let mut store = open(&path, World::REAL).unwrap();
    assert!(store.read().unwrap().player("old").unwrap().is_some());
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(matches!(open(&path, World::REAL), Err(StoreError::TooNew { found: 99, .. })));
}

#[test]
fn an_upgraded_database_has_a_key_of_its_own_and_keeps_it() {
    let (board, entry) = (BoardNumber(1), EntryNumber(2));
    let token = turnpost::token::Token { player: 1, board, entry, proposal: None };
    let sign = |store: &mut dyn Store| token.sign(&store.read().unwrap().reply_key().unwrap());
    let (_dir, path, mut store) = upgraded();
    let signed = sign(&mut store);
    drop(store);
    assert_eq!(sign(&mut open(&path, World::REAL).unwrap()), signed);
    let (_other_dir, _, mut other) = upgraded();
    assert_ne!(sign(&mut other), signed);
    // A key has 32 bytes.
    let db = Connection::open(&path).unwrap();
    assert!(db.execute_batch("UPDATE server SET reply_key = x'00'").is_err());
}
