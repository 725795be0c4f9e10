//! Players.

use chrono::{DateTime, Utc};

use super::tokens;
use super::{Cells, Nocase, Row, Session, Time, Typed, all, cell, one, params, run, run_one};
use crate::clock::Span;
use crate::command::MailForm;
use crate::store::{Player, PlayerId, Players, Result, Settings, Signoff};

const COLUMNS: &str = "SELECT p.id, p.userid, p.password_hash, p.created_at, p.mail, p.rhythm, p.reminders, p.zone, \
     p.weekend, p.letters, p.own, p.dmarc, p.theme, p.hints, p.chat, p.signoff_code, p.signoff_at, p.left_at, p.blocked_at, \
     p.back_in_reach_at FROM players p";
/// The tables of what is a player's own.
const OWN: [&str; 13] = [
    "addresses",
    "tokens",
    "hooks",
    "wishes",
    "followers",
    "puzzle_readers",
    "solved_puzzles",
    "muted_boards",
    "turn_letters",
    "notes",
    "sessions",
    "browsers",
    "login_links",
];
const NOBODY: &str = "there is no such player";

pub(super) const UNCONFIRMED: &str = "SELECT DISTINCT a.player FROM addresses a \
     WHERE a.confirmed_at IS NULL AND (a.added_at < ?1 \
         OR a.added_at >= ?2 AND a.id < (SELECT max(id) FROM addresses WHERE added_at < ?1)) AND NOT EXISTS \
         (SELECT 1 FROM addresses o WHERE o.player = a.player AND o.confirmed_at IS NOT NULL) ORDER BY a.player";

/// No character of a userid comes after the tilde.
pub(super) const USERIDS: &str = "SELECT userid FROM players WHERE lower(userid) >= ?1 AND lower(userid) < ?1 || '~' \
     ORDER BY lower(userid) LIMIT ?2";

/// The statement for the first players by userid.
pub(super) fn first_sql() -> String {
    format!("{COLUMNS} WHERE p.left_at IS NULL ORDER BY lower(p.userid) LIMIT ?1")
}

/// The statement that finds a player.
pub(super) fn by_userid_sql() -> String {
    format!("{COLUMNS} WHERE lower(p.userid) = ?1")
}

/// The statement that finds the owner of an address.
pub(super) fn by_address_sql() -> String {
    format!("{COLUMNS} JOIN addresses a ON a.player = p.id WHERE lower(a.address) = ?1 AND a.confirmed_at IS NOT NULL")
}

pub(in crate::store) fn player(row: &Row<'_>) -> Result<Player> {
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
            own: cells.take::<Typed<_>>()?.0,
            dmarc: cells.take::<Typed<_>>()?.0,
            theme: cells.take::<Typed<_>>()?.0,
            hints: cells.take::<Typed<_>>()?.0,
            chat: cells.take::<Typed<_>>()?.0,
        },
        signoff: signoff(&mut cells)?,
        left_at: cells.time_if_any()?,
        blocked_at: cells.time_if_any()?,
        back_in_reach_at: cells.time_if_any()?,
    })
}

fn signoff(cells: &mut Cells<'_>) -> Result<Option<Signoff>> {
    let (code, given_at) = (cells.take::<Option<String>>()?, cells.time_if_any()?);
    Ok(code.zip(given_at).map(|(code, given_at)| Signoff { code, given_at }))
}

impl<S: Session> Players for S {
    fn player(&self, userid: &str) -> Result<Option<Player>> {
        let is_it = |known: &Player| known.userid.eq_ignore_ascii_case(userid);
        self.known().players.get(is_it, || one(self.db(), &by_userid_sql(), params![Nocase(userid)], player))
    }

    fn player_by_id(&self, id: PlayerId) -> Result<Option<Player>> {
        let read = || one(self.db(), &format!("{COLUMNS} WHERE p.id = ?1"), params![id.0], player);
        self.known().players.get(|known| known.id == id, read)
    }

    fn players(&self) -> Result<Vec<Player>> {
        all(self.db(), &format!("{COLUMNS} ORDER BY lower(p.userid)"), &[], player)
    }

    fn first_players(&self, most: u32) -> Result<Vec<Player>> {
        all(self.db(), &first_sql(), params![most], player)
    }

