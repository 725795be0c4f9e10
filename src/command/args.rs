//! The arguments of a command, read from left to right so that the first wrong word is the one named.

use super::usage::Usage;
use super::words::{clean, is_option, nearest, said};
use super::{Password, Which};
use crate::rules::{Game, Options};

/// What is wrong with a line, before it is put into words with the line around it.
pub(super) struct Fault {
    /// Index of the word at fault; none when a word is missing.
    pub at: Option<usize>,
    /// One sentence.
    pub message: String,
    /// What was meant, perhaps.
    pub nearest: Option<String>,
    /// The word may be a password and must not be shown.
    pub hidden: bool,
}

impl Fault {
    pub(super) fn at(at: usize, message: impl Into<String>) -> Fault {
        Fault { at: Some(at), message: message.into(), nearest: None, hidden: false }
    }

    pub(super) fn missing(what: &str) -> Fault {
        Fault { at: None, message: format!("The {what} is missing."), nearest: None, hidden: false }
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
    usage: &'static Usage,
    /// The game whose options may stand here.
    game: Option<&'static dyn Game>,
    options: Vec<(usize, String, Option<String>)>,
    pub(super) say: Option<String>,
    pub(super) plain: bool,
    format: Option<bool>,
}

impl<'a> Args<'a> {
    pub(super) fn new(words: &'a [String], left: &'a [usize], usage: &'static Usage) -> Self {
        Args {
            words,
            left,
            next: 0,
            taken: 0,
            usage,
            game: None,
            options: Vec::new(),
            say: None,
            plain: false,
            format: None,
        }
    }

    /// Lets this game's options stand among the arguments.
    pub(super) fn allow(&mut self, game: &'static dyn Game) {
        self.game = Some(game);
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

    fn need(&mut self, what: &str) -> Result<usize, Fault> {
        self.next()?.ok_or_else(|| Fault::missing(what))
    }

    /// Nothing but options may follow.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        match self.next()? {
            Some(i) => Err(Fault::at(i, format!("{} is one word too many.", said(self.word(i))))),
            None => Ok(()),
        }
    }

    pub(super) fn userid(&mut self, what: &str) -> Result<String, Fault> {
        let i = self.need(what)?;
        userid(i, self.word(i))
    }

    /// A password that is known already: whatever it is, only the desk can tell.
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
            let fit = word == clean(word) && !word.contains([' ', '"', '<', '>', ',', ';']);
            if !looks || !fit || word.len() > 254 {
                return Err(Fault::at(i, format!("{} is not a mail address.", said(word))));
            }
            addresses.push(word.to_owned());
        }
        Ok(addresses)
    }

    /// The game options read, in the order of the game's list.
    pub(super) fn options(&mut self) -> Options {
        let mut options = std::mem::take(&mut self.options);
        options.sort_by_key(|(place, ..)| *place);
        Options::new(options.into_iter().map(|(_, name, value)| (name, value)).collect())
    }

    /// `--format=json`
    pub(super) fn json(&self) -> bool {
        self.format == Some(true)
    }

    fn option(&mut self, i: usize) -> Result<(), Fault> {
        let word = self.word(i);
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let known = match name.strip_prefix("--") {
            Some(name) => self.server_option(i, &name.to_ascii_lowercase(), value),
            None => self.game_option(i, &name[1..].to_ascii_lowercase(), value),
        };
        // Where a password is wanted, a wrong option is more likely a password: it is not shown, nor compared.
        if known.is_err() && self.usage.passwords.contains(&self.taken) {
            let message = "The password stands here, and no password begins with \"-\".";
            return Err(Fault { hidden: true, ..Fault::at(i, message) });
        }
        known
    }

    fn server_option(&mut self, i: usize, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let wrong = |message: String| Err(Fault::at(i, message));
        let twice = format!("--{name} is given twice.");
        if !self.usage.takes.contains(&name) {
            let near = nearest(name, self.usage.takes.iter().copied()).map(|near| format!("--{near}"));
            let option = said(&format!("--{name}"));
            let message = format!("\"{}\" takes no option {option}.", self.usage.name);
            return Err(Fault::at(i, message).near(near));
        }
        match (name, value) {
            ("say", Some(value)) if !value.trim().is_empty() => {
                // A comment is one line here, and goes into letters: it is cleaned, not refused.
                match self.say.replace(clean(value).replace('"', "'").trim().to_owned()) {
                    Some(_) => wrong(twice),
                    None => Ok(()),
                }
            }
            ("say", _) => wrong("--say wants a text: --say=\"Good luck\".".to_owned()),
            ("plain", None) => {
                self.plain = true;
                Ok(())
            }
            ("plain", Some(_)) => Err(Fault::at(i, "--plain takes no value.").near(Some("--plain"))),
            (_, value) => {
                let formats = ["text", "json"];
                let value = value.unwrap_or_default().to_ascii_lowercase();
                let Some(format) = formats.iter().position(|format| *format == value) else {
                    let near = nearest(&value, formats).map(|near| format!("--format={near}"));
                    return Err(Fault::at(i, "--format is text or json.").near(near));
                };
                match self.format.replace(format == 1) {
                    Some(_) => wrong(twice),
                    None => Ok(()),
                }
            }
        }
    }

    fn game_option(&mut self, i: usize, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let Some(game) = self.game else {
            let option = said(self.word(i));
            // `-plain` for `--plain` is the likeliest slip.
            let near = self.usage.takes.iter().find(|takes| **takes == name).map(|name| format!("--{name}"));
            let message = format!("{option} cannot stand here: a game's options go with challenge and preview new.");
            return Err(Fault::at(i, message).near(near));
        };
        let list = game.options();
        let Some(place) = list.iter().position(|option| option.name.eq_ignore_ascii_case(name)) else {
            let near = nearest(name, list.iter().map(|option| option.name)).map(|near| format!("-{near}"));
            let message = format!("{} has no option {}.", game.title(), said(&format!("-{name}")));
            return Err(Fault::at(i, message).near(near));
        };
        let spec = &list[place];
        let option = format!("-{}", spec.name);
        if self.options.iter().any(|(other, ..)| *other == place) {
            return Err(Fault::at(i, format!("{option} is given twice.")));
        }
        match (spec.value, value) {
            (None, Some(_)) => return Err(Fault::at(i, format!("{option} takes no value.")).near(Some(option))),
            // Options are stored as one text split at blanks, so no value may hold one.
            (Some(looks), value) if !value.is_some_and(is_graphic) => {
                return Err(Fault::at(i, format!("{option} wants a value: {looks}.")));
            }
            _ => self.options.push((place, spec.name.to_owned(), value.map(str::to_owned))),
        }
        Ok(())
    }
}

