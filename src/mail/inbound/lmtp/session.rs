//! One session. It turns received octets into replies and complete messages, and uses no socket, clock or store.
//!
//! [`Session::push`] adds received octets. The caller then calls [`Session::step`] until it returns `None`. After
//! [`Step::Store`], [`Session::step`] returns `None` until [`Session::stored`] reports whether the message is on disk,
//! so that pipelined commands are answered in order (RFC 2920).

use std::collections::VecDeque;

use super::input::{Data, DataError, InputLine, LineReader, Mailbox, Scanned, path};
use crate::mail::inbound::receive::MAX_MAIL;

/// The maximum number of octets of one command or message before the session ends. An oversized message is read to its
/// end up to this limit, because the peer reads the reply only then.
const MAX_OCTETS: usize = 64 * MAX_MAIL;

/// The limits of one session.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// The maximum number of octets of a message. A larger message is refused with 552.
    pub mail: usize,
    /// The maximum number of recipients of a message (RFC 5321, 4.5.3.1.8: at least 100); a further one is refused with
    /// 452.
    pub recipients: usize,
    /// The maximum number of refused commands. The session then ends with 421.
    pub errors: u32,
}

impl Default for SessionLimits {
    fn default() -> SessionLimits {
        SessionLimits { mail: MAX_MAIL, recipients: 100, errors: 100 }
    }
}

/// The caller's next action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send these lines, each with its CRLF.
    Reply(String),
    /// Store this message, and report through [`Session::stored`] whether it is on disk.
    Store(Mail),
    /// Log this sentence.
    Note(String),
    /// Send the remaining replies, and close the connection.
    Close,
}

/// A message that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The message. It begins with its only `Return-Path`, and with a `Delivered-To` for each recipient.
    pub raw: Vec<u8>,
}

/// One LMTP session.
#[derive(Debug)]
pub struct Session {
    own: Mailbox,
    limits: SessionLimits,
    lines: LineReader,
    steps: VecDeque<Step>,
    greeted: bool,
    envelope: Option<Envelope>,
    state: State,
    errors: u32,
}

#[derive(Debug)]
struct Envelope {
    sender: String,
    recipients: Vec<String>,
}

#[derive(Debug)]
enum State {
    Commands,
    Data { data: Data, recipients: usize },
    Storing { recipients: usize },
    Closed,
}

impl Session {
    /// Creates a session of the server with this mail address; its first reply is the greeting.
    pub fn new(address: &str, limits: SessionLimits) -> Session {
        let (local, domain) = address.rsplit_once('@').unwrap_or((address, "localhost"));
        let own = Mailbox { local: local.to_owned(), domain: Some(domain.to_owned()) };
        let greeting = Step::Reply(format!("220 {domain} LMTP turnpost\r\n"));
        let mut lines = LineReader::new();
        lines.grant(MAX_OCTETS);
        Session {
            own,
            limits,
            lines,
            steps: VecDeque::from([greeting]),
            greeted: false,
            envelope: None,
            state: State::Commands,
            errors: 0,
        }
    }

