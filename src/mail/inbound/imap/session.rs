//! Commands and their answers, and the wait for new mail.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use imap_next::client::{Client, Error, Event, Options};
use imap_next::imap_types::command::{Command, CommandBody};
use imap_next::imap_types::core::Tag;
use imap_next::imap_types::response::{Capability, Code, Data, GreetingKind, Status, StatusBody, StatusKind};
use imap_next::{Interrupt, Io, State as _};

use super::trouble::Trouble;
use super::wire::Wire;
use crate::mail::inbound::MAX_MAIL;
use crate::world::World;

/// How long a server may take over a command.
const ANSWER: TimeDelta = TimeDelta::minutes(2);
/// How long IDLE is left alone. RFC 2177 wants less than 29 minutes; but many a router forgets a silent connection
/// sooner, and until then no mail would be heard of.
const IDLE: TimeDelta = TimeDelta::minutes(9);
/// The longest response, in octets: a mail and its frame.
const RESPONSE: u32 = MAX_MAIL as u32 + 64 * 1024;
/// The most octets that are listened to while one command is answered, and during one IDLE.
const ALLOWANCE: usize = 4 * MAX_MAIL;
/// The most responses that are kept of an answer.
const RESPONSES: usize = 1_000;

/// A conversation with a server.
pub(super) struct Session {
    client: Client,
    wire: Wire,
    world: World,
    tags: u32,
    /// What must not be in the log, whoever says it.
    secret: Option<String>,
    /// Whether the server has told of new mail since this was last set to false.
    pub(super) news: bool,
}

/// What a command came to.
pub(super) struct Answer {
    pub(super) kind: StatusKind,
    pub(super) code: Option<Code<'static>>,
    /// The server's words, fit for the log.
    pub(super) text: String,
    /// The capabilities, numbers and mails that were told.
    pub(super) data: Vec<Data<'static>>,
    /// What was told about the mailbox.
    pub(super) codes: Vec<Code<'static>>,
}

impl Answer {
    pub(super) fn is_ok(&self) -> bool {
        self.kind == StatusKind::Ok
    }

    /// The answer, if it is a good one.
    pub(super) fn ok(self, command: &str) -> Result<Answer, Trouble> {
        if self.is_ok() {
            return Ok(self);
        }
        Err(Trouble::temporary(format!("the server refuses {command}: {}", self.text)))
    }

    /// Whether a refusal is only a server's passing trouble (RFC 5530, section 3).
    pub(super) fn may_pass(&self) -> bool {
        let Some(Code::Other(code)) = &self.code else { return false };
        ["UNAVAILABLE", "INUSE", "SERVERBUG", "LIMIT"]
            .iter()
            .any(|known| code.inner().to_ascii_uppercase().starts_with(known.as_bytes()))
    }
}

/// What a server can do besides RFC 3501.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capabilities {
    /// IDLE (RFC 2177).
    pub(super) idle: bool,
    /// UID MOVE (RFC 6851).
    pub(super) moves: bool,
    /// UID EXPUNGE (RFC 4315).
    pub(super) uidplus: bool,
    /// It does not take LOGIN, or not yet.
    pub(super) no_login: bool,
}

/// What was heard.
enum Heard {
    Event(Event),
    /// A response that is none, or too long.
    Malformed(Box<[u8]>),
    /// It is too late.
    Nothing,
}

/// How long is listened, and to how much.
struct Bounds {
    end: DateTime<Utc>,
    octets: usize,
}

impl Session {
    /// Goes on where the greeting has been heard before, as after STARTTLS; whatever was said before that is forgotten
    /// (CVE-2011-0411).
    pub(super) fn greeted(wire: Wire, world: World) -> Session {
        let mut options = Options::default();
        (options.max_response_size, options.discard_greeting) = (RESPONSE, true);
        Session { client: Client::new(options), wire, world, tags: 0, secret: None, news: false }
    }

