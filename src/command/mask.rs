//! Decides which words of a line may be shown and stored, and writes a command as a line with masked passwords.
//!
//! A typing error can put a password in the place of any other word, and the parser cannot detect it. A word is
//! therefore shown only if it is certainly not a password: a word of the command language, a number, a date, a move, a
//! setting, a word too short for a password, or a name that the caller knows. A mistyped verb is shown where a verb is
//! expected. Anything else becomes `***`. An answer shows more words than the log and the database: see [`Shown`].

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use super::args::{LIST_MARKS, is_userid};
use super::game_types::BoardFilter;
use super::options::ServerOption;
use super::settings::{SETTING_KEYS, Setting, setting};
use super::spec::VerbSpec;
use super::types::Command;
use super::verbs::{game_names, game_verb, server_verbs, server_words, verbs};
use super::words::{self, is_option, number, quote, resolve};
use crate::rules::{Notation, catalogue};
use crate::text::nearest;

/// The replacement for a hidden word.
const MASK: &str = "***";
/// The maximum length of an unknown word that is always shown, in characters.
const SHORT: usize = 3;
/// The default minimum length of a password, in characters. The administrator can change it.
pub const SHORTEST_PASSWORD: u32 = 8;
/// The maximum number of digits of a number that is shown. A longer number may be a password.
const DIGITS: usize = 5;
/// Words of the command language other than verbs.
const KEYWORDS: &[&str] = &[
    "until", "off", "none", "all", "anyone", "new", "then", "or", "else", "stop", "text", "json", "password",
    "puzzles", "solution",
];

/// How much of a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Only words that cannot be passwords, for the log and the database.
    Kept,
    /// For the answer to the sender of the line. Also shows a word before a verb, settings with a misspelt key, and all
    /// words that are too short for a password.
    Answered {
        /// The minimum length of a word that may be a password.
        shortest: usize,
    },
}

impl Shown {
    /// Returns the mode for answers. `shortest_password` is the minimum length of new passwords. Older passwords may be
    /// shorter, so a word of the default minimum length is always treated as a possible password.
    pub fn in_answer(shortest_password: u32) -> Shown {
        Shown::Answered { shortest: SHORTEST_PASSWORD.min(shortest_password) as usize }
    }

    /// Returns whether a word is too short for a password.
    pub fn is_short(self, word: &str) -> bool {
        let length = word.chars().count();
        match self {
            Shown::Kept => length <= SHORT,
            Shown::Answered { shortest } => length <= SHORT || length < shortest,
        }
    }
}

/// A line, safe to show and store.
pub struct MaskedLine {
    /// The line.
    pub line: String,
    /// The byte column and length in characters of the wrong word.
    pub at: Option<(usize, usize)>,
    /// The hidden words.
    pub hidden: HiddenWords,
}

/// The words of a line that `***` replaces. The `Debug` output does not show these words either.
#[derive(Default)]
pub struct HiddenWords(BTreeSet<String>);

impl fmt::Debug for HiddenWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hidden words", self.0.len())
    }
}

impl HiddenWords {
    /// Returns whether a text contains a hidden word, or is a truncated text (`n3we…`) that a hidden word contains.
    pub fn stand_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let cut = text.strip_suffix('…').filter(|begin| begin.chars().count() > SHORT);
        self.0.iter().any(|word| contains_word(&text, word) || cut.is_some_and(|begin| word.contains(begin)))
    }

    /// Adds a hidden word and its parts, also without the punctuation around them, which messages may omit.
    fn add(&mut self, word: &str, safe: &dyn Fn(&str) -> bool) {
        let parts = word.split(|c: char| c.is_whitespace() || "=,;:#()\"'".contains(c));
        let key = key_of_setting(word);
        let is_mark = |c: char| !c.is_alphanumeric();
        for part in parts.chain([word]).flat_map(|part| [part.trim_start_matches('-'), part.trim_matches(is_mark)]) {
            let known = safe(part) || is_option_name(part) || Some(part) == key || part == MASK;
            if !known {
                self.0.insert(part.to_lowercase());
            }
        }
    }
}

/// Returns whether a text contains a word that is not part of a longer word.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let continues = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !continues(text[..at].chars().next_back()) && !continues(text[at + word.len()..].chars().next())
    })
}

/// Returns the words of a line that may be names, judged by their spelling: userids and mail addresses.
pub fn possible_names(line: &str) -> BTreeSet<&str> {
    words(line)
        .into_iter()
        .flat_map(|word| unquoted(&line[word]).split_whitespace())
        .map(bare_name)
        .filter(|w| may_be_name(w))
        .collect()
}

/// Removes the punctuation that follows a name in a list.
fn bare_name(word: &str) -> &str {
    word.trim_end_matches(LIST_MARKS)
}

