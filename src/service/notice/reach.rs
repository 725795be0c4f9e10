//! Decides where players are reachable, and limits letters to strangers. An address at which letters bounce is paused.

use chrono::{DateTime, TimeDelta, Utc};

use super::answer::{Answer, SHORT_ANSWER, Silence, SilenceOf};
use super::facts::{Notice, PausedAddress};
use crate::clock::Span;
use crate::command::UnsolicitedLetters;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::store::{self, Board, CountedBy, CountedKind, Delivery, DeliveryState, OutboxId, Player, Transaction};

/// The number of bounces within [`COUNTED`] that pauses an address, if none of them says that the mailbox does not
/// exist.
const BOUNCES: u32 = 3;
/// How long a bounce is counted.
const COUNTED: TimeDelta = TimeDelta::days(30);
/// Bounces of older letters are ignored, because they say nothing about the address today.
const OLDEST: TimeDelta = TimeDelta::days(30);
/// The maximum length of [`Failure::said`], in characters.
const LONGEST_REASON: usize = 300;

/// Phrases with which a mail server refuses mail temporarily, because it has received too much.
const PASSING: &[&str] = &["at a rate", "too many", "too much mail", "rate limit", "try again", "temporar"];

/// Phrases with which a mail server refuses mail because of policy or reputation: this server may not send to the
/// receiving server, or is on a blocklist of spam senders.
const POLICY: &[&str] = &[
    "relay access",
    "relay not permitted",
    "relaying",
    "to relay",
    "authentication required",
    "rcpthosts",
    "blocked",
    "blocklist",
    "block list",
    "blacklist",
    "black list",
    "denylist",
    "spam",
    "dnsbl",
    "reputation",
];

/// Why a letter did not reach an address, in the words of the receiving server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The enhanced status code (RFC 3463), if any.
    pub status: Option<[u16; 3]>,
    /// The server's words, on one line.
    pub said: String,
}

impl Failure {
    /// Creates a failure from the server's words, and extracts the first status code.
    pub fn new(said: &str) -> Failure {
        let said: String = crate::text::squeezed(said).chars().take(LONGEST_REASON).collect();
        let status = said.split(|c: char| !(c.is_ascii_digit() || c == '.')).find_map(status);
        Failure { status, said }
    }

    /// Returns whether the failure says that the mailbox does not exist. RFC 3463, 3.2 and 3.3: 5.1.7 and 5.1.8 are
    /// about the sender, and a full mailbox (5.2.2) may be emptied. Some servers also send the codes of a missing
    /// mailbox during a temporary refusal.
    pub fn is_dead(&self) -> bool {
        matches!(self.status, Some([5, 1, 1 | 2 | 3 | 6 | 10] | [5, 2, 1])) && !self.says(PASSING) && !self.says(POLICY)
    }

    /// Returns whether the failure is about this server's permissions or reputation, not about the mailbox (RFC 3463,
    /// 3.8).
    pub fn is_policy(&self) -> bool {
        matches!(self.status, Some([5, 7, _])) || self.says(POLICY)
    }

    /// Returns whether the server's words, without mail addresses, contain any of these phrases.
    fn says(&self, words: &[&str]) -> bool {
        let own: Vec<&str> = self.said.split(' ').filter(|word| !word.contains('@')).collect();
        let own = own.join(" ").to_lowercase();
        words.iter().any(|words| own.contains(words))
    }
}

/// Reads an enhanced status code: `5.1.1`.
fn status(text: &str) -> Option<[u16; 3]> {
    let numbers: Vec<u16> = text.trim_matches('.').split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [class @ (4 | 5), subject, detail] if subject <= 7 && detail < 1000 => Some([class, subject, detail]),
        _ => None,
    }
}

/// The effect of a bounce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounced {
    /// The address was paused.
    Paused,
    /// The bounce was counted. This is the number of bounces within 30 days.
    Counted(u32),
    /// No effect: the bounce was known or is too old, or the address is unknown or already paused.
    Nothing,
}

impl Service<'_> {
    /// Records that a letter bounced at an address to which it was sent.
    ///
    /// # Errors
    /// If the store fails.
    pub fn bounced(
        &self,
        tx: &mut Transaction<'_>,
        letter: OutboxId,
        sent: &Delivery,
        failure: &Failure,
        now: DateTime<Utc>,
    ) -> store::Result<Bounced> {
        let counts = matches!(sent.state, DeliveryState::Sent | DeliveryState::Failed) && now - sent.at < OLDEST;
        if !counts {
            return Ok(Bounced::Nothing);
        }
        let bounced =
            Delivery { state: DeliveryState::Bounced, at: now, error: Some(failure.said.clone()), ..sent.clone() };
        tx.set_delivery(letter, &bounced)?;
        let Some(player) = tx.player_by_address(&sent.address)? else { return Ok(Bounced::Nothing) };
        let bounces = tx.bounces(&sent.address, &Span::last(COUNTED, now))?;
        if failure.is_dead() || bounces >= BOUNCES {
            return Ok(if self.pause(tx, &player, &sent.address, failure, now)? {
                Bounced::Paused
            } else {
                Bounced::Nothing
            });
        }
        Ok(Bounced::Counted(bounces))
    }

    /// Pauses a player's address that refused a letter, if the refusal says that the mailbox does not exist. Returns
    /// `false` for other refusals and addresses.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refused_there(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        failure: &Failure,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        match tx.player_by_address(address)? {
            Some(player) if failure.is_dead() => {
                self.pause(tx, &player, address, failure, now)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Pauses an address. Returns false if it is unknown or already paused.
    fn pause(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        address: &str,
        failure: &Failure,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let known = tx.addresses(player.id)?;
        let open = known.iter().any(|known| known.address.eq_ignore_ascii_case(address) && known.paused.is_none());
        if !open {
            return Ok(false);
        }
        let waiting = clocks::count_up(tx, player, now)?;
        tx.pause_address(player.id, address, &failure.said, now)?;
        clocks::rewind(tx, waiting)?;
        // The notice is sent to the player's other addresses, or held until they are reachable again.
        let paused = PausedAddress { address: address.to_owned(), why: failure.said.clone(), since: now };
        self.write_to(tx, &Notice::Pause(paused), player.id, now)?;
        Ok(true)
    }
}

