//! Boards in sentences, for a reader who cannot use a drawing.

use crate::rules::scene::{Cell, Scene};

/// What stands where, and which cells are empty; one sentence a line. `sides` names what each mark stands for.
pub fn sentences(scene: &Scene, sides: &[(char, String)]) -> String {
    let names = |wanted: &dyn Fn(&Cell) -> bool| {
        let names: Vec<&str> = scene.cells.iter().filter(|cell| wanted(cell)).map(|cell| cell.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let mut text = String::new();
    for (mark, side) in sides {
        text += &format!("{side}: {}.\n", names(&|cell| cell.piece == Some(*mark)));
    }
    text + &format!("Empty: {}.\n", names(&|cell| cell.piece.is_none()))
}
