//! Finds the verb of a line, and detects sentences of letters that only begin like a command.

use super::args::{begins_with_board, games, is_board, is_userid};
use super::error::WordError;
use super::spec::VerbSpec;
use super::typography;
use super::verbs::{game_names, game_verb, server_verbs, server_words};
use super::words::{self, excerpt, is_option, resolve};
use crate::message;
use crate::rules::{Game, Notation, catalogue};
use crate::text::{is_one_slip, nearest};

/// The verb of a line.
pub(crate) struct FoundVerb {
    /// The game named before the verb. A line with a board number may omit it.
    pub(crate) game: Option<&'static dyn Game>,
    pub(crate) spec: &'static VerbSpec,
    /// The indexes of the words that name the game and the verb.
    pub(crate) own: Vec<usize>,
}

/// The error for a line without a verb.
pub(crate) struct NoVerb {
    pub(crate) error: WordError,
    /// Whether the line is probably a command rather than a sentence of a letter.
    pub(crate) is_command: bool,
    /// The usage of the probable verb.
    pub(crate) usage: Option<String>,
    /// Whether the first word is a misspelt verb or a verb of another server, and the rest is probably complete. The
    /// game may be missing.
    pub(crate) is_slip: bool,
    /// The verb of a line that names no game, if a board number could identify the game.
    pub(crate) without_board: Option<FoundVerb>,
}

impl FoundVerb {
    fn of_server(spec: &'static VerbSpec, own: Vec<usize>) -> FoundVerb {
        FoundVerb { game: None, spec, own }
    }

    /// Returns the indexes of the arguments, without options.
    pub(crate) fn places(&self, words: &[String]) -> Vec<usize> {
        (0..words.len()).filter(|i| !self.own.contains(i) && !is_option(&words[*i])).collect()
    }

    /// Returns whether an invalid line is a mistyped command rather than a sentence of a letter.
    pub(crate) fn is_meant(&self, words: &[String]) -> bool {
        let args = self.args(words);
        match self.needs_no_game() {
            true => is_command_without_game(self.spec, &args),
            false => is_command(self.spec, &args),
        }
    }

    /// Returns whether a valid line is a command rather than a sentence of a letter.
    pub(crate) fn is_command(&self, words: &[String]) -> bool {
        let args = self.args(words);
        match self.needs_no_game() {
            true => is_command_without_game(self.spec, &args),
            false => !reads_like_one(self.spec, &args),
        }
    }

    fn needs_no_game(&self) -> bool {
        self.game.is_none() && self.spec.is_of_game()
    }

