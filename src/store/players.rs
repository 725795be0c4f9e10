//! Players, and what they have set about themselves.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Nocase, Row, Time, Typed, all, cell, one, params, run, run_one};
use super::{Result, Transaction};
use crate::clock::Span;
use crate::command::{ChatReaders, Dmarc, Hints, MailForm, OwnLetters, Reminders, Rhythm, UnsolicitedLetters, Weekend};
use crate::draw::Theme;

/// A player's key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub i64);

/// A player as other things name them: by key and userid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    /// Key in the database.
    pub id: PlayerId,
    /// The name that people know.
    pub userid: String,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Key in the database.
    pub id: PlayerId,
    /// As signed up: the case is kept, and the name is unique in any case.
    pub userid: String,
    /// argon2 in PHC form; empty once they have left.
    pub password_hash: String,
    /// When they signed up.
    pub created_at: DateTime<Utc>,
    /// What they have set.
    pub settings: Settings,
    /// Their request to leave, which waits to be confirmed.
    pub signoff: Option<Signoff>,
    /// When they left.
    pub left_at: Option<DateTime<Utc>>,
    /// When an administrator blocked them: they can do nothing, and get no letters.
    pub blocked_at: Option<DateTime<Utc>>,
    /// When they were last out of reach and could be reached again.
    pub back_in_reach_at: Option<DateTime<Utc>>,
}

/// A player's request to leave, which they must confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signoff {
    /// The code that confirms it.
    pub code: String,
    /// When the code was given.
    pub given_at: DateTime<Utc>,
}

/// What a player has set about themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How letters show boards.
    pub mail: MailForm,
    /// How often letters come.
    pub rhythm: Rhythm,
    /// Which reminders come.
    pub reminders: Reminders,
    /// A name of the IANA time zone database.
    pub zone: String,
    /// The days on which their clocks stand still.
    pub weekend: Weekend,
    /// What is sent without their asking for it.
    pub letters: UnsolicitedLetters,
    /// Whether they get letters about what they did or saw in the browser.
    pub own: OwnLetters,
    /// What mail in their name must show.
    pub dmarc: Dmarc,
    /// The colours of the boards on pages.
    pub theme: Theme,
    /// Whether they are told what computer players expect.
    pub hints: Hints,
    /// Who may read the chat of their boards.
    pub chat: ChatReaders,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mail: MailForm::default(),
            rhythm: Rhythm::default(),
            reminders: Reminders::default(),
            zone: "UTC".to_owned(),
            weekend: Weekend::default(),
            letters: UnsolicitedLetters::default(),
            own: OwnLetters::default(),
            dmarc: Dmarc::default(),
            theme: Theme::default(),
            hints: Hints::default(),
            chat: ChatReaders::default(),
        }
    }
}

const COLUMNS: &str = "SELECT p.id, p.userid, p.password_hash, p.created_at, p.mail, p.rhythm, p.reminders, p.zone, \
     p.weekend, p.letters, p.own, p.dmarc, p.theme, p.hints, p.chat, p.signoff_code, p.signoff_at, p.left_at, p.blocked_at, \
     p.back_in_reach_at FROM players p";
/// The tables of what is a player's own.
const OWN: [&str; 13] = [
    "addresses",
    "tokens",
    "webhooks",
    "preferences",
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
pub(super) const REMOVE_TOKENS: &str = "DELETE FROM tokens WHERE player = ?1";
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

impl Cells<'_> {
    /// Reads two cells: key and userid.
    pub(super) fn player(&mut self) -> Result<PlayerRef> {
        Ok(PlayerRef { id: PlayerId(self.take()?), userid: self.take()? })
    }

    /// Reads two cells: key and userid, or two empty ones.
    pub(super) fn player_if_any(&mut self) -> Result<Option<PlayerRef>> {
        let (id, userid) = (self.take::<Option<i64>>()?, self.take::<Option<String>>()?);
        Ok(id.map(PlayerId).zip(userid).map(|(id, userid)| PlayerRef { id, userid }))
    }
}

