//! `turnpost admin`: what the database holds, for the administrator.

use std::fmt::Write;
use std::path::Path;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::desk::{self, BoardView, Moment, board_view};
use crate::serve::House;
use crate::store::{Ledger, OutboxId, Store};
use crate::world::World;

use super::Exit;
use super::line::print;

/// Rows of a list at most; the sqlite3 shell and the database's views show the rest.
const MOST: u32 = 100;

/// What to look at.
#[derive(Subcommand)]
pub(super) enum Admin {
    /// Players and their addresses
    Players,
    /// Every board
    Boards,
    /// One board's whole record, its hash chain checked
    Board {
        /// Its number
        number: u32,
    },
    /// The last mails that came, and what became of them
    Inbox,
    /// The last letters, and whether they left
    Outbox {
        /// Only those not delivered
        #[arg(long)]
        undelivered: bool,
    },
    /// Send a letter again, whatever became of it
    Resend {
        /// Its number in the outbox
        letter: i64,
    },
}

/// Runs one of them.
pub(super) fn admin(data: &Path, what: Admin, as_json: bool) -> anyhow::Result<Exit> {
    super::logs::start(super::logs::Level::Warn, false);
    let mut house = House::open(data, World::REAL)?;
    if let Admin::Resend { letter } = what {
        return resend(&mut house, letter);
    }
    let ledger = house.store.read()?;
    let ledger = ledger.as_ref();
    let rows = match what {
        Admin::Players => players(ledger)?,
        Admin::Boards => boards(ledger)?,
        Admin::Board { number } => return board(ledger, number, as_json),
        Admin::Inbox => inbox(ledger)?,
        Admin::Outbox { undelivered } => outbox(ledger, undelivered)?,
        Admin::Resend { .. } => unreachable!("dealt with above"),
    };
    print(&if as_json { Value::from(rows).to_string() + "\n" } else { table(&rows) })?;
    Ok(Exit::Done)
}

fn resend(house: &mut House, letter: i64) -> anyhow::Result<Exit> {
    let now = (house.world.now)();
    let mut ledger = house.store.write()?;
    if !ledger.resend(OutboxId(letter), now)? {
        eprintln!("turnpost: there is no letter {letter}; `turnpost admin outbox` lists them");
        return Ok(Exit::Refused);
    }
    ledger.commit()?;
    house.hand_over()?;
    let letters = house.store.read()?.outbox(false, u32::MAX)?;
    let letter = letters.into_iter().find(|row| row.id.0 == letter);
    let state = letter.map_or_else(String::new, |row| state(&row));
    print(&format!("{state}\n"))?;
    Ok(Exit::Done)
}

fn players(ledger: &dyn Ledger) -> anyhow::Result<Vec<Value>> {
    let row = |player: crate::store::Player| {
        let addresses = ledger.addresses(player.id)?.into_iter().map(|address| {
            let mark = if address.confirmed_at.is_some() { "" } else { " (not confirmed)" };
            address.address + mark
        });
        let addresses = addresses.collect::<Vec<_>>().join(", ");
        Ok(json!({ "player": player.userid, "since": player.created_at, "addresses": addresses }))
    };
    ledger.players()?.into_iter().map(row).collect()
}

fn boards(ledger: &dyn Ledger) -> anyhow::Result<Vec<Value>> {
    let rows = ledger.boards(None, None, false)?.into_iter().map(|board| {
        let [(_, first), (_, second)] = &board.players;
        let state = match (&board.result, board.to_move) {
            (Some(result), _) => match result.winner {
                Some(seat) => format!("won by {} ({})", board.players[seat.index()].1, result.reason),
                None => format!("drawn ({})", result.reason),
            },
            (None, Some(seat)) => format!("{}'s turn", board.players[seat.index()].1),
            (None, None) => "over".to_owned(),
        };
        json!({
            "board": board.number, "game": board.game, "options": board.options, "first": first, "second": second,
            "plies": board.plies, "state": state, "last activity": board.moved_at,
        })
    });
    Ok(rows.collect())
}