    /// Returns the arguments, without options.
    fn args<'a>(&self, words: &'a [String]) -> Vec<&'a str> {
        self.places(words).into_iter().map(|i| words[i].as_str()).collect()
    }

    /// Reads a word as an option and replaces typographic characters, except in the comment of `--say`. Where a
    /// password is expected, a word that begins with a typographic dash is an option only if its name is known.
    pub(crate) fn option(&self, word: &str, at_password: bool) -> Option<String> {
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

impl NoVerb {
    fn new(error: WordError, is_command: bool) -> NoVerb {
        NoVerb { error, is_command, usage: None, is_slip: false, without_board: None }
    }
}

pub(crate) fn find_verb(words: &[String]) -> Result<FoundVerb, NoVerb> {
    let mut plain = (0..words.len()).filter(|&i| !is_option(&words[i]));
    let Some(first) = plain.next() else {
        return Err(NoVerb::new(WordError::missing(message!("command.missing-command")), false));
    };
    let second = plain.next();
    if let Some(game) = catalogue::find(&words[first]) {
        return verb_of_game(words, game, first, second);
    }
    let args: Vec<&str> = words[first + 1..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
    if Notation::is_pass(&words[first]) && (args.is_empty() || begins_with_board(&args)) {
        return Err(NoVerb::new(WordError::at(first, message!("rules.no-pass")), true));
    }
    let at_board = game_verb(&words[first]).filter(|spec| spec.names_board && begins_with_board(&args));
    match (resolve(&words[first], server_words()), at_board) {
        // `confirm` confirms an address if a userid follows, and a move if a board number follows.
        (Some("confirm") | None, Some(spec)) => Ok(FoundVerb { game: None, spec, own: vec![first] }),
        (Some(word), _) => verb_of_server(words, word, first, second),
        (None, None) => Err(no_verb(words, first, second)),
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
        return Err(NoVerb::new(error, true));
    };
    let word = words[second].as_str();
    let is_of_this = |spec: &&VerbSpec| !catalogue::is_move_word(spec.name) || game.notation().is_word(spec.name);
    if let Some(spec) = game_verb(word).filter(is_of_this) {
        return Ok(FoundVerb { game: Some(game), spec, own: vec![first, second] });
    }
    if Notation::is_swap(word) {
        return Err(NoVerb::new(WordError::at(second, message!("rules.no-swap-rule")), true));
    }
    // `marque help` means `help marque`.
    let of_server = words::after_game(word).unwrap_or(word);
    if let Some((_, spec)) = ["help", "list"]
        .iter()
        .find(|name| name.eq_ignore_ascii_case(of_server))
        .and_then(|name| server_verbs(name).into_iter().next())
    {
        return Ok(FoundVerb::of_server(spec, vec![second]));
    }
    let message = message!("command.no-game-command", game = game.title(), word = excerpt(word));
    let is_command = !is_function_word(word);
    let args: Vec<&str> = words[second..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
    if is_board(word) || Notation::is_cell(word) {
        let error = WordError::at(second, message).near(with_verb(game, &args));
        let usage = game_verb("move").map(|spec| spec.usage_in(Some(game)));
        return Err(NoVerb { usage, ..NoVerb::new(error, is_command) });
    }
    let of_server = server_words().into_iter().find(|name| name.eq_ignore_ascii_case(word));
    let error = match of_server.or_else(|| words::of_server(word)) {
        // This is a command of the server, so the game's name before it is wrong.
        Some(meant) if words::of_games(word).is_none() => {
            WordError::at(first, message).near(Some(meant)).over(second - first + 1)
        }
        _ => {
            let near = words::of_games(word).or_else(|| nearest(word, game_names()));
            WordError::at(second, message).near(near)
        }
    };
    Err(NoVerb::new(error, is_command))
}

/// Returns the probable command for a line without a verb after the game: `marque 12`, `marque 12 alice secret f3`.
fn with_verb(game: &dyn Game, args: &[&str]) -> Option<String> {
    let game = game.name();
    match args {
        [board] if is_board(board) => Some(format!("{game} show {board}")),
        [board, userid, .., played] if is_board(board) && is_userid(userid) && is_move(played) => {
            Some(format!("{game} move {board} {userid} password {played}"))
        }
        _ => None,
    }
}

fn is_move(word: &str) -> bool {
    let (text, _ply) = word.split_once('#').unwrap_or((word, ""));
    Notation::is_list(text) || catalogue::is_move_word(text)
}

/// Finds the server command that starts with this first word, or with the first two words.
fn verb_of_server(
    words: &[String],
    word: &'static str,
    first: usize,
    second: Option<usize>,
) -> Result<FoundVerb, NoVerb> {
    let verbs = server_verbs(word);
    if let [(None, spec)] = verbs.as_slice() {
        return Ok(FoundVerb::of_server(spec, vec![first]));
    }
    let seconds: Vec<&str> = verbs.iter().filter_map(|(second, _)| *second).collect();
    let alone =
        verbs.iter().find(|(second, _)| second.is_none()).map(|(_, spec)| FoundVerb::of_server(spec, vec![first]));
    let choice = || seconds.iter().map(|second| (*second).to_owned()).collect::<Vec<String>>();
    let Some(second) = second else {
        if let Some(alone) = alone {
            return Ok(alone);
        }
        let error = WordError::missing(message!("command.missing-second-word", word, choice = choice()));
        let is_command = verbs.iter().any(|(_, spec)| (spec.is_meant)(&[]));
        return Err(NoVerb::new(error, is_command));
    };
    let typed = words[second].as_str();
    let meant = resolve(typed, seconds.iter().copied());
    if let Some((_, spec)) = verbs.iter().find(|(second, _)| second.is_some() && *second == meant) {
        return Ok(FoundVerb::of_server(spec, vec![first, second]));
    }
    if let Some(alone) = alone {
        return Ok(alone);
    }
    let near = nearest(typed, seconds.iter().copied());
    // "All the best" and "Change of plan" are sentences, although commands start with "all" and "change".
    let is_command = near.is_some() && !words[second + 1..].iter().any(|word| is_function_word(word));
    let message = message!("command.wrong-second-word", first = word, choice = choice(), word = excerpt(typed));
    Err(NoVerb::new(WordError::at(second, message).near(near), is_command))
}

/// Returns whether a line that follows a command begins with a game's name but is a sentence: "Hex rocks". In a
/// command, the name is followed by a verb, a board or a move. The verb may be misspelt, or a verb of another server.
pub(crate) fn is_about_game(words: &[String]) -> bool {
    let mut plain = words.iter().map(String::as_str).filter(|word| !is_option(word));
    let is_game = plain.next().is_some_and(|word| catalogue::find(word).is_some());
    let Some(second) = plain.next().filter(|_| is_game) else { return false };
    let rest: Vec<&str> = plain.collect();
    let word = second.to_lowercase();
    let is_verb = game_verb(&word).is_some() || resolve(&word, server_words()).is_some();
    let names = || game_names().chain(server_words());
    let is_nearly_verb = word.chars().count() >= 4 && names().any(|name| is_one_slip(&word, name));
    let is_of_others = words::of_games(&word).or(words::of_server(&word)).or(words::after_game(&word)).is_some();
    let is_at_board = is_board(second) || Notation::is_cell(second) || Notation::is_swap(second);
    !(is_verb || is_nearly_verb || is_of_others || is_at_board || begins_with_board(&rest))
}

/// Creates the error for a first word that is neither a game nor a command of the server.
fn no_verb(words: &[String], first: usize, second: Option<usize>) -> NoVerb {
    let word = words[first].as_str();
    let shown = excerpt(word);
    let args: Vec<&str> = words[first + 1..].iter().map(String::as_str).filter(|word| !is_option(word)).collect();
    if let Some(spec) = game_verb(word) {
        let error = WordError::at(first, message!("command.missing-game", word = shown, games = games()));
        let is_command = is_command_without_game(spec, &args);
        let without_board = spec.names_board.then(|| FoundVerb { game: None, spec, own: vec![first] });
        return NoVerb { usage: Some(spec.usage.to_owned()), without_board, ..NoVerb::new(error, is_command) };
    }
    if let (Some(at), [second, args @ ..]) = (second, args.as_slice())
        && let Some(meant) = words::of_two(word, second)
    {
        let message = message!("command.unknown-word", word = format!("{shown} {}", excerpt(second)));
        let error = WordError::at(first, message).near(Some(meant)).over(at - first + 1);
        return NoVerb::new(error, is_account_command(args));
    }
    let second = second.map(|i| words[i].as_str());
    let verb = second.and_then(game_verb);
    let before_verb = verb.is_some() || second.is_some_and(|word| nearest(word, game_names()).is_some());
    let near_game = nearest(word, catalogue::GAMES.iter().map(|game| game.name()));
    // If a server command and a game are equally near, assume the command: `hep` means `help`, not `hex`.
    let is_nearest = |game: &&str| nearest(word, server_words().into_iter().chain([*game])) == Some(*game);
    let near_game = near_game.filter(|game| before_verb || is_nearest(game));
    if near_game.is_some() || before_verb {
        // If no game has a similar name, the line is a command only if the rest is complete. "Good game" is a sentence,
        // although `games` needs no argument.
        let is_whole = verb.is_some_and(|spec| {
            let may_stand_alone = (spec.is_meant)(&[]);
            let is_exact = || spec.names().any(|name| second.is_some_and(|word| name.eq_ignore_ascii_case(word)));
            (!may_stand_alone || (args.len() > 1 && is_exact())) && is_command_without_game(spec, &args[1..])
        });
        let error = WordError::at(first, message!("command.no-game", word = shown))
            .near(near_game.or_else(|| catalogue::titled(word)));
        return NoVerb::new(error, (near_game.is_some() && before_verb) || is_whole);
    }
    unknown(word, first, &args)
}

/// Creates the error for a first word that is not a verb and is not followed by a verb.
fn unknown(word: &str, first: usize, args: &[&str]) -> NoVerb {
    let at_board = begins_with_board(args);
    let other_of_server = words::of_server(word);
    let other_of_games = words::of_games(word);
    let near = other_of_games
        .filter(|_| at_board)
        .or(other_of_server)
        .or(other_of_games)
        .or_else(|| nearest(word, server_words().into_iter().chain(game_names())))
        .or_else(|| catalogue::titled(word));
    let of_game = near.filter(|near| !is_of_server(near)).and_then(game_verb);
    // Many words in letters look like misspelt verbs, so the rest of the line must be complete.
    let is_slip = near.is_some_and(|near| is_slip(word, near));
    let is_command = match of_game {
        Some(spec) => {
            let is_whole = args.len() > 3 && args.last().is_some_and(|word| is_move(word));
            let is_exact = other_of_games.is_some() && at_board && args.len() == 3;
            (is_whole || is_exact || (is_slip && is_complete(spec, args))) && is_command_without_game(spec, args)
        }
        None => {
            let is_look = near == Some("show") && matches!(args, [what] if is_board(what) || is_userid(what));
            let is_rules = other_of_server == Some("help") && args.iter().all(|word| catalogue::find(word).is_some());
            is_rules || ((is_slip || other_of_server.is_some()) && (is_account_command(args) || is_look))
        }
    };
    let near = near.map(|near| match of_game {
        Some(spec) if !spec.names_board => format!("{} {near}", catalogue::GAMES[0].name()),
        _ => near.to_owned(),
    });
    let error = WordError::at(first, message!("command.unknown-word", word = excerpt(word))).near(near);
    NoVerb { usage: of_game.map(|spec| spec.usage.to_owned()), is_slip: is_command, ..NoVerb::new(error, is_command) }
}

/// Returns whether a game's verb has all its arguments, apart from a move. A verb at a board needs the board's number,
/// optionally followed by a userid and a password.
fn is_complete(spec: &VerbSpec, args: &[&str]) -> bool {
    match args {
        [] => false,
        [board] if spec.names_board => is_board(board),
        [board, userid, _] if spec.names_board => is_board(board) && is_userid(userid),
        _ => !spec.names_board,
    }
}

fn is_of_server(name: &str) -> bool {
    server_words().contains(&name.split(' ').next().unwrap_or_default())
}

/// Returns whether these words are a userid, a password and optionally an address, rather than a sentence.
fn is_account_command(args: &[&str]) -> bool {
    let begins = |args: &[&str]| matches!(args, [userid, _] | [userid, _, _] if is_userid(userid));
    begins(args) && args.get(2).is_none_or(|word| word.contains('@')) && !args.iter().any(|word| is_function_word(word))
}

/// Words that occur in nearly every sentence and are not names.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "her", "here", "him", "his", "how", "i", "i'll", "i'm", "in", "into", "is",
    "it", "it's", "its", "me", "more", "my", "not", "of", "on", "or", "our", "out", "over", "please", "she", "should",
    "so", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "too", "up", "us",
    "very", "was", "we", "were", "what", "when", "where", "which", "who", "why", "with", "would", "you", "your",
];

/// Returns whether a word is typical of sentences.
pub fn is_function_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation()).to_ascii_lowercase();
    FUNCTION_WORDS.contains(&word.as_str())
}

