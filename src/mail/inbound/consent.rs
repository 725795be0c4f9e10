//! Reads the replies of an address's owner to the letter that asks for confirmation, and recognises messages whose
//! first line asks to stop letters: "stop", "Unsubscribe me, please".
//!
//! Vacation replies, tickets and reactions are also sent in reply to this letter, so only a few phrases are read as
//! consent. Many more phrases are read as a refusal, because a refusal confirms nothing.

use super::commands::{is_our_question, own_subject};
use super::new_text::{is_greeting, new_text};
use super::phrase::courtesy;
use super::words;
use crate::command::plain;

/// The number of words in the subject of our question, including the userid.
const QUESTION_WORDS: usize = 5;

words::define! {
    static WORDS: Words = "words/consent.txt" {
        /// Whole texts that confirm the address.
        agreeing,
        /// Whole lines that refuse the confirmation.
        refusing,
        /// Phrases that refuse even in the middle of a sentence.
        denying,
        /// Words of the line with which help desks ask customers to write their reply above it.
        tickets,
    }
}

/// The answer to the question whether an address belongs to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// The address belongs to the player.
    Given,
    /// The address does not belong to the player, or its owner does not want these letters.
    Refused,
    /// The reply neither confirms nor refuses.
    Unclear,
}

/// Reads the answer in a reply.
pub(crate) fn consent(subject: Option<&str>, text: &str) -> Consent {
    let in_subject = subject.and_then(own_subject).and_then(said);
    match (said_in_text(text), in_subject) {
        (Some(Consent::Given), Some(Consent::Refused)) => Consent::Unclear,
        (Some(said), _) => said,
        (None, Some(said)) => said,
        (None, None) if says_nothing(subject, text) => Consent::Given,
        (None, None) => Consent::Unclear,
    }
}

/// Returns the answer in the new text of a reply. The answer is on the first line, but a denial such as "not me" may be
/// on any line.
fn said_in_text(text: &str) -> Option<Consent> {
    let new = new_text(text);
    let mut lines = new.pieces.iter().flat_map(|piece| &piece.lines).filter(|line| !line.trim().is_empty()).peekable();
    let all: Vec<&str> = lines.clone().copied().collect();
    if all.iter().any(|line| denies(line)) {
        return Some(Consent::Refused);
    }
    lines.next_if(|line| is_greeting(line) && all.len() > 1);
    lines.next().copied().and_then(said)
}

/// Returns whether a reply contains only its quote and a signature, and its writer added no words to the subject.
fn says_nothing(subject: Option<&str>, text: &str) -> bool {
    let new = new_text(text);
    let is_empty = new.pieces.iter().all(|piece| piece.lines.is_empty()) && !is_ticket(&new.cut);
    let subject = without_tags(subject.unwrap_or_default());
    // An administrator's own template may word the question differently.
    let is_reply = |own: &str| own.len() < subject.len() && !own.contains([':', '：', '#']);
    let is_ours = |own: &str| is_our_question(own) && own.split_whitespace().count() == QUESTION_WORDS;
    is_empty
        && own_subject(subject).is_some_and(|own| {
            let own = without_tags(own);
            own.is_empty() || is_ours(own) || (is_reply(own) && !is_our_question(own))
        })
}

/// Returns whether the text below the end of the new text is the receipt of a help desk.
fn is_ticket(cut: &[&str]) -> bool {
    let first = cut.iter().find(|line| !line.trim().is_empty()).map(|line| line.to_lowercase());
    first.is_some_and(|line| WORDS.tickets.iter().any(|words| line.contains(words)))
}

/// Returns a subject without gateway tags such as `[EXTERNAL]`. A tag with a number identifies a ticket, and is not
/// removed.
fn without_tags(subject: &str) -> &str {
    let mut subject = subject.trim();
    while let Some((tag, rest)) = subject.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && !tag.contains(|c: char| c.is_ascii_digit())
    {
        subject = rest.trim_start();
    }
    subject
}

/// Returns the answer on a line, if the line contains only an answer.
fn said(line: &str) -> Option<Consent> {
    let mut words = words(line);
    loop {
        let whole = words.join(" ");
        match () {
            () if WORDS.agreeing.contains(&whole.as_str()) => return Some(Consent::Given),
            () if WORDS.refusing.contains(&whole.as_str()) => return Some(Consent::Refused),
            () if !(strip(&mut words, courtesy()) || strip(&mut words, &WORDS.agreeing)) => return None,
            () => {}
        }
    }
}

/// Returns whether a line says that its writer is not the player.
fn denies(line: &str) -> bool {
    let line = format!(" {} ", words(line).join(" "));
    // Some languages do not separate words.
    let holds =
        |phrase: &&str| if phrase.is_ascii() { line.contains(&format!(" {phrase} ")) } else { line.contains(*phrase) };
    WORDS.denying.iter().any(holds)
}

/// Returns the words of a line, normalized for comparison with the word lists.
fn words(line: &str) -> Vec<String> {
    let plain = plain(line).to_lowercase();
    let words = plain
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '!' | ':' | ';' | '、' | '。' | '！' | '，'));
    let bare = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Removes one of these phrases from the start or the end of a line, unless it is the whole line.
fn strip(words: &mut Vec<String>, phrases: &[&str]) -> bool {
    for phrase in phrases {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        if phrase.len() >= words.len() {
            continue;
        }
        if words.starts_with(&phrase.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()) {
            words.drain(..phrase.len());
            return true;
        }
        let from = words.len() - phrase.len();
        if words[from..] == phrase {
            words.truncate(from);
            return true;
        }
    }
    false
}

