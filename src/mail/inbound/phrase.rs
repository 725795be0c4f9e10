//! Recognises moves and answers in short sentences: "I play f4", "2. f4", "Danke, f4", "yes".
//!
//! A phrase is understood if only a move or a verb remains after removing the words that announce one and words of
//! courtesy. If any other line names a cell, the server asks what the line means.

use super::new_text::is_greeting;
use super::reply_line::is_cells;
use super::words;
use crate::command::{board_verb, is_doubt, is_ornament, plain};

pub(crate) fn courtesy() -> &'static [&'static str] {
    &WORDS.courtesy
}

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Phrase {
    /// The line accepts the proposal.
    Yes,
    /// The line rejects the proposal.
    No,
    /// The line proposes a draw.
    Offer,
    /// The line mentions a draw.
    Draw,
    /// The line seems to resign the game.
    Resign,
    /// These words remain after removing announcements and courtesy. They may be a move or a verb.
    Core(Core),
    /// The line names these cells, but its meaning is unclear.
    Cells(Vec<String>),
    /// Any other line.
    Letter,
}

/// The words of a phrase, without the announcements and the courtesy around them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) words: Vec<String>,
    /// The number before a move: `2. f4`.
    pub(crate) number: Option<u32>,
    /// Whether a removed word expressed agreement.
    pub(crate) agrees: bool,
    /// Whether words of courtesy or a greeting were removed.
    pub(crate) is_courteous: bool,
}

pub(crate) fn phrase(line: &str) -> Phrase {
    let plain = plain(line).to_lowercase();
    let cells = || -> Vec<String> {
        let named = plain.split(|c: char| c.is_whitespace() || matches!(c, ';' | ':' | '?' | '"' | '(' | ')'));
        named.map(|word| word.trim_matches([',', '.', '!'])).filter(|word| is_cells(word)).map(str::to_owned).collect()
    };
    let (number, text) = numbered(without_greeting(&plain));
    let rest = without_courteous_clauses(text);
    let (asked, is_greeted) = (plain.contains(is_doubt), text.len() < plain.trim().len() && number.is_none());
    let mut words = words(rest);
    let whole = words.join(" ");
    let is = |phrases: &[&str]| number.is_none() && rest == text && phrases.contains(&whole.as_str());
    match () {
        () if is(&WORDS.draw) => return Phrase::Draw,
        () if is(&WORDS.resigning) => return Phrase::Resign,
        () if asked => {}
        () if is(&WORDS.accepting) || (is(&WORDS.agreeing) && !matches!(whole.as_str(), "ok" | "okay")) => {
            return Phrase::Yes;
        }
        () if is(&WORDS.rejecting) => return Phrase::No,
        () if is(&WORDS.offering) => return Phrase::Offer,
        () => {
            let before = words.len();
            let Stripped { agrees, is_courteous } = strip_all(&mut words);
            let is_courteous = is_courteous || is_greeted || rest.len() < text.len();
            if !words.is_empty() && (words.len() < before || number.is_some() || is_courteous) {
                return Phrase::Core(Core { words, number, agrees, is_courteous });
            }
        }
    }
    let cells = cells();
    if cells.is_empty() { Phrase::Letter } else { Phrase::Cells(cells) }
}

/// Which kinds of words were removed from a line.
#[derive(Default)]
struct Stripped {
    agrees: bool,
    is_courteous: bool,
}

/// Removes words of announcement, agreement and courtesy.
fn strip_all(words: &mut Vec<String>) -> Stripped {
    let mut stripped = Stripped::default();
    loop {
        let announced = strip(words, &WORDS.announcing, true) || strip(words, &WORDS.ending, false);
        let courteous =
            strip(words, &WORDS.courtesy, true) || strip(words, &WORDS.courtesy, false) || strip_sentence(words);
        let agreed = strip(words, &WORDS.agreeing, true);
        stripped.is_courteous |= courteous;
        stripped.agrees |= agreed;
        if !(announced || courteous || agreed) {
            return stripped;
        }
    }
}

/// Removes a greeting at the start of a line: "Hi Bob, f4".
fn without_greeting(line: &str) -> &str {
    let line = line.trim();
    match line.split_once([',', '!']) {
        Some((greeting, rest)) if is_greeting(&format!("{greeting},")) && !rest.trim().is_empty() => rest.trim(),
        _ => line,
    }
}

/// Splits off the number before a move, `2.`, `2)` or `2...`.
fn numbered(line: &str) -> (Option<u32>, &str) {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    match number.parse().ok().filter(|number| *number > 0 && rest.starts_with(['.', ')', ':'])) {
        Some(number) => (Some(number), rest.trim_start_matches(['.', ')', ':']).trim_start()),
        None => (None, line),
    }
}

/// Removes courteous clauses at the start of a line: "Sorry for the delay, f4".
fn without_courteous_clauses(line: &str) -> &str {
    let mut rest = line;
    while let Some((clause, after)) = rest.split_once([',', '.', '!', ':', ';'])
        && after.starts_with(char::is_whitespace)
        && !after.trim().is_empty()
        && is_courteous(&words(clause))
    {
        rest = after.trim_start();
    }
    rest
}

/// Returns whether words begin with courtesy, and neither name a cell nor express doubt.
fn is_courteous(words: &[String]) -> bool {
    let begins = |phrase: &&str| {
        let mut given = words.iter();
        phrase.split(' ').all(|word| given.next().is_some_and(|given| given == word))
    };
    let is_harmless = |word: &String| !is_cells(word) && !WORDS.doubting.contains(&word.as_str());
    WORDS.courtesy.iter().any(begins) && words.iter().all(is_harmless)
}

