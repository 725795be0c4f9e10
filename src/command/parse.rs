//! Parses a line. The error for an invalid line contains the line with masked passwords. Redundant words before board
//! numbers are dropped: `show board 1`, and `board#1`, which the classic server pbmserv accepted.

use std::fmt;

use super::args::{Args, is_userid};
use super::error::WordError;
use super::find_verb::{self, FoundVerb, NoVerb, find_verb};
use super::mask::{self, Shown, mask};
use super::options::Accepted;
use super::spec::VerbSpec;
use super::types::Command;
use super::typography::{self, plain_word};
use super::verbs::{game_verb, server_words};
use super::words::{self, is_option, number, quote, resolve, split};
use crate::message;
use crate::rules::catalogue;
use crate::text::Message;

/// Parses one line, split at blanks. A text in "double quotes" is one word.
///
/// # Errors
/// A [`ParseError`] that names the wrong word and suggests a correction.
pub fn parse(line: &str) -> Result<ParsedLine, ParseError> {
    let (words, closed) = split(line);
    if !closed {
        return Err(open_quote(&words));
    }
    parse_words(&words)
}

/// Returns whether a line of free text is a command, even a mistyped one, and not a sentence of a letter. A sentence
/// may also be a valid command (`Show me the way`).
pub fn begins_command(line: &str) -> bool {
    if let Err(error) = parse(line) {
        return error.is_command;
    }
    let words = typed_words(&split(line).0);
    asks_for_help(&words).is_some() || find_verb(&words).is_ok_and(|verb| verb.is_command(&words))
}

/// Returns whether a line that follows a command is a sentence that begins with the name of a game: "Hex rocks".
pub fn is_about_game(line: &str) -> bool {
    find_verb::is_about_game(&typed_words(&split(line).0))
}

/// Returns whether a line starts with the name of a command, or with the name of a game and another word. The name of a
/// command may be misspelt if the line is otherwise complete. A signup as on another server (`register`) is accepted
/// too.
pub fn begins_with_command_word(line: &str) -> bool {
    match split(line).0.as_slice() {
        [] => false,
        words if is_foreign_signup(words) => true,
        words if find_verb(&typed_words(words)).is_err_and(|no_verb| no_verb.is_slip) => true,
        [word, rest @ ..] => {
            let is_game = !rest.is_empty() && catalogue::find(word).is_some();
            is_game || resolve(word, server_words()).is_some() || game_verb(word).is_some()
        }
    }
}

/// Returns whether a line is `register` or `sign up` with a userid, a password and optionally an address. A longer
/// line is probably an advertisement.
fn is_foreign_signup(words: &[String]) -> bool {
    let rest = match words {
        [first, rest @ ..] if words::of_server(first) == Some("signup") => rest,
        [first, second, rest @ ..] if words::of_two(first, second) == Some("signup") => rest,
        _ => return false,
    };
    matches!(rest, [userid, _] | [userid, _, _] if is_userid(userid))
}

/// Returns the words without `**`, which ends the subjects of our letters.
fn without_stars(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| *word != "**").cloned().collect()
}

/// Normalizes the words for parsing: removes `**` and redundant words before board numbers, and replaces typographic
/// characters except in passwords and comments.
fn typed_words(words: &[String]) -> Vec<String> {
    let words = without_board_words(&without_stars(words));
    let mut plain: Vec<String> = words.iter().map(|word| typography::plain_word(word)).collect();
    let Ok(verb) = find_verb(&plain) else { return plain };
    let passwords = verb.spec.passwords;
    let (mut place, mut after_password) = (0, None);
    for i in (0..words.len()).filter(|i| !verb.own.contains(i)) {
        let (word, at_password) = (words[i].as_str(), passwords.contains(&place));
        if let Some(option) = verb.option(word, at_password) {
            plain[i] = option;
            continue;
        }
        if at_password && plain[i] != "-" {
            plain[i] = word.to_owned();
        }
        place += 1;
        if passwords.last().is_some_and(|last| place == last + 1) {
            after_password = Some(i + 1);
        }
    }
    if let Some(after) = after_password.filter(|_| verb.spec.reply.holds_move()) {
        let moves = plain.split_off(after);
        plain.extend(typography::joined_moves(moves));
    }
    plain
}

/// Parses a line already split into words, for example a shell's arguments.
///
/// # Errors
/// See [`parse`].
pub fn parse_words(words: &[String]) -> Result<ParsedLine, ParseError> {
    let words = typed_words(words);
    if let Some(help) = asks_for_help(&words) {
        return Ok(ParsedLine::of(help));
    }
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    let longest = find_verb(&words).map_or(VerbSpec::LONGEST, |verb| verb.spec.longest);
    if length > longest + 1 {
        return Err(long_line(&words, message!("command.long-line", longest)));
    }
    read(&words).map_err(|mut fault| {
        if !is_understood(&words, &fault.error) {
            fault.error.nearest = None;
        }
        fault.in_line(&words)
    })
}

