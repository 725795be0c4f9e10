//! Databases that earlier versions left are upgraded and played on; one of a newer version is refused.

use std::path::Path;

use rusqlite::Connection;

use crate::common::database::sql;
use crate::common::{Server, done, to};

/// A server for each file of `tests/data/releases`, with its name.
pub fn releases() -> Vec<(String, Server)> {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/releases")).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let dumps = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sql"));
    dumps.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), loaded(&path))).collect()
}

fn loaded(dump: &Path) -> Server {
    let server = Server::without_database();
    let db = Connection::open(server.data().join("turnpost.db")).unwrap();
    db.execute_batch(&std::fs::read_to_string(dump).unwrap()).unwrap();
    server.configure("");
    server
}

/// What people read of the boards.
pub fn boards(server: &Server) -> Vec<String> {
    [
        "SELECT board, game, options, whose_turn, plies, last_move, result FROM games ORDER BY board",
        "SELECT board, ply, player, move, made_at, via FROM game_moves ORDER BY board, ply, move",
        "SELECT player, board, opponent FROM waiting ORDER BY player, board",
        "SELECT game, player, wins, losses, draws FROM ratings ORDER BY game, player",
    ]
    .map(|query| sql(server, query))
    .to_vec()
}

/// What is kept of seats and players, and what boards, records, comments and proposals say of it.
fn kept_and_reckoned(server: &Server) -> [[String; 2]; 2] {
    let seats = "SELECT board, seat, active, ended FROM seats ORDER BY board, seat";
    let seats_reckoned = "SELECT s.board, s.seat, b.ended_at IS NULL AND b.declined_at IS NULL, b.ended_at IS NOT NULL
        FROM seats s JOIN boards b ON b.number = s.board ORDER BY s.board, s.seat";
    let players = "SELECT id, acted_at FROM players ORDER BY id";
    let players_reckoned = "SELECT p.id, nullif(max(
            coalesce((SELECT max(unixepoch(created_at)) FROM boards WHERE challenger = p.id), 0),
            coalesce((SELECT max(unixepoch(m.made_at)) FROM record m JOIN seats s ON s.board = m.board AND s.seat = m.seat
                WHERE s.player = p.id AND m.via NOT IN ('plan', 'clock', 'administrator')), 0),
            coalesce((SELECT max(unixepoch(said_at)) FROM comments WHERE player = p.id), 0),
            coalesce((SELECT max(unixepoch(r.made_at)) FROM proposals r JOIN seats s ON s.board = r.board AND s.seat = r.seat
                WHERE s.player = p.id), 0)), 0)
        FROM players p ORDER BY p.id";
    [[seats, players], [seats_reckoned, players_reckoned]].map(|queries| queries.map(|query| sql(server, query)))
}

#[test]
fn every_release_is_upgraded_and_played_on() {
    let releases = releases();
    assert!(releases.iter().any(|(name, _)| name == "0.1.0"), "that release is among them");
    for (name, mut server) in releases {
        let before = boards(&server);
        assert!(before[0].lines().count() > 10, "{name}: {before:?}");
        let checked = done(&server, "admin check --json");
        assert_eq!(boards(&server), before, "{name}");
        assert!(checked.contains("\"faults\":[]"), "{name}: {checked}");
        let [kept, reckoned] = kept_and_reckoned(&server);
        assert_eq!(kept, reckoned, "{name}");
        // Two mails waited, and a letter.
        done(&server, "tick");
        assert_eq!(sql(&server, "SELECT verdict FROM incoming_mail ORDER BY id"), "done\ndone", "{name}");
        let letters = server.letters();
        assert!(to(&letters, "dave@example.org").text().contains("good morning"), "{name}: {letters:?}");
        assert!(to(&letters, "alice@example.org").text().contains("b2"), "{name}: {letters:?}");
        let letters = server.mail("alice@example.org", "marque move 5 alice wonderland j2", "");
        assert!(to(&letters, "bob@example.org").text().contains("j2"), "{name}: {letters:?}");
        done(&server, "admin check");
        let [kept, reckoned] = kept_and_reckoned(&server);
        assert_eq!(kept, reckoned, "{name}");
    }
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let (_, server) = releases().remove(0);
    sql(&server, "PRAGMA user_version = 99");
    let file = server.data().join("turnpost.db");
    let before = std::fs::read(&file).unwrap();
    for line in ["tick", "serve", "admin check", "marque move 5 bob bricklayer b2"] {
        let ran = server.shell(line);
        assert!(ran.status == 65 && ran.err.contains("made by a newer turnpost"), "{line}: {ran:?}");
        assert!(std::fs::read(&file).unwrap() == before, "{line}: it was changed");
    }
}