/// Visible ASCII, and some of it.
pub(super) fn is_graphic(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_graphic())
}

/// Digits alone.
pub(super) fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()))
}

/// `123` or `123#7`.
pub(super) fn board_at(i: usize, word: &str) -> Result<(u32, Option<u32>), Fault> {
    let (board, ply) = match word.split_once('#') {
        Some((board, ply)) => (board, Some(ply)),
        None => (word, None),
    };
    let read = number(board).filter(|board| *board > 0);
    match (read, ply, ply.and_then(number)) {
        (Some(board), None, _) => Ok((board, None)),
        (Some(board), _, Some(ply)) => Ok((board, Some(ply))),
        (Some(board), ..) => {
            let message = format!("After \"#\" stands a number of plies, and {} has none.", said(word));
            Err(Fault::at(i, message).near(Some(board.to_string())))
        }
        (None, ..) => Err(no_board(i, word)),
    }
}

fn no_board(i: usize, word: &str) -> Fault {
    let bare = word.trim_start_matches('#');
    let bare = bare.split_once('#').map_or(bare, |(board, _)| board);
    let near = number(bare).filter(|board| *board > 0 && bare != word);
    Fault::at(i, format!("{} is not a board number.", said(word))).near(near.map(|board| board.to_string()))
}

/// Words of the language that would be mistaken for players.
const RESERVED: [&str; 7] = ["all", "active", "next", "anyone", "new", "end", "server"];

/// Checks a userid, new or old.
pub(super) fn userid(i: usize, word: &str) -> Result<String, Fault> {
    let letters = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
    if !(letters && begins && (2..=20).contains(&word.len())) {
        let rule = "2 to 20 letters, digits, \"_\", \".\" or \"-\", beginning with a letter";
        return Err(Fault::at(i, format!("{} is not a userid ({rule}).", said(word))));
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)) {
        return Err(Fault::at(i, format!("{} is a word of the command language, not a userid.", said(word))));
    }
    Ok(word.to_owned())
}

/// `all`, `active` or `next`.
pub(super) fn which(word: &str) -> Option<Which> {
    match word.to_ascii_lowercase().as_str() {
        "all" => Some(Which::All),
        "active" => Some(Which::Active),
        "next" => Some(Which::Next),
        _ => None,
    }
}

/// `all`, `active` or `next`, or else what is wrong.
pub(super) fn need_which(i: usize, word: &str) -> Result<Which, Fault> {
    which(word).ok_or_else(|| {
        let near = nearest(word, ["all", "active", "next"]);
        Fault::at(i, format!("{} is none of all, active and next.", said(word))).near(near)
    })
}
