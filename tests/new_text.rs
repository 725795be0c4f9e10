//! The newly written text of whole replies, and that nothing quoted is ever a command.
//!
//! The collections are other people's; they are read when `CORPORA` names their folder, and skipped otherwise. Our own
//! fixtures (`tests/data/replies`) are for the languages and programs that the collections lack.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use turnpost::mail::in_::{find, new_text, read};

const OWN: &str = "turnpost@example.org";
/// What no mail of the collections holds, and what must not run when it is planted in a quote.
const PLANTED: &str = "marque move 1 alice pw f3";

/// The collections' folder; says so when there is none.
fn corpora(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CORPORA").map(|folder| Path::new(&folder).join(name));
    if folder.is_none() {
        eprintln!("skipped: CORPORA names no folder");
    }
    folder
}

fn expected(folder: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(file)).expect("the expectations");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn file(folder: &Path, entry: &Value) -> (String, Vec<u8>) {
    let name = entry["file"].as_str().expect("a file").to_owned();
    let bytes = fs::read(folder.join(&name)).expect("the mail");
    (name, bytes)
}

/// The text of a mail as the server reads it.
fn text_of(raw: &[u8]) -> String {
    let incoming = read(raw, OWN).expect("readable");
    assert_eq!(incoming.trouble, None);
    incoming.text
}

/// A mail that holds only this body.
fn mail_of(body: &[u8], mimetype: &str) -> Vec<u8> {
    let mut mail = format!("From: a@example.org\nContent-Type: {mimetype}; charset=utf-8\n\n").into_bytes();
    mail.extend_from_slice(body);
    mail
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines as the collections compare them: without white space at their ends.
fn ends_trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[test]
fn replies_of_the_crisp_collection() {
    let Some(folder) = corpora("replies") else { return };
    let mut exact = 0;
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected-crisp.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let text = text_of(&mail_of(&bytes, "text/plain"));
        let new = new_text(&text);
        let first = ends_trimmed(&new.first().join("\n"));
        let mut right = true;
        if let Some(wanted) = entry["first_fragment"].as_str() {
            right &= ends_trimmed(wanted) == first;
        }
        if let Some(wanted) = entry["visible_text"].as_str() {
            right &= ends_trimmed(wanted) == ends_trimmed(&new.text());
        }
        for pattern in entry["first_fragment_matches"].as_array().into_iter().flatten() {
            let pattern = pattern.as_str().expect("a pattern").replace('\\', "");
            right &= match pattern.strip_prefix('^') {
                Some(start) => first.starts_with(start),
                None => first.contains(&pattern),
            };
        }
        match right {
            true => exact += 1,
            false => misses.push(format!("{name}: {first:?}\n   wanted {entry}")),
        }
    }
    eprintln!("{exact} right\n{}", misses.join("\n"));
    assert!(exact >= 74, "{exact} right; misses:\n{}", misses.join("\n"));
}

#[test]
fn replies_of_the_mail_programs() {
    let Some(folder) = corpora("clients") else { return };
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let wanted = entry["reply"].as_str().expect("a reply");
        let is_html = entry["kind"] == "html";
        let text = text_of(&if is_html { mail_of(&bytes, "text/html") } else { bytes });
        let got = new_text(&text).text_and_signatures();
        let right = match is_html {
            true => squeezed(wanted) == squeezed(&got),
            false => ends_trimmed(wanted) == ends_trimmed(&got),
        };
        if !right {
            misses.push(format!("{name}: {got:?}, wanted {wanted:?}\n{text}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
