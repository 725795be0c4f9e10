//! The HTML part of a letter: its text with paragraphs that fit any width, and its boards as pictures.
//!
//! The HTML part is built from the unwrapped text of the letter, so that both parts have the same content.

use std::fmt::Write;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::draw;
use crate::draw::svg::escape;
use crate::numbers::BoardNumber;
use crate::service::NoticeKind;
use crate::text::squeezed;

use super::answers::{Choices, SHOWN, percent};
use super::board::{DrawnBoard, MAX_PICTURES};
use super::composer::Composer;
use super::lines::{CELL, whole};
use super::replies::Replies;
use super::section::Section;

/// The width of a picture in pixels. It exceeds the displayed width, for high-resolution screens.
const PIXELS: u32 = 600;
/// The width of a picture in pixels if the letter would otherwise be too large.
const FEWER_PIXELS: u32 = SHOWN;
/// The maximum size in octets of a letter about one board. On a slow line, mail programs take long to download a larger
/// one.
const MAX_LETTER: usize = 50_000;
/// The size in octets of a letter's HTML above which links are shortened or omitted. Some mail programs show only the
/// first 102 KB.
const MAX_HTML: usize = 90_000;
/// The maximum number of moves with links. More links would be larger than the rest of the letter.
const MAX_LINKS: usize = 200;
/// The approximate size in octets of a letter without its text, its HTML body and its pictures.
const FRAME: usize = 6_500;

/// The maximum number of lines in a block of commands. A longer block of indented lines is a drawing, whose lines must
/// not be wrapped.
const LONGEST_COMMANDS: usize = 10;

/// The HTML part of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html {
    /// The part itself, which references each picture by its `cid:`.
    pub html: String,
    /// The pictures, in order.
    pub pictures: Vec<Picture>,
}

/// A picture of a board or a curve in a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The picture's Content-ID, without angle brackets.
    pub id: String,
    /// The PNG file.
    pub png: Arc<[u8]>,
}

/// The inputs of a letter's HTML part, apart from its sections.
pub(crate) struct Page<'a> {
    /// The subject of replies.
    pub(crate) subject: &'a str,
    /// The text with unbroken lines.
    pub(crate) text: &'a str,
    /// The preview that mail programs show in a list of messages.
    pub(crate) preheader: &'a str,
    /// The letter's Message-ID, without angle brackets and token.
    pub(crate) id: &'a str,
}

impl Composer {
    /// Returns the HTML part of a letter. A board's one-click answers follow its picture, or its section if the board
    /// has no picture.
    pub(crate) fn html(&self, page: &Page<'_>, sections: &[Section], replies: &Replies) -> anyhow::Result<Html> {
        let (mut body, mut rest) = (String::new(), page.text);
        let mut pictures = Vec::new();
        let mut answered: Vec<BoardNumber> = Vec::new();
        for section in sections {
            let text = whole(section.text.trim_end());
            let Some((before, after)) = rest.split_once(&text) else { continue };
            prose(&mut body, before);
            let mut rest_of_text = text.as_str();
            let mut below = String::new();
            for board in &section.drawn {
                let is_new = answered.len() < MAX_PICTURES && !answered.contains(&board.number);
                let mut answers = Answers::default();
                let asked = Asked { page, board, replies, alone: sections.len() == 1 };
                if is_new {
                    answered.push(board.number);
                    let room =
                        MAX_HTML.saturating_sub(FRAME + body.len() + below.len() + rest_of_text.len() + after.len());
                    answers = self.answers(section, &asked, room)?;
                }
                if pictures.len() < MAX_PICTURES
                    && let Some((before, after)) = rest_of_text.split_once(&board.drawing)
                {
                    prose(&mut body, before);
                    let id = format!("board{}-{}", pictures.len(), page.id);
                    let text = page.text.len() + body.len() + after.len() + 2 * board.alt.len();
                    let png = self.png_that_fits(&asked, &mut answers, text)?;
                    picture(&mut body, &id, board, answers.areas.as_deref());
                    pictures.push(Picture { id, png });
                    rest_of_text = after;
                    body.push_str(&answers.links);
                } else {
                    below.push_str(&answers.links);
                }
            }
            for curve in &section.curves {
                if pictures.len() < MAX_PICTURES
                    && let Some((before, after)) = rest_of_text.split_once(&curve.drawing)
                {
                    prose(&mut body, before);
                    let id = format!("board{}-{}", pictures.len(), page.id);
                    image(&mut body, &id, &curve.picture.title, height(&curve.picture));
                    pictures.push(Picture { id, png: self.pictures.png(&curve.picture, PIXELS) });
                    rest_of_text = after;
                }
            }
            prose(&mut body, rest_of_text);
            body.push_str(&below);
            if let (NoticeKind::Confirm, Some(address)) = (section.kind, &replies.address) {
                body.push_str(&self.consent(address)?);
            }
            rest = after;
        }
        prose(&mut body, rest);
        let facts = context! { body => Value::from_safe_string(body), preheader => escape(page.preheader) };
        let html = self.templates.fill("mail/letter.html", facts)?;
        Ok(Html { html, pictures })
    }

