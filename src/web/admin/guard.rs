//! Who may see the pages of the administration.

use std::sync::Arc;

use axum::response::Response;

use crate::web::page::Page;
use crate::web::page_request::{self, Fields, PageRequest, PostedForm, Requester};
use crate::web::site::Site;

/// Makes a page for administrators; for others there is none.
pub(super) async fn respond(
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

/// Does what an administrator's form asks for; what others send does nothing.
pub(super) async fn respond_to_form(
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
