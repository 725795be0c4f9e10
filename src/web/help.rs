//! Help pages: the texts of the help letters, with diagrams.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use minijinja::context;
use minijinja::value::Serde;

use super::extract::Path;
use super::game_facts::{game_facts, games_by_kind};
use super::page::Page;
use super::page_request::{Requester, respond};
use super::site::Site;
use crate::rules::catalogue;
use crate::service::{HELP_PAGES, help_topics};

/// `GET /help`
pub(crate) async fn overview() -> Response {
    Page::redirect("/help/overview").into_response()
}

/// `GET /help/TOPIC`
pub(crate) async fn help(State(site): State<Arc<Site>>, requester: Requester, Path(topic): Path<String>) -> Response {
    respond(site, requester, move |request| {
        if !help_topics().contains(&topic.as_str()) {
            return request.not_found();
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
    })
    .await
}
