//! Greetings above a command, in the languages that the finder of new text knows best.

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

/// Tells whether a line greets and says nothing else: "Hi Bob,".
pub(super) fn is_greeting(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().map(|word| word.trim_end_matches([',', '!', '.', ':']).to_lowercase());
    let ends = line.ends_with([',', '!', '.', ':']) || words.len() == 1;
    words.len() <= 4 && ends && first.is_some_and(|first| WORDS.contains(&first.as_str()))
}

/// Tells whether a line may greet the server above a whole command. "Hi there!" begins letters to people, and may stand
/// above what is quoted without a mark.
pub(super) fn may_greet_the_server(line: &str) -> bool {
    let to_people = line.split_whitespace().nth(1).is_some_and(|word| word.to_lowercase().starts_with("there"));
    is_greeting(line) && !to_people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_no_move_and_no_letter() {
        for line in ["Hi,", "hi", "Hello Bob,", "Dear Mr. White:", "Hallo!", "Привет, Боб!"] {
            assert!(is_greeting(line), "{line}");
        }
        for line in ["Hi there I think about it", "High noon,", "f3", "Dear me, what a move this is.", ""] {
            assert!(!is_greeting(line), "{line}");
        }
        assert!(may_greet_the_server("Hello server,") && !may_greet_the_server("Hi there!"));
    }
}