    /// Returns two links for a letter that asks a reader to confirm an address: one replies *yes*, the other *stop*.
    fn consent(&self, address: &str) -> anyhow::Result<String> {
        let link = |said: &str| format!("mailto:{}?subject={said}&amp;body={said}", percent(address));
        self.templates.fill("mail/consent.html", context! { yes => link("yes"), stop => link("stop") })
    }

    /// Returns the picture of a board. If a letter with one section would be too large, the picture has fewer pixels
    /// and, if necessary, the links in `answers` omit the subject. Removes the clickable areas from `answers` if the
    /// letter has several sections or no room for them.
    fn png_that_fits(&self, asked: &Asked<'_>, answers: &mut Answers, text: usize) -> anyhow::Result<Arc<[u8]>> {
        let Asked { board, alone, .. } = *asked;
        let fits = |links: &str, png: &[u8]| text + links.len() + base64(png) + FRAME <= MAX_LETTER;
        let mut png = self.pictures.png(&board.picture, PIXELS);
        if alone && !fits(&answers.links, &png) {
            png = self.pictures.png(&board.picture, FEWER_PIXELS);
            if !fits(&answers.links, &png)
                && let Some(mailto) = &answers.short_mailto
            {
                answers.links = self.links(asked, mailto, true)?;
            }
        }
        let both = |areas: &str| fits(&(answers.links.clone() + areas), &png);
        let fits = answers.areas.as_deref().is_some_and(|areas| alone && both(areas));
        answers.areas = answers.areas.take().filter(|_| fits);
        Ok(png)
    }

    /// Returns the one-click answers for one board. If the links are longer than `room` octets, they have no subject
    /// or, if necessary, the links for moves are omitted. Returns no links if replies to the board are not valid.
    fn answers(&self, section: &Section, asked: &Asked<'_>, room: usize) -> anyhow::Result<Answers> {
        let Asked { page, board, .. } = asked;
        let Some(address) = asked.address() else { return Ok(Answers::default()) };
        // In a letter about several boards, each board's answers belong to that board's thread.
        let subject = section.board.map_or(page.subject.to_owned(), |_| squeezed(&section.subject));
        let mailto = format!("mailto:{}?subject={}&amp;body=", percent(address), percent(&format!("Re: {subject}")));
        // Without a subject, a link is a third shorter. The subject is optional: the token identifies the board.
        let short = format!("mailto:{}?body=", percent(address));
        let areas = asked.choices().map(|choices| choices.areas(&board.picture, &short));
        let mut links = self.links(asked, &mailto, true)?;
        if links.len() > room {
            links = self.links(asked, &short, true)?;
        }
        if links.len() > room {
            links = self.links(asked, &mailto, false)?;
        }
        Ok(Answers { links, short_mailto: Some(short), areas })
    }

