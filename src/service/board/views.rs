//! Views: the facts about boards, players and games that a reader is given. Serializable, and without a drawing until
//! `compose` adds it.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{Effects, Play};
use crate::store::{EntryKind, NoResult, ProposalKind, ResultReason, StopCause};
use crate::text::Message;

/// A board at one entry of its record.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardView {
    /// Its number; 0 for a preview from `new`.
    pub number: BoardNumber,
    /// The catalogue's name.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// The win condition.
    pub aim: Message,
    /// First seat, second seat.
    pub seats: Vec<SeatView>,
    /// Who made the challenge; `null` when it came from the administrator's shell.
    pub challenger: Option<String>,
    /// The board that it is a rematch of.
    #[serde(default)]
    pub rematch_of: Option<BoardNumber>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Shown to its players only.
    pub private: bool,
    /// Plies that stand.
    pub plies: Ply,
    /// Entries of the record; more than plies after an undo.
    pub entries: EntryNumber,
    /// The userid whose turn it is; `null` when over.
    pub to_move: Option<String>,
    /// The moves that stand, in order.
    pub moves: Vec<EntryView>,
    /// What is new to the reader: the last entries of the record.
    pub news: Vec<EntryView>,
    /// The result, when over.
    pub result: Option<ResultView>,
    /// Why it ended without a result, if it did.
    pub no_result: Option<NoResult>,
    /// The comments that came with the news.
    pub comments: Vec<CommentView>,
    /// The position as a reader sees it; `None` until `compose` draws it.
    #[serde(flatten)]
    #[schemars(with = "BoardDrawing")]
    pub drawn: Option<BoardDrawing>,
    /// The hash of the last entry, or the chain's first.
    pub hash: String,
    /// The clock of the player to move, if it has one.
    pub clock: Option<ClockView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// The proposal that a move among the news has closed, unanswered.
    #[serde(default)]
    pub cleared: Option<ProposalView>,
    /// What the computer player that moved last expects, for its opponent who has set `hints=on`.
    #[serde(default)]
    pub hint: Option<HintView>,
    /// Its drawing leaves the names of the empty cells out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub plain: bool,
    /// The position, unless the view was stored: then it is replayed from the moves when it is needed.
    #[serde(skip)]
    pub position: Option<ViewedPosition>,
}

/// What a computer player expected when it moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HintView {
    /// Its own chance of winning, from 0 to 1; `null`: it had no choice and looked no further.
    pub chance: Option<f64>,
    /// Whether nobody can change the chance any more, which is then 1, 0.5 or 0.
    pub proved: bool,
    /// The moves that it expects next, its opponent's first; at most 3.
    pub line: Vec<String>,
}

/// A position as a reader sees it. What its reader is not shown is empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BoardDrawing {
    /// A legal move, as one may be written; `null` when the game is over.
    #[serde(default)]
    pub example: Option<String>,
    /// What the last move achieved, if it has won the game, to follow the winner's name: `occupied A and G`.
    #[serde(default)]
    pub achievement: Option<String>,
    /// Occupied cells: (`f3`, `o`).
    pub pieces: Vec<(String, String)>,
    /// The ASCII board.
    pub drawing: String,
    /// The board in sentences.
    pub sentences: String,
}

/// The position of a view, which is no part of what is stored or sent.
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
    /// The player's userid; on a board that nobody plays, the mark, until `compose` puts the words of the side.
    pub userid: String,
    /// `White`
    pub side: Message,
    /// `o`
    pub mark: char,
}

impl SeatView {
    /// Whether the seat is named by its mark, since nobody plays it: a userid has at least two characters.
    pub fn is_nobody(&self) -> bool {
        self.userid.chars().eq([self.mark])
    }
}

/// One entry of a record.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryView {
    /// From 1; 0 in a preview.
    pub entry: EntryNumber,
    /// A move, an undo or an end.
    pub kind: EntryKind,
    /// Plies that stand after it.
    pub ply: Ply,
    /// The player who made it; `null`: the administrator.
    pub userid: Option<String>,
    /// `o`
    pub mark: Option<char>,
    /// Canonical move text, or what the entry says.
    pub text: String,
    /// What a move did besides what its text says.
    #[serde(flatten)]
    pub effects: Effects,
    /// The moves that an undo took back, in order; the first was made after the plies that stand.
    #[serde(default)]
    pub taken_back: Vec<String>,
    /// It was a reply prepared beforehand.
    pub prepared: bool,
    /// When it was made; `null` in a preview.
    pub made_at: Option<DateTime<Utc>>,
    /// The chained hash; empty in a preview.
    pub hash: String,
}

/// The result of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResultView {
    /// The winner's userid; `null` is a draw.
    pub winner: Option<String>,
    /// The loser's userid.
    pub loser: Option<String>,
    /// `formation`, `resignation`, …
    pub reason: ResultReason,
    /// The changes of the ratings, first seat first; empty when there were none.
    pub ratings: Vec<RatingView>,
}

/// The change of a player's rating by a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingView {
    /// The player's userid.
    pub userid: String,
    /// The rating before, rounded.
    pub before: i64,
    /// The rating after, rounded.
    pub after: i64,
    /// The deviation of the new rating, rounded.
    pub deviation: i64,
    /// The new rating is provisional: it rests on few boards.
    pub provisional: bool,
}

