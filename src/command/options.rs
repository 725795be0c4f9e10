//! Options among the arguments: `-x` of a game, `--x` of the server.

use super::Terms;
use super::args::{Args, Fault};
use super::values::{is_graphic, number};
use super::words::said;
use crate::rules::Options;
use crate::text::{marked, nearest};

/// The most days that an option may say.
const DAYS: [(&str, u32); 3] = [("nagtime", 365), ("forfeittime", 365), ("totaltime", 3_650)];

/// The options that were read.
#[derive(Default)]
pub(super) struct Given {
    /// The game's: place in its list, name, value.
    game: Vec<(usize, String, Option<String>)>,
    /// The server's, by name.
    names: Vec<&'static str>,
    /// Those that say days, with the index of their word.
    days: Vec<(&'static str, usize, u32)>,
    json: bool,
    pub(super) say: Option<String>,
}

impl Args<'_> {
    /// The game options read, in the order of the game's list.
    pub(super) fn options(&mut self) -> Options {
        let mut options = std::mem::take(&mut self.options.game);
        options.sort_by_key(|(place, ..)| *place);
        Options::new(options.into_iter().map(|(_, name, value)| (name, value)).collect())
    }

    /// `--format=json`
    pub(super) fn json(&self) -> bool {
        self.options.json
    }

    /// `--plain`
    pub(super) fn plain(&self) -> bool {
        self.options.names.contains(&"plain")
    }

    /// What was said of clocks and such.
    pub(super) fn terms(&self) -> Result<Terms, Fault> {
        let find = |name| self.options.days.iter().find(|(other, ..)| *other == name);
        let days = |name| find(name).map(|&(_, _, days)| days);
        let given = |name| self.options.names.contains(&name);
        if let (Some(&(_, at, nag)), Some(forfeit @ 1..)) = (find("nagtime"), days("forfeittime"))
            && nag >= forfeit
        {
            let message = format!("A reminder after {nag} days is too late for a forfeit after {forfeit}.");
            return Err(Fault::at(at, message).near(Some(format!("--nagtime={}", forfeit / 2))));
        }
        Ok(Terms {
            nag: days("nagtime"),
            forfeit: days("forfeittime"),
            total: days("totaltime"),
            unrated: given("unrated"),
            private: given("private"),
        })
    }

    pub(super) fn option(&mut self, i: usize) -> Result<(), Fault> {
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
        if known.is_err() && self.wants_password() {
            let message = "The password stands here, and no password begins with \"-\".";
            return Err(Fault { hidden: true, ..Fault::at(i, message) });
        }
        known
    }

    fn server_option(&mut self, i: usize, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let wrong = |message: String| Err(Fault::at(i, message));
        let takes = self.usage.takes;
        let Some(name) = takes.iter().copied().find(|takes| *takes == name) else {
            let begun = || takes.iter().copied().find(|takes| name.len() >= 3 && takes.starts_with(name));
            let near = nearest(name, takes.iter().copied()).or_else(begun).map(|near| format!("--{near}"));
            let message = format!("\"{}\" takes no option {}.", self.usage.name, said(&format!("--{name}")));
            return Err(Fault::at(i, message).near(near));
        };
        if self.options.names.contains(&name) {
            return wrong(format!("--{name} is given twice."));
        }
        self.options.names.push(name);
        match (name, value) {
            ("say", Some(value)) if !value.trim().is_empty() => {
                // A comment is one line here, and goes into letters: it is cleaned, not refused.
                self.options.say = Some(marked(value).replace('"', "'").trim().to_owned());
                Ok(())
            }
            ("say", _) => wrong("--say wants a text: --say=\"Good luck\".".to_owned()),
            ("plain" | "unrated" | "private", None) => Ok(()),
            ("plain" | "unrated" | "private", Some(_)) => {
                Err(Fault::at(i, format!("--{name} takes no value.")).near(Some(format!("--{name}"))))
            }
            ("format", value) => {
                let formats = ["text", "json"];
                let value = value.unwrap_or_default().to_ascii_lowercase();
                let Some(format) = formats.iter().position(|format| *format == value) else {
                    let near = nearest(&value, formats).map(|near| format!("--format={near}"));
                    return Err(Fault::at(i, "--format is text or json.").near(near));
                };
                self.options.json = format == 1;
                Ok(())
            }
            (_, value) => {
                let most = DAYS.iter().find(|(other, _)| *other == name).map_or(0, |(_, most)| *most);
                let Some(days) = value.and_then(number).filter(|days| *days <= most) else {
                    return wrong(format!("--{name} is a number of days from 0 to {most}: --{name}=7."));
                };
                self.options.days.push((name, i, days));
                Ok(())
            }
        }
    }

    fn game_option(&mut self, i: usize, name: &str, value: Option<&str>) -> Result<(), Fault> {
        // `-plain` for `--plain` is the likeliest slip.
        let slip = self.usage.takes.iter().find(|takes| **takes == name).map(|name| format!("--{name}"));
        let Some(game) = self.game else {
            let option = said(self.word(i));
            let message = format!("{option} cannot stand here: a game's options go with challenge and preview new.");
            return Err(Fault::at(i, message).near(slip));
        };
        let list = game.options();
        let Some(place) = list.iter().position(|option| option.name.eq_ignore_ascii_case(name)) else {
            let near = || nearest(name, list.iter().map(|option| option.name)).map(|near| format!("-{near}"));
            let message = format!("{} has no option {}.", game.title(), said(&format!("-{name}")));
            return Err(Fault::at(i, message).near(slip.or_else(near)));
        };
        let spec = &list[place];
        let option = format!("-{}", spec.name);
        if self.options.game.iter().any(|(other, ..)| *other == place) {
            return Err(Fault::at(i, format!("{option} is given twice.")));
        }
        match (spec.value, value) {
            (None, Some(_)) => return Err(Fault::at(i, format!("{option} takes no value.")).near(Some(option))),
            // Options are stored as one text split at blanks, so no value may hold one.
            (Some(looks), value) if !value.is_some_and(is_graphic) => {
                return Err(Fault::at(i, format!("{option} wants a value: {looks}.")));
            }
            _ => self.options.game.push((place, spec.name.to_owned(), value.map(str::to_owned))),
        }
        Ok(())
    }
}
