//! The pages of one incoming message, letter, board or player.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::guard::respond;
use super::table::{card, table};
use crate::compose::Composer;
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::service::administration::{self, Delivery, DeliveryState, InboxId, OutboxId, Report, ReportPage, ReportRow};
use crate::service::{NoResult, checked_view};
use crate::store::Transaction;
use crate::web::extract::Path;
use crate::web::page::Page;
use crate::web::page_request::Requester;
use crate::web::site::Site;

/// The only row of a report.
const ONE: ReportPage = ReportPage { skip: 0, most: 1 };
/// The longest list on the page of one item.
const SOME: ReportPage = ReportPage { skip: 0, most: 25 };
/// More rows than any message has actions.
const ALL: ReportPage = ReportPage { skip: 0, most: 10_000 };

/// `GET /admin/messages/N`: an incoming message and its actions.
pub(crate) async fn mail(State(site): State<Arc<Site>>, requester: Requester, Path(number): Path<i64>) -> Response {
    respond(site, requester, move |request| {
        let mail = InboxId(number);
        let found = request.read(|_, tx| {
            let Some(row) = administration::report(tx, &Report::Mail(mail), ONE)?.pop() else { return Ok(None) };
            let actions = administration::report(tx, &Report::MailActions(mail), ALL)?;
            Ok(Some((row, actions, administration::masked_mail(tx, mail)?)))
        })?;
        let Some((mut row, actions, set_aside)) = found else { return request.not_found() };
        // Each action has its own row below.
        row.0.retain(|(name, _)| name != "actions");
        let text = set_aside.map(|lines| lines.join("\n"));
        request.page("admin-mail", context! { number, card => card(&row), actions => table(&actions), text })
    })
    .await
}

/// `GET /admin/letters/N`: a letter and its deliveries, without reply tokens and login links.
pub(crate) async fn letter(State(site): State<Arc<Site>>, requester: Requester, Path(number): Path<i64>) -> Response {
    respond(site, requester, move |request| {
        let site = request.site;
        let found =
            request.read(|_, tx| Ok(letter_facts(&site.composer, tx, OutboxId(number), &site.config.address)))?;
        match found? {
            Some(facts) => request.page("admin-letter", facts),
            None => request.not_found(),
        }
    })
    .await
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
    let subject = administration::without_tokens(tx, letter.subject)?;
    let text = administration::without_tokens(tx, letter.text)?;
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
pub(crate) async fn board(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(number): Path<BoardNumber>,
) -> Response {
    respond(site, requester, move |request| {
        if request.read(|service, tx| service.is_open_challenge(tx, number))? {
            return Ok(Page::redirect(&format!("/boards/{number}")));
        }
        let (site, now) = (request.site, request.now);
        match request.read(|_, tx| Ok(board_facts(&site.composer, tx, number, now)))?? {
            Some(facts) => request.page("admin-board", facts),
            None => request.not_found(),
        }
    })
    .await
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
        no_result => board.no_result.map(NoResult::name),
        differences => Serde(differences),
        genesis => board.genesis,
        svg,
        story => table(&story),
    }))
}

/// `GET /admin/players/USERID`: a player with their addresses, boards, incoming messages and letters.
pub(crate) async fn player(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(userid): Path<String>,
) -> Response {
    respond(site, requester, move |request| {
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
                    Report::Inbox { from: Some(userid), on: None, refused: false, set_aside: false },
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
    })
    .await
}

/// Finds a player's row among those of players with similar names.
fn own_row(rows: Vec<ReportRow>, userid: &str) -> ReportRow {
    let is_own = |row: &ReportRow| row.0.iter().any(|(name, value)| name == "player" && value == userid);
    let mut row = rows.into_iter().find(is_own).unwrap_or_default();
    // The addresses have a separate list.
    row.0.retain(|(name, _)| name != "addresses" && name != "player");
    row
}
