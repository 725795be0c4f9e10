//! The computer players: the built-in ones and external programs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::Deserialize;

use crate::command::is_userid;
use crate::player::{Level, SearchLimits};
use crate::rules::catalogue;
use crate::service::EngineRobot;

/// Placeholders in a command: the name of the game, and the options of the board, each as a separate word.
const GAME: &str = "{game}";
const OPTIONS: &str = "{options}";
/// The maximum number of seconds for a move.
const MOST_SECONDS: u64 = 3_600;
/// The minimum number of seconds for a move of a built-in computer player.
const LEAST_SECONDS: f64 = 0.01;
/// The valid values for the memory of a computer player, in megabytes.
const MEMORY: RangeInclusive<u64> = 16..=1_000_000;

/// The computer players.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Robots {
    /// The number of built-in computer players that can be challenged, starting with the weakest, `robot1`.
    pub levels: u8,
    /// The maximum number of seconds for a move of a built-in computer player. After this time, the player plays the
    /// best move found so far.
    pub seconds: f64,
    /// The maximum memory for a search of a built-in computer player, in megabytes.
    pub memory: u32,
    /// The maximum number of threads of the strongest built-in computer player; by default the number of processors,
    /// but at most [`SearchLimits::MOST_THREADS`].
    pub threads: Option<usize>,
    /// Programs that speak the Universal Game Interface, by name: `robot-NAME` is the userid.
    pub engine: BTreeMap<String, Engine>,
}

/// A program that speaks the Universal Game Interface (UGI).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The program and its arguments. `{game}` is replaced by the game's name, `{options}` by the board's options.
    pub command: Vec<String>,
    /// The names of the games that the program plays.
    pub games: Vec<String>,
    /// The maximum number of seconds for a move.
    #[serde(default = "seconds")]
    pub seconds: u64,
    /// The maximum memory in megabytes.
    #[serde(default = "memory")]
    pub memory: u64,
}

impl Default for Robots {
    fn default() -> Self {
        Robots {
            levels: Level::MOST,
            seconds: 60.0,
            memory: SearchLimits::MEMORY,
            threads: None,
            engine: BTreeMap::new(),
        }
    }
}

fn seconds() -> u64 {
    10
}

fn memory() -> u64 {
    1_024
}

impl Engine {
    /// Returns the words of the command for a board of a game with these options.
    pub fn words(&self, game: &str, options: &str) -> Vec<String> {
        let mut words = Vec::new();
        for word in &self.command {
            match word.as_str() {
                OPTIONS => words.extend(options.split_whitespace().map(str::to_owned)),
                word => words.push(word.replace(GAME, game)),
            }
        }
        words
    }
}

impl Robots {
    /// Returns the maximum number of threads for a move of the strongest level.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, usize::from).min(SearchLimits::MOST_THREADS)
        })
    }

    /// Returns the maximum time for a move of a built-in computer player.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Returns the computer players whose moves are chosen by external programs.
    pub(crate) fn players(&self) -> Vec<EngineRobot> {
        let player = |(name, engine): (&String, &Engine)| EngineRobot {
            userid: format!("{}{name}", EngineRobot::PREFIX),
            games: engine.games.clone(),
            takes_options: engine.command.iter().any(|word| word == OPTIONS),
        };
        self.engine.iter().map(player).collect()
    }

    /// Returns the program that plays under this userid.
    pub fn of(&self, userid: &str) -> Option<&Engine> {
        self.engine.get(userid.strip_prefix(EngineRobot::PREFIX)?)
    }

    /// Describes the invalid values, each with the path of its key.
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if self.levels > Level::MOST {
            faults.push(("robot.levels".to_owned(), format!("levels must be from 0 to {}", Level::MOST)));
        }
        if !(LEAST_SECONDS..=MOST_SECONDS as f64).contains(&self.seconds) {
            let what = format!("seconds must be from {LEAST_SECONDS} to {MOST_SECONDS}");
            faults.push(("robot.seconds".to_owned(), what));
        }
        let memory_words = format!("memory must be from {} to {} (megabytes)", MEMORY.start(), MEMORY.end());
        if !MEMORY.contains(&self.memory.into()) {
            faults.push(("robot.memory".to_owned(), memory_words.clone()));
        }
        if self.threads.is_some_and(|threads| !(1..=SearchLimits::MOST_THREADS).contains(&threads)) {
            let what = format!("threads must be from 1 to {}", SearchLimits::MOST_THREADS);
            faults.push(("robot.threads".to_owned(), what));
        }
        for (name, Engine { command, games, seconds, memory }) in &self.engine {
            let table = format!("robot.engine.{name}");
            let mut add = |what: String| faults.push((table.clone(), format!("[{table}]: {what}")));
            let userid = format!("{}{name}", EngineRobot::PREFIX);
            if !is_userid(&userid) || name.chars().any(|c| c.is_ascii_uppercase()) {
                add(format!("{userid:?} is not a userid; use up to 14 lower-case letters, digits, -, _ and ."));
            }
            if command.first().is_none_or(String::is_empty) {
                add("command names no program".to_owned());
            }
            if games.is_empty() {
                add("games names none".to_owned());
            }
            for game in games.iter().filter(|game| catalogue::GAMES.iter().all(|known| known.name() != game.as_str())) {
                add(format!("there is no game {game:?}"));
            }
            if !(1..=MOST_SECONDS).contains(seconds) {
                add(format!("seconds must be from 1 to {MOST_SECONDS}"));
            }
            if !MEMORY.contains(memory) {
                add(memory_words.clone());
            }
        }
        faults
    }
}
