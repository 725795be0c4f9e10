//! Options among the arguments: `-x` of a game, `--x` of the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::WordError;
use super::words::{excerpt, is_graphic, number};
use crate::clock::Fischer;
use crate::message;
use crate::rules::{Game, OptionSpec, Options};
use crate::text::{marked, nearest};

/// An option of the server, which starts with `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerOption {
    /// `--say="…"`: a comment.
    Say,
    /// `--plain`: boards without the names of empty cells.
    Plain,
    /// `--format=text|json`
    Format,
    /// `--nagtime=days`
    NagTime,
    /// `--forfeittime=days`
    ForfeitTime,
    /// `--totaltime=days`
    TotalTime,
    /// `--fischer=start/plus/cap`
    Fischer,
    /// `--unrated`: the board changes no ratings.
    Unrated,
    /// `--private`: only the players see the board.
    Private,
    /// `--kind=league|cup|ladder`
    Kind,
    /// `--division=players`
    Division,
    /// `--twice`: two games against each opponent.
    Twice,
    /// `--once`: only one edition.
    Once,
}

/// The longest thinking time for one move that a challenge can set, in days.
pub const MOST_DAYS: u32 = 365;
/// The longest thinking time for all moves of a player that a challenge can set, in days.
pub const MOST_TOTAL_DAYS: u32 = 3_650;

/// The kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// Divisions in which each player plays every other player.
    #[default]
    League,
    /// A knock-out tournament.
    Cup,
    /// A ranking in which players challenge those above them.
    Ladder,
}

impl EventKind {
    pub(crate) const EACH: [EventKind; 3] = [EventKind::League, EventKind::Cup, EventKind::Ladder];

    /// Returns the name, as a player types it.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::League => "league",
            EventKind::Cup => "cup",
            EventKind::Ladder => "ladder",
        }
    }
}

/// The kind of an option's value.
enum ValueKind {
    /// The option has no value.
    Flag,
    /// A text.
    Text,
    /// `text` or `json`.
    Format,
    /// A number of days, up to this maximum.
    Days(u32),
    /// The kind of an event.
    Kind,
    /// A number of players within these limits.
    Players(u32, u32),
    /// The days of a Fischer clock.
    Fischer,
}

impl ServerOption {
    pub(crate) const EACH: [ServerOption; 13] = [
        ServerOption::Say,
        ServerOption::Plain,
        ServerOption::Format,
        ServerOption::NagTime,
        ServerOption::ForfeitTime,
        ServerOption::TotalTime,
        ServerOption::Fischer,
        ServerOption::Unrated,
        ServerOption::Private,
        ServerOption::Kind,
        ServerOption::Division,
        ServerOption::Twice,
        ServerOption::Once,
    ];

    /// The options of a new event.
    pub(crate) const OF_EVENT: [ServerOption; 9] = [
        ServerOption::Kind,
        ServerOption::Division,
        ServerOption::Twice,
        ServerOption::Once,
        ServerOption::NagTime,
        ServerOption::ForfeitTime,
        ServerOption::TotalTime,
        ServerOption::Fischer,
        ServerOption::Unrated,
    ];

    /// The options of a challenge: its terms, and a comment.
    pub const OF_CHALLENGE: [ServerOption; 7] = [
        ServerOption::NagTime,
        ServerOption::ForfeitTime,
        ServerOption::TotalTime,
        ServerOption::Fischer,
        ServerOption::Unrated,
        ServerOption::Private,
        ServerOption::Say,
    ];

    /// Returns the option's name, without dashes.
    pub const fn name(self) -> &'static str {
        match self {
            ServerOption::Say => "say",
            ServerOption::Plain => "plain",
            ServerOption::Format => "format",
            ServerOption::NagTime => "nagtime",
            ServerOption::ForfeitTime => "forfeittime",
            ServerOption::TotalTime => "totaltime",
            ServerOption::Fischer => "fischer",
            ServerOption::Unrated => "unrated",
            ServerOption::Private => "private",
            ServerOption::Kind => "kind",
            ServerOption::Division => "division",
            ServerOption::Twice => "twice",
            ServerOption::Once => "once",
        }
    }

    /// Returns the option as a player writes it: with `value` if the option accepts it, otherwise with an example
    /// value.
    fn written(self, value: Option<&str>) -> String {
        let name = self.name();
        let days = value.filter(|value| number(value).is_some());
        match self.value() {
            ValueKind::Flag => format!("--{name}"),
            ValueKind::Text => format!("--{name}=\"{}\"", value.unwrap_or("Hello")),
            ValueKind::Format => format!("--{name}={}", value.filter(|value| *value == "text").unwrap_or("json")),
            ValueKind::Days(_) | ValueKind::Players(..) => format!("--{name}={}", days.unwrap_or("7")),
            ValueKind::Kind => {
                let kind = EventKind::EACH.into_iter().find(|kind| Some(kind.name()) == value).unwrap_or_default();
                format!("--{name}={}", kind.name())
            }
            ValueKind::Fischer => {
                let value = value.filter(|value| value.parse::<Fischer>().is_ok());
                format!("--{name}={}", value.unwrap_or("10/1/20"))
            }
        }
    }

    /// Returns whether the option is a flag without a value.
    pub fn is_flag(self) -> bool {
        matches!(self.value(), ValueKind::Flag)
    }

    const fn value(self) -> ValueKind {
        match self {
            ServerOption::Say => ValueKind::Text,
            ServerOption::Format => ValueKind::Format,
            ServerOption::NagTime | ServerOption::ForfeitTime => ValueKind::Days(MOST_DAYS),
            ServerOption::TotalTime => ValueKind::Days(MOST_TOTAL_DAYS),
            ServerOption::Fischer => ValueKind::Fischer,
            ServerOption::Kind => ValueKind::Kind,
            ServerOption::Division => ValueKind::Players(6, 10),
            ServerOption::Plain
            | ServerOption::Unrated
            | ServerOption::Private
            | ServerOption::Twice
            | ServerOption::Once => ValueKind::Flag,
        }
    }
}

