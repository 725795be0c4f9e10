//! Reads the arguments of a command from left to right, so that an error names the first wrong word.

use super::error::{Password, WordError};
use super::game_types::{BoardFilter, BoardPosition};
use super::options::{Accepted, ParsedOptions};
use super::words::{self, excerpt, is_graphic, is_option, number};
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::{Game, catalogue};
use crate::text::{Message, marked, nearest};

pub(crate) struct Args<'a> {
    words: &'a [String],
    /// The indexes of all words that are not part of the command's name, including options.
    left: &'a [usize],
    next: usize,
    /// The number of arguments taken so far, without options.
    taken: usize,
    /// The word taken as the password; the last one, if the command has several.
    password: Option<&'a str>,
    /// The positions of passwords among the arguments. Options are not counted.
    passwords: &'static [usize],
    accepted: Accepted,
    /// Whether the command accepts options of the game.
    game_options: bool,
    pub(crate) options: ParsedOptions,
}

/// The role of a password in a command.
#[derive(Clone, Copy)]
pub(crate) enum PasswordRole {
    /// The only password.
    Only,
    /// The current password, before a new one.
    Current,
    /// The new password, after the current one.
    New,
}

impl PasswordRole {
    fn missing(self) -> Message {
        match self {
            PasswordRole::Only => message!("command.missing-password"),
            PasswordRole::Current => message!("command.missing-current-password"),
            PasswordRole::New => message!("command.missing-new-password"),
        }
    }

    fn empty(self) -> Message {
        match self {
            PasswordRole::Only => message!("command.empty-password"),
            PasswordRole::Current => message!("command.empty-current-password"),
            PasswordRole::New => message!("command.empty-new-password"),
        }
    }
}

impl<'a> Args<'a> {
    pub(crate) fn new(words: &'a [String], left: &'a [usize], passwords: &'static [usize], accepted: Accepted) -> Self {
        let options = ParsedOptions::default();
        Args { words, left, next: 0, taken: 0, password: None, passwords, accepted, game_options: false, options }
    }

    pub(crate) fn allow_game_options(&mut self) {
        self.game_options = true;
    }

    /// Allows the options of this game among the remaining arguments.
    pub(crate) fn allow_options_of(&mut self, game: &'static dyn Game) {
        self.accepted.game = Some(game);
        self.game_options = true;
    }

    pub(crate) fn say(self) -> Option<String> {
        self.options.say
    }