    /// Adds received octets.
    pub fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next step; `None` while more octets are needed or a message is being stored, and after the session
    /// has ended.
    pub fn step(&mut self) -> Option<Step> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Some(step);
            }
            if matches!(self.state, State::Storing { .. } | State::Closed) {
                return None;
            }
            match self.lines.scan() {
                Some(Scanned::Line(line)) => self.line(line),
                Some(Scanned::Flood) => self.close("421 4.3.4 The command or message is far too long."),
                // The incomplete line contains a bare CR or LF. The peer may never send CR LF, and it is unclear where
                // the next command begins.
                None if matches!(self.state, State::Commands) && self.lines.is_bare() => self.bare_command(),
                None => return None,
            }
        }
    }

    /// Reports whether the message of the last [`Step::Store`] is on disk.
    pub fn stored(&mut self, stored: bool) {
        let State::Storing { recipients } = self.state else { return };
        self.state = State::Commands;
        self.lines.grant(MAX_OCTETS);
        let text =
            if stored { "250 2.0.0 Stored." } else { "451 4.3.0 The message could not be stored; try again later." };
        self.reply_each(recipients, text);
    }

    fn line(&mut self, line: InputLine) {
        let State::Data { data, .. } = &mut self.state else { return self.command(&line) };
        // Only a line with a single dot ends the message. The text of a truncated line, or of a line with a bare LF, is
        // longer.
        if line.text != b"." {
            return data.line(&line);
        }
        let State::Data { data, recipients } = std::mem::replace(&mut self.state, State::Commands) else { return };
        self.lines.grant(MAX_OCTETS);
        let error = match data.finish() {
            Ok(raw) => {
                self.state = State::Storing { recipients };
                return self.steps.push_back(Step::Store(Mail { raw }));
            }
            Err(error) => error,
        };
        self.note(format!("a message was refused: {error:?}"));
        let text = match error {
            DataError::TooLarge => "552 5.3.4 The message is too large.",
            DataError::LongLine => "554 5.6.0 A line of the message is longer than 1,000 octets.",
            DataError::BareLineEnd => "554 5.6.0 The message contains a bare CR or LF.",
            DataError::Folded => "554 5.6.0 The message begins with a folded line.",
        };
        self.reply_each(recipients, text);
    }

    fn command(&mut self, line: &InputLine) {
        self.lines.grant(MAX_OCTETS);
        if line.bare {
            return self.bare_command();
        }
        if line.too_long {
            return self.refuse("500 5.5.2 The line is too long.");
        }
        let plain = line.text.iter().all(|byte| matches!(byte, b' '..=b'~'));
        let (true, Ok(text)) = (plain, std::str::from_utf8(&line.text)) else {
            return self.refuse("500 5.5.2 A command must be printable ASCII.");
        };
        let (verb, argument) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), ""));
        match verb.to_ascii_uppercase().as_str() {
            "LHLO" => self.lhlo(argument),
            "HELO" | "EHLO" => self.refuse("500 5.5.1 This is LMTP; use LHLO."),
            "MAIL" => self.mail(argument),
            "RCPT" => self.rcpt(argument),
            "DATA" | "RSET" | "QUIT" if !argument.is_empty() => self.refuse("501 5.5.4 The command takes no argument."),
            "DATA" => self.data(),
            "RSET" => {
                self.envelope = None;
                self.reply("250 2.0.0 Forgotten.");
            }
            "NOOP" => self.reply("250 2.0.0 OK."),
            "VRFY" => self.reply("252 2.5.0 Users are not verified; send the message."),
            "HELP" => self.reply("214 2.0.0 RFC 2033."),
            "QUIT" => self.close("221 2.0.0 Goodbye."),
            "EXPN" | "ETRN" | "TURN" | "AUTH" | "STARTTLS" | "BDAT" => {
                self.refuse("502 5.5.1 The command is not implemented.");
            }
            _ => self.refuse("500 5.5.2 Unknown command."),
        }
    }

    fn lhlo(&mut self, name: &str) {
        if name.is_empty() || name.contains(' ') {
            return self.refuse("501 5.5.4 LHLO requires the name of the client.");
        }
        (self.greeted, self.envelope) = (true, None);
        let domain = self.own.domain.as_deref().unwrap_or_default();
        let size = self.limits.mail;
        let text =
            format!("250-{domain}\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 SIZE {size}\r\n");
        self.steps.push_back(Step::Reply(text));
    }

    fn mail(&mut self, argument: &str) {
        if !self.greeted {
            return self.refuse("503 5.5.1 Say LHLO first.");
        }
        if self.envelope.is_some() {
            return self.refuse("503 5.5.1 The sender is already set.");
        }
        let Some(path) = after(argument, "FROM:").and_then(path) else {
            return self.refuse("501 5.1.7 Invalid sender address.");
        };
        if path.mailbox.as_ref().is_some_and(|mailbox| mailbox.domain.is_none()) {
            return self.refuse("501 5.1.7 The sender address lacks a domain.");
        }
        let (mut size, mut body) = (None, None);
        for param in path.params {
            let (name, value) = param.split_once('=').unwrap_or((param, ""));
            match name.to_ascii_uppercase().as_str() {
                "SIZE" if size.is_none() => {
                    let digits = !value.is_empty() && value.len() <= 20 && value.bytes().all(|b| b.is_ascii_digit());
                    if !digits {
                        return self.refuse("501 5.5.4 SIZE takes a number.");
                    }
                    // A number that overflows is also too large.
                    size = Some(value.parse().unwrap_or(usize::MAX));
                }
                "BODY" if body.is_none() => {
                    if !["7BIT", "8BITMIME"].iter().any(|known| value.eq_ignore_ascii_case(known)) {
                        return self.refuse("501 5.5.4 BODY is 7BIT or 8BITMIME.");
                    }
                    body = Some(());
                }
                "SIZE" | "BODY" => return self.refuse("501 5.5.4 A parameter is repeated."),
                // SMTPUTF8 is not supported: no answer could be sent to a non-ASCII address.
                "SMTPUTF8" => return self.refuse("555 5.6.7 SMTPUTF8 is not supported."),
                _ => return self.refuse("555 5.5.4 A parameter is not supported."),
            }
        }
        if size.is_some_and(|size| size > self.limits.mail) {
            self.note(format!("a message of <{}> was refused: SIZE", path.written));
            return self.refuse("552 5.3.4 The message is too large.");
        }
        self.envelope = Some(Envelope { sender: path.written.to_owned(), recipients: Vec::new() });
        self.reply("250 2.1.0 Go on.");
    }

    fn rcpt(&mut self, argument: &str) {
        let most = self.limits.recipients;
        let Some(envelope) = &mut self.envelope else {
            return self.refuse("503 5.5.1 Say MAIL first.");
        };
        let Some(path) = after(argument, "TO:").and_then(path) else {
            return self.refuse("501 5.1.3 Invalid recipient address.");
        };
        let Some(mailbox) = path.mailbox else {
            return self.refuse("501 5.1.3 The recipient must not be empty.");
        };
        if !path.params.is_empty() {
            return self.refuse("555 5.5.4 A parameter is not supported.");
        }
        if !is_for(&mailbox, &self.own) {
            self.note(format!("<{}> is not this server's address", path.written));
            return self.refuse("550 5.1.1 No such mailbox.");
        }
        if envelope.recipients.len() >= most {
            return self.refuse("452 4.5.3 Too many recipients.");
        }
        envelope.recipients.push(path.written.to_owned());
        self.reply("250 2.1.5 Go on.");
    }

    fn data(&mut self) {
        match self.envelope.take() {
            Some(Envelope { sender, recipients }) if !recipients.is_empty() => {
                let data = Data::new(&sender, &recipients, self.limits.mail);
                self.state = State::Data { data, recipients: recipients.len() };
                self.reply("354 Send the message; end it with a dot on a separate line.");
            }
            envelope => {
                self.envelope = envelope;
                self.refuse("503 5.5.1 A valid recipient is required first.");
            }
        }
    }

    fn bare_command(&mut self) {
        self.note("a command contained a bare CR or LF".to_owned());
        self.close("500 5.5.2 Lines must end with CR LF.");
    }

    fn reply(&mut self, text: &str) {
        self.steps.push_back(Step::Reply(format!("{text}\r\n")));
    }

    /// Sends one reply for each recipient (RFC 2033, 4.2).
    fn reply_each(&mut self, recipients: usize, text: &str) {
        for _ in 0..recipients {
            self.reply(text);
        }
    }

    /// Refuses a command, and ends the session after too many refusals.
    fn refuse(&mut self, text: &str) {
        self.reply(text);
        self.errors += 1;
        if self.errors >= self.limits.errors {
            self.note("a session ended after too many errors".to_owned());
            self.close("421 4.7.0 Too many errors.");
        }
    }

    fn note(&mut self, text: String) {
        self.steps.push_back(Step::Note(text));
    }

    fn close(&mut self, text: &str) {
        self.reply(text);
        self.steps.push_back(Step::Close);
        self.state = State::Closed;
    }
}

/// Returns the argument after `FROM:` or `TO:`, in any case.
fn after<'a>(argument: &'a str, word: &str) -> Option<&'a str> {
    let start = argument.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| &argument[word.len()..])
}

/// Returns whether this is the server's own address, with any extension and with or without its domain.
fn is_for(mailbox: &Mailbox, own: &Mailbox) -> bool {
    let same_domain = match (&mailbox.domain, &own.domain) {
        (Some(domain), Some(own)) => domain.eq_ignore_ascii_case(own),
        _ => true,
    };
    let rest = mailbox.local.get(own.local.len()..).unwrap_or("-");
    let same_local = mailbox.local.get(..own.local.len()).is_some_and(|local| local.eq_ignore_ascii_case(&own.local));
    same_domain && same_local && (rest.is_empty() || rest.starts_with('+'))
}