/// Resumes letters to a paused address, after an authenticated message from it or at an administrator's request.
pub(crate) fn heard_from(
    tx: &mut Transaction<'_>,
    player: &Player,
    sender: &str,
    now: DateTime<Utc>,
) -> store::Result<()> {
    let known = tx.addresses(player.id)?;
    let Some(paused) = known.iter().find(|known| known.address.eq_ignore_ascii_case(sender) && known.paused.is_some())
    else {
        return Ok(());
    };
    let before = before_change(tx, player, now)?;
    tx.resume_address(player.id, &paused.address)?;
    after_change(tx, player, before, now)
}

/// The state of a player before their addresses change.
pub(crate) struct BeforeChange {
    /// The boards that `clocks::count_up` returned.
    waiting: Vec<Board>,
    was_out_of_reach: bool,
}

/// Computes the current thinking time of a player's clocks, before the player's addresses change.
pub(crate) fn before_change(
    tx: &mut Transaction<'_>,
    player: &Player,
    now: DateTime<Utc>,
) -> store::Result<BeforeChange> {
    let was_out_of_reach = tx.out_of_reach(player.id)?.is_some();
    Ok(BeforeChange { waiting: clocks::count_up(tx, player, now)?, was_out_of_reach })
}

/// Adjusts a player's clocks after their addresses have changed. If the player is reachable, releases their held
/// notices, unless they have stopped all letters.
pub(crate) fn after_change(
    tx: &mut Transaction<'_>,
    player: &Player,
    before: BeforeChange,
    now: DateTime<Utc>,
) -> store::Result<()> {
    clocks::rewind(tx, before.waiting)?;
    if tx.out_of_reach(player.id)?.is_some() {
        return Ok(());
    }
    if before.was_out_of_reach {
        tx.set_back_in_reach(player.id, now)?;
    }
    // Letters that the player has stopped remain held.
    if player.settings.letters != UnsolicitedLetters::None {
        tx.release_held(player.id, now)?;
    }
    Ok(())
}

/// The maximum total size in octets of the answers to one stranger in a day.
const OCTETS_A_DAY: u32 = 40 * 1024;

/// The decision about an answer to a stranger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToStranger {
    /// The answer is not sent, because it would exceed a limit on letters or answers to strangers.
    NotSent,
    /// The answer is sent with this size limit, and may announce a period without answers.
    Sent {
        /// The maximum size of the letter in octets.
        octets: u32,
        /// The period without answers that the answer announces.
        silence: Option<Silence>,
    },
}

impl Service<'_> {
    /// Returns whether this source may cause another letter to each of these addresses.
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

    /// Decides whether an answer is sent to a stranger. Help and refusals are sent until the address has reached a
    /// daily limit on letters or octets. Other answers are sent only a few times a day.
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
            // Skip unreadable answers, which must not block the current message.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_about_a_missing_mailbox_are_recognised() {
        for (said, status, dead) in [
            ("smtp; 550 5.1.1 <bob@example.org>: no such user", Some([5, 1, 1]), true),
            ("550-5.1.1 The email account does not exist", Some([5, 1, 1]), true),
            ("5.2.1 mailbox disabled", Some([5, 2, 1]), true),
            ("550 5.2.1 The user is receiving mail at a rate that prevents delivery", Some([5, 2, 1]), false),
            ("550 5.2.1 Too many messages for this mailbox", Some([5, 2, 1]), false),
            ("550 5.1.1 Client host [192.0.2.7] blocked using zen.spamhaus.org", Some([5, 1, 1]), false),
            ("554 5.7.1 rejected by 192.0.2.7 as spam", Some([5, 7, 1]), false),
            ("550 5.1.1 <bob@nospam.example>: no such user", Some([5, 1, 1]), true),
            ("552 5.2.2 mailbox full", Some([5, 2, 2]), false),
            ("553 5.1.8 sender domain not found", Some([5, 1, 8]), false),
            ("4.4.7 delivery time expired", Some([4, 4, 7]), false),
            ("550 user unknown", None, false),
            ("host 10.5.1.1 said: 550 no", None, false),
            ("see 5.1.1.9", None, false),
        ] {
            let failure = Failure::new(said);
            assert_eq!((failure.status, failure.is_dead()), (status, dead), "{said}");
        }
        assert_eq!(Failure::new("a\r\n  b\u{1b}[0m").said, "a b [0m");
    }
    #[test]
    fn replies_about_this_server_are_recognised() {
        for (said, policy) in [
            ("554 5.7.1 <bob@example.org>: Relay access denied", true),
            ("550 relaying denied", true),
            ("553 sorry, that domain isn't in my list of allowed rcpthosts", true),
            ("550 5.1.1 Client host [192.0.2.7] blocked using zen.spamhaus.org", true),
            ("550 5.7.26 unauthenticated mail is not accepted", true),
            ("550 5.1.1 <bob@relaying.example>: no such user", false),
            ("550 user unknown", false),
            ("552 5.2.2 mailbox full", false),
        ] {
            assert_eq!(Failure::new(said).is_policy(), policy, "{said}");
        }
    }
}
