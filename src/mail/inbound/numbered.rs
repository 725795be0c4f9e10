//! Reads lines of a reply that begin with a board number, for letters about several boards: `1 f4`, `3 resign`.

use std::collections::{BTreeMap, BTreeSet};

use super::board_line::{BoardLine, board_line};
use super::reply_line::{ReplyLine, begins_with_move, reply_line};
use super::reply_token::BoardReply;
use crate::command::{self, ReplyForm};
use crate::message;
use crate::numbers::BoardNumber;
use crate::text::Message;

/// The maximum number of words after a board number, unless they are a valid reply. A longer line is a sentence, and
/// begins the comment.
const MOST_WORDS: usize = 3;

/// A line with a board number, before a reply or after its verb.
#[derive(Clone)]
pub(crate) enum NumberedLine {
    /// The line is meant for this board.
    At {
        board: BoardNumber,
        /// The line without the board number.
        said: Said,
    },
    /// The line is not executed, for this reason.
    Wrong(Message),
}

/// A line without its board number.
#[derive(Clone)]
pub(crate) enum Said {
    /// A valid line of a reply.
    Reply(ReplyLine),
    /// A line that shows the board or its game, or chooses the letters about them.
    Look(BoardLine),
    /// Words that are not a valid line of a reply. The command parser reports the error.
    Other(Vec<String>),
}

impl Said {
    /// Returns the text as a line of a reply, if it is valid.
    pub(crate) fn reply(&self) -> Option<&ReplyLine> {
        match self {
            Said::Reply(reply) => Some(reply),
            Said::Look(_) | Said::Other(_) => None,
        }
    }

    /// Returns the complete command for a line that lacks only the name of the game: `chat 1 alice PASSWORD`. If the
    /// words after the board number were read as a comment, the password would be sent to other players.
    pub(crate) fn with_password(&self, answered: &BoardReply) -> Option<Vec<String>> {
        let reply = self.reply()?;
        let said: Vec<&str> = reply.said.as_deref()?.split_whitespace().collect();
        let granted = &answered.granted;
        let head = [answered.game.as_str(), reply.verb.name, &granted.board.to_string()].map(str::to_owned);
        let is_whole = said.len() > 1 && said[0].eq_ignore_ascii_case(&granted.userid);
        is_whole.then(|| head.into_iter().chain(said.into_iter().map(str::to_owned)).collect())
    }

    /// Returns the words of the complete command for the board to which the reply refers.
    pub(crate) fn words(&self, answered: &BoardReply) -> Vec<String> {
        match self {
            Said::Reply(reply) => self.with_password(answered).unwrap_or_else(|| reply.words(answered)),
            Said::Look(line) => line.words(answered),
            Said::Other(words) => {
                let (verb, rest) = words.split_first().map_or(("", words.as_slice()), |(verb, rest)| (verb, rest));
                let (game, granted) = (answered.game.as_str(), &answered.granted);
                let head = [game, verb, &granted.board.to_string(), &granted.userid, "-"].map(str::to_owned);
                head.into_iter().chain(rest.iter().cloned()).collect()
            }
        }
    }
}

/// The maximum number of board numbers to read in a text.
const MOST_NAMED: usize = 20;

/// Reads the text after a board number: a valid line of a reply, or a move with other words after it.
fn reply(text: &str) -> Option<Said> {
    let look = board_line(text).map(Said::Look);
    look.or_else(|| reply_line(text).or_else(|| begins_with_move(text)).map(Said::Reply))
}

/// Returns the board numbers before and after the verbs and moves of a text's lines. Ignores a number after `chat` or
/// `note`, which may begin the text.
pub(crate) fn named_boards(text: &str) -> Vec<BoardNumber> {
    let before = |line: &str| {
        let numbered = numbered(line).filter(|line| !line.dotted)?;
        reply(numbered.rest).map(|_| numbered.board)
    };
    let behind = |line: &str| {
        let (board, reply) = number_behind_verb(line)?;
        (reply.verb.reply != ReplyForm::Text).then_some(board)
    };
    let named = text.lines().map(str::trim).filter_map(|line| before(line).or_else(|| behind(line)));
    named.collect::<BTreeSet<_>>().into_iter().take(MOST_NAMED).collect()
}

/// The boards whose numbers may begin a line.
#[derive(Clone, Copy, Default)]
pub(crate) struct Boards<'a> {
    pub(crate) letter: &'a [BoardNumber],
    /// The reader's other boards. The text after their numbers must be a reply.
    pub(crate) others: &'a [BoardNumber],
    /// The reader's boards that the reply cannot name, because its sender's address is not confirmed or not verified.
    pub(crate) denied: &'a [BoardNumber],
    /// Whether the letter is about several boards, or the reply names several.
    pub(crate) several: bool,
}

impl Boards<'_> {
    fn contains(&self, board: BoardNumber) -> bool {
        self.letter.contains(&board) || self.others.contains(&board)
    }
}

/// Returns the reason to reject a line that names a board in `Boards::denied`.
pub(crate) fn not_by_this_sender(board: BoardNumber) -> Message {
    message!("mail.board-not-by-this-sender", board)
}

/// Reads a line with a board number, before a reply or after its verb.
pub(crate) fn numbered_line(line: &str, boards: Boards<'_>) -> Option<NumberedLine> {
    behind_verb(line, boards).or_else(|| before_reply(line, boards))
}

