//! SVG → PNG, with an embedded font: a server need not have any.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_monospace_family("Hack");
    Arc::new(fonts)
});

/// The most colours of a picture. A board has a dozen; the others are shades between two of them, along lines and
/// letters, and the rare ones are not missed. Fewer colours make a smaller file, and every letter carries one.
const COLOURS: usize = 32;

/// The width of a picture in pixels, unless a smaller one is asked for.
pub const WIDTH: u32 = 1_000;

/// Renders a picture that `svg::draw` drew as a PNG file of this width.
///
/// # Panics
/// When the text is not SVG or the width is 0. Both come from this program.
pub fn render(svg: &str, width: u32) -> Vec<u8> {
    let options = Options { fontdb: FONTS.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).expect("our own drawing is SVG");
    let scale = width as f32 / tree.size().width();
    // Rounded down: a last row that the background covers in part would be visible.
    let height = (tree.size().height() * scale).floor() as u32;
    let mut pixels = Pixmap::new(width, height.max(1)).expect("a picture has a size");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    encode(&pixels)
}

type Colour = [u8; 3];

/// Encodes the picture in indexed colours.
fn encode(pixels: &Pixmap) -> Vec<u8> {
    // The ground is opaque.
    let colours: Vec<Colour> = pixels.data().chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let palette = palette(&colours);
    let mut nearest: HashMap<Colour, u8> = HashMap::new();
    let mut index = |colour: &Colour| {
        *nearest.entry(*colour).or_insert_with(|| {
            let best = palette.iter().zip(0..).min_by_key(|(other, _)| distance(colour, other));
            best.map_or(0, |(_, index)| index)
        })
    };
    let indexed: Vec<u8> = colours.iter().map(&mut index).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let write = |encoder: png::Encoder<'_, _>| encoder.write_header()?.write_image_data(&indexed);
    write(encoder).expect("PNG takes any picture, and memory any file");
    file
}

/// The most frequent colours, without those that are nearly equal to a more frequent one.
fn palette(colours: &[Colour]) -> Vec<Colour> {
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    for colour in colours {
        *counts.entry(*colour).or_default() += 1;
    }
    let mut counts: Vec<(Colour, usize)> = counts.into_iter().collect();
    // Sorted by colour too, since the order of a map is random and the same picture must give the same file.
    counts.sort_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
    let mut palette: Vec<Colour> = Vec::new();
    for (colour, _) in counts {
        if palette.len() < COLOURS && palette.iter().all(|other| distance(&colour, other) > 12 * 12) {
            palette.push(colour);
        }
    }
    palette
}

/// The square of the distance between two colours.
fn distance(a: &Colour, b: &Colour) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
}
