//! One request of a browser at work: who asks, what the service answers, and the page that tells it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Form, FromRequest, FromRequestParts, Request};
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use sha2::{Digest, Sha256};

use super::client::Client;
use super::{Page, Site};
use crate::command::{self, Command, ParsedLine};
use crate::service::{self, Origin, Rejection};
use crate::store::{Player, Store};

/// The face's name in the record.
const VIA: &str = "web";
/// The name of the cookie that holds a session.
const COOKIE_NAME: &str = "turnpost";
/// Seconds that a browser keeps it; the session itself may end sooner.
const COOKIE_AGE: u32 = 60 * 24 * 60 * 60;

/// Who sends a request, as far as the request itself tells.
pub(super) struct Visitor {
    /// Where it comes from.
    pub(super) client: Client,
    /// What its cookie holds.
    session: Option<String>,
}

impl FromRequestParts<Arc<Site>> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Visitor, Infallible> {
        let client = Client::from_request_parts(parts, site).await?;
        Ok(Visitor { client, session: cookie(&parts.headers) })
    }
}

fn cookie(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let mut pairs = cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value.to_owned())
}

/// A form that was sent from a page of ours.
pub(super) struct Posted {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
}

/// What stood in a form.
#[derive(Default)]
pub(super) struct Fields(HashMap<String, String>);

impl Fields {
    /// A field without the blanks around it; empty when it is not there.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// A field as it is: a password may begin with a blank.
    pub(super) fn exact(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A field that says something.
    pub(super) fn some(&self, name: &str) -> Option<String> {
        Some(self.get(name).to_owned()).filter(|value| !value.is_empty())
    }
}

impl FromRequest<Arc<Site>> for Posted {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Posted, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = match Visitor::from_request_parts(&mut parts, site).await {
            Ok(visitor) => visitor,
            Err(never) => match never {},
        };
        if !from_here(&parts.headers, &visitor.client) {
            return Err((StatusCode::FORBIDDEN, "This form was sent by a page of another site.\n").into_response());
        }
        let form = Form::<Vec<(String, String)>>::from_request(Request::from_parts(parts, body), site);
        let Form(pairs) = form.await.map_err(IntoResponse::into_response)?;
        Ok(Posted { visitor, fields: Fields(pairs.into_iter().collect()) })
    }
}

/// Whether a browser says that a form is from a page of ours; every browser says so, and what is none can do no harm.
fn from_here(headers: &HeaderMap, client: &Client) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let origin = text(ORIGIN.as_str()).is_none_or(|origin| {
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        host.is_some_and(|host| host.eq_ignore_ascii_case(&client.host))
    });
    site && origin
}

/// A request at work.
pub(super) struct Visit<'a> {
    pub(super) site: &'a Site,
    pub(super) store: &'a mut dyn Store,
    pub(super) now: DateTime<Utc>,
    pub(super) client: Client,
    session: Option<String>,
    /// Who is logged in.
    pub(super) player: Option<Player>,
}

