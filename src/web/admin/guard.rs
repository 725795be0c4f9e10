//! Access control of the administration pages.

use std::sync::Arc;

use axum::response::Response;

use crate::web::page::Page;
use crate::web::page_request::{self, Fields, PageRequest, PostedForm, Requester};
use crate::web::site::Site;

/// Makes a page for an administrator; other requesters get the page for unknown addresses.
pub(crate) async fn respond(
    site: Arc<Site>,
    requester: Requester,
    make: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    page_request::respond(site, requester, move |request| match request.administers() {
        true => make(request),
        false => request.not_found(),
    })
    .await
}

/// Processes an administrator's form; forms of other requesters have no effect.
pub(crate) async fn respond_to_form(
    site: Arc<Site>,
    form: PostedForm,
    make: impl FnOnce(&mut PageRequest<'_>, Fields) -> anyhow::Result<Page> + Send + 'static,
) -> Response {
    page_request::respond_to_form(site, form, move |request, fields| match request.administers() {
        true => make(request, fields),
        false => request.not_found(),
    })
    .await
}
