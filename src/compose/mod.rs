//! Turns facts into words with the templates: the output of the command line, letters and pages.

mod analysis;
mod answers;
mod board;
mod composer;
mod drawings;
mod filters;
mod game_file;
mod help;
mod html;
mod letter;
mod lines;
mod messages;
mod pictures;
mod positions;
mod reader;
mod replies;
mod section;
mod size;
mod templates;
mod texts;
mod told_board;

pub use composer::Composer;
pub use game_file::Lesson;
pub use help::{Block, HelpPage, Row, Span};
pub use html::{Html, Picture};
pub use letter::{Letter, addressees};
pub use positions::PositionPicture;
pub use reader::Shown;
pub use replies::own_address;
pub use texts::overriding_files;
