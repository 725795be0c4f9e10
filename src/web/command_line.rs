//! The page for the command language, which runs any line that a message can contain.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::{Value, context};

use super::page::Page;
use super::page_request::{Answer, Fields, PageRequest, PostedForm, Requester, respond, respond_to_form, status};
use super::site::Site;
use crate::command;

/// `GET /command`
pub(crate) async fn form(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| form_page(request, StatusCode::OK, ("", ""), None)).await
}

/// `POST /command`: shows the answer in the format of the shell.
pub(crate) async fn run(State(site): State<Arc<Site>>, form: PostedForm) -> Response {
    respond_to_form(site, form, |request, fields| match run_typed_line(request, &fields)? {
        Ok(answer) => {
            let text = request.site.composer.answer(&answer)?;
            let boards: Vec<u32> = answer.boards().iter().map(|board| board.number.0).collect();
            form_page(request, StatusCode::OK, ("", ""), Some(context! { text, boards }))
        }
        Err(rejection) => {
            let text = request.site.composer.refused(&rejection)?;
            let output = context! { text, boards => Vec::<u32>::new() };
            // The parsed line hides its password, so the page can show it for editing.
            let status = status(&rejection, StatusCode::CONFLICT);
            form_page(request, status, (&rejection.line, fields.get("say")), Some(output))
        }
    })
    .await
}

fn run_typed_line(request: &mut PageRequest<'_>, fields: &Fields) -> Answer {
    let line = match command::parse(fields.get("line")) {
        Ok(line) => line,
        Err(error) => return Ok(Err(request.not_understood(error)?)),
    };
    request.run(line, fields.some("say"))
}

fn form_page(
    request: &PageRequest<'_>,
    status: StatusCode,
    (line, say): (&str, &str),
    output: Option<Value>,
) -> anyhow::Result<Page> {
    request.page_with(status, "command", context! { line, say, output })
}