fn may_be_name(word: &str) -> bool {
    is_userid(word) || word.contains('@')
}

/// Masks all words of a line except safe words and the names that `is_name` accepts.
pub fn mask(line: &str, at: Option<(usize, usize)>, how_much: Shown, is_name: &dyn Fn(&str) -> bool) -> MaskedLine {
    let words = words(line);
    let own = own_words(line, &words, how_much);
    let mut masked = MaskedLine { line: String::with_capacity(line.len()), at: None, hidden: HiddenWords::default() };
    let is_known = |name: &str| may_be_name(name) && is_name(name);
    let is_near = |word: &str| how_much != Shown::Kept && is_nearly_setting(word);
    let safe = |word: &str| how_much.is_short(word) || is_safe(word) || is_known(bare_name(word)) || is_near(word);
    for (i, range) in words.into_iter().enumerate() {
        if !masked.line.is_empty() {
            masked.line.push(' ');
        }
        let typed = &line[range.clone()];
        let shown = if own.contains(&i) { typed.to_owned() } else { shown(typed, how_much, &safe) };
        if shown != typed {
            masked.hidden.add(unquoted(typed), &safe);
        }
        if let Some((column, length)) = at.filter(|(column, _)| range.contains(column)) {
            masked.at = Some(match shown == typed {
                true => (masked.line.len() + column - range.start, length),
                false => (masked.line.len(), shown.chars().count()),
            });
        }
        masked.line.push_str(&shown);
    }
    masked
}

/// Returns the positions of a line's words. A text in "double quotes" is one word.
fn words(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut begun, mut quoted) = (Vec::new(), None, false);
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        if c.is_whitespace() && !quoted {
            found.extend(begun.take().map(|begin| begin..at));
        } else {
            begun.get_or_insert(at);
        }
    }
    found.extend(begun.map(|begin| begin..line.len()));
    found
}

fn unquoted(word: &str) -> &str {
    word.trim_matches('"')
}

/// Returns the indexes of the words that name the game and the verb, even if they are slightly misspelt.
fn own_words(line: &str, words: &[Range<usize>], how_much: Shown) -> Vec<usize> {
    let mut plain = (0..words.len()).filter(|i| !is_option(&line[words[*i].clone()]));
    let Some(first) = plain.next() else { return Vec::new() };
    let word = &line[words[first].clone()];
    let games = || catalogue::GAMES.iter().map(|game| game.name());
    let after_game = |word: &str| game_verb(word).is_some() || nearest(word, game_names()).is_some();
    let second = plain.next().map(|second| (second, &line[words[second].clone()]));
    let before_verb = second.is_some_and(|(_, word)| game_verb(word).is_some());
    if nearest(word, games()).is_some() || (how_much != Shown::Kept && before_verb) {
        return std::iter::once(first).chain(second.filter(|(_, word)| after_game(word)).map(|(i, _)| i)).collect();
    }
    if let Some(server) = resolve(word, server_words()) {
        let seconds: Vec<&str> = server_verbs(server).iter().filter_map(|(second, _)| *second).collect();
        let is_second = |word: &str| {
            resolve(word, seconds.iter().copied()).is_some() || nearest(word, seconds.iter().copied()).is_some()
        };
        return std::iter::once(first).chain(second.filter(|(_, word)| is_second(word)).map(|(i, _)| i)).collect();
    }
    if after_game(word) || nearest(word, server_words()).is_some() { vec![first] } else { Vec::new() }
}

/// Returns the visible form of a word.
fn shown(typed: &str, how_much: Shown, safe: &dyn Fn(&str) -> bool) -> String {
    let word = unquoted(typed);
    if is_option(word) {
        return shown_option(typed, how_much, safe);
    }
    if safe(word) {
        return typed.to_owned();
    }
    if !typed.starts_with('"') {
        return key_of_setting(word).map_or_else(|| MASK.to_owned(), |key| format!("{key}={MASK}"));
    }
    // The word is a plan, or a move of several words. Check each piece separately.
    let mut text = String::new();
    for piece in word.split_inclusive(|c: char| c == ' ' || ";()".contains(c)) {
        let end = piece.trim_end_matches(|c: char| c == ' ' || ";()".contains(c));
        text.push_str(if end.is_empty() || safe(end) { end } else { MASK });
        text.push_str(&piece[end.len()..]);
    }
    format!("\"{text}\"")
}

/// Returns the names of options, without dashes.
fn option_names() -> impl Iterator<Item = &'static str> {
    let of_games = catalogue::GAMES.iter().flat_map(|game| game.options()).map(|option| option.name);
    ServerOption::EACH.iter().map(|option| option.name()).chain(of_games)
}

