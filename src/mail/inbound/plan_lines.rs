//! Joins the lines of a plan that a player wrote on several lines, or that a mail program broke: `if k4 then h2` above
//! `k5 then h3`. Otherwise, the opponent would read the lines below the first one as a comment.

use std::borrow::Cow;

use super::reply_line::without_bullet;
use crate::command::{is_off, plain};
use crate::rules::catalogue;
use crate::text::is_one_slip;

/// The word between a move and its reply.
const THEN: &str = "then";

/// Returns the text with each plan on a single line.
pub(crate) fn with_whole_plans(text: &str) -> Cow<'_, str> {
    let mut lines: Vec<String> = Vec::new();
    // The index in `lines` of the current plan, and the last line that was joined to it.
    let mut plan: Option<(usize, &str)> = None;
    let mut changed = false;
    for line in text.lines() {
        if let Some((at, above)) = plan
            && let Some(joint) = joint(above, line)
        {
            lines[at].push_str(joint);
            lines[at].push_str(without_bullet(line).trim_end());
            plan = Some((at, line));
            changed = true;
            continue;
        }
        if !line.trim().is_empty() {
            plan = begins_plan(line).then_some((lines.len(), line));
        }
        lines.push(line.trim_end().to_owned());
    }
    if changed { Cow::Owned(lines.join("\n")) } else { Cow::Borrowed(text) }
}

/// Returns whether a line begins a plan: `if k4 then h2`, `1 if k4 then h2`, `marque if 1 alice PASSWORD k4 then h2`.
fn begins_plan(line: &str) -> bool {
    let words = words(line);
    let Some(at) = words.iter().position(|word| word == "if") else { return false };
    let (before, after) = words.split_at(at);
    let is_number = |word: &str| !is_move(word) && word.contains(|c: char| c.is_ascii_digit());
    let names_board = |word: &String| word == "board" || catalogue::find(word).is_some() || is_number(word);
    let has_branch = after.iter().any(|word| is_move(word) || word == "else");
    let cancels = after.last().is_some_and(|word| is_off(word));
    before.iter().all(names_board) && (after.len() == 1 || (has_branch && !cancels))
}

/// Returns the separator between a line of a plan and the line below it, if that line belongs to the plan. Lines such
/// as `f3` and `resign` are separate commands, unless the line above requires more words.
fn joint(above: &str, line: &str) -> Option<&'static str> {
    let (above_words, words) = (words(above), words(line));
    let Some(first) = words.first().map(String::as_str) else {
        let closes = !line.trim().is_empty() && line.trim().chars().all(|c| matches!(c, ')' | ';'));
        return closes.then_some(" ");
    };
    let is_open = above.trim_end().ends_with(',') || above_words.last().is_some_and(|word| is_link(word));
    let is_plan = words.iter().all(|word| is_move(word) || is_link(word) || matches!(word.as_str(), "stop" | "resign"));
    let is_branch = words.iter().any(|word| is_link(word));
    // A mistyped line is also part of the plan, so that the parser reports the error.
    let is_nearly_branch = (is_move(first) || is_link(first))
        && words.iter().filter(|word| is_move(word)).count() > 1
        && words.iter().any(|word| word == THEN || is_one_slip(word, THEN));
    if !(is_plan && (is_open || is_branch)) && !is_nearly_branch {
        return None;
    }
    let is_separated = above.trim_end().ends_with([';', '(']) || line.trim_start().starts_with([';', ')', ',']);
    Some(if is_open || is_separated || matches!(first, THEN | "or") { " " } else { "; " })
}

/// Returns the words of a line in lower case, without the punctuation of plans and without quotes.
fn words(line: &str) -> Vec<String> {
    let line = plain(without_bullet(line)).to_lowercase();
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | ')' | '"' | ':'));
    words.map(|word| word.trim_matches([',', '.'])).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns whether a word is a move: `k4`, `e1-e2`, `swap`.
fn is_move(word: &str) -> bool {
    let names_cell = word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.contains(|c: char| c.is_ascii_digit());
    names_cell || catalogue::is_move_word(word)
}

/// Returns whether more words of a plan follow this word.
fn is_link(word: &str) -> bool {
    matches!(word, "if" | THEN | "or" | "else")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_plan_are_joined() {
        for (text, joined) in [
            ("if k4 then h2\nif k5 then h3", "if k4 then h2; if k5 then h3"),
            ("if k4 then h2;\n\nk5 then h3\nelse stop\nBye", "if k4 then h2; k5 then h3; else stop\n\nBye"),
            ("if:\n- k4 then h2\n- else h3", "if: k4 then h2; else h3"),
            ("if k4 then h2\nelse\nstop", "if k4 then h2; else stop"),
            ("1 if k4 then h2; k5\nor k6 then\nresign", "1 if k4 then h2; k5 or k6 then resign"),
            ("if k4 then h2 then\n (k6 then h3\n  else h4\n )", "if k4 then h2 then (k6 then h3; else h4 )"),
            ("marque if 1 al s3cret k4 then h2\nk5 the h3", "marque if 1 al s3cret k4 then h2; k5 the h3"),
        ] {
            assert_eq!(with_whole_plans(text), joined, "{text}");
        }
        for text in [
            "if k4 then h2\nf3",
            "if k4 then h2\nresign",
            "if k4 then h2\nThen we shall see.",
            "if off\nelse stop",
            "if k4 then h2\n> k5 then h3",
            "1 if k4 then h2\n2 if k4 then h2",
            "f3\nk5 then h3",
            "if k4 then h2\n",
        ] {
            assert_eq!(with_whole_plans(text), text);
        }
    }
}
