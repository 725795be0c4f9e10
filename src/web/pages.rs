//! The home page, help pages, the page for the command language, and files at addresses that browsers and crawlers
//! know.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::lessons::{self, game_facts, games_by_kind};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Requester, respond, status};
use super::site::Site;
use crate::clock::rfc3339;
use crate::draw::png;
use crate::message;
use crate::rules::catalogue;
use crate::service::{HELP_PAGES, help_page_about};

/// The maximum number of open challenges on the home page.
const OPEN_CHALLENGES: usize = 5;

/// `GET /`
pub(crate) fn home(request: &mut PageRequest<'_>) -> PageResult {
    let from = request.origin();
    let (live, change, mut offers) = request.read(|service, tx| {
        let live = service.latest_board(tx)?;
        let change = live.as_ref().map(|board| service.change_of_board(tx, board.number)).transpose()?;
        Ok((live, change, service.lobby(tx, &from)?))
    })?;
    let taste = if live.is_none() { lessons::taste(request)? } else { None };
    offers.retain(|row| !row.offer.flags.private);
    let open = offers.len();
    offers.truncate(OPEN_CHALLENGES);
    let config = &request.site.config;
    let facts = context! {
        kinds => games_by_kind(),
        address => config.address.clone(),
        robots => config.policy.robots,
        live => live.map(Serde),
        change,
        offers => Serde(offers),
        open,
        taste,
    };
    request.page("home", facts)
}

/// Returns the page for requests with a method that the path does not support.
pub(crate) async fn method_not_allowed(requester: Requester) -> Response {
    respond(requester, |request| {
        request.message_page(StatusCode::METHOD_NOT_ALLOWED, message!("web.page-takes-no-form"))
    })
    .await
}

/// Returns the page for unknown paths.
pub(crate) async fn not_found(requester: Requester) -> Response {
    respond(requester, |request| request.not_found()).await
}

/// `GET /command`
pub(crate) fn form(request: &mut PageRequest<'_>) -> PageResult {
    form_page(request, StatusCode::OK, ("", ""), None)
}

/// `POST /command`: shows the answer in the format of the shell.
pub(crate) fn run(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
    match request.run_line(fields.get("line"), fields.some("say"))? {
        Ok(answer) => {
            let text = request.site.composer.answer(&answer)?;
            let boards: Vec<u32> = answer.boards().iter().map(|board| board.number.0).collect();
            form_page(request, StatusCode::OK, ("", ""), Some(context! { text, boards }))
        }
        Err(rejection) => {
            let text = request.site.composer.refused(&rejection)?;
            let output = context! { text, boards => Vec::<u32>::new() };
            // The line in the rejection contains `***` instead of a password, so the page can show it for editing.
            let status = status(&rejection, StatusCode::CONFLICT);
            form_page(request, status, (&rejection.line, fields.get("say")), Some(output))
        }
    }
}

fn form_page(
    request: &PageRequest<'_>,
    status: StatusCode,
    (line, say): (&str, &str),
    output: Option<Value>,
) -> PageResult {
    request.page_with(status, "command", context! { line, say, output })
}

/// `GET /help`
pub(crate) async fn overview() -> Response {
    Page::redirect("/help/overview").into_response()
}

/// `GET /help/TOPIC`
pub(crate) fn help(request: &mut PageRequest<'_>, Path(topic): Path<String>) -> PageResult {
    let Some(named) = help_page_about(&topic) else { return request.not_found() };
    if named != topic {
        return Ok(Page::redirect(&format!("/help/{named}")));
    }
    let composer = &request.site.composer;
    let game = catalogue::find(&topic);
    let default = game.and_then(|game| request.site.config.policy.default_options.get(game.name()));
    let page = composer.help_page(&topic, default.map(ToString::to_string).as_deref())?;
    let lessons = game.map_or(Ok(0), |game| composer.lessons(game).map(|lessons| lessons.len()))?;
    let facts = context! {
        topic, topics => HELP_PAGES.to_vec(), kinds => games_by_kind(), page => Serde(page), game => game.map(game_facts), lessons
    };
    request.page("help", facts)
}

/// Search engines may index boards and games, but not downloads, forms, accounts and pages with tried moves.
const ROBOTS: &str = "User-agent: *
Allow: /boards/*/board.png
Disallow: /boards/*/
Disallow: /files/
Disallow: /api/
Disallow: /admin
Disallow: /command
Disallow: /confirm/
Disallow: /invite/
Disallow: /login
Disallow: /me
Disallow: /password
Disallow: /settings
Disallow: /signup
Disallow: /unsubscribe/
Disallow: /*/challenge
Disallow: /*/play
Disallow: /*.svg
Disallow: /*?
";
/// The width of the icon in a browser tab, in pixels.
const SMALL_ICON: u32 = 32;
/// The width of the icon on a phone's home screen, in pixels.
const LARGE_ICON: u32 = 180;
const A_DAY: &str = "public, max-age=86400";
/// The period of validity of `security.txt` (RFC 9116, 2.5.5: less than a year).
const VALID: TimeDelta = TimeDelta::days(180);

/// `GET /robots.txt` (RFC 9309)
pub(crate) async fn robots() -> Response {
    Page::file("text/plain; charset=utf-8", ROBOTS).cached(A_DAY).into_response()
}

/// `GET /favicon.ico`: a PNG, which browsers accept.
pub(crate) async fn favicon() -> Response {
    Page::file("image/png", png::render_icon(SMALL_ICON)).cached(A_DAY).into_response()
}

/// `GET /apple-touch-icon.png`
pub(crate) async fn touch_icon() -> Response {
    Page::file("image/png", png::render_icon(LARGE_ICON)).cached(A_DAY).into_response()
}

/// `GET /.well-known/security.txt` (RFC 9116)
pub(crate) async fn security(State(site): State<Arc<Site>>) -> Response {
    let expires = rfc3339(site.now() + VALID);
    let domain = site.config.domain();
    let text = format!("Contact: mailto:postmaster@{domain}\nExpires: {expires}\nPreferred-Languages: en\n");
    Page::file("text/plain; charset=utf-8", text).into_response()
}
