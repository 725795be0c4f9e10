//! The overview page: the state of the server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::guard::respond;
use crate::service::administration;
use crate::web::page_request::Requester;
use crate::web::site::Site;

/// `GET /admin`
pub(crate) async fn overview(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| {
        let now = request.now;
        let (counts, maintained) =
            request.read(|_, tx| Ok((administration::counts(tx, now)?, administration::maintenance(tx)?)))?;
        let maintenance = maintained.map(|stop| context! { since => Serde(stop.from), text => stop.reason });
        let boards: u32 = counts.boards.iter().map(|(_, count)| count).sum();
        let backup =
            request.site.host.last_backup().map(|(at, file)| context! { at => Serde(at), file => Serde(file) });
        let (version, data_bytes) = (env!("CARGO_PKG_VERSION"), request.site.host.data_bytes());
        let facts =
            context! { counts => Serde(counts), boards, backup, maintenance, data_bytes, version, now => Serde(now) };
        request.page("admin-overview", facts)
    })
    .await
}
