//! Lists of boards that are read a page at a time.

use super::{Board, PlayerId, Result};
use crate::numbers::BoardNumber;

/// A list of boards, the newest (that is the greatest number) first, without those that were declined.
#[derive(Clone, Copy, Debug)]
pub struct BoardList<'a> {
    /// What the boards have in common.
    pub of: BoardsOf<'a>,
    /// Whether it lists boards that ended, or those in progress.
    pub over: bool,
    /// Who looks at it.
    pub shown_to: ShownTo,
}

/// What boards have in common.
#[derive(Clone, Copy, Debug)]
pub enum BoardsOf<'a> {
    /// The game, by the catalogue's name.
    Game(&'a str),
    /// A player, and the game if one is named.
    Player(PlayerId, Option<&'a str>),
}

/// Who looks at a list, which decides about private boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownTo {
    /// Anybody, who sees no private board.
    Everybody,
    /// This player, who sees their own private boards.
    Player(PlayerId),
    /// The administrator, who sees every board.
    Administrator,
}

/// Where a page of a list begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// With the newest boards.
    Newest,
    /// With the boards older than this number.
    Before(BoardNumber),
    /// With the boards just newer than this number, at which it ends.
    After(BoardNumber),
}

/// How many boards a player has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Boards in progress.
    pub active: u32,
    /// Of those, boards on which it is their turn.
    pub next: u32,
    /// Boards that ended.
    pub finished: u32,
}

/// Lists of boards and the counts beside them. A board against oneself counts once.
pub trait BoardLists {
    /// A page of a list of boards, at most `most`.
    fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>>;
    /// How many boards a player has.
    fn tally(&self, player: PlayerId) -> Result<Tally>;
}
