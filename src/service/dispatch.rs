//! Which handler does what: a request in, its response or rejection out.

use crate::command::{Command, Verb};
use crate::rules::catalogue;
use crate::store::{self, Transaction};

use crate::service::board::act::BoardTarget;
use crate::service::board::challenge::Challenge;
use crate::service::board::show::Preview;
use crate::service::context::{Context, Service};
use crate::service::rejection::{Rejection, RequestResult, settled};
use crate::service::request::Request;
use crate::service::response::Response;

impl Service<'_> {
    /// Answers one request inside the caller's transaction, and writes the notices of those who must be told.
    ///
    /// # Errors
    /// The store's, when the transaction should be dropped; a [`Rejection`] is an answer, and the transaction may be
    /// committed.
    pub fn answer(&self, tx: &mut dyn Transaction, request: &Request) -> store::Result<Result<Response, Rejection>> {
        settled(Context { service: *self, tx, request }.dispatch())
    }
}

impl Context<'_> {
    fn dispatch(&mut self) -> RequestResult<Response> {
        match &self.request.line.command {
            Command::Signup { userid, password, addresses } => self.signup(userid, password, addresses),
            Command::ConfirmAddress { userid, code } => self.confirm_address(userid, code),
            Command::ChangePassword { userid, current, new } => self.change_password(userid, current, new),
            Command::Account { userid, password, what } => self.account(userid, password, what),
            Command::Help { topics } => self.reading().help(topics),
            Command::List { games } => self.reading().list(games),
            Command::ShowPlayers { userids } => self.reading().players(userids),
            Command::ShowBoards { boards, plain } => self.reading().show(None, boards, *plain),
            Command::AllShow { userid, which } => self.reading().games(None, std::slice::from_ref(userid), *which),
            Command::Game { game, verb } => self.dispatch_game(game, verb),
        }
    }

    fn dispatch_game(&mut self, game: &'static str, verb: &Verb) -> RequestResult<Response> {
        match verb {
            Verb::Challenge { options, players, terms } => {
                let game = catalogue::find(game).expect("the parser knows the catalogue's games only");
                self.challenge(&Challenge { game, options, terms, userids: players })
            }
            Verb::At { board, userid, password, act } => {
                self.act(&BoardTarget { game, number: *board, userid, password }, act)
            }
            Verb::Wish { userid, password, wish } => {
                let player = self.authenticate(userid, password)?;
                self.service.acted(self.tx, &player, self.request.now)?;
                self.wish(game, &player, wish)
            }
            Verb::Standings => self.reading().standings(game),
            Verb::Show { boards, plain } => self.reading().show(Some(game), boards, *plain),
            Verb::Games { userids, which } => self.reading().games(Some(game), userids, *which),
            Verb::History { board, json } => self.reading().history(game, *board, *json),
            Verb::Preview { from, moves, plain } => {
                self.reading().preview(&Preview { game, from, moves, plain: *plain })
            }
        }
    }
}
