//! The form of a single line.

use crate::text;

/// Returns whether a line is blank, or contains only the mark of an e-mail tracker.
pub(crate) fn is_blank(line: &str) -> bool {
    matches!(line.trim(), "" | "ᐧ")
}

/// Returns whether a line is quoted: by `>`, by a bar, or by the initials of its author (`JD> …`).
pub(crate) fn is_quote(line: &str) -> bool {
    let line = line.trim();
    if is_framed(line) {
        return false;
    }
    if let Some(rest) = line.strip_prefix('>') {
        // The end of an attribution that was broken within an address: `<somebody@example.org` / `>:`.
        return !rest.trim().trim_start_matches('>').trim_start().starts_with(':');
    }
    if line.starts_with(['»', '›', '＞', '≫']) {
        return !is_word_in_quotes(line);
    }
    if line == "|" || line.starts_with("| ") || line.starts_with("&gt;") {
        return true;
    }
    let initials = line.bytes().take_while(u8::is_ascii_alphabetic).count();
    let marked = line[initials..].strip_prefix('>');
    (1..=4).contains(&initials) && marked.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '>']))
}

/// Returns whether a line is one word in inward quotation marks: `»f3«.`
fn is_word_in_quotes(line: &str) -> bool {
    let line = line.trim_end_matches(['.', '!']);
    let word = line.strip_prefix(['»', '›']).and_then(|rest| rest.strip_suffix(['«', '‹']));
    word.is_some_and(|word| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, ',' | '-' | '#'))
    })
}

/// Returns whether a line names the author of the message below it like GroupWise: `>>> Bob <bob@example.org> 3/3/26
/// 2:05 PM >>>`.
pub(crate) fn is_framed(line: &str) -> bool {
    let line = line.trim();
    line.strip_prefix(">>>").or(line.strip_prefix("<<<")).and_then(|rest| rest.strip_suffix(">>>")).is_some_and(
        |said| {
            said.starts_with(' ') && said.chars().any(char::is_alphabetic) && said.chars().any(|c| c.is_ascii_digit())
        },
    )
}

/// Returns whether a line is a rule of at least three dashes or similar characters.
pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 3 && line.chars().all(|c| matches!(c, '-' | '_' | '=' | '*' | '—' | '–' | '─' | ' '))
}

/// How many characters of a line to compare.
const WIDTH: usize = 1000;

/// Returns a line in the form of the word tables: lower case, single spaces, no emphasis around it.
pub(crate) fn plain(line: &str) -> String {
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
