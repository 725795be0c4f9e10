//! Renaming players, and removing them or their addresses from all that is kept.

use chrono::{DateTime, Utc};
use rusqlite::params;

use super::query::{all, run, run_one};
use super::time::Time;
use super::transaction::SqliteTransaction;
use crate::store::{InboxId, MailWords, NoticeFacts, OutboxId, PlayerId, PlayerNames, Players, RemovedPlayer, Result};

// These read whole tables: an administrator renames or removes a player now and then.
const FACTS_WITH: &str = "SELECT id, board, facts FROM outbox WHERE instr(lower(facts), lower(?1)) > 0 ORDER BY id";
const MAILS_WITH: &str = "SELECT id, coalesce(commands, ''), coalesce(reason, '') FROM inbox WHERE verdict IS NOT NULL \
     AND (instr(lower(commands), lower(?1)) > 0 OR instr(lower(reason), lower(?1)) > 0) ORDER BY id";

/// Columns of text that people and machines wrote.
const TEXTS: [(&str, &str); 11] = [
    ("comments", "text"),
    ("notes", "text"),
    ("offers", "comment"),
    ("inbox", "commands"),
    ("inbox", "reason"),
    ("refusals", "command"),
    ("refusals", "reason"),
    ("outbox", "error"),
    ("deliveries", "error"),
    ("acts", "detail"),
    ("acts", "reason"),
];
pub(super) const LEFT_ADDRESSES: &str = "SELECT address FROM left_addresses WHERE NOT EXISTS \
         (SELECT 1 FROM outbox o WHERE o.due_at IS NOT NULL AND o.address = left_addresses.address COLLATE NOCASE) \
     AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.verdict IS NULL AND i.received_at <= left_at) \
     ORDER BY address LIMIT ?1";

/// What the player ?2 takes over from ?1. Where both have something, that of ?1 is deleted first.
const MERGE: [&str; 25] = [
    "DELETE FROM addresses WHERE player = ?2 AND confirmed_at IS NULL AND address IN \
         (SELECT address FROM addresses WHERE player = ?1 AND confirmed_at IS NOT NULL)",
    "DELETE FROM addresses WHERE player = ?1 AND address IN (SELECT address FROM addresses WHERE player = ?2)",
    "DELETE FROM followers WHERE player = ?1 AND (board IN (SELECT board FROM followers WHERE player = ?2) \
         OR game IN (SELECT game FROM followers WHERE player = ?2))",
    "DELETE FROM notes WHERE player = ?1 AND board IN (SELECT board FROM notes WHERE player = ?2)",
    "DELETE FROM muted_boards WHERE player = ?1 AND board IN (SELECT board FROM muted_boards WHERE player = ?2)",
    "DELETE FROM turn_letters WHERE player = ?1 AND board IN (SELECT board FROM turn_letters WHERE player = ?2)",
    "UPDATE seats SET player = ?2, userid = (SELECT userid FROM players WHERE id = ?2), \
         began_as = coalesce(began_as, (SELECT userid FROM players WHERE id = ?1)) WHERE player = ?1",
    "UPDATE boards SET mover = ?2 WHERE mover = ?1",
    "UPDATE results SET player = ?2 WHERE player = ?1",
    "UPDATE results SET opponent = ?2, userid = (SELECT userid FROM players WHERE id = ?2) WHERE opponent = ?1",
    "UPDATE players SET acted_at = nullif(max(coalesce(acted_at, 0), \
         (SELECT coalesce(acted_at, 0) FROM players WHERE id = ?1)), 0) WHERE id = ?2",
    "UPDATE boards SET challenger = ?2 WHERE challenger = ?1",
    "UPDATE boards SET declined_by = ?2 WHERE declined_by = ?1",
    "UPDATE offers SET challenger = ?2 WHERE challenger = ?1",
    "UPDATE inbox SET author = ?2 WHERE author = ?1",
    "UPDATE acts SET player = ?2 WHERE player = ?1",
    "UPDATE acts SET by_player = ?2 WHERE by_player = ?1",
    "UPDATE addresses SET player = ?2 WHERE player = ?1",
    "UPDATE comments SET player = ?2 WHERE player = ?1",
    "UPDATE followers SET player = ?2 WHERE player = ?1",
    "UPDATE notes SET player = ?2 WHERE player = ?1",
    "UPDATE muted_boards SET player = ?2 WHERE player = ?1",
    "UPDATE turn_letters SET player = ?2 WHERE player = ?1",
    "UPDATE outbox SET player = ?2 WHERE player = ?1",
    "DELETE FROM followers WHERE player IN (?1, ?2) AND board IN (SELECT board FROM seats WHERE player = ?2)",
];

