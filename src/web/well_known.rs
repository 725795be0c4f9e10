//! Files at addresses known to browsers, crawlers and security researchers.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::{SecondsFormat, TimeDelta};

use super::page::Page;
use super::site::Site;
use crate::draw::icon;

/// Search engines may index boards and games, but not files, forms, accounts and variations on boards.
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
/// The validity of `security.txt` (RFC 9116, 2.5.5: less than a year).
const VALID: TimeDelta = TimeDelta::days(180);

/// `GET /robots.txt` (RFC 9309)
pub(crate) async fn robots() -> Response {
    Page::file("text/plain; charset=utf-8", ROBOTS).cached(A_DAY).into_response()
}

/// `GET /favicon.ico`: a PNG, which browsers accept.
pub(crate) async fn favicon() -> Response {
    Page::file("image/png", icon::render(SMALL_ICON)).cached(A_DAY).into_response()
}

/// `GET /apple-touch-icon.png`
pub(crate) async fn touch_icon() -> Response {
    Page::file("image/png", icon::render(LARGE_ICON)).cached(A_DAY).into_response()
}

/// `GET /.well-known/security.txt` (RFC 9116)
pub(crate) async fn security(State(site): State<Arc<Site>>) -> Response {
    let expires = (site.now() + VALID).to_rfc3339_opts(SecondsFormat::Secs, true);
    let domain = site.config.domain();
    let text = format!("Contact: mailto:postmaster@{domain}\nExpires: {expires}\nPreferred-Languages: en\n");
    Page::file("text/plain; charset=utf-8", text).into_response()
}
