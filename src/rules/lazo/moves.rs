//! Move texts: what was typed → a stack, and why no tile of the player's may go there.

use super::board::{Board, Stack, letter};
use super::position::{Position, stacks};
use crate::rules::{Refusal, RefusalKind};

/// Reads a stack's name, in any case.
pub(super) fn parse(board: &Board, text: &str) -> Result<Stack, Refusal> {
    let text = text.trim();
    let name = text.to_ascii_lowercase();
    if let Some(stack) = board.stacks().find(|stack| board.name(*stack) == name) {
        return Ok(stack);
    }
    let typed = name.chars().next().and_then(|first| (0..board.rows).find(|row| letter(*row) == first));
    let number: Option<usize> = name.get(1..).and_then(|digits| digits.parse().ok());
    let message = match (typed, number) {
        // Only a word that looks like a stack is told about its row: anything else is no near miss.
        (Some(row), Some(_)) => {
            let (letter, length) = (letter(row), board.length(row));
            format!("There is no such stack: row {letter} has {letter}1 to {letter}{length}.")
        }
        _ => format!(
            "There is no such stack: the stacks are a1 to {}{}, a letter for the row and a number from the left.",
            letter(board.rows - 1),
            board.length(board.rows - 1)
        ),
    };
    let nearest = nearest(board, &name, typed.zip(number));
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text, message) })
}

/// The stack that was probably meant: the end of the row that was typed, or one a letter away in a row that was.
fn nearest(board: &Board, typed: &str, place: Option<(usize, usize)>) -> Option<String> {
    if let Some((row, number)) = place {
        let there = number.clamp(1, board.length(row));
        return (number.abs_diff(there) <= 1).then(|| board.name(board.stack(row, there)));
    }
    let near = |name: &String| {
        let row = &name[..1];
        let named = typed.starts_with(row) || typed.ends_with(row);
        named && strsim::damerau_levenshtein(typed, name) == 1
    };
    board.stacks().map(|stack| board.name(stack)).find(near)
}

/// Why the player to move may not add to this stack.
pub(super) fn check(position: &Position, stack: Stack) -> Result<(), Refusal> {
    if stacks(*position.open()).any(|open| open == stack) {
        return Ok(());
    }
    let (board, tiles) = (position.board(), position.tiles());
    let (row, number) = board.place(stack);
    let name = board.name(stack);
    let height = tiles.height(stack);
    let refused = |message: String| Err(Refusal::new(RefusalKind::Illegal, name.clone(), message));
    if height == board.height(row) {
        return refused(format!("Stack {name} is full: row {} grows no higher than level {height}.", letter(row)));
    }
    let supports = [stack, board.stack(row + 1, number), board.stack(row + 1, number + 1)];
    let listed = |stacks: &[Stack]| {
        let names: Vec<String> = stacks.iter().map(|stack| board.name(*stack)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    };
    let missing: Vec<Stack> = supports.into_iter().filter(|support| tiles.height(*support) < height).collect();
    let (level, all) = (height + 1, listed(&supports));
    if !missing.is_empty() {
        return refused(format!(
            "A tile on {name} would lie on level {level} and rest on {all}, but there is none on level {height} of {} \
             yet.",
            listed(&missing)
        ));
    }
    refused(format!(
        "A tile on {name} would lie on level {level} and touch none of your own: neither beside it on level {level} \
         nor below it, on {all}."
    ))
}
