//! Rebuilds a server from its export, in the caller's transaction, which the caller drops on any error.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde_json::Value;

use super::export::{Head, ServerHead};
use super::loader::Loader;
use super::seal::{Passphrase, Place, SALT, Seal};
use super::tables::{Counts, moved};
use super::tables::{Fault, Read, fault};
use super::tables::{Lines, object};
use super::{FORMAT, Result, TransferError, previous};
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::rules::catalogue;
use crate::service::board::{check, rate};
use crate::service::puzzle::search::puzzle_at;
use crate::store::{StopCause, StoreError, Transaction};
use crate::text::{Message, unhex};
use crate::token::Key;
use crate::world::World;

/// Reads the export of a complete server into an empty database. The passphrase decrypts the secrets in it. The
/// import takes effect when the caller commits.
///
/// # Errors
/// [`TransferError::NotEmpty`]; [`TransferError::Line`] if a line is invalid; or if the store or reading fails.
pub fn import(
    tx: &mut Transaction<'_>,
    world: World,
    passphrase: Option<&Passphrase>,
    lines: impl BufRead,
) -> Result<Counts> {
    if let Some(there) = what_is_there(tx)? {
        return Err(TransferError::NotEmpty(there));
    }
    let mut at = 0;
    let mut lines = (1..).zip(lines.lines()).inspect(|(line, _)| at = *line);
    read(tx, world, passphrase, &mut lines).map_err(|fault| fault.in_line(at))
}

/// Checks the first line of an export, and the passphrase, before a database exists.
///
/// # Errors
/// [`TransferError::Line`] if the line is missing or invalid, or the passphrase does not open the export.
pub fn check_first_line(text: &str, passphrase: Option<&Passphrase>) -> Result<()> {
    if text.is_empty() {
        return Err(TransferError::Line { line: 1, what: message!("import.cut") });
    }
    let opened = head(text).and_then(|head| seal_and_key(&head, passphrase));
    opened.map(drop).map_err(|fault| fault.in_line(1))
}

fn what_is_there(tx: &Transaction<'_>) -> Result<Option<Message>> {
    let mut tables = Vec::new();
    for table in moved(tx)? {
        if tx.has_rows(&table)? {
            tables.push(table.name);
        }
    }
    let userids: Vec<String> = tx.players()?.into_iter().map(|player| player.userid).collect();
    Ok((!tables.is_empty()).then(|| message!("import.not-empty", userids, tables)))
}

fn read(tx: &mut Transaction<'_>, world: World, passphrase: Option<&Passphrase>, lines: Lines<'_>) -> Read<Counts> {
    let Some((_, first)) = lines.next() else { return fault(message!("import.cut")) };
    let head = head(&first?)?;
    let seal = keys(tx, &head, passphrase)?;
    let mut loader = Loader::new(tx, seal)?;
    let mut last_numbers = head.server.as_ref().map(|server| server.last_numbers.clone()).unwrap_or_default();
    match head.format == FORMAT {
        true => tx.without_triggers(|tx| rows(tx, &mut loader, lines))?,
        false => last_numbers = previous::read(tx, world, &mut loader, &head, lines)?,
    }
    finish(tx, &last_numbers)?;
    Ok(loader.counts)
}

/// Reads the first line. Checks the format first, because later formats may have additional fields.
fn head(text: &str) -> Read<Head> {
    let format = serde_json::from_str::<Value>(text).ok().and_then(|head| Some(head["format"].as_str()?.to_owned()));
    match format.as_deref() {
        Some(format) if format == FORMAT || previous::FORMATS.contains(&format) => {}
        Some(other) if other.starts_with("turnpost export ") => {
            return fault(message!("import.format", format = other, known = FORMAT));
        }
        _ => return fault(message!("import.no-export", known = FORMAT)),
    }
    let head: Head =
        serde_json::from_str(text).or_else(|error| fault(message!("import.first-line", error = error.to_string())))?;
    match head.of.as_str() {
        "server" if head.format != previous::FORMATS[0] && head.server.is_none() => fault(message!("import.no-server")),
        "server" => Ok(head),
        _ => fault(message!("import.of-one-player")),
    }
}

