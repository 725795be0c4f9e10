//! Text that may be private to its writer: a note, or a prepared reply.

use super::reply_line::{is_cells, reply_line};
use crate::command::{ReplyForm, plain};
use crate::text::is_one_slip;

/// The verb of a private note.
pub(crate) const NOTE: &str = "note";

/// The readers of the text below a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Only its writer.
    Writer,
    /// The recipients that the command names.
    Addressed,
    /// The other player, in addition to other effects of the command.
    Players,
}

/// Returns whether a text for this audience may contain a private line.
pub(crate) fn may_be_private(text: &str, audience: Audience) -> bool {
    match audience {
        Audience::Writer => false,
        Audience::Addressed => text.lines().any(is_note),
        Audience::Players => text.lines().any(is_private),
    }
}

/// Returns whether a line may be a note or a prepared reply.
fn is_private(line: &str) -> bool {
    let line = plain(line).to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut bare = words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let first = bare.find(|word| !word.is_empty()).unwrap_or_default();
    let labelled = words.iter().take(3).any(|word| matches!(*word, "note:" | "notes:" | "private:"));
    let cells = words.iter().filter(|word| is_cells(word)).count();
    let then = |word: &&str| *word == "then" || is_one_slip(word, "then");
    let plans = first == "if" && (cells > 1 || (cells > 0 && words.iter().any(then)));
    let queues = reply_line(&line).is_some_and(|reply| reply.verb.reply == ReplyForm::QueuedMove);
    labelled || is_note_word(first) || plans || queues
}

/// Returns whether a line is a note and not a sentence.
fn is_note(line: &str) -> bool {
    reply_line(line).is_some_and(|reply| reply.verb.reply == ReplyForm::Text && reply.verb.name == NOTE)
}

/// Returns whether a word is "note", possibly with two adjacent letters swapped.
fn is_note_word(word: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.starts_with('n') && sorted(word) == sorted(NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_lines_are_recognised() {
        for line in [
            "note my plan",
            "Note to self: base F",
            "Note that k4 is weak",
            "(note: k4)",
            "* (note) k4",
            "noet my plan",
            "My note: k4",
            "if k4 the h2",
            "queue k4",
        ] {
            assert!(is_private(line), "{line}");
        }
        for line in ["Noted, thanks!", "Not bad.", "If 3 pieces remain, it is a draw", "The tone is friendly", ""] {
            assert!(!is_private(line), "{line}");
        }
        assert!(!may_be_private("Good luck!\nnote k4", Audience::Writer));
        assert!(may_be_private("Good luck!\nnote k4", Audience::Addressed));
        assert!(!may_be_private("Note that I am away", Audience::Addressed));
    }
}
