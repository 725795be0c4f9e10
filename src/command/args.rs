//! The arguments of a command, read from left to right so that an error names the first wrong word.

use super::error::WordError;
use super::options::{Accepted, ParsedOptions};
use super::password::Password;
use super::values::{board_number, not_a_board, userid};
use super::words::{excerpt, is_graphic, is_option};
use crate::message;
use crate::numbers::BoardNumber;
use crate::text::{Message, marked};

/// The words after the command's own.
pub(super) struct Args<'a> {
    words: &'a [String],
    /// Indexes of the arguments, options among them.
    left: &'a [usize],
    next: usize,
    /// Arguments taken so far, without options.
    taken: usize,
    /// Which arguments, without options, are passwords.
    passwords: &'static [usize],
    accepted: Accepted,
    /// Whether the game's options may stand among the arguments.
    game_options: bool,
    pub(super) options: ParsedOptions,
}

/// Which password of a command.
#[derive(Clone, Copy)]
pub(super) enum PasswordRole {
    /// The only one.
    Only,
    /// The present one, where there are two.
    Current,
    /// The future one, where there are two.
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
    pub(super) fn new(words: &'a [String], left: &'a [usize], passwords: &'static [usize], accepted: Accepted) -> Self {
        let options = ParsedOptions::default();
        Args { words, left, next: 0, taken: 0, passwords, accepted, game_options: false, options }
    }

    /// Lets the game's options stand among the arguments.
    pub(super) fn allow_game_options(&mut self) {
        self.game_options = true;
    }

    /// Returns the comment of `--say`.
    pub(super) fn say(self) -> Option<String> {
        self.options.say
    }

    pub(super) fn word(&self, i: usize) -> &'a str {
        &self.words[i]
    }

    /// Returns the first argument without taking it: some commands are told apart by it.
    pub(super) fn first(&self) -> Option<&'a str> {
        self.left.iter().map(|&i| self.word(i)).find(|word| !is_option(word))
    }

    /// Returns the next argument without taking it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.left[self.next..].iter().map(|&i| self.word(i)).find(|word| !is_option(word))
    }

    /// Takes the next argument; options before it are read.
    pub(super) fn next(&mut self) -> Result<Option<usize>, WordError> {
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
        // Where a password is wanted, a wrong option is more likely a password: it is not shown, nor compared.
        if read.is_err() && self.passwords.contains(&self.taken) {
            return Err(WordError::at(i, message!("command.password-place")).hide());
        }
        read
    }

    /// Takes the next argument and returns its index and the word; without one, `missing` is the error.
    pub(super) fn need(&mut self, missing: Message) -> Result<(usize, &'a str), WordError> {
        let i = self.next()?.ok_or_else(|| WordError::missing(missing))?;
        Ok((i, self.word(i)))
    }

    /// Tells whether the argument just taken stands right after the password. If there is a word too many before it,
    /// it is the password itself, and an error must not show it.
    pub(super) fn is_after_password(&self) -> bool {
        self.passwords.last().is_some_and(|last| last + 2 == self.taken)
    }

    /// The error of a wrong word, which is not shown where it may be the password, unless it is nearly right. The
    /// message is made of the word, which is empty if it must not be shown.
    pub(super) fn wrong(&self, i: usize, near: Option<&str>, message: impl FnOnce(String) -> Message) -> WordError {
        let hidden = near.is_none() && self.is_after_password();
        let word = if hidden { String::new() } else { excerpt(self.word(i)) };
        WordError { hidden, ..WordError::at(i, message(word)).near(near) }
    }

    /// Checks that nothing but options follows.
    pub(super) fn finish(&mut self) -> Result<(), WordError> {
        match self.next()? {
            Some(i) if self.is_after_password() => {
                Err(WordError::at(i, message!("command.surplus-after-password")).hide())
            }
            Some(i) => {
                let message = message!("command.surplus-word", word = excerpt(self.word(i)));
                Err(WordError { surplus: true, ..WordError::at(i, message) })
            }
            None => Ok(()),
        }
    }

    pub(super) fn userid(&mut self) -> Result<String, WordError> {
        let (i, word) = self.need(message!("command.missing-userid"))?;
        userid(i, word)
    }

    /// Takes a present password: only the service can tell whether it is right.
    pub(super) fn password(&mut self, role: PasswordRole) -> Result<Password, WordError> {
        match self.need(role.missing())? {
            (_, "-") => Ok(Password::FromContext),
            (i, "") => Err(WordError::at(i, role.empty()).hide()),
            (_, word) => Ok(Password::Given(word.to_owned())),
        }
    }

    /// Takes a future password.
    pub(super) fn new_password(&mut self, role: PasswordRole) -> Result<Password, WordError> {
        let password = self.password(role)?;
        if let Password::Given(text) = &password
            && let Some(flaw) = Password::flaw(text)
        {
            return Err(WordError::at(self.left[self.next - 1], flaw).hide());
        }
        Ok(password)
    }

    pub(super) fn board(&mut self) -> Result<BoardNumber, WordError> {
        let (i, word) = self.need(message!("command.missing-board"))?;
        board_number(word).ok_or_else(|| not_a_board(i, word))
    }

    /// Takes the remaining arguments, which are mail addresses.
    pub(super) fn addresses(&mut self) -> Result<Vec<String>, WordError> {
        let mut addresses = Vec::new();
        while let Some(i) = self.next()? {
            let word = self.word(i);
            let looks = word.split_once('@').is_some_and(|(local, domain)| {
                !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !domain.starts_with('.')
            });
            let fit = word == marked(word) && !word.contains([' ', '"', '<', '>', ',', ';']);
            if !looks || !fit || word.len() > 254 {
                return Err(self.wrong(i, None, |word| message!("command.not-an-address", word)));
            }
            addresses.push(word.to_owned());
        }
        Ok(addresses)
    }

    /// Reads the argument at this index as a code from a letter.
    pub(super) fn code(&self, i: usize) -> Result<String, WordError> {
        let code = self.word(i);
        if !is_graphic(code) {
            return Err(WordError::at(i, message!("command.not-a-code", word = excerpt(code))));
        }
        Ok(code.to_owned())
    }
}
