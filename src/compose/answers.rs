//! Links that answer a letter with one click, curves of analyses, and pictures of diagrams and lessons.

use std::collections::HashMap;
use std::fmt::Write;

use anyhow::Context;
use minijinja::value::Serde;
use minijinja::{Value, context};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::composer::Composer;
use super::lines::{Indents, PROSE, fold};
use super::pictures::Shown;
use super::texts::{Diagram, Lesson};
use crate::draw::ascii::{self, Style};
use crate::draw::curve::Curve;
use crate::draw::layout::{Annotations, Clickable, lay_out};
use crate::draw::picture::{Form, Group as PictureGroup, Part, Picture};
use crate::draw::png;
use crate::draw::sentences::sentences;
use crate::draw::svg::{self, escape};
use crate::message;
use crate::rules::scene::{Cell, Scene};
use crate::rules::{Game, Notation, Play, PlayedMove, Seat, catalogue};
use crate::service::{Analysis, BoardAnalysis};
use crate::text::Message;

/// The displayed width of a clickable picture in pixels. The clickable areas are in pixels, so they do not scale with
/// the picture.
pub(crate) const SHOWN: u32 = 480;

/// The legal moves of a board, grouped for a letter.
#[derive(Default)]
pub(crate) struct Choices {
    /// Groups of related moves, with their headings.
    groups: Vec<Group>,
    /// Moves of one cell, with the identifier of the cell in the picture.
    places: Vec<(String, String)>,
}

struct Group {
    heading: Heading,
    moves: Vec<String>,
    /// Moves of several cells of one region. They are shown below the moves of one cell.
    sets: Vec<String>,
}

#[derive(PartialEq)]
enum Heading {
    /// Moves within a region of the scene.
    Region(usize),
    /// Moves of several cells that start with this cell.
    Cell(String),
    /// Moves without cells.
    None,
}

impl Choices {
    pub(crate) fn new(scene: &Scene, notation: Notation, legal: &[String]) -> Choices {
        let mut choices = Choices::default();
        // If several cells share a name, use the first.
        let (mut named, mut labelled) = (HashMap::new(), HashMap::new());
        for cell in &scene.cells {
            named.entry(cell.name.as_str()).or_insert(cell);
            if cell.label.is_some() {
                labelled.entry(cell.name.as_str()).or_insert(cell);
            }
        }
        for text in legal {
            let cells = notation.cells(text);
            let heading = match cells.as_slice() {
                _ if notation.is_word(text) => Heading::None,
                [only] => {
                    let Some(cell) = labelled.get(only) else { continue };
                    choices.places.push((text.clone(), cell.id.clone()));
                    Heading::Region(cell.region)
                }
                [first, ..] => match common_region(&named, &cells).filter(|_| notation.is_unordered(text)) {
                    Some(region) => Heading::Region(region),
                    None => Heading::Cell((*first).to_owned()),
                },
                [] => Heading::None,
            };
            let at = choices.groups.iter().position(|group| group.heading == heading).unwrap_or_else(|| {
                choices.groups.push(Group { heading, moves: Vec::new(), sets: Vec::new() });
                choices.groups.len() - 1
            });
            let group = &mut choices.groups[at];
            let is_set = cells.len() > 1 && matches!(group.heading, Heading::Region(_));
            if is_set { &mut group.sets } else { &mut group.moves }.push(text.clone());
        }
        // Sort regions in reading order. The other groups follow in their original order.
        choices
            .groups
            .sort_by_key(|group| if let Heading::Region(region) = group.heading { region } else { usize::MAX });
        choices
    }

    /// Returns the groups for the template: a row for each region, a row for the moves without cells, and a column for
    /// each [`Heading::Cell`].
    ///
    /// # Errors
    /// If a heading cannot be rendered.
    pub(crate) fn facts(
        &self,
        composer: &Composer,
        scene: &Scene,
        link: &dyn Fn(&str) -> Value,
    ) -> anyhow::Result<Value> {
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for Group { heading, moves, sets } in &self.groups {
            let links: Vec<Value> = moves.iter().map(|text| link(text)).collect();
            let sets: Vec<Value> = sets.iter().map(|text| link(text)).collect();
            match heading {
                Heading::Region(region) => {
                    let heading: Option<&Message> = scene.regions.get(*region).map(|region| &region.heading);
                    let heading = heading.map(|heading| composer.message(heading)).transpose()?;
                    rows.push(context! { heading => heading.map(|heading| escape(&heading)), links, sets });
                }
                Heading::Cell(cell) => columns.push(context! { heading => escape(cell), links }),
                Heading::None => rows.push(context! { heading => (), links, sets }),
            }
        }
        Ok(context! { rows, columns })
    }