/// The reason why words cannot be parsed.
struct Fault {
    error: WordError,
    verb: Option<FoundVerb>,
    is_command: bool,
    usage: Option<String>,
}

fn read(words: &[String]) -> Result<ParsedLine, Fault> {
    let verb = find_verb(words).map_err(|no_verb| fault_without_verb(words, no_verb))?;
    read_arguments(words, &verb).map_err(|error| {
        let (is_command, usage) = (verb.is_meant(words), Some(verb.spec.usage_in(verb.game)));
        Fault { error, verb: Some(verb), is_command, usage }
    })
}

/// Reads the words after a verb.
fn read_arguments(words: &[String], verb: &FoundVerb) -> Result<ParsedLine, WordError> {
    let left: Vec<usize> = (0..words.len()).filter(|i| !verb.own.contains(i)).collect();
    let accepted = Accepted { verb: verb.spec.name, server: verb.spec.options, game: verb.game };
    let mut args = Args::new(words, &left, verb.spec.passwords, accepted);
    let command = verb.spec.read(verb.game, &mut args)?;
    Ok(ParsedLine::with_comment(command, args.say()))
}

/// Explains why a line without a verb is invalid. If a board number could replace the game's name, the error is in the
/// words after the verb of the game: `history 1` is valid, so `history x` only has a wrong number.
fn fault_without_verb(words: &[String], no_verb: NoVerb) -> Fault {
    let NoVerb { error, is_command, usage, without_board, .. } = no_verb;
    let at_board = without_board.and_then(|verb| read_arguments(words, &verb).err().map(|error| (verb, error)));
    match at_board {
        Some((verb, error)) => {
            let usage = Some(verb.spec.usage_in(None));
            Fault { error, verb: Some(verb), is_command, usage }
        }
        None => Fault { error, verb: None, is_command, usage },
    }
}

/// Returns whether an error's suggestion can be parsed, either in place of the wrong words or as a whole line. Ignores
/// errors in later words. Returns true if the error has no suggestion.
fn is_understood(words: &[String], error: &WordError) -> bool {
    let Some(nearest) = &error.nearest else { return true };
    let nearest = split(nearest).0;
    let in_place = error.at.is_some_and(|at| {
        let words = [&words[..at], &nearest, &words[at + error.span..]].concat();
        let next = |fault: Fault| fault.error.at.unwrap_or(usize::MAX);
        read(&words).map_or_else(next, |_| usize::MAX) >= at + nearest.len()
    });
    in_place || read(&nearest).is_ok()
}

/// Returns the help command that a line with `--help` requests.
fn asks_for_help(words: &[String]) -> Option<Command> {
    let is_asking = |word: &str| ["--help", "-help", "-h"].iter().any(|help| help.eq_ignore_ascii_case(word));
    let asks = |word: &String| is_asking(&typography::plain_word(word));
    let mut others = words.iter().filter(|word| !is_option(word));
    let first = others.next();
    let topics = match first.map(|word| (catalogue::find(word), others.next())) {
        Some((Some(game), None)) => vec![game.name().to_owned()],
        Some((Some(_), Some(_))) => vec!["commands".to_owned()],
        Some((None, _)) if first.is_some_and(|word| is_first_word(word)) => vec!["commands".to_owned()],
        Some((None, _)) => return None,
        None => Vec::new(),
    };
    words.iter().any(asks).then_some(Command::Help { topics })
}

/// Returns whether a command starts with this word.
fn is_first_word(word: &str) -> bool {
    catalogue::find(word).is_some() || game_verb(word).is_some() || resolve(word, server_words()).is_some()
}

impl Fault {
    /// Adds the line to the error.
    fn in_line(self, words: &[String]) -> ParseError {
        let Fault { error, verb, is_command, usage } = self;
        let passwords = verb.as_ref().map_or(&[][..], |verb| verb.spec.passwords);
        // Where a password is expected, a word that looks like an option is an argument.
        let mut args = verb.map_or_else(Vec::new, |verb| verb.places(words));
        args.extend(error.at.filter(|at| error.hidden && !args.contains(at)));
        args.sort_unstable();
        let places = passwords.iter().filter(|_| !error.lacks_password);
        let secret: Vec<usize> = places.filter_map(|&place| args.get(place).copied()).collect();
        let (mut line, mut begin, mut end) = (String::new(), None, 0);
        for (i, word) in words.iter().enumerate() {
            let hidden = (secret.contains(&i) && word != "-") || (error.hidden && error.at == Some(i));
            if !line.is_empty() {
                line.push(' ');
            }
            begin = begin.or_else(|| (error.at == Some(i)).then_some(line.len()));
            line.push_str(&if hidden { "***".to_owned() } else { quote(word) });
            if error.at.is_some_and(|at| i < at + error.span) {
                end = line.len();
            }
        }
        let at = begin.map(|begin| (begin, line[begin..end].chars().count()));
        ParseError { line, at, message: error.message, nearest: error.nearest, usage, is_command }
    }
}