/// The clock of the player to move.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClockView {
    /// The player to move.
    pub userid: String,
    /// When the next reminder is due; `null`: none is.
    pub reminder_at: Option<DateTime<Utc>>,
    /// When the game is forfeited; `null`: never.
    pub deadline: Option<DateTime<Utc>>,
    /// Days of thinking left until then, to a tenth.
    pub left_days: Option<f64>,
    /// The clock stands still until then.
    pub stands_until: Option<DateTime<Utc>>,
    /// It stands still because letters to its player bounce.
    #[serde(default)]
    pub out_of_reach: bool,
    /// Its player has stopped their letters, about this board or all; it runs all the same.
    #[serde(default)]
    pub letters_stopped: bool,
    /// The lasting standstill of all clocks, or the last one of this turn.
    #[serde(default)]
    pub stood: Option<StandstillView>,
    /// Days each player may think in all; 0: any.
    pub total_days: u32,
    /// Days each has thought so far, on all plies, to a tenth.
    pub used_days: [f64; 2],
}

/// A time in which all clocks are stopped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandstillView {
    /// Its first moment.
    pub from: DateTime<Utc>,
    /// Its end; `null` while it lasts.
    pub until: Option<DateTime<Utc>>,
    /// Why: `off` (the server was off), `held` (the administrator held all letters) or `paused`.
    pub cause: StopCause,
    /// The administrator's reason; empty without one.
    pub reason: String,
}

/// An open proposal of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// What is proposed.
    pub kind: ProposalKind,
    /// The userid of the player who made it.
    pub by: String,
}

/// A prepared reply that was dropped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DroppedView {
    /// The move that could not be played; `null`: nothing was prepared for the opponent's move.
    pub reply: Option<String>,
    /// Why it could not be played.
    pub why: Message,
}

/// A comment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommentView {
    /// The userid of its writer.
    pub userid: String,
    /// Its text.
    pub text: String,
    /// When it was made; `null` where only the text is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<DateTime<Utc>>,
}

/// One branch of conditional replies, as understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLine {
    /// How deep it stands in the tree, from 0.
    pub depth: usize,
    /// The opponent's moves; empty: any other.
    pub when: Vec<String>,
    /// A move, `resign` or `stop`.
    pub reply: String,
    /// Why one of these moves cannot be made as things stand.
    pub never: Option<Message>,
}

/// An open challenge.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OfferView {
    /// Its number, which the board keeps.
    pub number: BoardNumber,
    /// The catalogue's name.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// Canonical options text.
    pub options: String,
    /// The userid of the player who made it.
    pub challenger: String,
    /// Whether the challenger moves first.
    pub first: bool,
    /// Whether the board will be rated.
    pub rated: bool,
    /// Only its players will see the board, and whoever accepts it needs the invitation.
    #[serde(default)]
    pub private: bool,
    /// The invitation to a private one, for the player who made it.
    #[serde(default)]
    pub invitation: Option<String>,
    /// Days of thinking before the first reminder; 0: none.
    pub nag_days: u32,
    /// Days of thinking on a move before a forfeit; 0: never.
    pub forfeit_days: u32,
    /// Days of thinking on all moves; 0: any.
    pub total_days: u32,
    /// The comment that came with it.
    pub comment: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// It was taken or withdrawn.
    pub closed: bool,
}

/// A board in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardRow {
    /// Its number.
    pub number: BoardNumber,
    /// The catalogue's name.
    #[serde(default)]
    pub game: String,
    /// `Marque`
    #[serde(default)]
    pub title: String,
    /// Canonical options text.
    pub options: String,
    /// First seat, second seat.
    pub players: [String; 2],
    /// Plies made.
    pub plies: Ply,
    /// The userid whose turn it is; `null` when over.
    pub to_move: Option<String>,
    /// The result, when over.
    pub result: Option<ResultView>,
    /// Why it ended without a result, if it did.
    #[serde(default)]
    pub no_result: Option<NoResult>,
    /// When the last entry was made, or the board.
    pub moved_at: DateTime<Utc>,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameRow {
    /// `marque`
    pub name: String,
    /// `Marque`
    pub title: String,
    /// Its designer.
    pub designer: String,
    /// Its options, as they are typed.
    pub options: Vec<String>,
    /// The options of a challenge that states none; empty when they are built in.
    #[serde(default)]
    pub default_options: String,
    /// Boards in progress.
    pub active: usize,
    /// Open challenges.
    pub offers: usize,
    /// Who looks for opponents in it: userid, how many.
    #[serde(default)]
    pub seekers: Vec<(String, u32)>,
}

/// A program of others that plays as a computer player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineRow {
    /// Its userid.
    pub userid: String,
    /// The names of the games that it plays.
    pub games: Vec<String>,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayerRow {
    /// Their userid.
    pub userid: String,
    /// When they signed up.
    pub since: DateTime<Utc>,
    /// Boards in progress.
    pub active: usize,
    /// Boards that wait for them.
    pub next: usize,
    /// Boards that ended.
    pub finished: usize,
    /// When their vacation ends; `null`: they are on none.
    pub vacation_until: Option<DateTime<Utc>>,
    /// When they left; `null`: they have not.
    pub left_at: Option<DateTime<Utc>>,
    /// Their standing in each game in which they have a rating.
    pub standings: Vec<StandingRow>,
    /// The games in which they look for opponents.
    #[serde(default)]
    pub seeks: Vec<SeekRow>,
}

/// A game in which a player looks for opponents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeekRow {
    /// Title of the game.
    pub game: String,
    /// How many opponents they look for.
    pub count: u32,
}

/// The standing of a player in a game.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// Title of the game.
    pub game: String,
    /// The player's userid.
    pub userid: String,
    /// The rating, rounded.
    pub rating: i64,
    /// Its deviation, rounded.
    pub deviation: i64,
    /// The rating is provisional: it rests on few boards.
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
