//! The standard record of a board. `history --format=json` prints it, and the export of a player contains it. Also
//! removes comments from boards.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::views::EntryView;
use crate::clock::TimeControl;
use crate::command::Flags;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::Effects;
use crate::service::administration::{Report, ReportPage, ReportRow};
use crate::store::{
    self, Board, BoardResult, Channel, Comment, Entry, EntryKind, InboxId, MailWords, NoResult, PlayerId, PlayerRef,
    ResultReason, Seat, Transaction,
};
use crate::text::Message;

/// The name and version of the format.
pub const FORMAT: &str = "turnpost board 1";

/// A board's complete record.
// The fields are described in docs/develop/record-format.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The name and version of the format: [`FORMAT`].
    pub format: String,
    /// The board's number.
    pub board: BoardNumber,
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// The options in canonical form; may be empty.
    pub options: String,
    /// Userids: first seat, second seat.
    pub players: [String; 2],
    /// The userids in the hash `genesis`, if a player was renamed since; `null` for a removed player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_as: Option<[Option<String>; 2]>,
    /// The userid of the challenger, or of the player who accepted an open challenge; `null` if the administrator or an
    /// event created the board.
    pub challenger: Option<String>,
    /// The number of the board of which this is a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<BoardNumber>,
    /// Whether the end of the board changes ratings, and who can see the board.
    #[serde(flatten)]
    pub flags: Flags,
    /// The board's position among the rated boards of the server, in the order in which they ended.
    pub rated_as: Option<u32>,
    /// Time settings, in days of thinking time; 0 for no limit.
    pub limits: TimeControl,
    /// When the board was created.
    pub created_at: DateTime<Utc>,
    /// The hash to which the first entry is chained.
    pub genesis: String,
    /// Every entry, in order.
    pub entries: Vec<RecordEntry>,
    /// The result; `null` if the board is in progress or ended without a result.
    pub result: Option<RecordResult>,
    /// Why the board ended without a result. Records of earlier versions have `declined`, which is true or false.
    #[serde(default, alias = "declined", deserialize_with = "no_result")]
    pub no_result: Option<NoResult>,
    /// The comments of the players.
    pub comments: Vec<RecordComment>,
}

/// One entry of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordEntry {
    /// The number of the entry, from 1.
    pub entry: EntryNumber,
    /// The kind of entry: a move, an undo, an end or a reopening.
    pub kind: EntryKind,
    /// The number of current plies after the entry.
    pub ply: Ply,
    /// The seat that made the entry, 1 or 2; `null` for the administrator.
    pub seat: Option<u8>,
    /// The canonical move text, or the content of another entry.
    pub text: String,
    /// The time of the entry.
    pub made_at: DateTime<Utc>,
    /// The channel of the command.
    pub via: Channel,
    /// Lower-case hex SHA-256 over the previous hash, the ply and the text.
    pub hash: String,
    /// The effects of a move that its text does not state. They can be derived from the moves, so an export omits them
    /// and an import ignores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// The moves that an undo reverted, in order. Like the effects, they can be derived from the entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_back: Vec<String>,
}

/// The result of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordResult {
    /// The winning seat, 1 or 2; `null` for a draw.
    pub winner: Option<u8>,
    /// The reason for the result: `formation`, `resignation`, …
    pub reason: ResultReason,
    /// When the board ended.
    pub ended_at: DateTime<Utc>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordComment {
    /// The entry with or after which the comment was written; 0 for the challenge.
    pub entry: EntryNumber,
    /// The userid of the writer.
    pub player: String,
    /// The text.
    pub text: String,
    /// When the comment was written.
    pub said_at: DateTime<Utc>,
}

/// Reads `no_result`, or the `declined` of an earlier version.
fn no_result<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NoResult>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Declined(bool),
        NoResult(Option<NoResult>),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Declined(declined) => declined.then_some(NoResult::Declined),
        Written::NoResult(why) => why,
    })
}

/// Returns the number of a seat, 1 or 2.
pub(crate) fn number(seat: Seat) -> u8 {
    seat.index() as u8 + 1
}

/// Returns the seat with the number 1 or 2 in a record; `None` for any other number.
pub fn seat(number: u8) -> Option<Seat> {
    Seat::BOTH.into_iter().find(|seat| self::number(*seat) == number)
}

impl Record {
    /// Adds the effects of the moves, and the moves that each undo reverted, from the views of the entries.
    pub(crate) fn explain(&mut self, entries: &[EntryView]) {
        for (entry, view) in self.entries.iter_mut().zip(entries) {
            entry.effects = (entry.kind == EntryKind::Move).then(|| view.effects.clone());
            entry.taken_back.clone_from(&view.taken_back);
        }
    }
}

