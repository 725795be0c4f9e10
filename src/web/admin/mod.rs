//! Pages for administrators: the reports of `turnpost admin`, and a few actions on queues.
//!
//! The configuration names the userids of the administrators. For all other players, these pages do not exist.

mod acts;
mod lists;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::site::Site;

/// Routes `/admin` and the paths below it.
pub(crate) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/admin", get(lists::overview))
        .route("/admin/{list}", get(lists::list))
        .route("/admin/messages/{number}", get(lists::mail).post(acts::retry))
        .route("/admin/letters/{number}", get(lists::letter).post(acts::resend))
        .route("/admin/resend", post(acts::resend_all))
        .route("/admin/boards/{number}", get(lists::board))
        .route("/admin/players/{userid}", get(lists::player).post(acts::unpause))
}
