//! The data about events that answers, letters, web pages and the API contain.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Fischer;
use crate::command::EventKind;
use crate::event::{Score, standings};
use crate::numbers::{BoardNumber, Ply};
use crate::rules::Seat;
use crate::store::{EventBoard, NoResult, Participant, PlayerId, Withdrawal};

/// An event in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventRow {
    /// The event's name.
    pub name: String,
    /// The kind of the event.
    pub kind: EventKind,
    /// The name of the game: `marque`.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// The options of the event's boards; may be empty.
    pub options: String,
    /// The number of players of the ladder, of the next edition, or of the only edition if it has begun.
    pub players: usize,
    /// The number of the last edition; `null` before the first.
    pub edition: Option<u32>,
    /// Whether the last edition is in progress.
    pub running: bool,
    /// When the next edition begins; `null` during an edition and after the last one.
    pub next_at: Option<DateTime<Utc>>,
}

/// An event and one of its editions.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    /// The event.
    #[serde(flatten)]
    pub row: EventRow,
    /// Days of thinking time on one move.
    pub move_days: u32,
    /// Days of thinking time on all moves of a board; 0 with a Fischer clock.
    pub all_days: u32,
    /// The Fischer clock, with which each move adds time to the player's bank; `null` without one.
    pub fischer: Option<Fischer>,
    /// Whether the event's boards change ratings.
    pub rated: bool,
    /// The maximum number of players of a division.
    pub division: u32,
    /// Whether two players of a division play two games.
    pub twice: bool,
    /// Whether the event has only one edition.
    pub once: bool,
    /// The userids of the players of the next edition, or of the ladder, in the order in which they joined. If the only
    /// edition has begun, there is no next one.
    pub entrants: Vec<String>,
    /// All editions, the newest first.
    pub editions: Vec<EditionRow>,
    /// The requested edition; `null` before the first.
    pub shown: Option<EditionView>,
}

/// An edition in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EditionRow {
    /// The edition's number.
    pub number: u32,
    /// When the edition began.
    pub started_at: DateTime<Utc>,
    /// When the edition ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The userid of the winner; `null` before the end, or if nobody has won it.
    pub winner: Option<String>,
}

/// An edition with its tables.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EditionView {
    /// The edition's number.
    pub number: u32,
    /// When the edition began.
    pub started_at: DateTime<Utc>,
    /// The latest time at which the edition ends; `null` in a ladder.
    pub latest_at: Option<DateTime<Utc>>,
    /// When the edition ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The divisions of a league, from the first one down.
    pub divisions: Vec<DivisionView>,
    /// The rounds of a cup.
    pub rounds: Vec<RoundView>,
    /// The places of a ladder, from the first one down.
    pub places: Vec<PlaceView>,
    /// The latest results of a ladder, the newest first.
    pub results: Vec<GameView>,
    /// The games in progress.
    pub playing: Vec<GameView>,
}

/// A place of a ladder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlaceView {
    /// The place, from 1.
    pub place: usize,
    /// The player's userid.
    pub userid: String,
    /// The number of the player's board in progress.
    pub board: Option<BoardNumber>,
    /// The userid of the opponent on that board.
    pub opponent: Option<String>,
    /// The userid of the player to move on that board.
    pub to_move: Option<String>,
    /// Whether the player sinks by one place at the end of the week, unless they play.
    pub sinks: bool,
    /// The userids of the players whom the player may challenge.
    pub may_challenge: Vec<String>,
}

/// A division with its crosstable.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DivisionView {
    /// The division's number, from 1.
    pub number: u32,
    /// The players by rank. The cells of a row are in the same order.
    pub rows: Vec<TableRow>,
}

/// A player in a crosstable.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TableRow {
    /// The rank.
    pub rank: usize,
    /// The player's userid.
    pub userid: String,
    /// The points, such as `3½`.
    pub points: String,
    /// The Sonneborn-Berger score.
    pub berger: f64,
    /// The games won.
    pub wins: u32,
    /// The games finished.
    pub games: u32,
    /// How the player was withdrawn; `null` if the player was not.
    pub withdrawn: Option<Withdrawal>,
    /// The games against each player of the division, by rank.
    pub cells: Vec<Vec<CellView>>,
}

/// A game in a cell of a crosstable.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CellView {
    /// The board's number.
    pub board: BoardNumber,
    /// `1`, `0` or `½` for the player of the row; `-` for an annulled game; `.` for a game in progress.
    pub result: String,
    /// Whether the player of the row is to move.
    pub to_move: bool,
}

/// A round of a cup.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoundView {
    /// The round's number, from 1.
    pub number: u32,
    /// The ties, in the order of the bracket. In the last round, the second one is for third place.
    pub ties: Vec<TieView>,
}

