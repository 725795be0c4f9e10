//! Answers to letters: what the first new line says, without saying where.

use super::commands::{FoundCommands, FoundLine, find_commands};
use super::reply_token::TokenHolder;
use crate::command::{self, ReplyForm, VerbSpec};
use crate::rules::{Notation, catalogue};
use crate::service::TokenGrant;

/// A longer word is not a move.
const LONGEST_MOVE: usize = 40;

/// A line in answer to a letter that leaves out what the letter says: game, board, userid and password.
pub(super) struct ReplyLine {
    verb: &'static VerbSpec,
    /// What stands behind the password.
    rest: Vec<String>,
    /// The text on the line itself, for the others or for a note.
    said: Option<String>,
}

impl ReplyLine {
    /// Whether it is a move.
    pub(super) fn is_move(&self) -> bool {
        self.verb.reply == ReplyForm::Move
    }

    /// Returns the words of the whole command.
    pub(super) fn words(&self, holder: &TokenHolder) -> Vec<String> {
        let TokenGrant { userid, board, .. } = &holder.granted;
        let head = [holder.game.as_str(), self.verb.name, &board.to_string(), userid, "-"].map(str::to_owned);
        head.into_iter().chain(self.rest.iter().cloned()).collect()
    }
}

/// Takes the first new line out of what was found, if it is no command and can be meant for the board of the letter;
/// returns it and its comment. Well-formed lines after it that prepare replies are taken as well, because an opponent
/// must not see them. Command lines after those are found anew, and the comment then belongs to the last one.
pub(super) fn take_reply_lines(
    found: &mut FoundCommands,
    text: &str,
    holder: Option<&TokenHolder>,
) -> Option<(Vec<ReplyLine>, Option<String>)> {
    // A subject that somebody made of ours ("Re: Marque") is no wrong command when the text says what is meant.
    if let [FoundLine::NotUnderstood(_)] = found.lines.as_slice() {
        let mut alone = find_commands(None, text);
        let taken = if alone.lines.is_empty() { take_reply_lines(&mut alone, text, holder) } else { None };
        if taken.is_some() {
            *found = alone;
            return taken;
        }
    }
    // `confirm` is also a command of the server, which takes a userid and a code.
    if let Some(FoundLine::NotUnderstood(error)) = found.lines.first()
        && let Some(alone) = reply_line(&error.line).filter(|reply| reply.verb.reply == ReplyForm::Alone)
    {
        found.lines.remove(0);
        let comment = if found.lines.is_empty() { found.comment.take() } else { None };
        return Some((vec![alone], comment));
    }
    if !found.lines.is_empty() {
        return None;
    }
    let new = found.comment.take()?;
    let greeting = first_line(&new).filter(|(line, _)| is_greeting(line));
    let begun = greeting.map_or(new.as_str(), |(_, rest)| rest);
    let Some((first, mut rest)) = first_line(begun).and_then(|(line, rest)| Some((reply_line(line)?, rest))) else {
        found.comment = Some(new);
        return None;
    };
    let said = first.said.clone();
    let mut taken = vec![first];
    while let (Some(holder), Some((line, below))) = (holder, first_line(rest))
        && let Some(next) =
            reply_line(line).filter(|next| matches!(next.verb.reply, ReplyForm::QueuedMove | ReplyForm::Plan))
        && command::parse_words(&next.words(holder)).is_ok()
    {
        taken.push(next);
        rest = below;
    }
    *found = find_commands(None, rest);
    let below = if found.lines.is_empty() { found.comment.take() } else { None };
    let below = match (greeting, below) {
        (Some((greeting, _)), Some(below)) => Some(format!("{greeting}\n{below}")),
        (_, below) => below,
    };
    let comment = match (said, below) {
        (Some(said), Some(below)) => Some(format!("{said}\n{below}")),
        (said, below) => said.or(below),
    };
    Some((taken, comment))
}

/// "Hi Bob," above a move, in the languages that the finder of new text knows best.
fn is_greeting(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "hi",
        "hello",
        "hey",
        "dear",
        "hallo",
        "moin",
        "servus",
        "liebe",
        "lieber",
        "salut",
        "bonjour",
        "cher",
        "chère",
        "hola",
        "querido",
        "querida",
        "olá",
        "ciao",
        "caro",
        "cara",
        "beste",
        "hoi",
        "hej",
        "hei",
        "moi",
        "cześć",
        "ahoj",
        "привет",
        "привіт",
        "merhaba",
        "こんにちは",
        "你好",
        "안녕하세요",
    ];
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().map(|word| word.trim_end_matches([',', '!', '.', ':']).to_lowercase());
    let ends = line.ends_with([',', '!', '.', ':']) || words.len() == 1;
    words.len() <= 4 && ends && first.is_some_and(|first| WORDS.contains(&first.as_str()))
}

/// The first line that is not empty, and what follows it.
fn first_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    Some((line.trim(), rest)).filter(|(line, _)| !line.is_empty())
}

