//! Letters to strangers: letters to unconfirmed addresses, and letters that anyone can cause. Their daily number is
//! limited for each address and each source.

use chrono::{DateTime, TimeDelta, Utc};

use super::answer::{Answer, SHORT_ANSWER, Silence, SilenceOf};
use super::facts::Notice;
use crate::clock::Span;
use crate::service::context::Service;
use crate::store::{self, CountedBy, CountedKind, Transaction};

/// The maximum number of octets of answers to an address in a day.
const OCTETS_A_DAY: u32 = 40 * 1024;

/// The decision about an answer to a stranger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToStranger {
    /// The answer is not sent, because the address has received too many letters.
    NotSent,
    /// The answer is sent with this size limit, and may announce a period without answers.
    Sent {
        /// The maximum size of the letter in octets.
        octets: u32,
        /// The silence that the answer announces.
        silence: Option<Silence>,
    },
}

impl Service<'_> {
    /// Returns whether another letter may be sent to each of these addresses because of this source.
    ///
    /// # Errors
    /// If the store fails.
    pub fn may_write_to_strangers(
        &self,
        tx: &Transaction<'_>,
        addresses: &[String],
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let day = Span::last(TimeDelta::days(1), now);
        for address in addresses {
            if tx.counted(CountedKind::Letter, CountedBy::Of(address), &day)? >= self.policy.letters_to_stranger {
                return Ok(false);
            }
        }
        self.may_cause(tx, addresses.len(), source, &day)
    }

    fn may_cause(&self, tx: &Transaction<'_>, more: usize, source: &str, day: &Span) -> store::Result<bool> {
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        Ok(tx.counted(CountedKind::Letter, CountedBy::Source(source), day)?.saturating_add(more)
            <= self.policy.letters_from_source)
    }

    /// Decides whether an answer is sent to a stranger. Help and refusals are sent until the address has reached its
    /// limit on letters. Other answers are sent only a few times a day.
    ///
    /// # Errors
    /// If the store fails.
    pub fn answer_to_stranger(
        &self,
        tx: &Transaction<'_>,
        address: &str,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> store::Result<ToStranger> {
        let day = Span::last(TimeDelta::days(1), now);
        let rows = tx.answers(address, &day)?;
        let (mut spent, mut shown) = (0u32, Vec::new());
        for row in &rows {
            // Skip unreadable ones, which must not block the current message.
            let Ok(Notice::Answer(before)) = Notice::read(row) else { continue };
            spent = spent.saturating_add(before.octets.unwrap_or(SHORT_ANSWER));
            if before.shows_something() {
                shown.push(row.created_at);
            }
        }
        let letters = tx.counted(CountedKind::Letter, CountedBy::Of(address), &day)?;
        // The last letter of a day is reserved for a request to confirm the address, unless one was already sent.
        let is_asked = letters as usize > rows.len();
        let reserved = u32::from(!is_asked && self.policy.letters_to_stranger > 1);
        let (room, shows) = (OCTETS_A_DAY.saturating_sub(spent), answer.shows_something());
        let most_shown = self.policy.answers_to_stranger as usize;
        if room < SHORT_ANSWER
            || letters + reserved >= self.policy.letters_to_stranger
            || (shows && shown.len() >= most_shown)
            || !self.may_write_to_strangers(tx, &[address.to_owned()], address, now)?
        {
            return Ok(ToStranger::NotSent);
        }
        let octets = answer.needed_octets().min(room);
        let is_last = letters + reserved + 1 >= self.policy.letters_to_stranger || room - octets < SHORT_ANSWER;
        let until = |first: Option<DateTime<Utc>>| first.unwrap_or(now) + TimeDelta::days(1);
        let silence = match (is_last, shows && shown.len() + 1 >= most_shown) {
            (true, _) => Some((SilenceOf::Stranger, until(rows.first().map(|row| row.created_at)))),
            (false, true) => Some((SilenceOf::StrangersRequests, until(shown.first().copied()))),
            (false, false) => None,
        };
        Ok(ToStranger::Sent { octets, silence: silence.map(|(of, until)| Silence { of, until }) })
    }
}
