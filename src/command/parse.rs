//! Finds the verb of a line, and writes the error with the line around it.

use super::args::Args;
use super::error::{ParseError, WordError};
use super::line::ParsedLine;
use super::options::Accepted;
use super::spec::VerbSpec;
use super::values::{begins_with_board, games};
use super::verbs::{game_names, game_verb, server_verbs, server_words};
use super::words::{excerpt, is_option, number, quote, resolve, split};
use super::{other_words, sentence, typography};
use crate::message;
use crate::rules::{Game, Notation, catalogue};
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
    let words = typed_words(&split(line).0);
    find_verb(&words).is_ok_and(|verb| !sentence::reads_like_one(verb.spec, &verb.args(&words)))
}

/// The words of a line without lone stars, in which the subjects of our letters end.
fn without_stars(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| *word != "**").cloned().collect()
}

/// The words of a line as they are read: without lone stars, and in plain characters, but for passwords and comments.
fn typed_words(words: &[String]) -> Vec<String> {
    let mut words = without_stars(words);
    let mut plain: Vec<String> = words.iter().map(|word| typography::plain_word(word)).collect();
    let Ok(mut verb) = find_verb(&plain) else { return plain };
    if let Some(at) = verb.word_board(&plain) {
        words.remove(at);
        plain.remove(at);
        match find_verb(&plain) {
            Ok(again) => verb = again,
            Err(_) => return plain,
        }
    }
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

/// Reads a line that is already split into words (a shell's arguments).
///
/// # Errors
/// As [`parse`].
pub fn parse_words(words: &[String]) -> Result<ParsedLine, ParseError> {
    let words = typed_words(words);
    let length: usize = words.iter().map(|word| word.chars().count() + 1).sum();
    let verb = find_verb(&words);
    let longest = verb.as_ref().map_or(VerbSpec::LONGEST, |verb| verb.spec.longest);
    if length > longest + 1 {
        return Err(unreadable(&words, message!("command.long-line", longest)));
    }
    let verb = match verb {
        Ok(verb) => verb,
        Err(NoVerb { error, is_command, meant }) => {
            let usage = meant.map(|spec| spec.usage.to_owned());
            return Err(ParseError { usage, ..in_line(error, &words, None, is_command) });
        }
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
    /// The verb of games that was probably meant, where the game is not known.
    meant: Option<&'static VerbSpec>,
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

    /// The index of the word "board" before a board's number, where it says nothing: `show board 1`.
    fn word_board(&self, words: &[String]) -> Option<usize> {
        let &[first, second, ..] = self.places(words).as_slice() else { return None };
        let takes_board = self.spec.is_of_game() || self.spec.name == "show";
        let says_board = words[first].eq_ignore_ascii_case("board") && number(&words[second]).is_some();
        (takes_board && says_board).then_some(first)
    }

    /// Reads a word as an option in plain characters, all but the comment of `--say`. Where a password stands, only a
    /// known name makes an option of a typographic dash.
    fn option(&self, word: &str, at_password: bool) -> Option<String> {
        let dashes = |name: &str| {
            let of_game = |game: &'static dyn Game| game.options().iter().any(|option| option.name == name);
            match self.spec.options.iter().any(|option| option.name() == name) {
                true => Some("--"),
                false => self.game.is_some_and(of_game).then_some("-"),
            }
        };
        let option = match typography::has_typographic_dash(word) {
            true if word.chars().count() == 1 => return None,
            true => typography::option(word, dashes),
            false if is_option(word) => word.to_owned(),
            false => return None,
        };
        let name = option.split('=').next().unwrap_or_default().trim_start_matches('-').to_ascii_lowercase();
        if at_password && dashes(&name).is_none() {
            return is_option(word).then_some(option);
        }
        Some(if name == "say" { option } else { typography::plain(&option) })
    }
}

/// Finds the verb of a line.
fn find_verb(words: &[String]) -> Result<FoundVerb, NoVerb> {
    let mut plain = (0..words.len()).filter(|&i| !is_option(&words[i]));
    let Some(first) = plain.next() else {
        let error = WordError::missing(message!("command.missing-command"));
        return Err(NoVerb { error, is_command: false, meant: None });
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
        return Err(NoVerb { error, is_command: true, meant: None });
    };
    let word = words[second].as_str();
    if let Some(spec) = game_verb(word) {
        return Ok(FoundVerb { game: Some(game), spec, own: vec![first, second] });
    }
    // `marque help` is `help marque`.
    if let Some((_, spec)) = ["help", "list"]
        .iter()
        .find(|name| name.eq_ignore_ascii_case(word))
        .and_then(|name| server_verbs(name).into_iter().next())
    {
        return Ok(FoundVerb { game: None, spec, own: vec![second] });
    }
    let is_move = Notation::is_cell(word) || game.notation().is_word(word);
    let near = match is_move {
        true => Some(format!("{} move board userid password {}", game.name(), word.to_ascii_lowercase())),
        false => other_words::of_games(word)
            .or_else(|| server_words().into_iter().find(|name| name.eq_ignore_ascii_case(word)))
            .or_else(|| nearest(word, game_names()))
            .map(str::to_owned),
    };
    let message = message!("command.no-game-command", game = game.title(), word = excerpt(word));
    let error = WordError::at(second, message).near(near);
    Err(NoVerb { error, is_command: !sentence::is_function_word(word), meant: None })
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
        let is_command = verbs.iter().any(|(_, spec)| (spec.is_meant)(&[]));
        return Err(NoVerb { error, is_command, meant: None });
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
    Err(NoVerb { error: WordError::at(second, message).near(near), is_command, meant: None })
}

/// The error of a first word that is neither a game nor a command of the server.
fn no_verb(words: &[String], first: usize, second: Option<usize>) -> NoVerb {
    let word = words[first].as_str();
    let shown = excerpt(word);
    let args: Vec<&str> = words[first + 1..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
    if let Some(spec) = game_verb(word) {
        let error = WordError::at(first, message!("command.missing-game", word = shown, games = games()));
        return NoVerb { error, is_command: sentence::is_command_without_game(spec, &args), meant: None };
    }
    let second = second.map(|i| words[i].as_str());
    let before_verb = second.is_some_and(|word| game_verb(word).is_some() || nearest(word, game_names()).is_some());
    let near_game = nearest(word, catalogue::GAMES.iter().map(|game| game.name()));
    if near_game.is_some() || before_verb {
        // A game that is not here, if its name is near to none: too little to take a letter for a command.
        let error = WordError::at(first, message!("command.no-game", word = shown)).near(near_game);
        return NoVerb { error, is_command: near_game.is_some() && before_verb, meant: None };
    }
    let of_games = other_words::of_games(word).filter(|_| begins_with_board(&args));
    let near = of_games
        .or_else(|| other_words::of_server(word))
        .or_else(|| other_words::of_games(word))
        .or_else(|| nearest(word, server_words().into_iter().chain(game_names())));
    let meant = near.filter(|near| !server_words().contains(near)).and_then(game_verb);
    // A misspelt verb looks like many a word of a letter: only a whole command that ends in a move is one.
    let is_command = args.len() > 3
        && args.last().is_some_and(|word| Notation::is_list(word))
        && meant.is_some_and(|spec| sentence::is_command_without_game(spec, &args));
    let error = WordError::at(first, message!("command.unknown-word", word = shown)).near(near);
    NoVerb { error, is_command, meant }
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
