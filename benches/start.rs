//! Measures the start of the program: `cargo bench --bench start`.
//!
//! Each command is a separate process on a small instance. The baseline is a copy of this bench, which opens the same
//! database with the same settings and reads one row. Both are measured without other load, and while `turnpost serve`
//! is running. In the second case, the database's write-ahead log is already open, and the server does the due work:
//! `turnpost tick` only reads its configuration, opens the database, wakes the server and ends. `--version` shows how
//! long the system takes to load a program of this size. The commands take turns, and each number is the median of
//! several rounds.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

const ROUNDS: usize = 200;
/// The command-line argument with which this bench runs as the baseline.
const OPEN: &str = "open-and-read";

/// Opens the database with the settings of the store, and reads a row.
fn open_and_read(path: &str) {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).expect("the database opens");
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("the journal mode can be set");
    let settings =
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON";
    db.execute_batch(settings).expect("the settings are valid");
    let id: String =
        db.query_row("SELECT server_id FROM server", [], |row| row.get(0)).expect("the database has a server row");
    println!("{id}");
}

/// A small instance, and the programs to measure.
struct Bench {
    program: PathBuf,
    /// A copy of this bench. With [`OPEN`] as its first argument, it opens the database and reads a row.
    empty: PathBuf,
    data: PathBuf,
}

impl Bench {
    fn command(&self, words: &[&str]) -> Command {
        let program = if words[0] == OPEN { &self.empty } else { &self.program };
        let mut command = Command::new(program);
        command.args(words).env("TURNPOST_DATA", &self.data).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Runs a command, and returns its duration. The command `mail` gets a message as its standard input.
    fn run(&self, words: &[&str]) -> Duration {
        let mut command = self.command(words);
        if words == ["mail"] {
            command.stdin(File::open(self.data.join("mail")).expect("the message is readable"));
        }
        let start = Instant::now();
        let status = command.status().expect("the program runs");
        let time = start.elapsed();
        assert!(status.success(), "{words:?}: {status}");
        time
    }

    /// Runs all commands in turn, for several rounds. Prints the median of each, and its ratio to the first command.
    fn compare(&self, situation: &str, cases: &[&[&str]]) {
        let mut times = vec![Vec::with_capacity(ROUNDS); cases.len()];
        for _ in 0..ROUNDS {
            for (words, times) in cases.iter().zip(&mut times) {
                times.push(self.run(words));
            }
        }
        let base = median(&mut times[0]);
        println!("{situation}:");
        for (words, times) in cases.iter().zip(&mut times) {
            let time = median(times);
            let name = if words[0] == OPEN { "open and read a row".to_owned() } else { words.join(" ") };
            println!("  {name:<20} {time:>7.2} ms {:>6.2} x", time / base);
        }
    }

    /// Starts the server, and returns when it is ready.
    fn serve(&self) -> Server {
        let child = self.command(&["serve"]).stderr(Stdio::null()).spawn().expect("the program runs");
        let server = Server(child);
        for _ in 0..500 {
            if self.data.join("serve.sock").exists() {
                return server;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("the server does not start");
    }
}

/// A running server, stopped when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
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
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    // Copies a program, as an installer does. The system caches a file from the linker in small parts, and starts it up
    // to 30 % slower.
    let installed = |program: &Path, name: &str| {
        let to = directory.path().join(name);
        std::fs::copy(program, &to).expect("the directory is writable");
        to
    };
    let bench = Bench {
        program: installed(Path::new(env!("CARGO_BIN_EXE_turnpost")), "turnpost"),
        empty: installed(&std::env::current_exe().expect("the path of this program is known"), "empty"),
        data: directory.path().to_owned(),
    };
    for line in [
        "signup alice wonderland alice@example.org",
        "signup bob bricklayer bob@example.org",
        "set alice wonderland mail=text",
        "set bob bricklayer mail=text",
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3",
    ] {
        bench.run(&line.split(' ').collect::<Vec<_>>());
    }
    // All runs of `mail` read the same message. Each run after the first ignores it as a duplicate, so the bench
    // measures the start of the program and not the work on the message.
    let text = "From: alice@example.org\nTo: turnpost@example.org\nMessage-ID: <1@example.org>\nSubject: show 1\n\n";
    std::fs::write(bench.data.join("mail"), text).expect("the directory is writable");
    bench.run(&["mail"]);
    let database = bench.data.join("turnpost.db");
    let empty = [OPEN, database.to_str().expect("the path is UTF-8")];
    bench.compare("alone", &[&empty, &["show", "1"], &["list"], &["mail"], &["--version"]]);
    let _server = bench.serve();
    bench.compare("beside serve", &[&empty, &["tick"], &["show", "1"], &["list"], &["mail"]]);
}
