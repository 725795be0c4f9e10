//! Messages whose first line asks to stop letters: "stop", "Unsubscribe me, please".

use std::sync::LazyLock;

use super::new_text::{is_greeting, new_text};
use super::word_lists;

static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("stop_words.txt"), Words::list));

#[derive(Debug, Default)]
struct Words {
    /// Words that request a stop.
    asking: Vec<&'static str>,
    /// Other words that such a line may contain.
    with: Vec<&'static str>,
    /// Whole lines that request a stop.
    phrases: Vec<&'static str>,
}

impl Words {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "asking" => &mut self.asking,
            "with" => &mut self.with,
            "phrases" => &mut self.phrases,
            _ => return None,
        })
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
    if WORDS.phrases.contains(&trimmed(&line).as_str()) {
        return true;
    }
    let words: Vec<String> = line.split_whitespace().map(trimmed).filter(|word| !word.is_empty()).collect();
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    words.iter().any(|word| is(&WORDS.asking, word))
        && words.iter().all(|word| is(&WORDS.asking, word) || is(&WORDS.with, word))
}

#[cfg(test)]
mod tests {
    use super::*;

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
