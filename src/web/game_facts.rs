//! The games as facts for templates.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::rules::{Game, catalogue};

/// Lists every game.
pub(crate) fn all_games() -> Vec<Value> {
    catalogue::GAMES.iter().map(|game| game_facts(*game)).collect()
}

/// Describes one game.
pub(crate) fn game_facts(game: &dyn Game) -> Value {
    let about = Serde(game.about());
    context! { name => game.name(), title => game.title(), designer => game.designer(), about }
}