/// Creates the error for a line whose last quote is not closed.
fn open_quote(words: &[String]) -> ParseError {
    let words = typed_words(words);
    let error = WordError::missing(message!("command.open-quote"));
    let (verb, is_command) = match find_verb(&words) {
        Ok(verb) => {
            let is_meant = verb.is_meant(&words);
            (Some(verb), is_meant)
        }
        Err(NoVerb { is_command, .. }) => (None, is_command),
    };
    Fault { error, verb, is_command, usage: None }.in_line(&words)
}

/// Creates the error for a line too long to show.
fn long_line(words: &[String], message: Message) -> ParseError {
    let is_command = match find_verb(words) {
        Ok(verb) => verb.is_meant(words),
        Err(NoVerb { is_command, .. }) => is_command,
    };
    let line = match words.first().filter(|word| is_first_word(word)) {
        Some(first) => format!("{} …", quote(first)),
        None => "…".to_owned(),
    };
    ParseError { line, at: None, message, nearest: None, usage: None, is_command }
}

/// The error for an invalid line. It identifies the wrong word and suggests a correction.
///
/// A typing error can put a password anywhere, so the line and the message are masked before they are shown.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.code)]
pub struct ParseError {
    /// The line, with `***` for every word in the place of a password.
    pub line: String,
    /// The byte column of the wrong words in `line`, from 0, and their length in characters.
    pub at: Option<(usize, usize)>,
    /// A description of the error in one sentence, with a full stop: `There is no game "marqe".`
    pub message: Message,
    /// The suggestion, if there is one: a replacement for the wrong words, or a complete command.
    pub nearest: Option<String>,
    /// How to write the command, if the verb was recognized: `marque move board userid password f3`.
    pub usage: Option<String>,
    /// Whether the line is probably a mistyped command rather than a sentence of a letter. Adapters that read free text
    /// use this.
    pub is_command: bool,
}

impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = mask(&self.line, None, Shown::Kept, &|_| false).line;
        f.debug_struct("ParseError").field("line", &line).field("message", &self.message.code).finish_non_exhaustive()
    }
}

/// A parsed line: its command and its comment.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedLine {
    /// The command.
    pub command: Command,
    /// The comment of `--say="…"`.
    pub say: Option<String>,
    /// The line in canonical form, with `***` for every password.
    pub shown: String,
}

impl ParsedLine {
    /// Creates the line of a command without a comment.
    pub fn of(command: Command) -> ParsedLine {
        ParsedLine::with_comment(command, None)
    }

    /// Creates the line of a command with its comment.
    pub(crate) fn with_comment(command: Command, say: Option<String>) -> ParsedLine {
        let shown = mask::canonical_words(&command, say.as_deref());
        ParsedLine { command, say, shown }
    }
}

const BOARD: &str = "board";

/// Returns the line without redundant words before board numbers. The verb `board` remains.
pub(crate) fn without_board_words(words: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(typed) = rest.next() {
        let word = plain_word(typed).to_ascii_lowercase();
        let next_is_number = rest.peek().is_some_and(|next| begins_number(&plain_word(next)));
        let place = Place::after(&kept);
        let is_board = word == BOARD || word == "board#";
        match (place, word.strip_prefix("board#").filter(|end| begins_number(end))) {
            (Place::FirstArgument, None) if is_board && next_is_number => {}
            (Place::Verb, None) if is_board && next_is_number => kept.push(typed.trim_end_matches('#').to_owned()),
            (Place::FirstArgument, Some(number)) => kept.push(number.to_owned()),
            (Place::Verb, Some(number)) => kept.extend([BOARD.to_owned(), number.to_owned()]),
            _ => kept.push(typed.clone()),
        }
    }
    kept
}

/// The place of a word in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Verb,
    FirstArgument,
    Later,
}

impl Place {
    fn after(words: &[String]) -> Place {
        let before: Vec<String> = words.iter().filter(|word| !is_option(word)).map(|word| plain_word(word)).collect();
        let is_game = |word: &String| catalogue::find(word).is_some();
        let is_verb = |word: &String| {
            game_verb(word).is_some() || ["show", "analyse"].iter().any(|verb| verb.eq_ignore_ascii_case(word))
        };
        match before.as_slice() {
            [] => Place::Verb,
            [game] if is_game(game) => Place::Verb,
            [verb] if is_verb(verb) => Place::FirstArgument,
            [game, verb] if is_game(game) && is_verb(verb) => Place::FirstArgument,
            _ => Place::Later,
        }
    }
}

/// Returns whether a word starts with a board's number, for example `12`, `#12` or `12#7`.
fn begins_number(word: &str) -> bool {
    let word = word.trim_start_matches('#');
    word.split('#').next().and_then(number).is_some()
}
