//! Responses: the facts that answer a request, for a template or as JSON. The file is long because it is one enum.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::EventKind;
use crate::numbers::BoardNumber;
use crate::service::board::analysis::BoardAnalysis;
use crate::service::board::record::Record;
use crate::service::board::views::{
    BoardRow, BoardView, EngineRow, GameRow, OfferView, PlanLine, PlayerRow, StandingRow,
};
use crate::service::event::views::{EventRow, EventView};
use crate::service::puzzle::views::{PuzzleAnswer, PuzzleView};
use crate::store::{ProposalKind, Withdrawal};

/// The response to a request. The template `answer/TAG.txt` renders it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Response {
    /// A player signed up.
    SignedUp {
        /// The player's userid.
        userid: String,
        /// Addresses that already receive letters.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
        /// The number of computer players that can be challenged.
        #[serde(default)]
        robots: u8,
    },
    /// An address was confirmed.
    AddressConfirmed {
        /// The player's userid.
        userid: String,
        /// The address; `null` if the request was not from the player.
        address: Option<String>,
        /// The number of computer players that can be challenged.
        #[serde(default)]
        robots: u8,
    },
    /// A password was changed. The player's sessions and personal tokens have become invalid.
    PasswordChanged {
        /// The player's userid.
        userid: String,
        /// Whether the reader receives this in a letter to all of the player's confirmed addresses, because the
        /// password was set with a code.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_letter: bool,
    },
    /// A code that sets a new password was mailed, if the player exists.
    PasswordAsked {
        /// The given userid; `null` if the player was identified by the sender's address.
        userid: Option<String>,
    },
    /// Addresses were changed.
    AddressesChanged {
        /// The player's userid.
        userid: String,
        /// Addresses that receive letters.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
        /// Addresses that receive letters only until one of `awaiting` is confirmed. If `awaiting` is empty, they
        /// have been removed.
        #[serde(default)]
        replaced: Vec<String>,
    },
    /// A vacation was started, ended or shown.
    Vacation {
        /// The player's userid.
        userid: String,
        /// When the vacation ends; `null` without a vacation.
        until: Option<DateTime<Utc>>,
        /// Days of vacation used this year, including future ones, rounded to a tenth.
        used_days: f64,
        /// The maximum days of vacation in a year.
        budget_days: u32,
        /// The player's time zone.
        zone: String,
    },
    /// A player's settings were shown or changed.
    Settings {
        /// The player's userid.
        userid: String,
        /// Whether the request changed something.
        changed: bool,
        /// The settings in the form of the command: `rhythm=each`.
        settings: Vec<String>,
    },
    /// A player wants to leave and must confirm.
    SignoffAsked {
        /// The player's userid.
        userid: String,
        /// The code that confirms leaving.
        code: String,
        /// The boards that the player would resign.
        boards: Vec<BoardNumber>,
    },
    /// A player left.
    SignedOff {
        /// The player's userid.
        userid: String,
        /// The boards that the player resigned.
        resigned: Vec<BoardNumber>,
        /// The boards that were removed from play, because the player had not moved.
        removed: Vec<BoardNumber>,
        /// The boards of leagues that were annulled, because the player had finished less than half of their games.
        #[serde(default)]
        annulled: Vec<BoardNumber>,
    },
    /// A text was sent to players.
    Messaged {
        /// The userids of the recipients.
        to: Vec<String>,
    },
    /// A player was blocked or unblocked, or the blocked players were shown.
    Blocked {
        /// The player's userid.
        userid: String,
        /// The userids of the players whom the player blocks now.
        blocked: Vec<String>,
    },
    /// The private address of a player's calendar was shown, replaced or revoked.
    Calendar {
        /// The player's userid.
        userid: String,
        /// The number in the signed address; `null` without a calendar.
        #[serde(default)]
        number: Option<u32>,
        /// The calendar is at `/calendar/TOKEN.ics`; `null` without a calendar.
        #[serde(default)]
        token: Option<String>,
    },
    /// A player was reported to the administrators.
    Reported {
        /// The userid of the player who reports.
        #[serde(default)]
        userid: String,
        /// The userid of the reported player.
        about: String,
        /// Whether the report was not sent, because no administrator has an address. It is then only in the log of
        /// acts.
        #[serde(default)]
        unsent: bool,
    },
    /// A board was created.
    Challenged {
        /// The board.
        board: BoardView,
    },
    /// An open challenge was created.
    Offered {
        /// The open challenge.
        offer: OfferView,
    },
    /// An open challenge was withdrawn.
    Withdrawn {
        /// The open challenge.
        offer: OfferView,
    },
    /// A move was played, which may have ended the game.
    Moved {
        /// The board after the move.
        board: BoardView,
    },
    /// A message repeated an earlier action; nothing was changed.
    Repeated {
        /// The current board.
        board: BoardView,
        /// Whether the action is a move.
        is_move: bool,
        /// The text of the message, which was not sent; empty if it was sent earlier.
        text: String,
    },
    /// A move was stored for confirmation.
    Submitted {
        /// The board as it would be after the move.
        board: BoardView,
        /// The userid of the player who may confirm the move.
        userid: String,
    },
    /// Replies were prepared, or removed.
    Planned {
        /// The board's number.
        number: BoardNumber,
        /// The player's userid.
        userid: String,
        /// The userid of the opponent.
        opponent: String,
        /// The name of the game: `marque`.
        game: String,
        /// The plan as the server understood it; empty if it was removed.
        plan: Vec<PlanLine>,
    },
    /// A player resigned.
    Resigned {
        /// The board after the resignation.
        board: BoardView,
    },
    /// A board was declined.
    Declined {
        /// The board when it was declined.
        board: BoardView,
        /// The userid of the player who declined.
        by: String,
    },
    /// A draw, an undo or an end without a result was proposed.
    Proposed {
        /// The board.
        board: BoardView,
        /// The kind of proposal.
        proposal: ProposalKind,
    },
    /// A proposal was accepted.
    Accepted {
        /// The board after the agreement.
        board: BoardView,
        /// The kind of proposal.
        proposal: ProposalKind,
    },
    /// A proposal was rejected, or withdrawn by its author.
    Rejected {
        /// The board.
        board: BoardView,
        /// The kind of proposal.
        proposal: ProposalKind,
        /// The userid of the player who rejected or withdrew the proposal.
        by: String,
    },
    /// A comment was sent to the other readers of a board.
    Chatted {
        /// The board's number.
        number: BoardNumber,
        /// The userids of the recipients.
        to: Vec<String>,
    },
    /// A private note was written or shown.
    Noted {
        /// The board's number.
        number: BoardNumber,
        /// The text; `null` without a note.
        text: Option<String>,
    },
    /// A player is looking for opponents.
    Sought {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// The number of wanted opponents.
        count: u32,
    },
    /// A player limited their number of boards.
    Limited {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// The maximum number of boards; `null` for no limit.
        most: Option<u32>,
    },
    /// A player has stopped letters.
    Unsubscribed {
        /// The player's userid.
        userid: String,
        /// The kind of stopped letters.
        stopped: StoppedLetters,
        /// The boards and games about which letters are stopped now.
        boards: Vec<FollowedRow>,
        /// The boards and games that the player still follows.
        follows: Vec<FollowedRow>,
    },
    /// A player again receives letters about a board on which they play.
    Resubscribed {
        /// The player's userid.
        userid: String,
        /// The board's number.
        number: BoardNumber,
        /// Title of the game.
        game: String,
    },
    /// A player follows a board or game, or has stopped following it.
    Followed {
        /// The player's userid.
        userid: String,
        /// The board's number; `null` for all boards of the game.
        number: Option<BoardNumber>,
        /// Title of the game.
        game: String,
        /// Whether letters are sent only about the ends of boards; `null` if the player has stopped following.
        ends_only: Option<bool>,
    },
    /// Boards were shown.
    Shown {
        /// The boards.
        boards: Vec<BoardView>,
        /// Open challenges among the requested numbers.
        #[serde(default)]
        offers: Vec<OfferView>,
    },
    /// A preview: an unsaved board.
    Previewed {
        /// The board.
        board: BoardView,
    },
    /// The analysis of a finished board, or the notice that it was queued.
    Analysed(BoardAnalysis),
    /// A puzzle, or the verdict on a move in it.
    Puzzle(PuzzleAnswer),
    /// A player subscribed to a game's puzzle of the day, or unsubscribed.
    PuzzlesSubscribed {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// Whether the puzzle will be sent.
        gets: bool,
    },
    /// The record of a board.
    History {
        /// The record.
        record: Record,
        /// The board.
        board: BoardView,
        /// Whether JSON was requested.
        #[serde(default)]
        json: bool,
    },
    /// A list of boards.
    Games {
        /// Title of the game.
        game: String,
        /// The boards by number, at most the newest 1,000.
        boards: Vec<BoardRow>,
        /// Whether there are older boards.
        #[serde(default)]
        more: bool,
        /// Open challenges.
        #[serde(default)]
        offers: Vec<OfferView>,
    },
    /// The games and players of the server.
    Listed {
        /// The games of this server.
        games: Vec<GameRow>,
        /// The players by userid, at most 1,000.
        players: Vec<PlayerRow>,
        /// Whether there are more players.
        #[serde(default)]
        more: bool,
        /// The number of computer players that can be challenged.
        #[serde(default)]
        robots: u8,
        /// External programs that can be challenged as computer players.
        #[serde(default)]
        engines: Vec<EngineRow>,
    },
    /// Players were looked up.
    Players {
        /// The players.
        players: Vec<PlayerRow>,
    },
    /// The best players of a game.
    Standings {
        /// Title of the game.
        game: String,
        /// At most 1,000 players, the best first.
        rows: Vec<StandingRow>,
        /// The number of remaining players.
        #[serde(default)]
        more: u32,
        /// The players who look for opponents: userid, number of wanted opponents.
        seekers: Vec<(String, u32)>,
    },
    /// An event was created.
    EventCreated {
        /// The event.
        event: Box<EventView>,
    },
    /// A player takes part in an event.
    EventJoined {
        /// The player's userid.
        userid: String,
        /// The event's name.
        name: String,
        /// When the next edition begins; `null` during an edition.
        next_at: Option<DateTime<Utc>>,
        /// The number of players of the next edition, or of the ladder.
        players: usize,
        /// The player's place in a ladder.
        place: Option<usize>,
        /// Whether the event has only one edition.
        once: bool,
    },
    /// A player has left an event.
    EventLeft {
        /// The player's userid.
        userid: String,
        /// The event's name.
        name: String,
        /// The event's kind.
        kind: EventKind,
        /// Whether the player had games in progress, which have ended now.
        playing: bool,
        /// How the player was withdrawn from the edition in progress; `null` if the player was not.
        withdrawn: Option<Withdrawal>,
    },
    /// The events of the server.
    Events {
        /// The events, the newest first.
        events: Vec<EventRow>,
    },
    /// An event was shown.
    EventShown {
        /// The event.
        event: Box<EventView>,
    },
    /// Pages of help.
    Help {
        /// Names of the pages (templates `help/NAME.txt`).
        pages: Vec<String>,
        /// The default options of a challenge, by the page of their game, unless they are the built-in ones.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        default_options: BTreeMap<String, String>,
        /// The text of the pages. Only answers to programs contain it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
}

