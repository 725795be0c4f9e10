//! Paged lists.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use super::guard::respond;
use super::table::table;
use crate::numbers::BoardNumber;
use crate::service::administration::{self, Report, ReportPage};
use crate::web::extract::{Path, Query};
use crate::web::page::Page;
use crate::web::page_request::Requester;
use crate::web::site::Site;

/// Rows per page.
const ROWS: u32 = 50;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    /// The search term: a userid, an address or a board number.
    find: String,
    /// The name of a filter of this list.
    only: String,
    /// The page number, from 1.
    page: u32,
}

/// The names of the lists, each with its filters.
const LISTS: [(&str, &[&str]); 9] = [
    ("players", &["paused", "by-boards"]),
    ("boards", &["active"]),
    ("inbox", &["refused", "set-aside"]),
    ("outbox", &["undelivered"]),
    ("bounces", &[]),
    ("acts", &[]),
    ("limits", &[]),
    ("blocked", &[]),
    ("suspicious", &[]),
];

/// Chooses the report that a list shows.
fn report<'a>(list: &str, find: Option<&'a str>, only: &str) -> Report<'a> {
    match list {
        "players" => {
            Report::Players { named: find, idle_days: None, paused: only == "paused", by_boards: only == "by-boards" }
        }
        "boards" => Report::Boards { player: find, against: None, game: None, active: only == "active" },
        "inbox" => Report::Inbox { from: find, on: None, refused: only == "refused", set_aside: only == "set-aside" },
        "outbox" => Report::Letters { to: find, undelivered: only == "undelivered" },
        "acts" => Report::Acts { of: find },
        _ => Report::Bounces,
    }
}

/// `GET /admin/LIST`
pub(crate) async fn list(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(name): Path<String>,
    Query(query): Query<ListQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let Some((list, filters)) = LISTS.iter().find(|(list, _)| *list == name) else { return request.not_found() };
        let find = query.find.trim();
        if *list == "boards"
            && let Ok(number) = find.parse::<BoardNumber>()
        {
            return Ok(Page::redirect(&format!("/admin/boards/{number}")));
        }
        let report = report(list, Some(find).filter(|find| !find.is_empty()), &query.only);
        let number = query.page.max(1);
        // One row more than a page shows, to learn whether there is a next page.
        let part = ReportPage { skip: (number - 1).saturating_mul(ROWS), most: ROWS + 1 };
        let now = request.now;
        let (mut rows, given_up) = request.read(|service, tx| {
            let all = match *list {
                "limits" => Some(service.limit_rows(tx, None, now)?),
                "blocked" => Some(administration::blocked_rows(tx)?),
                "suspicious" => Some(administration::suspicion_rows(tx)?),
                _ => None,
            };
            let rows = match all {
                Some(all) => all.into_iter().skip(part.skip as usize).take(part.most as usize).collect(),
                None => administration::report(tx, &report, part)?,
            };
            let given_up = if *list == "outbox" { administration::given_up(tx)?.len() } else { 0 };
            Ok((rows, given_up))
        })?;
        let more = rows.len() > ROWS as usize;
        rows.truncate(ROWS as usize);
        let page = |number: u32| {
            let number = number.to_string();
            let pairs = [("find", find), ("only", &query.only), ("page", &number)];
            format!("?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
        };
        let facts = context! {
            list => *list, filters => filters.to_vec(), find, only => query.only.clone(), given_up,
            previous => (number > 1).then(|| page(number - 1)),
            next => more.then(|| page(number + 1)),
            table => table(&rows),
        };
        request.page("admin-list", facts)
    })
    .await
}