/// A tie of a cup.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TieView {
    /// The userids of the players; `null` for one who is not known yet, or the missing opponent of a bye.
    pub players: [Option<String>; 2],
    /// Whether the first player has no opponent and plays in the next round.
    pub bye: bool,
    /// The games: one, or two if the first was drawn. Empty before the tie begins, and if it needs no game.
    pub games: Vec<GameView>,
    /// The userid of the winner.
    pub winner: Option<String>,
    /// Whether the thinking time in both games decided the tie, after two draws.
    pub by_time: bool,
}

/// A game of an edition.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameView {
    /// The board's number.
    pub board: BoardNumber,
    /// The division's number, from 1.
    pub division: u32,
    /// The round's number, from 1.
    pub round: u32,
    /// The position of the game or tie in its round, or the challenged place of a ladder.
    pub slot: u32,
    /// The userids of the players; the first one moves first.
    pub players: [String; 2],
    /// The userid of the player to move; `null` after the end.
    pub to_move: Option<String>,
    /// The result for both players: `1`, `0`, `½`, `-` for an annulled game, `.` for a game in progress.
    pub results: [String; 2],
}

/// A game of a cup, as a letter describes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CupGame {
    /// The round, from 1.
    pub round: u32,
    /// The number of later rounds.
    pub left: u32,
    /// Whether the game is for third place.
    pub third: bool,
    /// Whether the game is the replay of a drawn game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replay: bool,
    /// The userid of the player who has won the tie after a second draw.
    pub winner: Option<String>,
}

pub(crate) fn seat_of(board: &EventBoard, player: PlayerId) -> Option<Seat> {
    Seat::BOTH.into_iter().find(|seat| board.players[seat.index()].id == player)
}

/// Returns the half points of the first player; `None` if the game is in progress or void.
pub(crate) fn half_points(board: &EventBoard) -> Option<u32> {
    board.ended_at?;
    match board.no_result {
        None => Some(match board.winner {
            Some(Seat::First) => 2,
            Some(Seat::Second) => 0,
            None => 1,
        }),
        Some(NoResult::Declined | NoResult::Expired) => {
            let loser =
                Seat::BOTH.into_iter().find(|seat| Some(board.players[seat.index()].id) == board.declined_by)?;
            Some(if loser == Seat::First { 0 } else { 2 })
        }
        Some(NoResult::Abandoned) => Some(1),
        Some(NoResult::Void) => None,
    }
}

/// Returns the half points of the first player, unless the games of one of the players were annulled.
fn counted(board: &EventBoard, participants: &[&Participant]) -> Option<u32> {
    let is_annulled = |player: PlayerId| {
        let of = participants.iter().find(|of| of.player.id == player);
        of.is_some_and(|of| of.withdrawn == Some(Withdrawal::Annulled))
    };
    half_points(board).filter(|_| !board.players.iter().any(|player| is_annulled(player.id)))
}

/// Returns whether a player has scored in a game that was neither annulled nor decided only by a missing first move. A
/// player without such a game cannot win the edition.
pub(crate) fn has_scored(player: PlayerId, participants: &[Participant], boards: &[EventBoard]) -> bool {
    let participants: Vec<&Participant> = participants.iter().collect();
    boards.iter().any(|board| {
        let was_played = board.no_result.is_none_or(|why| !why.is_out_of_play()) || board.plies > Ply::START;
        let scored = |seat| match (counted(board, &participants), seat) {
            (Some(first), Seat::First) => first > 0,
            (Some(first), Seat::Second) => first < 2,
            (None, _) => false,
        };
        was_played && seat_of(board, player).is_some_and(scored)
    })
}

/// Returns the table of a division: players by rank, with their points.
pub(crate) fn ranked<'a>(
    division: u32,
    participants: &'a [Participant],
    boards: &[EventBoard],
) -> Vec<(&'a Participant, crate::event::Standing)> {
    let players: Vec<&Participant> = participants.iter().filter(|of| of.division == division).collect();
    let index = |player: PlayerId| players.iter().position(|of| of.player.id == player);
    let games: Vec<Score> = boards
        .iter()
        .filter(|board| board.place.division == division)
        .filter_map(|board| {
            let half_points = counted(board, &players)?;
            let players = (index(board.players[0].id)?, index(board.players[1].id)?);
            Some(Score { players, half_points })
        })
        .collect();
    let mut rows: Vec<_> = standings(players.len(), &games).into_iter().map(|row| (players[row.player], row)).collect();
    // The ranks of an ended edition are final.
    rows.sort_by_key(|(of, _)| (of.rank, of.withdrawn == Some(Withdrawal::Annulled)));
    rows
}