/// Which letters were stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedLetters {
    /// Letters about one board. Reminders and the end are still sent if the player plays on the board.
    Board,
    /// Letters about everything that the player follows.
    Followed,
    /// Letters about every board that the player currently plays on or follows, as for one board.
    Boards,
    /// Messages of other players, and broadcasts.
    Messages,
    /// The puzzles of the day.
    Puzzles,
    /// All unsolicited letters.
    All,
}

/// A board or a game about which a player receives letters, or no longer receives them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FollowedRow {
    /// The name of the game: `marque`.
    pub game: String,
    /// The board's number; `null` for every board of the game.
    pub number: Option<BoardNumber>,
    /// Whether the player plays on the board, and it has a clock.
    pub plays: bool,
}

/// Finds the boards of a response. `$slice` turns one board into a slice, shared or mutable.
macro_rules! boards {
    ($response:expr, $slice:ident) => {
        match $response {
            Response::Shown { boards, .. } => boards,
            Response::Puzzle(PuzzleAnswer { puzzle: PuzzleView { position: board, .. }, .. })
            | Response::Challenged { board, .. }
            | Response::Moved { board, .. }
            | Response::Repeated { board, .. }
            | Response::Submitted { board, .. }
            | Response::Resigned { board, .. }
            | Response::Declined { board, .. }
            | Response::Proposed { board, .. }
            | Response::Accepted { board, .. }
            | Response::Rejected { board, .. }
            | Response::Previewed { board, .. }
            | Response::History { board, .. } => std::slice::$slice(board),
            _ => Default::default(),
        }
    };
}

