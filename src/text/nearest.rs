//! Finds the valid word that a misspelt one probably means.
//!
//! A typing error is an extra letter, a missing letter, a wrong letter, or two swapped letters (Damerau–Levenshtein).

/// Returns the valid word nearest to a misspelt one, ignoring case, if the words differ by at most one typing error,
/// or by one in every three letters. If several are equally near, returns the first.
pub fn nearest<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    // One or two letters say too little, and a very long word is not a typing error (and slow to compare).
    if !(3..=40).contains(&letters) {
        return None;
    }
    let slips = |valid: &'a str| (strsim::damerau_levenshtein(&word, &valid.to_lowercase()), valid);
    let (slips, best) = valid.into_iter().map(slips).min_by_key(|(slips, _)| *slips)?;
    (slips <= (letters / 3).max(1)).then_some(best)
}

/// Returns whether the words differ by exactly one typing error. Case matters.
pub fn is_one_slip(word: &str, other: &str) -> bool {
    strsim::damerau_levenshtein(word, other) == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VERBS: [&str; 4] = ["move", "preview", "Resign", "show"];

    #[test]
    fn a_slip_finds_the_word() {
        for (typed, meant) in [("mvoe", "move"), ("MOV", "move"), ("perviewe", "preview"), ("rseign", "Resign")] {
            assert_eq!(nearest(typed, VERBS), Some(meant));
        }
    }

    #[test]
    fn a_distant_or_short_word_has_no_nearest() {
        for typed in ["castle", "mo", "", "shout", &"move".repeat(11)] {
            assert_eq!(nearest(typed, VERBS), None, "{typed}");
        }
        assert_eq!(nearest("move", []), None);
    }

    #[test]
    fn exchanged_letters_are_one_slip() {
        assert!(is_one_slip("3f", "f3") && is_one_slip("swop", "swap") && is_one_slip("f", "f3"));
        assert!(!is_one_slip("f3", "f3") && !is_one_slip("e4", "f3"));
    }

    proptest! {
        #[test]
        fn a_valid_word_is_its_own_nearest(word in "[a-z]{3,12}", other in "[a-z]{3,12}") {
            prop_assert_eq!(nearest(&word.to_uppercase(), [word.as_str()]), Some(word.as_str()));
            prop_assert_eq!(nearest(&word, [other.as_str(), word.as_str()]), Some(word.as_str()));
        }
    }
}