    /// Returns one-click answers as links that start with `mailto`. Includes the moves only if `every_move` is set, the
    /// letter shows the board, and there are at most `MAX_LINKS` moves.
    fn links(&self, asked: &Asked<'_>, mailto: &str, every_move: bool) -> anyhow::Result<String> {
        let Asked { board, replies, alone, .. } = *asked;
        let link = |text: &str| context! { text => escape(text), url => format!("{mailto}{}", percent(text)) };
        let choices = asked.choices();
        let moves = choices.map(|choices| choices.facts(self, &board.scene, &link)).transpose()?;
        let facts = context! {
            board => replies.are_numbered().then_some(board.number.0),
            number => board.number.0,
            alone,
            acts => board.acts.iter().map(|act| link(act)).collect::<Vec<_>>(),
            moves => moves.filter(|_| every_move && !board.brief && board.legal <= MAX_LINKS),
            any_move => choices.is_some().then(|| mailto.to_owned()),
        };
        self.templates.fill("mail/answers.html", facts)
    }
}

/// A board of a letter, with the addresses for replies.
struct Asked<'a> {
    page: &'a Page<'a>,
    board: &'a DrawnBoard,
    replies: &'a Replies,
    /// Whether the letter has only one section.
    alone: bool,
}

impl Asked<'_> {
    /// Returns the address for replies about the board; `None` if replies are not valid.
    fn address(&self) -> Option<&str> {
        self.board.of.and_then(|of| self.replies.address_at(of))
    }

    /// Returns the moves if it is the reader's turn.
    fn choices(&self) -> Option<&Choices> {
        Some(&self.board.choices).filter(|_| self.board.your_turn)
    }
}

/// The one-click answers for a board.
#[derive(Default)]
struct Answers {
    /// Links below the picture.
    links: String,
    /// The start of each link, without a subject.
    short_mailto: Option<String>,
    /// The clickable areas of the picture, in HTML.
    areas: Option<String>,
}

/// Writes the picture of a board. The cells are clickable if the window is wide enough for the full size of the
/// picture. A program that ignores the style sheet shows the version that fits any window.
fn picture(html: &mut String, id: &str, board: &DrawnBoard, areas: Option<&str>) {
    let height = height(&board.picture);
    let Some(areas) = areas.filter(|areas| !areas.is_empty()) else { return image(html, id, &board.alt, height) };
    html.push_str("<div class=\"unmapped\">\n");
    image(html, id, &board.alt, height);
    html.push_str("</div>\n");
    let alt = escape(&board.alt);
    let _ = writeln!(
        html,
        "<div class=\"map\" style=\"display: none; mso-hide: all\"><img src=\"cid:{id}\" alt=\"{alt}\" \
         width=\"{SHOWN}\" height=\"{height}\" usemap=\"#{id}\"><map name=\"{id}\">{areas}</map></div>"
    );
}

/// Returns the displayed height of a picture.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a picture has a few hundred rows")]
fn height(picture: &draw::picture::Picture) -> u32 {
    (f64::from(SHOWN) * picture.frame.height / picture.frame.width).round() as u32
}

/// Writes an image, at most as wide as the window.
fn image(html: &mut String, id: &str, alt: &str, height: u32) {
    let _ = writeln!(
        html,
        "<p><img src=\"cid:{id}\" alt=\"{}\" width=\"{SHOWN}\" height=\"{height}\" \
         style=\"display: block; max-width: 100%; height: auto\"></p>",
        escape(alt)
    );
}

/// Returns the size of a file in base64 with line breaks.
fn base64(file: &[u8]) -> usize {
    file.len().div_ceil(3) * 4 * 78 / 76
}

/// Writes text as paragraphs, rules, headings, tables and literal lines. A block is literal if its first line is
/// indented by at least four blanks.
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
        for lines in lines.chunk_by(|a, b| a.contains(CELL) == b.contains(CELL)) {
            block_of_lines(html, lines);
        }
    }
}

