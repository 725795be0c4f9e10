//! Lazo (David J. Bush): stack hexagonal tiles like cannonballs. A loop of one colour wins.

mod interface;
mod legal;
mod loops;
mod moves;
mod position;
mod pyramid;
mod scene;
mod threats;
mod tiles;
mod winning;

pub use position::{ARCH, Position, SURFACE_LOOP};
pub use pyramid::Stack;

use crate::rules::game::{GameInfo, Kind};
use crate::rules::options::OptionSpec;
use crate::text::Message;

/// The game Lazo.
#[derive(Clone, Copy, Debug)]
pub struct Lazo;

/// The options of a challenge.
const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "size",
    value: Some(Message::new("lazo.sizes")),
    numbers: &pyramid::SIZES,
    about: Message::new("lazo.option-size"),
    label: Message::new("lazo.label-size"),
}];

impl GameInfo for Lazo {
    type Position = Position;
    const NAME: &'static str = "lazo";
    const TITLE: &'static str = "Lazo";
    const DESIGNER: &'static str = "David J. Bush";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = OPTIONS;
    const BUILT_IN: &'static str = "-size=145";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("lazo.about");
    const SAMPLE: (&'static str, &'static str) =
        ("-size=26", "d8 d7 d6 d5 d4 d3 d2 d1 b5 c7 c7 c3 c3 c6 b6 c6 a5 b6 b6 a5");
}
