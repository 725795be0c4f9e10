//! Finds lines that consist of a move or a one-word command, anywhere above the first quote, because people often begin
//! with a sentence. Also finds commands in quoted text. These are not executed, because they may belong to the quoted
//! message; the answer reports them to the writer.

use super::board_line::board_line;
use super::commands::{FoundLine, command_in, until_end};
use super::new_text::{is_greeting, new_text};
use super::numbered::{Boards, NumberedLine, Said, named_boards, numbered_line};
use super::phrase::{Phrase, phrase};
use super::reply_line::{ReplyLine, is_cells, is_made_of_moves, reply_line};
use crate::command::{ParsedLine, ReplyForm, is_off, typed_move};
use crate::numbers::BoardNumber;

/// The meaning of a line that consists of a move or a one-word command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BareLine {
    /// The board number on the line.
    board: Option<BoardNumber>,
    /// The verb and the move, in lower case.
    says: String,
    pub(crate) is_move: bool,
}

/// Returns the non-blank lines of the new text above the first quote, without a greeting at the top.
pub(crate) fn lines_above_quote(text: &str) -> Vec<&str> {
    let new = new_text(text);
    let (lines, _) = until_end(new.first());
    // A line below a quote may be the end of a quoted line.
    if !lines.first().is_some_and(|line| text.trim_start().starts_with(line.trim_start())) {
        return Vec::new();
    }
    let mut lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if lines.first().is_some_and(|line| is_greeting(line)) {
        lines.remove(0);
    }
    lines
}

/// Returns the meaning of a line that consists of a move or a one-word command.
pub(crate) fn bare_line(line: &str, boards: Boards<'_>) -> Option<BareLine> {
    if let Some(NumberedLine::At { board, said: Said::Reply(reply) }) = numbered_line(line, boards) {
        return Some(BareLine { board: Some(board), ..says(&reply)? });
    }
    if let Some(bare) = reply_line(line).as_ref().and_then(says) {
        return Some(bare);
    }
    let one_word = || !line.contains(char::is_whitespace) && matches!(command_in(line), Some(FoundLine::Command(_)));
    match phrase(line) {
        Phrase::Core(core) if core.number.is_none() && !core.agrees && core.words.iter().all(|word| is_cells(word)) => {
            reply_line(&core.words.join(" ")).as_ref().and_then(says)
        }
        _ => one_word().then(|| BareLine { board: None, says: line.to_lowercase(), is_move: false }),
    }
}

/// Returns whether a line is a command for a board, and not a sentence to another player. The line may begin with the
/// number of a board in `others`.
pub(crate) fn is_for_board(line: &str, others: &[BoardNumber]) -> bool {
    let boards = Boards { others, ..Boards::default() };
    let is_command = match numbered_line(line, boards) {
        Some(NumberedLine::At { said: Said::Reply(reply), .. }) => !reply.names_move(),
        Some(NumberedLine::At { said: Said::Look(_), .. }) => true,
        _ => board_line(line).is_some() || reply_line(line).is_some_and(|reply| reply.prepares()),
    };
    is_command || bare_line(line, boards).is_some()
}

/// Returns whether the first line of a text, below a greeting, or a line with a board number is a command for a board.
pub(crate) fn has_line_for_board(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_greeting(line));
    lines.enumerate().any(|(at, line)| {
        let named = named_boards(line);
        (at == 0 || !named.is_empty()) && is_for_board(line, &named)
    })
}

/// Returns the lines that consist of a move or a command; `None` if two of them contradict each other.
pub(crate) fn agreeing<'a>(lines: &[&'a str], boards: Boards<'_>) -> Option<Vec<(&'a str, BareLine)>> {
    let mut found: Vec<(&str, BareLine)> = Vec::new();
    for line in lines {
        let Some(bare) = bare_line(line, boards) else { continue };
        let for_other_board =
            |other: &BareLine| other.board.is_some() && bare.board.is_some_and(|at| other.board != Some(at));
        if found.iter().any(|(_, other)| *other != bare && !for_other_board(other)) {
            return None;
        }
        found.push((line, bare));
    }
    Some(found)
}

