//! One request of a browser: who sends it, what the service answers, and the page that shows the answer.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use axum::extract::{Form, FromRequest, FromRequestParts, Request};
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use sha2::{Digest, Sha256};

use super::client::Client;
use super::event_stream::RETRY_AFTER;
use super::files;
use super::page::Page;
use super::pool::PooledStore;
use super::request_context::RequestContext;
use super::site::{Site, with_store};
use crate::command::{self, Command, ParsedLine};
use crate::config::Web;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{self, Reason, Rejection, Via};
use crate::store::StoreError;
use crate::text::Message;

/// The name of the cookie that holds a session.
const COOKIE_NAME: &str = "turnpost";
/// The name of the cookie that identifies a browser, regardless of the player who is logged in.
const BROWSER_COOKIE: &str = "turnpost-browser";
/// Seconds for which a browser keeps the cookie; the session itself may end sooner.
const COOKIE_AGE: u32 = 60 * 24 * 60 * 60;

/// What the service answers to a line of the command language; the outer error is a failure of the server.
pub(super) type Answer = anyhow::Result<Result<service::Response, Rejection>>;

/// The sender of a request, as far as the request itself says.
pub(super) struct Requester {
    /// The client at the other end of the connection.
    pub(super) client: Client,
    /// The value of its session cookie.
    session: Option<String>,
    /// The value of the cookie of its browser.
    browser: Option<String>,
}

impl FromRequestParts<Arc<Site>> for Requester {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Requester, Infallible> {
        let client = Client::from_request_parts(parts, site).await?;
        let cookie = |name| cookie(&parts.headers, name);
        Ok(Requester { client, session: cookie(COOKIE_NAME), browser: cookie(BROWSER_COOKIE) })
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let mut pairs = cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}

/// A form that was sent from a page of this site.
pub(super) struct PostedForm {
    requester: Requester,
    fields: Fields,
}

/// The fields of a form.
#[derive(Default)]
pub(super) struct Fields(HashMap<String, String>);

impl Fields {
    /// A field without the blanks around it; empty when it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// A field as it is: a password may begin with a blank.
    pub(super) fn exact(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A field, unless it is empty.
    pub(super) fn some(&self, name: &str) -> Option<String> {
        Some(self.get(name).to_owned()).filter(|value| !value.is_empty())
    }
}

impl FromRequest<Arc<Site>> for PostedForm {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<PostedForm, Response> {
        let (mut parts, body) = request.into_parts();
        let requester = match Requester::from_request_parts(&mut parts, site).await {
            Ok(requester) => requester,
            Err(never) => match never {},
        };
        if !is_same_origin(&parts.headers, &requester.client, &site.config.web) {
            let message = message!("web.form-of-another-site");
            return Err(message_response(site, requester, StatusCode::FORBIDDEN, message).await);
        }
        let form = Form::<Vec<(String, String)>>::from_request(Request::from_parts(parts, body), site);
        match form.await {
            Ok(Form(pairs)) => Ok(PostedForm { requester, fields: Fields(pairs.into_iter().collect()) }),
            Err(error) => {
                Err(message_response(site, requester, error.status(), message!("web.form-not-readable")).await)
            }
        }
    }
}

/// Whether a form comes from a page of this site, as every browser says; a client that says nothing is no browser, and has
/// no cookies of somebody else to abuse. The site is where the client says that it asks, or where the configuration says
/// that it is: a proxy may pass on another name.
fn is_same_origin(headers: &HeaderMap, client: &Client, web: &Web) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let origin = text(ORIGIN.as_str()).is_none_or(|origin| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| host.eq_ignore_ascii_case(&client.host)) || web.has_origin(origin)
    });
    site && origin
}

/// Makes a page of one message, for a request that gets no further.
pub(super) async fn message_response(
    site: &Arc<Site>,
    requester: Requester,
    status: StatusCode,
    message: Message,
) -> Response {
    respond(Arc::clone(site), requester, move |request| request.message_page(status, message)).await
}

/// The status of a page that shows a rejection: 429 when it was tried too often, and otherwise this one.
pub(super) fn status(rejection: &Rejection, otherwise: StatusCode) -> StatusCode {
    if rejection.reason == Reason::TooOften { StatusCode::TOO_MANY_REQUESTS } else { otherwise }
}

/// Makes the page of a request, on a thread where it may wait for the database.
pub(super) async fn respond(
    site: Arc<Site>,
    requester: Requester,
    make: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    match ask(site, requester, make).await {
        Ok(page) => page.into_response(),
        Err(response) => response,
    }
}

