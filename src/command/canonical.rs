//! What the verbs say about a command.

use super::spec::VerbSpec;
use super::types::Command;
use super::verbs::verbs;
use super::words::quote;

impl Command {
    /// Returns the verb that the command belongs to, and the words that it writes.
    fn written(&self) -> (&'static VerbSpec, Vec<String>) {
        let written = |spec: &'static VerbSpec| Some((spec, spec.write(self)?));
        verbs().find_map(written).expect("every command belongs to a verb")
    }

    /// Returns whether the command can change anything. If so, it needs a write transaction and may create notices.
    pub fn changes(&self) -> bool {
        self.written().0.changes
    }
}

/// Returns the line that parses to this command once its passwords are inserted.
pub(crate) fn shown(command: &Command, say: Option<&str>) -> String {
    let (_, mut words) = command.written();
    words.extend(say.map(|say| format!("--say={say}")));
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
