//! Responses: the facts that answer a request, for a template or as JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::BoardNumber;
use crate::service::board::analysis::BoardAnalysis;
use crate::service::board::record::Record;
use crate::service::board::views::{
    BoardRow, BoardView, EngineRow, GameRow, OfferView, PlanLine, PlayerRow, StandingRow,
};
use crate::service::puzzle::views::PuzzleAnswer;
use crate::store::ProposalKind;

/// The answer to a request. The template `answer/NAME.txt` words it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Response {
    /// A player signed up.
    SignedUp {
        /// The player's userid.
        userid: String,
        /// Addresses that letters go to already.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
        /// How many computer players can be challenged.
        #[serde(default)]
        robots: u8,
    },
    /// An address was confirmed.
    AddressConfirmed {
        /// The player's userid.
        userid: String,
        /// The address.
        address: String,
        /// How many computer players can be challenged.
        #[serde(default)]
        robots: u8,
    },
    /// A password was changed.
    PasswordChanged {
        /// The player's userid.
        userid: String,
    },
    /// A code that sets a new password was mailed, if there is such a player.
    PasswordAsked {
        /// The given userid; `null` if the player was identified by the sender's address.
        userid: Option<String>,
    },
    /// Addresses were changed.
    AddressesChanged {
        /// The player's userid.
        userid: String,
        /// Addresses that letters go to.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
    },
    /// A vacation was begun, ended, or looked at.
    Vacation {
        /// The player's userid.
        userid: String,
        /// When it ends; `null`: there is none.
        until: Option<DateTime<Utc>>,
        /// Days taken this year, those ahead included, to a tenth.
        used_days: f64,
        /// Days a year.
        budget_days: u32,
        /// The player's time zone.
        zone: String,
    },
    /// What a player has set.
    Settings {
        /// The player's userid.
        userid: String,
        /// Whether something was changed now.
        changed: bool,
        /// Each as it is written: `rhythm=each`.
        settings: Vec<String>,
    },
    /// A player wants to leave and must confirm it.
    SignoffAsked {
        /// The player's userid.
        userid: String,
        /// The code that confirms it.
        code: String,
        /// Boards that the player would resign.
        boards: Vec<BoardNumber>,
    },
    /// A player left.
    SignedOff {
        /// The player's userid.
        userid: String,
        /// Boards resigned.
        resigned: Vec<BoardNumber>,
        /// Boards taken out of play because the player had not moved.
        removed: Vec<BoardNumber>,
    },
    /// A text was sent to players.
    Messaged {
        /// The userids of the players it went to.
        to: Vec<String>,
    },
    /// A board was made.
    Challenged {
        /// The board.
        board: BoardView,
    },
    /// An open challenge was made.
    Offered {
        /// The open challenge.
        offer: OfferView,
    },
    /// An open challenge was withdrawn.
    Withdrawn {
        /// The open challenge.
        offer: OfferView,
    },
    /// A move was made; the game may be over with it.
    Moved {
        /// The board now.
        board: BoardView,
    },
    /// A message repeated what an earlier one has done; nothing was changed.
    Repeated {
        /// The board now.
        board: BoardView,
        /// Whether it is a move.
        is_move: bool,
        /// The text of the message, which was not sent; empty if it was sent before.
        text: String,
    },
    /// A move was kept to be confirmed.
    Submitted {
        /// The board as it would be; its number is the board's.
        board: BoardView,
        /// The userid of the player who may confirm it.
        userid: String,
    },
    /// Replies were prepared, or given up.
    Planned {
        /// The board's number.
        number: BoardNumber,
        /// The player's userid.
        userid: String,
        /// The userid of the player whose moves it replies to.
        opponent: String,
        /// `marque`
        game: String,
        /// What was understood; empty: nothing is prepared now.
        plan: Vec<PlanLine>,
    },
    /// A player resigned.
    Resigned {
        /// The board now.
        board: BoardView,
    },
    /// A board was declined.
    Declined {
        /// The board as it was.
        board: BoardView,
        /// The userid of the player who declined.
        by: String,
    },
    /// A draw or an undo was proposed.
    Proposed {
        /// The board.
        board: BoardView,
        /// A draw or an undo.
        proposal: ProposalKind,
    },
    /// A proposal was accepted.
    Accepted {
        /// The board now.
        board: BoardView,
        /// A draw or an undo.
        proposal: ProposalKind,
    },
    /// A proposal was rejected, or taken back by who made it.
    Rejected {
        /// The board.
        board: BoardView,
        /// A draw or an undo.
        proposal: ProposalKind,
        /// The userid of the player who rejected it.
        by: String,
    },
    /// A comment was sent to the other readers of a board.
    Chatted {
        /// The board's number.
        number: BoardNumber,
        /// The userids of the players it went to.
        to: Vec<String>,
    },
    /// A private note was written, or shown.
    Noted {
        /// The board's number.
        number: BoardNumber,
        /// Its text; `null`: there is none.
        text: Option<String>,
    },
    /// A player looks for opponents.
    Sought {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// How many.
        count: u32,
    },
    /// A player takes so many boards at a time.
    Limited {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// How many; `null`: any.
        most: Option<u32>,
    },
    /// A player has stopped letters.
    Unsubscribed {
        /// The player's userid.
        userid: String,
        /// The kind of letters that were stopped.
        stopped: StoppedLetters,
        /// The boards and games that no letters come about any more, by this.
        boards: Vec<FollowedRow>,
        /// What the player follows still.
        follows: Vec<FollowedRow>,
    },
    /// A player gets letters again about a board that they play on.
    Resubscribed {
        /// The player's userid.
        userid: String,
        /// The board's number.
        number: BoardNumber,
        /// Title of the game.
        game: String,
    },
    /// A player follows something, or no longer.
    Followed {
        /// The player's userid.
        userid: String,
        /// The board's number; `null`: all boards of the game.
        number: Option<BoardNumber>,
        /// Title of the game.
        game: String,
        /// For its ends only; `null`: not followed any more.
        ends_only: Option<bool>,
    },
    /// Boards to look at.
    Shown {
        /// The boards.
        boards: Vec<BoardView>,
        /// Open challenges among the numbers asked for.
        #[serde(default)]
        offers: Vec<OfferView>,
    },
    /// What if: an unsaved board.
    Previewed {
        /// The board.
        board: BoardView,
    },
    /// What the computer player thinks of a finished board, or that it will be told.
    Analysed(BoardAnalysis),
    /// A puzzle, or what is said of a move in it.
    Puzzle(PuzzleAnswer),
    /// A player gets the puzzle of the day of a game, or no longer.
    PuzzlesSubscribed {
        /// The player's userid.
        userid: String,
        /// Title of the game.
        game: String,
        /// Whether it is sent from now on.
        gets: bool,
    },
    /// The record of a board.
    History {
        /// The record.
        record: Record,
        /// The board.
        board: BoardView,
        /// It was asked for as JSON.
        #[serde(default)]
        json: bool,
    },
    /// Boards in a list.
    Games {
        /// Title of the game.
        game: String,
        /// The boards by number, the newest 1,000 at most.
        boards: Vec<BoardRow>,
        /// Whether there are older ones.
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
        /// Its players by userid, 1,000 at most.
        players: Vec<PlayerRow>,
        /// Whether there are more players.
        #[serde(default)]
        more: bool,
        /// How many computer players can be challenged.
        #[serde(default)]
        robots: u8,
        /// Programs of others that can be challenged as computer players.
        #[serde(default)]
        engines: Vec<EngineRow>,
    },
    /// Players were looked up.
    Players {
        /// The players.
        players: Vec<PlayerRow>,
    },
    /// How strong the players of a game are.
    Standings {
        /// Title of the game.
        game: String,
        /// The best 1,000, the best first.
        rows: Vec<StandingRow>,
        /// How many players there are besides.
        #[serde(default)]
        more: u32,
        /// Who looks for opponents: userid, how many.
        seekers: Vec<(String, u32)>,
    },
    /// Pages of help.
    Help {
        /// Names of the pages (templates `help/NAME.txt`).
        pages: Vec<String>,
        /// The options of a challenge that states none, by the page of their game, where they are not the built-in ones.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        default_options: BTreeMap<String, String>,
    },
}

