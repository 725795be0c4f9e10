//! Which lines of a mail are commands, and which are the comment.
//!
//! The subject comes first, then the first lines of the text, until one is not a command; what follows is the comment
//! of the last command. Quoted text, a signature or `end` alone on a line ends both.

use super::new_text::new_text;
use crate::command::{self, ParseError, ParsedLine};
use crate::message;
use crate::text::Message;

/// The most command lines of a mail.
pub(super) const MAX_COMMANDS: usize = 20;
/// After this many lines that were not understood, the rest is not read.
pub(super) const MAX_NOT_UNDERSTOOD: usize = 5;
/// A longer line, in octets, is not a command, not even a mistyped one; the longest command is far shorter.
const MAX_LINE: usize = 50_000;
/// The longest comment, in characters; a longer one is cut, and says so.
const MAX_COMMENT: usize = 10_000;

/// The prefixes that mail programs put before the subject of a reply.
const REPLIES: &[&str] = &[
    "re",
    "aw",
    "sv",
    "antw",
    "ref",
    "réf",
    "odp",
    "r",
    "rif",
    "res",
    "ynt",
    "vá",
    "bls",
    "atb",
    "отв",
    "ответ",
    "від",
    "σχετ",
    "回复",
    "答复",
    "回覆",
    "返信",
    "답장",
    "rép",
    "rsp",
    "resp",
    "ha",
    "sv/re",
];
/// The prefixes of a forwarded mail. `VS` is a reply in Finnish and a forwarded mail in Danish and Norwegian: the
/// careful reading counts.
const FORWARDS: &[&str] = &[
    "fw",
    "fwd",
    "wg",
    "tr",
    "rv",
    "vb",
    "vs",
    "vl",
    "doorst",
    "enc",
    "i",
    "pd",
    "ilt",
    "i̇lt",
    "trs",
    "fs",
    "továbbítás",
    "tov",
    "пересл",
    "переслать",
    "转发",
    "轉寄",
    "转寄",
    "転送",
    "전달",
    "προ",
    "pret",
    "reenv",
    "transf",
];

/// What our own letters put before a subject.
const OWN: &[&str] = &["reminder", "over"];

/// The commands of a mail and its comment.
#[derive(Debug, Default)]
pub struct FoundCommands {
    /// The command lines, in order.
    pub lines: Vec<FoundLine>,
    /// The text that follows them; it belongs to the last command.
    pub comment: Option<String>,
    /// Why the lines after these were not read.
    pub stopped: Option<Message>,
}

/// A line that is a command, or was meant as one.
#[derive(Debug)]
pub enum FoundLine {
    /// A command that was understood.
    Command(ParsedLine),
    /// A line that begins as a command and is not one.
    NotUnderstood(ParseError),
}

impl FoundCommands {
    /// Whether there is a command that was understood.
    pub fn has_command(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, FoundLine::Command(_)))
    }
}

/// Finds the commands of a mail and its comment.
pub fn find_commands(subject: Option<&str>, text: &str) -> FoundCommands {
    let mut found = FoundCommands::default();
    if let Some(line) = subject.and_then(subject_line)
        && let Some(command) = command_in(line)
    {
        found.lines.push(command);
    }
    let new = new_text(text);
    let (first, ended) = until_end(new.first());
    let mut rest = first;
    while let [line, after @ ..] = rest {
        // Empty lines between commands mean nothing.
        if !line.trim().is_empty() {
            let Some(command) = command_in(line.trim()) else { break };
            if let Some(why) = limit(&found) {
                // The rest may hold commands, and so passwords: it must not become a comment.
                found.stopped = Some(why);
                return found;
            }
            found.lines.push(command);
        }
        rest = after;
    }
    // Text between and below quotes is never a command, because it may be an unmarked quote; but it belongs to the
    // comment.
    let mut lines = rest.to_vec();
    for piece in new.pieces.iter().skip(1).take_while(|_| !ended) {
        let (more, ends) = until_end(&piece.lines);
        lines.push("");
        lines.extend(more);
        if ends {
            break;
        }
    }
    found.comment = comment(&lines);
    found
}

/// The lines before `end`, and whether it is there.
fn until_end<'a, 'b>(lines: &'b [&'a str]) -> (&'b [&'a str], bool) {
    match lines.iter().position(|line| line.trim().eq_ignore_ascii_case("end")) {
        Some(at) => (&lines[..at], true),
        None => (lines, false),
    }
}

/// Why no further command is read after these.
fn limit(found: &FoundCommands) -> Option<Message> {
    if found.lines.len() >= MAX_COMMANDS {
        return Some(message!("mail.too-many-commands", most = MAX_COMMANDS));
    }
    let wrong = found.lines.iter().filter(|line| matches!(line, FoundLine::NotUnderstood(_))).count();
    (wrong >= MAX_NOT_UNDERSTOOD).then(|| message!("mail.too-many-not-understood", most = MAX_NOT_UNDERSTOOD))
}

fn command_in(line: &str) -> Option<FoundLine> {
    // Parsing it would cost more memory than the mail has.
    if line.len() > MAX_LINE {
        return None;
    }
    // A sentence may happen to read as a command: "Show me the board".
    if !command::begins_command(line) {
        return None;
    }
    match command::parse(line) {
        Ok(line) => Some(FoundLine::Command(line)),
        Err(error) if error.is_command => Some(FoundLine::NotUnderstood(error)),
        Err(_) => None,
    }
}

/// The part of a subject that may be a command: without `Re:`, and nothing of a forwarded mail's.
fn subject_line(subject: &str) -> Option<&str> {
    let mut line = subject.trim();
    while let Some((prefix, rest)) = line.split_once([':', '：']) {
        let word = prefix.split(['[', '(', '^']).next().unwrap_or_default().trim().to_lowercase();
        match () {
            () if REPLIES.contains(&word.as_str()) || OWN.contains(&word.as_str()) => line = rest.trim_start(),
            // A forwarded mail's subject is not what its sender wrote.
            () if FORWARDS.contains(&word.as_str()) => return None,
            () => break,
        }
    }
    let mut words = line.split_whitespace();
    // The subject of our letters is a command without its end; `**` at the very end means that nothing was added.
    if words.clone().next_back() == Some("**") {
        return None;
    }
    if words.next().is_some_and(|word| word.eq_ignore_ascii_case("turnpost"))
        && words.next().is_some_and(|word| word.eq_ignore_ascii_case("confirm"))
    {
        line = line.split_once(char::is_whitespace).map_or(line, |(_, rest)| rest.trim_start());
    }
    (!line.is_empty()).then_some(line)
}

fn comment(lines: &[&str]) -> Option<String> {
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let text = trimmed.join("\n");
    let text = text.trim_matches('\n');
    match text.char_indices().nth(MAX_COMMENT) {
        Some((at, _)) => Some(format!("{}\n[cut]", &text[..at])),
        None => (!text.trim().is_empty()).then(|| text.to_owned()),
    }
}
