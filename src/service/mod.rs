//! The service: a [`Request`] in, an [`Response`] or a [`Rejection`] out; the only room that changes a board.
//!
//! It works inside a transaction of the store that its caller begins and commits, so that a mail's verdict and what
//! the mail changed are one. It checks everything before it writes anything: a refused request has written nothing
//! (but the count of wrong passwords).

mod account;
pub mod administration;
mod board;
mod client;
mod notice;
mod policy;
mod request;
mod response;
pub mod transfer;

pub use crate::store::chain;
pub use account::profile::AddressRow;
pub use board::changes::{BoardState, BoardUpdate, BoardWatch};
pub use board::check::{Checked, check, check_board};
pub use board::clocks::{ClockRow, running_clocks};
pub use board::explore::{BoardRole, Exploration, ExploreQuery};
pub use board::lists::{BoardPage, BoardsOf, Cursor, MyBoardRow, StandingsPage};
pub use board::look::{HELP_PAGES, help_topics};
pub use board::rate::recompute;
pub use board::record;
pub use board::record::Record;
pub use board::tick::Ticked;
pub use board::view::{Moment, board_view};
pub use board::views::*;
pub use client::boards::{BoardComment, LegalMoves};
pub use client::tokens::{TokenOwner, TokenRow};
pub use notice::facts::{
    Answer, AnswerEntry, BoardEntry, BoardEvent, BoardFacts, BoardNotice, Confirmation, LoginLink, Notice,
    PausedAddress, PlayerText,
};
pub use notice::kind::NoticeKind;
pub use notice::notices::Recipient;
pub use notice::reach::{Bounced, Failure, out_of_reach};
pub use notice::unsubscribe::Unsubscribed;
pub use notice::webhooks::{DueCall, NewWebhook, WebhookPost, WebhookView};
pub use policy::Policy;
pub use request::{Origin, Reason, Rejection, Request, TokenGrant};
pub use response::Response;

use account::identity;
use board::{look, view};

use crate::command::{AccountAction, Command, GameCommand, ParseError};
use crate::rules::{Refusal, catalogue};
use crate::store::{self, StoreError, Transaction};
use crate::text::Message;
use crate::world::World;

/// The service.
#[derive(Clone, Copy)]
pub struct Service<'a> {
    /// Randomness (salts, codes); its clock is not read: the time is the request's.
    pub world: World,
    /// The domain of the server's address, which ends Message-IDs.
    pub domain: &'a str,
    /// What the administrator has decided.
    pub policy: &'a Policy,
    /// Whose `Authentication-Results` in a mail are believed; without one, nobody's.
    pub authserv_id: Option<&'a str>,
}

/// Why something was not done: refused, or the store failed.
enum RequestError {
    Rejected(Box<Rejection>),
    Store(StoreError),
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        RequestError::Store(error)
    }
}

type RequestResult<T> = Result<T, RequestError>;

/// Refuses a request: the word at fault, and why.
fn refuse<T>(request: &Request, word: &str, message: impl Into<Message>) -> RequestResult<T> {
    Err(refusal(request, word, message, None))
}

fn refusal(request: &Request, word: &str, message: impl Into<Message>, nearest: Option<String>) -> RequestError {
    let line = request.line.shown.clone();
    let at = find_word(&line, word);
    RequestError::Rejected(Box::new(Rejection { line, at, message: message.into(), nearest, ..Rejection::default() }))
}

impl RequestError {
    /// The same refusal, of this kind.
    fn of(mut self, what: Reason) -> RequestError {
        if let RequestError::Rejected(refused) = &mut self {
            refused.reason = what;
        }
        self
    }
}

/// Where a word stands in a line, as a whole word if it does: byte column and length in characters.
fn find_word(line: &str, word: &str) -> Option<(usize, usize)> {
    if word.is_empty() {
        return None;
    }
    let (line, word) = (line.to_lowercase(), word.to_lowercase());
    let whole = |&(at, _): &(usize, &str)| {
        let edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        edge(line[..at].chars().next_back()) && edge(line[at + word.len()..].chars().next())
    };
    let at = line.match_indices(&word).filter(whole).last()?.0;
    Some((at, word.chars().count()))
}