/// Returns a text up to the line `end`, without the lines in `dropped`.
pub(crate) fn without_lines(text: &str, dropped: &[&str]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (lines, _) = until_end(&lines);
    lines.iter().filter(|line| !dropped.contains(&line.trim())).map(|line| format!("{line}\n")).collect()
}

/// Returns the meaning of a line of a reply, if the line consists of a move or a one-word command.
pub(crate) fn says(reply: &ReplyLine) -> Option<BareLine> {
    let (name, rest) = (reply.verb.name, &reply.rest);
    let is_off = matches!(&rest[..], [word] if is_off(word));
    let is_whole = match reply.verb.reply {
        ReplyForm::Alone => rest.is_empty(),
        ReplyForm::Move | ReplyForm::MoveAfterVerb => is_made_of_moves(rest),
        ReplyForm::QueuedMove => is_off || is_made_of_moves(rest),
        ReplyForm::No | ReplyForm::Plan | ReplyForm::Text => false,
    };
    let says = || format!("{name} {}", typed_move(&rest.join(" ")).to_lowercase());
    is_whole.then(|| BareLine { board: None, says: says(), is_move: reply.is_move() })
}

/// A quoted line that would be executed if it were not quoted.
pub(crate) enum QuotedLine {
    Whole(Box<ParsedLine>),
    Reply(ReplyLine),
}

/// Returns the first whole command below the end of the new text. If there is none, returns the first line, if it is a
/// valid line of a reply to a letter. Later lines are not considered, because our own letters contain lines of moves.
pub(crate) fn line_in_cut_text(text: &str) -> Option<QuotedLine> {
    let cut = new_text(text).cut;
    let first = || cut.iter().find(|line| !line.trim().is_empty());
    cut.iter().find_map(|line| whole(line)).or_else(|| first().and_then(|line| reply(line)))
}

/// Returns the first line with a quote mark, if it would be executed without the mark.
pub(crate) fn marked_line(text: &str) -> Option<QuotedLine> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix('>'))?;
    whole(line).or_else(|| reply(line))
}

fn whole(line: &str) -> Option<QuotedLine> {
    match command_in(line.trim()) {
        Some(FoundLine::Command(line)) => Some(QuotedLine::Whole(Box::new(line))),
        _ => None,
    }
}

fn reply(line: &str) -> Option<QuotedLine> {
    reply_line(line.trim()).map(QuotedLine::Reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_one_statement_are_found() {
        for (line, says) in [
            ("f3", "move f3"),
            ("*F3*!", "move f3"),
            ("f3 f4", "move f3,f4"),
            ("I play f3", "move f3"),
            ("Resign.", "resign "),
            ("queue k4", "queue k4"),
            ("swap", "move swap"),
            ("help", "help"),
        ] {
            assert_eq!(bare_line(line, Boards::default()).unwrap_or_else(|| panic!("{line}")).says, says, "{line}");
        }
        for line in [
            "f3?", "f3 or f4", "I resign never", "note", "chat hello", "ok", "f3 is good", "if k4 then h2", "2. f3", "",
        ] {
            assert_eq!(bare_line(line, Boards::default()), None, "{line}");
        }
    }

    #[test]
    fn different_moves_for_one_board_are_ambiguous() {
        let boards = [BoardNumber(1), BoardNumber(2)];
        let found =
            |lines: &[&str]| agreeing(lines, Boards { letter: &boards, ..Boards::default() }).map(|found| found.len());
        assert_eq!(found(&["Thanks!", "f3", "See you"]), Some(1));
        assert_eq!(found(&["f3", "F3!"]), Some(2));
        assert_eq!(found(&["f3", "f4"]), None);
        assert_eq!(found(&["1 f3", "2 f3"]), Some(2));
        assert_eq!(found(&["1 f3", "1 f4"]), None);
        assert_eq!(found(&["1 f3", "f4"]), None);
    }
}