    fn userids(&self, beginning: &str, most: u32) -> Result<Vec<String>> {
        all(self.db(), USERIDS, params![Nocase(beginning), most], |row| row.get(0))
    }

    fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
        let db = self.writable()?;
        cell(
            db,
            "INSERT INTO players (userid, password_hash, created_at, mail) VALUES (?1, ?2, ?3, ?4) RETURNING id",
            params![userid, password_hash, Time(now), MailForm::default().to_string()],
        )
        .map(PlayerId)
    }

    fn set_password(&mut self, id: PlayerId, password_hash: &str) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE players SET password_hash = ?2 WHERE id = ?1";
        run_one(db, sql, params![id.0, password_hash], NOBODY)?;
        // A player may change their password because somebody else has it, and has made a token with it.
        tokens::remove_all(db, id)
    }

    fn unconfirmed_players(&self, waits: &Span) -> Result<Vec<PlayerId>> {
        all(self.db(), UNCONFIRMED, params![Time(waits.from), Time(waits.until)], |row| row.get(0).map(PlayerId))
    }

    fn remove_player(&mut self, id: PlayerId) -> Result<bool> {
        let db = self.writable()?;
        let played = "SELECT EXISTS (SELECT 1 FROM seats WHERE player = ?1) \
             OR EXISTS (SELECT 1 FROM offers WHERE challenger = ?1) \
             OR EXISTS (SELECT 1 FROM boards WHERE ?1 IN (challenger, declined_by)) \
             OR EXISTS (SELECT 1 FROM comments WHERE player = ?1)";
        if one(db, played, params![id.0], |row| row.get(0))?.unwrap_or(true) {
            return Ok(false);
        }
        for table in OWN.into_iter().chain(["vacations"]) {
            run(db, &format!("DELETE FROM {table} WHERE player = ?1"), params![id.0])?;
        }
        // What was written to them stays, without its reader: others' letters may be bound to it.
        let sql = "UPDATE outbox SET player = NULL, address = coalesce(address, 'nobody'), due_at = NULL, held = false \
             WHERE player = ?1";
        run(db, sql, params![id.0])?;
        run(db, "UPDATE inbox SET author = NULL WHERE author = ?1", params![id.0])?;
        run(db, "DELETE FROM acts WHERE ?1 IN (player, by_player)", params![id.0])?;
        run_one(db, "DELETE FROM players WHERE id = ?1", params![id.0], NOBODY)?;
        Ok(true)
    }

    fn set_settings(&mut self, id: PlayerId, settings: &Settings) -> Result<()> {
        let sql = "UPDATE players SET mail = ?2, rhythm = ?3, reminders = ?4, zone = ?5, weekend = ?6, \
             letters = ?7, own = ?8, dmarc = ?9, theme = ?10, hints = ?11, chat = ?12 WHERE id = ?1";
        let Settings { mail, rhythm, reminders, zone, weekend, letters, own, dmarc, theme, hints, chat } = settings;
        let (mail, rhythm, reminders, weekend) = (Typed(mail), Typed(rhythm), Typed(reminders), Typed(weekend));
        let (letters, own, dmarc) = (Typed(letters), Typed(own), Typed(dmarc));
        let (theme, hints, chat) = (Typed(theme), Typed(hints), Typed(chat));
        let params = params![id.0, mail, rhythm, reminders, zone, weekend, letters, own, dmarc, theme, hints, chat];
        run_one(self.writable()?, sql, params, NOBODY)
    }

    fn set_blocked(&mut self, id: PlayerId, blocked_at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE players SET blocked_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, blocked_at.map(Time)], NOBODY)
    }

    fn set_back_in_reach(&mut self, id: PlayerId, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET back_in_reach_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, Time(at)], NOBODY)
    }

    fn begin_signoff(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET signoff_code = ?2, signoff_at = ?3 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, code, Time(now)], NOBODY)
    }

    // Vacations stay: past clock times depend on them.
    fn leave(&mut self, id: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE players SET password_hash = '', signoff_code = NULL, signoff_at = NULL, left_at = ?2 \
             WHERE id = ?1";
        run_one(db, sql, params![id.0, Time(now)], NOBODY)?;
        for table in OWN {
            run(db, &format!("DELETE FROM {table} WHERE player = ?1"), params![id.0])?;
        }
        Ok(())
    }
}
