//! Finds the newly written text of a message, without quotes, forwarded messages, signatures and small print.
//!
//! A text is split into the pieces between quotes. An attribution (`On …, … wrote:`) without a following `>`, the
//! headers of a quoted message and every line like *Original Message* end the new text, because the text below cannot
//! be distinguished from the quote. If quote marks follow these headers or this line, the new text may continue below
//! the quote. If in doubt, more text is cut, not less: a quoted command must not be executed, and a sender whose own
//! words were cut is informed that no command was found.

mod attribution;
mod lines;
mod own_letter;

use super::banner;
use crate::command::bare_move;
use crate::rules::Notation;
use lines::{WORDS, begins_block, is_blank, is_quote, is_rule, marked_head, plain};

pub(crate) use own_letter::{OwnLetter, may_hold_lines, may_hold_note};

/// The narrowest width at which mail programs break lines.
const BROKEN_AT: usize = 60;
/// A paragraph of at least this length that begins like small print is small print.
const NOTICE_WIDTH: usize = 200;
/// Like [`NOTICE_WIDTH`], for a paragraph with an address or a link.
const LINK_WIDTH: usize = 50;
/// The operating systems that Outlook's advertisements name.
const OUTLOOK_SYSTEMS: &[&str] = &["ios", "android", "macos", "windows"];
/// Words that occur in sentences, but not in names of programs.
const VERBS: &[&str] = &[
    "is", "was", "and", "it", "i", "you", "we", "but", "ist", "bin", "ich", "wir", "aber", "est", "suis", "soy", "sono",
];
/// The maximum number of lines to read; answers to letters are shorter.
const LINES: usize = 20_000;
/// The maximum number of lines to read that end like an attribution. Examining such a line is slow, and answers to
/// letters contain fewer of them.
const ENDINGS: usize = 500;
/// The maximum number of lines of a signature below a closing.
const SIGNATURE_LINES: usize = 8;
/// The longest line of a signature below a closing.
const SIGNATURE_WIDTH: usize = 100;
/// The maximum number of words of a name.
const NAME_WORDS: usize = 4;

/// The text that the sender of a message wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewText<'a> {
    /// The pieces, in order. A quote separates consecutive pieces.
    pub pieces: Vec<Piece<'a>>,
    /// The lines below the attribution that ended the new text, or the headers that ended it and the lines below them.
    /// They are treated as quoted, although they are not marked.
    pub cut: Vec<&'a str>,
}

/// New text between two quotes, or above or below one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The lines, without empty ones at either end.
    pub lines: Vec<&'a str>,
    /// `Best regards,` below the lines, with the name of the writer. A closing without other text is not a comment.
    pub closing: Vec<&'a str>,
    /// The signature, small print, gateway banner or `Sent from my …` at the end.
    pub signature: Vec<&'a str>,
}

impl<'a> NewText<'a> {
    /// Returns the lines that may contain commands: those of the first piece.
    ///
    /// Empty if there is only a signature above the first quote.
    pub fn first(&self) -> &[&'a str] {
        self.pieces.first().map_or(&[], |piece| &piece.lines)
    }