    /// Returns the areas of an image map. A click on a cell starts a reply with the move that consists of this cell.
    pub(crate) fn areas(&self, picture: &Picture, mailto: &str) -> String {
        let mut areas = String::new();
        let mut groups = HashMap::new();
        for group in &picture.cells {
            if let Some((id, _)) = &group.cell {
                groups.entry(id.as_str()).or_insert(group);
            }
        }
        let scale = f64::from(SHOWN) / picture.frame.width;
        for (text, id) in &self.places {
            let Some(((x, y), radius)) = groups.get(id.as_str()).and_then(|group| circle(group)) else { continue };
            let (x, y) = ((x - picture.frame.left) * scale, (y - picture.frame.top) * scale);
            let _ = write!(
                areas,
                "<area shape=circle coords={x:.0},{y:.0},{:.0} href=\"{mailto}{}\" alt=\"{text}\">",
                radius * scale,
                percent(text)
            );
        }
        areas
    }
}

/// Returns the region of all these cells, if they share one.
fn common_region(named: &HashMap<&str, &Cell>, cells: &[&str]) -> Option<usize> {
    let region = |name: &str| named.get(name).map(|cell| cell.region);
    let first = region(cells.first()?)?;
    cells.iter().all(|cell| region(cell) == Some(first)).then_some(first)
}

/// Returns the middle of a cell in a picture, and the radius of its inscribed circle.
fn circle(cell: &PictureGroup) -> Option<((f64, f64), f64)> {
    let Part::Shape(ground) = cell.parts.first()? else { return None };
    let Form::Polygon(corners) = &ground.form else { return None };
    let count = corners.len() as f64;
    let (x, y) = corners.iter().fold((0.0, 0.0), |(x, y), corner| (x + corner.0 / count, y + corner.1 / count));
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let distance = |(a, b): (&(f64, f64), &(f64, f64))| ((a.0 + b.0) / 2.0 - x).hypot((a.1 + b.1) / 2.0 - y);
    Some(((x, y), sides.map(distance).fold(f64::INFINITY, f64::min)))
}

/// The octets to encode in a `mailto:` URL (RFC 6068). `+` is among them, because some programs treat it as a blank.
const IN_MAILTO: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'@')
    .remove(b':')
    .remove(b'*')
    .remove(b',');

/// Encodes a text for a `mailto:` URL.
pub(crate) fn percent(text: &str) -> String {
    utf8_percent_encode(text, &IN_MAILTO).to_string()
}

/// How to draw a position that is not on a board, such as that of a lesson.
pub struct PositionPicture<'a> {
    /// The title of the picture, for readers who cannot see it.
    pub title: &'a str,
    /// A prefix that distinguishes the picture from other pictures on the page; may be empty.
    pub prefix: &'a str,
    /// The move that led to the position.
    pub last: Option<&'a PlayedMove>,
    /// The clickable cells.
    pub clickable: Option<Clickable<'a>>,
}

impl Composer {
    /// Returns the lessons of a game, in order.
    ///
    /// # Errors
    /// If the file of the game cannot be read.
    pub fn lessons(&self, game: &dyn Game) -> anyhow::Result<Vec<Lesson>> {
        Ok(self.templates.game_file(game.name())?.lessons)
    }

