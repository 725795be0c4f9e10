//! Dispatches requests to handlers.

use crate::command::{Command, GameCommand, PreviewFrom};
use crate::message;
use crate::rules::{Game, catalogue};
use crate::store::{Channel, Transaction};

use super::rejection::ServiceResult;
use crate::service::account::passwords::Passwords;
use crate::service::board::challenge::Challenge;
use crate::service::board::play::BoardTarget;
use crate::service::board::show::Preview;
use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, Rejection, RequestResult, split_rejection};
use crate::service::request::Request;
use crate::service::response::Response;

impl Service<'_> {
    /// Answers one request in the caller's transaction, and writes the notices. `passwords` contains the computed
    /// hashes of [`Service::password_checks`].
    ///
    /// # Errors
    /// If the store fails, or if `passwords` lacks a hash (`ServiceError::Stale`). The caller must then drop the
    /// transaction. After a [`Rejection`], the caller may commit it.
    pub fn answer(
        &self,
        tx: &mut Transaction<'_>,
        request: &Request,
        passwords: &Passwords,
    ) -> ServiceResult<Result<Response, Rejection>> {
        let request = &*request.without_secrets(tx)?;
        let mut context = Context::new(*self, &mut *tx, request, passwords);
        let answered = split_rejection(context.dispatch())?;
        let proved = context.proved;
        match answered {
            Ok(response) => Ok(Ok(response)),
            Err(rejection) => {
                let rejection = Rejection { proved, ..rejection };
                let Rejection { line, .. } = self.kept(tx, rejection.clone())?;
                tracing::info!(from = request.source(), line, reason = %rejection.message.code, "refused");
                Ok(Err(self.answered(tx, rejection)?))
            }
        }
    }
}

impl Context<'_, '_> {
    fn dispatch(&mut self) -> RequestResult<Response> {
        // A long comment in mail is truncated instead, so that the move is still played.
        if self.via() != Channel::Mail {
            self.request.check_length()?;
        }
        match &self.request.line.command {
            Command::Signup { userid, password, addresses } => {
                self.unauthenticated(|context| context.signup(userid, password, addresses))
            }
            Command::ConfirmAddress { userid, code } => {
                self.unauthenticated(|context| context.confirm_address(userid, code))
            }
            Command::ChangePassword { userid, current, new } => self.change_password(userid, current, new),
            Command::ForgottenPassword { userid } => {
                self.unauthenticated(|context| context.forgotten_password(userid.as_deref()))
            }
            Command::NewPassword { userid, code, new } => {
                self.unauthenticated(|context| context.new_password_by_code(userid, code, new))
            }
            Command::Account { userid, password, action } => self.account(userid, password, action),
            Command::Help { topics } => self.reading().help(topics, self.service.policy),
            Command::List { games } => self.reading().list(games, self.service.policy),
            Command::ShowPlayers { userids } => self.reading().players(userids),
            Command::ShowBoards { boards, plain } => self.reading().show(None, boards, *plain),
            Command::Analyse { board } => self.unauthenticated(|context| context.analyse(*board)),
            Command::Puzzle { game, number, action } => {
                let answer = self.reading().puzzle(*game, *number, action)?;
                self.record_mailed_solution(&answer)?;
                Ok(Response::Puzzle(answer))
            }
            Command::Events => Ok(Response::Events { events: self.service.events(self.tx)? }),
            Command::Event { name, edition } => self.show_event(name, *edition),
            Command::AllShow { userid, filter } => self.reading().games(None, std::slice::from_ref(userid), *filter),
            Command::Game { game, command } => {
                let game = game.map_or_else(|| self.game_of_board(command), Ok)?;
                self.dispatch_game(game, command)
            }
        }
    }

    /// Returns the game of the board that a command names.
    fn game_of_board(&self, command: &GameCommand) -> RequestResult<&'static str> {
        let number = command.board().expect("the parser omits the game only if the line names a board");
        let game = self.service.game_of(&*self.tx, number)?.and_then(|game| catalogue::find(&game));
        game.map(Game::name).ok_or_else(|| {
            let rejection = self.rejection(&number.to_string(), message!("service.no-such-board", number));
            rejection.because(Reason::NotThere).into()
        })
    }

    fn dispatch_game(&mut self, game: &'static str, command: &GameCommand) -> RequestResult<Response> {
        match command {
            GameCommand::Challenge { options, players, terms } => {
                let game = catalogue::find(game).expect("the parser knows only games of the catalogue");
                let challenge = Challenge { game, options, terms, userids: players };
                self.unauthenticated(|context| context.challenge(&challenge))
            }
            GameCommand::AtBoard { board, userid, password, action } => {
                self.act(&BoardTarget { game, number: *board, userid, password }, action)
            }
            GameCommand::Preference { userid, password, preference } => {
                let player = self.authenticate(userid, password)?;
                self.service.acted(self.tx, &player, None, self.request.now)?;
                self.prefer(game, &player, preference)
            }
            GameCommand::Standings => self.reading().standings(game),
            GameCommand::Show { boards, plain } => self.reading().show(Some(game), boards, *plain),
            GameCommand::Games { userids, filter } => self.reading().games(Some(game), userids, *filter),
            GameCommand::History { board, json } => self.reading().history(game, *board, *json),
            GameCommand::Preview { from, moves, plain } => {
                let default = match from {
                    PreviewFrom::New(given) => {
                        let game = catalogue::find(game).expect("the parser knows only games of the catalogue");
                        Some(PreviewFrom::New(self.service.policy.options(game, given)))
                    }
                    PreviewFrom::Board(_) => None,
                };
                let from = default.as_ref().unwrap_or(from);
                self.reading().preview(&Preview { game, from, moves, plain: *plain })
            }
        }
    }
}