    /// Waits for the greeting.
    pub(super) fn begin(wire: Wire, world: World) -> Result<Session, Trouble> {
        let mut options = Options::default();
        options.max_response_size = RESPONSE;
        let mut session = Session { client: Client::new(options), ..Session::greeted(wire, world) };
        let mut bounds = session.bounds(ANSWER);
        match session.hear(&mut bounds)? {
            Heard::Event(Event::GreetingReceived { greeting }) => match greeting.kind {
                GreetingKind::Ok => Ok(session),
                // Who is logged in before TLS talks to nobody knows whom (RFC 9051, 7.1.4).
                GreetingKind::PreAuth => Err(Trouble::permanent("the server takes us for somebody without a login")),
                GreetingKind::Bye => Err(session.farewell(greeting.text.inner())),
            },
            Heard::Nothing => Err(Trouble::temporary("the server does not greet")),
            _ => Err(Trouble::temporary("the server's greeting is not IMAP's; is the port right, and tls?")),
        }
    }

    /// The socket, to go on by TLS.
    pub(super) fn into_wire(self) -> Wire {
        self.wire
    }

    /// Keeps this out of whatever is said about the server's words.
    pub(super) fn hide(&mut self, secret: &str) {
        self.secret = Some(secret.to_owned()).filter(|secret| !secret.is_empty());
    }

    /// Says a command and waits for its end.
    pub(super) fn run(&mut self, body: CommandBody<'static>) -> Result<Answer, Trouble> {
        let tag = self.enqueue(body);
        let mut bounds = self.bounds(ANSWER);
        let (mut data, mut codes) = (Vec::new(), Vec::new());
        loop {
            let status = match self.hear(&mut bounds)? {
                Heard::Nothing => return Err(Trouble::temporary("the server does not answer")),
                Heard::Malformed(bytes) => match malformed_end(&bytes, &tag) {
                    Some((kind, text)) => {
                        return Ok(Answer { kind, code: None, text: self.fit(&text), data, codes });
                    }
                    None => continue,
                },
                Heard::Event(Event::DataReceived { data: one }) => {
                    match one {
                        Data::Exists(_) => self.news = true,
                        Data::Capability(_) | Data::Search(..) | Data::Fetch { .. } => data.push(one),
                        _ => {}
                    }
                    None
                }
                Heard::Event(Event::StatusReceived { status } | Event::CommandRejected { status, .. }) => Some(status),
                Heard::Event(_) => None,
            };
            match status {
                Some(Status::Tagged(tagged)) if tagged.tag == tag => {
                    let StatusBody { kind, code, text } = tagged.body;
                    return Ok(Answer { kind, code, text: self.fit(text.inner()), data, codes });
                }
                Some(Status::Untagged(StatusBody { code: Some(code), .. })) => codes.push(code),
                Some(Status::Bye(bye)) => return Err(self.farewell(bye.text.inner())),
                _ => {}
            }
            if data.len() + codes.len() > RESPONSES {
                return Err(Trouble::temporary("the server answers what was not asked"));
            }
        }
    }

    pub(super) fn capabilities(&mut self) -> Result<Capabilities, Trouble> {
        let answer = self.run(CommandBody::Capability)?.ok("CAPABILITY")?;
        let told: Vec<&Capability> = answer
            .data
            .iter()
            .filter_map(|data| if let Data::Capability(told) = data { Some(told.as_ref()) } else { None })
            .flatten()
            .collect();
        let can = |capability: &Capability| told.contains(&capability);
        Ok(Capabilities {
            idle: can(&Capability::Idle),
            moves: can(&Capability::Move),
            uidplus: can(&Capability::UidPlus),
            no_login: can(&Capability::LoginDisabled),
        })
    }

