//! Tests that frequent statements use an index, according to SQLite's query plans.

use std::path::Path;

use rusqlite::Connection;

use super::Db;
use crate::numbers::BoardNumber;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::file::migration_texts;
use crate::store::{BoardList, BoardsOf, Cursor, PlayerId, ShownTo, create, *};
use crate::world::World;

/// Returns the steps of a statement's plan.
fn plan(store: &SqliteStore, sql: &str) -> Vec<String> {
    let mut statement = store.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    for n in 1..=statement.parameter_count() {
        statement.raw_bind_parameter(n, 1).unwrap();
    }
    let (mut rows, mut steps) = (statement.raw_query(), Vec::new());
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get(3).unwrap());
    }
    steps
}

// Long, because it lists every statement that must use an index.
#[test]
fn lookups_use_an_index() {
    let store = SqliteStore::in_memory(World::REAL).unwrap();
    let constants = [
        addresses::ADDRESSES,
        analyses::OF_BOARD,
        analyses::WAITING,
        blocks::IS_BLOCKED,
        blocks::OF_PLAYER,
        blocks::HAVE_PLAYED,
        blocks::COMMENTS_TO,
        blocks::COMMENTS_SINCE,
        sessions::CALENDAR,
        sessions::CALENDAR_OWNER,
        limits::COUNT_OF,
        limits::COUNT_FROM,
        limits::COUNT_BOTH,
        limits::OLD,
        limits::REFUSALS,
        limits::END_REFUSALS,
        limits::FORGET,
        players::UNCONFIRMED,
        players::USERIDS,
        players::VACATIONS,
        challenges::OF_PLAYER,
        challenges::SEEKERS,
        boards::ACTIVE,
        boards::WAITING_FOR,
        boards::UNANSWERED,
        lists::TALLY,
        sessions::OF_PLAYER,
        sessions::LINKS,
        records::ENTRIES,
        records::STATE,
        comments::COMMENTS,
        comments::NOTE,
        webhooks::OF_PLAYER,
        webhooks::DUE,
        webhooks::NEXT,
        webhooks::REMOVE,
        lists::LAST_CHANGE,
        lists::CHANGES_SINCE,
        lists::CHANGES_OF_PLAYER,
        lists::CHANGE_OF_BOARD,
        sessions::BY_HASH,
        sessions::TOKENS,
        players::REMOVE_TOKENS,
        seats::DUE,
        seats::NEXT,
        events::DUE,
        events::OF_BOARD,
        boards::EVENT_OF_ENDED,
        events::BOARDS,
        events::RECENT_BOARDS,
        events::PARTICIPANTS,
        events::TITLES,
        events::WINNERS,
        followers::OF_BOARD,
        followers::OF_PLAYER,
        analyses::HINT,
        boards::REMATCH,
        followers::TURN_LETTER,
        followers::FORGET_TURN,
        followers::IS_MUTED,
        followers::MUTED,
        puzzles::TO_SEARCH,
        puzzles::KNOWS,
        puzzles::LAST,
        puzzles::OF_PLAYER,
        puzzles::READERS,
        puzzles::SOLVED,
        ratings::CHANGES,
        ratings::RATE,
        ratings::RATED_BOARDS,
        inbox::WAITING,
        inbox::QUARANTINED,
        inbox::SEEN,
        outbox::NEXT_DUE,
        outbox::DUE_TO,
        outbox::RELEASE,
        letters::ABOUT,
        letters::OF_LETTER,
        letters::BOUNCES,
        outbox::HOLD,
        leases::HAS,
        leases::SERVING,
        letters::SENT,
        letters::FAILED,
        letters::GIVEN_UP,
        letters::RESEND,
        history::ANSWER,
        history::SENT_AS,
        history::CAUSE,
        erasing::LEFT_ADDRESSES,
        history::PROPOSALS,
        counts::BOARDS,
        counts::TURNS,
        counts::OPEN,
        counts::WAITING,
        counts::DUE,
        counts::RETRIED,
        counts::GIVEN_UP,
        ratings::DISTRIBUTION,
    ];
    let db = Db::Sqlite(&store.db);
    let made =
        [players::by_userid_sql(), players::by_address_sql(), boards::by_number_sql(), challenges::by_number_sql()]
            .into_iter()
            .chain([boards::list_sql(true, false, false), boards::list_sql(true, false, true)])
            .chain([boards::list_sql(false, true, false), boards::list_sql(false, true, true)])
            .chain([boards::list_sql(true, true, false), boards::list_sql(true, true, true)])
            .chain([boards::list_sql(false, false, true), challenges::open_sql(true), challenges::open_sql(false)])
            .chain([boards::after_sql(true, false), boards::after_sql(false, true)])
            .chain([ratings::standing_sql(), ratings::of_game_sql(), ratings::of_player_sql()])
            .chain([outbox::loose_sql(), outbox::reminder_sql(), outbox::answers_sql()])
            .chain([letters::notices_sql(), letters::due_sql(), counts::oldest_work_sql(db)])
            .chain([boards::waiting_for_any_sql(db), players::names_sql(db), puzzles::without_sql(db)])
            .chain([ratings::page_sql(), ratings::count_sql(db), inbox::waiting_mail_sql(db)])
            .chain([
                players::first_sql(),
                events::by_name_sql(),
                puzzles::by_number_sql(),
                puzzles::after_sql(),
                puzzles::of_day_sql(),
                puzzles::next_sql(),
            ]);
    let mut pages = vec![ratings::results_sql(), ratings::points_sql()];
    for of in
        [BoardsOf::Game("marque"), BoardsOf::Player(PlayerId(1), None), BoardsOf::Player(PlayerId(1), Some("marque"))]
    {
        for over in [false, true] {
            for shown_to in [ShownTo::Everybody, ShownTo::Player(PlayerId(1)), ShownTo::Administrator] {
                let list = BoardList { of, over, shown_to };
                let number = BoardNumber(1);
                let cursors = [Cursor::Newest, Cursor::Before(number), Cursor::After(number)];
                pages.extend(cursors.map(|at| lists::page(db, &list, &at, &20).0));
            }
        }
    }
    let statements = constants.map(str::to_owned).into_iter().chain(made).chain(pages);
    for sql in statements {
        for step in plan(&store, &sql) {
            // SQLite also reports a scan if it reads the only row of `server`, no row at all, or an index in order.
            // These scans are acceptable. A scan of `departed_addresses` is acceptable too, because the table is almost
            // always empty.
            let harmless = [
                "SCAN server",
                "SCAN departed_addresses",
                "SCAN CONSTANT ROW",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
            ]
            .contains(&step.as_str())
                || step.contains("USING");
            assert!(!step.starts_with("SCAN") || harmless, "{step}\n{sql}");
        }
    }
}

