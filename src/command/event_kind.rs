//! The kinds of events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// Divisions in which each player meets each other player.
    #[default]
    League,
    /// A knock-out.
    Cup,
    /// Places won by challenges.
    Ladder,
}

impl EventKind {
    /// All kinds.
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
