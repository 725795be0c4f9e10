//! Lists of boards that are read a page at a time.

use super::PlayerId;

/// Boards in a list. Newest first, that is by falling number; without those that were declined.
#[derive(Clone, Copy, Debug)]
pub struct BoardList<'a> {
    /// Of what.
    pub of: BoardsOf<'a>,
    /// Those that ended, as against those in progress.
    pub over: bool,
    /// Whose private boards are among them.
    pub shown_to: ShownTo,
}

/// What boards have in common.
#[derive(Clone, Copy, Debug)]
pub enum BoardsOf<'a> {
    /// The game, by the catalogue's name.
    Game(&'a str),
    /// A player.
    Player(PlayerId),
}

/// Who looks at boards, as far as it matters for private ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownTo {
    /// Nobody in particular, who sees none.
    Everybody,
    /// This player, who sees his own.
    Player(PlayerId),
    /// The administrator, who sees all.
    Administrator,
}

/// Where a page of a list begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// With the newest board.
    Newest,
    /// Behind this number, with older boards.
    Before(u32),
    /// It ends before this number: the boards just newer.
    After(u32),
}

/// How many boards a player has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In progress.
    pub active: u32,
    /// Of those, on which it is his turn.
    pub next: u32,
    /// Ended.
    pub finished: u32,
}
