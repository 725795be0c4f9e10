//! Letters that come back: a mail to the envelope sender of one of ours, and what it says of its fate.
//!
//! Only the signed address tells which letter it was and where it went; what the report quotes of it proves nothing.
//! Answers of people who are away come to that address too (RFC 3834, section 4), so that a mail there is a bounce only
//! when it says so.

use crate::service::Failure;
use crate::store::{self, Delivery, OutboxId, Transaction};
use crate::token::EnvelopeSender;

use super::read::Incoming;
use super::reply::in_addresses;

/// A mail to the envelope sender of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Returned {
    pub(super) letter: OutboxId,
    /// What was known of the letter at the address.
    pub(super) sent: Delivery,
    /// Why it did not arrive; `None` when the mail does not say that it never will.
    pub(super) failure: Option<Failure>,
}

/// The letter whose envelope sender a mail went to, if it did.
pub(super) fn returned(
    tx: &dyn Transaction,
    incoming: &Incoming,
    went_to: &[String],
    own_address: &str,
) -> store::Result<Option<Returned>> {
    for text in went_to.iter().flat_map(|header| in_addresses(header, own_address, "b-")) {
        let Some(sender) = EnvelopeSender::read(&text) else { continue };
        let letter = OutboxId(sender.letter.into());
        let key = tx.reply_key()?;
        let sent = tx.deliveries(letter)?.into_iter().find(|sent| sender.is_of(&sent.address, &key));
        if let Some(sent) = sent {
            return Ok(Some(Returned { letter, sent, failure: failure(incoming) }));
        }
    }
    Ok(None)
}

fn failure(incoming: &Incoming) -> Option<Failure> {
    match &incoming.delivery_status {
        Some(report) => reported(report),
        None if incoming.names_failed || incoming.text.starts_with("Hi. This is the qmail-send program") => {
            told(&incoming.subjects, &incoming.text)
        }
        None => None,
    }
}

/// What a `message/delivery-status` says (RFC 3464, section 2): blocks of fields, of which those for a recipient have an
/// `Action`. Ours has one recipient, so that whichever failed is he, or whom he forwards to.
fn reported(report: &str) -> Option<Failure> {
    let report = report.replace("\r\n", "\n");
    report.split("\n\n").find_map(|block| {
        let field = |name: &str| {
            let mut lines = block
                .lines()
                .skip_while(|line| !line.split_once(':').is_some_and(|(key, _)| key.trim().eq_ignore_ascii_case(name)));
            let first = lines.next()?.split_once(':')?.1.trim();
            let folded = lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
            Some(std::iter::once(first).chain(folded).collect::<Vec<_>>().join(" "))
        };
        let failed = field("action").is_some_and(|action| action.eq_ignore_ascii_case("failed"));
        failed.then(|| {
            let said = field("diagnostic-code").unwrap_or_default();
            let said = said.split_once(';').map_or(said.as_str(), |(_, said)| said).trim();
            let words = Failure::new(said);
            // The words of the last server know more than 5.0.0.
            match (words.status, field("status")) {
                (None, Some(status)) => Failure::new(format!("{status} {said}").trim()),
                _ => words,
            }
        })
    })
}

/// What a report in plain words says, unless it only tells of a delay.
fn told(subjects: &[String], text: &str) -> Option<Failure> {
    let subject = subjects.join(" ").to_lowercase();
    if subject.contains("delay") || subject.starts_with("warning") {
        return None;
    }
    let reply = |line: &&str| Failure::new(line).status.is_some_and(|status| status[0] == 5);
    let line = text.lines().take(100).find(reply).unwrap_or("returned without a code");
    Some(Failure::new(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_as_servers_write_them() {
        let postfix = "Reporting-MTA: dns; mx.example.net\r\n\r\nFinal-Recipient: rfc822; bob@example.org\r\n\
             Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 <bob@example.org>:\r\n \
             Recipient address rejected\r\n";
        let failure = reported(postfix).unwrap();
        assert_eq!(failure.said, "550 5.1.1 <bob@example.org>: Recipient address rejected");
        assert!(failure.is_dead());
        let terse = "Reporting-MTA: dns;x\n\nFinal-Recipient: rfc822;b@x\nAction: FAILED\nstatus: 5.2.1\n";
        assert_eq!(reported(terse).unwrap().said, "5.2.1");
        let delayed = "Reporting-MTA: dns;x\n\nFinal-Recipient: rfc822;b@x\nAction: delayed\nStatus: 4.4.1\n";
        assert_eq!(reported(delayed), None);
        assert_eq!(reported(""), None);
    }

    #[test]
    fn reports_in_words() {
        let text = "Hi. This is the qmail-send program at example.net.\n\n<bob@example.org>:\n\
             192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 no such user\n";
        let qmail = Incoming { text: text.to_owned(), ..Incoming::default() };
        assert!(failure(&qmail).unwrap().is_dead());
        let exim = |subject: &str, text: &str| Incoming {
            names_failed: true,
            subjects: vec![subject.to_owned()],
            text: text.to_owned(),
            ..Incoming::default()
        };
        let unrouteable = exim("Mail delivery failed: returning message to sender", "bob@example.org\n Unrouteable");
        assert_eq!(failure(&unrouteable).unwrap().said, "returned without a code");
        assert_eq!(failure(&exim("Warning: message 1 delayed 24 hours", "550 5.1.1")), None);
        let away = Incoming { text: "I am away until Monday.".to_owned(), ..Incoming::default() };
        assert_eq!(failure(&away), None);
    }
}
