//! SVG → PNG, with a font of our own: a server need not have any.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_monospace_family("Hack");
    Arc::new(fonts)
});

/// A picture that [`super::svg::draw`] drew, so many pixels wide.
///
/// # Panics
/// When the text is no SVG, or the width is 0: both are this program's own.
pub fn render(svg: &str, width: u32) -> Vec<u8> {
    let options = Options { fontdb: FONTS.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).expect("our own drawing is SVG");
    let scale = width as f32 / tree.size().width();
    let height = (tree.size().height() * scale).ceil() as u32;
    let mut pixels = Pixmap::new(width, height).expect("a picture has a size");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().expect("PNG takes any picture")
}
