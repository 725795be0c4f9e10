//! Describes the board for drawing, with pieces, names and letters placed as in the help's figure.

use super::position::SIDES;
use super::position::Stones;
use super::tiling::{CellKind, LETTERS, Point, Site, TILING, bit, cells};
use crate::message;
use crate::rules::outcome::Seat;
use crate::rules::scene::{Caption, CaptionPlace, Cell, Region, Scene, Shade, Vertex};
use crate::text::Message;

/// The offsets from a base's centre to the pieces in its triangles, by side.
const IN_BASE: [(i32, i32); 6] = [(2, -2), (5, 0), (2, 2), (-2, 2), (-5, 0), (-2, -2)];

pub(crate) fn scene(stones: &Stones, latest: u128) -> Scene {
    let cell = |site: &Site| {
        let spot = spot(site);
        Cell {
            id: site.name.clone(),
            name: site.name.clone(),
            region: region(site),
            corners: site.corners.iter().copied().map(Point::vertex).collect(),
            spot,
            label: Some(label(site, spot)),
            shade: Shade::Plain,
            piece: stones.at(site.cell).map(|seat| SIDES[seat.index()].mark),
            last: latest & bit(site.cell) != 0,
            level: 0,
        }
    };
    Scene {
        cells: TILING.sites.iter().map(cell).collect(),
        regions: regions(stones),
        notes: chains(stones),
        winning: Vec::new(),
        captions: captions(stones),
        borders: Vec::new(),
        bonds: bonds(stones),
        way: None,
        light: SIDES[0].mark,
    }
}

/// Returns the region to which a cell belongs: its base, the squares, or the other triangles.
const fn region(site: &Site) -> usize {
    match site.kind {
        CellKind::Base(base, _) => base,
        CellKind::Square(_) => LETTERS.len(),
        CellKind::Isolated => LETTERS.len() + 1,
    }
}

/// Returns the bases, with the player who occupies each, then the squares and the other triangles.
fn regions(stones: &Stones) -> Vec<Region> {
    let occupied = |base: usize| {
        let occupies = move |seat: &Seat| stones.occupies(*seat).has(base);
        Seat::BOTH.into_iter().filter(occupies).map(|seat| message!("marque.occupied", side = SIDES[seat.index()]))
    };
    let bases = LETTERS.iter().enumerate().map(|(base, letter)| Region {
        heading: message!("marque.base", base = *letter),
        notes: occupied(base).collect(),
    });
    bases.chain([message!("marque.squares").into(), message!("marque.triangles").into()]).collect()
}

/// Describes the bases that each chain connects.
fn chains(stones: &Stones) -> Vec<Message> {
    let mut notes = Vec::new();
    for seat in Seat::BOTH {
        for chain in stones.chains(seat).into_iter().filter(|chain| chain.bases.count() > 1) {
            let bases: Vec<String> = chain.bases.to_string().chars().map(String::from).collect();
            notes.push(message!("marque.connected", side = SIDES[seat.index()], bases));
        }
    }
    notes
}

/// Returns the column and row of a cell's piece.
fn spot(site: &Site) -> (i32, i32) {
    let corners: Vec<Vertex> = site.corners.iter().copied().map(Point::vertex).collect();
    let columns: i32 = corners.iter().map(|corner| corner.column).sum();
    let rows: i32 = corners.iter().map(|corner| corner.row).sum();
    match site.kind {
        CellKind::Base(_, side) => {
            let (right, down) = IN_BASE[side];
            (corners[0].column + right, corners[0].row + down)
        }
        // The middle of a slanted square falls between two columns. The figure in the help uses the left one.
        CellKind::Square(_) => (columns / 4, rows / 4),
        // The widest row inside the triangle is the one next to its horizontal edge, which has two corners.
        CellKind::Isolated => {
            let level = if corners[0].row == corners[1].row || corners[0].row == corners[2].row {
                corners[0].row
            } else {
                corners[1].row
            };
            (columns / 3, if 3 * level < rows { level + 1 } else { level - 1 })
        }
    }
}

/// Returns the column and row where a cell's name begins, so that it is centred in the free columns of the row.
fn label(site: &Site, (column, row): (i32, i32)) -> (i32, i32) {
    let column = match site.kind {
        CellKind::Base(_, 0 | 2 | 4) | CellKind::Square(0 | 2 | 3 | 5) => column,
        _ => column - 1,
    };
    (column, row)
}

/// Returns the pairs of adjacent pieces in chains that occupy several bases.
fn bonds(stones: &Stones) -> Vec<[usize; 2]> {
    // The cells of a scene are in board order, but the bits are not.
    let place = |cell: usize| TILING.sites.iter().position(|site| site.cell == cell);
    let mut bonds = Vec::new();
    for chain in Seat::BOTH.into_iter().flat_map(|seat| stones.connecting(seat)) {
        for cell in cells(chain) {
            let beside = cells(TILING.around(bit(cell)) & chain).filter(|other| *other > cell);
            bonds.extend(beside.filter_map(|other| Some([place(cell)?, place(other)?])));
        }
    }
    bonds
}

/// Returns the letters of the bases.
fn captions(stones: &Stones) -> Vec<Caption> {
    let holder = |base: usize| {
        Seat::BOTH.into_iter().find(|seat| stones.occupies(*seat).has(base)).map(|seat| SIDES[seat.index()].mark)
    };
    let centre = |base: usize| {
        let in_base = |site: &&Site| matches!(site.kind, CellKind::Base(b, _) if b == base);
        TILING.sites.iter().find(in_base).map(|site| site.corners[0].vertex())
    };
    let caption = |(base, letter): (usize, &char)| {
        Some(Caption {
            text: Message::verbatim(*letter),
            at: centre(base)?,
            place: CaptionPlace::OnLines,
            holder: holder(base),
        })
    };
    LETTERS.iter().enumerate().filter_map(caption).collect()
}
