//! The desk: a [`Request`] in, an [`Answer`] or a [`Refused`] out; the only room that changes a board.
//!
//! It works inside a transaction of the store that its caller begins and commits, so that a mail's verdict and what
//! the mail changed are one. It checks everything before it writes anything: a refused request has written nothing
//! (but the count of wrong passwords).

mod account;
mod agree;
mod answer;
pub mod chain;
mod challenge;
mod check;
mod clocks;
mod explore;
mod follow;
mod hooks;
mod house;
mod identity;
mod lists;
mod live;
mod login;
mod look;
mod notices;
mod plans;
mod play;
mod prepare;
mod programs;
mod rate;
mod reach;
pub mod record;
mod request;
mod signup;
mod tick;
pub mod transfer;
mod view;
mod views;

pub use answer::Answer;
pub use check::{Checked, check, check_board};
pub use clocks::{ClockRow, running_clocks};
pub use explore::{Explored, Exploring, Place};
pub use house::HouseRules;
pub use lists::{BoardPage, MyBoardRow, StandingsPage};
pub use look::{HELP_PAGES, help_topics};
pub use notices::BoardFacts;
pub use programs::{Remark, TokenRow};
pub use rate::recompute;
pub use reach::{Bounced, Failure, out_of_reach};
pub use record::Record;
pub use request::{Granted, Hindrance, Origin, Refused, Request};
pub use tick::Ticked;
pub use view::{Moment, board_view};
pub use views::*;

use crate::command::{Account, Command, ParseError, Verb};
use crate::rules::{Refusal, catalogue};
use crate::store::{self, Ledger, StoreError};
use crate::world::World;

/// The desk.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Randomness (salts, codes); its clock is not read: the time is the request's.
    pub world: World,
    /// The domain of the server's address, which ends Message-IDs.
    pub domain: &'a str,
    /// What the administrator has decided.
    pub house: &'a HouseRules,
    /// Whose `Authentication-Results` in a mail are believed; without one, nobody's.
    pub authserv_id: Option<&'a str>,
}

/// Why something was not done: refused, or the store failed.
enum Fail {
    Refused(Box<Refused>),
    Store(StoreError),
}

impl From<StoreError> for Fail {
    fn from(error: StoreError) -> Self {
        Fail::Store(error)
    }
}

type Done<T> = Result<T, Fail>;

/// Refuses a request: the word at fault, and why.
fn refuse<T>(request: &Request, word: &str, message: impl Into<String>) -> Done<T> {
    Err(refusal(request, word, message, None))
}

fn refusal(request: &Request, word: &str, message: impl Into<String>, nearest: Option<String>) -> Fail {
    let line = request.line.shown.clone();
    let at = find_word(&line, word);
    Fail::Refused(Box::new(Refused { line, at, message: message.into(), nearest, ..Refused::default() }))
}

impl Fail {
    /// The same refusal, of this kind.
    fn of(mut self, what: Hindrance) -> Fail {
        if let Fail::Refused(refused) = &mut self {
            refused.hindrance = what;
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
fn refused_by_rules(request: &Request, refusal: Refusal, board: Option<BoardView>) -> Fail {
    let line = request.line.shown.clone();
    Fail::Refused(Box::new(Refused {
        at: find_word(&line, &refusal.word),
        line,
        not_understood: view::not_understood(&refusal),
        message: refusal.message,
        nearest: refusal.nearest,
        board: board.map(Box::new),
        ..Refused::default()
    }))
}

impl From<ParseError> for Refused {
    fn from(error: ParseError) -> Self {
        let ParseError { line, at, message, nearest, usage, .. } = error;
        Refused { line, at, message, nearest, usage, not_understood: true, ..Refused::default() }
    }
}

impl Desk<'_> {
    /// Answers one request inside the caller's transaction, and writes the notices of those who must be told.
    ///
    /// # Errors
    /// The store's, when the transaction should be dropped; a [`Refused`] is an answer, and the transaction may be
    /// committed.
    pub fn answer(&self, ledger: &mut dyn Ledger, request: &Request) -> store::Result<Result<Answer, Refused>> {
        match self.dispatch(ledger, request) {
            Ok(answer) => Ok(Ok(answer)),
            Err(Fail::Refused(refused)) => Ok(Err(*refused)),
            Err(Fail::Store(error)) => Err(error),
        }
    }

    fn dispatch(&self, ledger: &mut dyn Ledger, request: &Request) -> Done<Answer> {
        match &request.line.command {
            Command::Signup { userid, password, addresses } => {
                self.signup(ledger, request, userid, password, addresses)
            }
            Command::ConfirmAddress { userid, code } => self.confirm_address(ledger, request, userid, code),
            Command::ChangePassword { userid, current, new } => {
                self.change_password(ledger, request, userid, current, new)
            }
            Command::Account { userid, password, what } => {
                let grave = matches!(what, Account::Addresses(_) | Account::Signoff(_));
                let player = match grave {
                    true => identity::player_with_password(ledger, request, userid, password)?,
                    false => identity::player(ledger, request, userid, password)?,
                };
                self.account(ledger, request, player, what)
            }
            Command::Help { topics } => look::help(request, topics),
            Command::List { games } => look::list(ledger, request, games),
            Command::ShowPlayers { userids } => look::players(ledger, request, userids),
            Command::ShowBoards { boards, plain } => look::show(ledger, request, None, boards, *plain),
            Command::AllShow { userid, which } => {
                look::games(ledger, request, None, std::slice::from_ref(userid), *which)
            }
            Command::Game { game, verb } => self.dispatch_game(ledger, request, game, verb),
        }
    }

    fn dispatch_game(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        game: &'static str,
        verb: &Verb,
    ) -> Done<Answer> {
        match verb {
            Verb::Challenge { options, players, terms } => {
                let game = catalogue::find(game).expect("the parser knows the catalogue's games only");
                self.challenge(ledger, request, game, (options, terms), players)
            }
            Verb::At { board, userid, password, act } => {
                self.act(ledger, request, game, (*board, userid, password), act)
            }
            Verb::Wish { userid, password, wish } => {
                let player = identity::player(ledger, request, userid, password)?;
                self.acted(ledger, &player, request.now)?;
                self.wish(ledger, request, game, &player, wish)
            }
            Verb::Standings => look::standings(ledger, game),
            Verb::Show { boards, plain } => look::show(ledger, request, Some(game), boards, *plain),
            Verb::Games { userids, which } => look::games(ledger, request, Some(game), userids, *which),
            Verb::History { board, json } => look::history(ledger, request, game, *board, *json),
            Verb::Preview { from, moves, plain } => look::preview(ledger, request, game, from, moves, *plain),
        }
    }
}
