//! Pages that everybody may see: the games, their boards, players, standings and help.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{Page, Site};
use crate::desk::{Answer, Refused, help_topics};
use crate::rules::{Game, catalogue};

const STYLE: &str = include_str!("../../templates/web/style.css");
const ICON: &str = include_str!("../../templates/web/icon.svg");

/// What the server is, and its games.
pub(super) async fn home(State(site): State<Arc<Site>>) -> Response {
    let games: Vec<Value> = catalogue::GAMES.iter().map(|game| told(*game)).collect();
    let facts = context! { games, address => site.config.address.clone() };
    page(&site, "home", facts)
}

/// The one style sheet.
pub(super) async fn style() -> Response {
    Page::file("text/css; charset=utf-8", STYLE).into_response()
}

/// What a browser shows beside the title.
pub(super) async fn icon() -> Response {
    Page::file("image/svg+xml", ICON).into_response()
}

/// A page of help, as it is mailed.
pub(super) async fn help(State(site): State<Arc<Site>>, Path(topic): Path<String>) -> Response {
    let topics = help_topics();
    if !topics.contains(&topic.as_str()) {
        return nowhere(State(site)).await;
    }
    let text = match site.composer.answer(&Answer::Help { pages: vec![topic.clone()] }) {
        Ok(text) => text,
        Err(error) => return failed(&error),
    };
    page(&site, "help", context! { topic, topics, text })
}

/// There is no such page.
pub(super) async fn nowhere(State(site): State<Arc<Site>>) -> Response {
    let refused = Refused { message: "There is no such page.".to_owned(), ..Refused::default() };
    refusal(&site, &refused).map_or_else(|error| failed(&error), IntoResponse::into_response)
}

/// The page of an answer, beside other facts; or why there is none.
pub(super) fn answered(site: &Site, name: &str, facts: Value, answer: Result<Answer, Refused>) -> anyhow::Result<Page> {
    match answer {
        Ok(answer) => {
            let facts = context! { answer => Serde(answer), ..facts };
            Ok(Page::html(StatusCode::OK, site.composer.page(name, facts)?))
        }
        Err(refused) => refusal(site, &refused),
    }
}

/// The page that says why there is no other.
pub(super) fn refusal(site: &Site, refused: &Refused) -> anyhow::Result<Page> {
    Ok(Page::html(StatusCode::NOT_FOUND, site.composer.page("refused", context! { refused => Serde(refused) })?))
}

fn page(site: &Site, name: &str, facts: Value) -> Response {
    match site.composer.page(name, facts) {
        Ok(html) => Page::html(StatusCode::OK, html).into_response(),
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> Response {
    tracing::error!(error = format!("{error:#}"), "a page failed");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

/// A game, for a page.
pub(super) fn told(game: &dyn Game) -> Value {
    context! { name => game.name(), title => game.title(), designer => game.designer() }
}
