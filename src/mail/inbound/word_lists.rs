//! Lists of words in an embedded text: the name of a list stands in brackets, which nothing else has, a word or phrase
//! of it on each line below, and `#` begins a comment.
//!
//! A process that reads one mail reads the lists first. Nothing is copied or escaped, so that it is done in a fraction of
//! the time that TOML takes.

/// Finds the list of a name among the lists of a text.
type List<W> = for<'a> fn(&'a mut W, &str) -> Option<&'a mut Vec<&'static str>>;

/// Reads an embedded text.
pub(super) fn read<W: Default>(text: &'static str, list: List<W>) -> W {
    let mut lists_of_words = W::default();
    for (name, words) in lists(text) {
        list(&mut lists_of_words, name).unwrap_or_else(|| panic!("no list is named {name:?}")).extend(words);
    }
    lists_of_words
}

/// The lists of a text, by name; a list may be continued under its name again.
fn lists(text: &'static str) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    text.split('[').skip(1).map(|list| {
        let (name, lines) = list.split_once(']').expect("a name stands in brackets");
        let words = lines.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
        (name, words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_belongs_to_the_list_above_it() {
        let text = "# A comment.\n\n[verbs]\nwrote\nhas written \n\n# Another.\n[days]\nmonday\n[verbs]\nschrieb\n";
        let found: Vec<(&str, Vec<&str>)> = lists(text).map(|(name, words)| (name, words.collect())).collect();
        let expected = [("verbs", vec!["wrote", "has written"]), ("days", vec!["monday"]), ("verbs", vec!["schrieb"])];
        assert_eq!(found, expected);
    }
}
