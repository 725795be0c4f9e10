//! A player who follows the suggestion in an error message does not get the same error again.

use proptest::prelude::*;
use turnpost::command::{ParseError, parse, verbs};

/// Returns the two lines that a player who follows a suggestion may type: the original line with the wrong words
/// replaced, and the suggestion alone.
fn followed(error: &ParseError) -> Option<[String; 2]> {
    let nearest = error.nearest.clone()?;
    let (at, length) =
        error.at.map_or((0, 0), |(at, length)| (at, error.line[at..].chars().take(length).map(char::len_utf8).sum()));
    let [before, behind] = [&error.line[..at], &error.line[at + length..]].map(|text| text.replace("***", "s3cret"));
    Some([format!("{before}{nearest}{behind}"), nearest])
}

fn is_understood(error: &ParseError) -> bool {
    followed(error).is_none_or(|typed| typed.iter().any(|line| parse(line).is_ok()))
}

/// Returns all misspellings of a word in which one letter is missing or doubled, or two letters are swapped.
fn slips(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut slips = Vec::new();
    for at in 0..letters.len() {
        let mut shorter = letters.clone();
        shorter.remove(at);
        let mut longer = letters.clone();
        longer.insert(at, letters[at]);
        let mut exchanged = letters.clone();
        exchanged.swap(at, (at + 1) % letters.len());
        slips.extend([shorter, longer, exchanged].map(String::from_iter));
    }
    slips
}

#[test]
fn suggestions_for_typing_errors_are_valid() {
    let (mut proposed, mut wrong) = (0, Vec::new());
    for example in verbs().flat_map(|spec| spec.examples) {
        let words: Vec<&str> = example.split(' ').collect();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != "s3cret") {
            for slip in slips(word) {
                let mut words = words.clone();
                words[at] = &slip;
                let line = words.join(" ");
                if let Err(error) = parse(&line) {
                    proposed += u32::from(error.nearest.is_some());
                    if !is_understood(&error) {
                        wrong.push(format!("{line}: {:?}", followed(&error)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {proposed}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(proposed > 500, "{proposed}");
}

#[test]
fn suggestions_for_habitual_mistakes_are_valid() {
    for line in [
        "marque 12 al s3cret f3",
        "marque 12",
        "brique challenge -size 9 al bob",
        "brique challenge --size 9 al bob",
        "marque challenge -nagtime 5 al bob",
        "marque challenge -unrated al bob",
        "marque submit 1 al s3cret resign",
        "queue 1 al s3cret undo",
        "marque signup al s3cret",
        "sign up al s3cret",
        "register al s3cret",
        "add al s3cret a@b.org",
        "marque add al s3cret a@b.org",
        "marque games inactive",
        "delete 1 al s3cret",
        "delete al s3cret",
        "marque draw 1 al s3cret",
        "play 1 al s3cret f3",
        "mvoe 1 al s3cret f3",
        "challnge al bob",
        "set al s3cret rythm=each",
        "rules marque",
        "marque move 1 al s3cret f3#x",
    ] {
        let error = parse(line).expect_err(line);
        assert!(error.nearest.is_some(), "{line}: {error:?}");
        assert!(is_understood(&error), "{line}: {:?}", followed(&error));
    }
    // An error has no suggestion if the server would refuse the corrected line, too.
    for line in ["marque f4", "set al s3cret rhythm", "set al s3cret rythm=often"] {
        assert_eq!(parse(line).expect_err(line).nearest, None, "{line}");
    }
}

proptest! {
    #[test]
    fn a_suggested_word_is_valid_in_its_place(
        line in "(marque |brique )?(move|mvoe|challnge|seek|gmaes|shwo|sett|vaction|change pasword|marque)( -?-?[a-z0-9#,=]{1,9}){0,5}",
    ) {
        if let Err(error) = parse(&line)
            && let Some([typed, alone]) = followed(&error)
            && let (Err(again), Err(_)) = (parse(&typed), parse(&alone))
        {
            // A later word of the line may also be wrong.
            let (at, _) = error.at.unwrap();
            prop_assert!(again.at.is_none_or(|(next, _)| next > at), "{line}: {typed}");
        }
    }
}
