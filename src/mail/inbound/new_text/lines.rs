//! Recognises quoted lines, separators and headers in a message's text, by the words that mail programs add.

use crate::mail::inbound::words;
use crate::text;

/// How many lines to search for the headers of a quoted message.
const HEADER_LINES: usize = 14;
/// How many lines without a label may continue the line above.
const FOLDED: usize = 3;
/// The maximum number of lines of a quoted message's headers, with the separator above them.
const HEAD_LINES: usize = 30;
/// The longest label, in octets.
const LABEL: usize = 40;
/// The indentation of the columns of a memo.
const MEMO_INDENT: usize = 8;

/// Returns whether a line is blank, or contains only the mark of an e-mail tracker.
pub(crate) fn is_blank(line: &str) -> bool {
    matches!(line.trim(), "" | "ᐧ")
}

/// Returns whether a line is marked as quoted: by `>` or a similar mark, by a bar, or by the initials of its
/// author (`JD> …`).
pub(crate) fn is_quote(line: &str) -> bool {
    let line = line.trim();
    if is_framed(line) {
        return false;
    }
    if let Some(rest) = line.strip_prefix('>') {
        // The end of an attribution broken within an address: `<somebody@example.org` / `>:`.
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

/// Returns whether a line names the author of the message below it, as GroupWise does: `>>> Bob <bob@example.org>
/// 3/3/26 2:05 PM >>>`.
fn is_framed(line: &str) -> bool {
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

/// Normalizes a line for comparison with the word lists: lower case, single spaces, no asterisks.
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

/// Returns whether a quoted or forwarded message begins with the first of these lines.
pub(crate) fn begins_block(lines: &[&str]) -> bool {
    let Some(first) = lines.first().filter(|line| !is_blank(line)) else { return false };
    let plain = plain(first);
    is_framed(first)
        || is_separator(&plain)
        || are_headers(&plain, &lines[1..])
        || are_memo_columns(lines)
        || is_memo(lines)
}

/// Returns how many lines at the start of a quoted message are its separator and headers, if quote marks follow them.
/// The text below the quote can then be distinguished from it.
pub(crate) fn marked_head(lines: &[&str]) -> Option<usize> {
    let mut in_headers = false;
    for (at, line) in lines.iter().enumerate().take(HEAD_LINES) {
        if is_quote(line) {
            return Some(at);
        }
        let is_header = label(&plain(line)).is_some();
        let folded = in_headers && line.starts_with([' ', '\t']);
        if !(at == 0 || is_blank(line) || is_header || folded) {
            return None;
        }
        in_headers = is_header || folded;
    }
    None
}

/// Returns whether a line is a separator: `-----Original Message-----` or `Begin forwarded message:`.
fn is_separator(line: &str) -> bool {
    let dashes = |c: char| matches!(c, '-' | '_' | '‐' | '‑' | '—' | '–' | '―' | '─' | '━');
    let drawn = |c: char| dashes(c) || matches!(c, '=' | '~' | '*' | '+' | '<' | '>' | ' ' | '#');
    let said = line.trim_matches(drawn);
    if said.is_empty() {
        return false;
    }
    let before = line.chars().take_while(|&c| dashes(c)).count();
    let after = line.chars().rev().take_while(|&c| dashes(c)).count();
    // In languages that the lists lack, words between two long rules are enough: only mail programs write them.
    if before >= 4 && after >= 4 {
        return true;
    }
    let said = said.trim_end_matches([':', ' ', '.']);
    let phrases = || WORDS.original.iter().chain(&WORDS.forwarded);
    // Other words may follow: `----- Forwarded by Jane Doe/Sales on 1.2.2003 -----`.
    (line.starts_with(dashes) && phrases().any(|phrase| said.starts_with(phrase)))
        || (line.ends_with(':') && phrases().any(|phrase| said == *phrase))
        || (said != line && WORDS.original.contains(&said))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    From,
    Sent,
    To,
    Subject,
}

/// Returns the label at the start of a header line. It can be ambiguous: `a:` is a recipient in French and Italian.
fn label(plain: &str) -> Option<(Label, &str)> {
    let plain = plain.trim_start_matches(['_', '|', '-', '•', ' ']);
    let (name, value) = plain.split_once(':')?;
    let name = name.trim().trim_matches('_').trim();
    if name.is_empty() || name.len() > LABEL {
        return None;
    }
    Some((meaning(name)?, value))
}

fn meaning(name: &str) -> Option<Label> {
    match () {
        () if WORDS.from.contains(&name) => Some(Label::From),
        () if WORDS.sent.contains(&name) => Some(Label::Sent),
        () if WORDS.subject.contains(&name) => Some(Label::Subject),
        () if WORDS.to.contains(&name) => Some(Label::To),
        () => None,
    }
}

/// Returns whether these lines are headers in two columns, as Lotus Notes 5 writes them: the sender on the left, the
/// labels on the right.
fn are_memo_columns(lines: &[&str]) -> bool {
    let indented = |line: &&&str| line.len() - line.trim_start_matches(' ').len() >= MEMO_INDENT;
    let mut labels = lines.iter().take_while(indented).take(HEADER_LINES).filter_map(|line| column_label(line.trim()));
    labels.any(|kind| kind == Label::To) && labels.any(|kind| kind == Label::Subject)
}

/// Returns the label at the start of a line or of its second column.
fn column_label(line: &str) -> Option<Label> {
    let of = |text: &str| label(&plain(text)).map(|(kind, _)| kind);
    of(line).or_else(|| of(line.split_once("   ")?.1))
}

/// Returns whether these lines are the headers of a message, as Notes 6 and later write them: the sender, the date, and
/// labels on separate lines.
fn is_memo(lines: &[&str]) -> bool {
    let alone = |line: &&str, kind: Label| {
        line.len() <= LABEL && meaning(plain(line).trim_end_matches([':', ' '])) == Some(kind)
    };
    let Some(to) = lines.iter().take(6).skip(1).position(|line| alone(line, Label::To)) else { return false };
    let (head, below) = lines.split_at(to + 1);
    let is_sender = !head[0].trim_end().ends_with(['.', ',', '!', '?']);
    // The date is below the sender, or on the same line.
    let is_date = |line: &&str| line.chars().filter(char::is_ascii_digit).count() >= 5;
    let is_dated = head.iter().take_while(|line| !is_blank(line)).any(is_date);
    is_sender && is_dated && below.iter().take(HEADER_LINES).any(|line| alone(line, Label::Subject))
}

/// Returns whether these lines are headers: at least two different ones, including the sender or the date; a sender
/// with an address; or the recipients, the copies and the subject of a memo.
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
                // The headers of a memo are recipients, copies and a subject; the sender is above them or missing.
                if found.len() > 2 && found.starts_with(&[Label::To, Label::To]) && kind == Label::Subject {
                    return true;
                }
            }
            None => {
                folded += 1;
                // An address on a separate line belongs to the sender above it.
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

words::define! {
    static WORDS: Words = "../words/new_text.txt" {
        /// The words after `Sent from (my)`.
        devices,
        /// The beginnings of small print.
        footers,
        /// The beginnings of small print that may also begin sentences.
        notices,
        /// The beginnings of words that occur only in small print.
        legal,
        /// The greetings above a letter.
        greetings,
        /// The ends of attributions, without the colon: `wrote` in `On …, somebody wrote:`. In languages with the name
        /// after the verb (`Am … schrieb …:`), the verb may be in the middle.
        wrote,
        /// The beginnings of attributions.
        opens,
        /// The labels of the sender of a quoted message, without the colon.
        from,
        /// The labels of the date of a quoted message.
        sent,
        /// The labels of the recipients of a quoted message.
        to,
        /// The labels of the subject of a quoted message.
        subject,
        /// The words between the dashes of the separator above a quoted or forwarded message.
        original,
        /// The line above a forwarded message, without the colon.
        forwarded,
        /// The beginnings of a program's advertisement for itself: `Sent from my iPhone`.
        sent_from,
        /// The closing line above the sender's name.
        closings,
        /// The days of the week and the months, and abbreviations other than their beginnings.
        days,
    }
}
