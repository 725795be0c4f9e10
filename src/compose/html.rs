//! The HTML part of a letter: its text with paragraphs that fit any width, and its boards as pictures.
//!
//! It is built from the unwrapped text, so that both parts say the same.

use std::fmt::Write;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::draw::svg::escape;
use crate::numbers::BoardNumber;
use crate::service::NoticeKind;
use crate::text::squeezed;

use super::answers::{Choices, SHOWN, percent};
use super::board::{DrawnBoard, MAX_PICTURES};
use super::composer::Composer;
use super::lines::whole;
use super::replies::Replies;
use super::section::Section;

/// Pixels of a picture's width: more than it is shown at, for fine screens.
const PIXELS: u32 = 600;
/// The same in a letter that would be too large: as many as it is shown at.
const FEWER_PIXELS: u32 = SHOWN;
/// The most octets of a letter about one board: mail programs on slow lines fetch it whole.
const MAX_LETTER: usize = 50_000;
/// More moves than this are no links: they would be larger than the rest of the letter.
const MAX_LINKS: usize = 200;
/// About the octets of a letter besides its text, its HTML body and its pictures.
const FRAME: usize = 5_000;

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
    /// The text, its lines whole.
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
            let text = whole(section.text.trim_end());
            let Some((before, after)) = rest.split_once(&text) else { continue };
            prose(&mut body, before);
            let mut rest_of_text = text.as_str();
            for board in &section.drawn {
                let is_new = answered.len() < MAX_PICTURES && !answered.contains(&board.number);
                let mut answers = Answers::default();
                if is_new {
                    answered.push(board.number);
                    answers = self.answers(section, &Asked { page, board, replies })?;
                }
                if pictures.len() < MAX_PICTURES
                    && let Some((before, after)) = rest_of_text.split_once(&board.drawing)
                {
                    prose(&mut body, before);
                    let id = format!("board{}-{}", pictures.len(), page.id);
                    let text = page.text.len() + body.len() + after.len();
                    let asked = Asked { page, board, replies };
                    let png = self.png_that_fits(&asked, &mut answers, text, sections.len() == 1)?;
                    picture(&mut body, &id, &board.picture.title, answers.areas.as_deref());
                    pictures.push(Picture { id, png });
                    rest_of_text = after;
                }
                body.push_str(&answers.links);
            }
            for curve in &section.curves {
                if pictures.len() < MAX_PICTURES
                    && let Some((before, after)) = rest_of_text.split_once(&curve.drawing)
                {
                    prose(&mut body, before);
                    let id = format!("board{}-{}", pictures.len(), page.id);
                    picture(&mut body, &id, &curve.picture.title, None);
                    pictures.push(Picture { id, png: self.pictures.png(&curve.picture, PIXELS) });
                    rest_of_text = after;
                }
            }
            prose(&mut body, rest_of_text);
            if let (NoticeKind::Confirm, Some(address)) = (section.kind, &replies.address) {
                let link = |said: &str| format!("mailto:{}?subject={said}&amp;body={said}", percent(address));
                body.push_str(
                    &self.templates.fill("mail/consent.html", context! { yes => link("yes"), stop => link("stop") })?,
                );
            }
            rest = after;
        }
        prose(&mut body, rest);
        let facts = context! { body => Value::from_safe_string(body), preheader => escape(page.preheader) };
        let html = self.templates.fill("mail/letter.html", facts)?;
        Ok(Html { html, pictures })
    }

    /// The picture of a board, and of the answers to it what fits: in a letter about one board that would be too large, the
    /// picture has fewer pixels, and if that is not enough, the links bring no subject.
    fn png_that_fits(
        &self,
        asked: &Asked<'_>,
        answers: &mut Answers,
        text: usize,
        alone: bool,
    ) -> anyhow::Result<Arc<[u8]>> {
        let board = asked.board;
        let fits = |links: &str, png: &[u8]| text + links.len() + base64(png) + FRAME <= MAX_LETTER;
        let mut png = self.pictures.png(&board.picture, PIXELS);
        if alone && !fits(&answers.links, &png) {
            png = self.pictures.png(&board.picture, FEWER_PIXELS);
            if !fits(&answers.links, &png)
                && let Some(mailto) = &answers.short_mailto
            {
                answers.links = self.links(asked, mailto)?;
            }
        }
        let both = |areas: &str| fits(&(answers.links.clone() + areas), &png);
        let fits = answers.areas.as_deref().is_some_and(|areas| alone && both(areas));
        answers.areas = answers.areas.take().filter(|_| fits);
        Ok(png)
    }

    /// The links that answer for one board; nothing when none would count.
    fn answers(&self, section: &Section, asked: &Asked<'_>) -> anyhow::Result<Answers> {
        let Asked { page, board, .. } = asked;
        let Some(address) = asked.address() else { return Ok(Answers::default()) };
        // Of a letter about several boards, each board's answers belong to its own thread.
        let subject = section.board.map_or(page.subject.to_owned(), |_| squeezed(&section.subject));
        let mailto = format!("mailto:{}?subject={}&amp;body=", percent(address), percent(&format!("Re: {subject}")));
        // Without a subject, a third shorter: the token says which board it is.
        let short = format!("mailto:{}?body=", percent(address));
        let areas = asked.choices().map(|choices| choices.areas(&board.picture, &short));
        Ok(Answers { links: self.links(asked, &mailto)?, short_mailto: Some(short), areas })
    }

    /// Links that answer, each of which begins like this.
    fn links(&self, asked: &Asked<'_>, mailto: &str) -> anyhow::Result<String> {
        let Asked { page, board, replies } = asked;
        let link = |text: &str| context! { text => escape(text), url => format!("{mailto}{}", percent(text)) };
        let choices = asked.choices();
        let moves = choices.map(|choices| choices.facts(self, &board.scene, &link)).transpose()?;
        let facts = context! {
            board => replies.are_numbered().then_some(board.number.0),
            number => board.number.0,
            acts => board.acts(page.reader).iter().map(|act| link(act)).collect::<Vec<_>>(),
            moves => moves.filter(|_| board.legal <= MAX_LINKS),
            any_move => choices.is_some().then(|| mailto.to_owned()),
        };
        self.templates.fill("mail/answers.html", facts)
    }
}

