//! Reads lists of words from a text file that is embedded in the program. A list begins with its name in brackets, and
//! has one word or phrase on each line. Brackets have no other use. `#` begins a comment.
//!
//! Every process that handles a message must first read the lists. This format needs no copies or escapes, so reading
//! it takes a fraction of the time that TOML would take.

/// A function that finds a list by its name.
type List<W> = for<'a> fn(&'a mut W, &str) -> Option<&'a mut Vec<&'static str>>;

/// Reads the lists of an embedded text.
pub(crate) fn read<W: Default>(text: &'static str, list: List<W>) -> W {
    let mut lists_of_words = W::default();
    for (name, words) in lists(text) {
        list(&mut lists_of_words, name).unwrap_or_else(|| panic!("no list is named {name:?}")).extend(words);
    }
    lists_of_words
}

/// Defines a type with one field for each list, and a static of this type. The embedded text with the lists is read at
/// the first use of the static, which panics if a list is empty.
macro_rules! define {
    ($(#[$meta:meta])* static $words:ident: $type:ident = $file:literal { $($(#[$about:meta])* $list:ident,)* }) => {
        $(#[$meta])*
        pub(crate) static $words: std::sync::LazyLock<$type> = std::sync::LazyLock::new(|| {
            let words = $crate::mail::inbound::words::read(include_str!($file), |words: &mut $type, name| match name {
                $(stringify!($list) => Some(&mut words.$list),)*
                _ => None,
            });
            $(assert!(!words.$list.is_empty(), stringify!($list));)*
            words
        });

        #[derive(Debug, Default)]
        pub(crate) struct $type {
            $($(#[$about])* pub(crate) $list: Vec<&'static str>,)*
        }
    };
}
pub(crate) use define;

/// Returns the lists of a text, each with its name. A name may occur several times: later lists extend the first.
fn lists(text: &'static str) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    text.split('[').skip(1).map(|list| {
        let (name, lines) = list.split_once(']').expect("a list begins with a name in brackets");
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
