//! Moves and answers in a few words of a letter: "I play f4", "2. f4", "Danke, f4", "yes".
//!
//! A phrase is understood if nothing is left of it but a move or a verb once the words that announce one, and those of
//! courtesy, are taken away. Every other line that names a cell is asked about.

use super::new_text::is_greeting;
use super::reply_line::is_cells;
use crate::command::plain;

/// What announces a move or a verb.
const ANNOUNCING: &[&str] = &[
    "i",
    "i play",
    "i'll play",
    "i will play",
    "i move",
    "i move to",
    "i'll move",
    "i'll move to",
    "i go",
    "i go to",
    "i'll go",
    "i'll go to",
    "i choose",
    "i'll take",
    "my move",
    "my move is",
    "my reply",
    "my reply is",
    "my answer",
    "my answer is",
    "here is my move",
    "here's my move",
    "move",
    "move is",
    "play",
    "then",
    "now",
    "ich spiele",
    "ich ziehe",
    "mein zug",
    "mein zug ist",
    "zug",
    "je joue",
    "mon coup",
    "mon coup est",
    "coup",
    "juego",
    "mi jugada",
    "mi jugada es",
    "jugada",
    "gioco",
    "la mia mossa",
    "la mia mossa è",
    "mossa",
    "ik speel",
    "mijn zet",
    "mijn zet is",
    "zet",
    "jogo",
    "minha jogada",
    "jag spelar",
    "jeg spiller",
    "gram",
];
/// Courtesy before or behind it. A comment repeats such a line, so that nothing of it is lost.
pub(super) const COURTESY: &[&str] = &[
    "thanks",
    "thank you",
    "thx",
    "many thanks",
    "please",
    "danke",
    "danke schön",
    "vielen dank",
    "bitte",
    "merci",
    "s'il te plaît",
    "gracias",
    "grazie",
    "obrigado",
    "obrigada",
    "dank je",
    "bedankt",
    "tack",
    "takk",
    "tak",
    "kiitos",
    "dzięki",
    "děkuji",
    "спасибо",
    "good move",
    "nice move",
    "nice",
    "good",
    "great",
    "well played",
    "good luck",
    "have fun",
    "cheers",
    "viel glück",
    "your move",
    "your turn",
];
/// What ends a line behind a move.
const ENDING: &[&str] = &["is my move", "it is", "then", "now"];
/// Words that agree; before a move they mean nothing, unless there is something to agree to.
const AGREEING: &[&str] = &["ok", "okay", "yes", "yes please", "yep", "yeah", "ja", "oui", "sí", "si", "sim", "да"];
/// Whole lines that accept a proposal.
const ACCEPTING: &[&str] = &["i agree", "agreed", "i accept", "accepted", "i accept the draw", "einverstanden"];
/// Whole lines that reject a proposal.
const REJECTING: &[&str] =
    &["no", "nope", "no thanks", "no thank you", "i reject", "nein", "nein danke", "non", "non merci", "нет"];
/// Whole lines that propose a draw.
const OFFERING: &[&str] = &[
    "i propose a draw",
    "i offer a draw",
    "i offer draw",
    "i suggest a draw",
    "propose a draw",
    "propose draw",
    "offer a draw",
    "offer draw",
    "draw offer",
    "i would like to propose a draw",
    "ich biete remis",
    "ich biete remis an",
];
/// Whole lines that name a draw, and do not say whether it is offered or accepted.
const DRAW: &[&str] = &["draw", "a draw", "remis", "tie"];

/// What a line of a letter says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    /// It agrees to what is proposed.
    Yes,
    /// It refuses what is proposed.
    No,
    /// It proposes a draw.
    Offer,
    /// It speaks of a draw.
    Draw,
    /// What is left of it.
    Core(Core),
    /// It names these cells, and is no phrase.
    Cells(Vec<String>),
    /// Nothing of this.
    Letter,
}

/// A phrase without the words around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Core {
    pub(super) words: Vec<String>,
    /// The number before a move: `2. f4`.
    pub(super) number: Option<u32>,
    /// Whether a word agreed to something.
    pub(super) agrees: bool,
    /// Whether words of courtesy were taken away.
    pub(super) is_courteous: bool,
}

