//! The pages of administrators: the overview, paged lists, and one message, letter, board or player.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::compose::Composer;
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::service::administration::{
    self, Delivery, DeliveryState, InboxId, OutboxId, Report, ReportPage, ReportRow, Stop,
};
use crate::service::checked_view;
use crate::store::Transaction;
use crate::text;
use crate::web::page::{Page, PageResult};
use crate::web::page_request::{PageRequest, Path, Query};

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
    ("inbox", &["refused", "quarantined"]),
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
        "inbox" => {
            Report::Inbox { from: find, on: None, refused: only == "refused", quarantined: only == "quarantined" }
        }
        "outbox" => Report::Letters { to: find, undelivered: only == "undelivered" },
        "acts" => Report::Acts { of: find },
        _ => Report::Bounces,
    }
}

/// `GET /admin/LIST`
pub(crate) fn list(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<ListQuery>),
) -> PageResult {
    let Some((list, filters)) = LISTS.iter().find(|(list, _)| *list == name) else { return request.not_found() };
    let find = query.find.trim();
    if *list == "boards"
        && let Ok(number) = find.parse::<BoardNumber>()
    {
        return Ok(Page::redirect(&format!("/admin/boards/{number}")));
    }
    let report = report(list, Some(find).filter(|find| !find.is_empty()), &query.only);
    let number = query.page.max(1);
    // Read one row more than a page shows, to learn whether there is a next page.
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
}

/// The page of a report that has only one row.
const ONE: ReportPage = ReportPage { skip: 0, most: 1 };
/// The maximum number of rows in a list on the page of one item.
const SOME: ReportPage = ReportPage { skip: 0, most: 25 };
/// A page for complete lists, with a limit that they never reach.
const ALL: ReportPage = ReportPage { skip: 0, most: 10_000 };

/// `GET /admin/messages/N`: an incoming message and its actions.
pub(crate) fn mail(request: &mut PageRequest<'_>, Path(number): Path<i64>) -> PageResult {
    let mail = InboxId(number);
    let found = request.read(|_, tx| {
        let Some(row) = administration::report(tx, &Report::Mail(mail), ONE)?.pop() else { return Ok(None) };
        let actions = administration::report(tx, &Report::MailActions(mail), ALL)?;
        Ok(Some((row, actions, administration::masked_mail(tx, mail)?)))
    })?;
    let Some((mut row, actions, quarantined)) = found else { return request.not_found() };
    // The page shows each action in a separate row.
    row.0.retain(|(name, _)| name != "actions");
    let text = quarantined.map(|lines| lines.join("\n"));
    request.page("admin-mail", context! { number, card => card(&row), actions => table(&actions), text })
}

/// `GET /admin/letters/N`: a letter and its deliveries. Secrets in its text are masked.
pub(crate) fn letter(request: &mut PageRequest<'_>, Path(number): Path<i64>) -> PageResult {
    let site = request.site;
    let found = request.read(|_, tx| Ok(letter_facts(&site.composer, tx, OutboxId(number), &site.config.address)))?;
    match found? {
        Some(facts) => request.page("admin-letter", facts),
        None => request.not_found(),
    }
}

fn letter_facts(
    composer: &Composer,
    tx: &Transaction<'_>,
    number: OutboxId,
    address: &str,
) -> anyhow::Result<Option<Value>> {
    let notices = administration::letter(tx, number)?;
    let Some(leading) = notices.first() else { return Ok(None) };
    let row = administration::report(tx, &Report::Letter(leading.id), ONE)?.pop().unwrap_or_default();
    let deliveries: Vec<Value> = administration::deliveries(tx, leading.id)?.into_iter().map(delivery).collect();
    let letter = composer.letter(tx, &notices, address)?;
    let subject = administration::without_secrets(tx, &notices, letter.subject)?;
    let text = administration::without_secrets(tx, &notices, letter.text)?;
    Ok(Some(context! { number => leading.id.0, card => card(&row), deliveries, subject, text }))
}

fn delivery(delivery: Delivery) -> Value {
    let Delivery { address, state, at, error } = delivery;
    let state = match state {
        DeliveryState::Failed => "failed",
        DeliveryState::Sent => "sent",
        DeliveryState::Refused => "refused",
        DeliveryState::Bounced => "bounced",
    };
    context! { address, state, at => Serde(at), error }
}

/// `GET /admin/boards/N`: the history of a board, even if its record does not replay.
pub(crate) fn board(request: &mut PageRequest<'_>, Path(number): Path<BoardNumber>) -> PageResult {
    if request.read(|service, tx| service.is_open_challenge(tx, number))? {
        return Ok(Page::redirect(&format!("/boards/{number}")));
    }
    let (site, now) = (request.site, request.now);
    match request.read(|_, tx| Ok(board_facts(&site.composer, tx, number, now)))?? {
        Some(facts) => request.page("admin-board", facts),
        None => request.not_found(),
    }
}

