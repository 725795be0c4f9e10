//! The computer players: ours, and programs of others.

use std::collections::BTreeMap;

use std::time::Duration;

use serde::Deserialize;

use crate::command::is_userid;
use crate::player::{Effort, Level};
use crate::rules::catalogue;
use crate::service::EngineRobot;

/// What a word of a command is replaced by: the name of the game, and each option of the board as a word of its own.
const GAME: &str = "{game}";
const OPTIONS: &str = "{options}";
/// The most seconds for a move.
const MOST_SECONDS: u64 = 3_600;
/// The least seconds for a move of ours.
const LEAST_SECONDS: f64 = 0.01;
/// The least megabytes of memory that a computer player can have.
const LEAST_MEMORY: u64 = 16;

/// The computer players.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Robots {
    /// How many of ours can be challenged, `robot1` being the weakest; none with 0.
    pub levels: u8,
    /// Seconds that one of ours thinks about a move at most: then it makes the best that it has found.
    pub seconds: f64,
    /// Megabytes that its search takes at most.
    pub memory: u32,
    /// How many threads the strongest of ours think with at most; as many as there are processors where it says none.
    pub threads: Option<usize>,
    /// Programs that speak the Universal Game Interface, by their names: `robot-NAME` is the userid.
    pub engine: BTreeMap<String, Engine>,
}

/// A program that speaks the Universal Game Interface (UGI).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The program and its arguments; `{game}` stands for the game's name, `{options}` for the board's options.
    pub command: Vec<String>,
    /// The names of the games that it plays.
    pub games: Vec<String>,
    /// Seconds that it may think about a move.
    #[serde(default = "seconds")]
    pub seconds: u64,
    /// Megabytes of memory that it may take.
    #[serde(default = "memory")]
    pub memory: u64,
}

impl Default for Robots {
    fn default() -> Self {
        Robots { levels: Level::MOST, seconds: 60.0, memory: Effort::MEMORY, threads: None, engine: BTreeMap::new() }
    }
}

fn seconds() -> u64 {
    10
}

fn memory() -> u64 {
    1_024
}

impl Engine {
    /// The words of its command for a board of a game with these options.
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
    /// How many threads one move of the strongest level is thought about with at most.
    pub fn threads(&self) -> usize {
        self.threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from).min(Effort::MOST_THREADS))
    }

    /// How long one of ours thinks about a move at most.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// The programs of others, as players.
    pub(super) fn players(&self) -> Vec<EngineRobot> {
        let player = |(name, engine): (&String, &Engine)| EngineRobot {
            userid: format!("{}{name}", EngineRobot::PREFIX),
            games: engine.games.clone(),
            takes_options: engine.command.iter().any(|word| word == OPTIONS),
        };
        self.engine.iter().map(player).collect()
    }

    /// The program that plays under this userid.
    pub fn of(&self, userid: &str) -> Option<&Engine> {
        self.engine.get(userid.strip_prefix(EngineRobot::PREFIX)?)
    }

    /// What is wrong with the values, and the paths of their keys.
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        if self.levels > Level::MOST {
            faults.push(("robot.levels", format!("levels must be from 0 to {}", Level::MOST)));
        }
        if !(LEAST_SECONDS..=MOST_SECONDS as f64).contains(&self.seconds) {
            faults.push(("robot.seconds", format!("seconds must be from {LEAST_SECONDS} to {MOST_SECONDS}")));
        }
        if u64::from(self.memory) < LEAST_MEMORY {
            faults.push(("robot.memory", format!("memory must be at least {LEAST_MEMORY} (megabytes)")));
        }
        if self.threads.is_some_and(|threads| !(1..=Effort::MOST_THREADS).contains(&threads)) {
            faults.push(("robot.threads", format!("threads must be from 1 to {}", Effort::MOST_THREADS)));
        }
        for (name, Engine { command, games, seconds, memory }) in &self.engine {
            let mut add = |what: String| faults.push(("robot.engine", format!("[robot.engine.{name}]: {what}")));
            let userid = format!("{}{name}", EngineRobot::PREFIX);
            if !is_userid(&userid) || name.chars().any(|c| c.is_ascii_uppercase()) {
                add(format!("{userid:?} is no userid: take up to 14 small letters, digits, -, _ and ."));
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
            if *memory < LEAST_MEMORY {
                add(format!("memory must be at least {LEAST_MEMORY} (megabytes)"));
            }
        }
        faults
    }
}