/// Finds the open challenges of a response, like [`boards`].
macro_rules! offers {
    ($response:expr, $slice:ident) => {
        match $response {
            Response::Offered { offer } => std::slice::$slice(offer),
            Response::Shown { offers, .. } | Response::Games { offers, .. } => offers,
            _ => Default::default(),
        }
    };
}

impl Response {
    /// Returns the boards in the response, in order.
    pub fn boards(&self) -> &[BoardView] {
        boards!(self, from_ref)
    }

    /// Returns the boards in the response, so that the caller can add drawings to them.
    pub fn boards_mut(&mut self) -> &mut [BoardView] {
        boards!(self, from_mut)
    }

    /// Returns the open challenges in the response.
    pub fn offers(&self) -> &[OfferView] {
        offers!(self, from_ref)
    }

    /// Returns the open challenges in the response, so that the caller can change them.
    pub fn offers_mut(&mut self) -> &mut [OfferView] {
        offers!(self, from_mut)
    }

    /// Returns the response without signed links. They are signed again when the response is sent.
    pub fn without_links(mut self) -> Response {
        if let Response::Calendar { token, .. } = &mut self {
            *token = None;
        }
        self.offers_mut().iter_mut().for_each(|offer| offer.invitation = None);
        self
    }

    /// Returns whether the sender also receives a notice of the result: as a player of a board, as the owner of an
    /// address to confirm, or as the player whose password was set.
    pub fn notifies(&self, sender: &str) -> bool {
        match self {
            Response::Challenged { .. }
            | Response::Moved { .. }
            | Response::Resigned { .. }
            | Response::Declined { .. }
            | Response::Proposed { .. }
            | Response::Accepted { .. }
            | Response::Rejected { .. }
            | Response::Chatted { .. } => true,
            Response::PasswordChanged { by_letter, .. } => *by_letter,
            Response::SignedUp { addresses, awaiting, .. } => {
                addresses.is_empty() && matches!(&awaiting[..], [only] if only.eq_ignore_ascii_case(sender))
            }
            _ => false,
        }
    }
}
