//! Reads one line of a reply: a verb with its arguments, or only a move, without the parts that the letter already
//! contains. Also recognises text that may be private to its writer: a note, or a prepared reply.

use super::reply_token::BoardReply;
use crate::command::{self, ReplyForm, VerbSpec, bare_move, is_ornament, plain};
use crate::rules::{Notation, catalogue};
use crate::service::BoardGrant;
use crate::text::is_one_slip;

/// The maximum length of a word that may be a move.
const LONGEST_MOVE: usize = 40;
/// Punctuation that may follow a verb, as in `chat: hello`.
const MARKS: [char; 5] = [':', ',', ';', '.', '-'];
/// The verb of a private note.
pub(crate) const NOTE: &str = "note";

/// A line of a reply, without the parts that the letter already contains: game, board, userid and password.
#[derive(Clone)]
pub(crate) struct ReplyLine {
    pub(crate) verb: &'static VerbSpec,
    /// The words that follow the password in the complete command.
    pub(crate) rest: Vec<String>,
    /// The text on the line itself: a comment or a note.
    pub(crate) said: Option<String>,
    /// The game named before the verb.
    game: Option<&'static str>,
}

impl ReplyLine {
    /// Creates a line that consists of a verb.
    pub(crate) fn of(verb: &'static VerbSpec) -> ReplyLine {
        ReplyLine { verb, rest: Vec::new(), said: None, game: None }
    }

    /// Returns the words of the whole command.
    pub(crate) fn words(&self, answered: &BoardReply) -> Vec<String> {
        let BoardGrant { userid, board, .. } = &answered.granted;
        let game = self.game.unwrap_or(&answered.game);
        let head = [game, self.verb.name, &board.to_string(), userid, "-"].map(str::to_owned);
        head.into_iter().chain(self.rest.iter().cloned()).collect()
    }

    /// Returns whether the line plays a move immediately.
    pub(crate) fn is_move(&self) -> bool {
        self.verb.reply == ReplyForm::Move
    }

    /// Returns whether the line plays a move (`move f3`) or submits one for confirmation (`submit f3`).
    pub(crate) fn names_move(&self) -> bool {
        matches!(self.verb.reply, ReplyForm::Move | ReplyForm::MoveAfterVerb)
    }

    /// Returns the verb and the move of this line, to show as an example. Omits the verb `move`, and other words, which
    /// may include a password. `MOVE` replaces a word that is not a move.
    pub(crate) fn example(&self) -> String {
        let is_move = |word: &&String| {
            catalogue::is_move_word(word) || word.split(|c: char| !c.is_alphanumeric()).all(Notation::is_cell)
        };
        let verb = (self.verb.reply != ReplyForm::Move).then_some(self.verb.name);
        let said = self.rest.first().filter(is_move).map(String::as_str);
        let placeholder = self.names_move().then_some("MOVE");
        let words: Vec<&str> = verb.into_iter().chain(said.filter(|_| self.names_move()).or(placeholder)).collect();
        words.join(" ")
    }

    /// Returns whether the line prepares something that the opponent must not see.
    pub(crate) fn prepares(&self) -> bool {
        matches!(self.verb.reply, ReplyForm::QueuedMove | ReplyForm::Plan)
    }
}

/// Reads a line that can only be a command; `None` for an ordinary sentence.
pub(crate) fn reply_line(line: &str) -> Option<ReplyLine> {
    let line = without_bullet(line);
    let words = plain_words(line);
    let (first, rest) = words.split_first()?;
    let word = bare_move(first.trim_end_matches(MARKS));
    if let (Some(game), false) = (catalogue::find(word), rest.is_empty()) {
        return after_game(game.name(), rest);
    }
    match command::board_verb(word) {
        Some(verb) => after_verb(verb, first, rest, line),
        None => is_made_of_moves(&words).then(|| bare_line(words)).flatten(),
    }
}

/// Reads the words after a game's name, unless they are a whole command or text: `marque move f3`, `marque resign`.
fn after_game(game: &'static str, words: &[String]) -> Option<ReplyLine> {
    let reply = reply_line(&words.join(" "))?;
    let is_short = match reply.verb.reply {
        ReplyForm::Alone => true,
        ReplyForm::Move | ReplyForm::MoveAfterVerb | ReplyForm::QueuedMove => is_made_of_moves(&reply.rest),
        ReplyForm::No | ReplyForm::Plan | ReplyForm::Text => false,
    };
    is_short.then_some(ReplyLine { game: Some(game), ..reply })
}

/// The arrows that players write before a move.
const ARROWS: [&str; 4] = ["->", "=>", "-->", "==>"];

