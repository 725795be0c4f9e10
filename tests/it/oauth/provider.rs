//! A provider of access tokens, and a mail server that accepts letters with its tokens.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use data_encoding::{BASE64, BASE64URL_NOPAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::Server;

/// Codes, tokens and the client's secret. No log may contain them.
pub const SECRETS: &[&str] = &["device-secret", "browser-secret", "client-secret", "refresh-secret", "access-secret"];

/// The form fields of a request.
pub type Form = Vec<(String, String)>;

pub struct State {
    /// The number at the end of the valid refresh token; `None` if no refresh token is valid.
    pub grant: Option<u32>,
    /// Whether a refresh token is valid only once.
    pub rotates: bool,
    /// The lifetime of access tokens that the provider announces, in seconds.
    pub expires_in: u64,
    /// Mail servers accept only access tokens with this number or a higher one.
    pub first_valid: u32,
    /// The number of issued access tokens.
    pub given: u32,
    /// Errors with which the token endpoint answers the next requests: the status and the error code.
    pub answers: VecDeque<(u16, &'static str)>,
    /// The code challenge that the browser sent (RFC 7636).
    pub challenge: String,
    /// All requests that the endpoints have received.
    pub asked: Vec<Form>,
}

#[derive(Clone)]
pub struct Provider {
    pub port: u16,
    state: Arc<Mutex<State>>,
}

/// Returns the value of a field.
pub fn field<'a>(form: &'a Form, name: &str) -> Option<&'a str> {
    form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

impl Provider {
    pub fn start() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = State {
            grant: None,
            rotates: false,
            expires_in: 3600,
            first_valid: 1,
            given: 0,
            answers: VecDeque::new(),
            challenge: String::new(),
            asked: Vec::new(),
        };
        let provider = Provider { port, state: Arc::new(Mutex::new(state)) };
        let shared = provider.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = shared.clone();
                thread::spawn(move || shared.answer(stream.unwrap()));
            }
        });
        provider
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns a turnpost configuration that uses these endpoints of the provider.
    pub fn config(&self, server: &Server, endpoints: &[&str]) -> String {
        std::fs::write(server.data().join("client"), "client-secret\n").unwrap();
        let address = format!("http://127.0.0.1:{}", self.port);
        let endpoints = endpoints.iter().map(|name| format!("{name}_endpoint = \"{address}/{name}\"\n"));
        format!(
            "[oauth]\nclient_id = \"turnpost-client\"\nclient_secret_file = \"client\"\nscope = \"mail offline_access\"\n\
             token_endpoint = \"{address}/token\"\n{}",
            endpoints.collect::<String>()
        )
    }

    /// Returns whether a mail server accepts this token.
    pub fn takes(&self, user: &str, token: &str) -> bool {
        let number = token.strip_prefix("access-secret-").and_then(|number| number.parse::<u32>().ok());
        user == "turnpost@games.example" && number.is_some_and(|number| number >= self.state().first_valid)
    }

    /// Returns the number of requests with this grant type.
    pub fn asked(&self, grant_type: &str) -> usize {
        let state = self.state();
        state
            .asked
            .iter()
            .filter(|form| field(form, "grant_type").is_some_and(|given| given.ends_with(grant_type)))
            .count()
    }

    fn answer(&self, stream: TcpStream) {
        let mut lines = BufReader::new(stream);
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                break;
            }
            let (name, value) = line.trim_end().split_once([':', ' ']).unwrap();
            match name.to_lowercase().as_str() {
                "post" | "get" => path = value.split(' ').next().unwrap().to_owned(),
                "content-length" => length = value.trim().parse().unwrap(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).unwrap();
        let form: Form = form_urlencoded::parse(&body).into_owned().collect();
        let (status, body) = match path.strip_prefix("/tokeninfo?access_token=") {
            Some(token) if self.takes("turnpost@games.example", token) => {
                (200, json!({ "user": "turnpost@games.example", "active": true }))
            }
            Some(_) => (401, json!({ "error": "invalid_token" })),
            None => {
                let mut state = self.state();
                let decided = state.decide(&path, &form);
                state.asked.push(form);
                decided
            }
        };
        let body = body.to_string();
        let length = body.len();
        let head = format!("Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close");
        let _ = write!(lines.get_mut(), "HTTP/1.1 {status} answer\r\n{head}\r\n\r\n{body}");
    }
}

