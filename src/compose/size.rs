//! Limits the length of answers to mail, because a small message must not cause a huge letter.

use crate::message;
use crate::service::{Notice, NoticeKind, SHORT_ANSWER};
use crate::store::OutboxNotice;

use super::composer::Composer;
use super::html::Html;
use super::lines::{broken, fold_wide};
use super::reader::Reader;

/// The maximum size of an answer in octets, including its pictures.
const MAX_ANSWER: usize = 256 * 1024;
/// The size reserved for the headers of a letter to a stranger, in octets.
const HEADERS: usize = 850;

/// Returns the maximum size of a letter with these notices in octets; `None` for no limit, if the letter is
/// unsolicited.
pub(crate) fn limit(reader: &Reader, notices: &[OutboxNotice]) -> Option<usize> {
    let mut answers = notices.iter().filter(|notice| NoticeKind::of(notice) == Some(NoticeKind::Answer)).peekable();
    answers.peek()?;
    if !reader.userid.is_empty() {
        return Some(MAX_ANSWER);
    }
    let octets = |notice| match Notice::read(notice) {
        Ok(Notice::Answer(answer)) => answer.octets.unwrap_or(SHORT_ANSWER) as usize,
        _ => SHORT_ANSWER as usize,
    };
    Some(answers.map(octets).sum::<usize>().saturating_sub(HEADERS))
}

/// Returns the size of an HTML part in a letter in octets, with its pictures in base64.
pub(crate) fn of_html(html: &Html) -> usize {
    html.html.len() + html.pictures.iter().map(|picture| picture.png.len().div_ceil(3) * 4).sum::<usize>()
}

impl Composer {
    /// Shortens a text to this many octets at a line end, and adds a note.
    pub(crate) fn cut(&self, reader: &Reader, text: &str, most: usize) -> anyhow::Result<String> {
        let more = match reader.userid.is_empty() {
            true => message!("compose.cut-for-stranger"),
            false => message!("compose.cut", most = most / 1024),
        };
        let more = broken(&fold_wide(&self.message(&more)?));
        let room = most.saturating_sub(more.len() + 2);
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            if end + line.len() > room {
                break;
            }
            end += line.len();
        }
        Ok(format!("{}\n\n{more}\n", text[..end].trim_end()))
    }
}
