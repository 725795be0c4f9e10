//! Shared code of the benches that use mail: a mail server that accepts letters, and a function that fills a server
//! with new boards.

#![allow(dead_code, reason = "each bench uses a part of it")]

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use turnpost::command::{self, MailForm, Settings};
use turnpost::config::Config;
use turnpost::service::{Origin, Passwords, Request};
use turnpost::store::{self, Location};
use turnpost::world::World;

use crate::common::serving::Peer;
use crate::common::{Letter, Server};

pub const ADDRESS: &str = "turnpost@games.example";

/// An SMTP server that accepts every letter.
pub struct Sink {
    pub port: u16,
    letters: Arc<Mutex<Vec<String>>>,
}

impl Sink {
    pub fn start() -> Sink {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, letters) = (listener.local_addr().unwrap().port(), Arc::default());
        let taken = Arc::clone(&letters);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let taken = Arc::clone(&taken);
                std::thread::spawn(move || drop(take_letters(stream.unwrap(), &taken)));
            }
        });
        Sink { port, letters }
    }

    /// Returns the number of letters to players that were accepted since the last call of `take`.
    pub fn count(&self) -> usize {
        self.letters.lock().unwrap().len()
    }

    /// Returns the letters to players that were accepted since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.letters.lock().unwrap())
    }
}

/// Answers an SMTP client. Sends the replies to pipelined commands together, like mail servers (RFC 2920).
fn take_letters(stream: TcpStream, letters: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let (mut replies, mut lines) = (BufWriter::new(stream.try_clone()?), BufReader::new(stream));
    replies.write_all(b"220 sink\r\n")?;
    let (mut line, mut to_player) = (String::new(), false);
    loop {
        if lines.buffer().is_empty() {
            replies.flush()?;
        }
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line.starts_with("RCPT") {
            to_player = line.contains("@example.org>");
        }
        let reply = match line.get(..4).unwrap_or_default() {
            "DATA" => {
                replies.write_all(b"354 go on\r\n")?;
                replies.flush()?;
                let letter = take_text(&mut lines)?;
                // Answers to strangers are not counted.
                if to_player {
                    letters.lock().unwrap().push(letter);
                }
                "250 taken"
            }
            "EHLO" => "250-sink\r\n250-PIPELINING\r\n250 8BITMIME",
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        write!(replies, "{reply}\r\n")?;
    }
}

/// Reads the text of a letter up to the line that contains only a dot.
fn take_text(lines: &mut impl BufRead) -> std::io::Result<String> {
    let (mut letter, mut line) = (String::new(), String::new());
    while lines.read_line(&mut line)? > 0 && line != ".\r\n" {
        letter += line.strip_prefix('.').unwrap_or(&line);
        line.clear();
    }
    Ok(letter)
}

/// Returns the configuration: mail arrives by LMTP, and letters are sent to the sink.
pub fn config(server: &Server, sink: &Sink) -> String {
    format!(
        "address = \"{ADDRESS}\"\n[receive]\nlmtp = \"unix:{}\"\n\
         [transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n",
        server.data().join("lmtp.sock").display(),
        sink.port
    )
}

/// Signs up two players for each board, and creates a challenge between them. No player has two boards, so each letter
/// is about one board.
pub fn fill(server: &Server, boards: usize, password_hash: &str, form: MailForm) {
    let file = || Location::File(server.data().join("turnpost.db"));
    let location = server.database().map_or_else(file, |database| database.location());
    let mut store = store::open(&location, World::REAL).unwrap();
    let config = Config::default();
    let (service, now) = (config.service(World::REAL), (World::REAL.now)());
    let mut tx = store.write().unwrap();
    for n in 0..boards {
        for userid in [format!("first{n}"), format!("second{n}")] {
            let player = tx.add_player(&userid, password_hash, now).unwrap();
            tx.add_address(player, &format!("{userid}@example.org"), None, now).unwrap();
            tx.set_settings(player, &Settings { mail: form, ..Settings::default() }).unwrap();
        }
        let line = command::parse(&format!("brique challenge first{n} second{n}")).unwrap();
        let request = Request { line, from: Origin::Shell { password: None }, comment: None, client: None, now };
        service.answer(&mut tx, &request, &Passwords::default()).unwrap().unwrap();
    }
    tx.commit().unwrap();
}

/// A message with its recipient address.
pub type Mail = (String, String);

/// Returns a reply to a letter. It contains a move, and the quoted letter below the move, as mail programs write it.
pub fn answer(letter: &Letter, text: &str, id: usize) -> Mail {
    let quoted: String = letter.text().lines().map(|line| format!("> {line}\r\n")).collect();
    let (from, subject) = (letter.to(), &letter.subject);
    let to = letter.reply_to().rsplit_once('<').unwrap().1.trim_end_matches('>').to_owned();
    let mail = format!(
        "From: Somebody <{from}>\r\nTo: <{to}>\r\nSubject: Re: {subject}\r\nMessage-ID: <{id}@example.org>\r\n\r\n\
         {text}\r\n\r\n{quoted}"
    );
    (to, mail)
}

/// Waits until `look` returns true. Sleeps between the checks, so that the measured program can use the processor.
pub fn wait(mut look: impl FnMut() -> bool) {
    while !look() {
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Delivers a message like mail servers do: commands before its text are pipelined (RFC 2920).
pub fn deliver(peer: &mut Peer, (to, mail): &Mail) {
    peer.send(format!("MAIL FROM:<alice@example.org>\r\nRCPT TO:<{to}>\r\nDATA\r\n").as_bytes());
    for code in ["250 ", "250 ", "354 "] {
        assert!(peer.reply().starts_with(code));
    }
    peer.send(format!("{}\r\n.\r\n", mail.replace("\r\n.", "\r\n..")).as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
}
