//! What the start of the program costs: `cargo bench --bench start`.
//!
//! Each command is a process of its own on a small instance, and so is what it is compared with: this bench itself,
//! which opens the same database with the settings of the program and reads one row. What remains between the two is
//! mostly not ours to save: `--version` does nothing, and shows what the system needs to load a program of this size.
//! All take turns, and each number is the median of several rounds.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

const ROUNDS: usize = 200;
/// The word that makes this program the one that is compared with.
const OPEN: &str = "open-and-read";

/// Opens the database as the store does, and reads a row.
fn open_and_read(path: &str) {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).expect("the database opens");
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("a setting");
    let settings =
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON";
    db.execute_batch(settings).expect("settings");
    let id: String = db.query_row("SELECT server_id FROM server", [], |row| row.get(0)).expect("a row");
    println!("{id}");
}

fn run(program: &Path, words: &[&str], data: &Path, input: Stdio) -> Duration {
    let mut command = Command::new(program);
    command.args(words).env("TURNPOST_DATA", data).stdin(input).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("the program runs");
    let time = start.elapsed();
    assert!(status.success(), "{words:?}: {status}");
    time
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, path] = words.as_slice()
        && word == OPEN
    {
        return open_and_read(path);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_turnpost"));
    let this = std::env::current_exe().expect("this program has a file");
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path();
    for line in [
        "signup alice wonderland alice@example.org",
        "signup bob bricklayer bob@example.org",
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        run(program, &words, data, Stdio::null());
    }
    let mail = data.join("mail");
    let text = "From: alice@example.org\nTo: turnpost@example.org\nMessage-ID: <1@example.org>\nSubject: show 1\n\n";
    std::fs::write(&mail, text).expect("the directory takes a file");
    let database = data.join("turnpost.db");
    let database = database.to_str().expect("a plain name");
    // Every mail but the first is a copy that was taken already: what is measured is the start, and not the answer.
    let cases: [(&str, &Path, &[&str]); 5] = [
        ("open and read a row", &this, &[OPEN, database]),
        ("turnpost show 1", program, &["show", "1"]),
        ("turnpost list", program, &["list"]),
        ("turnpost mail < mail", program, &["mail"]),
        ("turnpost --version", program, &["--version"]),
    ];
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for ((name, program, words), times) in cases.iter().zip(&mut times) {
            let input = match name.contains("mail") {
                true => File::open(&mail).expect("the mail").into(),
                false => Stdio::null(),
            };
            times.push(run(program, words, data, input));
        }
    }
    let base = median(&mut times[0]);
    for ((name, ..), times) in cases.iter().zip(&mut times) {
        let time = median(times);
        println!("{name:<22} {time:>7.2} ms {:>6.2} x", time / base);
    }
}
