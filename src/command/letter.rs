//! Lines of a letter that begin with a command's word: `Set sail`, `All the best`, `Message received`.

use super::SETTING_KEYS;
use super::usage::Usage;
use super::values::{is_board, userid};
use crate::rules::catalogue;
use crate::text::nearest;

/// Words that hardly a line of a letter can do without, and that nobody is called.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "her", "here", "him", "his", "how", "i", "i'll", "i'm", "in", "into", "is",
    "it", "it's", "its", "me", "more", "my", "not", "of", "on", "or", "our", "out", "over", "please", "she", "should",
    "so", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "too", "up", "us",
    "very", "was", "we", "were", "what", "when", "where", "which", "who", "why", "with", "would", "you", "your",
];

/// Whether the word is one that letters are made of.
pub(super) fn is_function_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation()).to_ascii_lowercase();
    FUNCTION_WORDS.contains(&word.as_str())
}

/// Whether the arguments of a server's command, passwords aside, read like the line of a letter.
pub(super) fn reads_like_one(usage: &Usage, args: &[&str]) -> bool {
    let open = args.iter().enumerate().filter(|(place, _)| !usage.passwords.contains(place));
    !usage.of_game && open.into_iter().any(|(_, word)| is_function_word(word))
}

/// Whether a line that cannot be read, but begins with this command's words, was meant as the command.
pub(super) fn is_command(usage: &Usage, args: &[&str]) -> bool {
    if usage.of_game {
        return true;
    }
    if reads_like_one(usage, args) {
        return false;
    }
    let player = |word: &str| userid(0, word).is_ok();
    // Behind a userid and a password stands what else tells the command from a sentence.
    let signed = args.first().is_some_and(|word| player(word)) && args.len() >= 2;
    let rest = args.get(2..).unwrap_or_default();
    let digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let setting = |word: &&str| word.contains('=') || nearest(word, SETTING_KEYS.iter().copied()).is_some();
    match usage.name {
        "set" => signed && (rest.is_empty() || rest.iter().any(setting)),
        "vacation" => {
            let meant = |word: &&str| digit(word) || nearest(word, ["until", "off"]).is_some();
            signed && (rest.is_empty() || rest.iter().any(meant))
        }
        "message" => {
            let to = |word: &&str| word.split(',').next().is_some_and(player);
            signed && rest.first().is_none_or(to)
        }
        "signoff" | "broadcast" => signed,
        "list" => {
            let games = || catalogue::GAMES.iter().map(|game| game.name());
            args.len() == 1 || args.iter().any(|word| nearest(word, games()).is_some())
        }
        "show" => args.len() <= 2 || args.first().is_some_and(|word| is_board(word)),
        "help" | "confirm" => args.len() <= 3,
        _ => true,
    }
}

/// Whether a line that begins with a game's verb was meant as a command: a letter may well begin "Move along", so
/// it takes a board's number, and no sentence behind it.
pub(super) fn is_command_without_game(verb: &str, rest: &[&str]) -> bool {
    let Some((first, rest)) = rest.split_first() else { return false };
    let player = rest.first().is_none_or(|word| userid(0, word).is_ok());
    let begun = (is_board(first) && player) || (verb == "preview" && first.eq_ignore_ascii_case("new"));
    begun && !rest.iter().any(|word| is_function_word(word))
}