    /// Returns all new text, without signatures.
    pub fn text(&self) -> String {
        let pieces = self.pieces.iter().map(Piece::text);
        pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

impl Piece<'_> {
    /// Returns the text without the signature.
    pub fn text(&self) -> String {
        let parts = [&self.lines, &self.closing].into_iter().filter(|lines| !lines.is_empty());
        let parts = parts.map(|lines| lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n"));
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

/// Finds the new text of a message. `text` is the text that [`super::read()`] returns, in which quoted lines begin with
/// `>`, even if the message is HTML.
pub fn new_text(text: &str) -> NewText<'_> {
    let lines: Vec<&str> = text.lines().flat_map(attribution::parts_of_line).take(LINES).collect();
    let width = quoted_width(&lines);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut piece = Vec::new();
    let mut cut = lines.len();
    let mut endings = 0;
    let mut at = 0;
    while at < lines.len() {
        let here = &lines[at..];
        if is_quote(lines[at]) {
            end_piece(&mut pieces, &mut piece);
        }
        let nothing_above = pieces.iter().all(|piece| piece == &Piece::default());
        if let Some(quoted) = quote(&lines, at, width, nothing_above) {
            at += quoted;
            continue;
        }
        if begins_block(here) {
            let Some(head) = marked_head(here) else {
                cut = at;
                break;
            };
            end_piece(&mut pieces, &mut piece);
            if pieces.is_empty() {
                // The sender wrote nothing above the quote. An empty first piece prevents lines below the quote from
                // being read as commands.
                pieces.push(Piece::default());
            }
            at += head;
            continue;
        }
        endings += usize::from(attribution::may_end_with(lines[at]));
        if endings > ENDINGS {
            cut = at;
            break;
        }
        piece.push(lines[at]);
        at += 1;
        let after = &lines[at..];
        if let Some(length) = attribution::ends_with(&piece, after) {
            piece.truncate(piece.len() - length);
            if !after.iter().find(|line| !is_blank(line)).is_some_and(|line| is_quote(line)) {
                cut = at;
                break;
            }
        }
    }
    end_piece(&mut pieces, &mut piece);
    NewText { pieces, cut: lines[cut..].to_vec() }
}

/// Returns whether a line is a greeting, possibly with a name: `Good morning, Bob!`
pub(crate) fn is_greeting(line: &str) -> bool {
    let ends = line.trim().ends_with([',', '!', '.', ':', '，', '！', '、']);
    let said = plain(line);
    let said = said.trim_end_matches(|c: char| !c.is_alphanumeric());
    WORDS.greetings.iter().any(|greeting| {
        said.strip_prefix(greeting).is_some_and(|name| {
            name.is_empty()
                || (ends && !name.starts_with(char::is_alphanumeric) && name.split_whitespace().count() <= 3)
        })
    })
}

/// Returns the width to which the sender's mail program wrapped quoted lines: at least the width of the longest quoted
/// line with several words.
fn quoted_width(lines: &[&str]) -> usize {
    let words = |line: &str| line.split_whitespace().filter(|word| !is_quote(word)).take(2).count();
    let wide = lines.iter().filter(|line| is_quote(line) && words(line) == 2);
    wide.map(|line| line.trim_end().chars().count()).max().unwrap_or_default().max(BROKEN_AT)
}

/// Returns the number of quoted lines from `at` on; `None` if the line at `at` is not quoted.
///
/// A mail program may have broken a long quoted line without a `>` before its second half. An unmarked line between two
/// quoted lines is treated as such a second half. An unmarked line below the last quoted line is treated as one only if
/// no new text precedes it (otherwise it could be read as a command), and if the line above it does not end a sentence.
/// A line is not a second half if its first word would have fitted on the line above.
fn quote(lines: &[&str], at: usize, width: usize, nothing_above: bool) -> Option<usize> {
    if !is_quote(lines[at]) {
        return None;
    }
    let mut end = at + 1;
    while end < lines.len() {
        let above = lines[end - 1].trim_end();
        let word = lines[end].split_whitespace().next().unwrap_or_default();
        let together = above.chars().count() + 1 + word.chars().count();
        let half = !word.is_empty()
            && if lines.get(end + 1).is_some_and(|line| is_quote(line)) {
                together > BROKEN_AT
            } else {
                nothing_above && together > width && !above.ends_with(['.', '!', '?', ':'])
            };
        let quoted = is_quote(lines[end]) || (half && attribution::is_none(lines[end]));
        if !quoted {
            break;
        }
        end += 1;
    }
    Some(end - at)
}

fn end_piece<'a>(pieces: &mut Vec<Piece<'a>>, lines: &mut Vec<&'a str>) {
    let whole = std::mem::take(lines);
    let lines = trimmed(without_rule(&whole));
    let at = (0..lines.len()).find(|&at| begins_signature(lines, at)).unwrap_or(lines.len());
    let (own, signature) = lines.split_at(banner::foot(&lines[..at]));
    let own = match own {
        // A dash above an advertisement belongs to it.
        [rest @ .., dash] if !signature.is_empty() && matches!(dash.trim(), "-" | "–" | "—" | "*") => rest,
        own => own,
    };
    let own = trimmed(without_rule(own));
    let (own, closing, signature) = match closing(own) {
        None => (own, &[] as &[_], signature),
        Some(Closing::OfLetter(at)) => (&own[..at], &own[at..], signature),
        Some(Closing::OfSignature(at)) => (&own[..at], &[] as &[_], &lines[at..]),
    };
    let piece = Piece {
        lines: trimmed(without_rule(own)).to_vec(),
        closing: closing.to_vec(),
        signature: trimmed(signature).to_vec(),
    };
    if !piece.lines.is_empty() || !piece.signature.is_empty() {
        pieces.push(piece);
    }
}

fn trimmed<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    &lines[start..end]
}

/// Removes the line of dashes that a mail program draws between the answer and the quote.
fn without_rule<'a, 'b>(mut lines: &'b [&'a str]) -> &'b [&'a str] {
    while let [rest @ .., last] = lines
        && (is_blank(last) || is_rule(last))
    {
        lines = rest;
    }
    lines
}

fn begins_signature(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    let trimmed = line.trim();
    if trimmed == "--" || (trimmed.len() >= 2 && trimmed.bytes().all(|byte| byte == b'_')) {
        return true;
    }
    let plain = plain(line);
    is_small_print(&plain, &lines[at..]) || is_advertisement(&plain)
}

