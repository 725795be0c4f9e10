//! The head of a line (which command it is), and the error with the line around it.

use super::args::{Args, Fault};
use super::usage::{SERVER_WORDS, SYNONYMS, Usage, VERBS, usage};
use super::values::games;
use super::words::{is_option, meant, said, split, written};
use super::{Command, Line, ParseError, canonical, game, letter, server};
use crate::rules::{Game, catalogue};
use crate::text::nearest;

/// A line longer than this is no command…
const LONGEST: usize = 1_000;
/// …but for conditional replies, which may be many.
const LONGEST_PLAN: usize = 4_000;

/// Reads one line, split at blanks; "double quotes" keep blanks together.
///
/// # Errors
/// A [`ParseError`] that says which word is wrong and what would be right.
pub fn parse(line: &str) -> Result<Line, ParseError> {
    let (words, closed) = split(line);
    if !closed {
        return Err(unreadable(&words, "A double quote is opened and not closed."));
    }
    parse_words(&words)
}

/// Whether a line of free text begins as a command, well written or not: a mistyped command is told from a letter,
/// and so is a sentence that could be read as a command (`Show me the way`).
pub fn begins_command(line: &str) -> bool {
    if let Err(error) = parse(line) {
        return error.is_command;
    }
    let words = without_stars(&split(line).0);
    head(&words).is_ok_and(|head| !letter::reads_like_one(head.usage, &head.args(&words)))
}

/// The words of a line but for lone stars, which our letters' subjects end in.
fn without_stars(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| *word != "**").cloned().collect()
}

/// Reads a line that is already split into words (a shell's arguments).
///
/// # Errors
/// As [`parse`].
pub fn parse_words(words: &[String]) -> Result<Line, ParseError> {
    let words = without_stars(words);
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    let head = head(&words);
    let longest = if head.as_ref().is_ok_and(|head| head.usage.name == "if") { LONGEST_PLAN } else { LONGEST };
    if length > longest + 1 {
        return Err(unreadable(&words, &format!("The line is longer than {longest} characters.")));
    }
    let head = match head {
        Ok(head) => head,
        Err(wrong) => return Err(wrong.0.tell(&words, None, wrong.1)),
    };
    let left: Vec<usize> = (0..words.len()).filter(|i| !head.own.contains(i)).collect();
    let mut args = Args::new(&words, &left, head.usage);
    let read = match head.game {
        Some(game) => {
            game::read(game, head.usage.name, &mut args).map(|verb| Command::Game { game: game.name(), verb })
        }
        None => server::read(head.usage.name, &mut args),
    };
    match read {
        Ok(command) => {
            let say = args.say();
            let shown = canonical::shown(&command, say.as_deref());
            Ok(Line { command, say, shown })
        }
        Err(fault) => {
            let is_command = letter::is_command(head.usage, &head.args(&words));
            Err(fault.tell(&words, Some(&head), is_command))
        }
    }
}

/// Which command a line is.
struct Head {
    game: Option<&'static dyn Game>,
    usage: &'static Usage,
    /// The indexes of the command's own words.
    own: Vec<usize>,
}

impl Head {
    /// The indexes of the arguments, without options.
    fn places(&self, words: &[String]) -> Vec<usize> {
        (0..words.len()).filter(|i| !self.own.contains(i) && !is_option(&words[*i])).collect()
    }

    /// The arguments, without options.
    fn args<'a>(&self, words: &'a [String]) -> Vec<&'a str> {
        self.places(words).into_iter().map(|i| words[i].as_str()).collect()
    }
}

/// Finds the command; an error comes with whether the line is one at all.
fn head(words: &[String]) -> Result<Head, (Fault, bool)> {
    let mut plain = (0..words.len()).filter(|&i| !is_option(&words[i]));
    let Some(first) = plain.next() else { return Err((Fault::missing("command"), false)) };
    let second = plain.next();
    let word = words[first].as_str();
    if let Some(game) = catalogue::find(word) {
        let verbs = VERBS.iter().copied();
        let Some(second) = second else {
            return Err((Fault::missing(&format!("command after {}", game.name())), true));
        };
        let Some(verb) = meant(&words[second], verbs.clone()) else {
            let message = format!("{} has no command {}.", game.title(), said(&words[second]));
            let is_command = !letter::is_function_word(&words[second]);
            return Err((Fault::at(second, message).near(nearest(&words[second], verbs)), is_command));
        };
        let verb = SYNONYMS.iter().find(|(synonym, _)| *synonym == verb).map_or(verb, |(_, verb)| verb);
        return Ok(Head { game: Some(game), usage: usage(true, verb), own: vec![first, second] });
    }
    let Some(own) = meant(word, SERVER_WORDS.iter().copied()) else {
        return Err(no_command(words, first, second));
    };
    let (kinds, whole): (&[&str], &[&str]) = match own {
        "change" => (&["password", "address"], &["change password", "change address"]),
        "all" => (&["show"], &["all show"]),
        _ => return Ok(Head { game: None, usage: usage(false, own), own: vec![first] }),
    };
    let Some(second) = second else {
        let missing = Fault::missing(&format!("word {} after \"{own}\"", kinds.join(" or ")));
        return Err((missing, own != "all"));
    };
    let kind = meant(&words[second], kinds.iter().copied());
    let Some(place) = kind.and_then(|kind| kinds.iter().position(|other| *other == kind)) else {
        let near = nearest(&words[second], kinds.iter().copied());
        // "All the best" ends many a letter, and "Change of plan" begins one.
        let is_command = near.is_some() && !words[second + 1..].iter().any(|word| letter::is_function_word(word));
        let message = format!("After \"{own}\" stands {}, not {}.", kinds.join(" or "), said(&words[second]));
        return Err((Fault::at(second, message).near(near), is_command));
    };
    Ok(Head { game: None, usage: usage(false, whole[place]), own: vec![first, second] })
}

