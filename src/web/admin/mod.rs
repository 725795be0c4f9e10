//! Pages for administrators: the reports of `turnpost admin`, and a few actions on queues.
//!
//! The configuration names the userids of the administrators. For all other players, these pages do not exist.

mod acts;
mod lists;

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::routing::MethodRouter;

use super::page::PageResult;
use super::page_request::{Fields, PageRequest, form_of, page_of};
use super::site::Site;

/// Routes `/admin` and the paths below it.
pub(crate) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/admin", page(|request, ()| lists::overview(request)))
        .route("/admin/{list}", page(lists::list))
        .route("/admin/messages/{number}", page(lists::mail).merge(form(acts::retry)))
        .route("/admin/letters/{number}", page(lists::letter).merge(form(acts::resend)))
        .route("/admin/resend", form(|request, (), _| acts::resend_all(request)))
        .route("/admin/boards/{number}", page(lists::board))
        .route("/admin/players/{userid}", page(lists::player).merge(form(acts::unpause)))
}

/// Routes `GET` to a page for administrators; other requesters get the page for unknown addresses.
fn page<P: FromRequestParts<Arc<Site>> + Send + 'static>(
    make: fn(&mut PageRequest<'_>, P) -> PageResult,
) -> MethodRouter<Arc<Site>> {
    page_of(move |request: &mut PageRequest<'_>, of| match request.administers() {
        true => make(request, of),
        false => request.not_found(),
    })
}

/// Routes `POST` to an administrator's form; forms of other requesters are ignored.
fn form<P: FromRequestParts<Arc<Site>> + Send + 'static>(
    make: fn(&mut PageRequest<'_>, P, Fields) -> PageResult,
) -> MethodRouter<Arc<Site>> {
    form_of(move |request: &mut PageRequest<'_>, of, fields| match request.administers() {
        true => make(request, of, fields),
        false => request.not_found(),
    })
}
