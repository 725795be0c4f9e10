//! A server in a temporary directory, with helpers to send mail to it and to read its letters.

#![allow(dead_code, reason = "the benches use a part of it")]

pub mod browser;
pub mod certificates;
mod chromium;
pub mod database;
pub mod eventful;
pub mod imap;
pub mod inside;
pub mod mail;
mod players;
pub mod postgres;
pub mod serving;
pub mod stepping;
pub mod visitor;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, LazyLock};

pub use mail::Letter;
use serde_json::{Value, json};
use turnpost::compose::Composer;
use turnpost::draw::ascii::{self, Style};
use turnpost::rules::scene::Scene;
use turnpost::store::{self, Store};
use turnpost::text::Message;
use turnpost::world::World;

/// Returns the English text of a message.
pub fn words(message: &Message) -> String {
    static COMPOSER: LazyLock<Composer> = LazyLock::new(|| Composer::new(None, None).unwrap());
    COMPOSER.message(message).unwrap()
}

/// Draws a board as text.
pub fn characters(scene: &Scene, style: Style) -> String {
    ascii::draw(scene, style, &drawn_words).unwrap()
}

/// Like [`words`], with the signature that the drawing functions need.
pub fn drawn_words(message: &Message) -> Result<String, Infallible> {
    Ok(words(message))
}

pub const TURNPOST: &str = env!("CARGO_BIN_EXE_turnpost");

/// A server's data directory, and its database. Tests use them mainly through the `turnpost` program.
pub struct Server {
    dir: tempfile::TempDir,
    /// The PostgreSQL database; `None` if the database is a file.
    database: Option<Arc<postgres::Database>>,
    seen: BTreeSet<PathBuf>,
    mails: usize,
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            status: output.status.code().expect("the program ends without a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Joins the lines of a text with blanks, so that a test can find a sentence that spans several lines.
pub fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a command line, which must succeed, and returns its output.
pub fn done(server: &Server, line: &str) -> String {
    let ran = server.shell(line);
    assert_eq!(ran.status, 0, "{line}: {ran:?}");
    ran.out
}

/// Returns the first letter to an address, if there is one.
pub fn letter_to<'a>(letters: &'a [Letter], address: &str) -> Option<&'a Letter> {
    letters.iter().find(|letter| letter.to() == address)
}

/// Returns the first letter to an address, which must exist.
pub fn to<'a>(letters: &'a [Letter], address: &str) -> &'a Letter {
    letter_to(letters, address).unwrap_or_else(|| panic!("no letter to {address}: {letters:?}"))
}

/// Replies to a letter's Reply-To address. Returns the letters that the server then sends.
pub fn reply(server: &mut Server, from: &str, letter: &Letter, text: &str) -> Vec<Letter> {
    let subject = format!("Re: {}", letter.subject);
    server.mail_with(from, &subject, text, &json!({ "To": letter.reply_to() }))
}

impl Server {
    /// Creates an empty server.
    pub fn new() -> Server {
        match postgres::is_wanted() {
            true => Server::on_postgres(postgres::Database::set_up()),
            false => Server::in_a_file(),
        }
    }

    /// Creates a server with its database in a file, even if other tests use PostgreSQL. Use this for tests of the file
    /// itself.
    pub fn in_a_file() -> Server {
        let server = Server::without_database();
        assert!(store::create(server.data().join("turnpost.db"), World::REAL).unwrap());
        server.configure("");
        server
    }

    /// Creates a server with this database.
    pub fn on_postgres(database: postgres::Database) -> Server {
        let server = Server { database: Some(Arc::new(database)), ..Server::without_database() };
        server.configure("");
        server
    }

    /// Creates another node: a separate directory for the same PostgreSQL database.
    pub fn another_node(&self) -> Server {
        let database = self.database.clone();
        assert!(database.is_some(), "only PostgreSQL supports several nodes");
        let server = Server { database, ..Server::without_database() };
        server.configure("");
        server
    }

    /// Creates a server with an empty data directory.
    pub fn without_database() -> Server {
        let dir = tempfile::tempdir().unwrap();
        Server { dir, database: None, seen: BTreeSet::new(), mails: 0 }
    }

    /// Creates a server with the players alice and bob, with the passwords `wonderland` and `builder`. Their letters
    /// have no HTML part, because drawing its pictures would take most of a test's time.
    pub fn with_players() -> Server {
        if postgres::is_wanted() {
            return Server::on_postgres(players::database());
        }
        Server::in_a_file().and_players()
    }

    /// Adds alice and bob to an empty server.
    pub fn and_players(mut self) -> Server {
        if self.database.is_some() {
            self.database = Some(Arc::new(players::database()));
            self.configure("");
        } else {
            players::copy_to(self.data());
        }
        self
    }