/// Players and their passwords.
///
/// Needs: a userid is unique in any case, also among players added at the same time.
impl Transaction<'_> {
    /// Finds the player of a userid, in any case.
    pub fn player(&self, userid: &str) -> Result<Option<Player>> {
        let is_it = |known: &Player| known.userid.eq_ignore_ascii_case(userid);
        self.known().players.get(is_it, || one(self.db(), &by_userid_sql(), params![Nocase(userid)], player))
    }

    /// Finds the player of a key.
    pub fn player_by_id(&self, id: PlayerId) -> Result<Option<Player>> {
        let read = || one(self.db(), &format!("{COLUMNS} WHERE p.id = ?1"), params![id.0], player);
        self.known().players.get(|known| known.id == id, read)
    }

    /// Lists every player, by userid.
    pub fn players(&self) -> Result<Vec<Player>> {
        all(self.db(), &format!("{COLUMNS} ORDER BY lower(p.userid)"), &[], player)
    }

    /// Lists the players who have not left, by userid, so many at most.
    pub fn first_players(&self, most: u32) -> Result<Vec<Player>> {
        all(self.db(), &first_sql(), params![most], player)
    }

    /// Lists the userids that begin with these letters, in order, so many at most.
    pub fn userids(&self, beginning: &str, most: u32) -> Result<Vec<String>> {
        all(self.db(), USERIDS, params![Nocase(beginning), most], |row| row.get(0))
    }

    /// Adds a player. Fails when the userid is taken.
    pub fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
        let db = self.writable()?;
        cell(
            db,
            "INSERT INTO players (userid, password_hash, created_at, mail) VALUES (?1, ?2, ?3, ?4) RETURNING id",
            params![userid, password_hash, Time(now), MailForm::default().to_string()],
        )
        .map(PlayerId)
    }

    /// Replaces the password hash, and removes the player's tokens.
    pub fn set_password(&mut self, id: PlayerId, password_hash: &str) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE players SET password_hash = ?2 WHERE id = ?1";
        run_one(db, sql, params![id.0, password_hash], NOBODY)?;
        // A player may change their password because somebody else has it, and has made a token with it.
        run(db, REMOVE_TOKENS, params![id.0]).map(drop)
    }

    /// Lists the players who have an address that was added before the time `waits` and not confirmed, and none that was. An
    /// address that was added after that time is as old as one that was added next.
    pub fn unconfirmed_players(&self, waits: &Span) -> Result<Vec<PlayerId>> {
        all(self.db(), UNCONFIRMED, params![Time(waits.from), Time(waits.until)], |row| row.get(0).map(PlayerId))
    }

    /// Removes a player who never had a board or an open challenge, and gives true; false for any other.
    pub fn remove_player(&mut self, id: PlayerId) -> Result<bool> {
        let db = self.writable()?;
        let played = "SELECT EXISTS (SELECT 1 FROM seats WHERE player = ?1) \
             OR EXISTS (SELECT 1 FROM challenges WHERE challenger = ?1) \
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

    /// Replaces what a player has set.
    pub fn set_settings(&mut self, id: PlayerId, settings: &Settings) -> Result<()> {
        let sql = "UPDATE players SET mail = ?2, rhythm = ?3, reminders = ?4, zone = ?5, weekend = ?6, \
             letters = ?7, own = ?8, dmarc = ?9, theme = ?10, hints = ?11, chat = ?12 WHERE id = ?1";
        let Settings { mail, rhythm, reminders, zone, weekend, letters, own, dmarc, theme, hints, chat } = settings;
        let (mail, rhythm, reminders, weekend) = (Typed(mail), Typed(rhythm), Typed(reminders), Typed(weekend));
        let (letters, own, dmarc) = (Typed(letters), Typed(own), Typed(dmarc));
        let (theme, hints, chat) = (Typed(theme), Typed(hints), Typed(chat));
        let params = params![id.0, mail, rhythm, reminders, zone, weekend, letters, own, dmarc, theme, hints, chat];
        run_one(self.writable()?, sql, params, NOBODY)
    }

    /// Sets [`Player::blocked_at`].
    pub fn set_blocked(&mut self, id: PlayerId, blocked_at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE players SET blocked_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, blocked_at.map(Time)], NOBODY)
    }

    /// Sets when a player was out of reach and can be reached again.
    pub fn set_back_in_reach(&mut self, id: PlayerId, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET back_in_reach_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, Time(at)], NOBODY)
    }

    /// Sets the code that will confirm that a player leaves.
    pub fn begin_signoff(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET signoff_code = ?2, signoff_at = ?3 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id.0, code, Time(now)], NOBODY)
    }

    // Vacations stay: past clock times depend on them.
    /// Removes what a player leaves behind: their password, addresses, tokens, webhook, preferences, notes, sessions,
    /// what they follow and what they want no letters about. Their userid, vacations and boards stay.
    pub fn leave(&mut self, id: PlayerId, now: DateTime<Utc>) -> Result<()> {
        for standing in self.standings_of(id)? {
            self.count_rating(&standing.game, id, -1)?;
        }
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
