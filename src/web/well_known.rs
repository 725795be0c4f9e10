//! Files at addresses that browsers, crawlers and reporters of weaknesses know.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::{SecondsFormat, TimeDelta};

use super::page::Page;
use super::site::Site;
use crate::draw::icon;

/// Pages of boards and games are for search engines; files, forms, accounts and the countless lines of a board are not.
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
/// The width of the icon in a browser's tab, in pixels.
const SMALL_ICON: u32 = 32;
/// The width of the icon on a phone's home screen, in pixels.
const LARGE_ICON: u32 = 180;
const A_DAY: &str = "public, max-age=86400";
/// How long `security.txt` is valid (RFC 9116, 2.5.5: less than a year).
const VALID: TimeDelta = TimeDelta::days(180);

/// `GET /robots.txt` (RFC 9309)
pub(super) async fn robots() -> Response {
    Page::file("text/plain; charset=utf-8", ROBOTS).cached(A_DAY).into_response()
}

/// `GET /favicon.ico`: browsers take a PNG there.
pub(super) async fn favicon() -> Response {
    Page::file("image/png", icon::render(SMALL_ICON)).cached(A_DAY).into_response()
}

/// `GET /apple-touch-icon.png`
pub(super) async fn touch_icon() -> Response {
    Page::file("image/png", icon::render(LARGE_ICON)).cached(A_DAY).into_response()
}

/// `GET /.well-known/security.txt` (RFC 9116)
pub(super) async fn security(State(site): State<Arc<Site>>) -> Response {
    let expires = (site.now() + VALID).to_rfc3339_opts(SecondsFormat::Secs, true);
    let domain = site.config.domain();
    let text = format!("Contact: mailto:postmaster@{domain}\nExpires: {expires}\nPreferred-Languages: en\n");
    Page::file("text/plain; charset=utf-8", text).into_response()
}