/// Removes a courteous sentence at the end, after a move or a verb: "f4 thanks for the game".
fn strip_sentence(words: &mut Vec<String>) -> bool {
    let moves = words.iter().take_while(|word| is_cells(word)).count();
    let verbs = usize::from(words.first().is_some_and(|word| board_verb(word).is_some()));
    let kept = moves.max(verbs);
    let strips = kept > 0 && is_courteous(&words[kept..]);
    if strips {
        words.truncate(kept);
    }
    strips
}

/// Returns the words of a line without punctuation around them; a list of cells remains one word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split_whitespace().filter(|word| !is_ornament(word)) {
        let pieces: Vec<&str> = if is_cells(word) { vec![word] } else { word.split([',', ':', ';']).collect() };
        let around = |c: char| ".,!?()[]\"*_-`".contains(c) || (!c.is_ascii() && !c.is_alphanumeric());
        let bare = pieces.into_iter().map(|piece| piece.trim_matches(around));
        words.extend(bare.filter(|piece| !piece.is_empty()).map(str::to_owned));
    }
    words
}

/// Removes the longest of these phrases from the start or the end of a line, unless it is the whole line.
fn strip(words: &mut Vec<String>, phrases: &[&str], at_start: bool) -> bool {
    let length = |phrase: &&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let there = match at_start {
            true => words.get(..phrase.len()),
            false => words.len().checked_sub(phrase.len()).map(|from| &words[from..]),
        };
        (phrase.len() < words.len() && there.is_some_and(|there| there == phrase)).then_some(phrase.len())
    };
    let Some(length) = phrases.iter().filter_map(length).max() else { return false };
    match at_start {
        true => drop(words.drain(..length)),
        false => words.truncate(words.len() - length),
    }
    true
}

words::define! {
    static WORDS: Words = "words/phrase.txt" {
        /// Words that announce a move or a verb.
        announcing,
        /// Courtesy before or after a move or a verb. A line with courtesy also becomes the comment, so that the
        /// opponent reads it.
        courtesy,
        /// Words that make a nearby move or verb doubtful, such as "not" or "if".
        doubting,
        /// Words that may follow a move at the end of a line.
        ending,
        /// Words of agreement. Before a move, they are ambiguous if a proposal is open; otherwise, they are ignored.
        agreeing,
        /// Whole lines that accept a proposal.
        accepting,
        /// Whole lines that reject a proposal.
        rejecting,
        /// Whole lines that propose a draw.
        offering,
        /// Whole lines that mention a draw without offering or accepting it.
        draw,
        /// Whole lines that seem to resign. The server asks before a game ends.
        resigning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(line: &str) -> String {
        match phrase(line) {
            Phrase::Core(Core { words, number: Some(number), .. }) => format!("{}#{number}", words.join(" ")),
            Phrase::Core(core) => core.words.join(" "),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_core_of_a_phrase_is_found() {
        for (line, left) in [
            ("I play f4", "f4"),
            ("I'll play f4!", "f4"),
            ("I\u{2019}ll play f4", "f4"),
            ("Here is my move: f4", "f4"),
            ("Move: f4", "f4"),
            ("2. f4", "f4#2"),
            ("2.f4", "f4#2"),
            ("2... f4", "f4#2"),
            ("Danke, f4", "f4"),
            ("Hi Bob, f4", "f4"),
            ("Thanks, I play f3,f4. Good luck!", "f3,f4"),
            ("f4, please", "f4"),
            ("I resign", "resign"),
            ("please undo", "undo"),
            ("Yes!", "Yes"),
            ("yes, f4", "f4"),
            ("No, thanks.", "No"),
            ("I offer a draw.", "Offer"),
            ("Let's play f3", "f3"),
            ("f3 thanks for the game!", "f3"),
            ("Sorry for the delay, f3", "f3"),
            ("Sorry for the delay. I play f3. Thanks for waiting!", "f3"),
            ("I resign. Thanks for the game!", "resign"),
            ("I play f3 \u{1f44d}", "f3"),
            ("Sorry, not f4", "not f4"),
            ("Thanks for f4, f5", "for f4 f5"),
            ("Entschuldige die Verspätung: f3", "f3"),
            ("Voici mon coup : f3", "f3"),
            ("Draw?", "Draw"),
            ("J\u{2019}abandonne.", "Resign"),
            ("Ich gebe auf!", "Resign"),
        ] {
            assert_eq!(core(line), left, "{line}");
        }
    }

    #[test]
    fn ambiguous_lines_are_not_phrases() {
        for (line, cells) in [
            ("f4 or f5?", &["f4", "f5"][..]),
            ("I play f4?", &["f4"]),
            ("Not f4", &["f4"]),
            ("We thought about f4, but no", &["f4"]),
            ("f4 thanks, or f5", &["f4", "f5"]),
            ("f4 \u{1f44e}", &["f4"]),
            ("I play f4 \u{1f44e}", &["f4"]),
        ] {
            assert_eq!(phrase(line), Phrase::Cells(cells.iter().map(|cell| (*cell).to_owned()).collect()), "{line}");
        }
        for line in ["ok", "Well, let me think.", "What is this?", ""] {
            assert_eq!(phrase(line), Phrase::Letter, "{line}");
        }
    }
}
