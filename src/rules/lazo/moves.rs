//! Reads move texts as stacks, and explains why a player may not place a tile on one.

use super::position::Position;
use super::pyramid::{Pyramid, Stack, letter};
use crate::message;
use crate::rules::cell_name;
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// Reads a stack's name, ignoring case.
pub(crate) fn parse(pyramid: &Pyramid, text: &str) -> Result<Stack, Refusal> {
    let word = text.trim().to_ascii_lowercase();
    let typed = cell_name::split(&word);
    let row = typed.and_then(|(first, _)| (0..pyramid.rows).find(|row| letter(*row) == first));
    let message = match (row, typed) {
        (Some(row), Some((_, number))) if (1..=pyramid.length(row)).contains(&number) => {
            return Ok(pyramid.stack(row, number));
        }
        (Some(row), _) => {
            message!("lazo.no-such-stack-in-row", row = letter(row), last = pyramid.length(row))
        }
        (None, _) => {
            let last = pyramid.rows - 1;
            message!("lazo.no-such-stack", last = pyramid.name(pyramid.stack(last, pyramid.length(last))))
        }
    };
    let stacks: Vec<String> = pyramid.stacks().map(|stack| pyramid.name(stack)).collect();
    let nearest = cell_name::nearest(&word, stacks.iter().map(String::as_str)).map(str::to_owned);
    Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) })
}

/// Checks whether the player to move may place a tile on a stack.
pub(crate) fn check(position: &Position, stack: Stack) -> Result<(), Refusal> {
    if position.open().has(stack) {
        return Ok(());
    }
    let (pyramid, tiles) = (position.pyramid(), position.tiles());
    let (row, number) = pyramid.place(stack);
    let name = pyramid.name(stack);
    let height = tiles.height(stack);
    let refused = |message: Message| Err(Refusal::new(RefusalKind::Illegal, name.clone(), message));
    if height == pyramid.height(row) {
        return refused(message!("lazo.full", stack = &name, row = letter(row), level = height));
    }
    let supports = [stack, pyramid.stack(row + 1, number), pyramid.stack(row + 1, number + 1)];
    let names = |stacks: &[Stack]| stacks.iter().map(|stack| pyramid.name(*stack)).collect::<Vec<String>>();
    let missing: Vec<Stack> = supports.into_iter().filter(|support| tiles.height(*support) < height).collect();
    let (level, supports) = (height + 1, names(&supports));
    if !missing.is_empty() {
        let (below, missing) = (height, names(&missing));
        return refused(message!("lazo.unsupported", stack = &name, level, supports, below, missing));
    }
    refused(message!("lazo.untouched", stack = &name, level, supports))
}