/// Writes the lines of one block. Either all or none of them are rows of a table.
fn block_of_lines(html: &mut String, lines: &[&str]) {
    if lines[0].contains(CELL) {
        table(html, lines);
    } else if lines[0].starts_with("    ") {
        // A drawing's first line may be indented more than others.
        let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
        let lines: Vec<String> = lines.iter().map(|line| escape(line.get(indent..).unwrap_or_default())).collect();
        let how = match lines.len() > LONGEST_COMMANDS {
            true => "class=\"drawing\" style=\"overflow-x: auto\"",
            false => "style=\"white-space: pre-wrap\"",
        };
        let _ = writeln!(html, "<pre {how}>{}</pre>", lines.join("\n"));
    } else {
        let lines: Vec<String> = lines.iter().map(|line| escape(line.trim())).collect();
        let _ = writeln!(html, "<p>{}</p>", lines.join("<br>\n"));
    }
}

/// Writes table rows. A first row without digits is the head. A link in the last column is moved to the first cell.
fn table(html: &mut String, rows: &[&str]) {
    html.push_str("<table class=\"list\" cellpadding=\"4\">\n");
    for (nth, row) in rows.iter().enumerate() {
        let mut cells: Vec<&str> = row.split(CELL).map(str::trim).collect();
        let link = cells.pop_if(|last| last.starts_with("http://") || last.starts_with("https://"));
        let is_head = nth == 0 && !row.contains(|c: char| c.is_ascii_digit());
        let (tag, end) = if is_head { ("<th align=\"left\">", "</th>") } else { ("<td>", "</td>") };
        html.push_str("<tr>");
        for (nth, cell) in cells.into_iter().enumerate() {
            let _ = match link.filter(|_| nth == 0) {
                Some(link) => write!(html, "{tag}<a href=\"{}\">{}</a>{end}", escape(link), escape(cell)),
                None => write!(html, "{tag}{}{end}", escape(cell)),
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_preserves_its_columns() {
        let drawing = ["    /\\", "   /  \\", "+-----"].repeat(4).join("\n");
        let mut html = String::new();
        prose(&mut html, &drawing);
        assert_eq!(html, format!("<pre class=\"drawing\" style=\"overflow-x: auto\">{drawing}</pre>\n"));
    }

    #[test]
    fn rows_of_cells_become_a_table() {
        let mut html = String::new();
        prose(&mut html, "Board <1>\nMoves:\n  1. f3\t  2. k1\n  3. f4\t\nThe end");
        let rows = "<tr><td>1. f3</td><td>2. k1</td></tr>\n<tr><td>3. f4</td><td></td></tr>\n";
        let expected = format!(
            "<p>Board &lt;1&gt;<br>\nMoves:</p>\n<table class=\"list\" cellpadding=\"4\">\n{rows}</table>\n<p>The end</p>\n"
        );
        assert_eq!(html, expected);
        let mut html = String::new();
        prose(&mut html, "board\tgame\n  3\tMarque\thttps://example.org/boards/3");
        let rows = "<tr><th align=\"left\">board</th><th align=\"left\">game</th></tr>\n\
                    <tr><td><a href=\"https://example.org/boards/3\">3</a></td><td>Marque</td></tr>\n";
        assert_eq!(html, format!("<table class=\"list\" cellpadding=\"4\">\n{rows}</table>\n"));
    }

    #[test]
    fn a_section_has_a_heading() {
        let mut html = String::new();
        prose(&mut html, &format!("One.\n\n{}\nBoard <2>\n\nTwo.\n\n{}\n\nThree.", "=".repeat(78), "-".repeat(78)));
        let expected = "<p>One.</p>\n<hr>\n<h2>Board &lt;2&gt;</h2>\n<p>Two.</p>\n<hr>\n<p>Three.</p>\n";
        assert_eq!(html, expected);
    }
}
