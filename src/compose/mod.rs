//! Facts → words, by the templates: what a shell prints, what a letter says and what a page shows.

mod answers;
mod board;
mod composer;
mod filters;
mod html;
mod letter;
mod messages;
mod pictures;
mod reader;
mod replies;
mod section;
mod size;
mod templates;
mod texts;

pub use composer::Composer;
pub use html::{Html, Picture};
pub use letter::Letter;
pub use reader::Shown;
pub use replies::own_address;
pub use texts::overriding_files;