/// The first word is neither a game nor a command of the server.
fn no_command(words: &[String], first: usize, second: Option<usize>) -> (Fault, bool) {
    let word = words[first].as_str();
    let second = second.map_or("", |i| words[i].as_str());
    if let Some(verb) = meant(word, VERBS.iter().copied()) {
        let rest: Vec<&str> = words[first + 1..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
        let message = format!("{} is said of a game: begin with the game's name, {}.", said(word), games());
        let fault = Fault::at(first, message);
        return (fault, letter::is_command_without_game(verb, &rest));
    }
    let verbs = || VERBS.iter().copied();
    let verb = meant(second, verbs()).or_else(|| nearest(second, verbs())).is_some();
    if let Some(game) = nearest(word, catalogue::GAMES.iter().map(|game| game.name())) {
        return (Fault::at(first, format!("There is no game {}.", said(word))).near(Some(game)), verb);
    }
    if verb {
        // A game that is not here: its name is the word at fault. Still too little to take a letter for a command.
        return (Fault::at(first, format!("There is no game {}.", said(word))), false);
    }
    let near = nearest(word, SERVER_WORDS.iter().copied());
    (Fault::at(first, format!("{} is no game and no command.", said(word))).near(near), false)
}

impl Fault {
    /// The error, with the line as far as it may be shown.
    fn tell(self, words: &[String], known: Option<&Head>, is_command: bool) -> ParseError {
        let passwords = known.map_or(&[][..], |head| head.usage.passwords);
        let args = known.map_or_else(Vec::new, |head| head.places(words));
        let mut secret: Vec<usize> = passwords.iter().filter_map(|&place| args.get(place).copied()).collect();
        // Where a word was left out, the password stands one place before its own.
        if let (None, Some(first)) = (self.at, passwords.first()) {
            secret.extend(args.iter().skip(first - 1));
        }
        // And where one is too many, it may stand one place behind.
        if let (true, Some(last)) = (self.surplus, passwords.last()) {
            secret.extend(args.get(last + 1));
        }
        // Before the last password every wrong word may have moved it from its place: nothing after is shown. Nor is
        // it in a command without one, unless it is an option: a password may have been added there by mistake.
        let cut = self.at.is_some_and(|at| match passwords.last() {
            _ if known.is_none() || self.hidden => true,
            Some(last) => args.get(*last).is_none_or(|last| at < *last),
            None => !is_option(&words[at]),
        });
        let (mut line, mut at) = (String::new(), None);
        for (i, word) in words.iter().enumerate() {
            let hidden = (secret.contains(&i) && word != "-") || (self.hidden && self.at == Some(i));
            let text = if hidden { "***".to_owned() } else { written(word) };
            if !line.is_empty() {
                line.push(' ');
            }
            if self.at == Some(i) {
                at = Some((line.len(), text.chars().count()));
            }
            line.push_str(&text);
            if cut && self.at == Some(i) && i + 1 < words.len() {
                line.push_str(" …");
                break;
            }
        }
        let usage = known.map(|head| match head.game {
            Some(game) => head.usage.text.replace("GAME", game.name()),
            None => head.usage.text.to_owned(),
        });
        ParseError { line, at, message: self.message, nearest: self.nearest, usage, is_command }
    }
}

/// A line that cannot be read as a whole: of it no more than the first word is shown, for any other may be a password.
fn unreadable(words: &[String], message: &str) -> ParseError {
    let is_command =
        head(words).map_or_else(|(_, is_command)| is_command, |head| letter::is_command(head.usage, &head.args(words)));
    let first = words.first().map_or("", String::as_str);
    let known = catalogue::find(first).is_some() || meant(first, SERVER_WORDS.iter().copied()).is_some();
    let line = if known { format!("{} …", written(first)) } else { "…".to_owned() };
    ParseError { line, at: None, message: message.into(), nearest: None, usage: None, is_command }
}