/// Returns whether small print begins with the first of these lines. "This message is for Bob" is a sentence, unless
/// legal terms, an address, a link or many more words follow.
fn is_small_print(plain: &str, lines: &[&str]) -> bool {
    let starts = |phrases: &[&str]| phrases.iter().any(|phrase| plain.starts_with(phrase));
    if starts(&WORDS.footers) {
        return true;
    }
    if !starts(&WORDS.notices) {
        return false;
    }
    let paragraph: Vec<String> =
        lines.iter().take_while(|line| !is_blank(line)).map(|line| lines::plain(line)).collect();
    let paragraph = paragraph.join(" ");
    let width = paragraph.chars().count();
    width >= NOTICE_WIDTH
        || (width >= LINK_WIDTH && ["@", "http", "www."].iter().any(|link| paragraph.contains(link)))
        || WORDS.legal.iter().any(|word| paragraph.contains(word))
}

/// Returns whether a text is an advertisement of Outlook in any language: `Outlook for iOS<https://aka.ms/o0ukef> を入手`.
/// The name of the program must occur with a link of its vendor or the name of an operating system.
fn is_outlooks(plain: &str) -> bool {
    if !plain.contains("outlook") || plain.chars().count() > LINK_WIDTH * 3 {
        return false;
    }
    let has_link = ["aka.ms/", "go.microsoft.com/fwlink"].iter().any(|link| plain.contains(link));
    let mut words = plain.split_whitespace();
    let is_sentence = plain.contains(['?', ';', '!']) || words.clone().any(|word| VERBS.contains(&word));
    let runs_on = words.any(|word| OUTLOOK_SYSTEMS.iter().any(|system| word.contains(system)));
    has_link || (runs_on && !is_sentence && plain.split_whitespace().count() <= 6)
}

/// Returns whether a line is a program's advertisement for itself, such as `Sent from my iPhone`. A line such as `Sent
/// from my service, which is much easier` is a sentence.
fn is_advertisement(plain: &str) -> bool {
    if is_outlooks(plain) {
        return true;
    }
    let drawn = |c: char| !c.is_alphanumeric();
    let plain = plain.trim_start_matches(|c: char| drawn(c) && c != '/').replace('[', "");
    // The address of the program's vendor may follow in brackets.
    let plain = plain.split(['<', '(', ']']).next().unwrap_or_default().trim();
    let said = plain.trim_end_matches(drawn);
    WORDS.sent_from.iter().any(|phrase| {
        let Some(rest) = said.strip_prefix(phrase) else { return false };
        let mut rest = rest.split_whitespace();
        let device = |word: &str| WORDS.devices.contains(&word.trim_matches(drawn));
        if rest.clone().next().is_some_and(device) {
            return true;
        }
        // A sentence has commas, verbs, or more words than a program's name.
        !said.contains([',', '?', ';']) && rest.clone().count() <= 6 && !rest.any(|word| VERBS.contains(&word))
    })
}

/// The kind of a closing, with the line in which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The end of a letter: only the writer's name follows.
    OfLetter(usize),
    /// The beginning of a signature with more than the name.
    OfSignature(usize),
}

/// Returns the closing of these lines, which end where a signature of another kind begins.
///
/// A line such as "Best regards" is not a closing if there is no text above it, or if a move or a long text is below
/// it.
pub(crate) fn closing(lines: &[&str]) -> Option<Closing> {
    (1..lines.len()).filter(|&at| is_closing(lines[at])).find_map(|at| {
        let rest = &lines[at + 1..];
        if rest.iter().find(|line| !is_blank(line)).is_some_and(|line| Notation::is_list(bare_move(line.trim()))) {
            return None;
        }
        let mut below = rest.iter().filter(|line| !is_blank(line)).take(SIGNATURE_LINES + 1);
        let (first, more) = (below.next(), below.count());
        if more == 0 && first.is_none_or(|line| is_name(line)) {
            return Some(Closing::OfLetter(at));
        }
        let narrow = rest.iter().take(4 * SIGNATURE_LINES).all(|line| line.chars().count() <= SIGNATURE_WIDTH);
        (more < SIGNATURE_LINES && narrow).then_some(Closing::OfSignature(at))
    })
}

fn is_closing(line: &str) -> bool {
    let plain = plain(line);
    let said = plain.trim_end_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace());
    WORDS.closings.contains(&said)
}

/// Returns whether a line contains only a name: few words, without a number, an address, or a title after a comma.
fn is_name(line: &str) -> bool {
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    let other = |c: char| c.is_numeric() || matches!(c, '@' | ',' | ';' | ':' | '/' | '|' | '!' | '?' | '<' | '(');
    !said.is_empty() && !said.contains(other) && said.split_whitespace().count() <= NAME_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_neither_a_move_nor_a_letter() {
        for line in [
            "Hi,",
            "hi",
            "Hello Bob,",
            "Dear Mr. White:",
            "Hallo!",
            "Привет, Боб!",
            "Good morning,",
            "Good morning, Bob!",
            "Guten Tag",
            "Bonjour !",
            "Buenos días:",
            "Dzień dobry,",
            "おはようございます。",
        ] {
            assert!(is_greeting(line), "{line}");
        }
        for line in [
            "Hi there I think about it",
            "High noon,",
            "f3",
            "Dear me, what a move this is.",
            "Good move,",
            "Good morning and",
            "",
        ] {
            assert!(!is_greeting(line), "{line}");
        }
    }
}