/// Imports the server's id, its key, and the time when a process last checked the players' clocks. Returns the seal
/// that decrypts the export's secrets.
fn keys(tx: &mut Transaction<'_>, head: &Head, passphrase: Option<&Passphrase>) -> Read<Option<Seal>> {
    let (seal, key) = seal_and_key(head, passphrase)?;
    let Some(ServerHead { server_id, clocks_seen_at, .. }) = &head.server else { return Ok(seal) };
    // The server's id is part of every Message-ID, so only some characters are valid.
    if server_id.is_empty() || !server_id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return fault(message!("import.server-id", server_id));
    }
    // The time between the export and the import is an outage.
    if let Some(seen_at) = clocks_seen_at {
        tx.set_clocks_seen_at(*seen_at)?;
    }
    tx.set_keys(server_id, key.map(Key::new).as_ref())?;
    Ok(seal)
}

/// Returns the seal that decrypts the export's secrets, and the server's key, if the export contains it.
fn seal_and_key(head: &Head, passphrase: Option<&Passphrase>) -> Read<(Option<Seal>, Option<[u8; 32]>)> {
    let sealed = head.server.as_ref().and_then(|server| server.sealed.as_ref());
    match (sealed, passphrase) {
        (None, None) => Ok((None, None)),
        (Some(_), None) => fault(message!("import.needs-passphrase")),
        (None, Some(_)) => fault(message!("import.no-key")),
        (Some(sealed), Some(passphrase)) => {
            let salt = unhex(&sealed.salt).and_then(|salt| <[u8; SALT]>::try_from(salt).ok());
            let Some(salt) = salt else { return fault(message!("import.sealed")) };
            let seal = Seal::new(passphrase, salt);
            let Some(key) = seal.open(&Place::KEY, &sealed.key.sealed) else {
                return fault(message!("import.wrong-passphrase"));
            };
            let key = <[u8; 32]>::try_from(key).map_err(|_| Fault::What(message!("import.sealed")))?;
            Ok((Some(seal), Some(key)))
        }
    }
}

/// Adds the rows of all lines.
fn rows(tx: &mut Transaction<'_>, loader: &mut Loader, lines: Lines<'_>) -> Read<()> {
    let mut has_ended = false;
    for (line, text) in lines {
        let text = text?;
        if has_ended {
            return fault(message!("import.after-end"));
        }
        let mut row = object(&text)?;
        match (row.remove("table"), row.remove("end")) {
            (Some(Value::String(table)), None) => loader.add(tx, line, &table, &row)?,
            (None, Some(counts)) => {
                compare(&counts, &loader.counts)?;
                has_ended = true;
            }
            _ => return fault(message!("import.no-row-line")),
        }
    }
    if has_ended { Ok(()) } else { fault(message!("import.cut")) }
}

fn compare(counts: &Value, here: &Counts) -> Read<()> {
    let counts: Counts = serde_json::from_value(counts.clone())
        .or_else(|error| fault(message!("import.no-line", what = error.to_string(), column = 1)))?;
    match counts.differences(here).first() {
        Some((table, counted, here)) => {
            fault(message!("import.lines-missing", table, counted = *counted, here = *here))
        }
        None => Ok(()),
    }
}

/// Computes the ratings, and checks all imported data.
fn finish(tx: &mut Transaction<'_>, last_numbers: &BTreeMap<String, i64>) -> Read<()> {
    tx.set_last_numbers(last_numbers)?;
    if let Some(stop) = tx.lasting(StopCause::Held)? {
        tx.set_letters_held_at(Some(stop.from))?;
    }
    let rated = rate::un_rate_from(tx, 1)?;
    rate::rate_again(tx, &rated)?;
    let report = check::check(&*tx).map_err(|error| match error {
        StoreError::Record(why) => Fault::What(Message::verbatim(why.to_string())),
        error => Fault::Store(error),
    })?;
    if let Some(difference) = report.differences.into_iter().next() {
        return fault(message!("import.difference", difference));
    }
    // Reading the players checks their settings.
    tx.players()?;
    for game in catalogue::GAMES {
        for puzzle in tx.puzzles(game.name(), PuzzleNumber::default(), u32::MAX)? {
            let public = tx
                .board(puzzle.board)?
                .filter(|of| of.to_move.is_none() && !of.terms.flags.private && of.game == puzzle.game);
            let found = public.map(|board| puzzle_at(tx, &board, puzzle.ply)).transpose()?.flatten();
            if found.is_none_or(|found| found != (puzzle.position, puzzle.solution)) {
                return fault(message!("import.puzzle", game = puzzle.game, number = puzzle.number));
            }
        }
    }
    Ok(())
}
