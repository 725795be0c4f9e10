//! Checks sent letters: recipients, Message-IDs, and forbidden contents.

use anyhow::{bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::model::Oracle;
use super::seen::Seen;
use crate::letter::Letter;
use crate::players::{PASSWORD, Received};
use crate::postbox::{Attempt, SendOutcome};
use turnpost::service::{BoardEntry, boards_in_letter, read_notices};
use turnpost::token::{Key, Token};

/// The server's limit for letters per day to an address without a player.
const TO_STRANGER: usize = 5;
/// The maximum length of a line in a letter's text.
const COLUMNS: usize = 78;
/// The minimum length of a token.
const TOKEN: usize = 20;

impl Oracle {
    /// Checks an attempt to send a letter. Returns the recipient and the letter, or `None` if the letter was not
    /// accepted or its recipient is not a player. `failed` is true if a fault occurred in the same step, so that the
    /// server may not have recorded that the letter was accepted.
    pub(crate) fn letter(
        &mut self,
        seen: Seen<'_>,
        attempt: &Attempt,
        failed: bool,
    ) -> anyhow::Result<Option<(usize, Received)>> {
        let letter = Letter::read(&attempt.mail)?;
        let number = letter.number.0;
        let notices = seen.tx.letter(letter.number)?;
        ensure!(!notices.is_empty(), "letter {number} has no notices");
        if let Some(known) = self.letters.message_ids.get(&number) {
            let now = &letter.message_id;
            ensure!(known == now, "letter {number} has the Message-ID {now}, but was accepted with {known}");
        }
        let address = attempt.address.to_lowercase();
        let owner = owner(seen, &address)?;
        if let Some(reader) = &notices[0].player {
            let confirms = notices[0].address.as_ref().is_some_and(|to| to.eq_ignore_ascii_case(&address));
            let own = owner.is_some_and(|owner| seen.players[owner].id == reader.id);
            let left = seen.tx.player_by_id(reader.id)?.is_some_and(|player| player.left_at.is_some());
            ensure!(own || confirms || left, "letter {number} to {} was sent to {address}", reader.userid);
        }
        self.contents(seen, &letter, owner)?;
        let sent = self.letters.sent.entry((number, address.clone())).or_default();
        let taken = attempt.outcome.is_taken();
        self.not_reached.extend(owner.filter(|_| attempt.outcome != SendOutcome::Taken));
        sent.taken += u32::from(taken);
        sent.unknown +=
            u32::from(taken && (failed || matches!(attempt.outcome, SendOutcome::HungUp | SendOutcome::Died)));
        if !taken {
            return Ok(None);
        }
        self.letters.message_ids.insert(number, letter.message_id.clone());
        for notice in notices.iter().filter(|notice| notice.kind == "reminder") {
            if let (Some(board), Some(entry)) = (notice.board, notice.entry) {
                self.letters.reminders.entry((board, entry)).or_insert(seen.now);
            }
        }
        let Some(owner) = owner else {
            self.count_stranger(&address, seen.now)?;
            return Ok(None);
        };
        let about: Vec<BoardEntry> = boards_in_letter(&read_notices(&notices)?);
        Ok(Some((owner, Received { letter, about })))
    }

    fn contents(&self, seen: Seen<'_>, letter: &Letter, owner: Option<usize>) -> anyhow::Result<()> {
        let number = letter.number.0;
        ensure!(
            !letter.all.contains(PASSWORD),
            "letter {number} contains a password: {}",
            around(&letter.all, PASSWORD)
        );
        let wide = letter.text.lines().find(|line| line.chars().count() > COLUMNS && !line.contains("http"));
        ensure!(wide.is_none(), "letter {number} has a line of more than {COLUMNS} columns: {wide:?}");
        let key = seen.tx.reply_key()?;
        let reader = owner.map(|owner| seen.players[owner].id.0);
        for token in tokens(&letter.all, &key) {
            ensure!(
                reader == Some(i64::from(token.player)),
                "letter {number} to {} holds a token of player {}: {}",
                letter.to,
                token.player,
                around(&letter.all, "Subject:")
            );
        }
        Ok(())
    }

    fn count_stranger(&mut self, address: &str, now: DateTime<Utc>) -> anyhow::Result<()> {
        let times = self.letters.to_strangers.entry(address.to_owned()).or_default();
        times.retain(|at| now - *at < TimeDelta::hours(20));
        times.push_back(now);
        if times.len() > TO_STRANGER && !self.jumped {
            bail!("{} letters were sent to the stranger {address} within a day", times.len());
        }
        Ok(())
    }
}

/// Returns the player with this confirmed address.
fn owner(seen: Seen<'_>, address: &str) -> anyhow::Result<Option<usize>> {
    let Some(player) = seen.tx.player_by_address(address)? else {
        // If the player has left, the address is no longer stored, but a letter that failed earlier may still be sent.
        let Some(of) = seen.players.iter().position(|player| player.address.eq_ignore_ascii_case(address)) else {
            return Ok(None);
        };
        let player = seen.tx.player_by_id(seen.players[of].id)?;
        return Ok(player.is_some_and(|player| player.left_at.is_some()).then_some(of));
    };
    seen.index(player.id).map(Some)
}

/// Returns the reply tokens in a text.
fn tokens(text: &str, key: &Key) -> Vec<Token> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= TOKEN);
    words.filter_map(|word| Token::verify(word, key)).collect()
}

/// Returns the line of a text that contains a word, for an error message.
fn around(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap_or_default();
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[line..].lines().next().unwrap_or_default().to_owned()
}