/// Removes an arrow, or the dash or dot of a list, before a line.
pub(crate) fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let line = ARROWS.iter().find_map(|arrow| line.strip_prefix(arrow)).unwrap_or(line);
    line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '*' | '\u{2022}')
    })
}

/// Returns the words of a line in plain characters, without trailing dashes and surrounding decoration: "👍 f3 :)".
fn plain_words(line: &str) -> Vec<String> {
    let words: Vec<String> = line.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    let says = |word: &String| !is_ornament(word);
    let end = words.iter().rposition(|word| says(word) && !word.bytes().all(|byte| byte == b'-'));
    let start = words.iter().position(says).unwrap_or_default();
    end.map_or_else(Vec::new, |end| words[start..=end].to_vec())
}

/// Reads a line that begins with a move, with any words after it. The parser then explains what is wrong with these
/// words.
pub(crate) fn begins_with_move(line: &str) -> Option<ReplyLine> {
    let words = plain_words(without_bullet(line));
    begins_as_move(&words).then(|| bare_line(words)).flatten()
}

/// Reads a move without a verb.
fn bare_line(words: Vec<String>) -> Option<ReplyLine> {
    let verb = command::verbs().find(|spec| spec.reply == ReplyForm::Move)?;
    Some(ReplyLine { verb, rest: words, said: None, game: None })
}

/// Reads the words after a verb; `first` is the verb as typed.
fn after_verb(verb: &'static VerbSpec, first: &str, rest: &[String], line: &str) -> Option<ReplyLine> {
    let reply = |rest: &[String]| Some(ReplyLine { verb, rest: rest.to_vec(), said: None, game: None });
    let is_off = matches!(rest, [word] if command::is_off(word));
    match verb.reply {
        ReplyForm::Text if first.ends_with(MARKS) || !command::continues_sentence(rest) => {
            let said = line.split_once(char::is_whitespace).map_or("", |(_, said)| said.trim());
            let said = Some(said.to_owned()).filter(|said| !said.is_empty());
            Some(ReplyLine { verb, rest: Vec::new(), said, game: None })
        }
        ReplyForm::Alone if rest.is_empty() => reply(rest),
        ReplyForm::Move | ReplyForm::MoveAfterVerb if begins_as_move(rest) => reply(rest),
        ReplyForm::QueuedMove if is_off || begins_as_move(rest) => reply(rest),
        ReplyForm::Plan if is_off || rest.first().is_some_and(|word| is_condition(word)) => reply(rest),
        ReplyForm::No
        | ReplyForm::Text
        | ReplyForm::Alone
        | ReplyForm::Move
        | ReplyForm::MoveAfterVerb
        | ReplyForm::QueuedMove
        | ReplyForm::Plan => None,
    }
}

/// Returns whether this word after `if` can begin the condition of a plan. "If you like" begins a sentence instead.
fn is_condition(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'']);
    word.contains(|c: char| c.is_ascii_digit()) || word == "else" || catalogue::is_move_word(word)
}

/// Returns whether a word names cells, as a single cell or a list.
pub(crate) fn is_cells(word: &str) -> bool {
    let bare = bare_move(word);
    let (cells, _number) = bare.split_once('#').unwrap_or((bare, ""));
    let mut cells = cells.split([Notation::UNORDERED, '-', 'x', 'X']).filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some() && cells.all(Notation::is_cell)
}

pub(crate) fn is_made_of_moves(words: &[String]) -> bool {
    let links = |word: &str| matches!(word, "-" | "x" | "X" | ",") || word.starts_with('#');
    match words {
        // A pass is accepted here so that the answer can explain that passing is not allowed.
        [word] => is_cells(word) || catalogue::is_move_word(bare_move(word)) || Notation::is_pass(bare_move(word)),
        [first, rest @ ..] => is_cells(first) && rest.iter().all(|word| is_cells(word) || links(word)),
        [] => false,
    }
}

/// Returns whether words are meant as a move, valid or not: one short word with a digit, or a cell first (`f3 f4`, `f3
/// Good luck!`, in which the parser then reports superfluous words).
fn begins_as_move(words: &[String]) -> bool {
    let Some(first) = words.first().map(|word| bare_move(word)) else { return false };
    let digit = first.contains(|c: char| c.is_ascii_digit());
    let cells = first.split(['#', Notation::UNORDERED]).next().is_some_and(Notation::is_cell) || is_cells(first);
    let word = words.len() == 1 && catalogue::is_move_word(first);
    let short = first.chars().count() <= LONGEST_MOVE && first.starts_with(|c: char| c.is_alphanumeric());
    word || (short && (cells || (digit && words.len() == 1)))
}

