//! Notices with their facts, and their stored form.
//!
//! A notice about a board stores the facts that the record does not preserve: which entries are new to the reader,
//! the clock, the proposal and the comments at that time, and the reader's own note. Its letter can therefore be
//! composed later with the same content.

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::kind::NoticeKind;
use crate::numbers::{BoardNumber, EntryNumber, PuzzleNumber};
use crate::service::board::analysis::BoardAnalysis;
use crate::service::board::view::{AsOf, board_view};
use crate::service::board::views::{AwayView, BoardView, ClockView, CommentView, DroppedView, HintView, ProposalView};
use crate::service::event::views::{CupGame, EventFacts};
use crate::store::{self, OutboxNotice, StoreError, Transaction};

/// Something to report to a player. Its JSON contains the facts, but not the kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Notice {
    /// Something happened at a board.
    Board(BoardNotice),
    /// An answer to a message.
    Answer(Answer),
    /// The analysis of a finished board, which the reader requested.
    Analysis(BoardAnalysis),
    /// The puzzle of the day, to which the reader subscribed.
    Puzzle(PuzzleNotice),
    /// An edition of an event begins.
    EventBegin(EventFacts),
    /// Results of an edition.
    EventReport(EventFacts),
    /// An edition has ended.
    EventEnd(EventFacts),
    /// The reader was withdrawn from an edition, or lost on time without a move in it.
    EventAbsence(EventFacts),
    /// A request to the owner of an address to confirm it.
    Confirm(Confirmation),
    /// A login link.
    Login(LoginLink),
    /// A link that sets a new password.
    Password(LoginLink),
    /// Letters to an address of the player bounced.
    Pause(PausedAddress),
    /// A message that could not be processed; for the administrators.
    Quarantined(QuarantinedMail),
    /// A text from another player, or from the administrator.
    Message(PlayerText),
    /// A text from an administrator to all players.
    Broadcast(PlayerText),
    /// A player's report about another one; for the administrators.
    Report(PlayerReport),
}

/// An event at a board, with the board at that time.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "StoredBoard")]
pub struct BoardNotice {
    /// The event.
    pub event: BoardEvent,
    /// The board at that time.
    pub facts: BoardFacts,
}

/// An event at a board. `by` is the userid of the acting player, if the record does not contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are described above")]
pub enum BoardEvent {
    /// The board was created.
    Challenge,
    /// A move was played or undone.
    Move,
    /// The game has ended.
    End,
    /// A player declined the board.
    Decline { by: String },
    /// The board was removed, because this player made no first move in time.
    Lapse { by: String },
    /// The board was voided: it has no result and changes no ratings.
    Void,
    /// The administrator reverted the end of the board.
    Reopen,
    /// Reminder number `count` on this ply, to the player to move.
    Reminder { count: u32 },
    /// A player proposes a draw, an undo or an end without a result.
    Propose { by: String },
    /// A proposal was rejected.
    Reject { by: String },
    /// A proposal was withdrawn by its author.
    Withdraw { by: String },
    /// A player wrote to the players and followers of the board.
    Chat { by: String },
}

/// The stored facts of a notice about a board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BoardFacts {
    /// The number of entries that the reader knows.
    pub since: EntryNumber,
    /// The clock of the player to move.
    pub clock: Option<ClockView>,
    /// The players who are on vacation, if the board has at most one ply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub away: Vec<AwayView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// The proposal that a move removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleared: Option<ProposalView>,
    /// The comments new to the reader.
    pub comments: Vec<CommentView>,
    /// How the computer player that moved last expects the game to continue, for a reader who wants hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<HintView>,
    /// The board's place in a cup; `None` unless the board has just begun or was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cup: Option<CupGame>,
    /// The terms of a board that is out of play, as options of a challenge; empty if they are the server's defaults.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub terms: String,
    /// The reader's private note.
    pub note: Option<String>,
    /// The reader's prepared reply that could not be played.
    pub dropped: Option<DroppedView>,
}

/// A puzzle in a letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PuzzleNotice {
    /// The game's name in the catalogue.
    pub game: String,
    /// The number of the puzzle.
    pub number: PuzzleNumber,
}

/// A request to the owner of an address to confirm it by a code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Confirmation {
    /// The userid of the player who added the address.
    pub userid: String,
    /// The confirmation code.
    pub code: String,
    /// The userid of the player who already has this address, if any. The code is then invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The owner's reply to an earlier request, if this letter responds to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replied: Option<Replied>,
}

/// How the owner of an address answered a request to confirm it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replied {
    /// The owner refused to confirm the address, or does not want these letters.
    Refused,
    /// The reply was unclear.
    Unclear,
}

/// A link for a login or a new password. It is signed when its letter is composed, so no table contains it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoginLink {
    /// The link's number.
    pub link: i64,
    /// The link's lifetime in minutes.
    pub minutes: i64,
}

