//! Code shared by the tests of games in which pieces move.

use turnpost::rules::{Play, RefusalKind, Seat};

use super::words;

/// Plays the moves in a line of text.
pub fn play(game: &mut dyn Play, line: &str) {
    for text in line.split_whitespace() {
        game.play(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    }
}

/// Plays a winning move. Returns the winning cells.
pub fn won_by(game: &mut dyn Play, text: &str) -> Vec<String> {
    game.play(text).unwrap().effects.winning_cells.into_iter().map(|cell| cell.cell).collect()
}

pub fn end(game: &dyn Play) -> Option<(Option<Seat>, &'static str)> {
    game.outcome().map(|end| (end.winner, end.reason.as_str()))
}

/// Tries to play an illegal move. Returns the kind and the text of the error.
pub fn refusal(game: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = game.play(text).unwrap_err();
    (refusal.kind, words(&refusal.message))
}