impl PlayerNames for SqliteTransaction<'_> {
    fn rename(&mut self, id: PlayerId, userid: &str) -> Result<()> {
        let db = self.writable()?;
        let kept = "UPDATE seats SET began_as = (SELECT userid FROM players WHERE id = ?1) \
             WHERE player = ?1 AND began_as IS NULL";
        run(db, kept, [id.0])?;
        run_one(db, "UPDATE players SET userid = ?2 WHERE id = ?1", params![id.0, userid], "there is no such player")
    }

    fn addresses_of_letters(&self, player: PlayerId) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT address FROM deliveries WHERE letter IN (SELECT id FROM outbox WHERE player = ?1) \
             UNION SELECT address FROM addresses WHERE player = ?1 \
             UNION SELECT sender FROM inbox WHERE author = ?1 AND sender <> '' \
             UNION SELECT i.sender FROM seats s JOIN moves m ON m.board = s.board AND m.seat = s.seat AND m.via = 0 \
                 JOIN effects e ON e.kind = 'entry' AND e.item = m.entry AND e.board = m.board \
                 JOIN inbox i ON i.id = e.mail WHERE s.player = ?1 AND i.sender <> ''";
        all(self.db(), sql, [player.0], |row| row.get(0))
    }

    fn add_left_address(&mut self, address: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO left_addresses (address, left_at) VALUES (?1, ?2)";
        run(self.writable()?, sql, params![address, Time(now)])?;
        Ok(())
    }

    fn left_addresses(&self, most: u32) -> Result<Vec<String>> {
        all(self.db(), LEFT_ADDRESSES, [most], |row| row.get(0))
    }

    fn remove_left_address(&mut self, address: &str) -> Result<()> {
        run(self.writable()?, "DELETE FROM left_addresses WHERE address = ?1", [address])?;
        Ok(())
    }

    fn erase_address(&mut self, address: &str, shown_as: &str) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM deliveries WHERE address = ?1", [address])?;
        let letters =
            "UPDATE outbox SET address = ?2 WHERE address = ?1 COLLATE NOCASE AND due_at IS NULL AND held = 0";
        run(db, letters, [address, shown_as])?;
        let answered = "UPDATE outbox SET in_reply_to = NULL \
             WHERE instr(lower(in_reply_to), lower(?1)) > 0 AND due_at IS NULL AND held = 0";
        run(db, answered, [address])?;
        run(db, "UPDATE inbox SET sender = NULL WHERE sender = ?1 COLLATE NOCASE AND verdict IS NOT NULL", [address])?;
        // Where it stands encoded in a mail that was set aside, its From is still plain.
        run(db, "DELETE FROM set_aside WHERE instr(lower(CAST(raw AS TEXT)), lower(?1)) > 0", [address])?;
        self.erase_counts(address)
    }

    fn change_texts(&mut self, containing: &str, change: &dyn Fn(&str) -> String) -> Result<()> {
        let db = self.writable()?;
        for (table, column) in TEXTS {
            let sql = format!("SELECT DISTINCT {column} FROM {table} WHERE instr(lower({column}), lower(?1)) > 0");
            let found: Vec<String> = all(db, &sql, [containing], |row| row.get(0))?;
            let sql = format!("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1");
            for old in found {
                run(db, &sql, [&old, &change(&old)])?;
            }
        }
        Ok(())
    }

    fn erase(&mut self, removed: &RemovedPlayer<'_>) -> Result<()> {
        let RemovedPlayer { player, userid, addresses, new_userid } = *removed;
        self.rename(player, new_userid)?;
        let db = self.writable()?;
        let settings = "UPDATE players SET rhythm = 'each', reminders = 'all', zone = 'UTC', weekend = 'none', \
             letters = 'all', dmarc = 'off', mail = 'text', theme = 'wood', hints = 'off', blocked_at = NULL WHERE id = ?1";
        run(db, settings, [player.0])?;
        run(db, "UPDATE seats SET began_as = '' WHERE player = ?1", [player.0])?;
        run(db, "DELETE FROM vacations WHERE player = ?1", [player.0])?;
        run(db, "UPDATE acts SET detail = '' WHERE player = ?1", [player.0])?;
        run(db, "DELETE FROM wrong_passwords WHERE of = ?1 COLLATE NOCASE", [userid])?;
        run(db, "UPDATE inbox SET author = NULL WHERE author = ?1", [player.0])?;
        let refusals = "DELETE FROM refusals WHERE instr(lower(command), lower(?1)) > 0 \
             OR instr(lower(reason), lower(?1)) > 0";
        run(db, refusals, [userid])?;
        let told = "DELETE FROM effects WHERE kind = 'notice' AND item IN (SELECT id FROM outbox WHERE player = ?1)";
        run(db, told, [player.0])?;
        let letters = "DELETE FROM deliveries WHERE letter IN (SELECT id FROM outbox WHERE player = ?1)";
        run(db, letters, [player.0])?;
        run(db, "DELETE FROM outbox WHERE player = ?1", [player.0])?;
        run(db, "DELETE FROM password_requests WHERE source = ?1 COLLATE NOCASE", [userid])?;
        for address in addresses {
            let letters = "DELETE FROM deliveries WHERE address = ?1 \
                 OR letter IN (SELECT id FROM outbox WHERE player IS NULL AND address = ?1 COLLATE NOCASE)";
            run(db, letters, [address])?;
            run(db, "DELETE FROM outbox WHERE player IS NULL AND address = ?1 COLLATE NOCASE", [address])?;
            for of_mails in ["refusals", "effects"] {
                let sql = format!(
                    "DELETE FROM {of_mails} WHERE mail IN \
                         (SELECT id FROM inbox WHERE verdict IS NOT NULL AND sender = ?1 COLLATE NOCASE)"
                );
                run(db, &sql, [address])?;
            }
            run(db, "DELETE FROM inbox WHERE verdict IS NOT NULL AND sender = ?1 COLLATE NOCASE", [address])?;
        }
        Ok(())
    }

    fn merge_players(&mut self, old: PlayerId, new: PlayerId) -> Result<()> {
        let db = self.writable()?;
        for sql in MERGE {
            run(db, sql, [old.0, new.0])?;
        }
        run(db, "DELETE FROM standings WHERE player = ?1", [old.0])?;
        self.remove_player(old)?;
        Ok(())
    }

    fn facts_with(&self, text: &str) -> Result<Vec<NoticeFacts>> {
        all(self.db(), FACTS_WITH, [text], |row| {
            Ok(NoticeFacts { notice: OutboxId(row.get(0)?), board: row.get(1)?, facts: row.get(2)? })
        })
    }

    fn set_facts(&mut self, notice: OutboxId, facts: &str) -> Result<()> {
        let sql = "UPDATE outbox SET facts = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![notice.0, facts], "there is no such notice")
    }

    fn mails_with(&self, text: &str) -> Result<Vec<(InboxId, MailWords)>> {
        all(self.db(), MAILS_WITH, [text], |row| {
            Ok((InboxId(row.get(0)?), MailWords { commands: row.get(1)?, reason: row.get(2)? }))
        })
    }

    fn set_mail_words(&mut self, mail: InboxId, words: &MailWords) -> Result<()> {
        let sql = "UPDATE inbox SET commands = ?2, reason = ?3 WHERE id = ?1";
        run_one(self.writable()?, sql, params![mail.0, words.commands, words.reason], "there is no such mail")
    }
}

impl SqliteTransaction<'_> {
    /// Erases an address from what limits count.
    fn erase_counts(&self, address: &str) -> Result<()> {
        let db = self.writable()?;
        run(db, "DELETE FROM wrong_passwords WHERE source = ?1", [address])?;
        run(db, "DELETE FROM letters_to_strangers WHERE address = ?1 OR source = ?1", [address])?;
        run(db, "DELETE FROM refusals_in_a_row WHERE address = ?1", [address])?;
        run(db, "DELETE FROM password_requests WHERE source = ?1 COLLATE NOCASE", [address])?;
        Ok(())
    }
}
