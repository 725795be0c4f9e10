//! Lists: players, boards, clocks, inbox, outbox.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::numbers::BoardNumber;
use crate::service::{administration, running_clocks};
use crate::store::{Address, OutboxNotice, Pause, Player, Seat, Transaction};

/// The most rows of a list. The database's views show the rest.
const MOST: u32 = 100;

pub(super) fn players(tx: &dyn Transaction) -> anyhow::Result<Vec<Value>> {
    let row = |(player, addresses): (Player, Vec<Address>)| {
        let addresses = addresses.into_iter().map(|address| {
            let mark = match (address.confirmed_at, address.paused) {
                (None, _) => " (not confirmed)".to_owned(),
                (Some(_), None) => String::new(),
                (Some(_), Some(Pause { since, why })) => format!(" (paused {}: {why})", since.format("%Y-%m-%d")),
            };
            address.address + &mark
        });
        let addresses = addresses.collect::<Vec<_>>().join(", ");
        json!({
            "player": player.userid, "since": player.created_at, "left": player.left_at, "blocked": player.blocked_at,
            "addresses": addresses,
        })
    };
    Ok(administration::players(tx)?.into_iter().map(row).collect())
}

pub(super) fn boards(tx: &dyn Transaction) -> anyhow::Result<Vec<Value>> {
    let (boards, challenges) = administration::boards(tx)?;
    let boards = boards.into_iter().map(|board| {
        let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
        let state = match (&board.result, board.to_move) {
            (Some(result), _) => match result.winner {
                Some(seat) => format!("won by {} ({})", board.players[seat.index()].userid, result.reason),
                None => format!("drawn ({})", result.reason),
            },
            (None, Some(seat)) => format!("{}'s turn", board.players[seat.index()].userid),
            (None, None) => "over".to_owned(),
        };
        let row = json!({
            "board": board.number, "game": board.game, "options": board.options, "first": first, "second": second,
            "rated": board.rated, "plies": board.plies, "state": state, "last activity": board.moved_at,
        });
        (board.number, row)
    });
    let offers = challenges.into_iter().map(|offer| {
        let mut players = [offer.challenger.userid.as_str(), "anyone"];
        if offer.seat == Seat::Second {
            players.reverse();
        }
        let row = json!({
            "board": offer.number, "game": offer.game, "options": offer.options, "first": players[0],
            "second": players[1], "rated": offer.rated, "plies": 0, "state": "open challenge",
            "last activity": offer.created_at,
        });
        (offer.number, row)
    });
    let mut rows: Vec<(BoardNumber, Value)> = boards.chain(offers).collect();
    rows.sort_by_key(|(number, _)| *number);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

pub(super) fn clocks(tx: &dyn Transaction, now: DateTime<Utc>) -> anyhow::Result<Vec<Value>> {
    let rows = running_clocks(tx, now)?.into_iter().map(|row| {
        let reminder = match &row.reminder {
            None => "none".to_owned(),
            Some(reminder) => state(reminder),
        };
        let unsent = row.reminder.as_ref().is_none_or(|reminder| reminder.sent_at.is_none());
        // Time is up, but nothing is forfeited before a reminder was sent.
        let late = row.clock.deadline.is_some_and(|deadline| deadline <= now);
        json!({
            "board": row.number, "turn": row.clock.userid, "reminders told": row.reminded, "reminder": reminder,
            "asks next": row.due_at, "deadline": row.clock.deadline, "stands until": row.clock.stands_until,
            "out of reach": row.clock.out_of_reach,
            "note": if late && unsent { "OVERDUE: ITS REMINDER CANNOT BE DELIVERED" } else { "" },
        })
    });
    Ok(rows.collect())
}

pub(super) fn inbox(tx: &dyn Transaction) -> anyhow::Result<Vec<Value>> {
    let rows = administration::inbox(tx, MOST)?.into_iter().map(|row| {
        let verdict = row.verdict.as_ref();
        json!({
            "mail": row.id.0, "received": row.received_at, "attempts": row.attempts,
            "verdict": verdict.map_or(json!("waits"), |verdict| json!(verdict.kind)),
            "from": verdict.and_then(|verdict| verdict.sender.clone()),
            "commands": verdict.map(|verdict| verdict.commands.replace('\n', "; ")),
            "reason": verdict.map(|verdict| verdict.reason.clone()),
        })
    });
    Ok(rows.collect())
}

pub(super) fn outbox(tx: &dyn Transaction, undelivered: bool) -> anyhow::Result<Vec<Value>> {
    let rows = administration::outbox(tx, undelivered, MOST)?.into_iter().map(|row| {
        let player = row.player.as_ref().map(|player| player.userid.clone());
        let with = row.letter.filter(|letter| *letter != row.id).map(|letter| letter.0);
        json!({
            "letter": row.id.0, "written": row.created_at, "about": row.kind, "board": row.board, "entry": row.entry,
            "to": player.or(row.address.clone()), "part of": with, "attempts": row.attempts, "state": state(&row),
        })
    });
    Ok(rows.collect())
}

/// What became of a letter, in words.
pub(super) fn state(row: &OutboxNotice) -> String {
    let at = |time: DateTime<Utc>| time.format("%Y-%m-%dT%H:%M:%SZ");
    match (row.sent_at, row.due_at, &row.error) {
        (Some(sent), ..) => format!("sent {}", at(sent)),
        (None, Some(due), None) => format!("due {}", at(due)),
        (None, Some(due), Some(error)) => format!("due again {}: {error}", at(due)),
        (None, None, Some(error)) => format!("given up: {error}"),
        (None, None, None) => "held until the player does something".to_owned(),
    }
}
