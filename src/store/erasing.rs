//! Renaming, merging and erasing players, and erasing data after its retention period.

use chrono::{DateTime, Utc};

use super::sql::{Db, Nocase, all, from_fields, params, run, run_one};
use super::{InboxId, OutboxId, OutboxNotice, PlayerId, Result, Transaction, limits, outbox};
use crate::clock::Span;

/// A player to erase, who has already [left](Transaction::leave).
#[derive(Clone, Copy, Debug)]
pub struct RemovedPlayer<'a> {
    /// The player's key.
    pub player: PlayerId,
    /// The userid before the erasure.
    pub userid: &'a str,
    /// The addresses before the erasure.
    pub addresses: &'a [String],
    /// The userid that replaces `userid`.
    pub new_userid: &'a str,
}

/// The stored commands of an incoming message, and the explanation of its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailWords {
    /// The parsed commands, one on each line.
    pub commands: String,
    /// The explanation of the verdict.
    pub reason: String,
}

// This statement scans the whole table, because administrators rarely rename or remove players.
const MAILS_WITH: &str = "SELECT id, coalesce(commands, ''), coalesce(reason, '') FROM inbox WHERE verdict IS NOT NULL \
     AND (instr(lower(commands), ?1) > 0 OR instr(lower(reason), ?1) > 0) ORDER BY id";

from_fields!(MailWords { commands, reason });

/// The columns with free text, which may contain userids and addresses.
const TEXTS: [(&str, &str); 11] = [
    ("comments", "text"),
    ("notes", "text"),
    ("challenges", "comment"),
    ("inbox", "commands"),
    ("inbox", "reason"),
    ("refusals", "command"),
    ("refusals", "reason"),
    ("outbox", "error"),
    ("deliveries", "error"),
    ("acts", "detail"),
    ("acts", "reason"),
];
/// A message need not be UTF-8, so PostgreSQL searches the output of `encode`, which writes non-ASCII bytes as octal
/// escapes.
const QUARANTINED_WITH: [&str; 2] = [
    "DELETE FROM quarantine WHERE instr(lower(CAST(raw AS TEXT)), ?1) > 0",
    "DELETE FROM quarantine WHERE instr(lower(encode(raw, 'escape') COLLATE \"C\"), \
         lower(encode(convert_to(?1, 'UTF8'), 'escape') COLLATE \"C\")) > 0",
];
pub(crate) const LEFT_ADDRESSES: &str = "SELECT address FROM departed_addresses WHERE NOT EXISTS \
         (SELECT 1 FROM outbox o WHERE o.due_at IS NOT NULL AND lower(o.address) = lower(departed_addresses.address)) \
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.verdict IS NULL AND i.received_at <= left_at) \
     ORDER BY lower(address) LIMIT ?1";

