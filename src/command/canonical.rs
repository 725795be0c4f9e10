//! A command written back as a line, passwords masked.

use super::types::Command;
use super::verbs::verbs;
use super::words::quote;

/// Returns the line that gives this command again once the passwords are put back.
pub(super) fn shown(command: &Command, say: Option<&str>) -> String {
    let mut words = verbs().find_map(|spec| spec.write(command)).expect("every command is one of the verbs'");
    words.extend(say.map(|say| format!("--say={say}")));
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
