//! Composes and parses mail with libraries that turnpost itself does not use.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, FixedOffset};
use mail_builder::MessageBuilder;
use mail_builder::headers::raw::Raw;
use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders, PartType};
use serde::Deserialize;
use serde_json::{Value, json};

/// A letter of the server as its recipient sees it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Letter {
    pub subject: String,
    /// The recipients' addresses, without display names.
    pub to: Vec<String>,
    pub from: Vec<String>,
    /// The sender's display name.
    pub name: String,
    pub id: String,
    pub references: Vec<String>,
    pub in_reply_to: Option<String>,
    pub auto_submitted: Option<String>,
    pub reply_to: Option<String>,
    pub date: DateTime<FixedOffset>,
    pub text: String,
    pub html: Option<String>,
    pub pictures: Vec<Picture>,
}

/// A PNG in a letter.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Picture {
    pub cid: String,
    pub width: u32,
}

impl Letter {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first recipient.
    pub fn to(&self) -> &str {
        &self.to[0]
    }

    /// Returns the HTML part, which must exist.
    pub fn html(&self) -> &str {
        self.html.as_deref().unwrap_or_else(|| panic!("no HTML in {self:#?}"))
    }

    /// Returns the Reply-To, which must exist.
    pub fn reply_to(&self) -> &str {
        self.reply_to.as_deref().unwrap_or_else(|| panic!("no Reply-To in {self:#?}"))
    }
}

/// Composes a message to the server with additional headers. A `To` header replaces the server's address.
pub fn compose(from: &str, subject: &str, text: &str, id: &str, headers: &Value) -> String {
    let mut mail = MessageBuilder::new()
        .header("From", Raw::new(from))
        .header("Date", Raw::new("Sat, 21 Nov 2026 12:00:00 +0000"))
        .header("Message-ID", Raw::new(id))
        .subject(subject)
        .text_body(text);
    let headers = headers.as_object().unwrap();
    if !headers.contains_key("To") {
        mail = mail.header("To", Raw::new("turnpost@localhost"));
    }
    for (name, value) in headers {
        mail = mail.header(name.as_str(), Raw::new(value.as_str().unwrap()));
    }
    mail.write_to_string().unwrap()
}

/// Parses a letter. If the test tools are installed, Python's parser must find the same content and no defects.
pub fn read(raw: &str) -> Letter {
    let letter = parse(raw);
    if cfg!(feature = "test-tools") {
        let mut answer = ask_python(&json!({ "read": raw }));
        assert_eq!(answer["defects"].take(), json!([]), "{answer:#}\n{raw}");
        assert_eq!(
            serde_json::from_value::<Letter>(answer).unwrap(),
            letter,
            "Python's parser finds different content in\n{raw}"
        );
    }
    letter
}

/// Parses a letter without comparing it with Python.
pub fn parse(raw: &str) -> Letter {
    let mail = MessageParser::default().parse(raw).unwrap_or_else(|| panic!("not a message:\n{raw}"));
    let header = |name: &str| mail.header(name).map(|value| value.as_text().unwrap().to_owned());
    let body = |part: &PartType| match part {
        PartType::Text(text) | PartType::Html(text) => text.to_string(),
        other => panic!("{other:?}"),
    };
    Letter {
        subject: mail.subject().unwrap_or_else(|| panic!("no subject:\n{raw}")).to_owned(),
        to: addresses(mail.to()),
        from: addresses(mail.from()),
        name: mail.from().and_then(Address::first).and_then(|from| from.name.as_deref()).unwrap_or_default().to_owned(),
        id: format!("<{}>", mail.message_id().unwrap_or_else(|| panic!("no Message-ID:\n{raw}"))),
        references: ids(mail.references()),
        in_reply_to: ids(mail.in_reply_to()).into_iter().next(),
        auto_submitted: header("Auto-Submitted"),
        reply_to: mail.reply_to().and_then(Address::first).map(|address| match &address.name {
            Some(name) => format!("{name} <{}>", address.address().unwrap()),
            None => address.address().unwrap().to_owned(),
        }),
        date: DateTime::parse_from_rfc3339(&mail.date().unwrap().to_rfc3339()).unwrap(),
        text: body(&mail.text_part(0).unwrap_or_else(|| panic!("no text:\n{raw}")).body),
        html: mail.html_part(0).filter(|part| part.is_text_html()).map(|part| body(&part.body)),
        pictures: pictures(&mail),
    }
}

fn addresses(header: Option<&Address>) -> Vec<String> {
    header.into_iter().flat_map(Address::iter).map(|address| address.address().unwrap().to_owned()).collect()
}

fn ids(header: &HeaderValue) -> Vec<String> {
    let bracketed = |id: &str| format!("<{id}>");
    match header {
        HeaderValue::Text(id) => vec![bracketed(id)],
        HeaderValue::TextList(ids) => ids.iter().map(|id| bracketed(id)).collect(),
        _ => Vec::new(),
    }
}

fn pictures(mail: &Message) -> Vec<Picture> {
    let png = |part: &&mail_parser::MessagePart| part.is_content_type("image", "png");
    let parts = mail.parts.iter().filter(png);
    let parts = parts.filter(|part| part.contents().starts_with(b"\x89PNG\r\n\x1a\n"));
    parts
        .map(|part| Picture {
            cid: part.content_id().unwrap().to_owned(),
            width: u32::from_be_bytes(part.contents()[16..20].try_into().unwrap()),
        })
        .collect()
}

/// A running `tests/data/mail.py`. When this process ends, the script's input is closed, and the script ends.
struct Python {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// One process for all tests, because each start takes a tenth of a second.
static PYTHON: Mutex<Option<Python>> = Mutex::new(None);

fn ask_python(request: &Value) -> Value {
    let mut shared = PYTHON.lock().unwrap_or_else(PoisonError::into_inner);
    // Takes the process out of the static, so that the next test starts a new one if this request panics.
    let mut python = shared.take().unwrap_or_else(Python::start);
    let answer = python.ask(request);
    *shared = Some(python);
    answer
}

impl Python {
    fn start() -> Python {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail.py");
        let mut child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs: deploy/install-test-tools installs it");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Python { _child: child, input, output }
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("Python answered {line:?}: {error}"))
    }
}
