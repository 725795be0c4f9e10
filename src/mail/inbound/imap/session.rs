//! Sends commands, reads their responses, and waits for new mail.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use imap_next::client::{Client, Error, Event, Options};
use imap_next::imap_types::auth::{AuthMechanism, AuthenticateData};
use imap_next::imap_types::command::{Command, CommandBody};
use imap_next::imap_types::core::Tag;
use imap_next::imap_types::response::{
    Capability, Code, CommandContinuationRequest, Data, GreetingKind, Status, StatusBody, StatusKind,
};
use imap_next::{Interrupt, Io, State as _};

use super::connection::{Connection, ImapError};
use crate::mail::inbound::receive::MAX_MAIL;
use crate::world::{Deadline, World};

/// How long a server may take to execute a command.
const RESPONSE_TIME: TimeDelta = TimeDelta::minutes(2);
/// How long one IDLE lasts. RFC 2177 recommends less than 29 minutes, but many routers drop a silent connection sooner,
/// and new mail would then remain unnoticed.
const IDLE_TIME: TimeDelta = TimeDelta::minutes(9);
/// The longest response in octets: the longest message, and the protocol's data around it.
const MAX_RESPONSE: u32 = MAX_MAIL as u32 + 64 * 1024;
/// The maximum number of octets to receive for one command or one IDLE.
const MAX_RECEIVED: usize = 4 * MAX_MAIL;
/// The maximum number of responses to hold for one command.
const MAX_RESPONSES: usize = 1_000;

pub(crate) struct Session {
    client: Client,
    connection: Connection,
    world: World,
    tags: u32,
    /// Texts that must not be logged, even if the server sends them.
    secrets: Vec<String>,
    /// Whether the server has announced new mail since this flag was last reset.
    pub(crate) new_mail: bool,
}

pub(crate) struct CommandResponse {
    /// The tagged response: OK, NO or BAD.
    pub(crate) kind: StatusKind,
    /// The response code of the tagged response.
    pub(crate) code: Option<Code<'static>>,
    /// The server's text, sanitised for the log.
    pub(crate) text: String,
    /// The capabilities, search results and messages in the untagged responses.
    pub(crate) data: Vec<Data<'static>>,
    /// The response codes of the untagged responses.
    pub(crate) codes: Vec<Code<'static>>,
}

impl CommandResponse {
    /// Returns whether the command was completed.
    pub(crate) fn is_ok(&self) -> bool {
        self.kind == StatusKind::Ok
    }

    /// Returns the responses, or an error if the command was not completed.
    pub(crate) fn ok(self, command: &str) -> Result<CommandResponse, ImapError> {
        if self.is_ok() {
            return Ok(self);
        }
        Err(ImapError::temporary(format!("the server refuses {command}: {}", self.text)))
    }

    /// Returns the error for a refusal; most refusals are permanent.
    pub(crate) fn refusal(&self, text: String) -> ImapError {
        if self.is_temporary() { ImapError::Temporary(text) } else { ImapError::Permanent(text) }
    }

    pub(crate) fn login_refusal(&self, text: String) -> ImapError {
        if self.is_temporary() { ImapError::Temporary(text) } else { ImapError::LoginRefused(text) }
    }

    /// Returns whether a refusal is temporary (RFC 5530, section 3).
    fn is_temporary(&self) -> bool {
        let Some(Code::Other(code)) = &self.code else { return false };
        ["UNAVAILABLE", "INUSE", "SERVERBUG", "LIMIT"]
            .iter()
            .any(|known| code.inner().to_ascii_uppercase().starts_with(known.as_bytes()))
    }
}

