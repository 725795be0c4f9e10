//! Writes a self-documenting configuration.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::keys::KEYS;

/// Returns a TOML configuration with every key. Keys in `set` have their values; the others are commented out with
/// their defaults. The meaning of each key is above it.
pub fn commented(set: &BTreeMap<&str, toml::Value>) -> String {
    let mut text = String::from("# The configuration of turnpost. What is commented out has its default.\n");
    let mut last = "";
    for key in KEYS {
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        if table != last {
            let is_used = set.keys().any(|path| path.rsplit_once('.').is_some_and(|(of, _)| of == table));
            let _ = writeln!(text, "\n{}[{table}]", if is_used { "" } else { "# " });
            last = table;
        }
        let _ = writeln!(text, "\n# {} ({})", key.meaning, key.unit);
        let _ = match (set.get(key.path), key.default) {
            (Some(value), _) => writeln!(text, "{name} = {value}"),
            (None, Some(default)) => writeln!(text, "# {name} = {default}"),
            (None, None) => writeln!(text, "# {name} ="),
        };
    }
    text
}