    pub(crate) fn word(&self, i: usize) -> &'a str {
        &self.words[i]
    }

    /// Returns the first argument without taking it. Some commands have several forms, which this argument
    /// distinguishes.
    pub(crate) fn first(&self) -> Option<&'a str> {
        self.left.iter().map(|&i| self.word(i)).find(|word| !is_option(word))
    }

    /// Returns the next argument without taking it.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.left[self.next..].iter().map(|&i| self.word(i)).find(|word| !is_option(word))
    }

    /// Returns the remaining words.
    pub(crate) fn rest(&self) -> Vec<&'a str> {
        self.left[self.next..].iter().map(|&i| self.word(i)).collect()
    }

    /// Reads the options before the next argument, and takes the argument.
    pub(crate) fn next(&mut self) -> Result<Option<usize>, WordError> {
        while let Some(&i) = self.left.get(self.next) {
            self.next += 1;
            if is_option(self.word(i)) {
                self.option(i)?;
            } else {
                self.taken += 1;
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    fn option(&mut self, i: usize) -> Result<(), WordError> {
        let game = self.accepted.game.filter(|_| self.game_options);
        let read = self.options.read(i, self.word(i), &Accepted { game, ..self.accepted });
        // Where a password is expected, an invalid option is probably a password. Neither show it nor suggest a similar
        // option.
        if read.is_err() && self.passwords.contains(&self.taken) {
            return Err(WordError::at(i, message!("command.password-place")).hide());
        }
        read.map_err(|error| match self.with_next(i, &Accepted { game, ..self.accepted }) {
            Some(option) => error.near(Some(option)).over(2),
            None => error,
        })
    }

    /// Joins an option and the next word as its value, if the result is valid: `-size 9` becomes `-size=9`.
    fn with_next(&self, i: usize, accepted: &Accepted) -> Option<String> {
        let value = self.left.get(self.next).filter(|next| **next == i + 1).map(|&next| self.word(next))?;
        let name = self.word(i).trim_start_matches('-');
        let fits = |option: &String| {
            let mut options = ParsedOptions::default();
            let is_read = options.read(i, option, accepted).is_ok() && options.wrong_players.is_none();
            is_read && accepted.game.is_none_or(|game| game.start(&options.take_game()).is_ok())
        };
        let options = ["-", "--"].map(|dashes| format!("{dashes}{name}={value}"));
        options.into_iter().find(fits).filter(|_| !name.contains('=') && !is_option(value))
    }

    /// Takes the next argument and returns its index and the word. `missing` is the error if no argument remains.
    pub(crate) fn need(&mut self, missing: Message) -> Result<(usize, &'a str), WordError> {
        let i = self.next()?.ok_or_else(|| WordError::missing(missing))?;
        Ok((i, self.word(i)))
    }

    /// Returns a command with another verb for the same board and player. It has a placeholder for the password.
    pub(crate) fn with_verb(&self, verb: &str) -> Option<String> {
        let mut args = self.left.iter().map(|&i| self.word(i)).filter(|word| !is_option(word));
        let (board, userid) = (args.next()?, args.next()?);
        let game = self.accepted.game.map(|game| game.name());
        let words = game.into_iter().chain([verb, board, userid, "password"]);
        Some(words.collect::<Vec<_>>().join(" "))
    }

    /// Returns the error for missing words at the end of a line. `is_it` recognizes the missing word. If it recognizes
    /// the word that was read as the password, the player omitted the password, and the error says so.
    pub(crate) fn missing(&self, missing: Message, is_it: impl FnOnce(&str) -> bool) -> WordError {
        match self.password.is_some_and(is_it) {
            true => WordError { lacks_password: true, ..WordError::missing(message!("command.missing-password")) },
            false => WordError::missing(missing),
        }
    }

    /// Fails if the player omitted the password. `is_it` recognizes a word that belongs after the password but is at
    /// its place.
    pub(crate) fn needs_password(&self, is_it: impl FnOnce(&str) -> bool) -> Result<(), WordError> {
        let error = self.missing(message!("command.missing-password"), is_it);
        if error.lacks_password { Err(error) } else { Ok(()) }
    }

    /// Fails if the next words belong after a userid and a password, which are therefore missing: `set mail=text`,
    /// `vacation until 2026-12-24`.
    pub(crate) fn needs_player(&self) -> Result<(), WordError> {
        let words: Vec<&str> = self.rest().into_iter().filter(|word| !is_option(word)).collect();
        let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
        let is_missing = match words[..] {
            [word] if is(word, OFF) || is(word, "new") => true,
            [until, day, ..] if is(until, "until") => day.starts_with(|c: char| c.is_ascii_digit()),
            [word, ..] => word.contains(['=', '@']) || word.starts_with(|c: char| c.is_ascii_digit()),
            [] => false,
        };
        match is_missing {
            true => {
                let error = WordError::missing(message!("command.missing-userid-and-password"));
                Err(WordError { lacks_password: true, ..error })
            }
            false => Ok(()),
        }
    }

    /// Checks that only options follow.
    pub(crate) fn finish(&mut self) -> Result<(), WordError> {
        match self.next()? {
            Some(i) => Err(WordError::at(i, message!("command.surplus-word", word = excerpt(self.word(i))))),
            None => Ok(()),
        }
    }

    pub(crate) fn userid(&mut self) -> Result<String, WordError> {
        let (i, word) = self.need(message!("command.missing-userid"))?;
        userid(i, word)
    }

    /// Takes a current password. Only the service can verify it.
    pub(crate) fn password(&mut self, role: PasswordRole) -> Result<Password, WordError> {
        match self.need(role.missing())? {
            (_, "-") => Ok(Password::FromContext),
            (i, "") => Err(WordError::at(i, role.empty()).hide()),
            (_, word) => {
                self.password = Some(word);
                Ok(Password::Given(word.to_owned()))
            }
        }
    }

    /// Takes a new password. Fails if it is not acceptable.
    pub(crate) fn new_password(&mut self, role: PasswordRole) -> Result<Password, WordError> {
        let password = self.password(role)?;
        if let Password::Given(text) = &password
            && let Some(flaw) = Password::flaw(text)
        {
            return Err(WordError::at(self.left[self.next - 1], flaw).hide());
        }
        Ok(password)
    }

    pub(crate) fn board(&mut self) -> Result<BoardNumber, WordError> {
        let (i, word) = self.need(message!("command.missing-board"))?;
        board_number(word).ok_or_else(|| not_a_board(i, word))
    }

    /// Takes the remaining arguments as mail addresses.
    pub(crate) fn addresses(&mut self) -> Result<Vec<String>, WordError> {
        let mut addresses = Vec::new();
        while let Some(i) = self.next()? {
            let word = self.word(i).trim_end_matches(LIST_MARKS).trim_start_matches('<').trim_end_matches('>');
            if !is_address(word) {
                return Err(WordError::at(i, message!("command.not-an-address", word = excerpt(self.word(i)))));
            }
            addresses.push(word.to_owned());
        }
        Ok(addresses)
    }

    /// Reads the argument at this index as a code from a letter.
    pub(crate) fn code(&self, i: usize) -> Result<String, WordError> {
        let code = self.word(i);
        if !is_graphic(code) {
            return Err(WordError::at(i, message!("command.not-a-code", word = excerpt(code))));
        }
        Ok(code.to_owned())
    }
}

pub(crate) fn is_address(word: &str) -> bool {
    let has_parts = word.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !domain.starts_with('.')
    });
    has_parts && word == marked(word) && !word.contains([' ', '"', '<', '>', ',', ';']) && word.len() <= 254
}

