//! The head of a line (which command it is), and the error with the line around it.

use super::args::{Args, Fault};
use super::usage::{SERVER_WORDS, Usage, VERBS, usage};
use super::words::{is_option, meant, nearest, said, split, written};
use super::{Command, Line, ParseError, canonical, game, server};
use crate::rules::{Game, catalogue};

/// A line longer than this is no command.
const LONGEST: usize = 1_000;

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

/// Whether a line of free text begins as a command, well written or not: a mistyped command is told from a letter.
pub fn begins_command(line: &str) -> bool {
    parse(line).map_or_else(|error| error.is_command, |_| true)
}

/// Reads a line that is already split into words (a shell's arguments).
///
/// # Errors
/// As [`parse`].
pub fn parse_words(words: &[String]) -> Result<Line, ParseError> {
    let words: Vec<String> = words.iter().filter(|word| *word != "**").cloned().collect();
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    if length > LONGEST + 1 {
        return Err(unreadable(&words, "The line is longer than 1,000 characters."));
    }
    let head = match head(&words) {
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
            let shown = canonical::shown(&command, args.say.as_deref());
            Ok(Line { command, say: args.say, shown })
        }
        Err(fault) => Err(fault.tell(&words, Some((&head, &left)), true)),
    }
}

/// Which command a line is.
struct Head {
    game: Option<&'static dyn Game>,
    usage: &'static Usage,
    /// The indexes of the command's own words.
    own: Vec<usize>,
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
            return Err((Fault::at(second, message).near(nearest(&words[second], verbs)), true));
        };
        let verb = if verb == "board" { "move" } else { verb };
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
        // "All the best" ends many a letter: only "all show", or nearly, is a command.
        let is_command = own != "all" || near.is_some();
        let message = format!("After \"{own}\" stands {}, not {}.", kinds.join(" or "), said(&words[second]));
        return Err((Fault::at(second, message).near(near), is_command));
    };
    Ok(Head { game: None, usage: usage(false, whole[place]), own: vec![first, second] })
}

/// The first word is neither a game nor a command of the server.
fn no_command(words: &[String], first: usize, second: Option<usize>) -> (Fault, bool) {
    let word = words[first].as_str();
    let second = second.map_or("", |i| words[i].as_str());
    let games = || catalogue::GAMES.iter().map(|game| game.name());
    if let Some(verb) = meant(word, VERBS.iter().copied()) {
        // A letter may well begin "Move along": with a board's number it is a command.
        let is_command = game::is_board(second) || (verb == "preview" && second.eq_ignore_ascii_case("new"));
        let message = format!("{} is said of a game: begin with the game's name.", said(word));
        let near = match catalogue::GAMES {
            [game] => Some(format!("{} {verb}", game.name())),
            _ => None,
        };
        return (Fault::at(first, message).near(near), is_command);
    }
    let verbs = || VERBS.iter().copied();
    let verb = meant(second, verbs()).or_else(|| nearest(second, verbs())).is_some();
    if let Some(game) = nearest(word, games()) {
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
    fn tell(self, words: &[String], known: Option<(&Head, &[usize])>, is_command: bool) -> ParseError {
        let passwords = known.map_or(&[][..], |(head, _)| head.usage.passwords);
        let args: Vec<usize> =
            known.map_or_else(Vec::new, |(_, left)| left.iter().copied().filter(|&i| !is_option(&words[i])).collect());
        let secret: Vec<usize> = passwords.iter().filter_map(|&place| args.get(place).copied()).collect();
        // Before the last password every wrong word may have moved it from its place: nothing after is shown.
        let cut = self.at.is_some_and(|at| match passwords.last() {
            _ if known.is_none() || self.hidden => true,
            Some(last) => args.get(*last).is_none_or(|last| at < *last),
            None => false,
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
        let usage = known.map(|(head, _)| match head.game {
            Some(game) => head.usage.text.replace("GAME", game.name()),
            None => head.usage.text.to_owned(),
        });
        ParseError { line, at, message: self.message, nearest: self.nearest, usage, is_command }
    }
}

/// A line that cannot be read as a whole: of it no more than the first word is shown, for any other may be a password.
fn unreadable(words: &[String], message: &str) -> ParseError {
    let is_command = head(words).map_or_else(|(_, is_command)| is_command, |_| true);
    let first = words.first().map_or("", String::as_str);
    let known = catalogue::find(first).is_some() || meant(first, SERVER_WORDS.iter().copied()).is_some();
    let line = if known { format!("{} …", written(first)) } else { "…".to_owned() };
    ParseError { line, at: None, message: message.to_owned(), nearest: None, usage: None, is_command }
}
