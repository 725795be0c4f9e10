//! Caches of pictures and drawings, shared by all their readers.

use std::sync::Arc;

use minijinja::{Value, context};

use crate::command::{MailForm, Settings};
use crate::draw::ascii::Style;
use crate::draw::picture::Picture;
use crate::draw::png;
use crate::recent::Recent;
use crate::service::{BoardDrawing, BoardView, NoticeKind};
use crate::store::{self, OutboxNotice, PlayerRef, Transaction};

/// A cache of PNG files. It has room for the pictures of several letters, because several readers receive the same
/// picture, and for the pictures on pages. A file has 14 to 37 KB.
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

/// The drawings of a board that its reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The board in characters.
    Characters,
    /// The board in sentences.
    Sentences,
    /// For programs: the board in characters and in sentences, and the list of pieces.
    Everything,
}

/// The reader of a composed text.
pub(crate) struct Reader {
    /// The userid, or an empty text for readers who are not players.
    pub(crate) userid: String,
    pub(crate) settings: Settings,
}

impl Reader {
    /// Returns a reader who is not a player and receives plain text. The command line composes its output for this
    /// reader.
    pub(crate) fn nobody() -> Reader {
        Reader { userid: String::new(), settings: Settings { mail: MailForm::Text, ..Settings::default() } }
    }

    /// Returns the reader for a player, with their settings.
    pub(crate) fn of(tx: &Transaction<'_>, player: Option<&PlayerRef>) -> store::Result<Reader> {
        let Some(PlayerRef { id, userid }) = player else { return Ok(Reader::nobody()) };
        let Some(player) = tx.player_by_id(*id)? else { return Ok(Reader::nobody()) };
        Ok(Reader { userid: userid.clone(), settings: player.settings })
    }

    /// Returns the reader of the letter that starts with this notice. If the letter was already sent, uses the settings
    /// of that time.
    pub(crate) fn of_letter(tx: &Transaction<'_>, leading: &OutboxNotice) -> store::Result<Reader> {
        let mut reader = Reader::of(tx, leading.player.as_ref())?;
        if NoticeKind::of(leading) == Some(NoticeKind::Confirm) {
            reader.settings.mail = MailForm::Html;
        }
        Ok(match tx.sent_as(leading.id)? {
            Some(settings) => Reader { settings, ..reader },
            None => reader,
        })
    }

    /// Returns the drawings that the reader sees. Readers of HTML need characters too, because the HTML part of a
    /// letter is built from its text.
    pub(crate) fn shown(&self) -> Shown {
        match self.settings.mail {
            MailForm::Html | MailForm::Text => Shown::Characters,
            MailForm::Accessible => Shown::Sentences,
        }
    }

    /// Adds the reader's own facts to the facts of a template.
    pub(crate) fn context(&self, facts: Value) -> Value {
        let Reader { userid, settings } = self;
        let (zone, accessible) = (&*settings.zone, settings.mail == MailForm::Accessible);
        context! { ..facts, ..context! { reader => userid, zone, accessible } }
    }
}

/// A cache of drawings. It has room for the drawings of a batch of letters, because several readers receive the same
/// drawing.
#[derive(Default)]
pub(crate) struct Drawings(Recent<Arc<KeptDrawing>, 64>);

/// A drawing with its inputs. The game, the options and the moves determine the position.
struct KeptDrawing {
    game: String,
    options: String,
    moves: Vec<String>,
    style: Style,
    shown: Shown,
    drawing: BoardDrawing,
}

impl Drawings {
    /// Returns the cached drawing of a board, or the result of `draw`.
    pub(crate) fn get(
        &self,
        board: &mut BoardView,
        style: Style,
        shown: Shown,
        draw: impl FnOnce(&mut BoardView) -> anyhow::Result<BoardDrawing>,
    ) -> anyhow::Result<BoardDrawing> {
        if let Some(kept) = self.0.find(|kept| kept.shows(board, style, shown)) {
            return Ok(kept.drawing.clone());
        }
        let drawing = draw(board)?;
        let moves = board.moves.iter().map(|entry| entry.text.clone()).collect();
        let (game, options) = (board.game.clone(), board.options.clone());
        self.0.keep(Arc::new(KeptDrawing { game, options, moves, style, shown, drawing: drawing.clone() }));
        Ok(drawing)
    }
}

impl KeptDrawing {
    fn shows(&self, board: &BoardView, style: Style, shown: Shown) -> bool {
        let KeptDrawing { game, options, moves, .. } = self;
        // Compare the last moves first, because boards differ more often in their last moves than in their first.
        let texts = board.moves.iter().rev().map(|entry| &entry.text);
        (self.style, self.shown) == (style, shown)
            && moves.len() == board.moves.len()
            && moves.iter().rev().eq(texts)
            && *game == board.game
            && *options == board.options
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
    fn old_pictures_are_evicted_from_the_cache() {
        let pictures = Pictures::default();
        let first = pictures.png(&picture("Board", 0), 8);
        for red in 1..=64 {
            pictures.png(&picture("Board", red), 8);
        }
        assert!(!Arc::ptr_eq(&first, &pictures.png(&picture("Board", 0), 8)));
    }
}
