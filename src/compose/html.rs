//! The HTML part of a letter: its text with paragraphs that fit any width, and its boards as pictures.
//!
//! It is made from the finished text, so that both parts say the same. What the text broke at 78 columns is joined
//! again: a line that the next line's first word would not have fitted on goes on there.

use std::fmt::Write;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::draw::svg::escape;
use crate::numbers::BoardNumber;
use crate::text::squeezed;

use super::board::{DrawnBoard, MAX_PICTURES};
use super::composer::Composer;
use super::filters::{WIDTH, broken};
use super::replies::Replies;
use super::section::Section;

/// Pixels of a picture's width: half as many again as it is shown at, for fine screens.
const PIXELS: u32 = 720;

/// More indented lines than this are a drawing, whose lines must not be broken.
const LONGEST_COMMANDS: usize = 10;

/// The HTML part of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html {
    /// The part itself; it shows each picture by its `cid:`.
    pub html: String,
    /// The pictures, in order.
    pub pictures: Vec<Picture>,
}

/// A board as a picture inside a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its Content-ID, without angle brackets.
    pub id: String,
    /// PNG.
    pub png: Arc<[u8]>,
}

/// What the HTML part of a letter is made of beside its sections.
pub(super) struct Page<'a> {
    /// The subject that a reply answers.
    pub(super) subject: &'a str,
    /// The finished text part.
    pub(super) text: &'a str,
    /// What a list of mails shows of it.
    pub(super) preheader: &'a str,
    /// The letter's Message-ID, without its angle brackets and token.
    pub(super) id: &'a str,
    /// The reader's userid.
    pub(super) reader: &'a str,
}

impl Composer {
    /// The HTML part of a letter. Below each section stand the answers that need nothing but a click, for each of its
    /// boards that waits for one.
    pub(super) fn html(&self, page: &Page<'_>, sections: &[Section], replies: &Replies) -> anyhow::Result<Html> {
        let (mut body, mut rest) = (String::new(), page.text);
        let mut pictures = Vec::new();
        let mut answered: Vec<BoardNumber> = Vec::new();
        for section in sections {
            let text = broken(&section.text);
            let Some((before, after)) = rest.split_once(&text) else { continue };
            prose(&mut body, before);
            self.section_body(&mut body, &text, &section.drawn, page.id, &mut pictures);
            for board in &section.drawn {
                if answered.len() < MAX_PICTURES && !answered.contains(&board.number) {
                    answered.push(board.number);
                    body.push_str(&self.answers(page, section, board, replies)?);
                }
            }
            rest = after;
        }
        prose(&mut body, rest);
        let facts = context! { body => Value::from_safe_string(body), preheader => escape(page.preheader) };
        let html = self.templates.fill("mail/letter.html", facts)?;
        Ok(Html { html, pictures })
    }

    /// The links that answer for one board; nothing when none would count.
    fn answers(
        &self,
        page: &Page<'_>,
        section: &Section,
        board: &DrawnBoard,
        replies: &Replies,
    ) -> anyhow::Result<String> {
        let acts = board.acts(page.reader);
        let Some(address) = board.of.and_then(|of| replies.address_at(of)).filter(|_| !acts.is_empty()) else {
            return Ok(String::new());
        };
        // Of a letter about several boards, each board's answers belong to its own thread.
        let subject = section.board.map_or(page.subject.to_owned(), |_| squeezed(&section.subject));
        let mailto = format!("mailto:{}?subject={}&amp;body=", percent(address), percent(&format!("Re: {subject}")));
        let link = |text: &str| context! { text => escape(text), url => format!("{mailto}{}", percent(text)) };
        let moves = if board.waits_for(page.reader) { board.legal.as_slice() } else { &[] };
        let facts = context! {
            board => replies.are_numbered().then_some(board.number.0),
            acts => acts.into_iter().map(link).collect::<Vec<_>>(),
            moves => moves.iter().map(|text| link(text)).collect::<Vec<_>>(),
        };
        self.templates.fill("mail/answers.html", facts)
    }

