//! Views: the facts about boards, players and games for a reader. They are serializable. `compose` adds the drawings.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Fischer;
use crate::command::Flags;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{Effects, Play};
use crate::store::{EditionRef, EntryKind, NoResult, ProposalKind, ResultReason, StopCause};
use crate::text::Message;

/// A board at one entry of its record.
// A single struct, because letters, pages and the API show the same facts of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardView {
    /// The board's number; 0 for the preview of a new game.
    pub number: BoardNumber,
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// The title of the game: `Marque`.
    pub title: String,
    /// The options in canonical form; may be empty.
    pub options: String,
    /// The win condition.
    pub aim: Message,
    /// The players: first seat, second seat.
    pub seats: Vec<SeatView>,
    /// The userid of the challenger, or of the player who accepted an open challenge; `null` if the administrator or an
    /// event created the board.
    pub challenger: Option<String>,
    /// The board of which this is a rematch.
    #[serde(default)]
    pub rematch_of: Option<BoardNumber>,
    /// The edition of an event to which the board belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EditionRef>,
    /// Whether the end of the board changes ratings, and who can see the board.
    #[serde(flatten)]
    pub flags: Flags,
    /// The number of current plies.
    pub plies: Ply,
    /// The number of entries in the record; more than plies after an undo.
    pub entries: EntryNumber,
    /// The userid of the player to move; `null` if the board has ended.
    pub to_move: Option<String>,
    /// The current moves, in order.
    pub moves: Vec<EntryView>,
    /// The entries that are new to the reader.
    pub news: Vec<EntryView>,
    /// The result, if the board has ended with one.
    pub result: Option<ResultView>,
    /// Why the board ended without a result, if it did.
    pub no_result: Option<NoResult>,
    /// The comments on the news.
    pub comments: Vec<CommentView>,
    /// The drawn position; `None` until `compose` draws it.
    #[serde(flatten)]
    #[schemars(with = "BoardDrawing")]
    pub drawn: Option<BoardDrawing>,
    /// The hash of the last entry or, without entries, the first hash of the chain.
    pub hash: String,
    /// The clock of the player to move, if it has one.
    pub clock: Option<ClockView>,
    /// The players who are on vacation; empty after the second ply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub away: Vec<AwayView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// The proposal that one of the new moves removed.
    #[serde(default)]
    pub cleared: Option<ProposalView>,
    /// The computer player's expectation after a move, for an opponent who has set `hints=on`.
    #[serde(default)]
    pub hint: Option<HintView>,
    /// Whether the drawing omits the names of empty cells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub plain: bool,
    /// The position. A stored view lacks it, and replays the moves on demand.
    #[serde(skip)]
    pub position: Option<ViewedPosition>,
}

/// The expectation of a computer player after its move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HintView {
    /// The computer player's own chance of winning, from 0 to 1; `null` if it had no choice and did not search.
    pub chance: Option<f64>,
    /// Whether the chance is proved. It is then 1, 0.5 or 0.
    pub proved: bool,
    /// The moves that the computer player expects next, starting with its opponent's; at most 3.
    pub line: Vec<String>,
}

/// A position as a reader sees it. Parts that the reader does not see are empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BoardDrawing {
    /// An example of a legal move; `null` if the game has ended.
    #[serde(default)]
    pub example: Option<String>,
    /// The winner's achievement with the last move, in words that follow their name: `occupied A and G`.
    #[serde(default)]
    pub achievement: Option<String>,
    /// Why the loser has lost, in words that follow their name: `had no legal move`.
    #[serde(default)]
    pub failure: Option<String>,
    /// The occupied cells, each with the mark of its piece: (`f3`, `o`).
    pub pieces: Vec<(String, String)>,
    /// The ASCII board.
    pub drawing: String,
    /// The board in sentences.
    pub sentences: String,
}

/// The position of a view, which is neither stored nor sent.
pub struct ViewedPosition(pub Box<dyn Play>);

impl Clone for ViewedPosition {
    fn clone(&self) -> Self {
        ViewedPosition(self.0.boxed_clone())
    }
}

impl fmt::Debug for ViewedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ViewedPosition")
    }
}

/// One player of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatView {
    /// The player's userid. On a board without players, the mark, until `compose` inserts the name of the side.
    pub userid: String,
    /// The name of the side: `White`.
    pub side: Message,
    /// The letter of the pieces: `o`.
    pub mark: char,
}

impl SeatView {
    /// Returns whether the seat has no player and is named by its mark. A userid has at least two characters.
    pub fn is_nobody(&self) -> bool {
        self.userid.chars().eq([self.mark])
    }
}

