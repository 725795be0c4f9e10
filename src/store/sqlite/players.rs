//! Players, their addresses, and the wrong passwords given for them.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Row, params};

use super::column::{Cells, Typed};
use super::query::{all, one, run, run_one};
use super::time::Time;
use super::tokens;
use crate::command::MailForm;
use crate::store::{Address, Player, PlayerId, Result, Settings};

/// Wrong passwords are counted by the hour; older ones than this only take room.
const WRONG_PASSWORDS_KEPT: TimeDelta = TimeDelta::days(7);

const COLUMNS: &str = "SELECT p.id, p.userid, p.password_hash, p.created_at, p.mail, p.rhythm, p.reminders, p.zone, \
     p.weekend, p.letters, p.dmarc, p.told, p.signoff_code, p.signoff_at, p.left_at FROM players p";
const NOBODY: &str = "there is no such player";
const NO_ADDRESS: &str = "the player has no such address";

pub(super) const ADDRESSES: &str =
    "SELECT address, confirmed_at, paused_at, paused_why FROM addresses WHERE player = ?1 ORDER BY id";
pub(super) const WRONG_PASSWORDS: &str = "SELECT count(*) FROM wrong_passwords WHERE userid = ?1 AND given_at >= ?2";
pub(super) const OLD_WRONG_PASSWORDS: &str = "DELETE FROM wrong_passwords WHERE given_at < ?1";

/// The statement that finds a player.
pub(super) fn by_userid_sql() -> String {
    format!("{COLUMNS} WHERE p.userid = ?1")
}

/// The statement that finds the owner of an address.
pub(super) fn by_address_sql() -> String {
    format!("{COLUMNS} JOIN addresses a ON a.player = p.id WHERE a.address = ?1 AND a.confirmed_at IS NOT NULL")
}

fn player(row: &Row<'_>) -> rusqlite::Result<Player> {
    let mut cells = Cells::of(row);
    Ok(Player {
        id: PlayerId(cells.take()?),
        userid: cells.take()?,
        password_hash: cells.take()?,
        created_at: cells.time()?,
        settings: Settings {
            mail: cells.take::<Typed<_>>()?.0,
            rhythm: cells.take::<Typed<_>>()?.0,
            reminders: cells.take::<Typed<_>>()?.0,
            zone: cells.take()?,
            weekend: cells.take::<Typed<_>>()?.0,
            letters: cells.take::<Typed<_>>()?.0,
            dmarc: cells.take::<Typed<_>>()?.0,
        },
        notified: cells.take()?,
        signoff: cells.take::<Option<String>>()?.zip(cells.time_if_any()?),
        left_at: cells.time_if_any()?,
    })
}

pub(super) fn by_userid(db: &Connection, userid: &str) -> Result<Option<Player>> {
    one(db, &by_userid_sql(), [userid], player)
}

pub(super) fn by_id(db: &Connection, id: PlayerId) -> Result<Option<Player>> {
    one(db, &format!("{COLUMNS} WHERE p.id = ?1"), [id.0], player)
}

pub(super) fn every(db: &Connection) -> Result<Vec<Player>> {
    all(db, &format!("{COLUMNS} ORDER BY p.userid"), [], player)
}

pub(super) fn by_address(db: &Connection, address: &str) -> Result<Option<Player>> {
    one(db, &by_address_sql(), [address], player)
}

pub(super) fn add(db: &Connection, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
    run(
        db,
        "INSERT INTO players (userid, password_hash, created_at, mail) VALUES (?1, ?2, ?3, ?4)",
        params![userid, password_hash, Time(now), MailForm::default().to_string()],
    )?;
    Ok(PlayerId(db.last_insert_rowid()))
}

pub(super) fn set_password(db: &Connection, id: PlayerId, password_hash: &str) -> Result<()> {
    let sql = "UPDATE players SET password_hash = ?2 WHERE id = ?1";
    run_one(db, sql, params![id.0, password_hash], NOBODY)?;
    // Whoever changes his password may do so because somebody else has it, and with it a token.
    tokens::remove_all(db, id)
}

pub(super) fn set_settings(db: &Connection, id: PlayerId, settings: &Settings) -> Result<()> {
    let sql = "UPDATE players SET mail = ?2, rhythm = ?3, reminders = ?4, zone = ?5, weekend = ?6, \
         letters = ?7, dmarc = ?8 WHERE id = ?1";
    let Settings { mail, rhythm, reminders, zone, weekend, letters, dmarc } = settings;
    let (mail, rhythm, reminders, weekend) = (Typed(mail), Typed(rhythm), Typed(reminders), Typed(weekend));
    let params = params![id.0, mail, rhythm, reminders, zone, weekend, Typed(letters), Typed(dmarc)];
    run_one(db, sql, params, NOBODY)
}

