//! Finds lines of our own letter in a message. Some mail programs quote the letter without marks and wrap its lines.
//!
//! Only letters and digits are compared, in order, so blanks, marks and line breaks between them do not matter, and no
//! list of words or languages is needed.

use rustc_hash::FxHashSet;

use super::lines::is_quote;

/// The length of a gram: the number of consecutive letters and digits to compare.
const GRAM: usize = 12;
/// This many consecutive letters and digits of the letter are a quote. It is about one full line of a letter; players
/// may repeat shorter passages on purpose.
const RUN: usize = 60;
/// A text with at most this many letters and digits is too short to contain lines of a letter.
const SHORTEST: usize = 40;
/// The longest link that a program writes after a word, in octets.
const LINK: usize = 1_000;
/// The longest name of a character reference, in octets.
const REFERENCE: usize = 6;
/// The beginnings of links, and of the texts that programs write instead of pictures.
const LINKS: &[&str] = &["mailto:", "http:", "https:", "cid:", "image:"];
/// The maximum number of lines of the headers above a quote.
const HEAD: usize = 8;
/// The maximum length of the label of a header, in octets.
const LABEL: usize = 40;

/// The text of the letter that a message answers.
#[derive(Default)]
pub(crate) struct OwnLetter {
    grams: FxHashSet<[char; GRAM]>,
    /// The grams of players' texts that the letter passes on.
    said: FxHashSet<[char; GRAM]>,
    /// Lines in the letter's drawings of boards that look like quoted lines.
    drawn: FxHashSet<String>,
}

/// A letter or digit of a text in lower case, and its position.
struct Placed {
    letter: char,
    at: usize,
}

/// The text from which a character of the message was copied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Elsewhere,
    /// A player's text that the letter passes on.
    Player,
    Letter,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Marked as quoted.
    Marked,
    /// The rest of a quoted line that a program wrapped without a mark.
    Half,
    Open,
}

/// A line with its line break.
struct Line<'a> {
    text: &'a str,
    at: usize,
    /// The range of the line's letters and digits among those of the whole text.
    letters: std::ops::Range<usize>,
    kind: Kind,
}

/// Returns whether a text is long enough to contain lines of a letter.
pub(crate) fn may_hold_lines(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).nth(SHORTEST).is_some()
}

/// Returns whether a text is long enough to contain a recognisable line of a note.
pub(crate) fn may_hold_note(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).nth(GRAM - 1).is_some()
}

impl OwnLetter {
    /// Creates the letter from its parts and the players' texts that it passes on. A text that contains only players'
    /// words is not a quote of the letter: players repeat their own words and each other's.
    pub(crate) fn new(parts: &[String], said: &[String]) -> OwnLetter {
        let mut letter = OwnLetter::default();
        for part in parts {
            letter.grams.extend(letters(part).windows(GRAM).map(gram));
            let drawn = part.lines().map(str::trim).filter(|line| is_quote(line));
            letter.drawn.extend(drawn.map(str::to_owned));
        }
        for text in said {
            letter.said.extend(letters(text).windows(GRAM).map(gram));
        }
        letter
    }

    /// Marks those lines of a text as quoted that were copied from the letter. Also marks all text below the first
    /// unmarked line of the letter, because new text there cannot be distinguished from the quote. Returns `None` if
    /// the text needs no marks.
    pub(crate) fn marked(&self, text: &str) -> Option<String> {
        let placed = letters(text);
        let sources = self.sources(&placed);
        let lines = self.lines(text, &placed, &sources);
        let quote = unmarked_run(&lines, &sources).map(|letter| placed[letter].at);
        if quote.is_none() && lines.iter().all(|line| line.kind != Kind::Half) {
            return None;
        }
        let (begin, head) = quote.map_or((text.len(), text.len()), |at| beginning(&lines, at));
        let mut marked = String::with_capacity(text.len() + 2 * lines.len());
        for line in &lines {
            let (before, rest) = line.text.split_at(begin.saturating_sub(line.at).min(line.text.len()));
            if line.kind == Kind::Half || (line.at >= head && !before.is_empty()) {
                marked.push_str("> ");
            }
            if rest.is_empty() {
                marked.push_str(before);
                continue;
            }
            if !before.is_empty() {
                marked.push_str(before.trim_end_matches([' ', '*', '_', '"', '“']));
                marked.push('\n');
            }
            marked.push_str("> ");
            marked.push_str(rest);
        }
        Some(marked)
    }