/// One entry of a record.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryView {
    /// The number of the entry, from 1; 0 in a preview.
    pub entry: EntryNumber,
    /// The kind of entry: a move, an undo, an end or a reopening.
    pub kind: EntryKind,
    /// The number of current plies after the entry.
    pub ply: Ply,
    /// The userid of the player who made the entry, or of the withdrawn player of a void board; `null` for the
    /// administrator.
    pub userid: Option<String>,
    /// The letter of the player's pieces: `o`.
    pub mark: Option<char>,
    /// The canonical move text, or the content of another entry.
    pub text: String,
    /// The effects of a move that its text does not state.
    #[serde(flatten)]
    pub effects: Effects,
    /// The moves that an undo reverted, in order. The first one followed the remaining plies.
    #[serde(default)]
    pub taken_back: Vec<String>,
    /// Whether the entry was a prepared reply.
    pub prepared: bool,
    /// The time of the entry; `null` in a preview.
    pub made_at: Option<DateTime<Utc>>,
    /// The chained hash; empty in a preview.
    pub hash: String,
}

/// The result of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResultView {
    /// The winner's userid; `null` for a draw.
    pub winner: Option<String>,
    /// The loser's userid.
    pub loser: Option<String>,
    /// The reason for the result: `formation`, `resignation`, …
    pub reason: ResultReason,
    /// The rating changes, first seat first; empty without changes.
    pub ratings: Vec<RatingView>,
}

/// The change of a player's rating after a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingView {
    /// The player's userid.
    pub userid: String,
    /// The rating before the board, rounded.
    pub before: i64,
    /// The rating after the board, rounded.
    pub after: i64,
    /// The deviation of the new rating, rounded.
    pub deviation: i64,
    /// Whether the new rating is provisional, because it is based on few boards.
    pub provisional: bool,
}

/// The clock of the player to move.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClockView {
    /// The userid of the player to move.
    pub userid: String,
    /// When the next reminder is due; `null` for never.
    pub reminder_at: Option<DateTime<Utc>>,
    /// When the game is forfeited; `null` for never.
    pub deadline: Option<DateTime<Utc>>,
    /// The thinking time that remains until the forfeit, in days, rounded to a tenth.
    pub left_days: Option<f64>,
    /// When the clock starts again; `null` if it is running, or if the time is unknown.
    pub stands_until: Option<DateTime<Utc>>,
    /// Whether the clock is stopped because letters to the player bounce.
    #[serde(default)]
    pub out_of_reach: bool,
    /// Whether the player has stopped the letters about this board, or all letters. The clock runs anyway.
    #[serde(default)]
    pub letters_stopped: bool,
    /// The current standstill of all clocks, or the last one of this turn.
    #[serde(default)]
    pub stood: Option<StandstillView>,
    /// The banks of a Fischer clock; `null` for other clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<BankView>,
    /// The total thinking time of each player in days; 0 for no limit.
    pub total_days: u32,
    /// The thinking time of each player on all plies so far, in days, rounded to a tenth.
    pub used_days: [f64; 2],
}

/// The banks of thinking time of a Fischer clock.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BankView {
    /// The remaining days of each player, rounded to a tenth.
    pub days: [f64; 2],
    /// The days that each move adds to the bank of the player who made it.
    pub plus_days: u32,
    /// The maximum number of days in a bank after a move.
    pub cap_days: u32,
}

/// A period in which all clocks are stopped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandstillView {
    /// When the clocks stopped.
    pub from: DateTime<Utc>,
    /// When the clocks started again; `null` while they are stopped.
    pub until: Option<DateTime<Utc>>,
    /// The cause: `off` (the server was off), `held` (the administrator held all letters), `paused` or `maintenance`.
    pub cause: StopCause,
    /// The administrator's reason; empty without one.
    pub reason: String,
}

/// A player on vacation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AwayView {
    /// The player's userid.
    pub userid: String,
    /// When the vacation ends.
    pub until: DateTime<Utc>,
}

/// An open proposal of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// The kind of proposal.
    pub kind: ProposalKind,
    /// The userid of the proposer.
    pub by: String,
}

/// Why the prepared replies of a player were dropped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DroppedView {
    /// The move that could not be played; `null` if there was no prepared reply to the opponent's move.
    pub reply: Option<String>,
    /// Why the reply could not be played.
    pub why: Message,
}

/// A comment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommentView {
    /// The userid of the writer.
    pub userid: String,
    /// The text.
    pub text: String,
    /// When the comment was written; `null` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<DateTime<Utc>>,
}