/// Returns the written form of the game's option with this name. Returns `None` if the option is unknown, lacks its
/// value, or has a value although it takes none.
fn of_game(name: &str, value: Option<&str>, game: Option<&'static dyn Game>) -> Option<String> {
    let option = game?.options().iter().find(|option| option.name == name)?;
    match (&option.value, value) {
        (Some(_), Some(value)) => Some(format!("-{}={}", option.name, excerpt(value))),
        (None, None) => Some(format!("-{}", option.name)),
        _ => None,
    }
}

/// Returns the written form of the server option with the nearest name, or of one whose name starts with this text.
fn near_of_server(name: &str, value: Option<&str>, accepted: &[ServerOption]) -> Option<String> {
    let names = || accepted.iter().map(|option| option.name());
    let begun = || names().find(|known| name.len() >= 3 && known.starts_with(name));
    let near = nearest(name, names()).or_else(begun)?;
    accepted.iter().find(|option| option.name() == near).map(|option| option.written(value))
}

/// The options that a verb takes.
#[derive(Clone, Copy)]
pub(crate) struct Accepted {
    /// The verb, for error messages.
    pub verb: &'static str,
    pub server: &'static [ServerOption],
    /// The game whose options are allowed, if any.
    pub game: Option<&'static dyn Game>,
}

#[derive(Default)]
pub(crate) struct ParsedOptions {
    /// The game's options: index in its list, name, value.
    game: Vec<(usize, String, Option<String>)>,
    /// The server's options, with the index of their word.
    server: Vec<(ServerOption, usize)>,
    /// The options with a number: the option, the index of its word, and the number of days or players.
    days: Vec<(ServerOption, usize, u32)>,
    /// The Fischer clock, with the index of its word.
    pub(crate) fischer: Option<(usize, Fischer)>,
    json: bool,
    kind: Option<EventKind>,
    /// The error about an invalid number of players. The verb returns it, because the option may not suit the kind of
    /// the event, which can follow it.
    pub(crate) wrong_players: Option<WordError>,
    pub(crate) say: Option<String>,
}

impl ParsedOptions {
    /// Takes the game's options, in the order of the game's list.
    pub(crate) fn take_game(&mut self) -> Options {
        let mut options = std::mem::take(&mut self.game);
        options.sort_by_key(|(place, ..)| *place);
        Options::new(options.into_iter().map(|(_, name, value)| (name, value)).collect())
    }

    /// Returns whether the output should be JSON (`--format=json`).
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Returns the kind of an event (`--kind=cup`).
    pub(crate) fn kind(&self) -> Option<EventKind> {
        self.kind
    }

    pub(crate) fn has(&self, option: ServerOption) -> bool {
        self.index(option).is_some()
    }

    /// Returns the index of an option's word.
    pub(crate) fn index(&self, option: ServerOption) -> Option<usize> {
        self.server.iter().find(|(other, _)| *other == option).map(|&(_, i)| i)
    }

    /// Returns the value of an option with a number of days or players, and the index of its word.
    pub(crate) fn days(&self, option: ServerOption) -> Option<(usize, u32)> {
        self.days.iter().find(|(other, ..)| *other == option).map(|&(_, i, days)| (i, days))
    }

