//! Renaming players, and removing them from all that is kept.

use rusqlite::params;

use super::query::{all, run, run_one};
use super::transaction::SqliteTransaction;
use crate::store::{InboxId, MailWords, OutboxId, PlayerId, PlayerNames, RemovedPlayer, Result};

// These read whole tables: an administrator renames or removes a player now and then.
const FACTS_WITH: &str = "SELECT id, facts FROM outbox WHERE instr(lower(facts), lower(?1)) > 0 ORDER BY id";
const MAILS_WITH: &str = "SELECT id, coalesce(commands, ''), coalesce(reason, '') FROM inbox WHERE verdict IS NOT NULL \
     AND (instr(lower(commands), lower(?1)) > 0 OR instr(lower(reason), lower(?1)) > 0) ORDER BY id";

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
             UNION SELECT address FROM addresses WHERE player = ?1";
        all(self.db(), sql, [player.0], |row| row.get(0))
    }

    fn erase(&mut self, removed: &RemovedPlayer<'_>) -> Result<()> {
        let RemovedPlayer { player, userid, addresses, new_userid } = *removed;
        self.rename(player, new_userid)?;
        let db = self.writable()?;
        let settings = "UPDATE players SET rhythm = 'each', reminders = 'all', zone = 'UTC', weekend = 'none', \
             letters = 'all', dmarc = 'off', mail = 'text', blocked_at = NULL WHERE id = ?1";
        run(db, settings, [player.0])?;
        run(db, "UPDATE seats SET began_as = '' WHERE player = ?1", [player.0])?;
        run(db, "DELETE FROM vacations WHERE player = ?1", [player.0])?;
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
            run(db, "DELETE FROM wrong_passwords WHERE source = ?1", [address])?;
            run(db, "DELETE FROM letters_to_strangers WHERE address = ?1 OR source = ?1", [address])?;
            run(db, "DELETE FROM refusals_in_a_row WHERE address = ?1", [address])?;
            run(db, "DELETE FROM password_requests WHERE source = ?1 COLLATE NOCASE", [address])?;
        }
        Ok(())
    }

    fn facts_with(&self, text: &str) -> Result<Vec<(OutboxId, String)>> {
        all(self.db(), FACTS_WITH, [text], |row| Ok((OutboxId(row.get(0)?), row.get(1)?)))
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