/// One branch of conditional replies, as the server understood it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLine {
    /// The branch's depth in the tree, from 0.
    pub depth: usize,
    /// The opponent's moves that the branch answers; empty if the branch answers all other moves.
    pub when: Vec<String>,
    /// The reply: a move, `resign` or `stop`.
    pub reply: String,
    /// Why one of the opponent's moves is currently impossible.
    pub never: Option<Message>,
}

/// An open challenge.
// A single struct, because letters, pages and the API show the same facts of a challenge.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OfferView {
    /// The number, which the board will also have.
    pub number: BoardNumber,
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// The title of the game: `Marque`.
    pub title: String,
    /// The options in canonical form.
    pub options: String,
    /// The userid of the challenger.
    pub challenger: String,
    /// Whether the challenger moves first.
    pub first: bool,
    /// Whether the board will be rated, and who will see it.
    #[serde(flatten)]
    pub flags: Flags,
    /// The invitation to a private challenge, for its creator and the administrator.
    #[serde(default)]
    pub invitation: Option<String>,
    /// Days of thinking time before the first reminder; 0 for only the last reminder before a limit.
    pub nag_days: u32,
    /// Days of thinking time on a move before a forfeit; 0 for never.
    pub forfeit_days: u32,
    /// Days of thinking time on all moves; 0 for no limit.
    pub total_days: u32,
    /// The Fischer clock, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fischer: Option<Fischer>,
    /// The comment on the challenge.
    pub comment: Option<String>,
    /// When the challenge was created.
    pub created_at: DateTime<Utc>,
    /// Whether the challenge was accepted or withdrawn.
    pub closed: bool,
}

/// A board in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardRow {
    /// The board's number.
    pub number: BoardNumber,
    /// The name of the game in the catalogue: `marque`.
    #[serde(default)]
    pub game: String,
    /// The title of the game: `Marque`.
    #[serde(default)]
    pub title: String,
    /// The options in canonical form.
    pub options: String,
    /// The players: first seat, second seat.
    pub players: [String; 2],
    /// The number of plies.
    pub plies: Ply,
    /// The userid of the player to move; `null` if the board has ended.
    pub to_move: Option<String>,
    /// The result, if the board has ended with one.
    pub result: Option<ResultView>,
    /// Why the board ended without a result, if it did.
    #[serde(default)]
    pub no_result: Option<NoResult>,
    /// The time of the last entry, or of the board's creation.
    pub moved_at: DateTime<Utc>,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameRow {
    /// The name of the game: `marque`.
    pub name: String,
    /// The title of the game: `Marque`.
    pub title: String,
    /// The game's designer.
    pub designer: String,
    /// The options in the command language.
    pub options: Vec<String>,
    /// The default options of a challenge; empty if they are the built-in ones.
    #[serde(default)]
    pub default_options: String,
    /// Boards in progress.
    pub active: usize,
    /// Public open challenges.
    pub offers: usize,
    /// The players who look for opponents: userid, number of wanted opponents.
    #[serde(default)]
    pub seekers: Vec<(String, u32)>,
}

/// An external program that plays as a computer player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineRow {
    /// The computer player's userid.
    pub userid: String,
    /// The names of the games that the computer player plays.
    pub games: Vec<String>,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayerRow {
    /// The player's userid.
    pub userid: String,
    /// When the player signed up.
    pub since: DateTime<Utc>,
    /// Boards in progress.
    pub active: usize,
    /// Boards awaiting the player's move.
    pub next: usize,
    /// Boards that ended.
    pub finished: usize,
    /// When the player's vacation ends; `null` without a vacation.
    pub vacation_until: Option<DateTime<Utc>>,
    /// When the player left; `null` before that.
    pub left_at: Option<DateTime<Utc>>,
    /// The player's standing in each game with a rating.
    pub standings: Vec<StandingRow>,
    /// The games in which the player looks for opponents.
    #[serde(default)]
    pub seeks: Vec<SeekRow>,
    /// The editions of events that the player has won. Lists of all players omit them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<EditionRef>,
}

/// A game in which a player looks for opponents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeekRow {
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// The title of the game: `Marque`.
    #[serde(default)]
    pub title: String,
    /// The number of wanted opponents.
    pub count: u32,
}

/// The standing of a player in a game.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// The title of the game: `Marque`.
    #[serde(default)]
    pub title: String,
    /// The player's userid.
    pub userid: String,
    /// The rating, rounded.
    pub rating: i64,
    /// The deviation of the rating, rounded.
    pub deviation: i64,
    /// Whether the rating is provisional, because it is based on few boards.
    pub provisional: bool,
    /// Rated boards.
    pub games: u32,
    /// Rated boards won.
    pub wins: u32,
    /// Rated boards lost.
    pub losses: u32,
    /// Rated boards drawn.
    pub draws: u32,
}
