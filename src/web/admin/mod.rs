//! Pages for administrators: the reports of `turnpost admin`, and a few actions on queues.
//!
//! The configuration names the userids of the administrators. For all other players, these pages do not exist.

mod acts;
mod guard;
mod lists;
mod one;
mod overview;
mod table;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::site::Site;

/// Routes `/admin` and the paths below it.
pub(crate) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/admin", get(overview::overview))
        .route("/admin/{list}", get(lists::list))
        .route("/admin/messages/{number}", get(one::mail).post(acts::retry))
        .route("/admin/letters/{number}", get(one::letter).post(acts::resend))
        .route("/admin/resend", post(acts::resend_all))
        .route("/admin/boards/{number}", get(one::board))
        .route("/admin/players/{userid}", get(one::player).post(acts::unpause))
}