/// The statements that transfer the data of player ?1 to player ?2. If both players have a row for the same board,
/// event or other item, one of the two rows is deleted first, or the row of ?1 is not copied. On boards that both play,
/// player ?1 keeps their seat and comments.
const MERGE: [&str; 31] = [
    "DELETE FROM addresses WHERE player = ?2 AND confirmed_at IS NULL AND lower(address) IN \
         (SELECT lower(address) FROM addresses WHERE player = ?1 AND confirmed_at IS NOT NULL)",
    "DELETE FROM addresses WHERE player = ?1 AND lower(address) IN (SELECT lower(address) FROM addresses WHERE player = ?2)",
    "DELETE FROM followers WHERE player = ?1 AND (board IN (SELECT board FROM followers WHERE player = ?2) \
         OR game IN (SELECT game FROM followers WHERE player = ?2))",
    "DELETE FROM notes WHERE player = ?1 AND board IN (SELECT board FROM notes WHERE player = ?2)",
    "DELETE FROM muted_boards WHERE player = ?1 AND board IN (SELECT board FROM muted_boards WHERE player = ?2)",
    "DELETE FROM turn_letters WHERE player = ?1 AND board IN (SELECT board FROM turn_letters WHERE player = ?2)",
    "UPDATE entrants SET absent = false WHERE player = ?2 AND event IN \
         (SELECT event FROM entrants WHERE player = ?1 AND absent = false)",
    "DELETE FROM entrants WHERE player = ?1 AND event IN (SELECT event FROM entrants WHERE player = ?2)",
    "DELETE FROM participants WHERE player = ?2 AND withdrawn IS NOT NULL AND EXISTS (SELECT 1 FROM participants o \
         WHERE o.player = ?1 AND o.event = participants.event AND o.edition = participants.edition)",
    "DELETE FROM participants WHERE player = ?1 AND EXISTS (SELECT 1 FROM participants o \
         WHERE o.player = ?2 AND o.event = participants.event AND o.edition = participants.edition)",
    "UPDATE entrants SET player = ?2 WHERE player = ?1",
    "UPDATE participants SET player = ?2 WHERE player = ?1",
    "UPDATE seats SET player = ?2, began_as = coalesce(began_as, (SELECT userid FROM players WHERE id = ?1)) \
         WHERE player = ?1 AND board NOT IN (SELECT board FROM seats WHERE player = ?2)",
    "UPDATE boards SET challenger = ?2 WHERE challenger = ?1 \
         AND number NOT IN (SELECT board FROM seats WHERE player = ?1)",
    "UPDATE boards SET player_to_move = ?2 WHERE player_to_move = ?1",
    "UPDATE boards SET declined_by = ?2 WHERE declined_by = ?1 \
         AND number NOT IN (SELECT board FROM seats WHERE player = ?1)",
    "UPDATE challenges SET challenger = ?2 WHERE challenger = ?1",
    "UPDATE inbox SET author = ?2 WHERE author = ?1",
    "UPDATE acts SET player = ?2 WHERE player = ?1",
    "UPDATE acts SET by_player = ?2 WHERE by_player = ?1",
    "UPDATE addresses SET player = ?2, replaced = FALSE WHERE player = ?1",
    "UPDATE comments SET player = ?2 WHERE player = ?1 AND board NOT IN (SELECT board FROM seats WHERE player = ?1)",
    "UPDATE followers SET player = ?2 WHERE player = ?1",
    "UPDATE notes SET player = ?2 WHERE player = ?1",
    "UPDATE muted_boards SET player = ?2 WHERE player = ?1",
    "UPDATE turn_letters SET player = ?2 WHERE player = ?1",
    "UPDATE outbox SET player = ?2 WHERE player = ?1",
    "INSERT INTO solved_puzzles SELECT CAST(?2 AS BIGINT), game, number, day, found FROM solved_puzzles WHERE player = ?1 \
         ON CONFLICT DO NOTHING",
    "INSERT INTO blocks SELECT CAST(?2 AS BIGINT), blocked, blocked_at FROM blocks WHERE player = ?1 AND blocked <> ?2 \
         ON CONFLICT DO NOTHING",
    "INSERT INTO blocks SELECT player, CAST(?2 AS BIGINT), blocked_at FROM blocks WHERE blocked = ?1 AND player <> ?2 \
         ON CONFLICT DO NOTHING",
    "DELETE FROM followers WHERE player IN (?1, ?2) AND board IN (SELECT board FROM seats WHERE player = ?2)",
];

