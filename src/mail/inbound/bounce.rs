//! Recognises bounces: messages to the envelope sender of a letter, which report on its delivery.
//!
//! Only the envelope sender, which is signed, proves which letter was sent to which recipient; the quotes in a report
//! prove nothing. Vacation replies are also sent to that address (RFC 3834, section 4), so a message to it is treated
//! as a failure of the delivery only if it reports one.

use super::addressing::tags;
use super::read::Incoming;
use crate::service::Failure;
use crate::store::{self, Delivery, OutboxId, Transaction};
use crate::token::{ENVELOPE_TAG, EnvelopeSender};

/// How many lines of a report to read.
const REPORT_LINES: usize = 100;
/// Words in the subject of a delay report.
const DELAYS: &[&str] = &["delay", "verzögert", "verspätet", "retardé", "retrasado", "still being retried"];
/// Words in the text of a delay report.
const LATER: &[&str] = &[
    "not yet been delivered",
    "will be retried",
    "will keep trying",
    "will continue to try",
    "delivery attempts will continue",
    "this is a warning message only",
    "this is a warning only",
];

/// A message to the envelope sender of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounce {
    pub(crate) letter: OutboxId,
    /// The delivery of the letter to the recipient that the signed envelope sender names.
    pub(crate) delivery: Delivery,
    /// Why delivery failed; `None` if the message does not report a permanent failure.
    pub(crate) failure: Option<Failure>,
}

/// Finds the letter to whose envelope sender a message was sent.
pub(crate) fn bounce(
    tx: &Transaction<'_>,
    incoming: &Incoming,
    recipients: &[String],
    own_address: &str,
) -> store::Result<Option<Bounce>> {
    for text in recipients.iter().flat_map(|header| tags(header, own_address, ENVELOPE_TAG)) {
        let Some(sender) = EnvelopeSender::read(&text) else { continue };
        let letter = OutboxId(sender.letter.into());
        let key = tx.reply_key()?;
        let delivery = tx.deliveries(letter)?.into_iter().find(|delivery| sender.is_of(&delivery.address, &key));
        if let Some(delivery) = delivery {
            return Ok(Some(Bounce { letter, delivery, failure: failure(incoming) }));
        }
    }
    Ok(None)
}

fn failure(incoming: &Incoming) -> Option<Failure> {
    match &incoming.delivery_status {
        Some(report) => reported(report),
        None => plain_report(incoming),
    }
}

/// Parses a `message/delivery-status` (RFC 3464, section 2): blocks of fields, of which those for a recipient have an
/// `Action`. A letter is sent to each recipient separately, so a failed delivery is to that recipient, or to an address
/// to which the recipient's mail is forwarded.
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
            // The last server's own text is more specific than a status such as 5.0.0.
            match (words.status, field("status")) {
                (None, Some(status)) => Failure::new(format!("{status} {said}").trim()),
                _ => words,
            }
        })
    })
}

/// Parses a report in plain text, unless it reports only a delay. Reports of qmail, and reports with a header field of
/// failed recipients, need no code; other reports must contain one.
fn plain_report(incoming: &Incoming) -> Option<Failure> {
    let failed = incoming.names_failed || incoming.text.starts_with("Hi. This is the qmail-send program");
    let subject = incoming.subjects.join(" ").to_lowercase();
    let lines = || incoming.text.lines().take(REPORT_LINES).take_while(|line| !begins_original(line));
    let said = lines().collect::<Vec<_>>().join(" ").to_lowercase();
    if !(failed || incoming.reports_delivery)
        || DELAYS.iter().any(|words| subject.contains(words))
        || subject.starts_with("warning")
        || LATER.iter().any(|words| said.contains(words))
    {
        return None;
    }
    let status = lines().find(|line| Failure::new(line).status.is_some_and(|status| status[0] == 5));
    match status.or_else(|| lines().find(|line| has_reply_code(line))) {
        Some(line) => Some(Failure::new(line)),
        None => failed.then(|| Failure::new("returned without a code")),
    }
}

/// Returns whether the returned message begins with this line. The content of the returned message proves nothing.
fn begins_original(line: &str) -> bool {
    let line = line.trim().trim_matches(['-', ' ']).to_lowercase();
    ["below is a copy", "below this line is a copy", "this is a copy of", "original message", "the original message"]
        .iter()
        .chain(&["return-path:", "received:", "der header der original", "message header follows"])
        .any(|words| line.starts_with(words))
}

/// Returns whether a line contains the code of a permanent failure (RFC 5321, 4.2.1): `550 no such user`, `554:
/// delivery error`.
fn has_reply_code(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let code = word.trim_matches(|c: char| c.is_ascii_punctuation()).split(['-', ':']).next().unwrap_or_default();
        code.len() == 3 && code.starts_with('5') && code.bytes().all(|octet| octet.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_status_reports_of_real_servers_are_parsed() {
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
    fn plain_text_reports_are_parsed() {
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