/// Formats half points as points: `3½`.
fn points(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

fn results(board: &EventBoard, participants: &[&Participant]) -> [String; 2] {
    match (board.ended_at, counted(board, participants)) {
        (None, _) => [".", "."].map(str::to_owned),
        (Some(_), None) => ["-", "-"].map(str::to_owned),
        (Some(_), Some(first)) => [points(first), points(2 - first)],
    }
}

/// Returns the data about a game of an edition.
pub(crate) fn game_view(board: &EventBoard, participants: &[&Participant]) -> GameView {
    GameView {
        board: board.number,
        division: board.place.division,
        round: board.place.round,
        slot: board.place.slot,
        players: [board.players[0].userid.clone(), board.players[1].userid.clone()],
        to_move: board.to_move.map(|seat| board.players[seat.index()].userid.clone()),
        results: results(board, participants),
    }
}

/// Returns a division with its crosstable.
pub(crate) fn division_view(division: u32, participants: &[Participant], boards: &[EventBoard]) -> DivisionView {
    let table = ranked(division, participants, boards);
    let players: Vec<&Participant> = table.iter().map(|(of, _)| *of).collect();
    let boards: Vec<&EventBoard> = boards.iter().filter(|board| board.place.division == division).collect();
    let cell = |player: PlayerId, opponent: PlayerId| -> Vec<CellView> {
        let between = boards.iter().filter_map(|board| {
            let seat = board.players.iter().position(|seated| seated.id == player)?;
            let is_between = board.players[1 - seat].id == opponent;
            is_between.then(|| CellView {
                board: board.number,
                result: results(board, &players)[seat].clone(),
                to_move: board.to_move.is_some_and(|to_move| to_move.index() == seat),
            })
        });
        between.collect()
    };
    let row = |(at, (of, standing)): (usize, &(&Participant, crate::event::Standing))| TableRow {
        rank: of.rank.map_or(at + 1, |rank| rank as usize),
        userid: of.player.userid.clone(),
        points: points(standing.half_points),
        berger: f64::from(standing.berger) / 4.0,
        wins: standing.wins,
        games: standing.games,
        withdrawn: of.withdrawn,
        cells: table.iter().map(|(opponent, _)| cell(of.player.id, opponent.player.id)).collect(),
    };
    DivisionView { number: division, rows: table.iter().enumerate().map(row).collect() }
}

/// How a player has moved between two divisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moved {
    /// To a higher division.
    Up,
    /// To a lower division.
    Down,
}

impl Moved {
    /// Compares a player's divisions in the previous and the current edition.
    pub(crate) fn between(before: u32, now: u32) -> Option<Moved> {
        match now.cmp(&before) {
            Ordering::Less => Some(Moved::Up),
            Ordering::Equal => None,
            Ordering::Greater => Some(Moved::Down),
        }
    }
}

/// The facts of a letter about an event.
// All notices about events share this struct, because one letter can contain several of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventFacts {
    /// The event's name.
    pub name: String,
    /// The edition's number.
    pub edition: u32,
    /// The kind of the event.
    pub kind: EventKind,
    /// Title of the game.
    pub title: String,
    /// The latest time of the edition's end; `null` in a ladder.
    pub latest_at: Option<DateTime<Utc>>,
    /// When the next edition begins; `null` if there is none, or it is not known yet.
    pub next_at: Option<DateTime<Utc>>,
    /// Days of thinking time on one move.
    pub move_days: u32,
    /// Days of thinking time on all moves of a board; 0 with a Fischer clock.
    pub all_days: u32,
    /// The Fischer clock, with which each move adds time to the player's bank.
    pub fischer: Option<Fischer>,
    /// The players of the reader's division, or of the cup by seed.
    pub players: Vec<String>,
    /// Whether the event has only one edition.
    pub once: bool,
    /// Whether the reader has no opponent in the first round.
    pub bye: bool,
    /// The number of divisions.
    pub divisions: u32,
    /// The reader's division with its table, in a league.
    pub division: Option<DivisionView>,
    /// The places of a ladder, from the first one down.
    pub places: Vec<PlaceView>,
    /// The results to report.
    pub news: Vec<GameView>,
    /// The rounds of a cup to show: the first one with news and those after it, or the last ones at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundView>,
    /// Whether the reader has moved to a higher or lower division since the previous edition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// The reader's final rank.
    pub rank: Option<u32>,
    /// The winner of the edition; `null` before the end, or if nobody has won it.
    pub winner: Option<String>,
    /// How the reader was withdrawn; `null` if the reader was not.
    pub withdrawn: Option<Withdrawal>,
    /// Whether the reader takes part in the next edition.
    pub joined: bool,
}
