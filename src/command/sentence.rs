//! Recognizes sentences of letters that begin with a command's word: `Set sail`, `All the best`, `Message received`.

use super::spec::VerbSpec;
use crate::text::is_one_slip;

/// Words that occur in nearly every sentence and that are not names.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "her", "here", "him", "his", "how", "i", "i'll", "i'm", "in", "into", "is",
    "it", "it's", "its", "me", "more", "my", "not", "of", "on", "or", "our", "out", "over", "please", "she", "should",
    "so", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "too", "up", "us",
    "very", "was", "we", "were", "what", "when", "where", "which", "who", "why", "with", "would", "you", "your",
];

/// Returns whether a word is typical of sentences.
pub(crate) fn is_function_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation()).to_ascii_lowercase();
    FUNCTION_WORDS.contains(&word.as_str())
}

/// Words that differ from a verb by one letter.
const NEARLY_VERBS: &[&str] =
    &["conform", "design", "eject", "except", "massage", "review", "standing", "summit", "vocation"];
/// The minimum length of a verb that is rarely confused with other words.
const LONG_VERB: usize = 5;

/// Returns whether a word is a misspelt verb rather than another word: "challnge", but not "challenged".
pub(crate) fn is_slip(word: &str, verb: &str) -> bool {
    let word = word.to_lowercase();
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let is_form = [verb, stem]
        .iter()
        .filter_map(|stem| word.strip_prefix(stem))
        .any(|end| matches!(end, "s" | "d" | "ed" | "r" | "er" | "rs" | "ers" | "ing" | "es"));
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_certain = verb.len() >= LONG_VERB || letters(&word) == letters(verb);
    is_one_slip(&word, verb) && is_certain && !is_form && !NEARLY_VERBS.contains(&word.as_str())
}

/// Returns whether these words continue a verb as in a sentence: "Note that …", "Chat with you later".
pub fn continues_sentence(rest: &[String]) -> bool {
    const ON: &[&str] = &[
        "that", "to", "with", "how", "later", "soon", "you", "is", "was", "has", "will", "again", "sometime",
        "tomorrow",
    ];
    let first = rest.first().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()).to_ascii_lowercase());
    first.is_some_and(|first| ON.contains(&first.as_str()))
}

/// Returns whether the arguments of a server command, except passwords, read like a sentence.
pub(crate) fn reads_like_one(spec: &VerbSpec, args: &[&str]) -> bool {
    // "signup dora PASSWORD please" is a command with good manners.
    let args = args.split_last().filter(|(last, _)| last.eq_ignore_ascii_case("please")).map_or(args, |(_, args)| args);
    let open = args.iter().enumerate().filter(|(place, _)| !spec.passwords.contains(place));
    !spec.is_of_game() && open.into_iter().any(|(_, word)| is_function_word(word))
}

/// Returns whether an invalid line that starts with this command's words is a mistyped command.
pub(crate) fn is_command(spec: &VerbSpec, args: &[&str]) -> bool {
    spec.is_of_game() || (!reads_like_one(spec, args) && (spec.is_meant)(args))
}

/// Returns whether a line that starts with a verb of games, but without a game, is a mistyped command.
pub(crate) fn is_command_without_game(spec: &VerbSpec, args: &[&str]) -> bool {
    (spec.is_meant)(args) && !args.iter().skip(1).any(|word| is_function_word(word))
}