/// Renaming, merging and erasing players.
impl Transaction<'_> {
    /// Renames a player. The player's boards keep the userid that they began with: [`Board::began_as`](super::Board).
    /// Fails if another player has the new userid.
    pub fn rename(&mut self, id: PlayerId, userid: &str) -> Result<()> {
        let db = self.writable()?;
        let kept = "UPDATE seats SET began_as = (SELECT userid FROM players WHERE id = ?1) \
             WHERE player = ?1 AND began_as IS NULL";
        run(db, kept, params![id])?;
        run_one(db, "UPDATE players SET userid = ?2 WHERE id = ?1", params![id, userid], "there is no such player")
    }

    /// Lists a player's addresses: those to which letters were sent or would be sent, and those from which the player's
    /// messages came.
    pub fn addresses_of_letters(&self, player: PlayerId) -> Result<Vec<String>> {
        let sql = "SELECT min(address) FROM (SELECT address FROM deliveries WHERE letter IN (SELECT id FROM outbox WHERE player = ?1) \
             UNION SELECT address FROM addresses WHERE player = ?1 \
             UNION SELECT sender FROM inbox WHERE author = ?1 AND sender <> '' \
             UNION SELECT i.sender FROM seats s JOIN entries m ON m.board = s.board AND m.seat = s.seat AND m.via = 0 \
                 JOIN mail_actions e ON e.kind = 'entry' AND e.item = m.entry AND e.board = m.board \
                 JOIN inbox i ON i.id = e.mail WHERE s.player = ?1 AND i.sender <> '') a GROUP BY lower(address) ORDER BY lower(address)";
        all(self.db(), sql, params![player])
    }

    /// Records an address of a player who left at `now`. [`Transaction::left_addresses`] lists it when it can be
    /// erased.
    pub fn add_left_address(&mut self, address: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO departed_addresses (address, left_at) VALUES (?1, ?2) \
             ON CONFLICT (lower(address)) DO UPDATE SET address = excluded.address, left_at = excluded.left_at";
        run(self.writable()?, sql, params![address, now]).map(drop)
    }

    /// Lists at most `most` recorded addresses that can be erased: no letter to them is pending, and all messages
    /// received before the player left are processed.
    pub fn left_addresses(&self, most: u32) -> Result<Vec<String>> {
        all(self.db(), LEFT_ADDRESSES, params![most])
    }

    /// Deletes an address that [`Transaction::add_left_address`] recorded.
    pub fn remove_left_address(&mut self, address: &str) -> Result<()> {
        run(self.writable()?, "DELETE FROM departed_addresses WHERE lower(address) = ?1", params![Nocase(address)])
            .map(drop)
    }

    /// Erases an address from sent and abandoned letters, from processed messages, and from the acts that rate limits
    /// count. `shown_as` replaces it in columns that require an address. Deletes the deliveries to the address, and the
    /// quarantined messages that contain it.
    pub fn erase_address(&mut self, address: &str, shown_as: &str) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM deliveries WHERE lower(address) = ?1", params![Nocase(address)])?;
        let letters = "UPDATE outbox SET address = ?2 WHERE lower(address) = ?1 AND due_at IS NULL AND NOT held";
        run(db, letters, params![Nocase(address), shown_as])?;
        let answered = "UPDATE outbox SET in_reply_to = NULL \
             WHERE instr(lower(in_reply_to), ?1) > 0 AND due_at IS NULL AND NOT held";
        run(db, answered, params![Nocase(address)])?;
        run(
            db,
            "UPDATE inbox SET sender = NULL WHERE lower(sender) = ?1 AND verdict IS NOT NULL",
            params![Nocase(address)],
        )?;
        // The body of a quarantined message may be encoded. Its `From` header is not, so this finds all messages from
        // the address.
        run(db, db.by_dialect(QUARANTINED_WITH[0], QUARANTINED_WITH[1]), params![Nocase(address)])?;
        limits::forget(db, address)
    }

    /// Applies `change` to every stored text that contains `containing`, ignoring case: texts by players, and texts
    /// about messages, letters and acts. Does not change records or the facts of notices.
    pub fn change_texts(&mut self, containing: &str, change: &dyn Fn(&str) -> String) -> Result<()> {
        let db = self.writable()?;
        for (table, column) in TEXTS {
            let sql = format!("SELECT DISTINCT {column} FROM {table} WHERE instr(lower({column}), ?1) > 0");
            let found: Vec<String> = all(db, &sql, params![Nocase(containing)])?;
            let sql = format!("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1");
            for old in found {
                run(db, &sql, params![&old, &change(&old)])?;
            }
        }
        Ok(())
    }

    /// Renames a player who has left. Erases their vacations and settings, and the userid with which their boards
    /// began.
    pub fn anonymize(&mut self, player: PlayerId, new_userid: &str) -> Result<()> {
        self.rename(player, new_userid)?;
        let db = self.writable()?;
        run(db, "UPDATE players SET settings = '', blocked_at = NULL WHERE id = ?1", params![player])?;
        run(db, "UPDATE seats SET began_as = '' WHERE player = ?1", params![player])?;
        run(db, "DELETE FROM vacations WHERE player = ?1", params![player]).map(drop)
    }

    /// [Renames](Transaction::anonymize) a removed player. Also erases letters to them, and messages from their
    /// addresses.
    pub fn erase(&mut self, removed: &RemovedPlayer<'_>) -> Result<()> {
        let RemovedPlayer { player, userid, addresses, new_userid } = *removed;
        self.anonymize(player, new_userid)?;
        let db = self.writable()?;
        run(db, "UPDATE acts SET detail = '' WHERE player = ?1", params![player])?;
        limits::forget(db, userid)?;
        run(db, "UPDATE inbox SET author = NULL WHERE author = ?1", params![player])?;
        let refusals = "DELETE FROM refusals WHERE instr(lower(command), ?1) > 0 \
             OR instr(lower(reason), ?1) > 0";
        run(db, refusals, params![Nocase(userid)])?;
        let actions =
            "DELETE FROM mail_actions WHERE kind = 'notice' AND item IN (SELECT id FROM outbox WHERE player = ?1)";
        run(db, actions, params![player])?;
        let letters = "DELETE FROM deliveries WHERE letter IN (SELECT id FROM outbox WHERE player = ?1)";
        run(db, letters, params![player])?;
        run(db, "DELETE FROM outbox WHERE player = ?1", params![player])?;
        for address in addresses {
            let letters = "DELETE FROM deliveries WHERE lower(address) = ?1 \
                 OR letter IN (SELECT id FROM outbox WHERE player IS NULL AND lower(address) = ?1)";
            run(db, letters, params![Nocase(address)])?;
            run(db, "DELETE FROM outbox WHERE player IS NULL AND lower(address) = ?1", params![Nocase(address)])?;
            for of_mails in ["refusals", "mail_actions", "quarantine"] {
                let sql = format!(
                    "DELETE FROM {of_mails} WHERE mail IN \
                         (SELECT id FROM inbox WHERE verdict IS NOT NULL AND lower(sender) = ?1)"
                );
                run(db, &sql, params![Nocase(address)])?;
            }
            run(db, "DELETE FROM inbox WHERE verdict IS NOT NULL AND lower(sender) = ?1", params![Nocase(address)])?;
        }
        Ok(())
    }

    /// Transfers all data of a player to another. If both have data of the same kind, those of the second player are
    /// usually kept. Deletes the first player with their ratings, sessions and settings. The two must not share a
    /// board, except a declined one. They must not share an edition, except of a ladder that one of them has left.
    /// Returns false if they share a declined board: then the first player keeps their seat there, and is not deleted.
    pub fn merge_players(&mut self, old: PlayerId, new: PlayerId) -> Result<bool> {
        let db = self.writable()?;
        for sql in MERGE {
            run(db, sql, params![old, new])?;
        }
        run(db, "DELETE FROM standings WHERE player = ?1", params![old])?;
        self.remove_player(old)
    }

    /// Lists the notices whose facts contain a text, ignoring case.
    pub fn facts_with(&self, text: &str) -> Result<Vec<OutboxNotice>> {
        let sql = format!("{} WHERE instr(lower(o.facts), ?1) > 0 ORDER BY o.id", outbox::COLUMNS);
        all(self.db(), &sql, params![Nocase(text)])
    }

    /// Replaces the facts of a notice.
    pub fn set_facts(&mut self, notice: OutboxId, facts: &str) -> Result<()> {
        let sql = "UPDATE outbox SET facts = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![notice, facts], "there is no such notice")
    }

    /// Lists the messages whose commands or explanation of the verdict contain a text.
    pub fn mails_with(&self, text: &str) -> Result<Vec<(InboxId, MailWords)>> {
        all(self.db(), MAILS_WITH, params![Nocase(text)])
    }

    /// Replaces the stored commands of a message and the explanation of its verdict.
    pub fn set_mail_words(&mut self, mail: InboxId, words: &MailWords) -> Result<()> {
        let sql = "UPDATE inbox SET commands = ?2, reason = ?3 WHERE id = ?1";
        run_one(self.writable()?, sql, params![mail, words.commands, words.reason], "there is no such message")
    }
}

