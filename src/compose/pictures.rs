//! A cache of picture files, shared by all their readers.

use std::sync::Arc;

use crate::draw::picture::Picture;
use crate::draw::png;
use crate::recent::Recent;

/// The most recent files. The cache holds more than one letter shows, so that the next reader's letter finds them,
/// and as many as the pages show at a time. Each has 14 to 37 KB.
#[derive(Default)]
pub(crate) struct Pictures(Recent<Arc<Kept>, 64>);

struct Kept {
    picture: Picture,
    width: u32,
    file: Arc<[u8]>,
}

impl Pictures {
    /// Returns the cached PNG of a picture with this width.
    pub(crate) fn known(&self, picture: &Picture, width: u32) -> Option<Arc<[u8]>> {
        let kept = self.0.find(|kept| kept.width == width && kept.picture.looks_like(picture));
        kept.map(|kept| kept.file.clone())
    }

    /// Returns a picture as PNG of this width.
    pub(crate) fn png(&self, picture: &Picture, width: u32) -> Arc<[u8]> {
        self.known(picture, width).unwrap_or_else(|| {
            let file: Arc<[u8]> = png::render(picture, width).into();
            self.0.keep(Arc::new(Kept { picture: picture.clone(), width, file: file.clone() }));
            file
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::picture::{Colour, Frame};

    fn picture(title: &str, red: u8) -> Picture {
        Picture {
            title: title.to_owned(),
            frame: Frame { left: 0.0, top: 0.0, width: 4.0, height: 4.0 },
            ground: Colour([red, 0, 0]),
            borders: Vec::new(),
            stamps: Vec::new(),
            name_height: 1.0,
            caption_height: 1.0,
            cells: Vec::new(),
            above: Vec::new(),
            captions: Vec::new(),
        }
    }

    #[test]
    fn equal_pictures_are_rendered_once() {
        let pictures = Pictures::default();
        let first = pictures.png(&picture("Board 1", 1), 8);
        assert!(Arc::ptr_eq(&first, &pictures.png(&picture("Board 2", 1), 8)));
        assert!(!Arc::ptr_eq(&first, &pictures.png(&picture("Board 1", 1), 9)));
        assert!(!Arc::ptr_eq(&first, &pictures.png(&picture("Board 1", 2), 8)));
    }

    #[test]
    fn old_pictures_leave_the_cache() {
        let pictures = Pictures::default();
        let first = pictures.png(&picture("Board", 0), 8);
        for red in 1..=64 {
            pictures.png(&picture("Board", red), 8);
        }
        assert!(!Arc::ptr_eq(&first, &pictures.png(&picture("Board", 0), 8)));
    }
}
