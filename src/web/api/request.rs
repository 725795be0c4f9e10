//! A program's request, with what is needed to answer it.

use std::ops::{Deref, DerefMut};

use chrono::{DateTime, Utc};

use super::auth::authenticate;
use super::error::ApiError;
use crate::command::{self, BoardAction, Command, GameCommand, ParseError, ParsedLine, Password};
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Game, catalogue};
use crate::service::{self, Passwords, Rejection, Request, Response, Service, ServiceError, Via};
use crate::store::{self, Player, Transaction};
use crate::text::Message;
use crate::web::client::Client;
use crate::web::pool::PooledStore;
use crate::web::request_context::RequestContext;
use crate::web::site::Site;

/// The number of boards in a part of a list.
pub(super) const PAGE_SIZE: u32 = 100;

/// A request without its body.
pub(super) struct Parameters {
    /// The client at the other end of the connection.
    pub(super) client: Client,
    /// The parameters in the path.
    pub(super) path: Vec<(String, String)>,
    /// The parameters after the `?`; only those that the endpoint knows.
    pub(super) query: Vec<(String, String)>,
    /// The token that was shown.
    pub(super) token: Option<String>,
    /// The present time.
    pub(super) now: DateTime<Utc>,
}

/// A request with what is needed to answer it.
pub(super) struct ApiRequest<'a> {
    /// Its player is the one whose token was shown.
    pub(super) context: RequestContext<'a>,
    pub(super) parameters: &'a Parameters,
}

impl<'a> Deref for ApiRequest<'a> {
    type Target = RequestContext<'a>;

    fn deref(&self) -> &RequestContext<'a> {
        &self.context
    }
}

impl DerefMut for ApiRequest<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}

impl Parameters {
    /// A parameter in the path.
    pub(super) fn in_path(&self, name: &str) -> &str {
        self.path.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// The number of the board that the path names.
    pub(super) fn board_number(&self) -> Result<BoardNumber, ApiError> {
        let word = self.in_path("number");
        let number = word.parse().ok().filter(|number| *number > BoardNumber(0));
        number.ok_or_else(|| ApiError::malformed(message!("web.not-a-board-number", word)).about(word))
    }

    /// A parameter after the `?`.
    pub(super) fn in_query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A parameter after the `?` that is a number.
    pub(super) fn number_in_query<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, ApiError> {
        let number = |value: &str| {
            let wrong = message!("web.not-a-number", parameter = name, value);
            value.parse().map_err(|_| ApiError::malformed(wrong).about(value))
        };
        self.in_query(name).map(number).transpose()
    }
}

impl<'a> ApiRequest<'a> {
    /// A request of the player whose token is shown, if one is.
    pub(super) fn open(
        site: &'a Site,
        store: &'a mut PooledStore,
        parameters: &'a Parameters,
    ) -> Result<ApiRequest<'a>, ApiError> {
        let player = authenticate(site, store, parameters.token.as_deref(), parameters.now)?;
        let (client, now) = (parameters.client.key(), parameters.now);
        let context = RequestContext { site, store, player, via: Via::Api, client, now };
        Ok(ApiRequest { context, parameters })
    }

    /// The player whose token was shown, at an endpoint that needs a token.
    pub(super) fn player(&self) -> Result<Player, ApiError> {
        self.player.clone().ok_or_else(|| ApiError::unauthenticated(message!("web.token-needed")))
    }

    /// The number and the game of the board that the path names, if the client may see it.
    pub(super) fn board(&mut self) -> Result<(BoardNumber, String), ApiError> {
        let (number, from, now) = (self.parameters.board_number()?, self.origin(), self.now);
        Ok((number, self.read(|service, tx| service.game_of_visible_board(tx, from, number, now))??))
    }

    /// The game that the path names.
    pub(super) fn game(&self) -> Result<&'static dyn Game, ApiError> {
        let name = self.parameters.in_path("game");
        catalogue::find(name).ok_or_else(|| {
            let names: Vec<String> = catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect();
            ApiError::not_there(message!("web.no-such-game", name, names)).about(name)
        })
    }

    /// The line by which the player does something at the board that the path names, or with the open challenge of that
    /// number.
    pub(super) fn board_line(&mut self, action: BoardAction) -> Result<ParsedLine, ApiError> {
        let (player, board) = (self.player()?, self.parameters.board_number()?);
        let game = self.read(|service, tx| service.game_of(tx, board))?;
        let game = game.and_then(|game| catalogue::find(&game)).map(Game::name);
        let none = || ApiError::not_there(message!("web.no-such-board", board));
        let (game, userid, password) = (game.ok_or_else(none)?, player.userid, Password::FromContext);
        let command = GameCommand::AtBoard { board, userid, password, action };
        Ok(ParsedLine::of(Command::Game { game: Some(game), command }))
    }

    /// Asks the service a line of the command language, given as its words.
    pub(super) fn run_words(&mut self, words: &[&str]) -> Result<Response, ApiError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = self.understood(command::parse_words(&words))?;
        self.run(line, None)
    }

    /// A line, or the rejection of one that is no command.
    pub(super) fn understood(&mut self, line: Result<ParsedLine, ParseError>) -> Result<ParsedLine, ApiError> {
        match line {
            Ok(line) => Ok(line),
            Err(error) => Err(self.context.not_understood(error)?.into()),
        }
    }

    /// Asks the service a parsed line, with the comment beside it.
    pub(super) fn run(&mut self, line: ParsedLine, comment: Option<String>) -> Result<Response, ApiError> {
        Ok(self.context.run(line, comment)??)
    }

    /// Asks the service a parsed line, unless `why_not` finds in the same transaction why it must not be run.
    pub(super) fn run_unless(
        &mut self,
        line: ParsedLine,
        comment: Option<String>,
        why_not: impl Fn(Service<'_>, &Transaction<'_>) -> store::Result<Option<Message>>,
    ) -> Result<Response, ApiError> {
        let request =
            Request { line, from: self.origin(), comment, client: Some(self.client), now: self.parameters.now };
        let command = &request.line.command;
        let service = self.site.service();
        let answer = service::write_command(self.store.store(), command, |tx| match why_not(service, &*tx)? {
            Some(message) => Ok(Err(Rejection { message, ..Rejection::default() })),
            // The player is known: their line needs no password.
            None => service.answer(tx, &request, &Passwords::default()),
        });
        let answer = answer.map_err(ServiceError::without_password)?;
        self.site.changed();
        Ok(answer?)
    }
}