// These statements scan whole tables once a day, because indexes for them would slow down every turn. An item has a
// date in the future if the clock was ahead when it was stored. The item is erased as soon as a later item is old
// enough. A future date alone is not a reason to erase an item: if the clock is behind now, all dates are in the
// future.
const OLD_MAILS: &str = "SELECT id FROM inbox \
     WHERE (closed_at < ?1 OR closed_at >= ?2 AND id < (SELECT max(id) FROM inbox WHERE closed_at < ?1)) \
     AND (sender IS NOT NULL OR author IS NOT NULL OR commands <> '' OR reason <> 'Its data has been erased.' \
         OR id IN (SELECT mail FROM quarantine)) ORDER BY id LIMIT ?3";
const OLD_LETTERS: &str = "SELECT id FROM outbox \
     WHERE letter = id AND due_at IS NULL AND NOT held \
     AND (created_at < ?1 OR created_at >= ?2 AND id < (SELECT max(id) FROM outbox WHERE created_at < ?1)) \
     ORDER BY id LIMIT ?3";

/// Deletes counted acts outside the retention period.
const FORGET_COUNTS: &str = "DELETE FROM rate_limits WHERE at < ?1 OR at >= ?2";
const FORGET_MAIL: [&str; 3] = [
    "DELETE FROM refusals WHERE mail = ?1",
    "DELETE FROM quarantine WHERE mail = ?1",
    "UPDATE inbox SET sender = NULL, author = NULL, commands = '', reason = 'Its data has been erased.' WHERE id = ?1",
];
/// Deletes a letter. The leading notice is deleted last, because the others refer to it.
const FORGET_LETTER: [&str; 4] = [
    "DELETE FROM deliveries WHERE letter = ?1",
    "DELETE FROM mail_actions WHERE kind = 'notice' AND item IN (SELECT id FROM outbox WHERE letter = ?1)",
    "DELETE FROM outbox WHERE letter = ?1 AND id <> ?1",
    "DELETE FROM outbox WHERE id = ?1",
];

