//! The words that identify machine mail: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words that identify machine mail.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Header fields that a person's message never contains.
    pub headers: Vec<&'static str>,
    /// Header fields that a person's message may contain.
    pub doubtful_headers: Vec<&'static str>,
    /// The beginnings of machines' addresses.
    pub senders: Vec<&'static str>,
    /// Accounts of services.
    pub services: Vec<&'static str>,
    /// The beginnings of reports.
    pub reports: Vec<&'static str>,
    /// The beginnings of their subjects.
    pub report_subjects: Vec<&'static str>,
    /// Words in their subjects.
    pub report_words: Vec<&'static str>,
    /// The beginnings of the subjects of automatic answers.
    pub automatic_subjects: Vec<&'static str>,
    /// The beginnings of the subjects of receipts.
    pub receipt_subjects: Vec<&'static str>,
    /// The beginnings of the subjects of answers to invitations.
    pub calendar_subjects: Vec<&'static str>,
    /// Phrases that report a reaction to a message.
    pub reactions: Vec<&'static str>,
    /// The beginnings of the subjects of vacation replies.
    pub away_subjects: Vec<&'static str>,
    /// The phrases of vacation replies.
    pub away_texts: Vec<&'static str>,
}

impl Words {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "headers" => &mut self.headers,
            "doubtful_headers" => &mut self.doubtful_headers,
            "senders" => &mut self.senders,
            "services" => &mut self.services,
            "reports" => &mut self.reports,
            "report_subjects" => &mut self.report_subjects,
            "report_words" => &mut self.report_words,
            "automatic_subjects" => &mut self.automatic_subjects,
            "receipt_subjects" => &mut self.receipt_subjects,
            "calendar_subjects" => &mut self.calendar_subjects,
            "reactions" => &mut self.reactions,
            "away_subjects" => &mut self.away_subjects,
            "away_texts" => &mut self.away_texts,
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
