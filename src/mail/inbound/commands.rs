//! Separates the commands of a message from its comment.
//!
//! The subject is read first, then the text. A greeting at the start of the text is skipped. The commands end at the
//! first line that is not a command. The remaining text is the comment of the last command. No commands are read below
//! the first quote, but the comment includes new text below it. A line `end` ends the commands and the comment.
//! Signatures are ignored.

use super::new_text::{Piece, is_greeting, new_text};
use super::plan_lines::with_whole_plans;
use super::reply_line::{Audience, may_be_private};
use crate::command::{self, AccountAction, BoardAction, Command, GameCommand, ParseError, ParsedLine};
use crate::message;
use crate::rules::catalogue::GAMES;
use crate::text::Message;

/// The longest line, in octets, to parse. Every command is far shorter.
const MAX_LINE: usize = 50_000;
/// The prefixes with which mail programs mark the subject of a reply.
const REPLIES: &[&str] = &[
    "re", "aw", "sv", "antw", "ref", "réf", "odp", "r", "rif", "res", "ynt", "vá", "bls", "atb", "отв", "ответ", "від",
    "σχετ", "回复", "答复", "回覆", "返信", "답장", "rép", "rsp", "resp", "ha", "sv/re",
];
/// The prefixes with which mail programs mark a forwarded message. `VS` marks a reply in Finnish, but a forwarded
/// message in Danish and Norwegian: a message with `VS` is treated as forwarded, so that its subject is not executed.
const FORWARDS: &[&str] = &[
    "fw", "fwd", "wg", "tr", "rv", "vb", "vs", "vl", "doorst", "enc", "i", "pd", "ilt", "i̇lt", "trs", "fs",
    "továbbítás", "tov", "пересл", "переслать", "转发", "轉寄", "转寄", "転送", "전달", "προ", "pret", "reenv",
    "transf",
];
/// The prefixes of our own letters' subjects.
const OWN: &[&str] = &["reminder", "over"];
/// The start of the subject of a letter that asks for confirmation of an address.
const QUESTION: &str = "confirm your address for ";
/// The maximum number of command lines in a message.
const MAX_COMMANDS: usize = 20;
/// The maximum number of invalid lines in a message. If another command line follows, the remaining lines are not read.
const MAX_NOT_UNDERSTOOD: usize = 5;
/// The longest comment, in characters; a longer comment is cut, and the cut is marked.
const MAX_COMMENT: usize = 10_000;

/// The commands of a message and its comment.
#[derive(Clone, Debug, Default)]
pub struct FoundCommands {
    /// The command lines, in order.
    pub lines: Vec<FoundLine>,
    /// The text after the commands, which belongs to the last command.
    pub comment: Option<String>,
    /// Why the remaining lines were not read.
    pub stopped: Option<Message>,
    /// A comment that is not sent to other players, because it may be private.
    pub held: Option<String>,
}

/// A command line, valid or mistyped.
#[derive(Clone, Debug)]
pub enum FoundLine {
    /// A valid command.
    Command(ParsedLine),
    /// A line that begins like a command but is not valid.
    NotUnderstood(ParseError),
}

impl FoundCommands {
    /// Returns whether a valid command was found.
    pub fn has_command(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, FoundLine::Command(_)))
    }

    /// Returns whether a line is clearly meant as a command: it is valid or begins with the name of a command.
    pub(crate) fn asks_for_something(&self) -> bool {
        self.lines.iter().any(|line| match line {
            FoundLine::Command(_) => true,
            FoundLine::NotUnderstood(error) => command::begins_with_command_word(&error.line),
        })
    }
}

/// Finds the commands of a message and its comment.
pub fn find_commands(subject: Option<&str>, text: &str) -> FoundCommands {
    let above: Vec<FoundLine> = subject.and_then(subject_command).into_iter().collect();
    let in_text_only = above.is_empty();
    let read = |line: &str, above: &[FoundLine]| {
        let is_first = in_text_only && above.is_empty();
        let found = if is_first { command_in(line) } else { command_below(line) };
        found.map_or(ScannedLine::Comment, ScannedLine::Line)
    };
    let text = with_whole_plans(text);
    let Scan { lines, mut comment, stopped } = scan(&text, above, may_greet_the_server, read, FoundLine::is_wrong);
    let held = match lines.last() {
        Some(last) => comment.take_if(|text| may_be_private(text, last.audience())),
        None => None,
    };
    FoundCommands { lines, comment, stopped, held }
}

