//! The form of a single line.

use crate::text;

/// Whether a line is blank, or holds nothing but the mark that a tracker of mails leaves.
pub(super) fn is_blank(line: &str) -> bool {
    matches!(line.trim(), "" | "ᐧ")
}

/// Whether a line is quoted: by `>`, by a bar, or by the initials of its author (`JD> …`).
pub(super) fn is_quote(line: &str) -> bool {
    let line = line.trim();
    if is_framed(line) {
        return false;
    }
    if let Some(rest) = line.strip_prefix('>') {
        // The end of an attribution that was broken inside an address: `<somebody@example.org` / `>:`.
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

/// Whether a line is one word in quotation marks that face it: `»f3«.`
fn is_word_in_quotes(line: &str) -> bool {
    let line = line.trim_end_matches(['.', '!']);
    let word = line.strip_prefix(['»', '›']).and_then(|rest| rest.strip_suffix(['«', '‹']));
    word.is_some_and(|word| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, ',' | '-' | '#'))
    })
}

/// Whether a line names the author of the mail below it as GroupWise does: `>>> Bob <bob@example.org> 3/3/26 2:05 PM >>>`.
pub(super) fn is_framed(line: &str) -> bool {
    let line = line.trim();
    line.strip_prefix(">>>").or(line.strip_prefix("<<<")).and_then(|rest| rest.strip_suffix(">>>")).is_some_and(
        |said| {
            said.starts_with(' ') && said.chars().any(char::is_alphabetic) && said.chars().any(|c| c.is_ascii_digit())
        },
    )
}

/// Whether a line is drawn: at least three dashes, or the like.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 3 && line.chars().all(|c| matches!(c, '-' | '_' | '=' | '*' | '—' | '–' | '─' | ' '))
}

/// The most characters of a line that are compared.
const WIDTH: usize = 1000;

/// A line in the form of the word tables: lower case, one space between words, no emphasis around it.
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
