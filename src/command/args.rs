//! The arguments of a command, read from left to right so that the first wrong word is the one named.

use super::Password;
use super::options::Given;
use super::usage::Usage;
use super::values::{is_graphic, no_board, number, userid};
use super::words::{is_option, said};
use crate::rules::Game;
use crate::text::{Message, marked};

/// What is wrong with a line, before it is put into words with the line around it.
pub(super) struct Fault {
    /// Index of the word at fault; none when a word is missing.
    pub at: Option<usize>,
    /// One sentence.
    pub message: Message,
    /// What was meant, perhaps.
    pub nearest: Option<String>,
    /// The word may be a password and must not be shown.
    pub hidden: bool,
    /// There is a word too many somewhere, so that the word after the password may be the password.
    pub surplus: bool,
}

impl Fault {
    pub(super) fn at(at: usize, message: impl Into<Message>) -> Fault {
        Fault { at: Some(at), message: message.into(), nearest: None, hidden: false, surplus: false }
    }

    pub(super) fn missing(what: &str) -> Fault {
        Fault { at: None, ..Fault::at(0, format!("The {what} is missing.")) }
    }

    pub(super) fn near(self, nearest: Option<impl Into<String>>) -> Fault {
        Fault { nearest: nearest.map(Into::into), ..self }
    }
}

/// The words after the command's own.
pub(super) struct Args<'a> {
    words: &'a [String],
    /// Indexes of the arguments, options among them.
    left: &'a [usize],
    next: usize,
    /// Arguments taken so far, without options.
    taken: usize,
    pub(super) usage: &'static Usage,
    /// The game whose options may stand here.
    pub(super) game: Option<&'static dyn Game>,
    pub(super) options: Given,
}

impl<'a> Args<'a> {
    pub(super) fn new(words: &'a [String], left: &'a [usize], usage: &'static Usage) -> Self {
        Args { words, left, next: 0, taken: 0, usage, game: None, options: Given::default() }
    }

    /// Lets this game's options stand among the arguments.
    pub(super) fn allow(&mut self, game: &'static dyn Game) {
        self.game = Some(game);
    }

    pub(super) fn say(self) -> Option<String> {
        self.options.say
    }

    pub(super) fn word(&self, i: usize) -> &'a str {
        &self.words[i]
    }

    /// The first argument, not yet taken: some commands are told apart by it.
    pub(super) fn first(&self) -> Option<&'a str> {
        self.left.iter().map(|&i| self.word(i)).find(|word| !is_option(word))
    }

    /// The next argument; options on the way are read.
    pub(super) fn next(&mut self) -> Result<Option<usize>, Fault> {
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

    pub(super) fn need(&mut self, what: &str) -> Result<usize, Fault> {
        self.next()?.ok_or_else(|| Fault::missing(what))
    }

    /// The next argument, which is some word with a meaning of its own, and its place.
    pub(super) fn need_word(&mut self, what: &str) -> Result<(usize, &'a str), Fault> {
        self.need(what).map(|i| (i, self.word(i)))
    }

    /// Whether a wrong option here may be the password: no other argument may begin with a dash.
    pub(super) fn wants_password(&self) -> bool {
        self.usage.passwords.contains(&self.taken)
    }

    /// Whether the argument just taken stands right after the password: if a word before it is one too many, it is
    /// the password itself, and must not be shown for being wrong.
    pub(super) fn is_after_password(&self) -> bool {
        self.usage.passwords.last().is_some_and(|last| last + 2 == self.taken)
    }

    /// A wrong word, which is not shown where it may be the password, unless it is nearly right.
    pub(super) fn wrong(&self, i: usize, near: Option<&str>, expected: &str) -> Fault {
        let hidden = near.is_none() && self.is_after_password();
        let word = if hidden { "This word".to_owned() } else { said(self.word(i)) };
        Fault { hidden, ..Fault::at(i, format!("{word} is not {expected}.")).near(near) }
    }

    /// A word that is one too many, or may be.
    pub(super) fn surplus(&self, i: usize, what: &str) -> Fault {
        Fault { surplus: true, ..Fault::at(i, format!("{} is {what}.", said(self.word(i)))) }
    }

    /// Nothing but options may follow.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        match self.next()? {
            Some(i) if self.is_after_password() => {
                Err(Fault { hidden: true, ..Fault::at(i, "A word after the password is one too many.") })
            }
            Some(i) => Err(self.surplus(i, "one word too many")),
            None => Ok(()),
        }
    }

    pub(super) fn userid(&mut self, what: &str) -> Result<String, Fault> {
        let i = self.need(what)?;
        userid(i, self.word(i))
    }

    /// A password that is known already: whatever it is, only the service can tell.
    pub(super) fn password(&mut self, what: &str) -> Result<Password, Fault> {
        let i = self.need(what)?;
        match self.word(i) {
            "-" => Ok(Password::FromContext),
            "" => Err(Fault { hidden: true, ..Fault::at(i, format!("The {what} is empty.")) }),
            word => Ok(Password::Given(word.to_owned())),
        }
    }

    /// A password from now on.
    pub(super) fn new_password(&mut self, what: &str) -> Result<Password, Fault> {
        let password = self.password(what)?;
        if let Password::Given(text) = &password
            && let Some(flaw) = Password::flaw(text)
        {
            return Err(Fault { hidden: true, ..Fault::at(self.left[self.next - 1], flaw) });
        }
        Ok(password)
    }

    pub(super) fn board(&mut self) -> Result<u32, Fault> {
        let i = self.need("board number")?;
        let word = self.word(i);
        number(word).filter(|board| *board > 0).ok_or_else(|| no_board(i, word))
    }

    /// The remaining addresses.
    pub(super) fn addresses(&mut self) -> Result<Vec<String>, Fault> {
        let mut addresses = Vec::new();
        while let Some(i) = self.next()? {
            let word = self.word(i);
            let looks = word.split_once('@').is_some_and(|(local, domain)| {
                !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !domain.starts_with('.')
            });
            let fit = word == marked(word) && !word.contains([' ', '"', '<', '>', ',', ';']);
            if !looks || !fit || word.len() > 254 {
                return Err(self.wrong(i, None, "a mail address"));
            }
            addresses.push(word.to_owned());
        }
        Ok(addresses)
    }

    /// A code that a letter carried.
    pub(super) fn code(&self, i: usize) -> Result<String, Fault> {
        let code = self.word(i);
        if !is_graphic(code) {
            return Err(Fault::at(i, format!("{} is not a code.", said(code))));
        }
        Ok(code.to_owned())
    }
}
