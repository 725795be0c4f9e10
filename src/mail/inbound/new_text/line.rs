//! What a single line looks like.

use crate::text;

/// Whether there is nothing on it.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Whether it is quoted: by `>`, by a bar, or by the initials of whom it quotes (`JD> …`).
pub(super) fn is_quote(line: &str) -> bool {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix('>') {
        // The end of a line above a quote that was broken inside an address: `<somebody@example.org` / `>:`.
        return !rest.trim().trim_start_matches('>').trim_start().starts_with(':');
    }
    if line.starts_with(['»', '›', '＞', '≫']) || line.starts_with("| ") || line.starts_with("&gt;") {
        return true;
    }
    let initials = line.bytes().take_while(u8::is_ascii_alphabetic).count();
    (1..=4).contains(&initials) && line[initials..].starts_with("> ")
}

/// Whether it is drawn and not written: at least three dashes, or the like.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 3 && line.chars().all(|c| matches!(c, '-' | '_' | '=' | '*' | '—' | '–' | '─' | ' '))
}

/// More of a line says nothing about it.
const WIDTH: usize = 1000;

/// A line in the form that the words are written in: lower case, one space between words, no emphasis around it.
pub(super) fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len().min(WIDTH));
    let line: String = line.trim().chars().take(WIDTH).collect();
    for c in text::line(&line).chars() {
        match c {
            '*' => {}
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            '’' | '‘' | '´' | '`' => plain.push('\''),
            '：' => plain.push(':'),
            c => plain.extend(c.to_lowercase()),
        }
    }
    plain.trim().to_owned()
}