/// The readers of the text below a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Only the writer.
    Writer,
    /// The recipients that the command names.
    Addressed,
    /// The other player, who reads the text as a comment.
    Players,
}

/// Returns whether a text for this audience may contain a private line.
pub(crate) fn may_be_private(text: &str, audience: Audience) -> bool {
    match audience {
        Audience::Writer => false,
        Audience::Addressed => text.lines().any(is_note) || is_about_player(text),
        Audience::Players => text.lines().any(is_private) || is_about_player(text),
    }
}

/// The verbs of commands about other players. These players must not read the commands.
const ABOUT_PLAYERS: [&str; 3] = ["block", "unblock", "report"];
/// The verb that sends a message to another player.
const MESSAGE: &str = "message";
/// The verbs that queue a move.
const QUEUES: [&str; 2] = ["queue", "qmove"];

/// Returns whether a line of a text begins like a command about another player, and not like a sentence.
pub(crate) fn is_about_player(text: &str) -> bool {
    text.lines().any(|line| {
        let words = plain_words(without_bullet(line));
        let Some((first, rest)) = words.split_first() else { return false };
        let verb = bare_move(first).trim_end_matches(MARKS);
        let verb = verb.to_lowercase();
        let is = |about: &&str| command::server_word(&verb) == Some(*about) || command::is_slip(&verb, about);
        let is_command = ABOUT_PLAYERS.iter().any(is) || (is(&MESSAGE) && names_player(rest));
        is_command && !command::continues_sentence(rest)
    })
}

/// Returns whether the words after `message` are a userid and a text. "Message received, thanks" is a sentence.
fn names_player(rest: &[String]) -> bool {
    const SENTENCES: [&str; 4] = ["received", "understood", "read", "sent"];
    let [to, _, ..] = rest else { return false };
    let to = bare_move(to).trim_end_matches(MARKS).to_lowercase();
    command::is_userid(&to) && !command::is_function_word(&to) && !SENTENCES.contains(&to.as_str())
}

/// Returns whether a line begins with the command that sends a message.
pub(crate) fn begins_message(line: &str) -> bool {
    plain_words(without_bullet(line)).first().is_some_and(|word| command::server_word(word) == Some(MESSAGE))
}