    /// Draws a position that is not on a board as SVG.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn position_svg(&self, position: &dyn Play, how: &PositionPicture<'_>) -> anyhow::Result<String> {
        let side = |seat: Seat| anyhow::Ok((position.mark(seat), self.message(&position.side(seat))?));
        let sides = [side(Seat::First)?, side(Seat::Second)?];
        let captured = how.last.map_or(&[][..], |last| &last.effects.captured);
        let annotations = Annotations { title: how.title, sides, captured, clickable: how.clickable };
        let picture = lay_out(&position.scene(), &annotations, &|message: &Message| self.message(message))?;
        Ok(match how.prefix {
            "" => svg::write(&picture),
            prefix => svg::write_beside_others(picture, prefix),
        })
    }

    /// Describes a position that is not on a board in sentences.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn position_in_sentences(&self, position: &dyn Play) -> anyhow::Result<String> {
        let sides = Seat::BOTH.map(|seat| (position.mark(seat), position.side(seat)));
        sentences(&position.scene(), &sides, &|message: &Message| self.message(message))
    }

    /// Draws a diagram as SVG. The prefix distinguishes it from other diagrams on the page.
    pub(crate) fn diagram_svg(&self, game: &dyn Game, diagram: &Diagram, prefix: &str) -> anyhow::Result<String> {
        let (position, last) = played(game, diagram)?;
        let title = &diagram.caption;
        self.position_svg(&*position, &PositionPicture { title, prefix, last: last.as_ref(), clickable: None })
    }

    /// Draws a diagram in characters, or describes it in sentences with soft breaks: only the pieces, without marks for
    /// the last move.
    pub(crate) fn diagram_text(&self, game: &dyn Game, diagram: &Diagram, shown: Shown) -> anyhow::Result<String> {
        let (position, _) = played(game, diagram)?;
        let mut scene = position.scene();
        scene.cells.iter_mut().for_each(|cell| cell.last = false);
        scene.winning.clear();
        let words = |message: &Message| self.message(message);
        if shown != Shown::Sentences {
            return ascii::draw(&scene, Style::Plain, &words);
        }
        let sides = Seat::BOTH.map(|seat| (position.mark(seat), position.side(seat)));
        let text = sentences(&scene, &sides, &words)?;
        let folded = text.lines().map(|line| fold(line, PROSE, Indents { first: "", other: "  " }));
        Ok(folded.collect::<Vec<_>>().join("\n"))
    }
}

fn played(game: &dyn Game, diagram: &Diagram) -> anyhow::Result<(Box<dyn Play>, Option<PlayedMove>)> {
    diagram.setup.play(game).with_context(|| format!("diagram {} of {}", diagram.name, game.name()))
}

/// Returns the title of an analysed game. Notices of earlier versions contain the title instead of the name.
fn game_title(analysed: &BoardAnalysis) -> &str {
    catalogue::find(&analysed.game).map_or(&*analysed.game, |game| game.title())
}

/// The indentation of a curve that is drawn in characters, so that its lines are not treated as prose.
const INDENT: &str = "    ";

/// The curve of an analysis, for a letter's text and its HTML part.
pub(crate) struct DrawnCurve {
    /// The lines that represent the curve in the text part.
    pub(crate) drawing: String,
    pub(crate) picture: Picture,
}

impl Composer {
    /// Returns the facts for the templates of an analysis.
    pub(crate) fn analysis_facts(&self, analysed: &BoardAnalysis) -> anyhow::Result<Value> {
        let curve = self.curve(analysed)?.map(|curve| curve.drawing);
        Ok(context! { curve, game => game_title(analysed), ..Value::from(Serde(analysed)) })
    }

    /// Returns the curve of an analysis, if the analysis is finished.
    pub(crate) fn curve(&self, analysed: &BoardAnalysis) -> anyhow::Result<Option<DrawnCurve>> {
        let BoardAnalysis { players: [first, _], analysis, .. } = analysed;
        let Some(Analysis { chances, mistakes, .. }) = analysis else { return Ok(None) };
        let title = self.curve_title(analysed)?;
        let heading = self.message(&message!("compose.curve-heading", first))?;
        let marked: Vec<usize> = mistakes.iter().map(|mistake| mistake.ply.0 as usize).collect();
        let curve = Curve { title: &title, heading: &heading, chances, marked: &marked };
        let drawing = curve.characters().lines().map(|line| format!("{INDENT}{line}")).collect::<Vec<_>>().join("\n");
        Ok(Some(DrawnCurve { drawing, picture: curve.picture() }))
    }

    /// Describes the curve of an analysis for readers who cannot see it.
    ///
    /// # Errors
    /// If the message cannot be rendered.
    pub fn curve_title(&self, analysed: &BoardAnalysis) -> anyhow::Result<String> {
        let BoardAnalysis { number, players: [first, second], .. } = analysed;
        self.message(&message!("compose.curve-title", game = game_title(analysed), number = *number, first, second))
    }

    /// Draws the curve of an analysis as SVG; `None` until the analysis is finished.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn curve_svg(&self, analysed: &BoardAnalysis) -> anyhow::Result<Option<String>> {
        Ok(self.curve(analysed)?.map(|curve| svg::write(&curve.picture)))
    }

    /// Draws the curve of an analysis as PNG of this width; `None` until the analysis is finished.
    ///
    /// # Errors
    /// If a message cannot be rendered.
    pub fn curve_png(&self, analysed: &BoardAnalysis, width: u32) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(self.curve(analysed)?.map(|curve| png::render(&curve.picture, width)))
    }
}