fn is_option_name(name: &str) -> bool {
    option_names().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the visible form of an option. Hides the option unless its name is short or similar to a known one, and
/// hides its value unless the value is safe or consists of numbers, such as `10/0.5/20`.
fn shown_option(typed: &str, how_much: Shown, safe: &dyn Fn(&str) -> bool) -> String {
    let (name, value) = typed.split_once('=').map_or((typed, None), |(name, value)| (name, Some(value)));
    let bare = name.trim_start_matches('-');
    let is_known = how_much.is_short(name) || is_option_name(bare) || nearest(bare, option_names()).is_some();
    let is_shown = |value: &str| safe(value) || value.split(['/', '.']).all(is_number);
    match value {
        _ if !is_known => MASK.to_owned(),
        Some(value) if bare.eq_ignore_ascii_case(ServerOption::Say.name()) || !is_shown(value) => {
            format!("{name}={MASK}")
        }
        _ => typed.to_owned(),
    }
}

/// Returns whether a word cannot be a password, regardless of its place and length.
fn is_safe(word: &str) -> bool {
    is_number(word)
        || word.split_once('#').is_some_and(|(board, ply)| is_number(board) && is_number(ply))
        || is_date(word)
        || is_move(word)
        || is_setting(word)
        || is_word_of_language(word)
}

fn is_number(word: &str) -> bool {
    word.len() <= DIGITS && number(word).is_some()
}

/// Returns whether a word is a date: `2026-12-24`.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.into_iter().all(|part| number(part).is_some())
}

/// Returns whether a word has the form of a move in some game: `f3,f4`, `e1-e2`, `f3#14`, `swap`.
fn is_move(word: &str) -> bool {
    let (text, ply) = word.split_once('#').map_or((word, None), |(text, ply)| (text, Some(ply)));
    let cell = |cell: &str| cell.len() <= SHORT && Notation::is_cell(cell);
    let is_of = |notation: Notation| {
        let cells = notation.cells(text);
        notation.is_word(text) || (!cells.is_empty() && cells.into_iter().all(cell))
    };
    ply.is_none_or(is_number) && catalogue::GAMES.iter().any(|game| is_of(game.notation()))
}

/// Returns the key of a word such as `key=value`, if a setting has this key.
fn key_of_setting(word: &str) -> Option<&str> {
    word.split_once('=').map(|(key, _)| key).filter(|key| setting(key).is_some())
}

/// Returns whether a word assigns a valid value to a setting. Any word has the form of a time zone, so a zone must be
/// UTC, or contain a slash, as most names of the IANA database do.
fn is_setting(word: &str) -> bool {
    let Some((key, value)) = word.split_once('=') else { return false };
    match setting(key).map(|(_, read)| read(value)) {
        Some(Ok(Setting::Zone(zone))) => zone.contains('/') || *zone == *"UTC",
        Some(Ok(_)) => true,
        Some(Err(_)) | None => false,
    }
}

/// Returns whether a word is an assignment with a misspelt key.
fn is_nearly_setting(word: &str) -> bool {
    let Some((key, value)) = word.split_once('=') else { return false };
    nearest(key, SETTING_KEYS).is_some_and(|near| is_setting(&format!("{near}={value}")))
}

fn is_word_of_language(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let of_verbs = || verbs().flat_map(VerbSpec::names).flat_map(|name| name.split(' '));
    KEYWORDS.contains(&word.as_str())
        || SETTING_KEYS.iter().any(|key| key.eq_ignore_ascii_case(&word))
        || BoardFilter::EACH.iter().any(|filter| filter.word() == word)
        || catalogue::find(&word).is_some()
        || of_verbs().any(|name| name == word)
        || words::of_server(&word).is_some()
        || words::of_games(&word).is_some()
        || words::list(&word).is_some()
}

impl Command {
    /// Returns the command's verb, and the words of the command in canonical form.
    fn written(&self) -> (&'static VerbSpec, Vec<String>) {
        let written = |spec: &'static VerbSpec| Some((spec, spec.write(self)?));
        verbs().find_map(written).expect("every command belongs to a verb")
    }

    /// Returns whether the command can change anything. If so, it needs a write transaction and may create notices.
    pub fn changes(&self) -> bool {
        self.written().0.changes
    }
}

