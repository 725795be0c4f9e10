//! The sentences of `templates/messages/`: each message in the code has one, and each sentence is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use turnpost::compose::Composer;

/// Returns the files below a directory with one of these extensions.
fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|found| extensions.iter().any(|it| found == *it));
    entries
        .flat_map(|path| match () {
            () if path.is_dir() => files(&path, extensions),
            () if is_wanted(&path) => vec![path],
            () => Vec::new(),
        })
        .collect()
}

/// Returns the text of all source files without comments. Omits the file that defines messages, because its tests
/// contain codes that are not messages.
fn sources() -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = files(&src, &["rs"]).into_iter().filter(|path| !path.ends_with("text/message.rs"));
    let text: String = paths.map(|path| fs::read_to_string(path).unwrap() + "\n").collect();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Returns the codes of all messages that the source code can create.
fn made(sources: &str) -> BTreeSet<&str> {
    let calls = ["message!(", "Message::new("].into_iter().flat_map(|call| sources.split(call).skip(1));
    calls.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next()).collect()
}

fn sentences() -> BTreeSet<String> {
    Composer::new(None, None).unwrap().message_codes().map(str::to_owned).collect()
}

#[test]
fn every_message_has_its_sentence() {
    let (sources, sentences) = (sources(), sentences());
    let missing: Vec<&str> = made(&sources).into_iter().filter(|code| !sentences.contains(*code)).collect();
    assert!(missing.is_empty(), "templates/messages/ has no sentence for {missing:?}");
    assert!(sentences.len() > 50, "the test finds the sentences");
}

#[test]
fn every_sentence_is_used() {
    let sources = sources();
    let unused: Vec<String> =
        sentences().into_iter().filter(|code| !sources.contains(&format!("\"{code}\""))).collect();
    assert!(unused.is_empty(), "no message uses these sentences: {unused:?}");
}
