//! The ends of the new text: the headers of a quoted mail, and the line above an original or forwarded mail.

use super::line::{is_blank, is_quote, plain};
use super::words::{LANGUAGES, Language};

/// How many lines are searched for the headers of a quoted mail.
const HEADER_LINES: usize = 14;
/// How many lines without a label may continue the line before.
const FOLDED: usize = 3;

/// Whether a quoted or forwarded mail begins with the first of these lines.
pub(super) fn begins(lines: &[&str]) -> bool {
    let Some(first) = lines.first().filter(|line| !is_blank(line)) else { return false };
    let plain = plain(first);
    is_separator(&plain) || are_headers(&plain, &lines[1..])
}

/// Whether a line is a separator: `-----Original Message-----` and `Begin forwarded message:`.
fn is_separator(line: &str) -> bool {
    let drawn = |c: char| matches!(c, '-' | '_' | '=' | '—' | '–' | '─' | '~' | '*' | '+' | '<' | '>' | ' ' | '#');
    let said = line.trim_matches(drawn);
    if said.is_empty() {
        return false;
    }
    let dashes = |c: char| matches!(c, '-' | '_' | '—' | '–' | '─');
    let before = line.chars().take_while(|&c| dashes(c)).count();
    let after = line.chars().rev().take_while(|&c| dashes(c)).count();
    // In a language that is not in the table: only mail programs write words between two long lines.
    if before >= 4 && after >= 4 {
        return true;
    }
    let said = said.trim_end_matches([':', ' ', '.']);
    let starts = |phrases: &[&str]| phrases.iter().any(|phrase| said.starts_with(phrase));
    LANGUAGES.iter().any(|language| {
        // After the dashes more may follow: `----- Forwarded by Jane Doe/Sales on 1.2.2003 -----`.
        (line.starts_with(dashes) && (starts(language.original) || starts(language.forwarded)))
            || (line.ends_with(':') && (language.original.contains(&said) || language.forwarded.contains(&said)))
            || (language.original.contains(&said) && said != line)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    From,
    Sent,
    To,
    Subject,
}

/// The label that a line of headers begins with. A label can have two meanings: `a:` is a recipient in Italian and French.
fn label(plain: &str) -> Option<(Label, &str)> {
    let plain = plain.trim_start_matches(['_', '|', '-', '•', ' ']);
    let (name, value) = plain.split_once(':')?;
    let name = name.trim().trim_matches('_').trim();
    if name.is_empty() || name.len() > 40 {
        return None;
    }
    let of = |words: fn(&Language) -> &'static [&'static str]| LANGUAGES.iter().any(|l| words(l).contains(&name));
    let kind = match () {
        () if of(|l| l.from) => Label::From,
        () if of(|l| l.sent) => Label::Sent,
        () if of(|l| l.subject) => Label::Subject,
        () if of(|l| l.to) => Label::To,
        () => return None,
    };
    Some((kind, value))
}

/// Whether these lines are headers: at least two different ones, one of them the sender or the date; or a sender with an
/// address.
fn are_headers(first: &str, rest: &[&str]) -> bool {
    let Some((kind, value)) = label(first) else { return false };
    let is_sender = |kind: Label, value: &str| kind == Label::From && value.contains('@');
    if is_sender(kind, value) {
        return true;
    }
    let mut found = vec![kind];
    let mut folded = 0;
    for line in rest.iter().take(HEADER_LINES) {
        if is_quote(line) {
            break;
        }
        let plain = plain(line);
        match label(&plain) {
            Some((kind, value)) => {
                folded = 0;
                if is_sender(kind, value) {
                    return true;
                }
                found.push(kind);
                if found.iter().any(|kind| matches!(kind, Label::From | Label::Sent))
                    && found.iter().any(|kind| *kind != found[0])
                {
                    return true;
                }
            }
            None => {
                folded += 1;
                // An address on a line of its own belongs to the sender above it.
                if folded == 1 && found == [Label::From] && plain.contains('@') && plain.contains('<') {
                    return true;
                }
                if folded > FOLDED {
                    return false;
                }
            }
        }
    }
    false
}