impl<'a> Visit<'a> {
    pub(super) fn open(site: &'a Site, store: &'a mut dyn Store, visitor: Visitor) -> anyhow::Result<Visit<'a>> {
        let now = (site.world.now)();
        let Visitor { client, session } = visitor;
        let mut visit = Visit { site, store, now, client, session, player: None };
        if let Some(session) = &visit.session {
            let tx = visit.store.read()?;
            visit.player = site.config.service(site.world).session(&*tx, session, now)?;
        }
        Ok(visit)
    }

    /// Who asks, for the service.
    pub(super) fn origin(&self) -> Origin {
        match &self.player {
            Some(player) => Origin::Known { userid: player.userid.clone(), via: VIA },
            None => Origin::Visitor,
        }
    }

    /// The userid of who is logged in; empty, which is nobody's, for anybody else.
    pub(super) fn userid(&self) -> &str {
        self.player.as_ref().map_or("", |player| &player.userid)
    }

    /// What the service answers to a line of the command language.
    pub(super) fn ask(&mut self, line: &str) -> anyhow::Result<Result<service::Response, Rejection>> {
        match command::parse(line) {
            Ok(line) => self.request(line, None),
            Err(error) => Ok(Err(Rejection::from(error))),
        }
    }

    /// What it answers to a command that was not typed.
    pub(super) fn obey(
        &mut self,
        command: Command,
        say: Option<String>,
    ) -> anyhow::Result<Result<service::Response, Rejection>> {
        self.request(ParsedLine::of(command), say)
    }

    /// What it answers to a line, with what is said beside it.
    pub(super) fn request(
        &mut self,
        line: ParsedLine,
        comment: Option<String>,
    ) -> anyhow::Result<Result<service::Response, Rejection>> {
        let changes = line.command.changes();
        let request = service::Request { line, from: self.origin(), comment, now: self.now };
        let service = self.site.config.service(self.site.world);
        let mut tx = if changes { self.store.write()? } else { self.store.read()? };
        let answer = service.answer(&mut *tx, &request)?;
        if changes {
            tx.commit()?;
            self.site.written();
        }
        Ok(answer)
    }

    /// What forms of this session carry, so that no other site can send one; empty without a session.
    fn csrf(&self) -> String {
        let Some(session) = self.session.as_ref().filter(|_| self.player.is_some()) else { return String::new() };
        let digest = Sha256::digest(format!("turnpost csrf 1\0{session}"));
        crate::text::hex(&digest[..16])
    }

    /// Whether a form is of this session.
    pub(super) fn is_ours(&self, fields: &Fields) -> bool {
        // Hashed once more, so that the time which comparing takes tells nothing.
        Sha256::digest(self.csrf()) == Sha256::digest(fields.get("csrf"))
    }

    /// Ends the session.
    pub(super) fn log_out(&mut self) -> anyhow::Result<()> {
        if let Some(session) = &self.session {
            let mut tx = self.store.write()?;
            self.site.config.service(self.site.world).log_out(&mut *tx, session)?;
            tx.commit()?;
        }
        Ok(())
    }

    /// The header that gives a browser its session, or takes it away.
    pub(super) fn cookie(&self, session: Option<&str>) -> String {
        let (session, age) = session.map_or(("", 0), |session| (session, COOKIE_AGE));
        let secure = if self.client.https { "; Secure" } else { "" };
        format!("{COOKIE_NAME}={session}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
    }

    /// A page, by the name of its template.
    pub(super) fn page(&self, name: &str, facts: Value) -> anyhow::Result<Page> {
        self.page_with(StatusCode::OK, name, facts)
    }

    pub(super) fn page_with(&self, status: StatusCode, name: &str, facts: Value) -> anyhow::Result<Page> {
        let zone = self.player.as_ref().map_or("UTC", |player| &player.settings.zone);
        let own = context! { viewer => self.userid(), csrf => self.csrf(), zone };
        Ok(Page::html(status, self.site.composer.page(name, context! { ..own, ..facts })?))
    }

    /// The page of an answer, beside other facts; or why there is none.
    pub(super) fn answered(
        &self,
        name: &str,
        facts: Value,
        answer: Result<service::Response, Rejection>,
    ) -> anyhow::Result<Page> {
        match answer {
            Ok(answer) => self.page(name, context! { answer => Serde(answer), ..facts }),
            Err(refused) => self.refusal(&refused),
        }
    }

    /// The page that says why there is no other.
    pub(super) fn refusal(&self, refused: &Rejection) -> anyhow::Result<Page> {
        self.page_with(StatusCode::NOT_FOUND, "refused", context! { refused => Serde(refused) })
    }

    /// The page that says so in a sentence.
    pub(super) fn no(&self, status: StatusCode, message: &str) -> anyhow::Result<Page> {
        let refused = Rejection { message: message.into(), ..Rejection::default() };
        self.page_with(status, "refused", context! { refused => Serde(refused) })
    }

    /// There is no such page.
    pub(super) fn nowhere(&self) -> anyhow::Result<Page> {
        self.no(StatusCode::NOT_FOUND, "There is no such page.")
    }
}
