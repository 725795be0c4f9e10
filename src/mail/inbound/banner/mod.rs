//! Banners: the warnings that the mail gateways of organizations put above every mail from outside.

mod words;

use words::WORDS;

/// The fewest characters of a line that a program breaks. The line below a shorter one is another sentence.
const BROKEN_AT: usize = 50;
/// The longest banner, in characters.
const LONGEST: usize = 1_200;
/// The most words of a banner that is only a label.
const LABEL_WORDS: usize = 4;

/// Returns a text without the banners above it.
pub(super) fn without_banner(text: &str) -> &str {
    let mut rest = text;
    while let Some(banner) = banner(rest) {
        rest = &rest[banner..];
    }
    rest
}

/// The length in octets of the banner with which a text begins.
fn banner(text: &str) -> Option<usize> {
    let (mut end, mut said, mut above) = (0, String::new(), None::<&str>);
    for line in text.split_inclusive('\n') {
        match above {
            None if line.trim().is_empty() => {}
            Some(above) if line.trim().is_empty() || !continues(above, line) => break,
            _ => {
                if said.len() > LONGEST {
                    return None;
                }
                said.push_str(line.trim());
                said.push(' ');
                above = Some(line.trim());
            }
        }
        end += line.len();
    }
    is_banner(said.trim()).then_some(end)
}

/// Whether a line goes on with the banner of the line above it.
fn continues(above: &str, line: &str) -> bool {
    let is_open = above.chars().count() >= BROKEN_AT && !above.ends_with(['.', '!', '?', '*', ']', '。']);
    let plain = plain(line);
    let warns = WORDS.advice.iter().chain(&WORDS.outside).any(|words| plain.contains(words));
    is_open || (warns && plain.split(' ').count() > 1)
}

/// Whether a paragraph warns of mail from outside, or is the label of such a warning.
fn is_banner(paragraph: &str) -> bool {
    let plain = plain(paragraph);
    let has = |words: &[&str]| words.iter().any(|words| plain.contains(words));
    let begins = |words: &[&str]| words.iter().any(|words| plain.starts_with(words));
    let is_label = plain.split(' ').count() <= LABEL_WORDS && (begins(&WORDS.labels) || begins(&WORDS.outside));
    let is_framed = paragraph.starts_with(['[', '*', '#', '=', '!']);
    let is_loud = paragraph.chars().any(char::is_uppercase) && !paragraph.chars().any(char::is_lowercase);
    let warns = has(&WORDS.advice) || begins(&WORDS.labels) || begins(&WORDS.mails) || plain.contains("banner");
    (has(&WORDS.outside) && warns) || (is_label && (is_framed || is_loud) && !plain.is_empty())
}

/// A text in the form of the word lists, without marks around it.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘', '´', '`'], "'");
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, '*' | '[' | ']' | '_' | '|')).collect();
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banner_is_cut_and_nothing_below_it() {
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
        ] {
            assert_eq!(without_banner(&format!("{banner}Thanks!\nf3\n")).trim(), "Thanks!\nf3", "{banner}");
            assert_eq!(without_banner(&format!("{banner}f3\n")).trim(), "f3", "{banner}");
        }
    }

    #[test]
    fn a_letter_is_no_banner() {
        for text in [
            "f3\n",
            "Thanks!\nf3\n",
            "Attention! Your base is weak.\n\nf3\n",
            "Warning\n\nf3\n",
            "My external email is bad for my eyes.\nf3\n",
            "I was outside your organization of stones.\n",
            "My last stone came from outside the board.\n\nf3\n",
            "",
        ] {
            assert_eq!(without_banner(text), text);
        }
    }
}
