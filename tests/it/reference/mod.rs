//! Second validators, one for each game: slow, simple, and independent of the rules that they check.

use turnpost::rules::{Options, Play};

pub mod amazons;
pub mod breakthrough;
pub mod brique;
pub mod catchup;
pub mod gonnect;
pub mod havannah;
pub mod hex;
pub mod lazo;
pub mod loa;
pub mod marque;
pub mod moving;
pub mod pente;
pub mod placing;
pub mod tessella;
pub mod twixt;
pub mod y;
pub mod yavalath;

/// A board as a second validator sees it.
pub trait Reference: Clone {
    /// Returns the initial board of a game with these options.
    fn start(options: &Options) -> Self;
    /// Returns the texts of all legal moves, in board order; empty after the end.
    fn moves(&self) -> Vec<String>;
    /// Plays a legal move.
    fn play(&mut self, text: &str);
    /// Returns each cell with a piece and the piece's mark, in board order.
    fn pieces(&self) -> Vec<(String, String)>;
    /// Returns the winner's mark or `draw`, once the game has ended.
    fn end(&self) -> Option<String>;

    /// Returns the number of legal sequences of this many plies.
    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let below = |text: &String| {
            let mut next = self.clone();
            next.play(text);
            next.perft(depth - 1)
        };
        self.moves().iter().map(below).sum()
    }
}

/// Returns the winner's mark or `draw`, once the game has ended according to the rules that are tested.
pub fn end(play: &dyn Play) -> Option<String> {
    play.outcome().map(|outcome| outcome.winner.map_or("draw".to_owned(), |seat| play.mark(seat).to_string()))
}
