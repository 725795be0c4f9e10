//! The colours of a picture: those of its shapes, and the shades between two of them that its pixels need.

use super::picture::Colour;

/// The maximum number of colours. A board has a dozen. The others are shades along lines and letters, and fewer of
/// those make a smaller file.
const COLOURS: usize = 32;
/// Colours with a smaller distance than this are merged.
const NEAR: u32 = 20;
/// The number of shades between two colours.
pub(crate) const SHADES: usize = 8;

/// Colours by their index.
pub(crate) struct Palette {
    colours: Vec<Colour>,
    /// Cached results, by the upper colour, the lower colour and the shade.
    known: Vec<Option<u8>>,
}

impl Palette {
    /// Creates a palette of these colours without duplicates.
    pub(crate) fn new(all: impl Iterator<Item = Colour>) -> Palette {
        let mut colours = Vec::new();
        for colour in all {
            if !colours.contains(&colour) && colours.len() < COLOURS {
                colours.push(colour);
            }
        }
        Palette { colours, known: vec![None; COLOURS * COLOURS * SHADES] }
    }

    /// Returns the index of one of the initial colours.
    pub(crate) fn index(&self, colour: Colour) -> u8 {
        self.nearest(colour).0
    }

    /// Returns the colour of a pixel whose lower colour is covered by `shade` of [`SHADES`] parts of an upper one.
    pub(crate) fn mixed(&mut self, upper: u8, lower: u8, shade: usize) -> u8 {
        let at = (usize::from(upper) * COLOURS + usize::from(lower)) * SHADES + shade;
        if let Some(known) = self.known[at] {
            return known;
        }
        let (Colour(over), Colour(under)) = (self.colours[usize::from(upper)], self.colours[usize::from(lower)]);
        let mix = |i: usize| (usize::from(over[i]) * shade + usize::from(under[i]) * (SHADES - shade)) / SHADES;
        let colour = Colour([mix(0), mix(1), mix(2)].map(|part| part as u8));
        let (mut index, distance) = self.nearest(colour);
        if distance > NEAR * NEAR && self.colours.len() < COLOURS {
            index = self.colours.len() as u8;
            self.colours.push(colour);
        }
        self.known[at] = Some(index);
        index
    }

    /// Returns the nearest colour, and the square of its distance.
    fn nearest(&self, Colour(colour): Colour) -> (u8, u32) {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        let distances = self.colours.iter().map(|Colour(other)| (0..3).map(|i| square(colour[i], other[i])).sum());
        (0..).zip(distances).min_by_key(|(_, distance): &(u8, u32)| *distance).unwrap_or_default()
    }

    /// Returns red, green and blue of each colour, as PNG requires.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.colours.iter().flat_map(|Colour(parts)| *parts).collect()
    }
}