/// Which letters were stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedLetters {
    /// Those about one board. Reminders and the end of a board that the player plays on are sent all the same.
    Board,
    /// Those about everything that the player follows.
    Followed,
    /// Those about every board that the player plays on or follows now, as for one board.
    Boards,
    /// Messages of other players, and broadcasts.
    Messages,
    /// The puzzles of the day.
    Puzzles,
    /// Every letter that the player has not asked for.
    All,
}

/// A board or a game that a player gets letters about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FollowedRow {
    /// `marque`
    pub game: String,
    /// The board's number; `null`: every board of the game.
    pub number: Option<BoardNumber>,
    /// Whether the player plays there.
    pub plays: bool,
}

impl Response {
    /// The answer's name, which its template carries: `signed-up`, `moved`.
    pub fn name(&self) -> &'static str {
        match self {
            Response::SignedUp { .. } => "signed-up",
            Response::AddressConfirmed { .. } => "address-confirmed",
            Response::PasswordChanged { .. } => "password-changed",
            Response::PasswordAsked { .. } => "password-asked",
            Response::AddressesChanged { .. } => "addresses-changed",
            Response::Vacation { .. } => "vacation",
            Response::Settings { .. } => "settings",
            Response::SignoffAsked { .. } => "signoff-asked",
            Response::SignedOff { .. } => "signed-off",
            Response::Messaged { .. } => "messaged",
            Response::Challenged { .. } => "challenged",
            Response::Offered { .. } => "offered",
            Response::Withdrawn { .. } => "withdrawn",
            Response::Moved { .. } => "moved",
            Response::Repeated { .. } => "repeated",
            Response::Submitted { .. } => "submitted",
            Response::Planned { .. } => "planned",
            Response::Resigned { .. } => "resigned",
            Response::Declined { .. } => "declined",
            Response::Proposed { .. } => "proposed",
            Response::Accepted { .. } => "accepted",
            Response::Rejected { .. } => "rejected",
            Response::Chatted { .. } => "chatted",
            Response::Noted { .. } => "noted",
            Response::Sought { .. } => "sought",
            Response::Limited { .. } => "limited",
            Response::Unsubscribed { .. } => "unsubscribed",
            Response::Resubscribed { .. } => "resubscribed",
            Response::Followed { .. } => "followed",
            Response::Shown { .. } => "shown",
            Response::Previewed { .. } => "previewed",
            Response::Analysed(_) => "analysed",
            Response::Puzzle(_) => "puzzle",
            Response::PuzzlesSubscribed { .. } => "puzzles-subscribed",
            Response::History { .. } => "history",
            Response::Games { .. } => "games",
            Response::Listed { .. } => "listed",
            Response::Players { .. } => "players",
            Response::Standings { .. } => "standings",
            Response::Help { .. } => "help",
        }
    }

    /// The boards that it shows, in order.
    pub fn boards(&self) -> &[BoardView] {
        match self {
            Response::Shown { boards, .. } => boards,
            Response::Puzzle(answer) => std::slice::from_ref(&answer.puzzle.position),
            Response::Challenged { board, .. }
            | Response::Moved { board, .. }
            | Response::Repeated { board, .. }
            | Response::Submitted { board, .. }
            | Response::Resigned { board, .. }
            | Response::Declined { board, .. }
            | Response::Proposed { board, .. }
            | Response::Accepted { board, .. }
            | Response::Rejected { board, .. }
            | Response::Previewed { board, .. }
            | Response::History { board, .. } => std::slice::from_ref(board),
            _ => &[],
        }
    }

    /// The boards that it shows, to be drawn.
    pub fn boards_mut(&mut self) -> &mut [BoardView] {
        match self {
            Response::Shown { boards, .. } => boards,
            Response::Puzzle(answer) => std::slice::from_mut(&mut answer.puzzle.position),
            Response::Challenged { board, .. }
            | Response::Moved { board, .. }
            | Response::Repeated { board, .. }
            | Response::Submitted { board, .. }
            | Response::Resigned { board, .. }
            | Response::Declined { board, .. }
            | Response::Proposed { board, .. }
            | Response::Accepted { board, .. }
            | Response::Rejected { board, .. }
            | Response::Previewed { board, .. }
            | Response::History { board, .. } => std::slice::from_mut(board),
            _ => &mut [],
        }
    }

    /// The open challenges that it shows.
    pub fn offers(&self) -> &[OfferView] {
        match self {
            Response::Offered { offer } => std::slice::from_ref(offer),
            Response::Shown { offers, .. } | Response::Games { offers, .. } => offers,
            _ => &[],
        }
    }

    /// The same, to be changed.
    pub fn offers_mut(&mut self) -> &mut [OfferView] {
        match self {
            Response::Offered { offer } => std::slice::from_mut(offer),
            Response::Shown { offers, .. } | Response::Games { offers, .. } => offers,
            _ => &mut [],
        }
    }

    /// The same without the invitations to them, which are signed again for whoever reads it.
    pub fn without_invitations(mut self) -> Response {
        self.offers_mut().iter_mut().for_each(|offer| offer.invitation = None);
        self
    }

    /// Whether a notice tells it to the asker: to both players of a board, or to the one address that is to be confirmed.
    pub fn is_told(&self, sender: &str) -> bool {
        match self {
            Response::Challenged { .. }
            | Response::Moved { .. }
            | Response::Resigned { .. }
            | Response::Declined { .. }
            | Response::Proposed { .. }
            | Response::Accepted { .. }
            | Response::Rejected { .. }
            | Response::Chatted { .. } => true,
            Response::SignedUp { addresses, awaiting, .. } => {
                addresses.is_empty() && matches!(&awaiting[..], [only] if only.eq_ignore_ascii_case(sender))
            }
            _ => false,
        }
    }
}