/// Returns the line that parses to this command once its hidden words are inserted.
pub(crate) fn canonical_words(command: &Command, say: Option<&str>) -> String {
    let (_, mut words) = command.written();
    words.extend(say.map(|say| format!("--say={say}")));
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(line: &str) -> String {
        mask(line, None, Shown::Kept, &|word| ["alice", "bob", "a@example.org"].contains(&word)).line
    }

    #[test]
    fn an_answer_hides_only_what_may_be_a_password() {
        let answered = |line| mask(line, None, Shown::in_answer(8), &|word| word == "margarethe").line;
        for line in [
            "chess challenge alice bob",
            "backgammon challenge alice bob",
            "show alice bob carol dora",
            "marque move 1 s3cret alice f3",
            "marque castle 1 alice *** f3",
            "marque challenge -sise=9 --quick margarethe, bob",
            "set alice *** hue=red",
            "set alice *** rythm=each",
        ] {
            assert_eq!(answered(line), line);
        }
        for (line, shown) in [
            ("marque move 1 wonderland alice f3", "marque move 1 *** alice f3"),
            ("marque challenge alice wonderland", "marque challenge alice ***"),
            ("wonderland alice bob", "*** alice bob"),
            ("marque wonderland 1 alice f3", "marque *** 1 alice f3"),
            ("lazo challenge -size=wonderland -wonderland alice bob", "lazo challenge -size=*** *** alice bob"),
        ] {
            assert_eq!(answered(line), shown);
        }
        // If shorter passwords are allowed, shorter words may be passwords.
        assert_eq!(mask("show alice bob", None, Shown::in_answer(4), &|_| false).line, "show *** bob");
        assert_eq!(mask("show wonderland", None, Shown::in_answer(20), &|_| false).line, "show ***");
    }

    #[test]
    fn words_that_cannot_be_passwords_are_shown() {
        for line in [
            "marque move 12 alice *** f3,f4#14",
            "marqe mvoe 12 bob …",
            "tessella move 1 bob *** e1-e2",
            "lazo challenge -size=57 --nagtime=7 --unrated alice anyone",
            "hex challenge --fischer=10/0.5/20 alice bob",
            "marque challenge -oposite alice bob",
            "marque preview 3#20 f3 swap --plain",
            "marque if 1 alice *** \"k4 then h2; k5,k6 then (h3 then resign; else stop)\"",
            "set alice *** mail=text zone=Europe/Berlin weekend=sat,sun",
            "vacation alice *** until 2026-12-24",
            "change address alice *** a@example.org",
            "all show bob active",
            "",
        ] {
            assert_eq!(masked(line), line);
        }
    }

    #[test]
    fn other_words_are_hidden() {
        for (line, shown) in [
            ("marque move 1 s3cret alice f3", "marque move 1 *** alice f3"),
            ("s3cret move 1 alice", "*** move 1 alice"),
            ("marque s3cret 1 alice", "marque *** 1 alice"),
            ("marque move 123456 alice", "marque move *** alice"),
            ("marque move 1 bob f3,s3cret", "marque move 1 bob ***"),
            ("marque move 1 bob a1b2c3", "marque move 1 bob ***"),
            ("marque move 1 bob \"f3 s3cret\"", "marque move 1 bob \"f3 ***\""),
            ("marque if 1 bob \"k4 then s3cret; else stop\"", "marque if 1 bob \"k4 then ***; else stop\""),
            ("marque chat 1 bob --say=\"it is s3cret\"", "marque chat 1 bob --say=***"),
            ("lazo challenge -size=s3cret -s3cret alice bob", "lazo challenge -size=*** *** alice bob"),
            ("set alice mail=s3cret zone=s3cret s3cret=text", "set alice mail=*** zone=*** ***"),
            ("hex challenge --fischer=10/s3cret/20 alice bob", "hex challenge --fischer=*** alice bob"),
            ("hex challenge --fischer=123456 alice bob", "hex challenge --fischer=*** alice bob"),
            ("signup carol c@example.org", "signup *** ***"),
            ("help s3cret", "help ***"),
        ] {
            assert_eq!(masked(line), shown);
        }
    }

    #[test]
    fn the_wrong_word_is_marked() {
        let at = |line: &str, column| mask(line, Some((column, 6)), Shown::Kept, &|word| word == "alice").at;
        assert_eq!(at("marque s3cret alice s3cret", 20), Some((17, 3)));
        assert_eq!(at("set s3cret wednesday", 11), Some((8, 3)));
        assert_eq!(at("set s3cret weekend", 11), Some((8, 6)));
        assert_eq!(at("set s3cret alice", 11), Some((8, 6)));
    }

    #[test]
    fn a_hidden_word_is_found_in_a_text() {
        let line = "marque move 1 s3cret,f3 -size=n3wer s3same! \"b!g one";
        let hidden = mask(line, None, Shown::Kept, &|_| false).hidden;
        for text in ["S3cret", "the s3cret.", "n3we…", "s3cret,f3", "-n3wer", "s3same"] {
            assert!(hidden.stand_in(text), "{text}");
        }
        for text in ["s3crets", "size", "-size", "f3", "one", "move", ""] {
            assert!(!hidden.stand_in(text), "{text}");
        }
        assert_eq!(format!("{hidden:?}").find("s3cret"), None);
    }
}
