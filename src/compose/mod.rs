//! Renders facts with the templates: the output of the command line, letters and pages.
//!
//! Letters read the database when they are composed: positions are derived from records, and tokens are signed, so the
//! outbox stores neither.

mod answers;
mod board;
mod composer;
mod help;
mod html;
mod letter;
mod lines;
mod news;
mod pictures;
mod replies;
mod section;
mod sentences;
mod templates;
mod texts;

pub use answers::PositionPicture;
pub use composer::Composer;
pub use help::{Block, HelpPage, Row, Span};
pub use html::{Html, Picture};
pub use letter::{Letter, addressees};
pub use pictures::Shown;
pub use replies::own_address;
pub use texts::{Lesson, overriding_files, unknown_files};
