//! Marque (Cameron Browne, 2008).

use super::{Game, OptionSpec, Options, Play, Refusal};

/// The game.
pub struct Marque;

impl Game for Marque {
    fn name(&self) -> &'static str {
        "marque"
    }
    fn title(&self) -> &'static str {
        "Marque"
    }
    fn designer(&self) -> &'static str {
        "Cameron Browne, 2008"
    }
    fn options(&self) -> &'static [OptionSpec] {
        const fn formation(name: &'static str, about: &'static str) -> OptionSpec {
            OptionSpec { name, value: None, about }
        }
        const OPTIONS: &[OptionSpec] = &[
            formation("any_2", "occupy any two bases"),
            formation("any_3", "occupy any three bases"),
            formation("any_4", "occupy any four bases"),
            formation("non_adj_2", "occupy two bases that are not adjacent"),
            formation("opposite", "occupy two opposite bases: A-G, B-F or C-E"),
            formation("y", "occupy three bases no two of which are adjacent (the default)"),
        ];
        OPTIONS
    }
    fn start(&self, _options: &Options) -> Result<Box<dyn Play>, Refusal> {
        todo!()
    }
}
