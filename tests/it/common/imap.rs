//! A scripted IMAP server.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::Server;
use super::serving::{Serving, wait_until};

/// The answer to CAPABILITY.
pub const CAPABILITIES: &str = "* CAPABILITY IMAP4rev1 IDLE MOVE UIDPLUS\r\n";

/// An IMAP server whose replies each test chooses.
pub struct Fake {
    listener: TcpListener,
}

impl Fake {
    pub fn new() -> Fake {
        Fake { listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    /// Returns a turnpost configuration that reads mail from this IMAP server. The password file contains `sesame`.
    pub fn config(&self, server: &Server) -> String {
        std::fs::write(server.data().join("imap-password"), "sesame\nnot this").unwrap();
        let port = self.listener.local_addr().unwrap().port();
        format!(
            "[receive.imap]\nhost = \"127.0.0.1\"\nport = {port}\ntls = \"none\"\nuser = \"turnpost\"\npassword_file = \
             \"imap-password\"\n"
        )
    }

    pub fn serving(&self, server: &Server) -> Serving {
        Serving::start(server, &self.config(server))
    }

    /// Accepts the next connection from turnpost. Panics if turnpost does not connect in time.
    pub fn accept(&self) -> Talk {
        self.listener.set_nonblocking(true).unwrap();
        let (stream, _) = wait_until("turnpost to connect", || self.listener.accept().ok());
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Talk { lines: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    /// Accepts a connection, and replies to all commands before the search of the mailbox.
    pub fn opened(&self) -> Talk {
        let mut talk = self.accept();
        talk.say("* OK hello\r\n");
        talk.reply("CAPABILITY", CAPABILITIES, "OK");
        talk.reply("LOGIN turnpost sesame", "", "OK");
        talk.reply("CAPABILITY", CAPABILITIES, "OK");
        talk.reply("SELECT INBOX", "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n", "OK [READ-WRITE]");
        talk.reply("STATUS Turnpost", "", "OK");
        talk
    }
}

/// A connection from turnpost.
pub struct Talk {
    pub stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Talk {
    pub fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// Returns the next line without its line break, or an empty string if the connection has ended.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        let _ = self.lines.read_line(&mut line);
        line.trim_end().to_owned()
    }

    /// Reads the next command, which must begin with this text, and returns its tag.
    pub fn command(&mut self, begins: &str) -> String {
        let line = self.hear();
        let (tag, command) = line.split_once(' ').unwrap_or_default();
        assert!(command.starts_with(begins), "expected {begins:?}, not {line:?}");
        tag.to_owned()
    }

    /// Reads the next command, which must begin with `begins`, and replies with these lines and a status such as `OK`.
    pub fn reply(&mut self, begins: &str, lines: &str, end: &str) {
        let tag = self.command(begins);
        self.say(&format!("{lines}{tag} {end} done\r\n"));
    }

    /// Replies to the commands with which turnpost fetches a message and marks it as read.
    pub fn give(&mut self, uid: u32, mail: &str) {
        let size = mail.len();
        self.reply(&format!("UID FETCH {uid} "), &format!("* 1 FETCH (UID {uid} RFC822.SIZE {size})\r\n"), "OK");
        self.reply(
            &format!("UID FETCH {uid} "),
            &format!("* 1 FETCH (UID {uid} BODY[]<0> {{{size}}}\r\n{mail})\r\n"),
            "OK",
        );
        self.reply(&format!("UID STORE {uid} +FLAGS.SILENT (\\Seen)"), "", "OK");
    }

    /// Replies to IDLE, and announces new mail.
    pub fn wake(&mut self) {
        let tag = self.command("IDLE");
        self.say("+ waiting\r\n* 1 EXISTS\r\n");
        assert_eq!(self.hear(), "DONE");
        self.say(&format!("{tag} OK done\r\n"));
    }
}