/// The punctuation that may follow a word in a list.
pub(crate) const LIST_MARKS: [char; 3] = [',', ';', ':'];

/// Removes the characters that lists and sentences add around a number: `#1`, `1,`, `1.`.
fn bare_number(word: &str) -> &str {
    word.trim_start_matches('#').trim_end_matches(LIST_MARKS).trim_end_matches('.')
}

pub(crate) fn board_number(word: &str) -> Option<BoardNumber> {
    number(bare_number(word)).filter(|board| *board > 0).map(BoardNumber)
}

/// Reads a board's number, with or without a ply: `123`, `123#7`.
pub(crate) fn board_at(i: usize, word: &str) -> Result<BoardPosition, WordError> {
    let (board, ply) = match bare_number(word).split_once('#') {
        Some((board, ply)) => (board, Some(ply)),
        None => (word, None),
    };
    match (board_number(board), ply, ply.and_then(number).map(Ply)) {
        (Some(board), None, _) => Ok(BoardPosition { board, ply: None }),
        (Some(board), _, Some(ply)) => Ok(BoardPosition { board, ply: Some(ply) }),
        (Some(board), ..) => {
            let message = message!("command.no-ply-number", word = excerpt(word));
            Err(WordError::at(i, message).near(Some(board.to_string())))
        }
        (None, ..) => Err(not_a_board(i, word)),
    }
}

/// Creates the error for a word where a board number is expected.
pub(crate) fn not_a_board(i: usize, word: &str) -> WordError {
    let bare = bare_number(word).split_once('#').map(|(board, _)| board);
    let near = bare.and_then(board_number);
    let message = message!("command.not-a-board", word = excerpt(word));
    WordError::at(i, message).near(near.map(|board| board.to_string()))
}

/// Appends the ply to a move: `f3#14`.
pub(crate) fn numbered(text: &str, ply: Option<Ply>) -> String {
    ply.map_or_else(|| text.to_owned(), |ply| format!("{text}#{ply}"))
}

/// Words that cannot be userids, because commands use them in place of userids and names.
pub const RESERVED_WORDS: [&str; 7] = ["all", "active", "next", "anyone", "new", "end", "server"];

/// Checks the form of a userid.
pub(crate) fn userid(i: usize, word: &str) -> Result<String, WordError> {
    let word = word.trim_end_matches(LIST_MARKS);
    let letters = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
    if !(letters && begins && (2..=20).contains(&word.len())) {
        return Err(WordError::at(i, message!("command.not-a-userid", word = excerpt(word))));
    }
    if RESERVED_WORDS.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)) {
        return Err(WordError::at(i, message!("command.reserved-word", word = excerpt(word))));
    }
    Ok(word.to_owned())
}

/// Returns whether a word can be a userid. A word with a comma after it is probably part of a sentence.
pub fn is_userid(word: &str) -> bool {
    !word.ends_with(LIST_MARKS) && userid(0, word).is_ok()
}

/// Returns the words after a userid and a password, if the arguments start with them. These words distinguish a
/// command from a sentence.
pub(crate) fn after_password<'a, 'b>(args: &'a [&'b str]) -> Option<&'a [&'b str]> {
    match args {
        [player, _, rest @ ..] if is_userid(player) => Some(rest),
        _ => None,
    }
}

/// Returns whether the arguments start with a board's number and optionally a userid. Commands do, and sentences such
/// as "Move along" do not.
pub(crate) fn begins_with_board(args: &[&str]) -> bool {
    args.first().is_some_and(|word| is_board(word)) && args.get(1).is_none_or(|word| is_userid(word))
}

/// Reads `all`, `active` or `next`.
pub(crate) fn filter(word: &str) -> Option<BoardFilter> {
    BoardFilter::EACH.into_iter().find(|filter| filter.word().eq_ignore_ascii_case(word))
}

/// Reads `all`, `active` or `next`, and fails on any other word.
pub(crate) fn need_filter(i: usize, word: &str) -> Result<BoardFilter, WordError> {
    filter(word).ok_or_else(|| {
        let near = words::list(word).or_else(|| nearest(word, BoardFilter::EACH.map(BoardFilter::word)));
        WordError::at(i, message!("command.not-a-filter", word = excerpt(word))).near(near)
    })
}

/// The canonical word that cancels a prepared move.
pub(crate) const OFF: &str = "off";

/// Returns whether a word cancels a prepared move: `off` or `none`.
pub fn is_off(word: &str) -> bool {
    word.eq_ignore_ascii_case(OFF) || word.eq_ignore_ascii_case("none")
}

/// Returns whether a word is probably a board's number rather than a userid.
pub(crate) fn is_board(word: &str) -> bool {
    word.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

pub(crate) fn games() -> Vec<String> {
    catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect()
}
