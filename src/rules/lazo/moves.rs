//! Move texts: what was typed → a stack, and why no tile of the player's may go there.

use super::position::{Position, stacks};
use super::pyramid::{Pyramid, Stack, letter};
use crate::rules::names;
use crate::rules::refusal::{Refusal, RefusalKind};

/// Reads a stack's name, in any case.
pub(super) fn parse(pyramid: &Pyramid, text: &str) -> Result<Stack, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    let typed = names::split(&word);
    let row = typed.and_then(|(first, _)| (0..pyramid.rows).find(|row| letter(*row) == first));
    let message = match (row, typed) {
        (Some(row), Some((_, number))) if (1..=pyramid.length(row)).contains(&number) => {
            return Ok(pyramid.stack(row, number));
        }
        (Some(row), _) => {
            let (letter, length) = (letter(row), pyramid.length(row));
            format!("There is no such stack: row {letter} has {letter}1 to {letter}{length}.")
        }
        (None, _) => {
            let last = pyramid.rows - 1;
            format!(
                "There is no such stack: the stacks are a1 to {}{}, a letter for the row and a number from the left.",
                letter(last),
                pyramid.length(last)
            )
        }
    };
    let stacks: Vec<String> = pyramid.stacks().map(|stack| pyramid.name(stack)).collect();
    let nearest = names::nearest(&word, stacks.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
}

/// Why the player to move may not add to this stack.
pub(super) fn check(position: &Position, stack: Stack) -> Result<(), Refusal> {
    if stacks(*position.open()).any(|open| open == stack) {
        return Ok(());
    }
    let (pyramid, tiles) = (position.pyramid(), position.tiles());
    let (row, number) = pyramid.place(stack);
    let name = pyramid.name(stack);
    let height = tiles.height(stack);
    let refused = |message: String| Err(Refusal::new(RefusalKind::Illegal, name.clone(), message));
    if height == pyramid.height(row) {
        return refused(format!("Stack {name} is full: row {} grows no higher than level {height}.", letter(row)));
    }
    let supports = [stack, pyramid.stack(row + 1, number), pyramid.stack(row + 1, number + 1)];
    let listed = |stacks: &[Stack]| {
        let names: Vec<String> = stacks.iter().map(|stack| pyramid.name(*stack)).collect();
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
