//! The option that chooses a board's size.

use crate::message;
use crate::rules::options::{OptionSpec, Options};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::text::Message;

/// The option of a board's size, with its values in numbers and in words.
pub const fn size_option(numbers: &'static [u16], value: Message) -> OptionSpec {
    OptionSpec {
        name: "size",
        value: Some(value),
        numbers,
        about: Message::new("rules.option-size"),
        label: Message::new("rules.label-size"),
    }
}

/// Returns the chosen size: one of the game's options, or the usual size.
///
/// # Errors
/// A refusal if there is no such size.
pub fn size(options: &Options, of_game: &[OptionSpec], usual: u16) -> Result<u16, Refusal> {
    let Some((name, value)) = options.iter().next() else { return Ok(usual) };
    let value = value.unwrap_or_default();
    let option = of_game.iter().find(|option| option.name == name);
    // The text is stored as it is, so a number must be written in one way.
    let known = option.and_then(|option| option.numbers.iter().find(|size| size.to_string() == value));
    known.copied().ok_or_else(|| {
        let sizes = option.and_then(|option| option.value.clone()).unwrap_or_default();
        let message = message!("rules.no-such-size", sizes, usual);
        Refusal::new(RefusalKind::Options, format!("-{name}={value}"), message)
    })
}
