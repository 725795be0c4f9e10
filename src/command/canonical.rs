//! Writes a command as a line, with masked passwords.

use super::types::Command;
use super::verbs::verbs;
use super::words::quote;

/// Returns the line that parses to this command once its passwords are inserted.
pub(crate) fn shown(command: &Command, say: Option<&str>) -> String {
    let mut words = verbs().find_map(|spec| spec.write(command)).expect("every command is one of the verbs'");
    words.extend(say.map(|say| format!("--say={say}")));
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