    /// Reads one option: the word at this index.
    pub(crate) fn read(&mut self, i: usize, word: &str, accepted: &Accepted) -> Result<(), WordError> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match name.strip_prefix("--") {
            Some(name) => self.server_option(i, &name.to_ascii_lowercase(), value, accepted),
            None => self.game_option(i, (word, &name[1..].to_ascii_lowercase()), value, accepted),
        }
    }

    // Long, because it has an arm for each kind of value.
    fn server_option(
        &mut self,
        i: usize,
        name: &str,
        value: Option<&str>,
        accepted: &Accepted,
    ) -> Result<(), WordError> {
        let Some(option) = accepted.server.iter().copied().find(|option| option.name() == name) else {
            let near = of_game(name, value, accepted.game).or_else(|| near_of_server(name, value, accepted.server));
            let option = excerpt(&format!("--{name}"));
            let options: Vec<String> = accepted.server.iter().map(|option| option.written(None)).collect();
            let message = message!("command.no-option", verb = accepted.verb, option, options);
            return Err(WordError::at(i, message).near(near));
        };
        let name = option.name();
        if self.has(option) {
            return Err(WordError::at(i, message!("command.option-twice", option = format!("--{name}"))));
        }
        self.server.push((option, i));
        match (option.value(), value) {
            (ValueKind::Text, Some(value)) if !value.trim().is_empty() => {
                // A comment is copied into letters as one line. Replace unsuitable characters instead of rejecting the
                // comment.
                self.say = Some(marked(value).replace('"', "'").trim().to_owned());
            }
            (ValueKind::Text, _) => return Err(WordError::at(i, message!("command.option-wants-text", name))),
            (ValueKind::Flag, None) => {}
            (ValueKind::Flag, Some(_)) => {
                let option = format!("--{name}");
                let message = message!("command.option-without-value", option = &option);
                return Err(WordError::at(i, message).near(Some(option)));
            }
            (ValueKind::Format, value) => {
                let formats = ["text", "json"];
                let value = value.unwrap_or_default().to_ascii_lowercase();
                let Some(format) = formats.iter().position(|format| *format == value) else {
                    let near = nearest(&value, formats).map(|near| format!("--{name}={near}"));
                    return Err(WordError::at(i, message!("command.option-format")).near(near));
                };
                self.json = formats[format] == "json";
            }
            (ValueKind::Days(most), value) => {
                let Some(days) = value.and_then(number).filter(|days| *days <= most) else {
                    return Err(WordError::at(i, message!("command.option-days", name, most)));
                };
                self.days.push((option, i, days));
            }
            (ValueKind::Players(least, most), value) => {
                let wrong = || WordError::at(i, message!("command.option-players", name, least, most));
                match value.and_then(number).filter(|players| (least..=most).contains(players)) {
                    Some(players) => self.days.push((option, i, players)),
                    None if value.is_some() => self.wrong_players = Some(wrong()),
                    // The value may be the next word. The caller suggests to join them.
                    None => return Err(wrong()),
                }
            }
            (ValueKind::Kind, value) => {
                let value = value.unwrap_or_default().to_ascii_lowercase();
                let Some(kind) = EventKind::EACH.into_iter().find(|kind| kind.name() == value) else {
                    let near = nearest(&value, EventKind::EACH.map(EventKind::name));
                    let near = near.map(|near| format!("--{name}={near}"));
                    return Err(WordError::at(i, message!("command.option-kind")).near(near));
                };
                self.kind = Some(kind);
            }
            (ValueKind::Fischer, value) => {
                let Some(fischer) = value.and_then(|value| value.parse().ok()) else {
                    return Err(WordError::at(i, message!("command.option-fischer", name)));
                };
                self.fischer = Some((i, fischer));
            }
        }
        Ok(())
    }

    fn game_option(
        &mut self,
        i: usize,
        (word, name): (&str, &str),
        value: Option<&str>,
        accepted: &Accepted,
    ) -> Result<(), WordError> {
        // `-plain` instead of `--plain` is the most likely error.
        let of_server = accepted.server.iter().find(|option| option.name() == name);
        let slip = of_server.map(|option| option.written(value));
        let Some(game) = accepted.game else {
            return Err(WordError::at(i, message!("command.misplaced-game-option", option = excerpt(word))).near(slip));
        };
        let list = game.options();
        let Some(place) = list.iter().position(|option| option.name.eq_ignore_ascii_case(name)) else {
            let near = || {
                let near = nearest(name, list.iter().map(|option| option.name))?;
                of_game(near, value, accepted.game)
            };
            let option = excerpt(&format!("-{name}"));
            let example = |spec: &OptionSpec| match spec.numbers.last() {
                Some(_) => format!("-{}=N", spec.name),
                None => format!("-{}", spec.name),
            };
            let options: Vec<String> = list.iter().map(example).collect();
            let message = message!("command.no-game-option", game = game.title(), option, options);
            return Err(WordError::at(i, message).near(slip.or_else(near)));
        };
        let spec = &list[place];
        let option = format!("-{}", spec.name);
        if self.game.iter().any(|(other, ..)| *other == place) {
            return Err(WordError::at(i, message!("command.option-twice", option)));
        }
        match (&spec.value, value) {
            (None, Some(_)) => {
                let message = message!("command.option-without-value", option = &option);
                return Err(WordError::at(i, message).near(Some(option)));
            }
            // Options are stored as one text and split at blanks, so a value cannot contain a blank.
            (Some(values), value) if !value.is_some_and(is_graphic) => {
                return Err(WordError::at(i, message!("command.option-wants-value", option, value = values.clone())));
            }
            _ => self.game.push((place, spec.name.to_owned(), value.map(str::to_owned))),
        }
        Ok(())
    }
}
