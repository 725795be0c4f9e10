//! Text functions for all layers: messages, sanitizing, the nearest valid word, hexadecimal digits. Pure; uses no
//! other module.

mod hex;
mod message;
mod nearest;
mod replace;
mod sanitize;

pub use hex::{hex, unhex};
pub use message::{Fact, Message};
pub use nearest::{is_one_slip, nearest};
pub use replace::replace_word;
pub use sanitize::{line, lines, marked, squeezed};