impl FoundLine {
    /// Returns whether the line is not a valid command.
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self, FoundLine::NotUnderstood(_))
    }

    /// Returns whether text below the line may belong to it.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            FoundLine::Command(ParsedLine { command, .. }) => match command {
                Command::Game { command, .. } => {
                    matches!(command, GameCommand::AtBoard { .. } | GameCommand::Challenge { .. })
                }
                Command::Account { action, .. } => matches!(
                    action,
                    AccountAction::Message(_)
                        | AccountAction::Broadcast
                        | AccountAction::Report(_)
                        | AccountAction::ChallengeInEvent { .. }
                ),
                _ => false,
            },
            FoundLine::NotUnderstood(_) => true,
        }
    }

    /// Returns whether the line blocks or unblocks a player.
    pub(crate) fn blocks(&self) -> bool {
        let FoundLine::Command(ParsedLine { command: Command::Account { action, .. }, .. }) = self else {
            return false;
        };
        matches!(action, AccountAction::Block(_) | AccountAction::Unblock(_))
    }

    /// Returns who reads the comment below the line.
    pub(crate) fn audience(&self) -> Audience {
        match self {
            FoundLine::Command(ParsedLine { command: Command::Game { command, .. }, .. }) => match command {
                GameCommand::AtBoard { action: BoardAction::Note, .. } => Audience::Writer,
                GameCommand::AtBoard { action: BoardAction::Chat, .. } => Audience::Addressed,
                _ => Audience::Players,
            },
            FoundLine::Command(_) => Audience::Addressed,
            FoundLine::NotUnderstood(_) => Audience::Writer,
        }
    }
}

/// Reads a subject as a command.
pub(crate) fn subject_command(subject: &str) -> Option<FoundLine> {
    let line = subject_line(subject)?;
    // The subjects of our letters begin with a game's title, which may have several words.
    let titled = GAMES.iter().find_map(|game| {
        let (title, rest) = line.split_at_checked(game.title().len())?;
        (title.eq_ignore_ascii_case(game.title()) && rest.starts_with(' ')).then(|| format!("{}{rest}", game.name()))
    });
    command_in(titled.as_deref().unwrap_or(line))
}

/// Reads a line as a whole command, valid or mistyped.
pub(crate) fn command_in(line: &str) -> Option<FoundLine> {
    // The parser uses several times the memory of a line.
    if line.len() > MAX_LINE {
        return None;
    }
    // A sentence may happen to be a valid command: "Show me the board".
    if !command::begins_command(line) {
        return None;
    }
    match command::parse(line) {
        Ok(line) => Some(FoundLine::Command(line)),
        Err(error) if error.is_command => Some(FoundLine::NotUnderstood(error)),
        Err(_) => None,
    }
}

/// Reads a line below a command as another command. Ignores mistyped commands that begin with the name of a game,
/// because they may be comments: "Hex rocks".
pub(crate) fn command_below(line: &str) -> Option<FoundLine> {
    command_in(line).filter(|found| !found.is_wrong() || !command::is_about_game(line))
}

/// Returns the text that a sender added after the final `**` of one of our letters' subjects.
pub(crate) fn added_to_subject(subject: &str) -> Option<&str> {
    let (_, added) = own_subject(subject)?.rsplit_once("**")?;
    Some(added.trim()).filter(|added| !added.is_empty())
}

/// Returns a subject without `Re:` and similar prefixes; `None` for a forwarded message, whose subject its sender did
/// not write.
pub(crate) fn own_subject(subject: &str) -> Option<&str> {
    let mut line = subject.trim();
    while let Some((prefix, rest)) = line.split_once([':', '：']) {
        let word = prefix.split(['[', '(', '^']).next().unwrap_or_default().trim().to_lowercase();
        match () {
            () if REPLIES.contains(&word.as_str()) || OWN.contains(&word.as_str()) => line = rest.trim_start(),
            () if FORWARDS.contains(&word.as_str()) => return None,
            () => break,
        }
    }
    Some(line)
}