/// An address at which letters bounced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PausedAddress {
    /// The address.
    pub address: String,
    /// The reason given by the mail server of the address.
    pub why: String,
    /// When the server stopped sending letters to the address.
    pub since: DateTime<Utc>,
}

/// A message that could not be processed, and was quarantined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuarantinedMail {
    /// The message's number.
    pub mail: i64,
    /// The sender's address, if it could be read.
    pub sender: Option<String>,
    /// Why the message could not be processed.
    pub reason: String,
}

/// A text from one player to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerText {
    /// The userid of the author; empty for the administrator on the command line.
    pub by: String,
    /// The text.
    pub text: String,
}

/// A player's report about another one, for the administrators.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerReport {
    /// The userid of the author.
    pub by: String,
    /// The userid of the reported player.
    pub about: String,
    /// The text of the report.
    pub text: String,
    /// The last texts that the two players wrote to each other, the oldest first.
    pub texts: Vec<ReportedText>,
}

/// A text in a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportedText {
    /// The userid of the author.
    pub by: String,
    /// The board of a comment; `None` for a message.
    pub board: Option<BoardNumber>,
    /// The text.
    pub text: String,
    /// When the text was written.
    pub at: DateTime<Utc>,
}

/// The stored form of a [`BoardNotice`].
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredBoard {
    #[serde(flatten)]
    facts: BoardFacts,
    by: Option<String>,
    reminders: u32,
}

impl From<BoardNotice> for StoredBoard {
    fn from(notice: BoardNotice) -> StoredBoard {
        let BoardNotice { event, facts } = notice;
        let reminders = if let BoardEvent::Reminder { count } = event { count } else { 0 };
        StoredBoard { facts, by: event.by().map(str::to_owned), reminders }
    }
}

impl BoardEvent {
    /// Returns the kind of the event's notice.
    pub fn kind(&self) -> NoticeKind {
        match self {
            BoardEvent::Challenge => NoticeKind::Challenge,
            BoardEvent::Move => NoticeKind::Move,
            BoardEvent::End => NoticeKind::End,
            BoardEvent::Decline { .. } => NoticeKind::Decline,
            BoardEvent::Lapse { .. } => NoticeKind::Lapse,
            BoardEvent::Void => NoticeKind::Void,
            BoardEvent::Reopen => NoticeKind::Reopen,
            BoardEvent::Reminder { .. } => NoticeKind::Reminder,
            BoardEvent::Propose { .. } => NoticeKind::Propose,
            BoardEvent::Reject { .. } => NoticeKind::Reject,
            BoardEvent::Withdraw { .. } => NoticeKind::Withdraw,
            BoardEvent::Chat { .. } => NoticeKind::Chat,
        }
    }

    /// Returns the userid of the acting player, if the record does not contain it.
    pub fn by(&self) -> Option<&str> {
        match self {
            BoardEvent::Decline { by }
            | BoardEvent::Lapse { by }
            | BoardEvent::Propose { by }
            | BoardEvent::Reject { by }
            | BoardEvent::Withdraw { by }
            | BoardEvent::Chat { by } => Some(by),
            BoardEvent::Challenge
            | BoardEvent::Move
            | BoardEvent::End
            | BoardEvent::Void
            | BoardEvent::Reopen
            | BoardEvent::Reminder { .. } => None,
        }
    }
}

impl BoardFacts {
    /// Returns the board at the time of the notice.
    ///
    /// # Errors
    /// If the store fails, or the board or entry does not exist.
    pub fn board(&self, tx: &Transaction<'_>, number: BoardNumber, entry: EntryNumber) -> store::Result<BoardView> {
        let mut view = board_view(tx, number, AsOf::Entry(entry), Some(self.since), false)?
            .ok_or_else(|| StoreError::Failed(format!("there is no board {number} at entry {entry}")))?;
        view.clock.clone_from(&self.clock);
        view.away.clone_from(&self.away);
        view.proposal.clone_from(&self.proposal);
        view.cleared.clone_from(&self.cleared);
        view.hint.clone_from(&self.hint);
        view.comments.clone_from(&self.comments);
        Ok(view)
    }
}

impl Notice {
    /// Returns the kind of the notice.
    pub fn kind(&self) -> NoticeKind {
        match self {
            Notice::Board(board) => board.event.kind(),
            Notice::Answer(_) => NoticeKind::Answer,
            Notice::Analysis(_) => NoticeKind::Analysis,
            Notice::Puzzle(_) => NoticeKind::Puzzle,
            Notice::EventBegin(_) => NoticeKind::EventBegin,
            Notice::EventReport(_) => NoticeKind::EventReport,
            Notice::EventEnd(_) => NoticeKind::EventEnd,
            Notice::EventAbsence(_) => NoticeKind::EventAbsence,
            Notice::Confirm(_) => NoticeKind::Confirm,
            Notice::Login(_) => NoticeKind::Login,
            Notice::Password(_) => NoticeKind::Password,
            Notice::Pause(_) => NoticeKind::Pause,
            Notice::Quarantined(_) => NoticeKind::Quarantined,
            Notice::Message(_) => NoticeKind::Message,
            Notice::Broadcast(_) => NoticeKind::Broadcast,
            Notice::Report(_) => NoticeKind::Report,
        }
    }

