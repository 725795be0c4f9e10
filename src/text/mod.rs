//! Text functions for all layers: messages, sanitizing, the nearest valid word, hexadecimal digits. Pure; uses no
//! other module.

mod message;
mod sanitize;

use data_encoding::HEXLOWER;
use serde::Serialize;

pub(crate) use message::schema_as;
pub use message::{Fact, Message};
pub use sanitize::replace_word;
pub use sanitize::{is_one_slip, nearest};
pub use sanitize::{line, lines, marked, squeezed};

/// Returns the word with which a value is serialized.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

/// Writes two lower-case hexadecimal digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Decodes hexadecimal digits. `None` for any text that [`hex`] cannot write.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    HEXLOWER.decode(digits.as_bytes()).ok()
}
