//! Lines that begin with the number of a board, in answer to a letter about several: `1 f4`, `3 resign`.
//!
//! They stand at the head of the new text. A verb without a number below one of them is meant for the same board. What
//! follows the last of them is its comment: a numbered line further down is not run, because it may be an unmarked quote
//! of what the opponent wrote, but its writer is told.

use std::collections::BTreeSet;

use super::commands::{FoundCommands, FoundLine, MAX_COMMANDS, MAX_NOT_UNDERSTOOD, find_commands};
use super::reply::{ReplyLine, first_line, is_greeting, reply_line};
use super::reply_token::TokenHolder;
use crate::message;
use crate::numbers::BoardNumber;
use crate::text::Message;

/// A longer line that is no reply is a sentence, and begins the comment.
const MOST_WORDS: usize = 3;

/// What a line in answer to a letter about several boards asks for.
pub(super) enum NumberedLine {
    /// It is meant for this board of the letter.
    At {
        /// The board's number.
        board: BoardNumber,
        /// What it says there.
        said: Said,
        /// The text that goes with it.
        comment: Option<String>,
    },
    /// It is a move that does not say on which board.
    WithoutNumber(ReplyLine),
    /// It cannot be run.
    Wrong(Message),
}

/// What a line says at its board.
pub(super) enum Said {
    /// What a reply may say.
    Reply(ReplyLine),
    /// Something else, by its words; the parser says what is wrong with it.
    Other(Vec<String>),
}

impl Said {
    /// Returns the words of the whole command at the board that the holder speaks of.
    pub(super) fn words(&self, holder: &TokenHolder) -> Vec<String> {
        match self {
            Said::Reply(reply) => reply.words(holder),
            Said::Other(words) => {
                let (verb, rest) = words.split_first().map_or(("", words.as_slice()), |(verb, rest)| (verb, rest));
                let (game, granted) = (holder.game.as_str(), &holder.granted);
                let head = [game, verb, &granted.board.to_string(), &granted.userid, "-"].map(str::to_owned);
                head.into_iter().chain(rest.iter().cloned()).collect()
            }
        }
    }
}

/// Takes the lines at the head of the new text that belong to boards of a letter, if the first of them has a board's
/// number. Command lines below them are found anew.
pub(super) fn take_numbered_lines(
    found: &mut FoundCommands,
    text: &str,
    holder: &TokenHolder,
) -> Option<Vec<NumberedLine>> {
    let new = new_text(found, text)?;
    let greeting = first_line(&new).filter(|(line, _)| is_greeting(line));
    let mut rest = greeting.map_or(new.as_str(), |(_, rest)| rest);
    let mut taken: Vec<NumberedLine> = Vec::new();
    while let Some((line, below)) = first_line(rest)
        && let Some(next) = numbered_line(line, holder).or_else(|| unnumbered_line(line, taken.last()))
    {
        if let Some(stopped) = limit(&taken) {
            *found = FoundCommands { stopped: Some(stopped), ..FoundCommands::default() };
            return Some(taken);
        }
        taken.push(next);
        rest = below;
    }
    if taken.is_empty() {
        return None;
    }
    *found = find_commands(None, rest);
    if found.lines.is_empty()
        && let Some(below) = found.comment.take()
    {
        taken.extend(not_run(&below, holder));
        let greeting = greeting.map(|(line, _)| format!("{line}\n")).unwrap_or_default();
        let last = taken.iter_mut().rev().find_map(|line| match line {
            NumberedLine::At { comment, .. } => Some(comment),
            NumberedLine::WithoutNumber(_) | NumberedLine::Wrong(_) => None,
        });
        if let Some(comment) = last {
            let said = comment.take().map(|said| format!("{said}\n")).unwrap_or_default();
            *comment = Some(format!("{greeting}{said}{below}"));
        }
    }
    Some(taken)
}

/// The new text, unless it or the subject is a command.
fn new_text(found: &FoundCommands, text: &str) -> Option<String> {
    match found.lines.as_slice() {
        [] => found.comment.clone(),
        // A subject that somebody made of ours is no wrong command when the text says what is meant.
        [FoundLine::NotUnderstood(_)] => {
            let alone = find_commands(None, text);
            alone.comment.filter(|_| alone.lines.is_empty())
        }
        _ => None,
    }
}