/// Returns the record of a stored board.
///
/// # Errors
/// If the store fails.
pub fn record(tx: &Transaction<'_>, board: &Board) -> store::Result<Record> {
    let userid =
        |player: PlayerId| board.players.iter().find(|seated| seated.id == player).map(|seated| seated.userid.clone());
    let entries = tx.entries(board.number)?.into_iter().map(|entry| {
        let Entry { entry, kind, ply, seat, text, made_at, via, hash } = entry;
        let (seat, effects, taken_back) = (seat.map(number), None, Vec::new());
        RecordEntry { entry, kind, ply, seat, text, made_at, via, hash, effects, taken_back }
    });
    let comments = tx.comments(board.number)?.into_iter().map(|comment| {
        let Comment { entry, player, text, said_at, .. } = comment;
        RecordComment { entry, player: userid(player).unwrap_or_default(), text, said_at }
    });
    let result = board.result.clone().map(|result| {
        let BoardResult { winner, reason, ended_at } = result;
        RecordResult { winner: winner.map(number), reason, ended_at }
    });
    Ok(Record {
        format: FORMAT.to_owned(),
        board: board.number,
        game: board.game.clone(),
        options: board.options.clone(),
        began_as: Some(board.began_as.clone()).filter(|began_as| {
            let is_player = |(player, userid): (&PlayerRef, &Option<String>)| userid.as_ref() == Some(&player.userid);
            !board.players.iter().zip(began_as).all(is_player)
        }),
        players: board.players.clone().map(|seated| seated.userid),
        challenger: board.challenger.and_then(userid),
        rematch_of: board.rematch_of,
        flags: board.terms.flags,
        rated_as: board.rated_as,
        limits: board.terms.time_control,
        created_at: board.created_at,
        genesis: board.genesis.clone(),
        entries: entries.collect(),
        result,
        no_result: board.no_result,
        comments: comments.collect(),
    })
}

/// The value of the column `event` in the rows of comments, and the name of the column with the comment's number.
const EVENT: &str = "comment";

/// Returns the text that replaces a removed comment.
pub fn removed_comment() -> Message {
    message!("service.comment-removed")
}

/// Returns the events of a board, with numbered comments.
///
/// # Errors
/// If the store fails.
pub fn story(tx: &Transaction<'_>, board: BoardNumber) -> store::Result<Vec<ReportRow>> {
    // No board has this many events.
    let all = ReportPage { skip: 0, most: 1_000_000 };
    let mut rows = tx.report(&Report::Story(board), all)?;
    let mut comments = 0;
    for ReportRow(columns) in &mut rows {
        let Some(event) = columns.iter().position(|(name, _)| name == "event") else { continue };
        let is_comment = columns[event].1 == EVENT;
        comments += usize::from(is_comment);
        columns.insert(event + 1, (EVENT.to_owned(), if is_comment { json!(comments) } else { Value::Null }));
    }
    Ok(rows)
}

/// Replaces the text of a comment with `words`: on the board, in letters, and in the stored command that contained it.
/// `number` is the comment's number in [`story`]. Returns the comment; `None` if no comment has this number.
///
/// # Errors
/// If the store fails.
pub fn remove_comment(
    tx: &mut Transaction<'_>,
    board: BoardNumber,
    number: usize,
    words: &str,
) -> store::Result<Option<Comment>> {
    let Some(row) = story(tx, board)?.into_iter().find(|row| cell(row, EVENT) == Some(&json!(number))) else {
        return Ok(None);
    };
    let mut comments = tx.comments(board)?;
    // Sort the comments as the story does.
    comments.sort_by_key(|comment| (comment.said_at, comment.entry));
    let Some(comment) = number.checked_sub(1).and_then(|index| comments.into_iter().nth(index)) else {
        return Ok(None);
    };
    tx.replace_comment(&comment, words)?;
    let writer = tx.player_by_id(comment.player)?.map(|player| player.userid).unwrap_or_default();
    let in_json = json!(comment.text).to_string();
    for notice in tx.facts_with(in_json.trim_matches('"'))? {
        let Ok(mut facts) = serde_json::from_str::<Value>(&notice.facts) else { continue };
        let is_about = notice.board == Some(board);
        replace(&mut facts, is_about, &Removed { board, writer: &writer, text: &comment.text, words });
        tx.set_facts(notice.id, &facts.to_string())?;
    }
    if let Some(mail) = cell(&row, "mail").and_then(Value::as_i64) {
        for (id, MailWords { commands, reason }) in tx.mails_with(&comment.text)? {
            if id == InboxId(mail) {
                tx.set_mail_words(id, &MailWords { commands: commands.replace(&comment.text, words), reason })?;
            }
        }
    }
    Ok(Some(comment))
}

fn cell<'a>(row: &'a ReportRow, column: &str) -> Option<&'a Value> {
    row.0.iter().find(|(name, _)| name == column).map(|(_, value)| value)
}

/// A comment to remove from the facts of notices.
struct Removed<'a> {
    board: BoardNumber,
    writer: &'a str,
    text: &'a str,
    words: &'a str,
}

/// Replaces a comment in the facts of a notice. `about_board` is whether the notice is about the comment's board. It
/// applies to all facts that do not contain the number of their board.
fn replace(facts: &mut Value, about_board: bool, removed: &Removed<'_>) {
    match facts {
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, about_board, removed)),
        Value::Object(fields) => {
            let number = fields.get("number").filter(|_| fields.contains_key("comments"));
            let about_board = number.map_or(about_board, |number| *number == json!(removed.board));
            let is_it = about_board
                && fields.get("text").is_some_and(|text| text == removed.text)
                && fields.get("userid").is_some_and(|userid| userid == removed.writer);
            if is_it {
                fields.insert("text".to_owned(), json!(removed.words));
            }
            fields.values_mut().for_each(|value| replace(value, about_board, removed));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