    /// Creates a server with alice and bob, and with the default letters.
    pub fn with_players_who_want_pictures() -> Server {
        let server = Server::with_players();
        for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
            done(&server, &format!("set {userid} {password} mail=html"));
        }
        server
    }

    /// Returns the server's PostgreSQL database, if there is one.
    pub fn database(&self) -> Option<&postgres::Database> {
        self.database.as_deref()
    }

    /// Opens the server's database in the test process, as a separate program would.
    pub fn store(&self, world: World) -> Box<dyn Store> {
        let file = || self.data().join("turnpost.db").into();
        store::open(self.database().map_or_else(file, postgres::Database::location), world).unwrap()
    }

    pub fn data(&self) -> &Path {
        self.dir.path()
    }

    /// Replaces the server's configuration file. The minimum length of passwords is reduced to allow those of the
    /// tests.
    pub fn configure(&self, config: impl AsRef<str>) {
        let (config, short) = (config.as_ref(), "[policy]\nshortest_password = 4\n");
        let config = match config {
            _ if config.contains("shortest_password") => config.to_owned(),
            _ if config.contains("[policy]\n") => config.replacen("[policy]\n", short, 1),
            _ => format!("{config}\n{short}"),
        };
        let database = self.database().map(postgres::Database::configuration).unwrap_or_default();
        let config = config.replace(&database, "");
        std::fs::write(self.data().join("turnpost.toml"), database + &config).unwrap();
    }

    /// Returns a command that runs `turnpost` on this data directory.
    pub fn program(&self) -> Command {
        let mut command = Command::new(TURNPOST);
        command
            .arg("--data")
            .arg(self.data())
            .env_remove("TURNPOST_DATA")
            .env_remove("TURNPOST_PASSWORD")
            .env_remove("COLUMNS");
        command.stdin(Stdio::null());
        command
    }

    /// Runs `turnpost` with a command line, which is split at blanks.
    pub fn shell(&self, line: &str) -> Ran {
        self.program().args(line.split_whitespace()).output().unwrap().into()
    }

    /// Passes a raw message to `turnpost mail`. Returns the result of the run, which may be a failure.
    pub fn raw_mail(&self, raw: &[u8]) -> Ran {
        Server::raw_mail_to(self.program(), raw)
    }

    /// Like [`Server::raw_mail`], but runs `turnpost mail` with this prepared command.
    pub fn raw_mail_to(mut program: Command, raw: &[u8]) -> Ran {
        let mut child =
            program.arg("mail").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // If the program fails immediately, it does not read its input, and writing to it fails.
        if let Err(error) = child.stdin.take().unwrap().write_all(raw) {
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{error}");
        }
        child.wait_with_output().unwrap().into()
    }

    /// Composes a message with a new Message-ID.
    pub fn compose(&mut self, from: &str, subject: &str, text: &str) -> String {
        self.compose_with(from, subject, text, &json!({}))
    }

    /// Composes a message with a new Message-ID and additional headers. A `To` header replaces the server's address.
    pub fn compose_with(&mut self, from: &str, subject: &str, text: &str, headers: &Value) -> String {
        self.mails += 1;
        let id = format!("<mail-{}@example.org>", self.mails);
        mail::compose(from, subject, text, &id, headers)
    }

    /// Sends a message to the server. Returns the letters that the server then sends, sorted by recipient.
    pub fn mail(&mut self, from: &str, subject: &str, text: &str) -> Vec<Letter> {
        self.mail_with(from, subject, text, &json!({}))
    }

    /// Like [`Server::mail`], with additional headers.
    pub fn mail_with(&mut self, from: &str, subject: &str, text: &str, headers: &Value) -> Vec<Letter> {
        let mail = self.compose_with(from, subject, text, headers);
        let ran = self.raw_mail(mail.as_bytes());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
        self.letters()
    }

    /// Returns the letters delivered since the last call, sorted by recipient and Message-ID.
    pub fn letters(&mut self) -> Vec<Letter> {
        let outgoing = self.data().join("outgoing/new");
        let mut letters = Vec::new();
        if !outgoing.exists() {
            return letters;
        }
        for entry in std::fs::read_dir(outgoing).unwrap() {
            let path = entry.unwrap().path();
            if self.seen.insert(path.clone()) {
                let raw = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
                let letter = mail::read(&raw);
                for line in letter.text().lines() {
                    // A word that is longer than a line is not broken, so its line may be too wide.
                    assert!(line.chars().count() <= 78 || !line.trim().contains(' '), "{line:?} is too wide");
                }
                letters.push(letter);
            }
        }
        letters.sort_by_key(|letter| (letter.to().to_owned(), letter.id.clone()));
        letters
    }

    /// Runs a command line with `--json`, which must succeed, and returns its output.
    pub fn json(&self, line: &str) -> Value {
        let ran = self.shell(&format!("--json {line}"));
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Returns the hash of every move on a board.
    pub fn hashes(&self, board: u32) -> Vec<String> {
        let history = self.json(&format!("marque history {board}"));
        let moves = history["board"]["moves"].as_array().unwrap();
        moves.iter().map(|mv| mv["hash"].as_str().unwrap().to_owned()).collect()
    }
}
