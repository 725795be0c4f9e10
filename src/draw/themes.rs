//! Themes: the colours of cells and text in light and dark mode. A page replaces the colours of its pictures with
//! those of a theme.

use std::fmt::{self, Write};

use super::picture::{Colour, Line};

/// The colours of boards on pages, chosen by the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Light wood; walnut in dark mode.
    #[default]
    Wood,
    /// Blue grey.
    Slate,
    /// Pale green; dark green in dark mode.
    Moss,
    /// Greys, for maximum contrast.
    Paper,
}

/// The coloured parts, each with its colour in a picture and the name of its style-sheet variable.
const PARTS: [(Colour, &str); 8] = [
    (GROUND, "board"),
    (CELL, "cell"),
    (SHADED, "shaded"),
    (LAST, "last"),
    (LAST_SHADED, "last-shaded"),
    (ABOVE, "above"),
    (NAME, "name"),
    (INK, "coordinate"),
];

/// The colours of [`PARTS`], in their order.
type Colours = [u32; PARTS.len()];

impl Theme {
    /// Every theme, the default one first.
    pub const ALL: [Theme; 4] = [Theme::Wood, Theme::Slate, Theme::Moss, Theme::Paper];

    /// Returns the name by which players select it.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Wood => "wood",
            Theme::Slate => "slate",
            Theme::Moss => "moss",
            Theme::Paper => "paper",
        }
    }

    /// Returns the colours for light and dark mode.
    fn colours(self) -> [Colours; 2] {
        match self {
            Theme::Wood => [
                PARTS.map(|(Colour([red, green, blue]), _)| u32::from_be_bytes([0, red, green, blue])),
                [0x2b2119, 0x866a4d, 0x7a5f43, 0xa07a1e, 0x8f6c19, 0xa18768, 0xfff8ec, 0xcdbda6],
            ],
            Theme::Slate => [
                [0x8794a1, 0xe3e9ee, 0xc6d1da, 0xffd98a, 0xf0c163, 0xf1f5f8, 0x4d5a66, 0x1f2a33],
                [0x2c3239, 0x66717d, 0x5b6572, 0x9d7b34, 0x8e6c28, 0x828d97, 0xf4f7fa, 0xb4bcc5],
            ],
            Theme::Moss => [
                [0x8a9c78, 0xe6ecd4, 0xcad7b0, 0xffd98a, 0xf0c163, 0xf2f6e6, 0x52603f, 0x27331a],
                [0x20291c, 0x607652, 0x556a47, 0x9d7b34, 0x8e6c28, 0x7d9270, 0xf3f8ec, 0xb6c4a8],
            ],
            Theme::Paper => [
                [0x6f6f6f, 0xf0f0f0, 0xdcdcdc, 0xffe08a, 0xf5c95a, 0xfafafa, 0x4a4a4a, 0xffffff],
                [0x000000, 0xc9c9c9, 0xa9a9a9, 0xe8bf55, 0xd3a83d, 0xdddddd, 0x333333, 0xffffff],
            ],
        }
    }

    /// Returns each picture colour that this theme replaces, and its replacement, for light and dark mode.
    pub(crate) fn replacements(self) -> [Vec<(Colour, String)>; 2] {
        self.colours().map(|colours| {
            let pairs = PARTS.into_iter().zip(colours).map(|((from, _), to)| (from, format!("#{to:06x}")));
            pairs.filter(|(from, to)| from.to_string() != *to).collect()
        })
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the style sheet for the boards on a page. An element with the attribute `data-theme` defines the theme's
/// colours as variables. A shape whose picture colour a theme replaces uses the variable of that colour.
pub fn style_sheet() -> String {
    let mut sheet = String::new();
    // Writing to a String cannot fail.
    let _ = write_style_sheet(&mut sheet);
    sheet
}

fn write_style_sheet(out: &mut String) -> fmt::Result {
    for theme in Theme::ALL {
        let [light, dark] = theme.colours();
        write_variables(out, theme, light)?;
        out.push_str("@media (prefers-color-scheme: dark) { ");
        write_variables(out, theme, dark)?;
        out.push_str("}\n");
    }
    for (colour, name) in PARTS {
        // Cells change colour on hover and when picked. The board, names and coordinates do not.
        let variable = match name {
            "board" | "name" | "coordinate" => format!("var(--{name})"),
            _ => format!("var(--over, var(--{name}))"),
        };
        writeln!(out, "[fill=\"{colour}\"] {{ fill: {variable}; }}")?;
    }
    writeln!(out, "[stroke=\"{INK}\"] {{ stroke: var(--coordinate); }}")
}

fn write_variables(out: &mut String, theme: Theme, colours: Colours) -> fmt::Result {
    write!(out, "[data-theme={theme}] {{ ")?;
    PARTS.iter().zip(colours).try_for_each(|((_, name), colour)| write!(out, "--{name}: #{colour:06x}; "))?;
    writeln!(out, "}}")
}

/// The colour behind and between the cells.
pub(crate) const GROUND: Colour = Colour([0xcb, 0xb0, 0x86]);
pub(crate) const CELL: Colour = Colour([0xf0, 0xe2, 0xc6]);
pub(crate) const SHADED: Colour = Colour([0xdf, 0xc8, 0xa0]);
/// The colour of the cells of the last move.
pub(crate) const LAST: Colour = Colour([0xff, 0xd3, 0x75]);
pub(crate) const LAST_SHADED: Colour = Colour([0xf3, 0xbb, 0x55]);
pub(crate) const LAST_LINE: Colour = Colour([0xad, 0x4c, 0x00]);
/// The colour of an empty space above other pieces, where a piece could rest.
pub(crate) const ABOVE: Colour = Colour([0xf7, 0xee, 0xdb]);
/// The colour of cells' names, and of the marks of blocked cells.
pub(crate) const NAME: Colour = Colour([0x6a, 0x5a, 0x42]);
/// The colour of text outside the cells.
pub(crate) const INK: Colour = Colour([0x3d, 0x2c, 0x14]);

// Blue marks captured pieces and orange marks winning ones. They are distinguishable with every kind of colour vision.
pub(crate) const CAPTURED: Colour = Colour([0x00, 0x66, 0xb3]);
/// The colour of winning marks, visible on both light and dark pieces.
pub(crate) const WINNING: Colour = Colour([0xe8, 0x72, 0x00]);

pub(crate) const SHADOW: Colour = Colour([0x3a, 0x28, 0x10]);
pub(crate) const LIGHT: Colour = Colour([0xff, 0xfa, 0xee]);
pub(crate) const DARK: Colour = Colour([0x17, 0x14, 0x12]);
/// The colour of the vertical side of a piece that lies on others.
pub(crate) const LIGHT_WALL: Colour = Colour([0xd2, 0xc0, 0x9c]);
pub(crate) const DARK_WALL: Colour = Colour([0x5a, 0x51, 0x4a]);
/// The edge of a piece, and the ring inside it.
pub(crate) const LIGHT_EDGE: Line = Line { colour: Colour([0x5c, 0x4f, 0x3b]), width: 2.4 };
pub(crate) const LIGHT_RING: Line = Line { colour: Colour([0xe3, 0xd6, 0xbc]), width: 2.2 };
pub(crate) const DARK_EDGE: Line = Line { colour: Colour([0x0e, 0x0c, 0x0b]), width: 1.8 };
pub(crate) const DARK_RING: Line = Line { colour: Colour([0x57, 0x4f, 0x48]), width: 2.2 };
