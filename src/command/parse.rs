//! Finds the verb of a line, and writes the error with the line around it.

use super::args::Args;
use super::error::{ParseError, WordError};
use super::line::ParsedLine;
use super::options::Accepted;
use super::sentence;
use super::spec::VerbSpec;
use super::values::games;
use super::verbs::{game_names, game_verb, server_verbs, server_words};
use super::words::{excerpt, is_option, quote, resolve, split};
use crate::message;
use crate::rules::{Game, catalogue};
use crate::text::{Message, nearest};

/// Reads one line, split at blanks; "double quotes" keep blanks together.
///
/// # Errors
/// A [`ParseError`] that says which word is wrong and what would be right.
pub fn parse(line: &str) -> Result<ParsedLine, ParseError> {
    let (words, closed) = split(line);
    if !closed {
        return Err(unreadable(&words, message!("command.open-quote")));
    }
    parse_words(&words)
}

/// Tells whether a line of free text begins as a command, well written or not: a mistyped command does; the line of a
/// letter does not, even if it can be read as a command (`Show me the way`).
pub fn begins_command(line: &str) -> bool {
    if let Err(error) = parse(line) {
        return error.is_command;
    }
    let words = without_stars(&split(line).0);
    find_verb(&words).is_ok_and(|verb| !sentence::reads_like_one(verb.spec, &verb.args(&words)))
}

/// The words of a line without lone stars, in which the subjects of our letters end.
fn without_stars(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| *word != "**").cloned().collect()
}

/// Reads a line that is already split into words (a shell's arguments).
///
/// # Errors
/// As [`parse`].
pub fn parse_words(words: &[String]) -> Result<ParsedLine, ParseError> {
    let words = without_stars(words);
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    let verb = find_verb(&words);
    let longest = verb.as_ref().map_or(VerbSpec::LONGEST, |verb| verb.spec.longest);
    if length > longest + 1 {
        return Err(unreadable(&words, message!("command.long-line", longest)));
    }
    let verb = match verb {
        Ok(verb) => verb,
        Err(NoVerb { error, is_command }) => return Err(in_line(error, &words, None, is_command)),
    };
    let left: Vec<usize> = (0..words.len()).filter(|i| !verb.own.contains(i)).collect();
    let accepted = Accepted { verb: verb.spec.name, server: verb.spec.options, game: verb.game };
    let mut args = Args::new(&words, &left, verb.spec.passwords, accepted);
    match verb.spec.read(verb.game, &mut args) {
        Ok(command) => Ok(ParsedLine::with_comment(command, args.say())),
        Err(error) => {
            let is_command = sentence::is_command(verb.spec, &verb.args(&words));
            Err(in_line(error, &words, Some(&verb), is_command))
        }
    }
}

/// The verb of a line.
struct FoundVerb {
    /// The game whose name stands before it.
    game: Option<&'static dyn Game>,
    spec: &'static VerbSpec,
    /// The indexes of the command's own words.
    own: Vec<usize>,
}

/// Why a line has no verb.
struct NoVerb {
    error: WordError,
    /// Whether the line was meant as a command at all.
    is_command: bool,
}

impl FoundVerb {
    /// Returns the indexes of the arguments, without options.
    fn places(&self, words: &[String]) -> Vec<usize> {
        (0..words.len()).filter(|i| !self.own.contains(i) && !is_option(&words[*i])).collect()
    }

    /// Returns the arguments, without options.
    fn args<'a>(&self, words: &'a [String]) -> Vec<&'a str> {
        self.places(words).into_iter().map(|i| words[i].as_str()).collect()
    }
}

/// Finds the verb of a line.
fn find_verb(words: &[String]) -> Result<FoundVerb, NoVerb> {
    let mut plain = (0..words.len()).filter(|&i| !is_option(&words[i]));
    let Some(first) = plain.next() else {
        return Err(NoVerb { error: WordError::missing(message!("command.missing-command")), is_command: false });
    };
    let second = plain.next();
    if let Some(game) = catalogue::find(&words[first]) {
        return verb_of_game(words, game, first, second);
    }
    match resolve(&words[first], server_words()) {
        Some(word) => verb_of_server(words, word, first, second),
        None => Err(no_verb(words, first, second)),
    }
}

fn verb_of_game(
    words: &[String],
    game: &'static dyn Game,
    first: usize,
    second: Option<usize>,
) -> Result<FoundVerb, NoVerb> {
    let Some(second) = second else {
        let error = WordError::missing(message!("command.missing-game-command", game = game.name()));
        return Err(NoVerb { error, is_command: true });
    };
    let word = words[second].as_str();
    let Some(spec) = game_verb(word) else {
        let message = message!("command.no-game-command", game = game.title(), word = excerpt(word));
        let error = WordError::at(second, message).near(nearest(word, game_names()));
        return Err(NoVerb { error, is_command: !sentence::is_function_word(word) });
    };
    Ok(FoundVerb { game: Some(game), spec, own: vec![first, second] })
}

