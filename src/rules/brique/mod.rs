//! Brique (Luis Bolaños Mures, 2012): build a chain across a checkered board. A player who holds both escorts of a
//! square also gets that square.

mod cells;
mod chain;
mod interface;
mod moves;
mod position;
mod scene;

pub use cells::Cell;
pub use position::{Move, Position};

use crate::rules::game::{GameInfo, Kind};
use crate::rules::options::OptionSpec;
use crate::text::Message;

/// The game Brique.
#[derive(Clone, Copy, Debug)]
pub struct Brique;

/// The options of a challenge.
const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("brique.sizes")),
    numbers: &cells::SIZES,
    about: Message::new("brique.option-size"),
    label: Message::new("brique.label-size"),
}];

impl GameInfo for Brique {
    type Position = Position;
    const NAME: &'static str = "brique";
    const TITLE: &'static str = "Brique";
    const DESIGNER: &'static str = "Luis Bolaños Mures, 2012";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = OPTIONS;
    const BUILT_IN: &'static str = "-size=15";
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("brique.about");
    const SAMPLE: (&'static str, &'static str) = ("-size=9", "e5 swap e4 f4 d6 d5 f6 g5 c4 c6");
}