    /// Returns the stored form of the facts.
    ///
    /// # Errors
    /// If the facts cannot be written as JSON.
    pub fn to_json(&self) -> store::Result<String> {
        serde_json::to_string(self).map_err(|error| {
            StoreError::Failed(format!("the facts of a {} notice cannot be written: {error}", self.kind().name()))
        })
    }

    /// Reads the notice in a row of the outbox.
    ///
    /// # Errors
    /// If the kind is unknown, or the facts do not match it.
    pub fn read(row: &OutboxNotice) -> store::Result<Notice> {
        let kind = NoticeKind::of(row)
            .ok_or_else(|| StoreError::Failed(format!("notice {} is of an unknown kind: {}", row.id.0, row.kind)))?;
        Ok(match kind {
            NoticeKind::Challenge => board(row, |_, _| BoardEvent::Challenge)?,
            NoticeKind::Move => board(row, |_, _| BoardEvent::Move)?,
            NoticeKind::End => board(row, |_, _| BoardEvent::End)?,
            NoticeKind::Decline => board(row, |by, _| BoardEvent::Decline { by })?,
            NoticeKind::Lapse => board(row, |by, _| BoardEvent::Lapse { by })?,
            NoticeKind::Void => board(row, |_, _| BoardEvent::Void)?,
            NoticeKind::Reopen => board(row, |_, _| BoardEvent::Reopen)?,
            NoticeKind::Reminder => board(row, |_, count| BoardEvent::Reminder { count })?,
            NoticeKind::Propose => board(row, |by, _| BoardEvent::Propose { by })?,
            NoticeKind::Reject => board(row, |by, _| BoardEvent::Reject { by })?,
            NoticeKind::Withdraw => board(row, |by, _| BoardEvent::Withdraw { by })?,
            NoticeKind::Chat => board(row, |by, _| BoardEvent::Chat { by })?,
            NoticeKind::Answer => Notice::Answer(facts(row)?),
            NoticeKind::Analysis => Notice::Analysis(facts(row)?),
            NoticeKind::Puzzle => Notice::Puzzle(facts(row)?),
            NoticeKind::EventBegin => Notice::EventBegin(facts(row)?),
            NoticeKind::EventReport => Notice::EventReport(facts(row)?),
            NoticeKind::EventEnd => Notice::EventEnd(facts(row)?),
            NoticeKind::EventAbsence => Notice::EventAbsence(facts(row)?),
            NoticeKind::Confirm => Notice::Confirm(facts(row)?),
            NoticeKind::Login => Notice::Login(facts(row)?),
            NoticeKind::Password => Notice::Password(facts(row)?),
            NoticeKind::Pause => Notice::Pause(facts(row)?),
            NoticeKind::Quarantined => Notice::Quarantined(facts(row)?),
            NoticeKind::Message => Notice::Message(facts(row)?),
            NoticeKind::Broadcast => Notice::Broadcast(facts(row)?),
            NoticeKind::Report => Notice::Report(facts(row)?),
        })
    }
}

/// Reads the facts of a row.
fn facts<T: DeserializeOwned>(row: &OutboxNotice) -> store::Result<T> {
    serde_json::from_str(&row.facts).map_err(|error| {
        StoreError::Failed(format!("the facts of notice {} are not those of a {} notice: {error}", row.id.0, row.kind))
    })
}