/// Reads a line as a phrase.
pub(super) fn phrase(line: &str) -> Phrase {
    let plain = plain(line).to_lowercase();
    let cells = || -> Vec<String> {
        let named = plain.split(|c: char| c.is_whitespace() || matches!(c, ';' | ':' | '?' | '"' | '(' | ')'));
        named.map(|word| word.trim_matches([',', '.', '!'])).filter(|word| is_cells(word)).map(str::to_owned).collect()
    };
    let asked = plain.contains('?');
    let (number, text) = numbered(without_greeting(&plain));
    let mut words = words(text);
    let whole = words.join(" ");
    let is = |phrases: &[&str]| number.is_none() && phrases.contains(&whole.as_str());
    match () {
        () if is(DRAW) => return Phrase::Draw,
        () if asked => {}
        () if is(ACCEPTING) || (is(AGREEING) && !matches!(whole.as_str(), "ok" | "okay")) => return Phrase::Yes,
        () if is(REJECTING) => return Phrase::No,
        () if is(OFFERING) => return Phrase::Offer,
        () => {
            let (mut agrees, mut is_courteous, before) = (false, false, words.len());
            loop {
                let announced = strip(&mut words, ANNOUNCING, true) || strip(&mut words, ENDING, false);
                let courteous = strip(&mut words, COURTESY, true) || strip(&mut words, COURTESY, false);
                let agreed = strip(&mut words, AGREEING, true);
                is_courteous |= courteous;
                agrees |= agreed;
                if !(announced || courteous || agreed) {
                    break;
                }
            }
            let is_greeted = text.len() < plain.trim().len() && number.is_none();
            if !words.is_empty() && (words.len() < before || number.is_some() || is_greeted) {
                return Phrase::Core(Core { words, number, agrees, is_courteous: is_courteous || is_greeted });
            }
        }
    }
    let cells = cells();
    if cells.is_empty() { Phrase::Letter } else { Phrase::Cells(cells) }
}

/// A line without a greeting at its start: "Hi Bob, f4".
fn without_greeting(line: &str) -> &str {
    let line = line.trim();
    match line.split_once([',', '!']) {
        Some((greeting, rest)) if is_greeting(&format!("{greeting},")) && !rest.trim().is_empty() => rest.trim(),
        _ => line,
    }
}

/// The number before a move, `2.`, `2)` or `2...`, and what follows it.
fn numbered(line: &str) -> (Option<u32>, &str) {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    match number.parse().ok().filter(|number| *number > 0 && rest.starts_with(['.', ')', ':'])) {
        Some(number) => (Some(number), rest.trim_start_matches(['.', ')', ':']).trim_start()),
        None => (None, line),
    }
}

/// The words of a line without punctuation around them; cells in a list stay together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        let pieces: Vec<&str> = if is_cells(word) { vec![word] } else { word.split([',', ':', ';']).collect() };
        let bare = pieces.into_iter().map(|piece| piece.trim_matches(|c: char| ".,!?()[]\"*_-".contains(c)));
        words.extend(bare.filter(|piece| !piece.is_empty()).map(str::to_owned));
    }
    words
}

/// Takes the longest of these phrases away from the start or the end, unless nothing would be left.
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
    fn what_is_left_of_a_phrase() {
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
            ("Draw?", "Draw"),
        ] {
            assert_eq!(core(line), left, "{line}");
        }
    }

    #[test]
    fn what_can_mean_two_things_is_no_phrase() {
        for (line, cells) in [
            ("f4 or f5?", &["f4", "f5"][..]),
            ("I play f4?", &["f4"]),
            ("Not f4", &["f4"]),
            ("We thought about f4, but no", &["f4"]),
        ] {
            assert_eq!(phrase(line), Phrase::Cells(cells.iter().map(|cell| (*cell).to_owned()).collect()), "{line}");
        }
        for line in ["ok", "Well, let me think.", "What is this?", ""] {
            assert_eq!(phrase(line), Phrase::Letter, "{line}");
        }
    }
}
