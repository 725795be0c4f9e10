//! The command language: parses one line into a [`Command`] or an error, without side effects. All adapters use this
//! parser.
//!
//! Each verb has one [`VerbSpec`] in `verbs/`: its names, its usage, how it is parsed and written, which server
//! options it takes, and what a reply to a letter may omit.

mod args;
mod error;
mod find_verb;
mod game_types;
mod mask;
mod options;
mod parse;
mod plan;
mod settings;
mod spec;
mod terms;
mod types;
mod typography;
mod verbs;
mod words;

pub use crate::clock::Weekend;
pub use args::{RESERVED_WORDS, is_off, is_userid};
pub use error::Password;
pub(crate) use find_verb::is_slip;
pub use find_verb::{continues_sentence, is_function_word};
pub use game_types::{
    BoardAction, BoardFilter, BoardPosition, FollowMode, FollowTarget, GameCommand, GamePreference, PreviewFrom,
};
pub use mask::{HiddenWords, MaskedLine, SHORTEST_PASSWORD, Shown, mask, possible_names};
pub use options::{EventKind, MOST_DAYS, MOST_TOTAL_DAYS, ServerOption};
pub use parse::ParseError;
pub use parse::ParsedLine;
pub use parse::{begins_command, begins_with_command_word, is_about_game, parse, parse_words};
pub use plan::PlanError;
pub use plan::{Branch, Plan, Reply, When};
pub use settings::*;
pub use spec::{ReplyForm, VerbSpec};
pub use terms::{Flags, InvalidTerms, Terms};
pub use types::{AccountAction, CalendarAction, Command, Day, EventPlan, PuzzleAction};
pub use typography::{bare_move, is_doubt, is_ornament, plain, typed_move};
pub(crate) use verbs::server_word;
pub use verbs::{board_verb, is_solution, verbs};
