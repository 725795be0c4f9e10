//! Pages that everybody may see: the games, their boards, players, standings and help.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use minijinja::{Value, context};

use super::visit::Visitor;
use super::{Page, Site, at_desk};
use crate::rules::{Game, catalogue};
use crate::service::{self, help_topics};

/// What the server is, and its games.
pub(super) async fn home(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| {
        visit.page("home", context! { games => games(), address => visit.site.config.address.clone() })
    })
    .await
}

/// A file that pages refer to.
pub(super) async fn file(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let (name, kind) = match uri.path() {
        "/script.js" => ("script.js", "text/javascript; charset=utf-8"),
        "/icon.svg" => ("icon.svg", "image/svg+xml"),
        _ => ("style.css", "text/css; charset=utf-8"),
    };
    match site.composer.file(name) {
        Ok(text) => Page::file(kind, text).into_response(),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a file failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A page of help, as it is mailed.
pub(super) async fn help(State(site): State<Arc<Site>>, visitor: Visitor, Path(topic): Path<String>) -> Response {
    at_desk(site, visitor, move |visit| {
        let topics = help_topics();
        if !topics.contains(&topic.as_str()) {
            return visit.nowhere();
        }
        let text = visit.site.composer.answer(&service::Response::Help { pages: vec![topic.clone()] })?;
        visit.page("help", context! { topic, topics, text })
    })
    .await
}

/// There is no such page.
pub(super) async fn nowhere(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| visit.nowhere()).await
}

/// All games, for a template.
pub(super) fn games() -> Vec<Value> {
    catalogue::GAMES.iter().map(|game| told(*game)).collect()
}

/// A game, for a template.
pub(super) fn told(game: &dyn Game) -> Value {
    let options = game.options().iter().map(|option| {
        context! { name => option.name, value => option.value, about => option.about }
    });
    let options: Vec<Value> = options.collect();
    context! { name => game.name(), title => game.title(), designer => game.designer(), options }
}