/// Reads a row about a board. `event` creates the event from the acting player and the number of the reminder.
fn board(row: &OutboxNotice, event: fn(String, u32) -> BoardEvent) -> store::Result<Notice> {
    let StoredBoard { facts, by, reminders } = facts(row)?;
    Ok(Notice::Board(BoardNotice { event: event(by.unwrap_or_default(), reminders), facts }))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::store::OutboxId;

    fn row(kind: NoticeKind, facts: &str) -> OutboxNotice {
        OutboxNotice {
            id: OutboxId(1),
            player: None,
            address: None,
            kind: kind.name().to_owned(),
            board: None,
            entry: None,
            facts: facts.to_owned(),
            in_reply_to: None,
            message_id: "<1.s@example.org>".to_owned(),
            letter: None,
            created_at: DateTime::UNIX_EPOCH,
            bound_at: None,
            attempts: 0,
            due_at: None,
            sent_at: None,
            error: None,
        }
    }

    /// Returns facts of this kind in the form that an early version of the program stored.
    fn earlier(kind: NoticeKind) -> &'static str {
        match kind {
            NoticeKind::Challenge | NoticeKind::Move | NoticeKind::End | NoticeKind::Void | NoticeKind::Reopen => {
                r#"{"since":2,"clock":null,"proposal":null,"comments":[{"userid":"bob","text":"Hi"}],"note":"Watch F.",
                    "dropped":{"reply":"f3","why":"f3 is taken."},"by":null,"reminders":0}"#
            }
            NoticeKind::Reminder => {
                r#"{"since":2,"clock":{"userid":"bob","reminder_at":null,"deadline":"2026-12-24T00:00:00Z",
                    "left_days":1.5,"stands_until":null,"total_days":90,"used_days":[1.5,2.0]},"proposal":null,
                    "comments":[],"note":null,"dropped":null,"by":null,"reminders":3}"#
            }
            NoticeKind::Decline
            | NoticeKind::Lapse
            | NoticeKind::Propose
            | NoticeKind::Reject
            | NoticeKind::Withdraw
            | NoticeKind::Chat => {
                r#"{"since":2,"clock":null,"proposal":{"kind":"draw","by":"bob"},"comments":[],"note":null,
                    "dropped":null,"by":"bob","reminders":0}"#
            }
            NoticeKind::Answer => {
                r#"{"entries":[{"answer":{"answer":"password-changed","userid":"bob"}},{"refused":{"line":"move",
                    "at":[0,4],"message":"No.","nearest":null,"usage":null,"board":null,"not_understood":true}}],
                    "about":{"board":3,"entry":7}}"#
            }
            NoticeKind::Analysis => {
                r#"{"number":3,"game":"Marque","players":["alice","bob"],"plies":1,"waits":false,"by_letter":false,
                    "analysis":{"playouts":2560,"chances":[0.5,0.25],"mistakes":[{"ply":1,"userid":"alice","move":"f3",
                    "before":0.5,"after":0.25,"better":["g4","h5"]}]}}"#
            }
            NoticeKind::Puzzle => r#"{"game":"marque","number":3}"#,
            NoticeKind::EventBegin | NoticeKind::EventReport | NoticeKind::EventEnd | NoticeKind::EventAbsence => {
                r#"{"name":"spring","edition":2,"kind":"cup","title":"Marque","latest_at":"2026-12-24T00:00:00Z","next_at":null,
                    "move_days":21,"all_days":60,"fischer":null,"players":["bob"],"once":false,"bye":true,"divisions":1,"division":null,"places":[],"news":[],"rank":null,
                    "winner":null,"withdrawn":"lost","joined":false}"#
            }
            NoticeKind::Confirm => r#"{"code":"abc","userid":"bob"}"#,
            NoticeKind::Login | NoticeKind::Password => r#"{"link":3,"minutes":30}"#,
            NoticeKind::Pause => r#"{"address":"bob@example.org","since":"2026-12-24T00:00:00Z","why":"5.1.1"}"#,
            NoticeKind::Quarantined => r#"{"mail":7,"reason":"It crashes the program.","sender":"bob@example.org"}"#,
            NoticeKind::Report => r#"{"by":"bob","about":"alice","text":"Rude","texts":[]}"#,
            NoticeKind::Message | NoticeKind::Broadcast => r#"{"by":"bob","text":"Hi"}"#,
        }
    }

    #[test]
    fn notices_of_earlier_versions_are_read_and_written() {
        for kind in NoticeKind::ALL.iter().copied() {
            let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("the text is JSON");
            let notice = Notice::read(&row(kind, earlier(kind))).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            assert_eq!(notice.kind(), kind);
            let mut before = json(earlier(kind));
            if let Some(clock) = before.get_mut("clock").and_then(serde_json::Value::as_object_mut) {
                clock.insert("out_of_reach".to_owned(), false.into());
                clock.insert("letters_stopped".to_owned(), false.into());
                clock.insert("stood".to_owned(), serde_json::Value::Null);
            }
            assert_eq!(json(&notice.to_json().expect("the notice can be written as JSON")), before, "{kind:?}");
        }
    }

    #[test]
    fn notices_without_facts_are_read_and_unknown_kinds_refused() {
        // The first version wrote no facts about a board.
        assert!(Notice::read(&row(NoticeKind::Move, "{}")).is_ok());
        assert!(Notice::read(&OutboxNotice { kind: "party".to_owned(), ..row(NoticeKind::Move, "{}") }).is_err());
        assert!(Notice::read(&row(NoticeKind::Login, r#"{"by":"bob"}"#)).is_err());
    }

    #[test]
    fn kinds_have_distinct_names() {
        for kind in NoticeKind::ALL {
            assert_eq!(NoticeKind::named(kind.name()), Some(*kind));
        }
    }
}
