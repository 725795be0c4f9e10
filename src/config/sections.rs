//! Small sections of the configuration: games, backups, the database, metrics.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command::{Command, GameCommand, PreviewFrom, parse_words};
use crate::rules::{Game, Options, catalogue};
use crate::store::{Location, PostgresUrl};

/// The administrator's settings for a game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameSettings {
    /// The default options of a challenge, written as in a challenge: `-opposite`.
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

/// Describes the invalid values, each with the path of its key.
pub(crate) fn faults(games: &BTreeMap<String, GameSettings>) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for (name, settings) in games {
        let Some(game) = by_name(name) else {
            let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
            let what = format!("[games.{name}]: there is no game {name:?}; there are {}", names.join(", "));
            faults.push((format!("games.{name}"), what));
            continue;
        };
        if options(game, &settings.options).is_none() {
            let what = format!(
                "options = {:?} is not a set of options of {}; {}",
                settings.options,
                game.title(),
                known(game)
            );
            faults.push((format!("games.{name}.options"), format!("[games.{name}]: {what}")));
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

/// The backups that `turnpost serve` creates.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backup {
    /// The directory for backups, if enabled. It must be used only by this server, and should be on another disk.
    /// Relative to the data directory.
    pub directory: Option<PathBuf>,
    /// Hours between two backups.
    pub every: u32,
    /// The number of backups to retain; older ones are deleted.
    pub keep: u32,
}

impl Default for Backup {
    fn default() -> Self {
        Backup { directory: None, every: 24, keep: 7 }
    }
}

/// The name of the database file in the data directory.
pub const DATABASE_FILE: &str = "turnpost.db";

/// The address of a PostgreSQL database.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct DatabaseServer(PostgresUrl);

impl TryFrom<String> for DatabaseServer {
    type Error = String;

    fn try_from(text: String) -> Result<DatabaseServer, String> {
        let url = text.parse::<PostgresUrl>();
        url.map(DatabaseServer).map_err(|error| format!("this is not the address of a PostgreSQL database: {error}"))
    }
}

/// Returns the location of the database: the configured server, or the file in the data directory.
pub(crate) fn location(server: Option<&DatabaseServer>, data: &Path) -> Location {
    match server {
        Some(DatabaseServer(url)) => Location::Postgres(url.clone()),
        None => Location::File(data.join(DATABASE_FILE)),
    }
}

/// Health checks and metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// The address at which `serve` provides `/health`, `/ready` and `/metrics`, if enabled. Not for the public.
    pub listen: Option<SocketAddr>,
    /// Seconds after which `serve` reports a worker without progress although work is waiting.
    pub stalled_after: u32,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics { listen: None, stalled_after: 60 }
    }
}
