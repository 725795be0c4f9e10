//! One-click answers to a board: links below its picture, and clickable places in the picture itself.

use std::collections::HashMap;
use std::fmt::Write;

use minijinja::{Value, context};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::draw::picture::{Form, Group as PictureGroup, Part, Picture};
use crate::draw::svg::escape;
use crate::rules::Notation;
use crate::rules::scene::{Cell, Scene};
use crate::text::Message;

use super::composer::Composer;

/// The displayed width of a clickable picture in pixels. Its places do not scale with it.
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
    /// Moves of several cells of one region, which are shown below the single ones.
    sets: Vec<String>,
}

#[derive(PartialEq)]
enum Heading {
    /// Moves within a region of the scene.
    Region(usize),
    /// Moves of several cells: the first.
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
        // Regions in reading order, then the remaining moves in their own order.
        choices
            .groups
            .sort_by_key(|group| if let Heading::Region(region) = group.heading { region } else { usize::MAX });
        choices
    }

    /// Returns the groups for the template: those within a region, each as a row, and those of more cells, as
    /// columns.
    ///
    /// # Errors
    /// If a heading cannot be put into words.
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

    /// Returns the places of the picture that play a move of one cell, as areas of an image map.
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

/// The octets that are encoded in a `mailto:` URL (RFC 6068). `+` is among them, because some programs treat it as a
/// blank.
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
