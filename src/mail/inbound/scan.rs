//! Reads the first new lines of a mail, until one is not a command; what follows is the comment.

use super::new_text::{Piece, new_text};
use crate::message;
use crate::text::Message;

/// The most command lines of a mail.
const MAX_COMMANDS: usize = 20;
/// After this many lines that were not understood, the rest is not read.
const MAX_NOT_UNDERSTOOD: usize = 5;
/// The longest comment, in characters; a longer one is cut, and says so.
const MAX_COMMENT: usize = 10_000;

/// What a line is.
pub(super) enum ScannedLine<T> {
    /// A command, or meant as one.
    Line(T),
    /// As `Line`, and the comment begins below it.
    Last(T),
    /// The first line of the comment.
    Comment,
}

/// A mail's lines as they were read.
pub(super) struct Scan<T> {
    /// The lines that are commands, or were meant as such.
    pub(super) lines: Vec<T>,
    /// The text that follows them, with the greeting above them.
    pub(super) comment: Option<String>,
    /// Why the lines after these were not read.
    pub(super) stopped: Option<Message>,
}

/// Reads the lines of a text below those `lines` that its subject holds. `read` gets each line and what was read above it
/// in the text. `greets` tells whether the first line may be skipped as a greeting, `is_wrong` whether a line was not
/// understood.
pub(super) fn scan<T>(
    text: &str,
    lines: Vec<T>,
    greets: fn(&str) -> bool,
    read: impl Fn(&str, &[T]) -> ScannedLine<T>,
    is_wrong: impl Fn(&T) -> bool,
) -> Scan<T> {
    let mut scan = Scan { lines, comment: None, stopped: None };
    let above = scan.lines.len();
    let new = new_text(text);
    let (first, ended) = until_end(new.first());
    let (greeting, mut rest) = match first {
        [line, after @ ..] if greets(line.trim()) => (Some(*line), after),
        _ => (None, first),
    };
    while let [line, after @ ..] = rest {
        // Empty lines between commands mean nothing.
        if !line.trim().is_empty() {
            let (line, last) = match read(line.trim(), &scan.lines[above..]) {
                ScannedLine::Line(line) => (line, false),
                ScannedLine::Last(line) => (line, true),
                ScannedLine::Comment => break,
            };
            if let Some(why) = limit(&scan.lines, &is_wrong) {
                // The rest may hold commands, and so passwords: it must not become a comment.
                scan.stopped = Some(why);
                return scan;
            }
            scan.lines.push(line);
            if last {
                rest = after;
                break;
            }
        }
        rest = after;
    }
    // Without a command below it, a greeting is text like any other.
    let (greeting, rest) = if scan.lines.len() == above { (None, first) } else { (greeting, rest) };
    // Text between and below quotes is never a command, because it may be an unmarked quote; but it belongs to the
    // comment.
    let mut lines = rest.to_vec();
    if let Some(piece) = new.pieces.first().filter(|_| !ended && lines.iter().any(|line| !line.trim().is_empty())) {
        lines.extend(closing(piece));
    }
    for piece in new.pieces.iter().skip(1).take_while(|_| !ended) {
        let (more, ends) = until_end(&piece.lines);
        lines.push("");
        lines.extend(more);
        if ends {
            break;
        }
        lines.extend(closing(piece));
    }
    scan.comment = comment(&lines.join("\n"));
    if let (Some(greeting), Some(comment)) = (greeting, &mut scan.comment) {
        comment.insert_str(0, &format!("{}\n", greeting.trim()));
    }
    scan
}

/// The closing of a piece, below an empty line.
fn closing<'a>(piece: &Piece<'a>) -> impl Iterator<Item = &'a str> {
    let gap = (!piece.closing.is_empty()).then_some("");
    gap.into_iter().chain(piece.closing.clone())
}

/// The lines before `end`, and whether it is there.
pub(super) fn until_end<'a, 'b>(lines: &'b [&'a str]) -> (&'b [&'a str], bool) {
    match lines.iter().position(|line| line.trim().eq_ignore_ascii_case("end")) {
        Some(at) => (&lines[..at], true),
        None => (lines, false),
    }
}

/// Why no further command is read after these.
fn limit<T>(lines: &[T], is_wrong: &impl Fn(&T) -> bool) -> Option<Message> {
    if lines.len() >= MAX_COMMANDS {
        return Some(message!("mail.too-many-commands", most = MAX_COMMANDS));
    }
    let wrong = lines.iter().filter(|line| is_wrong(line)).count();
    (wrong >= MAX_NOT_UNDERSTOOD).then(|| message!("mail.too-many-not-understood", most = MAX_NOT_UNDERSTOOD))
}

/// A text as a comment; `None` if it says nothing.
pub(super) fn comment(text: &str) -> Option<String> {
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = trimmed.join("\n");
    let text = text.trim_matches('\n');
    match text.char_indices().nth(MAX_COMMENT) {
        Some((at, _)) => Some(format!("{}\n[cut]", &text[..at])),
        None => (!text.trim().is_empty()).then(|| text.to_owned()),
    }
}
