//! Reads lines of a reply that show the letter's board or its game, or choose the letters about them: `show`, `preview
//! f3`, `unsubscribe`. They omit the parts that the letter already contains.

use super::reply_line::{is_made_of_moves, without_bullet};
use super::reply_token::BoardReply;
use crate::command::bare_move;
use crate::service::BoardGrant;

#[derive(Clone)]
pub(crate) struct BoardLine {
    /// The name of the verb.
    pub(crate) verb: &'static str,
    /// The words of the complete command, with placeholders in capitals.
    form: &'static str,
    /// The words that replace `ARGS`.
    args: Vec<String>,
}

/// The form of a command that chooses the letters about the letter's board.
const FOLLOWS_BOARD: &str = "GAME VERB BOARD USERID -";
/// The verbs that this module reads.
const VERBS: [&str; 11] = [
    "history", "show", "analyse", "games", "standings", "preview", "subscribe", "notify", "unsubscribe", "seek",
    "limit",
];

/// Reads a line about the letter's board or its game. Returns `None` for an ordinary sentence.
pub(crate) fn board_line(line: &str) -> Option<BoardLine> {
    let words: Vec<String> =
        without_bullet(line).split_whitespace().map(|word| bare_move(word).to_lowercase()).collect();
    let (first, args) = words.split_first()?;
    let verb = VERBS.into_iter().find(|verb| verb == first)?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_number = |word: &str| word.trim_start_matches('#').parse::<u32>().is_ok();
    let is_move = |word: &String| is_made_of_moves(std::slice::from_ref(word));
    let form = match (verb, &words[..]) {
        ("history" | "show", []) => "GAME VERB BOARD",
        ("analyse", []) => "VERB BOARD",
        ("games", []) => "GAME VERB USERID",
        ("games", ["all" | "active" | "next"]) => "GAME VERB USERID ARGS",
        ("standings", []) => "GAME VERB",
        ("preview", ["new", ..]) if args[1..].iter().all(|word| word.starts_with('-') || is_move(word)) => {
            "GAME VERB ARGS"
        }
        ("preview", _) if args.iter().all(is_move) => "GAME VERB BOARD ARGS",
        ("subscribe" | "notify" | "unsubscribe", []) => FOLLOWS_BOARD,
        ("subscribe" | "notify" | "unsubscribe", ["all"]) | ("subscribe" | "unsubscribe", ["puzzles"]) => {
            "GAME VERB ARGS USERID -"
        }
        ("subscribe" | "notify" | "unsubscribe", [board]) if is_number(board) => "VERB ARGS USERID -",
        // These commands require a password. The parser reports that it is missing.
        ("seek" | "limit", [count]) if is_number(count) || *count == "all" || *count == "none" => {
            "GAME VERB USERID ARGS"
        }
        _ => return None,
    };
    Some(BoardLine { verb, form, args: args.to_vec() })
}

impl BoardLine {
    /// Returns the words of the complete command.
    pub(crate) fn words(&self, answered: &BoardReply) -> Vec<String> {
        let BoardGrant { userid, board, .. } = &answered.granted;
        let words = self.form.split(' ').flat_map(|word| match word {
            "GAME" => vec![answered.game.clone()],
            "VERB" => vec![self.verb.to_owned()],
            "BOARD" => vec![board.to_string()],
            "USERID" => vec![userid.clone()],
            "ARGS" => self.args.clone(),
            word => vec![word.to_owned()],
        });
        words.collect()
    }

    /// Returns whether the line chooses the letters about a single board, which it does not name.
    pub(crate) fn follows_board(&self) -> bool {
        self.form == FOLLOWS_BOARD
    }

    /// Returns whether the line, in reply to a letter with a puzzle, stops the puzzles of the day.
    pub(crate) fn stops_puzzles(&self) -> bool {
        self.verb == "unsubscribe" && self.args.iter().all(|word| word == "puzzles")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_not_lines_about_a_board() {
        for line in [
            "show", "Unsubscribe.", "- preview f3 f4,f5", "preview new -any_2 f3", "subscribe #7", "limit 5", "games",
            "Games all", "games next.",
        ] {
            assert!(board_line(line).is_some(), "{line}");
        }
        for line in [
            "Show me the board", "show 1", "preview 1 f3", "Preview that", "Limit yourself", "History repeats itself",
            "Subscribe to my list", "seek peace", "notify puzzles", "game", "", "Games later", "Games all day",
        ] {
            assert!(board_line(line).is_none(), "{line}");
        }
    }
}