fn erase_old(db: Db<'_>, which: &str, kept: &Span, most: u32, how: &[&str]) -> Result<u32> {
    let old: Vec<i64> = all(db, which, params![kept.from, kept.until, most])?;
    for id in &old {
        for sql in how {
            run(db, sql, params![id])?;
        }
    }
    Ok(u32::try_from(old.len()).unwrap_or(u32::MAX))
}

/// Erasing data after its retention period. Each call changes a few rows, so that other writers do not wait long.
impl Transaction<'_> {
    /// Erases the senders, texts and refusals of at most `most` messages that were processed before the time span
    /// `kept`, and their copies in quarantine. Returns the number of messages. Their verdicts remain, and their
    /// identities, so that copies are still recognized. Also deletes counted acts outside `kept`. A message dated after
    /// `kept` is erased when a later message is old enough.
    pub fn forget_mails(&mut self, kept: &Span, most: u32) -> Result<u32> {
        let db = self.writable()?;
        run(db, FORGET_COUNTS, params![kept.from, kept.until])?;
        erase_old(db, OLD_MAILS, kept, most, &FORGET_MAIL)
    }

    /// Deletes at most `most` sent or abandoned letters written before the time span `kept`; returns their number. A
    /// letter dated after `kept` is deleted when a later letter is old enough.
    pub fn forget_letters(&mut self, kept: &Span, most: u32) -> Result<u32> {
        erase_old(self.writable()?, OLD_LETTERS, kept, most, &FORGET_LETTER)
    }
}