/// Finds what a request asks for, on a thread where it may wait for the database; or the response that tells of a failure.
pub(super) async fn ask<T: Send + 'static>(
    site: Arc<Site>,
    requester: Requester,
    find: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let work = move |site: &Site, store: &mut PooledStore| find(&mut PageRequest::open(site, store, requester)?);
    with_store(Arc::clone(&site), work).await.map_err(|error| failed(&site, &error))
}

/// The response to a request that failed: 503 when a later attempt may succeed.
pub(super) fn failed(site: &Site, error: &anyhow::Error) -> Response {
    if let Some(StoreError::Busy | StoreError::Conflict | StoreError::Unreachable(_)) = error.downcast_ref() {
        return busy(site);
    }
    tracing::error!(error = format!("{error:#}"), "a page failed");
    Page::text(StatusCode::INTERNAL_SERVER_ERROR, &site.words(&message!("web.server-failed"))).into_response()
}

/// The response to a request that must wait for others.
pub(super) fn busy(site: &Site) -> Response {
    let page = Page::text(StatusCode::SERVICE_UNAVAILABLE, &site.words(&message!("web.server-busy")));
    page.with("Retry-After", RETRY_AFTER.to_owned()).into_response()
}

/// Makes the page of a posted form. Nothing is done with a form that is not of the requester's session.
pub(super) async fn respond_to_form(
    site: Arc<Site>,
    form: PostedForm,
    make: impl FnOnce(&mut PageRequest<'_>, Fields) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    let PostedForm { requester, fields } = form;
    respond(site, requester, move |request| {
        if request.player.is_some() && !request.has_sent(&fields) {
            return request.message_page(StatusCode::FORBIDDEN, message!("web.form-of-earlier-session"));
        }
        make(request, fields)
    })
    .await
}

/// A request of a browser, with what is needed to answer it.
pub(super) struct PageRequest<'a> {
    /// Its player is the one who is logged in.
    context: RequestContext<'a>,
    /// The client at the other end of the connection.
    pub(super) client: Client,
    session: Option<String>,
    browser: Option<String>,
    /// The boards that wait for the player, by number.
    pub(super) waiting: Vec<BoardNumber>,
}

impl<'a> Deref for PageRequest<'a> {
    type Target = RequestContext<'a>;

    fn deref(&self) -> &RequestContext<'a> {
        &self.context
    }
}

impl DerefMut for PageRequest<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}

