//! The geometry of a board: the outlines of its cells, for programs that draw it.

use schemars::JsonSchema;
use serde::Serialize;

use super::boards;
use super::error::ApiError;
use super::request::ApiRequest;
use super::schemas::GameOptions;
use crate::rules::scene::{Border, Caption, CaptionPlace, Cell, Scene, Shade, Vertex};
use crate::service::BoardView;
use crate::web::site::Site;

/// The number of decimal places of a coordinate.
const DIGITS: usize = 4;

/// A point, in edge lengths of the tiling. The axes point right and down.
type Point = [f64; 2];

/// A board as shapes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Scene")]
pub(crate) struct DrawnBoard {
    /// The upper left and lower right corners of the area that the cells fill.
    extent: [Point; 2],
    /// The cells, in board order. Draw cells with a higher `level` later.
    cells: Vec<DrawnCell>,
    /// The headings of the parts of the board, for reading it aloud: `Row f`.
    regions: Vec<String>,
    /// Texts on the board: the letters of bases, coordinates.
    captions: Vec<DrawnCaption>,
    /// The parts of the rim that belong to a side.
    borders: Vec<DrawnBorder>,
    /// Pairs of pieces to draw as connected, as cell ids: for example linked pegs in TwixT.
    bonds: Vec<[String; 2]>,
    /// The start and the end of the last move of a piece, as cell ids.
    way: Option<[String; 2]>,
    /// The mark of the light pieces; pieces with the other mark are dark.
    light: char,
}

/// A cell of a board.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cell")]
struct DrawnCell {
    /// The identifier. It is the name, unless several cells share a name (`c5.2` is the second space of the stack
    /// `c5`).
    id: String,
    /// The name in moves: `f3`.
    name: String,
    /// The index of the cell's region in `regions`.
    region: usize,
    /// The number of pieces below the cell in a stack.
    level: usize,
    /// The corners, in order around the cell.
    #[schemars(length(min = 3))]
    outline: Vec<Point>,
    /// Whether the cell is dark, on boards with dark and light cells.
    dark: bool,
    /// The mark of the piece on the cell, `#` if the cell is blocked, `null` if it is empty.
    piece: Option<char>,
    /// Whether the cell is empty and can hold a piece. A space in a stack cannot hold a piece if there is none below
    /// it.
    open: bool,
    /// Whether the cell was part of the last move.
    last: bool,
    /// Whether the cell belongs to the winning formation.
    winning: bool,
}

/// A text on a board.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Caption")]
struct DrawnCaption {
    text: String,
    /// The center of the text.
    at: Point,
    /// Whether the text is on top of crossing lines and needs contrast to them.
    on_lines: bool,
    /// The mark of the side that holds the place of the text; `null` if neither side holds it.
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
pub(crate) fn of_board(request: &mut ApiRequest<'_>) -> Result<DrawnBoard, ApiError> {
    // If the query has tried moves, show the board after them. The last of them is then marked as the last move.
    let view = match request.parameters.in_query("moves") {
        Some(_) => boards::previewed(request)?,
        None => boards::shown(request)?,
    };
    drawn(request.site, view)
}

/// `GET /games/GAME/scene`
pub(crate) fn of_game(request: &mut ApiRequest<'_>) -> Result<DrawnBoard, ApiError> {
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