/// Reads a line that begins with the number of a board.
fn numbered_line(line: &str, holder: &TokenHolder) -> Option<NumberedLine> {
    let Numbered { board, rest, dotted } = numbered(line)?;
    let reply = reply_line(rest);
    if holder.at(board).is_none() {
        // In `2. f4` the number may be that of the move.
        let wrong = reply.is_some() && holder.is_of_several() && !dotted;
        let boards = || holder.numbers().map(|number| number.to_string()).collect::<Vec<_>>();
        return wrong.then(|| NumberedLine::Wrong(message!("mail.board-not-in-letter", board, boards = boards())));
    }
    if dotted && !holder.is_of_several() {
        return None;
    }
    let words: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    let said = match reply {
        Some(reply) => Said::Reply(reply),
        None if words.len() <= MOST_WORDS => Said::Other(words),
        None => return None,
    };
    Some(at(board, said))
}

/// Reads a line without a number below another line of a reply.
fn unnumbered_line(line: &str, above: Option<&NumberedLine>) -> Option<NumberedLine> {
    let above = above?;
    let reply = reply_line(line)?;
    match above {
        NumberedLine::At { board, .. } if !reply.is_move() => Some(at(*board, Said::Reply(reply))),
        _ => Some(NumberedLine::WithoutNumber(reply)),
    }
}

fn at(board: BoardNumber, said: Said) -> NumberedLine {
    let comment = match &said {
        Said::Reply(reply) => reply.said().map(str::to_owned),
        Said::Other(_) => None,
    };
    NumberedLine::At { board, said, comment }
}

/// Tells of lines of a comment that look like lines of the reply.
fn not_run(comment: &str, holder: &TokenHolder) -> Vec<NumberedLine> {
    let lines = comment.lines().filter_map(numbered);
    let replies = lines.filter(|line| holder.at(line.board).is_some() && reply_line(line.rest).is_some());
    let boards = replies.map(|line| line.board).collect::<BTreeSet<_>>().into_iter();
    boards.map(|board| NumberedLine::Wrong(message!("mail.numbered-below-comment", board))).collect()
}

/// Why no further line is read after these.
fn limit(taken: &[NumberedLine]) -> Option<Message> {
    if taken.len() >= MAX_COMMANDS {
        return Some(message!("mail.too-many-commands", most = MAX_COMMANDS));
    }
    let wrong = taken.iter().filter(|line| !matches!(line, NumberedLine::At { said: Said::Reply(_), .. })).count();
    (wrong >= MAX_NOT_UNDERSTOOD).then(|| message!("mail.too-many-not-understood", most = MAX_NOT_UNDERSTOOD))
}

/// A line that begins with a number.
#[derive(Debug, PartialEq)]
struct Numbered<'a> {
    board: BoardNumber,
    rest: &'a str,
    /// A full stop follows the number.
    dotted: bool,
}

/// Splits a line such as `1 f4`, `1: f4`, `#1 f4` or `board 1 f4`.
fn numbered(line: &str) -> Option<Numbered<'_>> {
    let line = line.trim_end();
    let named =
        line.get(..6).filter(|word| word.eq_ignore_ascii_case("board ")).map_or(line, |word| &line[word.len()..]);
    let number = named.trim_start().trim_start_matches('#');
    let digits = number.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = number.split_at(digits);
    let dotted = rest.starts_with('.');
    let rest = rest.strip_prefix([':', ')', '.']).unwrap_or(rest);
    let board = BoardNumber(number.parse().ok()?);
    let rest = rest.strip_prefix(char::is_whitespace)?.trim();
    (!rest.is_empty()).then_some(Numbered { board, rest, dotted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_first() {
        for (line, expected) in [
            ("1 f4", Some((1, "f4", false))),
            ("12: resign", Some((12, "resign", false))),
            ("#3  f4,f5 ", Some((3, "f4,f5", false))),
            ("Board 3 chat hello", Some((3, "chat hello", false))),
            ("2. f4", Some((2, "f4", true))),
            ("2) f4", Some((2, "f4", false))),
            ("f4", None),
            ("1", None),
            ("1,5 hours", None),
            ("boards 1 f4", None),
            ("99999999999 f4", None),
            ("\u{130}\u{130}\u{130}\u{130} 1 f4", None),
            ("", None),
        ] {
            let expected = expected.map(|(board, rest, dotted)| Numbered { board: BoardNumber(board), rest, dotted });
            assert_eq!(numbered(line), expected, "{line}");
        }
    }
}
