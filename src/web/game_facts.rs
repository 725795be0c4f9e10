//! The games as facts for templates.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::rules::{Game, Kind, catalogue};

/// Lists every game.
pub(crate) fn all_games() -> Vec<Value> {
    catalogue::GAMES.iter().map(|game| game_facts(*game)).collect()
}

/// Lists every game by its kind.
pub(crate) fn games_by_kind() -> Vec<Value> {
    let kind = |kind: Kind| {
        let games = catalogue::GAMES.iter().filter(|game| game.kind() == kind);
        context! { title => Serde(kind.title()), games => games.map(|game| game_facts(*game)).collect::<Vec<_>>() }
    };
    Kind::ALL.map(kind).into()
}

/// Describes one game.
pub(crate) fn game_facts(game: &dyn Game) -> Value {
    let about = Serde(game.about());
    context! { name => game.name(), title => game.title(), designer => game.designer(), about }
}
