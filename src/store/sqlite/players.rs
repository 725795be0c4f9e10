//! Players, their addresses, and the wrong passwords given for them.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Row, params};

use super::query::{all, one, run, run_one};
use super::time::Time;
use crate::store::{Address, Player, PlayerId, Result, Settings};

/// Wrong passwords are counted by the hour; older ones than this only take room.
const WRONG_PASSWORDS_KEPT: TimeDelta = TimeDelta::days(7);

pub(super) const BY_USERID: &str = "SELECT id, userid, password_hash, created_at FROM players WHERE userid = ?1";
pub(super) const BY_ADDRESS: &str = "SELECT p.id, p.userid, p.password_hash, p.created_at FROM addresses a \
     JOIN players p ON p.id = a.player WHERE a.address = ?1 AND a.confirmed_at IS NOT NULL";
pub(super) const ADDRESSES: &str = "SELECT address, confirmed_at FROM addresses WHERE player = ?1 ORDER BY id";
pub(super) const WRONG_PASSWORDS: &str = "SELECT count(*) FROM wrong_passwords WHERE userid = ?1 AND given_at >= ?2";
pub(super) const OLD_WRONG_PASSWORDS: &str = "DELETE FROM wrong_passwords WHERE given_at < ?1";

fn player(row: &Row<'_>) -> rusqlite::Result<Player> {
    Ok(Player {
        id: PlayerId(row.get(0)?),
        userid: row.get(1)?,
        password_hash: row.get(2)?,
        created_at: row.get::<_, Time>(3)?.0,
        settings: Settings::default(),
        told: false,
        signoff: None,
        left_at: None,
    })
}

pub(super) fn by_userid(db: &Connection, userid: &str) -> Result<Option<Player>> {
    one(db, BY_USERID, [userid], player)
}

pub(super) fn every(db: &Connection) -> Result<Vec<Player>> {
    all(db, "SELECT id, userid, password_hash, created_at FROM players ORDER BY userid", [], player)
}

pub(super) fn by_address(db: &Connection, address: &str) -> Result<Option<Player>> {
    one(db, BY_ADDRESS, [address], player)
}

pub(super) fn add(db: &Connection, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
    run(
        db,
        "INSERT INTO players (userid, password_hash, created_at) VALUES (?1, ?2, ?3)",
        params![userid, password_hash, Time(now)],
    )?;
    Ok(PlayerId(db.last_insert_rowid()))
}

pub(super) fn set_password(db: &Connection, id: PlayerId, password_hash: &str) -> Result<()> {
    let sql = "UPDATE players SET password_hash = ?2 WHERE id = ?1";
    run_one(db, sql, params![id.0, password_hash], "there is no such player")
}

pub(super) fn addresses(db: &Connection, id: PlayerId) -> Result<Vec<Address>> {
    all(db, ADDRESSES, [id.0], |row| {
        Ok(Address { address: row.get(0)?, confirmed_at: row.get::<_, Option<Time>>(1)?.map(|time| time.0) })
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
