//! Feeds of boards, players and events (Atom, RFC 4287), and players' calendars (iCalendar, RFC 5545). They need no
//! login.

use axum::http::HeaderMap;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::board::PickQuery;
use super::board_files::tagged_file;
use super::page::{Page, PageResult};
use super::page_request::{PageRequest, Path, Query};
use super::player;
use super::player::PageQuery;
use super::{board, events};
use crate::clock::rfc3339;
use crate::command::{Command, GameCommand};
use crate::numbers::BoardNumber;
use crate::rules::{Game, catalogue};
use crate::service::{self, BoardRow, BoardsOf, Cursor, EntryView};

/// The maximum number of entries of a feed.
const MOST: usize = 30;
/// The longest line of a calendar, in octets, without the line break.
const LONGEST_LINE: usize = 75;
const ATOM: &str = "application/atom+xml; charset=utf-8";

/// `GET /boards/N`, or its feed: `GET /boards/N.atom`.
pub(crate) fn board(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query), headers): (Path<String>, Query<PickQuery>, HeaderMap),
) -> PageResult {
    let (number, is_feed) = match name.strip_suffix(".atom") {
        Some(number) => (number, true),
        None => (name.as_str(), false),
    };
    match number.parse().map(BoardNumber) {
        Ok(number) if is_feed => board_feed(request, number, &headers),
        Ok(number) => board::now(request, number, &query),
        Err(_) => request.not_found(),
    }
}

/// `GET /players/USERID`, or the feed of a player's boards: `GET /players/USERID.atom`. A userid may end in `.atom`.
pub(crate) fn player(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query), headers): (Path<String>, Query<PageQuery>, HeaderMap),
) -> PageResult {
    match name.strip_suffix(".atom") {
        Some(userid) if request.read(|service, tx| service.player_id(tx, &name))?.is_none() => {
            player_feed(request, userid, &headers)?.map_or_else(|| request.not_found(), Ok)
        }
        _ => player::show(request, &name, &query, false, context! {}),
    }
}

/// `GET /events/NAME`, or the feed of an event: `GET /events/NAME.atom`. A name may end in `.atom`.
pub(crate) fn event(request: &mut PageRequest<'_>, (Path(name), headers): (Path<String>, HeaderMap)) -> PageResult {
    let Some(of) = name.strip_suffix(".atom") else { return events::shown(request, name, None) };
    if request.read(|service, tx| service.event_feed(tx, &name, 0))?.is_some() {
        return events::shown(request, name, None);
    }
    let feed = request.read(|service, tx| service.event_feed(tx, of, MOST))?;
    let Some(mut feed) = feed else { return request.not_found() };
    feed.news.truncate(MOST);
    let updated = rfc3339(feed.news.first().map_or(feed.created_at, |news| news.at));
    let facts = context! { feed => Serde(feed), updated, address => request.address() };
    Ok(feed_file(&request.site.composer.feed("event.atom", facts)?, &headers))
}

/// `GET /calendar/TOKEN.ics`
pub(crate) fn calendar(request: &mut PageRequest<'_>, Path(name): Path<String>) -> PageResult {
    let (token, now) = (name.strip_suffix(".ics").unwrap_or_default(), request.now);
    let Some((userid, rows)) = request.read(|service, tx| service.calendar(tx, token, now))? else {
        return request.not_found();
    };
    let host = request.client.host.clone();
    let facts = context! { userid, rows => Serde(rows), host, address => request.address() };
    let text = request.site.composer.feed("calendar.ics", facts)?;
    Ok(Page::file("text/calendar; charset=utf-8", folded(&text)))
}

/// Returns a feed. If the reader already has the same feed, returns only its entity tag.
fn feed_file(feed: &str, headers: &HeaderMap) -> Page {
    tagged_file(ATOM, feed.as_bytes(), headers)
}

/// Makes the feed of a board: its last entries, the newest first.
fn board_feed(request: &mut PageRequest<'_>, number: BoardNumber, headers: &HeaderMap) -> PageResult {
    let game = request.read(|service, tx| service.game_of(tx, number))?;
    let Some(game) = game.and_then(|game| catalogue::find(&game)).map(Game::name) else { return request.not_found() };
    let command = GameCommand::History { board: number, json: false };
    let (board, record) = match request.run_command(Command::Game { game: Some(game), command }, None)? {
        Ok(service::Response::History { board, record, .. }) => (board, record),
        Ok(_) => return request.not_found(),
        Err(rejection) => return request.rejection_page(rejection),
    };
    let said = |entry: &EntryView| {
        let comments = record.comments.iter().filter(|comment| comment.entry == entry.entry);
        let facts = comments.map(|comment| context! { userid => comment.player.clone(), text => comment.text.clone() });
        facts.collect::<Vec<_>>()
    };
    let entries =
        board.news.iter().rev().take(MOST).map(|entry| context! { said => said(entry), ..Value::from(Serde(entry)) });
    let entries: Vec<Value> = entries.collect();
    let updated = rfc3339(board.news.last().and_then(|entry| entry.made_at).unwrap_or(record.created_at));
    let facts = context! { board => Serde(&board), entries, updated, address => request.address() };
    Ok(feed_file(&request.site.composer.feed("board.atom", facts)?, headers))
}

/// Creates the feed of a player's boards, the latest change first; `None` if there is no such player.
fn player_feed(request: &mut PageRequest<'_>, userid: &str, headers: &HeaderMap) -> anyhow::Result<Option<Page>> {
    let from = request.origin();
    let found = request.read(|service, tx| {
        let Some(id) = service.player_id(tx, userid)? else { return Ok(None) };
        let player = service.player(tx, id)?;
        let mut rows: Vec<BoardRow> = Vec::new();
        for over in [false, true] {
            rows.extend(service.board_page(tx, &from, BoardsOf::Player(id, None), over, Cursor::Newest)?.boards);
        }
        Ok(player.map(|player| (player, rows)))
    })?;
    let Some((player, mut rows)) = found else { return Ok(None) };
    rows.sort_by_key(|row| std::cmp::Reverse(row.moved_at));
    rows.truncate(MOST);
    let updated = rfc3339(rows.first().map_or(player.created_at, |row| row.moved_at));
    let facts = context! { userid => player.userid, rows => Serde(rows), updated, address => request.address() };
    Ok(Some(feed_file(&request.site.composer.feed("player.atom", facts)?, headers)))
}

/// Ends the lines of a calendar as RFC 5545 requires, and folds long ones.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        let mut octets = 0;
        for character in line.chars() {
            if octets + character.len_utf8() > LONGEST_LINE {
                folded.push_str("\r\n ");
                octets = 1;
            }
            octets += character.len_utf8();
            folded.push(character);
        }
        folded.push_str("\r\n");
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_between_characters() {
        let text = format!("SUMMARY:{}\nEND:VEVENT\n", "ö".repeat(60));
        let calendar = folded(&text);
        assert!(calendar.split("\r\n").all(|line| line.len() <= LONGEST_LINE), "{calendar}");
        assert_eq!(calendar.replace("\r\n ", "").replace("\r\n", "\n"), text);
    }
}
