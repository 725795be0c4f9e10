//! The lines of an export.

use std::io;

use serde_json::{Map, Value};

use super::fault::{Read, fault};
use crate::message;

/// The numbered lines of a file.
pub(crate) type Lines<'a> = &'a mut dyn Iterator<Item = (usize, io::Result<String>)>;

/// Parses a line.
pub(crate) fn object(text: &str) -> Read<Map<String, Value>> {
    // serde_json reports "at line 1", which refers to this line but would be understood as the file's.
    serde_json::from_str(text).or_else(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        fault(message!("import.no-line", what, column = error.column()))
    })
}