words::define! {
    static STOP_WORDS: StopWords = "words/stop.txt" {
        /// Words that ask to stop letters.
        asking,
        /// Other words that a line with such a request may contain.
        with,
        /// Whole lines that ask to stop letters.
        phrases,
    }
}

/// Returns whether the first new line of a message, below a greeting, asks to stop letters. If the message contains no
/// new text, its subject is read instead.
pub(crate) fn asks_to_stop(subject: Option<&str>, text: &str) -> bool {
    let new = new_text(text);
    let mut lines = new.first().iter().copied().filter(|line| !line.trim().is_empty()).peekable();
    let greeting = lines.next_if(|line| is_greeting(line.trim()));
    match lines.next().or(greeting).or(subject) {
        Some(line) => is_request(line),
        None => false,
    }
}

fn is_request(line: &str) -> bool {
    let line = line.to_lowercase().replace('’', "'");
    let trimmed = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    if STOP_WORDS.phrases.contains(&trimmed(&line).as_str()) {
        return true;
    }
    let words: Vec<String> = line.split_whitespace().map(trimmed).filter(|word| !word.is_empty()).collect();
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    words.iter().any(|word| is(&STOP_WORDS.asking, word))
        && words.iter().all(|word| is(&STOP_WORDS.asking, word) || is(&STOP_WORDS.with, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Option<&str> = Some("Re: Confirm your address for carol");

    #[test]
    fn a_few_words_give_consent() {
        for text in [
            "",
            "\n\n> Somebody, most likely you\n",
            "-- \nCarol\n",
            "yes",
            "YES!",
            "Yes, please.",
            "Ok",
            "okay, thanks",
            "Confirm",
            "I confirm.",
            "Yes, that's me",
            "Yes, it\u{2019}s me \u{1f642}",
            "Hi,\n\nyes\n\nBest regards,\nCarol",
            "yes\n\nLooking forward to it.",
            "ja",
            "Ja, bitte!",
            "Ich bestätige.",
            "oui",
            "sí",
            "да",
            "はい。",
            "是",
            "네",
        ] {
            assert_eq!(consent(ASKED, text), Consent::Given, "{text}");
        }
        for subject in
            ["", "AW: Confirm your address for carol", "[EXTERNAL] Re: Confirm your address for carol", "yes", "Re: ok"]
        {
            assert_eq!(consent(Some(subject), ""), Consent::Given, "{subject}");
        }
        assert_eq!(consent(None, ""), Consent::Given);
    }

    #[test]
    fn a_refusal_may_use_many_words() {
        for text in [
            "stop",
            "STOP!",
            "Please stop.",
            "unsubscribe",
            "No",
            "no, thanks",
            "This was not me!",
            "not me",
            "It wasn\u{2019}t me. Please delete my address.",
            "Hello,\n\nI did not sign up for this.\n",
            "Wrong person, sorry.",
            "Yes, I got this, but it was not me",
            "Das war ich nicht!",
            "Nein danke",
            "abmelden",
            "Ce n'est pas moi",
            "No soy yo",
            "Это не я",
            "これは私ではありません",
        ] {
            assert_eq!(consent(ASKED, text), Consent::Refused, "{text}");
        }
        assert_eq!(consent(Some("stop"), ""), Consent::Refused);
        assert_eq!(consent(Some("unsubscribe"), "unsubscribe"), Consent::Refused);
    }

    #[test]
    fn other_replies_need_confirmation() {
        for text in [
            "I am out of the office until Monday.",
            "Yes, I am out of the office until Monday.",
            "Thank you for contacting Example Inc. Your request has been received.",
            "Thanks",
            "Who is carol?",
            "yes or no?",
            "\u{1f44e}",
            "Okay so what is this",
            "##- Please type your reply above this line -##\n\nWe have received your request.",
            "--- Reply above this line ---\n\nTicket 7 was created.",
        ] {
            assert_eq!(consent(ASKED, text), Consent::Unclear, "{text}");
        }
        for subject in [
            "Fwd: Confirm your address for carol",
            "Read: Confirm your address for carol",
            "[#7] Ticket created",
            "[Ticket 7] Confirm your address for carol",
            "Re: [#7] Confirm your address for carol",
            "Re: Confirm your address for carol (ticket 7)",
        ] {
            assert_eq!(consent(Some(subject), ""), Consent::Unclear, "{subject}");
        }
        assert_eq!(consent(Some("stop"), "yes"), Consent::Unclear);
    }

    #[test]
    fn requests_in_many_words_are_recognised_and_letters_are_not() {
        for line in [
            "stop",
            "STOP!",
            "Stop.",
            "Unsubscribe",
            "unsubscribe me, please",
            "Please stop sending me e-mails",
            "Abmelden",
            "Bitte abmelden!",
            "Don’t write to me.",
            "REMOVE ME",
            "配信停止",
            "отписаться",
        ] {
            assert!(asks_to_stop(None, &format!("Hi,\n\n{line}\n\n> quoted\n")), "{line}");
            assert!(asks_to_stop(Some(line), ""), "{line}");
        }
        for line in
            ["else stop", "Stop that attack of yours!", "f3", "I cannot stop playing", "", "We should not stop here"]
        {
            assert!(!asks_to_stop(None, &format!("{line}\n")), "{line}");
        }
        assert!(!asks_to_stop(Some("stop"), "f3\n"));
    }
}