/// Finds the verb that begins with this word, or with this word and the second.
fn verb_of_server(
    words: &[String],
    word: &'static str,
    first: usize,
    second: Option<usize>,
) -> Result<FoundVerb, NoVerb> {
    let verbs = server_verbs(word);
    if let [(None, spec)] = verbs.as_slice() {
        return Ok(FoundVerb { game: None, spec, own: vec![first] });
    }
    let seconds: Vec<&str> = verbs.iter().filter_map(|(second, _)| *second).collect();
    let choice = || seconds.iter().map(|second| (*second).to_owned()).collect::<Vec<String>>();
    let Some(second) = second else {
        let error = WordError::missing(message!("command.missing-second-word", word, choice = choice()));
        return Err(NoVerb { error, is_command: verbs.iter().any(|(_, spec)| (spec.is_meant)(&[])) });
    };
    let typed = words[second].as_str();
    let meant = resolve(typed, seconds.iter().copied());
    if let Some((_, spec)) = verbs.iter().find(|(second, _)| second.is_some() && *second == meant) {
        return Ok(FoundVerb { game: None, spec, own: vec![first, second] });
    }
    let near = nearest(typed, seconds.iter().copied());
    // "All the best" ends many a letter, and "Change of plan" begins one.
    let is_command = near.is_some() && !words[second + 1..].iter().any(|word| sentence::is_function_word(word));
    let message = message!("command.wrong-second-word", first = word, choice = choice(), word = excerpt(typed));
    Err(NoVerb { error: WordError::at(second, message).near(near), is_command })
}

/// The error of a first word that is neither a game nor a command of the server.
fn no_verb(words: &[String], first: usize, second: Option<usize>) -> NoVerb {
    let word = words[first].as_str();
    let shown = excerpt(word);
    if let Some(spec) = game_verb(word) {
        let args: Vec<&str> = words[first + 1..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
        let error = WordError::at(first, message!("command.missing-game", word = shown, games = games()));
        return NoVerb { error, is_command: sentence::is_command_without_game(spec, &args) };
    }
    let second = second.map(|i| words[i].as_str());
    let before_verb = second.is_some_and(|word| game_verb(word).is_some() || nearest(word, game_names()).is_some());
    let near_game = nearest(word, catalogue::GAMES.iter().map(|game| game.name()));
    if near_game.is_some() || before_verb {
        // A game that is not here, if its name is near to none: too little to take a letter for a command.
        let error = WordError::at(first, message!("command.no-game", word = shown)).near(near_game);
        return NoVerb { error, is_command: near_game.is_some() && before_verb };
    }
    let near = nearest(word, server_words());
    NoVerb { error: WordError::at(first, message!("command.unknown-word", word = shown)).near(near), is_command: false }
}

/// Adds the line, as far as it may be shown, to an error.
fn in_line(error: WordError, words: &[String], verb: Option<&FoundVerb>, is_command: bool) -> ParseError {
    let passwords = verb.map_or(&[][..], |verb| verb.spec.passwords);
    let args = verb.map_or_else(Vec::new, |verb| verb.places(words));
    let mut secret: Vec<usize> = passwords.iter().filter_map(|&place| args.get(place).copied()).collect();
    // Where a word was left out, the password stands one place before its own.
    if let (None, Some(first)) = (error.at, passwords.first()) {
        secret.extend(args.iter().skip(first - 1));
    }
    // And where one is too many, it may stand one place behind.
    if let (true, Some(last)) = (error.surplus, passwords.last()) {
        secret.extend(args.get(last + 1));
    }
    // Before the last password every wrong word may have moved it from its place: nothing after is shown. Nor is
    // it in a command without one, unless it is an option: a password may have been added there by mistake.
    let cut = error.at.is_some_and(|at| match passwords.last() {
        _ if verb.is_none() || error.hidden => true,
        Some(last) => args.get(*last).is_none_or(|last| at < *last),
        None => !is_option(&words[at]),
    });
    let (mut line, mut at) = (String::new(), None);
    for (i, word) in words.iter().enumerate() {
        let hidden = (secret.contains(&i) && word != "-") || (error.hidden && error.at == Some(i));
        let text = if hidden { "***".to_owned() } else { quote(word) };
        if !line.is_empty() {
            line.push(' ');
        }
        if error.at == Some(i) {
            at = Some((line.len(), text.chars().count()));
        }
        line.push_str(&text);
        if cut && error.at == Some(i) && i + 1 < words.len() {
            line.push_str(" …");
            break;
        }
    }
    let usage = verb.map(|verb| verb.spec.usage_in(verb.game));
    ParseError { line, at, message: error.message, nearest: error.nearest, usage, is_command }
}

/// The error of a line that cannot be read as a whole. Of the line no more than the first word is shown, because any
/// other may be a password.
fn unreadable(words: &[String], message: Message) -> ParseError {
    let is_command = match find_verb(words) {
        Ok(verb) => sentence::is_command(verb.spec, &verb.args(words)),
        Err(NoVerb { is_command, .. }) => is_command,
    };
    let known = |word: &&String| catalogue::find(word).is_some() || resolve(word, server_words()).is_some();
    let line = match words.first().filter(known) {
        Some(first) => format!("{} …", quote(first)),
        None => "…".to_owned(),
    };
    ParseError { line, at: None, message, nearest: None, usage: None, is_command }
}
