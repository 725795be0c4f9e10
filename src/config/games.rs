//! Settings for individual games.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::command::{Command, GameCommand, PreviewFrom, parse_words};
use crate::rules::{Game, Options, catalogue};

/// The administrator's settings for a game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameSettings {
    /// The default options of a challenge, in the form that a challenge uses: `-opposite`.
    pub options: String,
}

/// Returns the default options of each game with a setting, by game name.
pub(crate) fn default_options(games: &BTreeMap<String, GameSettings>) -> BTreeMap<&'static str, Options> {
    let options = games.iter().filter_map(|(name, settings)| {
        let game = by_name(name)?;
        Some((game.name(), options(game, &settings.options)?))
    });
    options.filter(|(_, options)| !options.is_empty()).collect()
}

/// Returns the faults in the values, with the paths of their keys.
pub(crate) fn faults(games: &BTreeMap<String, GameSettings>) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    for (name, settings) in games {
        let Some(game) = by_name(name) else {
            let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
            faults
                .push(("games", format!("[games.{name}]: there is no game {name:?}; there are {}", names.join(", "))));
            continue;
        };
        if options(game, &settings.options).is_none() {
            let what = format!("options = {:?} are not options of {}; {}", settings.options, game.title(), known(game));
            faults.push(("games", format!("[games.{name}]: {what}")));
        }
    }
    faults
}

fn by_name(name: &str) -> Option<&'static dyn Game> {
    catalogue::GAMES.iter().copied().find(|game| game.name() == name)
}

/// Reads options with the parser of the command language; `None` if no board can start with them.
fn options(game: &dyn Game, text: &str) -> Option<Options> {
    let words = [game.name(), "preview", "new"].into_iter().chain(text.split_whitespace());
    let line = parse_words(&words.map(str::to_owned).collect::<Vec<_>>()).ok()?;
    match line.command {
        Command::Game {
            command: GameCommand::Preview { from: PreviewFrom::New(options), moves, plain: false },
            ..
        } if moves.is_empty() && game.start(&options).is_ok() => Some(options),
        _ => None,
    }
}

/// Lists the options of a game.
fn known(game: &dyn Game) -> String {
    let written = game.options().iter().map(|option| match option.numbers {
        [] => format!("-{}", option.name),
        numbers => {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("-{}={number}", option.name)).collect();
            numbers.join(", ")
        }
    });
    match written.collect::<Vec<_>>() {
        none if none.is_empty() => "it has none".to_owned(),
        written => format!("choose one of {}", written.join(", ")),
    }
}