fn board_facts(
    composer: &Composer,
    tx: &Transaction<'_>,
    number: BoardNumber,
    now: DateTime<Utc>,
) -> anyhow::Result<Option<Value>> {
    let Some(board) = administration::board(tx, number)? else { return Ok(None) };
    let (differences, view) = checked_view(tx, &board)?;
    let svg = view.as_ref().map(|view| composer.svg(view)).transpose()?;
    let story = administration::story(tx, number)?;
    let players: Vec<&String> = board.players.iter().map(|player| &player.userid).collect();
    let userid = |seat: Seat| board.players[seat.index()].userid.clone();
    let result = board.result.as_ref().map(|result| {
        context! {
            winner => result.winner.map(userid), reason => result.reason.to_string(), ended_at => Serde(result.ended_at),
        }
    });
    Ok(Some(context! {
        number => number.0,
        game => board.game,
        options => board.options,
        flags => Serde(board.terms.flags),
        players => Serde(players),
        to_move => board.to_move.map(userid),
        since => Serde(board.moved_at),
        days => (now - board.moved_at).num_days(),
        result,
        no_result => Serde(board.no_result),
        differences => Serde(differences),
        genesis => board.genesis,
        svg,
        story => table(&story),
    }))
}

/// `GET /admin/players/USERID`: a player with their addresses, boards, incoming messages and letters.
pub(crate) fn player(request: &mut PageRequest<'_>, Path(userid): Path<String>) -> PageResult {
    let found = request.read(|service, tx| {
        let Some(player) = administration::player(tx, &userid)? else { return Ok(None) };
        let userid = player.userid.as_str();
        let report = |report: Report<'_>, part| administration::report(tx, &report, part);
        let players = Report::Players { named: Some(userid), idle_days: None, paused: false, by_boards: false };
        let facts = context! {
            userid => userid.to_owned(),
            card => card(&own_row(report(players, ALL)?, userid)),
            addresses => Serde(service.addresses(tx, player.id)?),
            boards => table(&report(Report::Boards { player: Some(userid), against: None, game: None, active: false }, SOME)?),
            letters => table(&report(Report::Letters { to: Some(userid), undelivered: false }, SOME)?),
            mails => table(&report(
                Report::Inbox { from: Some(userid), on: None, refused: false, quarantined: false },
                SOME,
            )?),
            ratings => table(&report(Report::RatingHistory(userid), ALL)?),
        };
        Ok(Some(facts))
    })?;
    match found {
        Some(facts) => request.page("admin-player", facts),
        None => request.not_found(),
    }
}

/// Finds a player's row. The other rows belong to players with similar names.
fn own_row(rows: Vec<ReportRow>, userid: &str) -> ReportRow {
    let is_own = |row: &ReportRow| row.0.iter().any(|(name, value)| name == "player" && value == userid);
    let mut row = rows.into_iter().find(is_own).unwrap_or_default();
    // The page shows the addresses and the userid elsewhere.
    row.0.retain(|(name, _)| name != "addresses" && name != "player");
    row
}

/// `GET /admin`
pub(crate) fn overview(request: &mut PageRequest<'_>) -> PageResult {
    let now = request.now;
    let (counts, maintained, paused) = request.read(|_, tx| {
        Ok((administration::counts(tx, now)?, administration::maintenance(tx)?, administration::clocks_paused(tx)?))
    })?;
    let facts_of = |stop: Stop| context! { since => Serde(stop.from), text => stop.reason };
    let (maintenance, paused) = (maintained.map(facts_of), paused.map(facts_of));
    let boards: u32 = counts.boards.iter().map(|(_, count)| count).sum();
    let backup = request.site.host.last_backup().map(|(at, file)| context! { at => Serde(at), file => Serde(file) });
    let (version, data_bytes) = (env!("CARGO_PKG_VERSION"), request.site.host.data_bytes());
    let facts = context! {
        counts => Serde(counts), boards, backup, maintenance, paused, data_bytes, version, now => Serde(now),
    };
    request.page("admin-overview", facts)
}

/// Lays out the rows as a table. All rows have the same columns.
pub(crate) fn table(rows: &[ReportRow]) -> Value {
    let columns: Vec<String> =
        rows.first().map(|row| row.0.iter().map(|(name, _)| heading(name)).collect()).unwrap_or_default();
    let rows =
        rows.iter().map(|row| Value::from(row.0.iter().map(|(name, value)| cell(name, value)).collect::<Vec<_>>()));
    context! { columns, rows => rows.collect::<Vec<_>>() }
}

/// Lays out one row as a list of its columns, one below the other.
pub(crate) fn card(row: &ReportRow) -> Vec<Value> {
    row.0.iter().map(|(name, value)| context! { name => heading(name), cell => cell(name, value) }).collect()
}

fn heading(column: &str) -> String {
    column.replace('_', " ")
}

fn cell(column: &str, value: &Json) -> Value {
    let text = match value {
        Json::Null => String::new(),
        // Make invisible characters visible, because a stranger may have written the text.
        Json::String(words) => text::marked(words),
        // The database returns rounded numbers with a decimal point.
        Json::Number(number) => {
            number.as_f64().filter(|n| n.fract() == 0.0).map_or(number.to_string(), |n| n.to_string())
        }
        other => other.to_string(),
    };
    let is_time = text.len() == "2026-11-21T14:20:33Z".len() && DateTime::parse_from_rfc3339(&text).is_ok();
    let is_number = value.is_number();
    context! { link => link(column, &text), text, is_time, is_number }
}

/// Returns the path of the page about a value in this column, if there is one.
fn link(column: &str, text: &str) -> Option<String> {
    let is_player = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    match column {
        _ if text.is_empty() => None,
        "mail" => Some(format!("/admin/messages/{text}")),
        "letter" => Some(format!("/admin/letters/{text}")),
        "board" => Some(format!("/admin/boards/{text}")),
        // In the rows of open challenges, "anyone" is not a player.
        "player" | "first" | "second" | "to" | "opponent" if is_player && text != "anyone" => {
            Some(format!("/admin/players/{text}"))
        }
        _ => None,
    }
}