/// Returns whether a line may be a note or a prepared reply.
fn is_private(line: &str) -> bool {
    let line = plain(line).to_lowercase();
    let line = without_number(&line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let bare: Vec<&str> = words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let first = bare.iter().copied().find(|word| !word.is_empty()).unwrap_or_default();
    let labelled = words.iter().take(3).any(|word| matches!(*word, "note:" | "notes:" | "private:"));
    let cells = words.iter().filter(|word| is_cells(word)).count();
    let then = |word: &&str| *word == "then" || is_one_slip(word, "then");
    let has_then = words.iter().any(then);
    // Other words may precede a plan: "1. if k4 then h2", "and if k4 then h2".
    let condition = bare.iter().skip_while(|word| **word != "if").nth(1);
    let plans = (is_if(first) && (cells > 1 || (cells > 0 && has_then)) && !is_about_past(&bare))
        || (cells > 0 && has_then && condition.is_some_and(|word| is_condition(word)));
    let stops = (is_if(first) || first == "otherwise") && matches!(&bare[..], [_, "stop"] | [_, _, "stop"]);
    let queues = reply_line(line).is_some_and(|reply| reply.verb.reply == ReplyForm::QueuedMove);
    let queues = queues || QUEUES.iter().any(|verb| command::is_slip(first, verb) && cells > 0);
    labelled || is_note_word(first) || plans || stops || queues
}

/// Returns whether words say what would have happened: "If you had played b2, then c3 would have been strong". "If you
/// had to play b2" and a second "if" may begin a plan.
fn is_about_past(bare: &[&str]) -> bool {
    let is_past = |pair: &[&str]| matches!(pair, ["had" | "hadn't", next] if *next != "to" && !is_cells(next));
    bare.windows(2).take(4).any(is_past) && bare.iter().filter(|word| is_if(word)).count() == 1
}

/// Returns a line in lower case without a board number at its beginning: `1 note k4`, `board 1: note k4`.
fn without_number(line: &str) -> &str {
    let line = line.trim_start();
    line.strip_prefix("board ").unwrap_or(line).trim_start_matches(|c: char| !c.is_alphabetic())
}

/// Returns whether a word is "if", possibly with a superfluous letter or both letters swapped.
fn is_if(word: &str) -> bool {
    matches!(word, "if" | "fi") || (word.chars().count() == 3 && is_one_slip(word, "if"))
}

/// Returns whether a line is a note and not a sentence.
fn is_note(line: &str) -> bool {
    let line = line.to_lowercase();
    reply_line(without_number(&line))
        .is_some_and(|reply| reply.verb.reply == ReplyForm::Text && reply.verb.name == NOTE)
}

/// Returns whether a word is "note", possibly with its last three letters in another order.
fn is_note_word(word: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.starts_with('n') && sorted(word) == sorted(NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(line: &str) -> String {
        reply_line(line).or_else(|| begins_with_move(line)).map_or_else(
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
            ("e1 - e2", "move e1 - e2|"),
            ("\u{2013} f3", "move f3|"),
            ("-> f3", "move f3|"),
            ("=> f3", "move f3|"),
            ("<f3>", "move <f3>|"),
            ("f3 \u{2013}", "move f3|"),
            ("f3 \u{1f44d}", "move f3|"),
            ("f3 :)", "move f3|"),
            ("\u{1f44d} f3,f4 !!", "move f3,f4|"),
            ("*f3*", "move f3*|"),
            ("**f3**", "move f3**|"),
            ("`f3`", "move `f3`|"),
            ("f\u{200c}3", "move f3|"),
            ("f3\u{2026}", "move f3.|"),
            ("resign :(", "resign |"),
            ("*resign*", "resign |"),
            ("f3 ?", "move f3 ?|"),
            ("marque move f3", "move f3|"),
            ("Marque resign", "resign |"),
            ("marque f3,f4", "move f3,f4|"),
            ("pass", "move pass|"),
            ("marque move 1 alice s3cret f3", "letter"),
            ("marque chat hello", "letter"),
            ("Marque is fun", "letter"),
            ("- note watch base F", "note |watch base F"),
            ("e1\u{2013}e2", "move e1-e2|"),
            ("\u{ff26}\u{ff14}", "move F4|"),
            ("f3#14", "move f3#14|"),
            ("f33x", "move f33x|"),
            ("RESIGN", "resign |"),
            ("resign.", "resign |"),
            ("swap", "move swap|"),
            ("move f3", "move f3|"),
            ("Move: f3", "move f3|"),
            ("move swap", "move swap|"),
            ("queue f3", "queue f3|"),
            ("queue off", "queue off|"),
            ("if k4 then h2; else stop", "if k4 then h2; else stop|"),
            ("if \u{201c}k4 then h2; else stop\u{201d}", "if \"k4 then h2; else stop\"|"),
            ("if off", "if off|"),
            ("submit f3", "submit f3|"),
            ("chat", "chat |"),
            ("chat: with pleasure", "chat |with pleasure"),
            ("note \u{2013} watch base F", "note |\u{2013} watch base F"),
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
            assert_eq!(read_as(line), meant, "{line}");
        }
    }

    #[test]
    fn private_lines_are_recognised() {
        for line in [
            "note my plan", "Note to self: base F", "Note that k4 is weak", "(note: k4)", "* (note) k4",
            "noet my plan", "My note: k4", "if k4 the h2", "queue k4", "queu k4", "qmov k4", "quque k4",
            "iff b2 then d4", "1. if b2 then d4", "(a) if b2 then d4", "and if b2, then d4", "If not, stop",
            "1 note my plan", "Board 1: note k4", "2 queue k4", "#2 qeue k4", "2 iff b2 then d4",
            "If I had to b2 then d4", "If you had b2, then d4",
        ] {
            assert!(is_private(line), "{line}");
        }
        for line in
            ["block bob", "blcok bob", "bloc bob", "repo bob he is bad", "unbl bob", "message carol hello there"]
        {
            assert!(may_be_private(line, Audience::Players), "{line}");
        }
        for line in
            ["Black wins", "Blocks everywhere", "Message received, thanks", "Message me later", "Report to you soon"]
        {
            assert!(!may_be_private(line, Audience::Players), "{line}");
        }
        for line in [
            "Noted, thanks!",
            "Not bad.",
            "If 3 pieces remain, it is a draw",
            "If I lose, I stop",
            "If you had played b2, then c3 would have been strong.",
            "If you hadn't played b2, the c3 stone was lost, and d4 too.",
            "The tone is friendly",
            "2 f4 was good",
            "",
        ] {
            assert!(!is_private(line), "{line}");
        }
        assert!(!may_be_private("Good luck!\nnote k4", Audience::Writer));
        assert!(may_be_private("Good luck!\nnote k4", Audience::Addressed));
        assert!(may_be_private("Good luck!\n1 note k4", Audience::Addressed));
        assert!(!may_be_private("Note that I am away", Audience::Addressed));
    }
}