/// Reading a player's finished boards would be slow: there may be many, each on a separate page of the file.
#[test]
fn only_a_players_boards_in_progress_are_read() {
    let store = SqliteStore::in_memory(World::REAL).unwrap();
    let activity = "SELECT boards, their_turn, waiting_days, finished FROM player_activity WHERE player = ?1";
    let active = boards::list_sql(false, true, true);
    for sql in [boards::WAITING_FOR, lists::TALLY, activity, &active] {
        let steps = plan(&store, sql);
        let mut seats = None;
        for step in steps.iter().filter(|step| step.starts_with("SEARCH") || step.starts_with("SCAN")) {
            if step.contains(" INDEX seats_active ") || step.contains(" INDEX boards_waiting ") {
                // For the report of players, the index must contain all columns that the statement reads.
                assert!(sql != activity || step.contains(" COVERING "), "{step}");
                seats = Some(true);
            } else if step.contains(" USING COVERING INDEX seats_") {
                seats = Some(false);
            } else {
                assert!(seats != Some(false), "{step}\n{sql}");
            }
        }
        assert!(seats.is_some(), "{steps:?}");
    }
}

#[test]
fn every_migration_records_itself() {
    let db = Connection::open_in_memory().unwrap();
    for (version, text) in (1..).zip(migration_texts()) {
        db.execute_batch(&text).unwrap();
        let last: i64 = db.query_row("SELECT max(version) FROM migrations", [], |row| row.get(0)).unwrap();
        assert_eq!(last, version);
    }
    assert!(SqliteStore::open(Path::new("/nowhere/at/all.db"), World::REAL).is_err());
}

/// Creates a database with `count` players and boards, and two boards for each player. Every second board has ended.
fn populated(count: u32) -> (tempfile::TempDir, SqliteStore) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.db");
    create(&path, World::REAL).unwrap();
    let store = SqliteStore::open(&path, World::REAL).unwrap();
    let time = "'2026-01-01T00:00:00Z'";
    let sql = format!(
        "CREATE TEMP TABLE n AS WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
             SELECT n FROM n;
         INSERT INTO players (id, userid, password_hash, created_at) SELECT n, 'p' || n, '', {time} FROM n;
         INSERT INTO boards (number, game, options, terms, to_move, genesis, head, created_at, moved_at)
             SELECT n, 'marque', '', '', 1, '00', '00', {time}, {time} FROM n;
         INSERT INTO seats (board, seat, player) SELECT n, 1, n FROM n UNION ALL SELECT n, 2, n % {count} + 1 FROM n;
         UPDATE boards SET to_move = NULL, winner = 1, reason = 'x', ended_at = {time} WHERE number % 2 = 0;"
    );
    store.db.execute_batch(&sql).unwrap();
    (dir, store)
}

/// Counts the steps that SQLite's virtual machine executes for the first 20 rows of a statement.
fn steps(store: &SqliteStore, sql: &str) -> i32 {
    let mut statement = store.db.prepare(sql).unwrap();
    statement.raw_bind_parameter(1, 20).unwrap();
    statement.raw_bind_parameter(2, 0).unwrap();
    let mut rows = statement.raw_query();
    let mut count = 0;
    while rows.next().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 20);
    drop(rows);
    statement.get_status(rusqlite::StatementStatus::VmStep)
}

#[test]
fn the_cost_of_a_first_page_does_not_depend_on_the_number_of_rows() {
    let ((_small_dir, small), (_large_dir, large)) = (populated(200), populated(2_000));
    for sql in [
        reports::players_sql(false, false, false, false),
        reports::boards_sql(false, false, false, false),
        reports::boards_sql(false, false, false, true),
    ] {
        let [few, many] = [&small, &large].map(|store| steps(store, &sql));
        assert!(many * 10 < few * 13, "{few} steps, then {many}:\n{sql}");
    }
}
