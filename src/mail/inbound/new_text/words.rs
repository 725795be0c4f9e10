//! The words that mail programs add to their users' texts: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words of all languages.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The words after `Sent from (my)`.
    pub devices: Vec<&'static str>,
    /// The beginnings of small print.
    pub footers: Vec<&'static str>,
    /// The beginnings of small print that may also begin sentences.
    pub notices: Vec<&'static str>,
    /// The beginnings of words that occur only in small print.
    pub legal: Vec<&'static str>,
    /// The greetings above a letter.
    pub greetings: Vec<&'static str>,
    /// The ends of the line above a quote: `On …, somebody wrote:`, without the colon. In languages with the name after
    /// the verb (`Am … schrieb …:`), the verb may be in the middle.
    pub wrote: Vec<&'static str>,
    /// The beginnings of that line.
    pub opens: Vec<&'static str>,
    /// The labels of the sender of a quoted message, without the colon.
    pub from: Vec<&'static str>,
    /// The labels of its date.
    pub sent: Vec<&'static str>,
    /// The labels of its recipients.
    pub to: Vec<&'static str>,
    /// The labels of its subject.
    pub subject: Vec<&'static str>,
    /// The words between dashes above a quoted or forwarded message.
    pub original: Vec<&'static str>,
    /// The line above a forwarded message, without the colon.
    pub forwarded: Vec<&'static str>,
    /// The beginnings of a program's advertisement for itself: `Sent from my iPhone`.
    pub sent_from: Vec<&'static str>,
    /// The closing line above the sender's name.
    pub closings: Vec<&'static str>,
    /// The days of the week and the months, and those abbreviations that are not their beginnings.
    pub days: Vec<&'static str>,
}

impl Words {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "devices" => &mut self.devices,
            "footers" => &mut self.footers,
            "notices" => &mut self.notices,
            "legal" => &mut self.legal,
            "greetings" => &mut self.greetings,
            "wrote" => &mut self.wrote,
            "opens" => &mut self.opens,
            "from" => &mut self.from,
            "sent" => &mut self.sent,
            "to" => &mut self.to,
            "subject" => &mut self.subject,
            "original" => &mut self.original,
            "forwarded" => &mut self.forwarded,
            "sent_from" => &mut self.sent_from,
            "closings" => &mut self.closings,
            "days" => &mut self.days,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_words() {
        let words = format!("{:?}", *WORDS);
        assert!(!words.contains("[]"), "{words}");
    }
}
