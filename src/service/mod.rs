//! The service: answers a [`Request`] with a [`Response`] or a [`Rejection`]. The only module that changes boards.
//!
//! The caller begins and commits the store's transaction, so that the result of a message and its changes are stored
//! together. The service checks everything before it carries out a request. A refused request can only count a failed
//! attempt, resume letters to the sender's paused address, release held letters, or make due changes of a ladder.

mod account;
pub mod administration;
mod board;
mod client;
mod context;
mod dispatch;
mod event;
mod notice;
mod policy;
mod puzzle;
mod rejection;
mod request;
mod response;
mod shown;
pub mod transfer;

pub use crate::service::account::act::AddressRow;
pub use crate::service::account::administered::NotMerged;
pub use crate::service::account::reports::{ANSWERED_REFUSALS, ANSWERS_AN_HOUR};
pub use crate::service::account::signup::is_guest;
pub use crate::service::board::agree::{Decision, NotDecided};
pub use crate::service::board::challenge::InvitationView;
pub use crate::service::board::clocks::SEEN;
pub use crate::service::board::players::{
    CurvePoint, Distribution, GameScore, OpponentScore, PlayerResults, RatingCurve, Score,
};
pub use crate::service::board::show::{HELP_PAGES, help_page_about, help_topics};
pub use crate::service::notice::reach::ToStranger;
pub use crate::store::{Channel, EditionRef, NoResult, ProposalKind, genesis_hash, next_hash};
pub use account::administered::{NotRenamed, Removal};
pub use account::blocked::block_of;
pub use account::leave::ClosedBoards;
pub use account::login::Credentials;
pub use account::passwords::{PasswordChecks, Passwords};
pub use board::analysis::{Analysis, AnalysisTask, BoardAnalysis, Mistake};
pub use board::changes::{BoardState, BoardUpdate, BoardWatch};
pub use board::check::{CheckReport, check, check_board, checked_view};
pub use board::clocks::{ClockRow, running_clocks};
pub use board::explore::{BoardRole, Exploration, ExploreQuery};
pub use board::lists::{BoardPage, BoardsOf, Cursor, LobbyRow, MyBoardRow, StandingsPage};
pub use board::rate::recompute;
pub use board::record;
pub use board::record::Record;
#[cfg(test)]
pub(crate) use board::replay::REPLAYS;
pub use board::robots::{RobotAction, RobotMind, RobotTask, robot_level};
pub use board::tick::ClockResult;
pub use board::view::{AsOf, board_view};
pub use board::views::*;
pub use client::{BoardComment, LegalMoves};
pub use client::{TokenOwner, TokenRow};
pub use context::Service;
pub use context::with_passwords;
pub use event::feed::{EventFeed, EventNews, EventNewsKind};
pub use event::views::{CupGame, DivisionView, EditionView, EventFacts, EventRow, EventView, Moved, PlaceView};
pub use notice::answer::{Answer, AnswerEntry, BoardEntry, SHORT_ANSWER, Silence, SilenceOf};
pub use notice::facts::{
    BoardEvent, BoardFacts, BoardNotice, Confirmation, LoginLink, Notice, PausedAddress, PlayerText, PuzzleNotice,
    QuarantinedMail, Replied,
};
pub use notice::kind::NoticeKind;
pub use notice::letter::{
    EventInLetter, ReadNotice, asks_last_word, boards_in_letter, events_in_letter, message_writer, puzzles_in_letter,
    read_notices, writers_in_letter,
};
pub use notice::notices::Recipient;
pub use notice::reach::{Bounced, Failure};
pub use notice::unsubscribe::{UnsubscribeChoice, UnsubscribeLink};
pub use notice::webhooks::{CallFailure, DueCall, WebhookPost, WebhookView};
pub use policy::{EngineRobot, Policy};
pub use puzzle::find::{OpenPuzzle, noticed_puzzle};
pub use puzzle::search::PuzzleSearch;
pub use puzzle::solved::SolvedPuzzles;
pub use puzzle::views::{PuzzleAnswer, PuzzleList, PuzzleVerdict, PuzzleView};
pub use rejection::{Reason, Rejection};
pub use rejection::{ServiceError, ServiceResult};
pub use request::{BoardGrant, EventGrant, MessageGrant, Origin, Request, TokenGrant};
pub use request::{LONGEST_TEXT, without_words};
pub use response::{FollowedRow, Response, StoppedLetters};
