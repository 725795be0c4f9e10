//! Where players can be reached. An address at which letters bounce is paused: nothing is sent there until a mail comes
//! from it. A player without any other address is out of reach: their clocks stop, and their notices are held.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::UnsolicitedLetters;
use crate::store::{self, Board, Delivery, DeliveryState, OutboxId, Player, Transaction};

use crate::service::account::out_of_reach::out_of_reach;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::service::notice::facts::{Notice, PausedAddress};

/// How many letters must bounce within [`COUNTED`] to pause an address, when no single bounce says that it is dead.
const BOUNCES: u32 = 3;
/// How long a bounce counts.
const COUNTED: TimeDelta = TimeDelta::days(30);
/// A bounce of a letter older than this says nothing about the address today.
const OLDEST: TimeDelta = TimeDelta::days(30);
/// How many characters of the other side's reason are kept.
const LONGEST_REASON: usize = 300;

/// The words of a refusal that passes: too many mails at once.
const PASSING: &[&str] = &["at a rate", "too many", "too much mail", "rate limit", "try again", "temporar"];

/// The words of a refusal for what this server may do, or for its reputation: it is not to send from here to there, or
/// stands in a list of senders of spam.
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

/// Why a letter did not reach an address, in the words of the server that was to take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The enhanced status code (RFC 3463), where one was given.
    pub status: Option<[u16; 3]>,
    /// Its words, on one line.
    pub said: String,
}

impl Failure {
    /// A failure in these words, with the first status code among them.
    pub fn new(said: &str) -> Failure {
        let said: String = crate::text::squeezed(said).chars().take(LONGEST_REASON).collect();
        let status = said.split(|c: char| !(c.is_ascii_digit() || c == '.')).find_map(status);
        Failure { status, said }
    }

    /// Whether it says that the mailbox does not exist. RFC 3463, 3.2 and 3.3: 5.1.7 and 5.1.8 are about the sender, and a
    /// mailbox that is full (5.2.2) may be emptied. Servers also give such a code when they take nothing for a while.
    pub fn is_dead(&self) -> bool {
        matches!(self.status, Some([5, 1, 1 | 2 | 3 | 6 | 10] | [5, 2, 1])) && !self.says(PASSING) && !self.says(POLICY)
    }

    /// Whether it is about what this server may do, or its reputation, and not about the mailbox (RFC 3463, 3.8).
    pub fn is_policy(&self) -> bool {
        matches!(self.status, Some([5, 7, _])) || self.says(POLICY)
    }

    /// Whether these words are among its own; an address is not.
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
    /// The address is paused.
    Paused,
    /// It is counted: how many there were within 30 days.
    Counted(u32),
    /// None: it was known or is too old, or the address is nobody's or already paused.
    Nothing,
}

impl Service<'_> {
    /// Notes that a letter came back from an address that it was sent to.
    ///
    /// # Errors
    /// The store's.
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

    /// Records that an address refused a letter. Returns whether the address is paused now.
    ///
    /// # Errors
    /// The store's.
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

    /// Pauses an address; gives false when it is nobody's, or already paused.
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
        // To their other addresses; without one it is held, and comes with the rest once they are heard from.
        let paused = PausedAddress { address: address.to_owned(), why: failure.said.clone(), since: now };
        self.write_to(tx, &Notice::Pause(paused), player.id, now)?;
        Ok(true)
    }
}

/// Resumes an address from which a player has sent a mail that proves who they are.
pub(in crate::service) fn heard_from(
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

/// What a change of a player's addresses may change.
pub(in crate::service) struct BeforeChange {
    /// The boards whose clocks are counted up.
    waiting: Vec<Board>,
    was_out_of_reach: bool,
}

/// Counts a player's clocks up before their addresses change.
pub(in crate::service) fn before_change(
    tx: &mut Transaction<'_>,
    player: &Player,
    now: DateTime<Utc>,
) -> store::Result<BeforeChange> {
    let was_out_of_reach = out_of_reach(tx, player.id)?.is_some();
    Ok(BeforeChange { waiting: clocks::count_up(tx, player, now)?, was_out_of_reach })
}

/// Adjusts a player's clocks after their addresses have changed, and makes due what was held while they were out of
/// reach.
pub(in crate::service) fn after_change(
    tx: &mut Transaction<'_>,
    player: &Player,
    before: BeforeChange,
    now: DateTime<Utc>,
) -> store::Result<()> {
    clocks::rewind(tx, before.waiting)?;
    if out_of_reach(tx, player.id)?.is_some() {
        return Ok(());
    }
    if before.was_out_of_reach {
        tx.set_back_in_reach(player.id, now)?;
    }
    // What they have stopped themselves stays held.
    if player.settings.letters != UnsolicitedLetters::None {
        tx.release_held(player.id, now)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_that_mean_a_mailbox_is_gone() {
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
    fn replies_that_concern_this_server() {
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