/// English words that are similar to a verb. They are not misspelt verbs.
const NEARLY_VERBS: &[&str] = &[
    "black", "blocky", "clock", "conform", "deport", "design", "eject", "flock", "lock", "massage", "resort", "retort",
    "review", "standing", "summit", "unlock", "vocation",
];
/// A verb of at least this length is rarely confused with other words.
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
    // "signup dora PASSWORD please" is a polite command.
    let args = args.split_last().filter(|(last, _)| last.eq_ignore_ascii_case("please")).map_or(args, |(_, args)| args);
    let open = args.iter().enumerate().filter(|(place, _)| !spec.passwords.contains(place));
    !spec.is_of_game() && open.into_iter().any(|(_, word)| is_function_word(word))
}

/// Returns whether an invalid line that starts with this command's words is a mistyped command.
pub(crate) fn is_command(spec: &VerbSpec, args: &[&str]) -> bool {
    spec.is_of_game() || (!reads_like_one(spec, args) && (spec.is_meant)(args))
}

/// Returns whether a line that starts with a verb of games, but without a game, is a command rather than a sentence.
pub(crate) fn is_command_without_game(spec: &VerbSpec, args: &[&str]) -> bool {
    (spec.is_meant)(args) && !args.iter().skip(1).any(|word| is_function_word(word))
}
