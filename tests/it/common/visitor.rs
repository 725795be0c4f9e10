//! A minimal browser without scripts, which gets pages and sends forms over HTTP with the session cookie.

use std::collections::BTreeMap;

use super::serving::http;

/// A page that the server returned.
pub struct Page {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Page {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// Returns the value of a hidden field, from the first form that has one with this name.
    pub fn hidden(&self, name: &str) -> Option<&str> {
        let rest = self.text().split_once(&format!("name=\"{name}\" value=\""))?.1;
        rest.split('"').next()
    }
}

pub struct Visitor {
    pub address: String,
    pub cookie: Option<String>,
    /// The cookie by which the server recognizes the browser after logout.
    pub browser: Option<String>,
}

impl Visitor {
    pub fn new(address: &str) -> Visitor {
        Visitor { address: address.to_owned(), cookie: None, browser: None }
    }

    /// Creates a logged-in visitor.
    pub fn logged_in(address: &str, userid: &str, password: &str) -> Visitor {
        let mut visitor = Visitor::new(address);
        let page = visitor.send("/login", &[("userid", userid), ("password", password)]);
        assert_eq!(page.status, 303, "{}", page.text());
        assert!(visitor.cookie.is_some());
        visitor
    }

    fn request(&mut self, request: &str) -> Page {
        let (status, head, body) = http(&self.address, request);
        let page = Page { status, head, body };
        if let Some(cookie) = page.header("set-cookie") {
            let pair = cookie.split(';').next().unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        let browser = page.head.lines().find_map(|line| line.split_once("turnpost-browser="));
        if let Some((_, value)) = browser {
            self.browser = value.split(';').next().map(|value| format!("turnpost-browser={value}"));
        }
        page
    }

    fn cookie_line(&self) -> String {
        [&self.cookie, &self.browser].into_iter().flatten().map(|cookie| format!("Cookie: {cookie}\r\n")).collect()
    }

    pub fn get(&mut self, path: &str) -> Page {
        let cookie = self.cookie_line();
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: games.example\r\n{cookie}Connection: close\r\n\r\n"))
    }

    /// Sends a form with only these fields, and with the headers that a browser would send.
    pub fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.send_with(path, fields, "Origin: http://games.example\r\nSec-Fetch-Site: same-origin\r\n")
    }

    /// Like [`Visitor::send`], with these headers instead.
    pub fn send_with(&mut self, path: &str, fields: &[(&str, &str)], headers: &str) -> Page {
        let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", percent(value))).collect();
        let (body, cookie) = (body.join("&"), self.cookie_line());
        self.request(&format!(
            "POST {path} HTTP/1.1\r\nHost: games.example\r\n{cookie}{headers}Content-Type: \
             application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Gets a page, fills in its form, and sends the form to the same path with the session's token.
    pub fn fill(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let page = self.get(path);
        let csrf = page.hidden("csrf").unwrap_or_default().to_owned();
        let mut all: BTreeMap<&str, &str> = fields.iter().copied().collect();
        all.insert("csrf", &csrf);
        self.send(path, &all.into_iter().collect::<Vec<_>>())
    }
}

/// Encodes a form value.
fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let written = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(written).collect()
}
