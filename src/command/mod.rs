//! The command language: parses one line into a [`Command`] or an error. Pure. Every adapter uses this parser.
//!
//! Each verb has one [`VerbSpec`] in `verbs/`: its names, its usage, how it is parsed and written, which server
//! options it takes, and what a reply to a letter may omit.

mod args;
mod board_words;
mod canonical;
mod error;
mod event_kind;
mod find_verb;
mod game_types;
mod line;
mod mask;
mod options;
mod other_words;
mod parse;
mod parse_error;
mod password;
mod plan;
mod plan_text;
mod sentence;
mod settings;
mod spec;
mod terms;
mod types;
mod typography;
mod values;
mod verbs;
mod words;

pub use crate::clock::Weekend;
pub use event_kind::EventKind;
pub use game_types::{
    BoardAction, BoardFilter, BoardPosition, FollowMode, FollowTarget, GameCommand, GamePreference, PreviewFrom,
};
pub use line::ParsedLine;
pub use mask::{HiddenWords, MaskedLine, Shown, mask, possible_names};
pub use options::{MOST_DAYS, MOST_TOTAL_DAYS, ServerOption};
pub use parse::{begins_command, begins_with_command_word, parse, parse_words};
pub use parse_error::ParseError;
pub use password::Password;
pub use plan::{Branch, Plan, Reply, When};
pub use plan_text::PlanError;
pub use sentence::continues_sentence;
pub use settings::*;
pub use spec::{ReplyForm, VerbSpec};
pub use terms::{Flags, InvalidTerms, Terms};
pub use types::{AccountAction, CalendarAction, Command, Day, EventPlan, PuzzleAction};
pub use typography::{bare_move, is_doubt, is_ornament, plain, typed_move};
pub use values::{is_off, is_userid};
pub use verbs::{board_verb, is_solution, verbs};
