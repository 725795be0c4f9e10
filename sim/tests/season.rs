//! Plays a small season with the same kinds of events and acts as a large one. It uses PostgreSQL if the other tests
//! do.

#[expect(dead_code, reason = "this test needs only an empty database")]
#[path = "../../tests/it/common/postgres.rs"]
mod postgres;

use std::process::Command;

#[test]
fn a_season_ends_without_an_administrator() {
    let database = postgres::is_wanted().then(postgres::Database::empty);
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnpost-sim"));
    program.args(["season", "--players", "8", "--seed", "1"]);
    program.args(database.iter().flat_map(|database| ["--postgres".to_owned(), database.url()]));
    let done = program.output().unwrap();
    let output = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{output}\n{}", String::from_utf8_lossy(&done.stderr));
    for word in ["crashes", "errors", "letters", "editions"] {
        assert!(output.contains(word), "no {word} in {output}");
    }
}
