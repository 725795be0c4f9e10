//! Browser requests: authentication, calls of the service, and pages for its answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use axum::extract::{self, Form, FromRequest, FromRequestParts, Request};
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::client::Client;
use super::page;
use super::page::RETRY_AFTER;
use super::page::{Page, PageResult};
use super::pool::PooledStore;
use super::request_context::RequestContext;
use super::site::{Site, with_store};
use crate::command::{self, Command, ParseError, ParsedLine};
use crate::config::Web;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{self, Channel, Reason, Rejection, Service};
use crate::store::{self, StoreError, Transaction};
use crate::text::Message;

/// The name of the session cookie.
const COOKIE_NAME: &str = "turnpost";
/// The name of the cookie that identifies a browser across sessions.
const BROWSER_COOKIE: &str = "turnpost-browser";
/// The lifetime of the cookies in seconds; the session itself may expire sooner.
const COOKIE_AGE: u32 = 60 * 24 * 60 * 60;

/// The fields of forms into which players type, except passwords and the command line, which may contain one.
const TYPED_FIELDS: [&str; 11] = [
    "move", "plan", "say", "addresses", "until", "label", "opponent", "nagtime", "forfeittime", "totaltime", "fischer",
];

/// The service's answer to a line of the command language. The outer error is a server failure.
pub(crate) type Answer = anyhow::Result<Result<service::Response, Rejection>>;

/// The sender of a request, according to its headers.
pub(crate) struct Requester {
    pub(crate) site: Arc<Site>,
    pub(crate) client: Client,
    /// The requested path.
    path: String,
    /// The value of the session cookie.
    session: Option<String>,
    /// The value of the browser cookie.
    browser: Option<String>,
}

impl FromRequestParts<Arc<Site>> for Requester {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Requester, Infallible> {
        let client = Client::from_request_parts(parts, site).await?;
        let cookie = |name| cookie(&parts.headers, name);
        let (site, session, browser) = (Arc::clone(site), cookie(COOKIE_NAME), cookie(BROWSER_COOKIE));
        Ok(Requester { site, client, path: parts.uri.path().to_owned(), session, browser })
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let mut pairs = cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}

/// A form from a page of this site.
struct PostedForm {
    requester: Requester,
    fields: Fields,
}

#[derive(Default)]
pub(crate) struct Fields(HashMap<String, String>);

impl Fields {
    /// Returns a field without surrounding spaces; empty if it is missing.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// Returns a field unchanged, because a password may start with a space.
    pub(crate) fn exact(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Returns a field unless it is empty.
    pub(crate) fn some(&self, name: &str) -> Option<String> {
        Some(self.get(name).to_owned()).filter(|value| !value.is_empty())
    }
}

impl FromRequest<Arc<Site>> for PostedForm {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<PostedForm, Response> {
        let (mut parts, body) = request.into_parts();
        let Ok(requester) = Requester::from_request_parts(&mut parts, site).await;
        if !is_same_origin(&parts.headers, &requester.client, &site.config.web) {
            let message = message!("web.form-of-another-site");
            return Err(message_response(requester, StatusCode::FORBIDDEN, message).await);
        }
        let form = Form::<Vec<(String, String)>>::from_request(Request::from_parts(parts, body), site);
        match form.await {
            Ok(Form(pairs)) => Ok(PostedForm { requester, fields: Fields(pairs.into_iter().collect()) }),
            Err(error) => Err(message_response(requester, error.status(), message!("web.form-not-readable")).await),
        }
    }
}

/// The parameters of the path. If they do not match their types, the response is the page for unknown addresses.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Site>> for Path<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Path<T>, Response> {
        match extract::Path::from_request_parts(parts, site).await {
            Ok(extract::Path(parameters)) => Ok(Path(parameters)),
            Err(_) => Err(error_page(parts, site, StatusCode::NOT_FOUND, message!("web.no-such-page")).await),
        }
    }
}

/// The parameters of the query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Site>> for Query<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Query<T>, Response> {
        match extract::Query::from_request_parts(parts, site).await {
            Ok(extract::Query(parameters)) => Ok(Query(parameters)),
            Err(_) => Err(error_page(parts, site, StatusCode::BAD_REQUEST, message!("web.wrong-query")).await),
        }
    }
}

async fn error_page(parts: &mut Parts, site: &Arc<Site>, status: StatusCode, message: Message) -> Response {
    let Ok(requester) = Requester::from_request_parts(parts, site).await;
    message_response(requester, status, message).await
}