pub(super) fn set_notified(db: &Connection, id: PlayerId, notified: bool) -> Result<()> {
    run_one(db, "UPDATE players SET told = ?2 WHERE id = ?1", params![id.0, notified], NOBODY)
}

pub(super) fn begin_signoff(db: &Connection, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE players SET signoff_code = ?2, signoff_at = ?3 WHERE id = ?1";
    run_one(db, sql, params![id.0, code, Time(now)], NOBODY)
}

/// Vacations stay: they are part of the past of clocks.
pub(super) fn leave(db: &Connection, id: PlayerId, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE players SET password_hash = '', signoff_code = NULL, signoff_at = NULL, left_at = ?2 \
         WHERE id = ?1";
    run_one(db, sql, params![id.0, Time(now)], NOBODY)?;
    for table in ["addresses", "tokens", "hooks", "wishes", "followers", "notes", "sessions", "login_links"] {
        run(db, &format!("DELETE FROM {table} WHERE player = ?1"), [id.0])?;
    }
    Ok(())
}

pub(super) fn addresses(db: &Connection, id: PlayerId) -> Result<Vec<Address>> {
    all(db, ADDRESSES, [id.0], |row| {
        let mut cells = Cells::of(row);
        Ok(Address {
            address: cells.take()?,
            confirmed_at: cells.time_if_any()?,
            paused: cells.time_if_any()?.zip(cells.take()?),
        })
    })
}

/// Given again before it is confirmed, an address awaits the newer code only; once confirmed it stays so.
pub(super) fn add_address(
    db: &Connection,
    id: PlayerId,
    address: &str,
    code: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let confirmed_at = code.is_none().then_some(Time(now));
    run(
        db,
        "INSERT INTO addresses (player, address, code, added_at, confirmed_at) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (player, address) DO UPDATE SET code = excluded.code, confirmed_at = excluded.confirmed_at \
         WHERE confirmed_at IS NULL",
        params![id.0, address, code, Time(now), confirmed_at],
    )?;
    Ok(())
}

pub(super) fn remove_address(db: &Connection, id: PlayerId, address: &str) -> Result<()> {
    run(db, "DELETE FROM addresses WHERE player = ?1 AND address = ?2", params![id.0, address])?;
    Ok(())
}

pub(super) fn confirm_address(db: &Connection, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>> {
    // Two players may await the same address; the first to confirm it owns it, and the other's code is void.
    let sql = "UPDATE addresses SET code = NULL, confirmed_at = ?3 \
         WHERE id = (SELECT a.id FROM addresses a WHERE a.player = ?1 AND a.code = ?2 AND NOT EXISTS \
             (SELECT 1 FROM addresses o WHERE o.address = a.address AND o.confirmed_at IS NOT NULL) LIMIT 1) \
         RETURNING address";
    one(db, sql, params![id.0, code, Time(now)], |row| row.get(0))
}

pub(super) fn pause_address(db: &Connection, id: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE addresses SET paused_at = ?3, paused_why = ?4 \
         WHERE player = ?1 AND address = ?2 AND confirmed_at IS NOT NULL";
    run_one(db, sql, params![id.0, address, Time(now), why], NO_ADDRESS)
}

pub(super) fn resume_address(db: &Connection, id: PlayerId, address: &str) -> Result<()> {
    let sql = "UPDATE addresses SET paused_at = NULL, paused_why = NULL WHERE player = ?1 AND address = ?2";
    run_one(db, sql, params![id.0, address], NO_ADDRESS)
}

pub(super) fn count_wrong_password(db: &Connection, userid: &str, now: DateTime<Utc>) -> Result<()> {
    if let Some(old) = now.checked_sub_signed(WRONG_PASSWORDS_KEPT) {
        run(db, OLD_WRONG_PASSWORDS, [Time(old)])?;
    }
    run(db, "INSERT INTO wrong_passwords (userid, given_at) VALUES (?1, ?2)", params![userid, Time(now)])?;
    Ok(())
}

pub(super) fn wrong_passwords(db: &Connection, userid: &str, since: DateTime<Utc>) -> Result<u32> {
    Ok(one(db, WRONG_PASSWORDS, params![userid, Time(since)], |row| row.get(0))?.unwrap_or(0))
}