impl State {
    fn decide(&mut self, path: &str, form: &Form) -> (u16, Value) {
        assert_eq!(field(form, "client_id"), Some("turnpost-client"));
        if path == "/device" {
            assert_eq!(field(form, "scope"), Some("mail offline_access"));
            return (
                200,
                json!({ "device_code": "device-secret", "user_code": "WDJB-MJHT", "interval": 0, "expires_in": 900,
                    "verification_uri": "https://provider.example/device" }),
            );
        }
        if let Some((status, error)) = self.answers.pop_front() {
            // The error description repeats the received secrets, to check that turnpost does not log them.
            let secrets = ["client_secret", "device_code", "refresh_token", "code", "code_verifier"];
            let said: Vec<&str> = secrets.iter().filter_map(|name| field(form, name)).collect();
            return (status, json!({ "error": error, "error_description": format!("says {}", said.join(" ")) }));
        }
        let refused = |error: &str| (400, json!({ "error": error }));
        if field(form, "client_secret") != Some("client-secret") {
            return (401, json!({ "error": "invalid_client" }));
        }
        let grant = match field(form, "grant_type").unwrap() {
            "urn:ietf:params:oauth:grant-type:device_code" if field(form, "device_code") == Some("device-secret") => {
                self.given + 1
            }
            "authorization_code" => {
                let verifier = field(form, "code_verifier").unwrap();
                let is_right = BASE64URL_NOPAD.encode(&Sha256::digest(verifier)) == self.challenge
                    && field(form, "code") == Some("browser-secret")
                    && field(form, "redirect_uri") == Some("http://localhost");
                if !is_right {
                    return refused("invalid_grant");
                }
                self.given + 1
            }
            "refresh_token" => match self.grant {
                Some(grant) if field(form, "refresh_token") == Some(&format!("refresh-secret-{grant}")) => {
                    if self.rotates { grant + 1 } else { grant }
                }
                _ => {
                    // If refresh tokens are valid only once, a second use also revokes the newest one.
                    self.grant = self.grant.filter(|_| !self.rotates);
                    return refused("invalid_grant");
                }
            },
            _ => return refused("unsupported_grant_type"),
        };
        let is_new = self.grant != Some(grant);
        self.grant = Some(grant);
        self.given += 1;
        let mut tokens = json!({ "access_token": format!("access-secret-{}", self.given), "token_type": "Bearer", "expires_in": self.expires_in });
        if is_new {
            tokens["refresh_token"] = json!(format!("refresh-secret-{grant}"));
        }
        (200, tokens)
    }
}

/// Returns the user and the token from a client's XOAUTH2 response.
pub fn shown(response: &str) -> (String, String) {
    let response = String::from_utf8(BASE64.decode(response.as_bytes()).unwrap()).unwrap();
    let rest = response.strip_prefix("user=").and_then(|rest| rest.strip_suffix("\x01\x01")).unwrap();
    let (user, token) = rest.split_once("\x01auth=Bearer ").unwrap();
    (user.to_owned(), token.to_owned())
}

/// A mail server that accepts letters with a token of the provider.
pub struct Submission {
    pub port: u16,
    /// The recipients of accepted letters.
    pub taken: Arc<Mutex<Vec<String>>>,
    /// The tokens that clients sent.
    pub tokens: Arc<Mutex<Vec<String>>>,
}

impl Submission {
    pub fn start(provider: &Provider) -> Submission {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let submission = Submission { port, taken: Arc::default(), tokens: Arc::default() };
        let (taken, tokens, provider) =
            (Arc::clone(&submission.taken), Arc::clone(&submission.tokens), provider.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (taken, tokens, provider) = (Arc::clone(&taken), Arc::clone(&tokens), provider.clone());
                thread::spawn(move || talk(stream.unwrap(), &provider, &taken, &tokens));
            }
        });
        submission
    }

    /// Returns a turnpost configuration that sends letters through this mail server.
    pub fn config(&self) -> String {
        let port = self.port;
        format!(
            "address = \"turnpost@games.example\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {port}\n\
             tls = \"none\"\nuser = \"turnpost@games.example\"\n"
        )
    }

    pub fn taken(&self) -> Vec<String> {
        let mut taken = self.taken.lock().unwrap().clone();
        taken.sort();
        taken
    }

    pub fn shown(&self) -> Vec<String> {
        self.tokens.lock().unwrap().clone()
    }
}

fn talk(mut stream: TcpStream, provider: &Provider, taken: &Mutex<Vec<String>>, tokens: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut say = |text: &str| drop(write!(stream, "{text}\r\n"));
    say("220 test");
    let (mut is_in, mut to) = (false, String::new());
    while let Some(Ok(line)) = lines.next() {
        match line.split([' ', ':']).next().unwrap() {
            "EHLO" => say("250-test\r\n250 AUTH PLAIN XOAUTH2"),
            "AUTH" => {
                let (user, token) = shown(line.strip_prefix("AUTH XOAUTH2 ").unwrap());
                is_in = provider.takes(&user, &token);
                tokens.lock().unwrap().push(token.clone());
                if is_in {
                    say("235 welcome");
                    continue;
                }
                say(&format!("334 {}", BASE64.encode(br#"{"status":"400","scope":"mail"}"#)));
                assert_eq!(lines.next().unwrap().unwrap(), "");
                // The reply repeats the token, to check that turnpost does not log it.
                say(&format!("535 5.7.8 no such token: {token}"));
            }
            "MAIL" if !is_in => say("530 5.7.0 log in first"),
            "RCPT" => {
                to = line.split_once('<').unwrap().1.split_once('>').unwrap().0.to_owned();
                say("250 fine");
            }
            "DATA" => {
                say("354 go on");
                lines.by_ref().map_while(Result::ok).find(|line| line == ".");
                taken.lock().unwrap().push(to.clone());
                say("250 taken");
            }
            "QUIT" => return say("221 bye"),
            _ => say("250 fine"),
        }
    }
}
