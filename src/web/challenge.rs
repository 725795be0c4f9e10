//! Challenging somebody, or anyone.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use super::visit::{Fields, Posted, Visit, Visitor};
use super::{Page, Site, at_desk, at_desk_with};
use crate::command;
use crate::rules::{Game, catalogue};
use crate::service::{self, Rejection};

/// Who is to be challenged.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Whom {
    opponent: String,
}

/// `GET /games/GAME/challenge`
pub(super) async fn form(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(whom): Query<Whom>,
) -> Response {
    at_desk(site, visitor, move |visit| {
        let Some(game) = catalogue::find(&name) else { return visit.nowhere() };
        if visit.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/games/{name}/challenge")));
        }
        page(visit, StatusCode::OK, game, &whom.opponent, "", None)
    })
    .await
}

fn page(
    visit: &Visit<'_>,
    status: StatusCode,
    game: &dyn Game,
    opponent: &str,
    say: &str,
    refused: Option<String>,
) -> anyhow::Result<Page> {
    let policy = &visit.site.config.policy;
    let terms = context! { nag => policy.nagtime, forfeit => policy.forfeittime, total => policy.totaltime };
    let facts = context! { game => super::pages::told(game), opponent, say, refused, terms };
    visit.page_with(status, "challenge", facts)
}

/// `POST /games/GAME/challenge`
pub(super) async fn challenge(State(site): State<Arc<Site>>, Path(name): Path<String>, posted: Posted) -> Response {
    at_desk_with(site, posted, move |visit, fields| {
        let Some(game) = catalogue::find(&name) else { return visit.nowhere() };
        if visit.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/games/{name}/challenge")));
        }
        let done = match command::parse_words(&words(visit.userid(), game, &fields)) {
            Ok(line) => visit.request(line, fields.some("say"))?,
            Err(error) => Err(Rejection::from(error)),
        };
        match done {
            Ok(service::Response::Challenged { board }) => Ok(Page::redirect(&format!("/boards/{}", board.number))),
            Ok(service::Response::Offered { offer }) => Ok(Page::redirect(&format!("/boards/{}", offer.number))),
            Ok(_) => visit.nowhere(),
            Err(refused) => {
                let message = Some(visit.site.composer.message(&refused.message)?);
                page(visit, StatusCode::CONFLICT, game, fields.get("opponent"), fields.get("say"), message)
            }
        }
    })
    .await
}

/// The line of the command language that the form stands for.
fn words(userid: &str, game: &dyn Game, fields: &Fields) -> Vec<String> {
    let mut words = vec![game.name().to_owned(), "challenge".to_owned()];
    for option in game.options() {
        // One of several stands under the name of all; one with a value has a field of its own.
        match (option.value, fields.some(option.name)) {
            (Some(_), Some(value)) => words.push(format!("-{}={value}", option.name)),
            (None, _) if fields.get("option") == option.name => words.push(format!("-{}", option.name)),
            _ => {}
        }
    }
    for name in ["nagtime", "forfeittime", "totaltime"] {
        words.extend(fields.some(name).map(|days| format!("--{name}={days}")));
    }
    for name in ["unrated", "private"] {
        words.extend(fields.some(name).map(|_| format!("--{name}")));
    }
    let opponent = fields.some("opponent").unwrap_or_else(|| "anyone".to_owned());
    let (first, second) = match fields.get("first") {
        "no" => (opponent, userid.to_owned()),
        _ => (userid.to_owned(), opponent),
    };
    words.extend([first, second]);
    words
}
