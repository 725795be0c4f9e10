//! Banners: the warnings that organisations' mail gateways put above or below every message from outside.

use super::words;

/// A mail program may have wrapped a line of at least this many characters. The line below a shorter line begins a new
/// sentence.
const BROKEN_AT: usize = 50;
/// The longest banner, in octets.
const LONGEST: usize = 1_200;
/// The maximum number of words of a banner that consists of a label.
const LABEL_WORDS: usize = 4;
/// The shortest line that can be part of a frame around a banner, in octets.
const SHORTEST_RULE: usize = 4;
/// The maximum number of lines of banners at the end of a text.
const FOOT_LINES: usize = 40;
/// The words with which one mail gateway marks the start and the end of its banners.
const MARKS: [&str; 2] = ["bannerstart", "bannerend"];

/// Removes the banners at the start of a text.
pub(crate) fn without_banner(text: &str) -> &str {
    let mut rest = text;
    while let Some((lines, _)) = banner(rest.split_inclusive('\n')) {
        let end = rest.split_inclusive('\n').take(lines).map(str::len).sum();
        rest = &rest[end..];
    }
    rest
}

/// Returns the index of the first line of the banners at the end of a text, or the number of lines if there are no
/// banners.
pub(crate) fn foot(lines: &[&str]) -> usize {
    let may_begin = |at: &usize| !is_blank(lines[*at]) && !at.checked_sub(1).is_some_and(|above| is_open(lines[above]));
    let first = lines.len().saturating_sub(FOOT_LINES);
    // A short line above a banner may be a separate sentence.
    let begins = |at: usize| kind(lines[at]).is_some() || is_label(&plain(lines[at])) || !are_banners(&lines[at + 1..]);
    let is_foot = |&at: &usize| are_banners(&lines[at..]) && begins(at);
    (first..lines.len()).filter(may_begin).find(is_foot).unwrap_or(lines.len())
}

/// Returns whether lines contain only banners. A label in capital letters is not enough, because it may be a sentence.
fn are_banners(lines: &[&str]) -> bool {
    let (mut rest, mut is_certain) = (lines, false);
    while let Some((length, kind)) = banner(rest.iter().copied()) {
        is_certain |= kind != Kind::Loud;
        rest = &rest[length..];
    }
    is_certain && rest.iter().all(|line| is_blank(line))
}

/// How a banner is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The words of the banner identify it.
    Warning,
    /// The marks of the banner identify it: `[EXTERNAL]`.
    Framed,
    /// The capital letters of the banner identify it.
    Loud,
}

/// Returns the kind of the banner at the start of these lines, and its number of lines.
fn banner<'a>(lines: impl Iterator<Item = &'a str>) -> Option<(usize, Kind)> {
    let (mut length, mut said, mut above) = (0, String::new(), None::<&str>);
    for line in lines {
        match above {
            None if is_blank(line) || is_rule(line) => {}
            Some(_) if is_rule(line) => {
                length += 1;
                break;
            }
            Some(above) if is_blank(line) || !continues(above, line) => break,
            _ => {
                if said.len() > LONGEST {
                    return None;
                }
                said.push_str(line.trim());
                said.push(' ');
                above = Some(line.trim());
            }
        }
        length += 1;
    }
    kind(said.trim()).map(|kind| (length, kind))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Returns whether a line only draws the frame around a banner.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= SHORTEST_RULE && line.bytes().all(|octet| b"-_=*#+~| ".contains(&octet))
}

/// Returns whether a line continues the banner on the line above it.
fn continues(above: &str, line: &str) -> bool {
    let plain = plain(line);
    let warns = WORDS.advice.iter().chain(&WORDS.outside).any(|words| plain.contains(words));
    is_open(above) || (warns && plain.split(' ').count() > 1)
}

/// Returns whether the sentence on a line continues on the next line.
fn is_open(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= BROKEN_AT && !line.ends_with(['.', '!', '?', '*', ']', '。'])
}

/// Returns the kind of a banner, if the paragraph is one: a warning about mail from outside, or only its label.
fn kind(paragraph: &str) -> Option<Kind> {
    let plain = plain(paragraph);
    let has = |words: &[&str]| words.iter().any(|words| plain.contains(words));
    let begins = |words: &[&str]| words.iter().any(|words| plain.starts_with(words));
    if plain.is_empty() || paragraph.starts_with('>') {
        return None;
    }
    let is_marked = MARKS.iter().any(|mark| plain.contains(mark));
    let advises = has(&WORDS.advice) || has(&WORDS.organizations) || begins(&WORDS.labels);
    if has(&WORDS.outside) && (is_marked || (has(&WORDS.mails) && advises && !says_i(paragraph, &plain))) {
        return Some(Kind::Warning);
    }
    if !is_label(&plain) {
        return None;
    }
    let is_loud = paragraph.chars().any(char::is_uppercase) && !paragraph.chars().any(char::is_lowercase);
    match paragraph.starts_with(['[', '*', '#', '=', '!']) {
        true => Some(Kind::Framed),
        false => is_loud.then_some(Kind::Loud),
    }
}

/// Returns whether a normalized text begins like a label and is as short as one.
fn is_label(plain: &str) -> bool {
    let mut beginnings = WORDS.labels.iter().chain(&WORDS.outside);
    plain.split(' ').count() <= LABEL_WORDS && beginnings.any(|words| plain.starts_with(words))
}

/// Returns whether a paragraph mentions its writer, which banners never do. `plain` is the normalized paragraph.
fn says_i(paragraph: &str, plain: &str) -> bool {
    let spaced = format!(" {plain} ");
    // In other languages, "I" may have another meaning.
    let is_english = spaced.contains(" the ")
        && paragraph.split_whitespace().any(|word| word.split(['\'', '’']).next() == Some("I"));
    is_english || WORDS.writers.iter().any(|word| spaced.contains(&format!(" {word} ")))
}

