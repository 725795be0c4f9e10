//! Additional contents of a game's help: diagrams and lessons, from `templates/help/GAME.toml`.

use serde::Deserialize;

use crate::rules::lesson::{Goal, Setup};

/// The file of a game. A game without a file has no diagrams and lessons.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GameFile {
    /// The diagrams, which the help page refers to.
    #[serde(rename = "diagram")]
    pub(crate) diagrams: Vec<Diagram>,
    /// The lessons, in order.
    #[serde(rename = "lesson")]
    pub(crate) lessons: Vec<Lesson>,
}

/// A position in the help of a game.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagram {
    /// The diagram's name in the help page.
    pub(crate) name: String,
    /// A description in a sentence or two.
    pub(crate) caption: String,
    /// Whether the diagram is also drawn in the text, and not only on the page.
    #[serde(default)]
    pub(crate) text: bool,
    /// The position.
    #[serde(flatten)]
    pub(crate) setup: Setup,
}

/// A position to solve with one move.
#[derive(Clone, Debug, Deserialize)]
pub struct Lesson {
    /// The topic in a few words.
    pub title: String,
    /// The player's task.
    pub task: String,
    /// The hint after a wrong move.
    pub hint: String,
    /// The text after a solution.
    pub solved: String,
    /// The goal of the move.
    pub goal: Goal,
    /// The position.
    #[serde(flatten)]
    pub setup: Setup,
}
