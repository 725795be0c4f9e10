//! The geometry of a board: its cells with their outlines, so that a program can draw it.

use schemars::JsonSchema;
use serde::Serialize;

use super::boards;
use super::error::ApiError;
use super::request::ApiRequest;
use super::schemas::GameOptions;
use crate::rules::scene::{Border, Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::service::BoardView;
use crate::web::site::Site;

/// The digits of a coordinate after the point.
const DIGITS: usize = 4;

/// A point: to the right and downwards, in edge lengths of the tiling.
type Point = [f64; 2];

/// A board as shapes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Scene")]
pub(super) struct DrawnBoard {
    /// The upper left and the lower right corner of what the cells fill.
    extent: [Point; 2],
    /// The cells, in board order. Draw those with a higher `level` later.
    cells: Vec<DrawnCell>,
    /// The headings of the parts of the board that are read out in one go: `Row f`.
    regions: Vec<String>,
    /// Texts on the board: the letters of bases, coordinates.
    captions: Vec<DrawnCaption>,
    /// The parts of the rim that belong to a side.
    borders: Vec<DrawnBorder>,
    /// Pieces that are connected in a way that matters, as pairs of cells' ids.
    bonds: Vec<[String; 2]>,
    /// From where to where a piece went by the last move, as cells' ids.
    way: Option<[String; 2]>,
    /// The mark of the light pieces; those of the other mark are dark.
    light: char,
}

/// A cell of a board.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cell")]
struct DrawnCell {
    /// Its identifier: its name, unless several cells share one (`c5.2` is the second space of the stack `c5`).
    id: String,
    /// Its name in moves: `f3`.
    name: String,
    /// The index of its region.
    region: usize,
    /// How many pieces lie beneath it, where they are stacked.
    level: usize,
    /// Its corners, in order around it.
    #[schemars(length(min = 3))]
    outline: Vec<Point>,
    /// Whether its ground is dark, where cells are of two kinds.
    dark: bool,
    /// The mark of the piece on it, if one is there.
    piece: Option<char>,
    /// Whether it is empty and a piece could lie there; an empty space without support could hold none yet.
    open: bool,
    /// Whether it was part of the last move.
    last: bool,
    /// Whether it is one of the cells by which the game was won.
    winning: bool,
}

/// A text on a board.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Caption")]
struct DrawnCaption {
    text: String,
    /// Its middle.
    at: Point,
    /// Whether it stands where lines meet, from which it must stand out.
    on_lines: bool,
    /// The mark of the side that holds what it names, if one does.
    holder: Option<char>,
}

/// A part of the rim that belongs to a side.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Border")]
struct DrawnBorder {
    /// The mark of the side.
    mark: char,
    from: Point,
    to: Point,
}

/// `GET /boards/N/scene`
pub(super) fn of_board(request: &mut ApiRequest<'_>) -> Result<DrawnBoard, ApiError> {
    // A preview does not tell which move was the last.
    let view = match request.parameters.in_query("moves") {
        Some(_) => boards::previewed(request)?,
        None => boards::shown(request)?,
    };
    drawn(request.site, view)
}

/// `GET /games/GAME/scene`
pub(super) fn of_game(request: &mut ApiRequest<'_>) -> Result<DrawnBoard, ApiError> {
    let game = request.game()?.name();
    let options = request.parameters.in_query("options").unwrap_or_default();
    let options = GameOptions::try_from(options.to_owned());
    let options = options.map_err(|_| ApiError::malformed(crate::message!("web.not-options")))?;
    let from: Vec<&str> = ["new"].into_iter().chain(options.words()).collect();
    let view = boards::preview_from(request, game, &from)?;
    drawn(request.site, view)
}

fn drawn(site: &Site, mut view: BoardView) -> Result<DrawnBoard, ApiError> {
    let scene = view.position()?.scene();
    let id = |index: usize| scene.cells[index].id.clone();
    let captions = scene.captions.iter().filter(|caption| caption.place != CaptionPlace::Heading);
    Ok(DrawnBoard {
        extent: extent(&scene),
        cells: scene.cells.iter().map(|cell| drawn_cell(&scene, cell)).collect(),
        regions: scene.regions.iter().map(|region| site.words(&region.heading)).collect(),
        captions: captions.map(|caption| drawn_caption(site, caption)).collect(),
        borders: scene.borders.iter().map(drawn_border).collect(),
        bonds: scene.bonds.iter().map(|ends| ends.map(id)).collect(),
        way: scene.way.map(|ends| ends.map(id)),
        light: scene.light,
    })
}

fn drawn_cell(scene: &Scene, cell: &Cell) -> DrawnCell {
    DrawnCell {
        id: cell.id.clone(),
        name: cell.name.clone(),
        region: cell.region,
        level: cell.level,
        outline: cell.corners.iter().map(point).collect(),
        dark: cell.shade == Shade::Dark,
        piece: cell.piece,
        open: cell.piece.is_none() && cell.label.is_some(),
        last: cell.last,
        winning: scene.is_winning(cell),
    }
}

fn drawn_caption(site: &Site, caption: &Caption) -> DrawnCaption {
    DrawnCaption {
        text: site.words(&caption.text),
        at: point(&caption.at),
        on_lines: caption.place == CaptionPlace::OnLines,
        holder: caption.holder,
    }
}

fn drawn_border(border: &Border) -> DrawnBorder {
    DrawnBorder { mark: border.mark, from: point(&border.from), to: point(&border.to) }
}

fn extent(scene: &Scene) -> [Point; 2] {
    let corners = || scene.cells.iter().flat_map(|cell| &cell.corners).map(point);
    let least = corners().reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]);
    let most = corners().reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    [least.unwrap_or_default(), most.unwrap_or_default()]
}

fn point(vertex: &Vertex) -> Point {
    [vertex.x, vertex.y].map(|value| format!("{value:.DIGITS$}").parse().unwrap_or(value))
}
