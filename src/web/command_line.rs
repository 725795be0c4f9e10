//! The command language in a page: whatever a mail can say.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::{Value, context};

use super::limits::TOO_OFTEN;
use super::visit::{Posted, Visit, Visitor};
use super::{Page, Site, at_desk, at_desk_with};
use crate::command;
use crate::service::Rejection;

/// `GET /command`
pub(super) async fn form(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| page(visit, StatusCode::OK, "", "", None)).await
}

/// `POST /command`: the answer, as a shell prints it.
pub(super) async fn run(State(site): State<Arc<Site>>, posted: Posted) -> Response {
    at_desk_with(site, posted, |visit, fields| {
        let (typed, say) = (fields.get("line"), fields.some("say"));
        let done = match command::parse(typed) {
            // A password typed here is tried; somebody who tries many is to wait.
            Ok(line) if line.command.changes() && !visit.site.limits.try_once(visit.client.key(), visit.now) => {
                Err(Rejection { message: TOO_OFTEN.into(), ..Rejection::default() })
            }
            Ok(line) => {
                let (changes, done) = (line.command.changes(), visit.request(line, say)?);
                if changes && done.is_ok() {
                    visit.site.limits.forgive(visit.client.key());
                }
                done
            }
            Err(error) => Err(Rejection::from(error)),
        };
        match done {
            Ok(answer) => {
                let text = visit.site.composer.answer(&answer)?;
                let boards: Vec<u32> = answer.boards().iter().map(|board| board.number).collect();
                let told = context! { text, boards };
                page(visit, StatusCode::OK, "", "", Some(told))
            }
            Err(refused) => {
                let text = visit.site.composer.refused(&refused)?;
                let told = context! { text, boards => Vec::<u32>::new() };
                // With its password hidden, what was typed can be typed again.
                page(visit, StatusCode::CONFLICT, &refused.line.clone(), fields.get("say"), Some(told))
            }
        }
    })
    .await
}

fn page(visit: &Visit<'_>, status: StatusCode, line: &str, say: &str, told: Option<Value>) -> anyhow::Result<Page> {
    visit.page_with(status, "command", context! { line, say, told })
}