/// Normalizes a text for comparison with the word lists: lower case, straight apostrophes, no marks.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘', '´', '`'], "'");
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, '*' | '[' | ']' | '_' | '|')).collect();
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

words::define! {
    static WORDS: Words = "words/banner.txt" {
        /// The first words of a warning, which may also be the whole warning.
        labels,
        /// Phrases that identify mail from outside.
        outside,
        /// Words for a message or its sender. Each warning without marks contains one.
        mails,
        /// Words of the advice after a warning.
        advice,
        /// Words for an organisation.
        organizations,
        /// Words with which writers refer to themselves.
        writers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_are_cut_and_the_text_below_them_remains() {
        for banner in [
            "CAUTION: This email originated from outside of the organization. Do not click links or open attachments unless \
             you recognize the sender and know the content is safe.\n",
            "CAUTION: This email originated from outside of the organization. Do not\nclick links or open attachments \
             unless you recognize the sender and know the\ncontent is safe.\n\n",
            "[EXTERNAL EMAIL]\n",
            "*** EXTERNAL ***\n\n",
            "EXTERNAL SENDER\n",
            "[EXTERNAL]\n\nWARNING: This message was sent from outside our company. Be careful with links.\n\n",
            "You don't often get email from alice@players.example. Learn why this is important \
             <https://aka.ms/LearnAboutSenderIdentification>\n\n",
            "ZjQcmQRYFpfptBannerStart\nThis Message Is From an External Sender\nThis message came from outside your \
             organization. Report suspicious\nZjQcmQRYFpfptBannerEnd\n",
            "ACHTUNG: Diese E-Mail stammt von außerhalb der Organisation. Klicken Sie nicht auf Links.\n\n",
            "ATTENTION : Ce courriel provient de l’extérieur de l’organisation. Ne cliquez pas sur les liens.\n\n",
            "PRECAUCIÓN: Este correo electrónico se originó fuera de la organización. No haga clic en enlaces.\n",
            "ATTENZIONE: questa e-mail proviene dall'esterno. Non cliccare sui link.\n\n",
            "LET OP: deze e-mail komt van buiten de organisatie. Klik niet op links.\n\n",
            "________________\nCAUTION: This email originated from outside of the organization.\n________________\n\n",
            "|--------------|\n| CAUTION: This email originated from outside of the organization. |\n|--------------|\n",
            "NOTICE: This email is from outside Example Inc. Verify the sender.\n\n",
            "外部メールです。リンクや添付ファイルに注意してください。\n\n",
            "警告：此邮件来自公司外部，请谨慎点击链接和附件。\n\n",
            "DİKKAT: Bu e-posta kurum dışından gelmiştir. Bağlantılara tıklamayın.\n\n",
        ] {
            assert_eq!(without_banner(&format!("{banner}Thanks!\nf3\n")).trim(), "Thanks!\nf3", "{banner}");
            assert_eq!(without_banner(&format!("{banner}f3\n")).trim(), "f3", "{banner}");
        }
    }

    #[test]
    fn letters_are_not_banners() {
        for text in [
            "f3\n",
            "Thanks!\nf3\n",
            "Attention! Your base is weak.\n\nf3\n",
            "Warning\n\nf3\n",
            "My external email is bad for my eyes.\nf3\n",
            "I was outside your organization of stones.\n",
            "My last stone came from outside the board.\n\nf3\n",
            "Is it safe to attack from outside the base?\n\nf3\n",
            "Caution: my mail comes from outside the office today.\n\nf3\n",
            "This message comes from an outside table in the sun.\n\nf3\n",
            "",
        ] {
            assert_eq!(without_banner(text), text);
        }
    }

    #[test]
    fn banners_at_the_foot_are_found() {
        const WARNING: &str = "CAUTION: This email originated from outside of the organization. Do not click links.";
        for foot in [
            &[WARNING][..],
            &["", WARNING, ""],
            &["CAUTION: This email originated from outside of the organization. Do not", "click links in it."],
            &["[EXTERNAL]"],
            &["[EXTERNAL]", "", WARNING],
            &["EXTERNAL", "", WARNING],
            &["This message was sent from outside the company. Please report suspicious messages."],
            &["CAUTION:", "This message was sent from outside the company. Do not click links."],
        ] {
            let lines = [&["f3", "", "Is it safe to attack from outside the base?"][..], foot].concat();
            assert_eq!(lines[..super::foot(&lines)].join("\n").trim_end(), lines[..3].join("\n"), "{foot:?}");
        }
        // In HTML, a table may follow the text without an empty line.
        assert_eq!(super::foot(&["f3", "Hi Bob", WARNING]), 2);
        assert_eq!(super::foot(&["f3", "Be careful, Bob", "[EXTERNAL]", WARNING]), 2);
    }

    #[test]
    fn sentences_at_the_foot_are_not_banners() {
        const LONG: &str = "I wrote to them that the gateway should never again write below my own words";
        for foot in [
            &["EXTERNAL"][..],
            &["WARNING!"],
            &["Attention, your base is weak."],
            &["I write this mail from outside the office, so be careful with links."],
            &["> CAUTION: This email originated from outside of the organization. Do not click links."],
            &[LONG, "external email is not safe, which it did."],
            &["Did your mail come from outside the garden?"],
        ] {
            let lines = [&["f3", ""][..], foot].concat();
            assert_eq!(super::foot(&lines), lines.len(), "{foot:?}");
        }
    }
}
