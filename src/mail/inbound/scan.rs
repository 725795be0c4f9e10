//! Reads the first new lines of a message, up to a line that is not a command; the remaining text is the comment.

use super::new_text::{Piece, new_text};
use crate::message;
use crate::text::Message;

/// The most command lines in a message.
const MAX_COMMANDS: usize = 20;
/// After this many invalid lines, the remaining lines are not read.
const MAX_NOT_UNDERSTOOD: usize = 5;
/// The longest comment, in characters; a longer one is cut and marked.
const MAX_COMMENT: usize = 10_000;

/// The classification of a line.
pub(crate) enum ScannedLine<T> {
    /// A line that is, or was meant as, a command.
    Line(T),
    /// As `Line`; the comment begins below it.
    Last(T),
    /// The first line of the comment.
    Comment,
}

/// The classified lines of a message.
pub(crate) struct Scan<T> {
    /// The lines that are, or were meant as, commands.
    pub(crate) lines: Vec<T>,
    /// The text after them, with the greeting above them.
    pub(crate) comment: Option<String>,
    /// Why the remaining lines were not read.
    pub(crate) stopped: Option<Message>,
}

/// Reads the lines of a text, after the `lines` in its subject. `read` receives each line and the lines read above it
/// in the text. `greets` returns whether the first line may be skipped as a greeting, and `is_wrong` whether a line is
/// not a valid command.
pub(crate) fn scan<T>(
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
        // Empty lines between commands are ignored.
        if !line.trim().is_empty() {
            let (line, last) = match read(line.trim(), &scan.lines[above..]) {
                ScannedLine::Line(line) => (line, false),
                ScannedLine::Last(line) => (line, true),
                ScannedLine::Comment => break,
            };
            if let Some(why) = limit(&scan.lines, &is_wrong) {
                // The remaining lines may contain commands with passwords, so they must not become a comment.
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
    // Without a command below it, a greeting is part of the text.
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

/// Returns the closing of a piece, below an empty line.
fn closing<'a>(piece: &Piece<'a>) -> impl Iterator<Item = &'a str> {
    let gap = (!piece.closing.is_empty()).then_some("");
    gap.into_iter().chain(piece.closing.clone())
}

/// Returns the lines before `end`, and whether `end` was found.
pub(crate) fn until_end<'a, 'b>(lines: &'b [&'a str]) -> (&'b [&'a str], bool) {
    match lines.iter().position(|line| line.trim().eq_ignore_ascii_case("end")) {
        Some(at) => (&lines[..at], true),
        None => (lines, false),
    }
}

/// Returns why no further command is read, if a limit is reached.
fn limit<T>(lines: &[T], is_wrong: &impl Fn(&T) -> bool) -> Option<Message> {
    if lines.len() >= MAX_COMMANDS {
        return Some(message!("mail.too-many-commands", most = MAX_COMMANDS));
    }
    let wrong = lines.iter().filter(|line| is_wrong(line)).count();
    (wrong >= MAX_NOT_UNDERSTOOD).then(|| message!("mail.too-many-not-understood", most = MAX_NOT_UNDERSTOOD))
}

/// Returns a text as a comment; `None` if it is empty.
pub(crate) fn comment(text: &str) -> Option<String> {
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = trimmed.join("\n");
    let text = text.trim_matches('\n');
    match text.char_indices().nth(MAX_COMMENT) {
        Some((at, _)) => Some(format!("{}\n[cut]", &text[..at])),
        None => (!text.trim().is_empty()).then(|| text.to_owned()),
    }
}