/// A board of a letter to which its reader may answer.
struct Asked<'a> {
    page: &'a Page<'a>,
    board: &'a DrawnBoard,
    replies: &'a Replies,
}

impl Asked<'_> {
    /// Where answers go; `None` when none would count.
    fn address(&self) -> Option<&str> {
        let address = self.board.of.and_then(|of| self.replies.address_at(of));
        address.filter(|_| !self.board.acts(self.page.reader).is_empty())
    }

    /// The moves, if the board waits for one of the reader.
    fn choices(&self) -> Option<&Choices> {
        Some(&self.board.choices).filter(|_| self.board.waits_for(self.page.reader))
    }
}

/// The answers to a board.
#[derive(Default)]
struct Answers {
    /// Links, below the picture.
    links: String,
    /// How links begin whose mails have no subject.
    short_mailto: Option<String>,
    /// Places in the picture.
    areas: Option<String>,
}

/// A picture, whose places can be clicked where the window is wide enough to show it at its size: elsewhere it is shown
/// as wide as the window.
fn picture(html: &mut String, id: &str, title: &str, areas: Option<&str>) {
    let title = escape(title);
    let _ = match areas.filter(|areas| !areas.is_empty()) {
        None => writeln!(html, "<p><img src=\"cid:{id}\" alt=\"{title}\"></p>"),
        Some(areas) => writeln!(
            html,
            "<p><img class=\"map\" src=\"cid:{id}\" alt=\"{title}\" width=\"{SHOWN}\" usemap=\"#{id}\">\
             <img class=\"narrow\" src=\"cid:{id}\" alt=\"\" style=\"display: none\"></p>\n<map name=\"{id}\">{areas}</map>"
        ),
    };
}

/// The octets of a file in base64, in lines.
fn base64(file: &[u8]) -> usize {
    file.len().div_ceil(3) * 4 * 78 / 76
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
            let lines: Vec<String> = lines.iter().map(|line| escape(line.trim())).collect();
            let _ = writeln!(html, "<p>{}</p>", lines.join("<br>\n"));
        }
    }
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
}
