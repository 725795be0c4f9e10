//! Checks the rules of ARCHITECTURE.md for source files, for example which modules a module may use, and which modules
//! may contain SQL.

pub mod imports;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use imports::{Sources, rust_files};
use turnpost::command::SETTING_KEYS;

/// The modules of `src/` in layers, from the lowest to the highest layer. A module uses only the layers below its own,
/// and modules of the same layer do not use each other.
const LAYERS: &[&[&str]] = &[
    &["text", "recent"],
    &["rules", "numbers"],
    &["world", "clock", "event", "rating", "token", "player", "metrics", "draw", "https", "state_file", "child"],
    &["command"],
    &["store"],
    &["service"],
    &["config", "compose"],
    &["mail", "web", "backup"],
    &["serve"],
    &["cli"],
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

#[test]
fn a_module_uses_only_the_layers_below_it() {
    let sources = Sources::read(&src());
    let mut uses = 0;
    let mut wrong = Vec::new();
    for (i, file) in sources.files.iter().enumerate() {
        let Some(module) = file.module.first() else { continue };
        let here = layer(module).unwrap_or_else(|| panic!("{} is in no layer", file.path.display()));
        for (other, names) in sources.used_by(i) {
            let other = &sources.files[other];
            let Some(used) = other.module.first().filter(|used| *used != module) else { continue };
            uses += 1;
            if layer(used).is_none_or(|there| there >= here) {
                wrong.push(format!("{} uses {}: {names:?}", file.path.display(), other.path.display()));
            }
        }
    }
    assert!(uses > 200, "the test found only {uses} imports");
    assert!(wrong.is_empty(), "these imports are not from lower layers:\n{}", wrong.join("\n"));
}

#[test]
fn no_files_use_each_other_in_a_cycle() {
    let sources = Sources::read(&src());
    let mut report = String::new();
    for cycle in sources.cycles() {
        report += &format!("a cycle of {} files:\n", cycle.len());
        for file in &cycle {
            for (other, names) in sources.used_by(*file).into_iter().filter(|(other, _)| cycle.contains(other)) {
                let path = |file: usize| sources.files[file].path.display().to_string();
                report += &format!("  {} uses {}: {names:?}\n", path(*file), path(other));
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}

/// Returns every source file: its module of the crate, its path, and its text without comments.
fn files() -> Vec<(String, PathBuf, String)> {
    let src = src();
    let file = |path: PathBuf| {
        let inside = path.strip_prefix(&src).unwrap();
        let module = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.fold(String::new(), |code, line| code + line + "\n");
        (module, path, code)
    };
    let files: Vec<_> = rust_files(&src).into_iter().map(file).collect();
    assert!(files.len() > 20, "the test found too few source files");
    files
}

#[test]
fn rules_and_commands_and_drawings_are_pure() {
    for (_, path, code) in
        files().into_iter().filter(|(module, ..)| ["text", "rules", "command", "draw"].contains(&module.as_str()))
    {
        for banned in
            ["chrono", "rusqlite", "lettre", "getrandom", "std::fs", "std::net", "std::env", "std::time", "std::io"]
        {
            assert!(!code.contains(banned), "{} names {banned}", path.display());
        }
    }
}

#[test]
fn only_the_store_contains_sql() {
    for (module, path, code) in files() {
        let sql = ["rusqlite", "postgres::", "SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA "];
        let found = sql.iter().find(|word| code.contains(**word));
        assert!(module == "store" || found.is_none(), "{} contains {found:?}", path.display());
    }
}

#[test]
fn only_outbound_mail_sends() {
    for (_, path, code) in files() {
        let sends = ["SmtpConnection", "call_sendmail("].iter().any(|word| code.contains(word));
        assert!(!sends || path.to_str().unwrap().contains("mail/outbound/"), "{} sends mail", path.display());
    }
}

#[test]
fn only_webhooks_call_addresses_named_by_players() {
    for (_, path, code) in files() {
        // `mail::oauth` sends requests only to addresses in the administrator's configuration.
        let may = ["https.rs", "web/webhooks/", "mail/oauth/provider.rs"]
            .iter()
            .any(|may| path.to_str().unwrap().contains(may));
        assert!(!code.contains("ureq") || may, "{} sends HTTP requests", path.display());
    }
}

#[test]
fn one_module_reads_time_and_randomness() {
    for (module, path, code) in files() {
        for banned in ["Utc::now", "Local::now", "SystemTime::now", "Instant::now", "getrandom::fill"] {
            assert!(module == "world" || !code.contains(banned), "{} calls {banned}", path.display());
        }
    }
}

#[test]
fn the_sources_include_no_file_that_the_archive_lacks() {
    for (_, path, code) in files() {
        for folder in ["tests/", "benches/", "fuzz/", "sim/"] {
            let included = code.split("include_").skip(1).filter_map(|rest| rest.split(");").next());
            assert!(included.clone().all(|name| !name.contains(folder)), "{} includes {folder}", path.display());
        }
    }
}

/// Checks the setting `own` as an example. Its type and key occur only in the places named in ARCHITECTURE.md.
#[test]
fn a_setting_is_in_five_places() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut found) =
        (["src", "templates", "migrations"].map(|folder| root.join(folder)).to_vec(), BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["OwnLetters", "values-of-own", "own=o", "set, \"own\""].iter().any(|word| text.contains(word)) {
                found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let places = [
        "src/command/settings.rs",
        "src/service/notice/notices.rs",
        "templates/help/settings.txt",
        "templates/messages/command.toml",
        "templates/web/settings.html",
    ];
    assert_eq!(found, places.map(str::to_owned).into());
}

#[test]
fn every_setting_is_explained_and_can_be_chosen() {
    let read = |path| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("templates").join(path)).unwrap();
    let (help, page) = (read("help/settings.txt"), read("web/settings.html"));
    for key in SETTING_KEYS {
        assert!(help.contains(&format!("\n{key}=")), "help settings lacks {key}");
        let chosen = ["(set, \"KEY\",", "name=\"KEY\"", "set.KEY"].map(|field| field.replace("KEY", key));
        assert!(chosen.iter().any(|field| page.contains(field)), "the page lacks {key}");
    }
}