fn board(ledger: &dyn Ledger, number: u32, as_json: bool) -> anyhow::Result<Exit> {
    let Some(view) = board_view(ledger, number, Moment::Now, Some(0), true)? else {
        eprintln!("turnpost: there is no board {number}");
        return Ok(Exit::Refused);
    };
    let genesis = ledger.board(number)?.map(|board| board.genesis).unwrap_or_default();
    let broken = first_broken_link(&genesis, &view);
    if as_json {
        print(&(json!({ "board": view, "genesis": genesis, "chain_broken_at": broken }).to_string() + "\n"))?;
    } else {
        let players = view.seats.iter().map(|seat| format!("{} ({})", seat.userid, seat.mark)).collect::<Vec<_>>();
        let mut text = format!(
            "{} board {number}: {}\noptions: {}\n\n{}\n",
            view.title,
            players.join(" against "),
            if view.options.is_empty() { "none" } else { &view.options },
            view.drawing
        );
        let rows = ledger.entries(number)?.into_iter().map(|mv| {
            let seat = &view.seats[mv.seat.map_or(0, |seat| seat.index())];
            json!({ "ply": mv.ply, "player": seat.userid, "move": mv.text, "made at": mv.made_at, "via": mv.via,
                    "hash": mv.hash })
        });
        text += &table(&rows.collect::<Vec<_>>());
        match broken {
            None => writeln!(text, "\nThe hash chain holds, from {genesis}.")?,
            Some(ply) => writeln!(text, "\nTHE HASH CHAIN IS BROKEN AT PLY {ply}: it was changed after it was made.")?,
        }
        print(&text)?;
    }
    Ok(if broken.is_none() { Exit::Done } else { Exit::Refused })
}

/// The first ply whose hash is not the one that its move gives.
fn first_broken_link(genesis: &str, view: &BoardView) -> Option<u32> {
    let mut head = genesis.to_owned();
    for mv in &view.moves {
        head = desk::chain::next(&head, mv.ply, &mv.text);
        if head != mv.hash {
            return Some(mv.ply);
        }
    }
    None
}

fn inbox(ledger: &dyn Ledger) -> anyhow::Result<Vec<Value>> {
    let rows = ledger.inbox(MOST)?.into_iter().map(|row| {
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

fn outbox(ledger: &dyn Ledger, undelivered: bool) -> anyhow::Result<Vec<Value>> {
    let rows = ledger.outbox(undelivered, MOST)?.into_iter().map(|row| {
        let player = row.player.as_ref().map(|(_, userid)| userid.clone());
        json!({
            "letter": row.id.0, "written": row.created_at, "about": row.kind, "board": row.board, "entry": row.entry,
            "to": player.or(row.address.clone()), "attempts": row.attempts, "state": state(&row),
        })
    });
    Ok(rows.collect())
}

fn state(row: &crate::store::OutboxNotice) -> String {
    match (row.sent_at, row.due_at, &row.error) {
        (Some(sent), ..) => format!("sent {}", sent.format("%Y-%m-%dT%H:%M:%SZ")),
        (None, Some(due), None) => format!("due {}", due.format("%Y-%m-%dT%H:%M:%SZ")),
        (None, Some(due), Some(error)) => format!("due again {}: {error}", due.format("%Y-%m-%dT%H:%M:%SZ")),
        (None, None, error) => format!("given up: {}", error.as_deref().unwrap_or("no reason recorded")),
    }
}

/// Rows of the same keys, as columns.
fn table(rows: &[Value]) -> String {
    let Some(first) = rows.first().and_then(Value::as_object) else { return "Nothing.\n".to_owned() };
    let keys: Vec<&String> = first.keys().collect();
    let cell = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        // What came by mail must not drive the terminal.
        Value::String(text) => text.chars().map(|c| if c.is_control() { '?' } else { c }).collect(),
        other => other.to_string(),
    };
    let mut lines = vec![keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| keys.iter().map(|key| cell(&row[key.as_str()])).collect()));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..keys.len()).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