/// The extensions that a server supports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capabilities {
    /// IDLE (RFC 2177).
    pub(crate) idle: bool,
    /// UID MOVE (RFC 6851).
    pub(crate) uid_move: bool,
    /// UID EXPUNGE (RFC 4315).
    pub(crate) uidplus: bool,
    /// LOGIN is disabled, possibly only until TLS is started.
    pub(crate) login_disabled: bool,
    /// An initial response with AUTHENTICATE (RFC 4959).
    pub(crate) initial_response: bool,
    /// AUTHENTICATE XOAUTH2.
    pub(crate) xoauth2: bool,
    /// AUTHENTICATE OAUTHBEARER (RFC 7628).
    pub(crate) oauthbearer: bool,
}

/// The result of waiting for data from the server.
enum Received {
    Event(Event),
    /// A malformed or overlong response.
    Malformed(Box<[u8]>),
    /// The time limit was reached.
    Nothing,
}

/// The limits of one command or one IDLE: the time, and the number of octets that may still be received.
struct Bounds {
    time: TimeDelta,
    end: DateTime<Utc>,
    /// The time limit on the monotonic clock, because the system clock may be set back.
    until: Deadline,
    octets: usize,
}

impl Session {
    /// Creates a session after STARTTLS, without a greeting. Data that the server sent before TLS is discarded
    /// (CVE-2011-0411).
    pub(crate) fn resume(connection: Connection, world: World) -> Session {
        let mut options = Options::default();
        (options.max_response_size, options.discard_greeting) = (MAX_RESPONSE, true);
        Session { client: Client::new(options), connection, world, tags: 0, secrets: Vec::new(), new_mail: false }
    }

    /// Creates a session, and waits for the greeting.
    pub(crate) fn begin(connection: Connection, world: World) -> Result<Session, ImapError> {
        let mut options = Options::default();
        options.max_response_size = MAX_RESPONSE;
        let mut session = Session { client: Client::new(options), ..Session::resume(connection, world) };
        let mut bounds = session.bounds(RESPONSE_TIME);
        match session.receive(&mut bounds)? {
            Received::Event(Event::GreetingReceived { greeting }) => match greeting.kind {
                GreetingKind::Ok => Ok(session),
                // A session authenticated before TLS may belong to an attacker (RFC 9051, 7.1.4).
                GreetingKind::PreAuth => {
                    Err(ImapError::permanent("the server sent PREAUTH, as if the session were already logged in"))
                }
                GreetingKind::Bye => Err(session.bye(greeting.text.inner())),
            },
            Received::Nothing => Err(ImapError::temporary("the server did not send a greeting")),
            _ => Err(ImapError::temporary("the server did not send an IMAP greeting; check port and tls")),
        }
    }