    /// Counts the lines of a text that are mostly from the letter.
    pub(crate) fn lines_in(&self, text: &str) -> usize {
        let placed = letters(text);
        let sources = self.sources(&placed);
        let lines = self.lines(text, &placed, &sources);
        lines.iter().filter(|line| line.letters.len() >= GRAM && is_own(&sources[line.letters.clone()])).count()
    }

    /// Returns the text from which each character was copied.
    fn sources(&self, placed: &[Placed]) -> Vec<Source> {
        let mut sources = vec![Source::Elsewhere; placed.len()];
        for (at, window) in placed.windows(GRAM).enumerate() {
            let gram = gram(window);
            let source = match (self.said.contains(&gram), self.grams.contains(&gram)) {
                (true, _) => Source::Player,
                (false, true) => Source::Letter,
                (false, false) => continue,
            };
            sources[at..at + GRAM].iter_mut().for_each(|known| *known = source.max(*known));
        }
        sources
    }

    fn lines<'a>(&self, text: &'a str, placed: &[Placed], sources: &[Source]) -> Vec<Line<'a>> {
        let (mut at, mut letter, mut above) = (0, 0, Kind::Open);
        let mut lines = Vec::new();
        for text in text.split_inclusive('\n') {
            let end = at + text.len();
            let count = placed[letter..].iter().take_while(|placed| placed.at < end).count();
            let letters = letter..letter + count;
            let kind = match () {
                () if is_quote(text) && !self.drawn.contains(text.trim()) => Kind::Marked,
                () if above != Kind::Open && is_own(&sources[letters.clone()]) => Kind::Half,
                () => Kind::Open,
            };
            lines.push(Line { text, at, letters, kind });
            (at, letter, above) = (end, letter + count, kind);
        }
        lines
    }
}

fn gram(window: &[Placed]) -> [char; GRAM] {
    std::array::from_fn(|at| window[at].letter)
}

/// Returns the letters and digits of a text, without links and character references.
fn letters(text: &str) -> Vec<Placed> {
    let (mut placed, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        if let Some(length) = link(&text[at..]).or_else(|| reference(&text[at..])) {
            at += length;
            continue;
        }
        if c.is_alphanumeric() {
            placed.extend(c.to_lowercase().map(|letter| Placed { letter, at }));
        }
        at += c.len_utf8();
    }
    placed
}

/// Returns the length of a link in brackets at the start of a text.
fn link(text: &str) -> Option<usize> {
    let end = match text.as_bytes().first()? {
        b'<' => b'>',
        b'(' => b')',
        b'[' => b']',
        _ => return None,
    };
    let inner = &text.as_bytes()[1..];
    let begins = |with: &&str| inner.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()));
    if !LINKS.iter().any(begins) {
        return None;
    }
    inner.iter().take(LINK).position(|&octet| octet == end).map(|length| length + 2)
}

/// Returns the length of a character reference at the start of a text. Some programs write `&quot;` into plain text.
fn reference(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('&')?;
    let name = rest.bytes().take(REFERENCE).take_while(|octet| octet.is_ascii_alphanumeric() || *octet == b'#').count();
    (name > 1 && rest.as_bytes().get(name) == Some(&b';')).then_some(name + 2)
}

/// Returns whether a line is from the letter, apart from a few characters that a program added.
fn is_own(of_line: &[Source]) -> bool {
    let own = of_line.iter().filter(|source| **source == Source::Letter).count();
    own > 0 && own * 5 >= of_line.len() * 4
}