/// What the rules refused.
fn refused_by_rules(request: &Request, refusal: Refusal, board: Option<BoardView>) -> RequestError {
    let line = request.line.shown.clone();
    RequestError::Rejected(Box::new(Rejection {
        at: find_word(&line, &refusal.word),
        line,
        not_understood: view::not_understood(&refusal),
        message: refusal.message,
        nearest: refusal.nearest,
        board: board.map(Box::new),
        ..Rejection::default()
    }))
}

impl From<ParseError> for Rejection {
    fn from(error: ParseError) -> Self {
        let ParseError { line, at, message, nearest, usage, .. } = error;
        Rejection { line, at, message, nearest, usage, not_understood: true, ..Rejection::default() }
    }
}

impl Service<'_> {
    /// Answers one request inside the caller's transaction, and writes the notices of those who must be told.
    ///
    /// # Errors
    /// The store's, when the transaction should be dropped; a [`Rejection`] is an answer, and the transaction may be
    /// committed.
    pub fn answer(&self, tx: &mut dyn Transaction, request: &Request) -> store::Result<Result<Response, Rejection>> {
        match self.dispatch(tx, request) {
            Ok(answer) => Ok(Ok(answer)),
            Err(RequestError::Rejected(refused)) => Ok(Err(*refused)),
            Err(RequestError::Store(error)) => Err(error),
        }
    }

    fn dispatch(&self, tx: &mut dyn Transaction, request: &Request) -> RequestResult<Response> {
        match &request.line.command {
            Command::Signup { userid, password, addresses } => self.signup(tx, request, userid, password, addresses),
            Command::ConfirmAddress { userid, code } => self.confirm_address(tx, request, userid, code),
            Command::ChangePassword { userid, current, new } => self.change_password(tx, request, userid, current, new),
            Command::Account { userid, password, action } => {
                let grave = matches!(action, AccountAction::Addresses(_) | AccountAction::Signoff(_));
                let player = match grave {
                    true => identity::player_with_password(tx, request, userid, password)?,
                    false => identity::player(tx, request, userid, password)?,
                };
                self.account(tx, request, player, action)
            }
            Command::Help { topics } => look::help(request, topics),
            Command::List { games } => look::list(tx, request, games),
            Command::ShowPlayers { userids } => look::players(tx, request, userids),
            Command::ShowBoards { boards, plain } => look::show(tx, request, None, boards, *plain),
            Command::AllShow { userid, filter } => {
                look::games(tx, request, None, std::slice::from_ref(userid), *filter)
            }
            Command::Game { game, command } => self.dispatch_game(tx, request, game, command),
        }
    }

    fn dispatch_game(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        game: &'static str,
        command: &GameCommand,
    ) -> RequestResult<Response> {
        match command {
            GameCommand::Challenge { options, players, terms } => {
                let game = catalogue::find(game).expect("the parser knows the catalogue's games only");
                self.challenge(tx, request, game, (options, terms), players)
            }
            GameCommand::AtBoard { board, userid, password, action } => {
                self.act(tx, request, game, (*board, userid, password), action)
            }
            GameCommand::Preference { userid, password, preference } => {
                let player = identity::player(tx, request, userid, password)?;
                self.acted(tx, &player, request.now)?;
                self.prefer(tx, request, game, &player, preference)
            }
            GameCommand::Standings => look::standings(tx, game),
            GameCommand::Show { boards, plain } => look::show(tx, request, Some(game), boards, *plain),
            GameCommand::Games { userids, filter } => look::games(tx, request, Some(game), userids, *filter),
            GameCommand::History { board, json } => look::history(tx, request, game, *board, *json),
            GameCommand::Preview { from, moves, plain } => look::preview(tx, request, game, from, moves, *plain),
        }
    }
}