/// Reads a line without game, board, userid and password: a verb with what follows it, or a move alone. `None` for the
/// line of a letter.
fn reply_line(line: &str) -> Option<ReplyLine> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, rest) = words.split_first()?;
    let (word, colon) = first.strip_suffix(':').map_or((*first, false), |word| (word, true));
    match command::board_verb(word) {
        Some(verb) => after_verb(verb, colon, rest),
        // A move needs no verb.
        None if moves(&words) || (rest.is_empty() && catalogue::is_move_word(first)) => {
            let verb = command::verbs().find(|spec| spec.reply == ReplyForm::Move)?;
            Some(ReplyLine { verb, rest: owned(&words), said: None })
        }
        None => None,
    }
}

/// Reads what follows a verb, and perhaps a colon.
fn after_verb(verb: &'static VerbSpec, colon: bool, rest: &[&str]) -> Option<ReplyLine> {
    let reply = |rest| Some(ReplyLine { verb, rest, said: None });
    let is_off = matches!(rest, [word] if command::is_off(word));
    match verb.reply {
        ReplyForm::Text if colon || !is_sentence(rest) => {
            let said = Some(rest.join(" ")).filter(|said| !said.is_empty());
            Some(ReplyLine { verb, rest: Vec::new(), said })
        }
        _ if colon => None,
        ReplyForm::Alone if rest.is_empty() => reply(Vec::new()),
        ReplyForm::Move | ReplyForm::MoveAfterVerb if moves(rest) => reply(owned(rest)),
        ReplyForm::QueuedMove if is_off || moves(rest) => reply(owned(rest)),
        ReplyForm::Plan if is_off || rest.first().is_some_and(|word| is_condition(word)) => {
            reply(owned(rest).into_iter().map(|word| word.replace('"', "")).collect())
        }
        ReplyForm::No
        | ReplyForm::Text
        | ReplyForm::Alone
        | ReplyForm::Move
        | ReplyForm::MoveAfterVerb
        | ReplyForm::QueuedMove
        | ReplyForm::Plan => None,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Tells whether a plan begins with this word; "If you like" begins a letter.
fn is_condition(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || catalogue::is_move_word(word)
}

/// Tells whether a sentence follows the verb: "Note that …", "Chat with you later".
fn is_sentence(rest: &[&str]) -> bool {
    const ON: &[&str] = &["that", "to", "with", "how", "later", "soon", "you"];
    rest.first().is_some_and(|next| ON.contains(&next.to_ascii_lowercase().as_str()))
}

/// Tells whether words are meant as a move, well written or not: one short word with a digit in it, or a cell first (`f3 f4`,
/// `f3 Good luck!`, which the parser then calls a word too many).
fn moves(words: &[&str]) -> bool {
    let Some(first) = words.first() else { return false };
    let digit = first.contains(|c: char| c.is_ascii_digit());
    let cells = first.split(['#', Notation::UNORDERED]).next().is_some_and(Notation::is_cell);
    let short = first.chars().count() <= LONGEST_MOVE && !first.starts_with('-');
    short && (cells || (digit && words.len() == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        reply_line(line).map_or_else(
            || "letter".to_owned(),
            |reply| format!("{} {}|{}", reply.verb.name, reply.rest.join(" "), reply.said.unwrap_or_default()),
        )
    }

    #[test]
    fn a_line_is_a_move_or_a_letter() {
        for (line, meant) in [
            ("f3", "move f3|"),
            ("F3,f4", "move F3,f4|"),
            ("f3, f4", "move f3, f4|"),
            ("f3#14", "move f3#14|"),
            ("f33x", "move f33x|"),
            ("RESIGN", "resign |"),
            ("swap", "move swap|"),
            ("move f3", "move f3|"),
            ("queue f3", "queue f3|"),
            ("queue off", "queue off|"),
            ("if k4 then h2; else stop", "if k4 then h2; else stop|"),
            ("if \"k4 then h2; else stop\"", "if k4 then h2; else stop|"),
            ("if off", "if off|"),
            ("submit f3", "submit f3|"),
            ("chat", "chat |"),
            ("chat: with pleasure", "chat |with pleasure"),
            ("note watch base F", "note |watch base F"),
            ("f3 Good luck!", "move f3 Good luck!|"),
            ("Thanks, thinking about it", "letter"),
            ("Resign? Never!", "letter"),
            ("If you like, we play another", "letter"),
            ("Note that I am away", "letter"),
            ("Chat with you later", "letter"),
            ("Move along", "letter"),
            ("I have 2 boards", "letter"),
            ("", "letter"),
        ] {
            assert_eq!(told(line), meant, "{line}");
        }
    }

    #[test]
    fn a_greeting_is_no_move_and_no_letter() {
        for line in ["Hi,", "hi", "Hello Bob,", "Dear Mr. White:", "Hallo!", "Привет, Боб!"] {
            assert!(is_greeting(line), "{line}");
        }
        for line in ["Hi there I think about it", "High noon,", "f3", "Dear me, what a move this is.", ""] {
            assert!(!is_greeting(line), "{line}");
        }
    }
}
