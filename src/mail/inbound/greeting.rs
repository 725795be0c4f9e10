//! Greetings above a command.

use super::new_text::is_greeting;

/// Returns whether a line may greet the server above a whole command. "Hi there!" begins letters to people, and may be
/// part of an unmarked quote.
pub(crate) fn may_greet_the_server(line: &str) -> bool {
    let to_people = line.split_whitespace().nth(1).is_some_and(|word| word.to_lowercase().starts_with("there"));
    is_greeting(line) && !to_people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_to_people_does_not_address_the_server() {
        assert!(may_greet_the_server("Hello server,") && !may_greet_the_server("Hi there!"));
    }
}