    /// Waits by IDLE (RFC 2177) until the server tells of new mail, or for [`IDLE`]. False when it will not have it.
    pub(super) fn idle(&mut self) -> Result<bool, Trouble> {
        let tag = self.enqueue(CommandBody::Idle);
        let mut bounds = self.bounds(IDLE);
        let mut done = false;
        loop {
            match self.hear(&mut bounds)? {
                Heard::Nothing if done => return Err(Trouble::temporary("the server does not answer")),
                Heard::Nothing if self.client.set_idle_done().is_none() => {
                    return Err(Trouble::temporary("the server neither accepts nor refuses IDLE"));
                }
                Heard::Nothing => (done, bounds) = (true, self.bounds(ANSWER)),
                Heard::Malformed(_) => {}
                Heard::Event(Event::DataReceived { data: Data::Exists(_) }) => self.news = true,
                Heard::Event(Event::IdleRejected { .. }) => return Ok(false),
                Heard::Event(Event::StatusReceived { status: Status::Bye(bye) }) => {
                    return Err(self.farewell(bye.text.inner()));
                }
                Heard::Event(Event::StatusReceived { status: Status::Tagged(tagged) }) if tagged.tag == tag => {
                    return Ok(true);
                }
                Heard::Event(_) => {}
            }
            // Told of before IDLE was accepted, it is remembered until then.
            if self.news && !done && self.client.set_idle_done().is_some() {
                (done, bounds) = (true, self.bounds(ANSWER));
            }
        }
    }

    fn enqueue(&mut self, body: CommandBody<'static>) -> Tag<'static> {
        self.tags += 1;
        let tag = Tag::try_from(format!("T{}", self.tags)).expect("a letter and a number are a tag");
        self.client.enqueue_command(Command { tag: tag.clone(), body });
        tag
    }

    fn bounds(&self, time: TimeDelta) -> Bounds {
        Bounds { end: (self.world.now)() + time, octets: ALLOWANCE }
    }

    /// Sends what is to be sent, and listens until something is understood.
    fn hear(&mut self, bounds: &mut Bounds) -> Result<Heard, Trouble> {
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.client.next() {
                Ok(event) => return Ok(Heard::Event(event)),
                Err(Interrupt::Io(Io::Output(bytes))) => self.wire.write(&bytes)?,
                Err(Interrupt::Io(Io::NeedMoreInput)) => {
                    let left = (bounds.end - (self.world.now)()).to_std().unwrap_or(Duration::ZERO);
                    if left.is_zero() {
                        return Ok(Heard::Nothing);
                    }
                    let Some(octets) = self.wire.read(&mut buffer, left)? else { continue };
                    bounds.octets = bounds
                        .octets
                        .checked_sub(octets)
                        .ok_or_else(|| Trouble::temporary("the server does not stop talking"))?;
                    self.client.enqueue_input(&buffer[..octets]);
                }
                Err(Interrupt::Error(
                    Error::ExpectedCrlfGotLf { discarded_bytes }
                    | Error::MalformedMessage { discarded_bytes }
                    | Error::ResponseTooLong { discarded_bytes },
                )) => return Ok(Heard::Malformed(discarded_bytes.declassify().clone())),
            }
        }
    }

    fn farewell(&self, text: &str) -> Trouble {
        Trouble::temporary(format!("the server ends the session: {}", self.fit(text)))
    }

    /// A server's words for the log.
    fn fit(&self, text: &str) -> String {
        let text = self.secret.as_ref().map_or(text.to_owned(), |secret| text.replace(secret.as_str(), "***"));
        crate::text::line(&text).chars().take(300).collect()
    }
}

/// The end of a command that is not quite IMAP, as with words that are not ASCII.
fn malformed_end(bytes: &[u8], tag: &Tag<'static>) -> Option<(StatusKind, String)> {
    let text = String::from_utf8_lossy(bytes);
    let (kind, text) = text.strip_prefix(tag.inner())?.strip_prefix(' ')?.split_once(' ')?;
    let kind = match kind.to_ascii_uppercase().as_str() {
        "OK" => StatusKind::Ok,
        "NO" => StatusKind::No,
        "BAD" => StatusKind::Bad,
        _ => return None,
    };
    Some((kind, text.to_owned()))
}
