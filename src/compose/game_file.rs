//! What the help of a game shows besides its words: diagrams and lessons, from `templates/help/GAME.toml`.

use serde::Deserialize;

use crate::rules::lesson::{Goal, Setup};

/// The file of a game. A game without one has neither diagrams nor lessons.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GameFile {
    /// The diagrams, which the page of help names.
    #[serde(rename = "diagram")]
    pub(super) diagrams: Vec<Diagram>,
    /// The lessons, in order.
    #[serde(rename = "lesson")]
    pub(super) lessons: Vec<Lesson>,
}

/// A position in the help of a game.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Diagram {
    /// What the page of help names it by.
    pub(super) name: String,
    /// What it shows, in a sentence or two.
    pub(super) caption: String,
    /// It is drawn in the text, too, and not on the page alone.
    #[serde(default)]
    pub(super) text: bool,
    /// Its position.
    #[serde(flatten)]
    pub(super) setup: Setup,
}

/// A position to solve by one move.
#[derive(Clone, Debug, Deserialize)]
pub struct Lesson {
    /// What it is about, in a few words.
    pub title: String,
    /// What the player is asked to do.
    pub task: String,
    /// What is said to those who have tried another move.
    pub hint: String,
    /// What is said when it is solved.
    pub solved: String,
    /// What the move must achieve.
    pub goal: Goal,
    /// The position.
    #[serde(flatten)]
    pub setup: Setup,
}
