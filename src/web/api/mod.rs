//! The face for programs: JSON in and out, under `/api/v1`.
//!
//! One [table] says what there is; the routes and the OpenAPI document are made from it, so that what is there is
//! told. A program shows a token in place of a password, and no cookie is ever looked at: what another site's page makes a
//! browser send says nothing here.

mod boards;
mod call;
mod events;
mod games;
mod hook;
mod lines;
mod me;
mod openapi;
mod table;
mod trouble;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use super::Site;
use super::client::Client;
use super::pool::with_store;
use crate::store::{Player, Store};
use call::{Asked, Call};
use table::{Endpoint, Need, Run};
use trouble::Trouble;

/// Every endpoint of the table.
pub(super) fn router() -> Router<Arc<Site>> {
    let mut router = Router::new();
    for endpoint in table::endpoints() {
        let method = MethodFilter::try_from(endpoint.method.clone()).expect("the table names usual methods");
        let answer = move |State(site): State<Arc<Site>>, request: Request| async move {
            answer(endpoint, site, request).await.unwrap_or_else(IntoResponse::into_response)
        };
        router = router.route(endpoint.path, on(method, answer));
    }
    router.fallback(nowhere).method_not_allowed_fallback(no_method)
}

pub(super) async fn nowhere() -> Trouble {
    Trouble::new(StatusCode::NOT_FOUND, "There is nothing here; /api/v1/openapi.json says what there is.")
}

async fn no_method() -> Trouble {
    let message = "This method is not for this path; /api/v1/openapi.json says which are.";
    Trouble::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

async fn answer(endpoint: &'static Endpoint, site: Arc<Site>, request: Request) -> Result<Response, Trouble> {
    let (mut parts, body) = request.into_parts();
    let path = RawPathParams::from_request_parts(&mut parts, &()).await;
    let path = path.map_err(|error| Trouble::new(error.status(), error.body_text()))?;
    let client = match Client::from_request_parts(&mut parts, &site).await {
        Ok(client) => client,
        Err(never) => match never {},
    };
    let asked = Asked {
        client,
        path: path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        query: query(endpoint, parts.uri.query().unwrap_or_default())?,
        token: token(&parts.headers)?,
        now: (site.world.now)(),
    };
    if endpoint.token == Need::Token && asked.token.is_none() {
        return Err(Trouble::unknown("This needs a token: Authorization: Bearer tp_…"));
    }
    match &endpoint.run {
        Run::Now(run) => {
            let body = if endpoint.body.is_some() {
                json(&parts.headers)?;
                let request = Request::from_parts(parts, body);
                let body = Bytes::from_request(request, &()).await;
                body.map_err(|error| Trouble::new(error.status(), error.body_text()))?
            } else {
                Bytes::new()
            };
            let done = with_store(site, move |site, store| {
                let player = player(site, store, &asked)?;
                Ok(player.and_then(|player| run(&mut Call { site, store, player, asked: &asked }, &body)))
            });
            let body = done.await.map_err(Trouble::from)??;
            let headers = [
                (CONTENT_TYPE.as_str(), "application/json"),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ];
            Ok((endpoint.status, headers, body).into_response())
        }
        Run::Events => events::stream(site, asked, &parts.headers).await,
    }
}

/// The parameters behind the `?`, each of which the endpoint must know.
fn query(endpoint: &Endpoint, query: &str) -> Result<Vec<(String, String)>, Trouble> {
    let mut given: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let known: Vec<&str> = endpoint.query.iter().map(|parameter| parameter.name).collect();
        let message = match () {
            () if known.is_empty() => format!("There is no parameter {name:?} here, nor any other."),
            () if !known.contains(&&*name) => {
                format!("There is no parameter {name:?} here; these are known: {}.", known.join(", "))
            }
            () if given.iter().any(|(other, _)| *other == name) => format!("The parameter {name:?} is given twice."),
            () => {
                given.push((name.into_owned(), value.into_owned()));
                continue;
            }
        };
        return Err(Trouble::new(StatusCode::BAD_REQUEST, message));
    }
    Ok(given)
}

/// The token that a request shows, if it shows one.
fn token(headers: &HeaderMap) -> Result<Option<String>, Trouble> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let shown = header.to_str().ok().and_then(|header| header.split_once(' '));
    match shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) {
        Some((_, token)) => Ok(Some(token.trim().to_owned())),
        None => Err(Trouble::unknown("A token is shown so: Authorization: Bearer tp_…")),
    }
}

/// Refuses a body that does not say that it is JSON: a page of another site cannot send one without being asked first.
fn json(headers: &HeaderMap) -> Result<(), Trouble> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => {
            Err(Trouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be of Content-Type application/json."))
        }
    }
}

/// Whose token it is; nobody's, when none is shown.
fn player(site: &Site, store: &mut dyn Store, asked: &Asked) -> anyhow::Result<Result<Option<Player>, Trouble>> {
    let Some(token) = &asked.token else { return Ok(Ok(None)) };
    let service = site.config.service(site.world);
    let found = service.player_by_token(&*store.read()?, token, asked.now)?;
    let Some((player, to_note)) = found else {
        return Ok(Err(Trouble::unknown(
            "This token is not known; it may have been revoked, or the password changed.",
        )));
    };
    if to_note {
        let mut tx = store.write()?;
        service.note_use(&mut *tx, token, asked.now)?;
        tx.commit()?;
    }
    Ok(Ok(Some(player)))
}