/// Returns whether the browser sent the form from a page of this site. A client that sends neither `Sec-Fetch-Site` nor
/// `Origin` is not a browser, so it cannot abuse another person's cookies. The origin must match the requested host or
/// the configured address, because a proxy may change the host.
fn is_same_origin(headers: &HeaderMap, client: &Client, web: &Web) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let origin = text(ORIGIN.as_str()).is_none_or(|origin| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| host.eq_ignore_ascii_case(&client.host)) || web.has_origin(origin)
    });
    site && origin
}

/// Routes `GET` to a function that returns a page.
pub(crate) fn page(make: fn(&mut PageRequest<'_>) -> PageResult) -> MethodRouter<Arc<Site>> {
    page_of(move |request: &mut PageRequest<'_>, ()| make(request))
}

/// Routes `GET` to a function that returns a page, and that needs the path, the query or the headers.
pub(crate) fn page_of<P: FromRequestParts<Arc<Site>> + Send + 'static>(
    make: impl FnOnce(&mut PageRequest<'_>, P) -> PageResult + Clone + Send + Sync + 'static,
) -> MethodRouter<Arc<Site>> {
    get(move |requester: Requester, of: P| respond(requester, move |request| make(request, of)))
}

/// Routes `POST` to a function that processes a form and returns a page.
pub(crate) fn form(make: fn(&mut PageRequest<'_>, Fields) -> PageResult) -> MethodRouter<Arc<Site>> {
    form_of(move |request: &mut PageRequest<'_>, (), fields| make(request, fields))
}

/// Routes `POST` to a function that processes a form and the parameters of the path. Rejects a form that does not
/// contain the CSRF secret of the session.
pub(crate) fn form_of<P: FromRequestParts<Arc<Site>> + Send + 'static>(
    make: impl FnOnce(&mut PageRequest<'_>, P, Fields) -> PageResult + Clone + Send + Sync + 'static,
) -> MethodRouter<Arc<Site>> {
    post(move |of: P, PostedForm { requester, fields }: PostedForm| {
        respond(requester, move |request| match request.player.is_some() && !request.has_sent(&fields) {
            true => request.unsent_page(&fields),
            false => make(request, of, fields),
        })
    })
}

/// Builds the response to a request that cannot be processed: a page with this message.
pub(crate) async fn message_response(requester: Requester, status: StatusCode, message: Message) -> Response {
    respond(requester, move |request| request.message_page(status, message)).await
}

/// Returns the status of a rejection: 429 after too many attempts, and the given status for all other reasons.
pub(crate) fn status(rejection: &Rejection, otherwise: StatusCode) -> StatusCode {
    if rejection.reason == Reason::TooOften { StatusCode::TOO_MANY_REQUESTS } else { otherwise }
}

/// Makes the page for a request, in a thread that may wait for the database.
pub(crate) async fn respond(
    requester: Requester,
    make: impl FnOnce(&mut PageRequest<'_>) -> PageResult + Send + 'static,
) -> Response {
    match ask(requester, make).await {
        Ok(page) => page.into_response(),
        Err(response) => response,
    }
}

/// Runs a query for a request, in a thread that may wait for the database; a failure becomes an error response.
pub(crate) async fn ask<T: Send + 'static>(
    requester: Requester,
    find: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let site = Arc::clone(&requester.site);
    let work = move |site: &Site, store: &mut PooledStore| find(&mut PageRequest::open(site, store, requester)?);
    with_store(Arc::clone(&site), work).await.map_err(|error| failed(&site, &error))
}

/// Returns the response to a failed request: 503 if a retry may succeed, otherwise 500.
pub(crate) fn failed(site: &Site, error: &anyhow::Error) -> Response {
    if let Some(StoreError::Busy | StoreError::Conflict | StoreError::Unreachable(_)) = error.downcast_ref() {
        return busy(site);
    }
    tracing::error!(error = format!("{error:#}"), "a page failed");
    Page::text(StatusCode::INTERNAL_SERVER_ERROR, &site.words(&message!("web.server-failed"))).into_response()
}

/// Returns the response to a request that an overloaded server cannot process.
pub(crate) fn busy(site: &Site) -> Response {
    let page = Page::text(StatusCode::SERVICE_UNAVAILABLE, &site.words(&message!("web.server-busy")));
    page.with("Retry-After", RETRY_AFTER.to_owned()).into_response()
}

/// A browser request, with the resources to answer it.
pub(crate) struct PageRequest<'a> {
    /// The context of the request, with the logged-in player.
    context: RequestContext<'a>,
    pub(crate) client: Client,
    path: String,
    session: Option<String>,
    browser: Option<String>,
    /// The numbers of the boards on which it is the player's turn.
    pub(crate) waiting: Vec<BoardNumber>,
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
    /// Opens a request and finds the player of its session.
    pub(crate) fn open(
        site: &'a Site,
        store: &'a mut PooledStore,
        requester: Requester,
    ) -> anyhow::Result<PageRequest<'a>> {
        let now = site.now();
        let Requester { client, path, session, browser, .. } = requester;
        let player = match &session {
            Some(session) => site.read(store, |service, tx| service.session(tx, session, now))?,
            None => None,
        };
        let context = RequestContext { site, store, player, via: Channel::Web, client: client.key(), now };
        let mut request = PageRequest { context, client, path, session, browser, waiting: Vec::new() };
        request.find_waiting_boards()?;
        Ok(request)
    }

    /// Finds the boards on which it is the player's turn.
    fn find_waiting_boards(&mut self) -> anyhow::Result<()> {
        if let Some(player) = self.player.as_ref().map(|player| player.id) {
            self.waiting = self.read(|service, tx| service.waiting_boards(tx, player))?;
        }
        Ok(())
    }

    /// Returns the userid of the logged-in player; empty without a session.
    pub(crate) fn userid(&self) -> &str {
        self.player.as_ref().map_or("", |player| &player.userid)
    }

    /// Returns whether the logged-in player is a guest.
    pub(crate) fn is_guest(&self) -> bool {
        self.player.as_ref().is_some_and(service::is_guest)
    }

    /// Returns whether the logged-in player is an administrator.
    pub(crate) fn administers(&self) -> bool {
        self.player.as_ref().is_some_and(|player| self.site.config.policy.is_administrator(&player.userid))
    }

    /// Runs a line of the command language.
    pub(crate) fn run_line(&mut self, line: &str, comment: Option<String>) -> Answer {
        self.run_parsed(command::parse(line), comment)
    }

    /// Runs a line of the command language, given as words.
    pub(crate) fn run_words(&mut self, words: &[String], comment: Option<String>) -> Answer {
        self.run_parsed(command::parse_words(words), comment)
    }

    fn run_parsed(&mut self, line: Result<ParsedLine, ParseError>, comment: Option<String>) -> Answer {
        match line {
            Ok(line) => self.run(line, comment),
            Err(error) => Ok(Err(self.not_understood(error)?)),
        }
    }

    /// Runs a command that does not come from a line that the player typed.
    pub(crate) fn run_command(&mut self, command: Command, comment: Option<String>) -> Answer {
        self.run(ParsedLine::of(command), comment)
    }

    /// Runs a command of the logged-in player. First calls `why_not` in the same transaction; if it returns a message,
    /// rejects the command with it.
    pub(crate) fn run_unless(
        &mut self,
        command: Command,
        comment: Option<String>,
        why_not: impl Fn(Service<'_>, &Transaction<'_>) -> store::Result<Option<Message>>,
    ) -> Answer {
        let answer = self.context.run_unless(ParsedLine::of(command), comment, why_not)?;
        self.find_waiting_boards()?;
        Ok(answer)
    }

    pub(crate) fn run(&mut self, line: ParsedLine, comment: Option<String>) -> Answer {
        let changes = line.command.changes();
        let answer = self.context.run(line, comment)?;
        // These answers mean that all sessions of the player have ended, including this one.
        if let Ok(service::Response::PasswordChanged { userid, .. } | service::Response::SignedOff { userid, .. }) =
            &answer
            && userid == self.userid()
        {
            self.player = None;
            self.waiting.clear();
        }
        if changes {
            self.find_waiting_boards()?;
        }
        Ok(answer)
    }

    /// Returns the public address of the pages, without a path. If none is configured, returns the address that the
    /// client requested.
    pub(crate) fn address(&self) -> String {
        let configured = self.site.config.web.url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
        configured.unwrap_or_else(|| format!("http://{}", self.client.host))
    }

    /// Returns the CSRF secret of this session for its forms; empty without a session.
    fn csrf(&self) -> String {
        let Some(session) = self.session.as_ref().filter(|_| self.player.is_some()) else { return String::new() };
        let digest = Sha256::digest(format!("turnpost csrf 1\0{session}"));
        crate::text::hex(&digest[..16])
    }

    /// Returns whether the form contains this session's CSRF secret.
    fn has_sent(&self, fields: &Fields) -> bool {
        // Compare hashes, so that the time of the comparison does not reveal the secret.
        Sha256::digest(self.csrf()) == Sha256::digest(fields.get("csrf"))
    }

    /// Ends the session.
    pub(crate) fn log_out(&mut self) -> anyhow::Result<()> {
        if let Some(session) = &self.session {
            self.context.write(|service, tx| service.log_out(tx, session))?;
        }
        Ok(())
    }

    /// Redirects to a path after a login. Sets the cookie of the new session, and records the browser.
    pub(crate) fn logged_in(&mut self, session: &str, path: &str) -> PageResult {
        let (now, browser) = (self.now, self.browser.take());
        let browser = self.write(|service, tx| service.use_browser(tx, session, browser.as_deref(), now))?;
        let page = Page::redirect(path).with("Set-Cookie", self.cookie(COOKIE_NAME, session, COOKIE_AGE));
        Ok(page.with("Set-Cookie", self.cookie(BROWSER_COOKIE, &browser, COOKIE_AGE)))
    }

    /// Removes the cookie of the ended session with this response.
    pub(crate) fn logged_out(&self, page: Page) -> Page {
        page.with("Set-Cookie", self.cookie(COOKIE_NAME, "", 0))
    }

    fn cookie(&self, name: &str, value: &str, age: u32) -> String {
        let secure = if self.client.https || self.site.config.web.is_https() { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
    }

    /// Renders the page from the template with this name.
    pub(crate) fn page(&self, name: &str, facts: Value) -> PageResult {
        self.page_with(StatusCode::OK, name, facts)
    }

    /// Renders the page from the template with this name. The response has this status.
    pub(crate) fn page_with(&self, status: StatusCode, name: &str, facts: Value) -> PageResult {
        let settings = self.player.as_ref().map(|player| &player.settings);
        let zone = settings.map_or("UTC", |settings| &*settings.zone);
        let theme = settings.map(|settings| settings.theme).unwrap_or_default().name();
        let files = page::addresses(&self.site.composer)?;
        let shortest_password = self.site.config.policy.shortest_password;
        let (waiting, site_url) = (self.waiting.len(), self.site.config.web.url.clone());
        let (viewer, administers, guest) = (self.userid(), self.administers(), self.is_guest());
        let own = context! { path => &self.path, viewer, guest, csrf => self.csrf(), zone, theme, shortest_password, files, waiting, administers, site_url };
        Ok(Page::html(status, self.site.composer.page(name, context! { ..own, ..facts })?))
    }

    /// Renders the page with the service's answer and further facts. If the answer is a rejection, renders the page
    /// with its message instead.
    pub(crate) fn answer_page(
        &self,
        name: &str,
        facts: Value,
        answer: Result<service::Response, Rejection>,
    ) -> PageResult {
        match answer {
            Ok(answer) => self.page(name, context! { answer => Serde(answer), ..facts }),
            Err(rejection) => self.rejection_page(rejection),
        }
    }

    /// Renders the page for a rejection.
    pub(crate) fn rejection_page(&self, rejection: Rejection) -> PageResult {
        self.message_page(StatusCode::NOT_FOUND, rejection.message)
    }

    /// Renders a page with one message.
    pub(crate) fn message_page(&self, status: StatusCode, message: Message) -> PageResult {
        self.page_with(status, "refused", context! { message => Serde(message) })
    }

    /// Renders the page for a form that was not processed, because its session has ended. The page shows what the
    /// player typed into the form, so that they can copy it.
    pub(crate) fn unsent_page(&self, fields: &Fields) -> PageResult {
        let texts: Vec<(&str, String)> =
            TYPED_FIELDS.into_iter().filter_map(|name| Some((name, fields.some(name)?))).collect();
        self.page_with(StatusCode::FORBIDDEN, "unsent", context! { texts })
    }

    /// Renders the page for unknown addresses.
    pub(crate) fn not_found(&self) -> PageResult {
        self.message_page(StatusCode::NOT_FOUND, message!("web.no-such-page"))
    }
}