impl<'a> PageRequest<'a> {
    /// Opens a request: finds the player of its session.
    pub(super) fn open(
        site: &'a Site,
        store: &'a mut PooledStore,
        requester: Requester,
    ) -> anyhow::Result<PageRequest<'a>> {
        let now = site.now();
        let Requester { client, session, browser } = requester;
        let player = match &session {
            Some(session) => site.read(store, |service, tx| service.session(tx, session, now))?,
            None => None,
        };
        let context = RequestContext { site, store, player, via: Via::Web, client: client.key(), now };
        let mut request = PageRequest { context, client, session, browser, waiting: Vec::new() };
        request.look_what_waits()?;
        Ok(request)
    }

    /// Finds the boards that wait for the player.
    fn look_what_waits(&mut self) -> anyhow::Result<()> {
        if let Some(player) = self.player.as_ref().map(|player| player.id) {
            self.waiting = self.read(|service, tx| service.waiting_boards(tx, player))?;
        }
        Ok(())
    }

    /// The userid of the player who is logged in; empty, which is nobody's userid, without a session.
    pub(super) fn userid(&self) -> &str {
        self.player.as_ref().map_or("", |player| &player.userid)
    }

    /// Returns whether the player who is logged in is a guest.
    pub(super) fn is_guest(&self) -> bool {
        self.player.as_ref().is_some_and(service::is_guest)
    }

    /// Whether the player who is logged in is an administrator.
    pub(super) fn administers(&self) -> bool {
        self.player.as_ref().is_some_and(|player| self.site.config.policy.is_administrator(&player.userid))
    }

    /// Asks the service a line of the command language.
    pub(super) fn run_line(&mut self, line: &str) -> Answer {
        match command::parse(line) {
            Ok(line) => self.run(line, None),
            Err(error) => Ok(Err(self.not_understood(error)?)),
        }
    }

    /// Asks the service a line of the command language, given as its words.
    pub(super) fn run_words(&mut self, words: &[String], comment: Option<String>) -> Answer {
        match command::parse_words(words) {
            Ok(line) => self.run(line, comment),
            Err(error) => Ok(Err(self.not_understood(error)?)),
        }
    }

    /// Asks the service a command that was not typed.
    pub(super) fn run_command(&mut self, command: Command, comment: Option<String>) -> Answer {
        self.run(ParsedLine::of(command), comment)
    }

    /// Asks the service a parsed line, with the comment beside it.
    pub(super) fn run(&mut self, line: ParsedLine, comment: Option<String>) -> Answer {
        let changes = line.command.changes();
        let answer = self.context.run(line, comment)?;
        if changes {
            self.look_what_waits()?;
        }
        Ok(answer)
    }

    /// The address of the pages, without a path: the configured one, or where the client found them.
    pub(super) fn address(&self) -> String {
        let configured = self.site.config.web.url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
        configured.unwrap_or_else(|| format!("http://{}", self.client.host))
    }

    /// The secret that forms of this session carry, so that no other site can send one; empty without a session.
    fn csrf(&self) -> String {
        let Some(session) = self.session.as_ref().filter(|_| self.player.is_some()) else { return String::new() };
        let digest = Sha256::digest(format!("turnpost csrf 1\0{session}"));
        crate::text::hex(&digest[..16])
    }

    /// Whether a form was sent from a page of this session.
    fn has_sent(&self, fields: &Fields) -> bool {
        // Hashed once more, so that the time of the comparison reveals nothing.
        Sha256::digest(self.csrf()) == Sha256::digest(fields.get("csrf"))
    }

    /// Ends the session.
    pub(super) fn log_out(&mut self) -> anyhow::Result<()> {
        if let Some(session) = &self.session {
            self.context.write(|service, tx| service.log_out(tx, session))?;
        }
        Ok(())
    }

    /// Redirects to a path with the cookie of a session that has begun, and records its browser.
    pub(super) fn logged_in(&mut self, session: &str, path: &str) -> anyhow::Result<Page> {
        let (now, browser) = (self.now, self.browser.take());
        let browser = self.write(|service, tx| service.use_browser(tx, session, browser.as_deref(), now))?;
        let page = Page::redirect(path).with("Set-Cookie", self.cookie(COOKIE_NAME, session, COOKIE_AGE));
        Ok(page.with("Set-Cookie", self.cookie(BROWSER_COOKIE, &browser, COOKIE_AGE)))
    }

    /// Redirects to a path without the cookie of the session, which has ended.
    pub(super) fn logged_out(&self, path: &str) -> Page {
        Page::redirect(path).with("Set-Cookie", self.cookie(COOKIE_NAME, "", 0))
    }

    fn cookie(&self, name: &str, value: &str, age: u32) -> String {
        let secure = if self.client.https || self.site.config.web.is_https() { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
    }

    /// Makes a page by the name of its template.
    pub(super) fn page(&self, name: &str, facts: Value) -> anyhow::Result<Page> {
        self.page_with(StatusCode::OK, name, facts)
    }

    /// Makes a page with this status.
    pub(super) fn page_with(&self, status: StatusCode, name: &str, facts: Value) -> anyhow::Result<Page> {
        let settings = self.player.as_ref().map(|player| &player.settings);
        let zone = settings.map_or("UTC", |settings| &settings.zone);
        let theme = settings.map(|settings| settings.theme).unwrap_or_default().name();
        let files = files::addresses(&self.site.composer)?;
        let shortest_password = self.site.config.policy.shortest_password;
        let (waiting, site_url) = (self.waiting.len(), self.site.config.web.url.clone());
        let (viewer, administers, guest) = (self.userid(), self.administers(), self.is_guest());
        let own = context! { viewer, guest, csrf => self.csrf(), zone, theme, shortest_password, files, waiting, administers, site_url };
        Ok(Page::html(status, self.site.composer.page(name, context! { ..own, ..facts })?))
    }

    /// Makes the page of an answer and further facts, or that of a rejection.
    pub(super) fn answer_page(
        &self,
        name: &str,
        facts: Value,
        answer: Result<service::Response, Rejection>,
    ) -> anyhow::Result<Page> {
        match answer {
            Ok(answer) => self.page(name, context! { answer => Serde(answer), ..facts }),
            Err(rejection) => self.rejection_page(rejection),
        }
    }

    /// Makes the page of a rejection.
    pub(super) fn rejection_page(&self, rejection: Rejection) -> anyhow::Result<Page> {
        self.message_page(StatusCode::NOT_FOUND, rejection.message)
    }

    /// Makes a page of one message.
    pub(super) fn message_page(&self, status: StatusCode, message: Message) -> anyhow::Result<Page> {
        self.page_with(status, "refused", context! { message => Serde(message) })
    }

    /// Makes the page that says that there is no such page.
    pub(super) fn not_found(&self) -> anyhow::Result<Page> {
        self.message_page(StatusCode::NOT_FOUND, message!("web.no-such-page"))
    }
}