/// Returns the part of a subject that may be a command.
fn subject_line(subject: &str) -> Option<&str> {
    let line = own_subject(subject)?;
    // The subject of our letters is an incomplete command that ends in `**`. If nothing follows, the sender added
    // nothing.
    let added_nothing =
        line.split_whitespace().next_back() == Some("**") || is_our_question(line) || names_board_of_letter(line);
    (!line.is_empty() && !added_nothing).then_some(line)
}

/// Returns whether a subject without `Re:` belongs to a letter about an event or several matters, and names a board:
/// `Turnpost: board 12`, `june; board 12`, `june (board 12)`. `board` is also a verb, and `june` may be called `hex`.
fn names_board_of_letter(own_subject: &str) -> bool {
    let mut words = own_subject.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let is_prefix = first.eq_ignore_ascii_case("turnpost:") || first.ends_with(';');
    second.starts_with("(board") || (is_prefix && second.eq_ignore_ascii_case("board"))
}

/// Returns whether a subject without `Re:` belongs to a letter that asks for confirmation of an address.
pub(crate) fn is_our_question(own_subject: &str) -> bool {
    own_subject.get(..QUESTION.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(QUESTION))
}

/// Returns the userid and the code in the subject of a confirmation letter that an earlier version of this program
/// sent.
pub(crate) fn earlier_question(subject: &str) -> Option<(&str, &str)> {
    let mut words = own_subject(subject)?.split_whitespace();
    let mut is = |wanted: &str| words.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    if !(is("turnpost") && is("confirm")) {
        return None;
    }
    match (words.next(), words.next(), words.next()) {
        (Some(userid), Some(code), None) => Some((userid, code)),
        _ => None,
    }
}

/// The classification of a line.
pub(crate) enum ScannedLine<T> {
    /// A command line, valid or mistyped.
    Line(T),
    /// The last command line; the comment begins below it.
    Last(T),
    /// The first line of the comment.
    Comment,
}

/// The classified lines of a message.
pub(crate) struct Scan<T> {
    /// The command lines, valid or mistyped.
    pub(crate) lines: Vec<T>,
    /// The text after the command lines, with the greeting above them.
    pub(crate) comment: Option<String>,
    /// Why the remaining lines were not read.
    pub(crate) stopped: Option<Message>,
}

/// Reads the lines of a text; `lines` are those already read from the subject. `read` receives each line and the lines
/// read above it in the text. `greets` returns whether the first line may be skipped as a greeting, and `is_wrong`
/// whether a line is not a valid command.
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
    // Text between and below quotes is never read as a command, because it may be an unmarked quote. It belongs to the
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

/// Returns the words that close a piece of new text, such as "Best wishes", with an empty line above them.
fn closing<'a>(piece: &Piece<'a>) -> impl Iterator<Item = &'a str> {
    let gap = (!piece.closing.is_empty()).then_some("");
    gap.into_iter().chain(piece.closing.clone())
}

/// Returns the lines above a line `end`, and whether there is such a line.
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

/// Removes blank lines around a comment and shortens it to [`MAX_COMMENT`] characters; returns `None` if it is empty.
pub(crate) fn comment(text: &str) -> Option<String> {
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = trimmed.join("\n");
    let text = text.trim_matches('\n');
    match text.char_indices().nth(MAX_COMMENT) {
        Some((at, _)) => Some(format!("{}\n[cut]", &text[..at])),
        None => (!text.trim().is_empty()).then(|| text.to_owned()),
    }
}

/// Returns whether a line above a command may be a greeting to the server. "Hi there!" begins letters to people, and
/// may be part of an unmarked quote.
fn may_greet_the_server(line: &str) -> bool {
    let to_people = line.split_whitespace().nth(1).is_some_and(|word| word.to_lowercase().starts_with("there"));
    is_greeting(line) && !to_people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_to_people_does_not_address_the_server() {
        assert!(may_greet_the_server("Hello server,") && !may_greet_the_server("Hi there!"));
    }
}