/// Splits a line such as `resign 1` or `chat 1 hello` into the board number and the reply without this number.
fn number_behind_verb(line: &str) -> Option<(BoardNumber, ReplyLine)> {
    let (verb, rest) = line.trim().split_once(char::is_whitespace)?;
    command::board_verb(verb)?;
    let (number, rest) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let number = number.trim_start_matches(['#', '<']).trim_end_matches([':', ',', '.', '>']);
    let board = BoardNumber(number.parse().ok()?);
    Some((board, reply_line(&format!("{verb} {rest}"))?))
}

/// Reads a line such as `resign 1` or `chat 1 hello`.
fn behind_verb(line: &str, boards: Boards<'_>) -> Option<NumberedLine> {
    let letter = boards.letter;
    let (board, reply) = number_behind_verb(line)?;
    match boards.contains(board) {
        true => Some(NumberedLine::At { board, said: Said::Reply(reply) }),
        // The text of a chat or note may begin with a number.
        false if reply.verb.reply == ReplyForm::Text || letter.is_empty() => None,
        false if boards.denied.contains(&board) => Some(NumberedLine::Wrong(not_by_this_sender(board))),
        false => {
            let boards = letter.iter().map(ToString::to_string).collect::<Vec<_>>();
            Some(NumberedLine::Wrong(message!("mail.board-not-in-letter", board, boards)))
        }
    }
}

/// Reads a line such as `1 resign`.
fn before_reply(line: &str, boards: Boards<'_>) -> Option<NumberedLine> {
    let Boards { letter: boards, others, denied, several } = boards;
    let Numbered { board, rest, dotted } = numbered(line)?;
    if others.contains(&board) && !dotted {
        return reply(rest).map(|said| NumberedLine::At { board, said });
    }
    let reply = reply(rest);
    if denied.contains(&board) && !dotted {
        return reply.map(|_| NumberedLine::Wrong(not_by_this_sender(board)));
    }
    if !boards.contains(&board) {
        // The number in `2. f4` may be a move number.
        let wrong = reply.is_some() && several && !dotted;
        let boards = || boards.iter().map(ToString::to_string).collect::<Vec<_>>();
        return wrong.then(|| NumberedLine::Wrong(message!("mail.board-not-in-letter", board, boards = boards())));
    }
    if dotted && boards.len() < 2 {
        return None;
    }
    let words: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    let said = match reply {
        Some(said) => said,
        None if words.len() <= MOST_WORDS => Said::Other(words),
        None => return None,
    };
    Some(NumberedLine::At { board, said })
}

/// Reports lines of a comment that look like lines of a reply, each with the text below it. Returns the comment above
/// them. These lines are not executed, because they may be an unmarked quote of the opponent's text. The text below them
/// is not sent, because it may be meant for another board's opponent.
pub(crate) fn not_run(comment: &str, boards: Boards<'_>) -> (Vec<(NumberedLine, Option<String>)>, String) {
    let board_of = |line: &str| {
        let before = numbered(line).filter(|line| reply(line.rest).is_some()).map(|line| line.board);
        let board = before.or_else(|| number_behind_verb(line).map(|(board, _)| board));
        board.filter(|board| boards.contains(*board))
    };
    let (mut above, mut below) = (String::new(), BTreeMap::<BoardNumber, String>::new());
    let mut last = None;
    for line in comment.lines() {
        let named = board_of(line);
        last = named.or(last);
        let text = match last {
            Some(board) => below.entry(board).or_default(),
            None => &mut above,
        };
        if named.is_none() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let wrong = below.into_iter().map(|(board, text)| {
        let text = text.trim_matches('\n');
        let text = (!text.is_empty()).then(|| text.to_owned());
        (NumberedLine::Wrong(message!("mail.numbered-below-comment", board)), text)
    });
    (wrong.collect(), above)
}

/// A line that begins with a number.
#[derive(Debug, PartialEq)]
struct Numbered<'a> {
    board: BoardNumber,
    rest: &'a str,
    /// Whether a full stop follows the number.
    dotted: bool,
}

/// Splits a line such as `1 f4`, `1: f4`, `#1 f4`, `<1> f4` or `board 1 f4`.
fn numbered(line: &str) -> Option<Numbered<'_>> {
    let line = line.trim_end();
    let named =
        line.get(..6).filter(|word| word.eq_ignore_ascii_case("board ")).map_or(line, |word| &line[word.len()..]);
    let number = named.trim_start().trim_start_matches(['#', '<']);
    let digits = number.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = number.split_at(digits);
    let dotted = rest.starts_with('.');
    let rest = rest.strip_prefix([':', ')', '.', ',', '>']).unwrap_or(rest);
    let board = BoardNumber(number.parse().ok()?);
    let rest = rest.strip_prefix(char::is_whitespace)?.trim();
    (!rest.is_empty()).then_some(Numbered { board, rest, dotted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_numbers_begin_a_line() {
        for (line, expected) in [
            ("1 f4", Some((1, "f4", false))),
            ("12: resign", Some((12, "resign", false))),
            ("#3  f4,f5 ", Some((3, "f4,f5", false))),
            ("Board 3 chat hello", Some((3, "chat hello", false))),
            ("2. f4", Some((2, "f4", true))),
            ("2) f4", Some((2, "f4", false))),
            ("2, f4", Some((2, "f4", false))),
            ("<2> f4", Some((2, "f4", false))),
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
