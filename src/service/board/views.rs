//! What a reader is told of boards, players and games.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::{EntryKind, ProposalKind};
use crate::text::Message;

/// A board at one entry of its record, with everything a reader is told of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardView {
    /// Its number; 0 for a preview from `new`.
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// The win condition in words.
    pub aim: String,
    /// First seat, second seat.
    pub seats: Vec<SeatView>,
    /// Who made the challenge; `null` when it came from the administrator's shell.
    pub challenger: Option<String>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Shown to its players only.
    pub private: bool,
    /// Plies that stand.
    pub plies: u32,
    /// Entries of the record; more than plies after an undo.
    pub entries: u32,
    /// The userid whose turn it is; `null` when over.
    pub to_move: Option<String>,
    /// A legal move, as one may be written; `null` when the game is over.
    #[serde(default)]
    pub example: Option<String>,
    /// The moves that stand, in order.
    pub moves: Vec<EntryView>,
    /// What is new to the reader: the last entries of the record.
    pub news: Vec<EntryView>,
    /// The result, when over.
    pub result: Option<ResultView>,
    /// Declined, or never begun: not played.
    pub declined: bool,
    /// What was said with the news.
    pub comments: Vec<CommentView>,
    /// Occupied cells: (`f3`, `o`).
    pub pieces: Vec<(String, String)>,
    /// The ASCII board.
    pub drawing: String,
    /// The board in sentences.
    pub sentences: String,
    /// The hash of the last entry, or the chain's first.
    pub hash: String,
    /// The clock of the player to move, if it has one.
    pub clock: Option<ClockView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
}

/// One player of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatView {
    /// Who.
    pub userid: String,
    /// `White (o)`
    pub side: String,
    /// `o`
    pub mark: char,
}

/// One entry of a record.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryView {
    /// From 1; 0 in a preview.
    pub entry: u32,
    /// What it is.
    pub kind: EntryKind,
    /// Plies that stand after it.
    pub ply: u32,
    /// Whose; `null`: the administrator's.
    pub userid: Option<String>,
    /// `o`
    pub mark: Option<char>,
    /// Canonical move text, or what the entry says.
    pub text: String,
    /// Cells captured.
    pub captured: Vec<String>,
    /// The player after it had no legal move and was passed over.
    pub passed_over: bool,
    /// It was a reply prepared beforehand.
    pub prepared: bool,
    /// When; `null` in a preview.
    pub made_at: Option<DateTime<Utc>>,
    /// The chained hash; empty in a preview.
    pub hash: String,
}

/// How it ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResultView {
    /// The winner's userid; `null` is a draw.
    pub winner: Option<String>,
    /// The loser's.
    pub loser: Option<String>,
    /// `formation`, `resignation`, …
    pub reason: String,
    /// What it did to the ratings, first seat first; empty when it did nothing.
    pub ratings: Vec<RatingView>,
}

/// What a board did to a player's rating.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingView {
    /// Whose.
    pub userid: String,
    /// Rounded.
    pub before: i64,
    /// Rounded.
    pub after: i64,
    /// Of the new rating, rounded.
    pub deviation: i64,
    /// The new rating says little yet.
    pub provisional: bool,
}

/// The clock of the player to move.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClockView {
    /// Whose.
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
    /// Days each player may think in all; 0: any.
    pub total_days: u32,
    /// Days each has thought so far, on all plies, to a tenth.
    pub used_days: [f64; 2],
}

/// An open proposal.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// What.
    pub kind: ProposalKind,
    /// By whom.
    pub by: String,
}

/// A prepared reply that came to nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DroppedView {
    /// The move that could not be played; `null`: nothing was prepared for the opponent's move.
    pub reply: Option<String>,
    /// Why it could not be played.
    pub why: Message,
}

/// What somebody said.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommentView {
    /// Who.
    pub userid: String,
    /// What.
    pub text: String,
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
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// Canonical options text.
    pub options: String,
    /// Whose.
    pub challenger: String,
    /// Whether the challenger moves first.
    pub first: bool,
    /// Whether the board will be rated.
    pub rated: bool,
    /// Days of thinking before the first reminder; 0: none.
    pub nag_days: u32,
    /// Days of thinking on a move before a forfeit; 0: never.
    pub forfeit_days: u32,
    /// Days of thinking on all moves; 0: any.
    pub total_days: u32,
    /// What was said with it.
    pub comment: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// It was taken or withdrawn.
    pub closed: bool,
}

/// A board in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BoardRow {
    /// Number.
    pub number: u32,
    /// The catalogue's name.
    #[serde(default)]
    pub game: String,
    /// `Marque`
    #[serde(default)]
    pub title: String,
    /// Options.
    pub options: String,
    /// First seat, second seat.
    pub players: [String; 2],
    /// Plies made.
    pub plies: u32,
    /// Whose turn.
    pub to_move: Option<String>,
    /// The result, when over.
    pub result: Option<ResultView>,
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
    /// Who designed it.
    pub designer: String,
    /// Its options, as they are typed.
    pub options: Vec<String>,
    /// Boards in progress.
    pub active: usize,
    /// Open challenges.
    pub offers: usize,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayerRow {
    /// Who.
    pub userid: String,
    /// Since when.
    pub since: DateTime<Utc>,
    /// Boards in progress.
    pub active: usize,
    /// Boards that wait for him.
    pub next: usize,
    /// Boards that ended.
    pub finished: usize,
    /// On vacation until then.
    pub vacation_until: Option<DateTime<Utc>>,
    /// He left then.
    pub left_at: Option<DateTime<Utc>>,
    /// Where he stands in each game he has a rating in.
    pub standings: Vec<StandingRow>,
}

/// Where a player stands in a game.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// Title of the game.
    pub game: String,
    /// Who.
    pub userid: String,
    /// Rounded.
    pub rating: i64,
    /// Rounded.
    pub deviation: i64,
    /// The rating says little yet.
    pub provisional: bool,
    /// Rated boards.
    pub games: u32,
    /// Of those won.
    pub wins: u32,
    /// Lost.
    pub losses: u32,
    /// Drawn.
    pub draws: u32,
}