/// Finds the first of at least [`RUN`] consecutive characters of the letter in unmarked lines.
fn unmarked_run(lines: &[Line<'_>], sources: &[Source]) -> Option<usize> {
    let (mut run, mut first) = (0, 0);
    for line in lines {
        for letter in line.letters.clone() {
            match sources[letter] {
                Source::Letter if line.kind == Kind::Open => run += 1,
                Source::Player if line.kind == Kind::Open => {}
                Source::Letter | Source::Player | Source::Elsewhere => run = 0,
            }
            match run {
                1 if sources[letter] == Source::Letter => first = letter,
                RUN => return Some(first),
                _ => {}
            }
        }
    }
    None
}

/// Returns where the quote begins whose first letter or digit is at `at`, and where the headers above it begin. Lines
/// without letters and digits directly above the quote belong to it, because they are part of a drawing.
fn beginning(lines: &[Line<'_>], at: usize) -> (usize, usize) {
    let mut first = lines.iter().rposition(|line| line.at <= at).unwrap_or_default();
    let (before, own) = lines[first].text.split_at(at - lines[first].at);
    if before.contains(char::is_alphanumeric) {
        // If little of the line belongs to the letter, the sender wrote the line: its last characters occur in the
        // letter by chance.
        if first + 1 == lines.len() || own.chars().filter(|c| c.is_alphanumeric()).nth(GRAM).is_some() {
            return (at, at);
        }
        first += 1;
    }
    let mut begin = lines[first].at;
    while let Some(above) = first.checked_sub(1).map(|above| &lines[above])
        && above.kind == Kind::Open
        && above.letters.is_empty()
    {
        first -= 1;
        if !above.text.trim().is_empty() {
            begin = above.at;
        }
    }
    (begin, head(&lines[..first]).unwrap_or(begin))
}

/// Returns where the headers at the end of these lines begin. In every language, each header has a label, and at least
/// one contains an address.
fn head(lines: &[Line<'_>]) -> Option<usize> {
    let is_label = |label: &str| label.len() <= LABEL && !label.contains(|c: char| c.is_numeric());
    let is_header = |line: &&Line<'_>| line.text.split_once([':', '：']).is_some_and(|(label, _)| is_label(label));
    let headers: Vec<&Line<'_>> = lines.iter().rev().take_while(is_header).take(HEAD).collect();
    let is_head = headers.len() > 1 && headers.iter().any(|line| line.text.contains('@'));
    headers.last().filter(|_| is_head).map(|line| line.at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LETTER: &str = "bob played f4. It is your turn.\n\n  /a1\\\n | b1 | b2 |\n\nWhite (o): alice (to move)\nBlack (x): bob\n\
                          Aim: Occupy any two bases and connect them with one chain.\n\n\
                          Reply to this letter with your move on the first line.\n";

    fn marked(text: &str) -> String {
        OwnLetter::new(&[LETTER.to_owned()], &[]).marked(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn everything_below_the_first_line_of_the_letter_is_marked() {
        let text = format!("f3\nHi\n\n On 3 March, Bob wrote: {LETTER}and more\n");
        let (new, quote) = ("f3\nHi\n\n On 3 March, Bob wrote:\n", format!("{LETTER}and more\n"));
        let quote: String = quote.split_inclusive('\n').map(|line| format!("> {line}")).collect();
        assert_eq!(marked(&text), format!("{new}{quote}"));
    }

    #[test]
    fn a_word_of_the_letter_above_its_quote_remains() {
        let marked = marked(&format!("f3\n\nHi alice to move\n{}", LETTER.split_once("(to move)\n").unwrap().1));
        assert!(marked.starts_with("f3\n\nHi alice to move\n> Black"), "{marked}");
    }

    #[test]
    fn headers_and_links_belong_to_the_quote() {
        let letter = LETTER.replace("f4", "f4 <https://example.org/boards/1>");
        let marked = marked(&format!("f3\n\nLähettäjä: Bob <bob@example.org>\nAihe: Marque\n\n[cid:board]\n{letter}"));
        assert!(marked.starts_with("f3\n\n> Lähettäjä"), "{marked}");
        assert!(marked.lines().skip(2).all(|line| line.starts_with("> ")), "{marked}");
    }

    #[test]
    fn a_players_own_text_is_not_a_quote() {
        let own =
            "Aim: Occupy any two bases and connect them with one chain. Black is bob, white is me, and I am to move.";
        let letter = OwnLetter::new(&[format!("You wrote:\n{own}\n")], &[own.to_owned()]);
        assert_eq!(letter.marked(own), None);
        assert_eq!(letter.lines_in(own), 0);
    }

    proptest! {
        #[test]
        fn marking_never_panics(before in "\\PC{0,40}|[<(\\[>:a\n]{0,40}", cut in 0..LETTER.len(), after in "\\PC{0,40}") {
            marked(&format!("{before}{}{after}", &LETTER[cut..]));
        }
    }
}