    /// A section's text, with pictures in the place of its drawings.
    fn section_body(
        &self,
        html: &mut String,
        text: &str,
        boards: &[DrawnBoard],
        id: &str,
        pictures: &mut Vec<Picture>,
    ) {
        let mut rest = text;
        for board in boards {
            if pictures.len() == MAX_PICTURES {
                break;
            }
            let Some((before, after)) = rest.split_once(&board.drawing) else { continue };
            prose(html, before);
            let (id, png) = (format!("board{}-{id}", pictures.len()), self.pictures.png(&board.picture, PIXELS));
            let _ = writeln!(html, "<p><img src=\"cid:{id}\" alt=\"{}\"></p>", escape(&board.picture.title));
            pictures.push(Picture { id, png });
            rest = after;
        }
        prose(html, rest);
    }
}

/// Text → paragraphs, rules and literal lines: a block whose first line is indented stands as it is.
fn prose(html: &mut String, text: &str) {
    for block in text.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.trim().is_empty()) {
        let mut lines: Vec<&str> = block.lines().collect();
        if lines[0].len() > 20 && ['=', '-'].iter().any(|rule| lines[0].chars().all(|c| c == *rule)) {
            html.push_str("<hr>\n");
            lines.remove(0);
            if let [title] = lines.as_slice() {
                let _ = writeln!(html, "<h2>{}</h2>", escape(title));
                continue;
            }
        }
        if lines.first().is_some_and(|line| line.starts_with("    ")) {
            // A drawing's first line may be indented, and others of it not.
            let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
            let lines: Vec<String> = lines.iter().map(|line| escape(line.get(indent..).unwrap_or_default())).collect();
            let class = if lines.len() > LONGEST_COMMANDS { " class=\"drawing\"" } else { "" };
            let _ = writeln!(html, "<pre{class}>{}</pre>", lines.join("\n"));
        } else if !lines.is_empty() {
            let _ = writeln!(html, "<p>{}</p>", joined(&lines));
        }
    }
}

/// Lines of prose, those that were broken for their width joined again.
fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|before| lines[before]) {
            let word = line.split_whitespace().next().unwrap_or_default();
            let went_on = before.chars().count() + 1 + word.chars().count() > WIDTH;
            text.push_str(if went_on { " " } else { "<br>\n" });
        }
        text.push_str(&escape(line.trim()));
    }
    text
}

/// As a part of a `mailto:` URL (RFC 6068), where `+` is encoded too: some programs take it for a blank.
fn percent(text: &str) -> String {
    let mut url = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => url.push(char::from(byte)),
            _ => {
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_keeps_its_columns() {
        let drawing = ["    /\\", "   /  \\", "+-----"].repeat(4).join("\n");
        let mut html = String::new();
        prose(&mut html, &drawing);
        assert_eq!(html, format!("<pre class=\"drawing\">{drawing}</pre>\n"));
    }

    #[test]
    fn a_section_has_a_heading() {
        let mut html = String::new();
        prose(&mut html, &format!("One.\n\n{}\nBoard <2>\n\nTwo.\n\n{}\n\nThree.", "=".repeat(78), "-".repeat(78)));
        let expected = "<p>One.</p>\n<hr>\n<h2>Board &lt;2&gt;</h2>\n<p>Two.</p>\n<hr>\n<p>Three.</p>\n";
        assert_eq!(html, expected);
    }

    #[test]
    fn what_was_broken_for_its_width_is_joined() {
        let long = "word ".repeat(15) + "0123456789";
        let mut html = String::new();
        prose(&mut html, &format!("{}\nlast <b>.\nShort.\n\n    marque move\n    x & y\n\nEnd", &long[..76]));
        assert_eq!(
            html,
            format!(
                "<p>{} last &lt;b&gt;.<br>\nShort.</p>\n<pre>marque move\nx &amp; y</pre>\n<p>End</p>\n",
                &long[..76].trim()
            )
        );
    }
}