    /// Returns the connection, so that the caller can switch it to TLS.
    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }

    /// Removes these secrets from the server's texts.
    pub(crate) fn hide(&mut self, secrets: Vec<String>) {
        self.secrets = secrets;
        self.secrets.retain(|secret| !secret.is_empty());
    }

    /// Sends a command and waits for its tagged response.
    pub(crate) fn run(&mut self, body: CommandBody<'static>) -> Result<CommandResponse, ImapError> {
        self.converse(body, &mut |_| AuthenticateData::Cancel)
    }

    /// Authenticates with this mechanism and initial response. Before a refusal, the server may send an error as a
    /// challenge, which is answered with `after_error` and added to the text of the refusal.
    pub(crate) fn authenticate(
        &mut self,
        mechanism: AuthMechanism<'static>,
        response: &str,
        after_error: &str,
        initial: bool,
    ) -> Result<CommandResponse, ImapError> {
        let (mut error, mut is_answered) = (None, initial);
        let mut answer = |challenge: CommandContinuationRequest<'_>| {
            if !std::mem::replace(&mut is_answered, true) {
                return AuthenticateData::r#continue(response.as_bytes().to_vec());
            }
            if error.is_some() {
                return AuthenticateData::Cancel;
            }
            error = Some(match challenge {
                CommandContinuationRequest::Base64(text) => String::from_utf8_lossy(&text).into_owned(),
                CommandContinuationRequest::Basic(basic) => basic.text().to_string(),
            });
            AuthenticateData::r#continue(after_error.as_bytes().to_vec())
        };
        let command = match initial {
            true => CommandBody::authenticate_with_ir(mechanism, response.as_bytes().to_vec()),
            false => CommandBody::authenticate(mechanism),
        };
        let mut end = self.converse(command, &mut answer)?;
        if let Some(error) = error.filter(|error| !error.is_empty()) {
            end.text = format!("{} ({})", end.text, self.cleaned(&error));
        }
        Ok(end)
    }

    /// Sends a command, answers the server's challenges, and waits for its tagged response.
    fn converse(
        &mut self,
        body: CommandBody<'static>,
        answer: &mut dyn FnMut(CommandContinuationRequest<'static>) -> AuthenticateData<'static>,
    ) -> Result<CommandResponse, ImapError> {
        let tag = self.enqueue(body);
        let mut bounds = self.bounds(RESPONSE_TIME);
        let (mut data, mut codes) = (Vec::new(), Vec::new());
        loop {
            let status = match self.receive(&mut bounds)? {
                Received::Nothing => return Err(ImapError::temporary("the server did not answer in time")),
                Received::Malformed(bytes) => match malformed_end(&bytes, &tag) {
                    Some((kind, text)) => {
                        return Ok(CommandResponse { kind, code: None, text: self.cleaned(&text), data, codes });
                    }
                    None => continue,
                },
                Received::Event(Event::DataReceived { data: one }) => {
                    match one {
                        Data::Exists(_) => self.new_mail = true,
                        Data::Capability(_) | Data::Search(..) | Data::Fetch { .. } => data.push(one),
                        _ => {}
                    }
                    None
                }
                Received::Event(
                    Event::StatusReceived { status }
                    | Event::CommandRejected { status, .. }
                    | Event::AuthenticateStatusReceived { status, .. },
                ) => Some(status),
                Received::Event(Event::AuthenticateContinuationRequestReceived { continuation_request, .. }) => {
                    // Ignore the result: the library always accepts the data that it has requested.
                    let _ = self.client.set_authenticate_data(answer(continuation_request));
                    None
                }
                Received::Event(_) => None,
            };
            match status {
                Some(Status::Tagged(tagged)) if tagged.tag == tag => {
                    let StatusBody { kind, code, text } = tagged.body;
                    return Ok(CommandResponse { kind, code, text: self.cleaned(text.inner()), data, codes });
                }
                Some(Status::Untagged(StatusBody { code: Some(code), .. })) => codes.push(code),
                Some(Status::Bye(bye)) => return Err(self.bye(bye.text.inner())),
                _ => {}
            }
            if data.len() + codes.len() > MAX_RESPONSES {
                return Err(ImapError::temporary("the server sends too many responses"));
            }
        }
    }

    pub(crate) fn capabilities(&mut self) -> Result<Capabilities, ImapError> {
        let response = self.run(CommandBody::Capability)?.ok("CAPABILITY")?;
        let listed: Vec<&Capability> = response
            .data
            .iter()
            .filter_map(|data| if let Data::Capability(listed) = data { Some(listed.as_ref()) } else { None })
            .flatten()
            .collect();
        let can = |capability: &Capability| listed.contains(&capability);
        Ok(Capabilities {
            idle: can(&Capability::Idle),
            uid_move: can(&Capability::Move),
            uidplus: can(&Capability::UidPlus),
            login_disabled: can(&Capability::LoginDisabled),
            initial_response: can(&Capability::SaslIr),
            xoauth2: can(&Capability::Auth(AuthMechanism::XOAuth2)),
            oauthbearer: can(&Capability::Auth(AuthMechanism::OAuthBearer)),
        })
    }

    /// Waits with IDLE (RFC 2177) until the server announces new mail, or for [`IDLE_TIME`]. Returns false if the
    /// server refuses.
    pub(crate) fn idle(&mut self) -> Result<bool, ImapError> {
        let tag = self.enqueue(CommandBody::Idle);
        let mut bounds = self.bounds(IDLE_TIME);
        let mut done = false;
        loop {
            match self.receive(&mut bounds)? {
                Received::Nothing if done => return Err(ImapError::temporary("the server did not answer in time")),
                Received::Nothing if self.client.set_idle_done().is_none() => {
                    return Err(ImapError::temporary("the server neither accepts nor refuses IDLE"));
                }
                Received::Nothing => (done, bounds) = (true, self.bounds(RESPONSE_TIME)),
                Received::Malformed(_) => {}
                Received::Event(Event::DataReceived { data: Data::Exists(_) }) => self.new_mail = true,
                Received::Event(Event::IdleRejected { .. }) => return Ok(false),
                Received::Event(Event::StatusReceived { status: Status::Bye(bye) }) => {
                    return Err(self.bye(bye.text.inner()));
                }
                Received::Event(Event::StatusReceived { status: Status::Tagged(tagged) }) if tagged.tag == tag => {
                    return Ok(true);
                }
                Received::Event(_) => {}
            }
            // End IDLE once new mail has been announced, even if that was before IDLE was accepted.
            if self.new_mail && !done && self.client.set_idle_done().is_some() {
                (done, bounds) = (true, self.bounds(RESPONSE_TIME));
            }
        }
    }

    fn enqueue(&mut self, body: CommandBody<'static>) -> Tag<'static> {
        self.tags += 1;
        let tag = Tag::try_from(format!("T{}", self.tags)).expect("a tag of a letter and a number is valid");
        self.client.enqueue_command(Command { tag: tag.clone(), body });
        tag
    }

    fn bounds(&self, time: TimeDelta) -> Bounds {
        let until = Deadline::after(time.to_std().unwrap_or_default());
        Bounds { time, end: (self.world.now)() + time, until, octets: MAX_RECEIVED }
    }

    /// Sends queued data, and receives data until an event occurs.
    fn receive(&mut self, bounds: &mut Bounds) -> Result<Received, ImapError> {
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.client.next() {
                Ok(event) => return Ok(Received::Event(event)),
                Err(Interrupt::Io(Io::Output(bytes))) => self.connection.write(&bytes)?,
                Err(Interrupt::Io(Io::NeedMoreInput)) => {
                    let now = (self.world.now)();
                    // Shorten the wait if the system clock was ahead and has been corrected.
                    bounds.end = bounds.end.min(now + bounds.time);
                    let left = (bounds.end - now).to_std().unwrap_or(Duration::ZERO);
                    let left = left.min(bounds.until.left().unwrap_or(Duration::ZERO));
                    if left.is_zero() {
                        return Ok(Received::Nothing);
                    }
                    let Some(octets) = self.connection.read(&mut buffer, left)? else { continue };
                    bounds.octets = bounds
                        .octets
                        .checked_sub(octets)
                        .ok_or_else(|| ImapError::temporary("the server sends too much data"))?;
                    self.client.enqueue_input(&buffer[..octets]);
                }
                Err(Interrupt::Error(
                    Error::ExpectedCrlfGotLf { discarded_bytes }
                    | Error::MalformedMessage { discarded_bytes }
                    | Error::ResponseTooLong { discarded_bytes },
                )) => return Ok(Received::Malformed(discarded_bytes.declassify().clone())),
            }
        }
    }

    fn bye(&self, text: &str) -> ImapError {
        ImapError::temporary(format!("the server ends the session: {}", self.cleaned(text)))
    }

    /// Returns the server's text, sanitised for the log.
    fn cleaned(&self, text: &str) -> String {
        let text = self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"));
        crate::text::line(&text).chars().take(300).collect()
    }
}

/// Reads a tagged response that is malformed, for example because it contains non-ASCII text.
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
