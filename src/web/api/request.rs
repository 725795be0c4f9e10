//! API requests: authentication by token, and the resources to answer them.

use std::ops::{Deref, DerefMut};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::{DateTime, Utc};

use super::error::ApiError;
use crate::command::{self, BoardAction, Command, GameCommand, ParseError, ParsedLine, Password};
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Game, catalogue};
use crate::service::{Channel, Response, Service, TokenOwner};
use crate::store::{self, Player, Transaction};
use crate::text::Message;
use crate::web::client::Client;
use crate::web::pool::PooledStore;
use crate::web::request_context::RequestContext;
use crate::web::site::Site;

/// The maximum number of boards in one response of a list by number; clients request longer lists in parts.
pub(crate) const PAGE_SIZE: u32 = 100;

/// A request without its body.
pub(crate) struct Parameters {
    pub(crate) client: Client,
    /// The parameters of the path.
    pub(crate) path: Vec<(String, String)>,
    /// The parameters of the query string. The endpoint accepts all of them.
    pub(crate) query: Vec<(String, String)>,
    /// The token from the headers.
    pub(crate) token: Option<String>,
    pub(crate) now: DateTime<Utc>,
}

/// A request with the resources to answer it.
pub(crate) struct ApiRequest<'a> {
    /// The context of the request, with the owner of the token as its player.
    pub(crate) context: RequestContext<'a>,
    pub(crate) parameters: &'a Parameters,
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
    /// Returns a parameter of the path.
    pub(crate) fn in_path(&self, name: &str) -> &str {
        self.path.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// Returns the board number in the path.
    pub(crate) fn board_number(&self) -> Result<BoardNumber, ApiError> {
        let word = self.in_path("number");
        let number = word.parse().ok().filter(|number| *number > BoardNumber(0));
        number.ok_or_else(|| ApiError::malformed(message!("web.not-a-board-number", word)).about(word))
    }

    /// Returns a parameter of the query string.
    pub(crate) fn in_query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns a numeric parameter of the query string.
    pub(crate) fn number_in_query<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, ApiError> {
        let number = |value: &str| {
            let wrong = message!("web.not-a-number", parameter = name, value);
            value.parse().map_err(|_| ApiError::malformed(wrong).about(value))
        };
        self.in_query(name).map(number).transpose()
    }
}

impl<'a> ApiRequest<'a> {
    /// Opens a request and authenticates its token, if it has one.
    pub(crate) fn open(
        site: &'a Site,
        store: &'a mut PooledStore,
        parameters: &'a Parameters,
    ) -> Result<ApiRequest<'a>, ApiError> {
        let player = authenticate(site, store, parameters.token.as_deref(), parameters.now)?;
        let (client, now) = (parameters.client.key(), parameters.now);
        let context = RequestContext { site, store, player, via: Channel::Api, client, now };
        Ok(ApiRequest { context, parameters })
    }

    /// Returns the owner of the token. Fails without a token.
    pub(crate) fn player(&self) -> Result<Player, ApiError> {
        self.player.clone().ok_or_else(|| ApiError::unauthenticated(message!("web.token-needed")))
    }

    /// Returns the number and the game of the board in the path, if the client may see the board.
    pub(crate) fn board(&mut self) -> Result<(BoardNumber, String), ApiError> {
        let (number, from, now) = (self.parameters.board_number()?, self.origin(), self.now);
        Ok((number, self.read(|service, tx| service.game_of_visible_board(tx, from, number, now))??))
    }

    /// Returns the game in the path.
    pub(crate) fn game(&self) -> Result<&'static dyn Game, ApiError> {
        let name = self.parameters.in_path("game");
        catalogue::find(name).ok_or_else(|| {
            let names: Vec<String> = catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect();
            ApiError::not_there(message!("web.no-such-game", name, names)).about(name)
        })
    }

    /// Builds the command line for an action on the board or open challenge in the path.
    pub(crate) fn board_line(&mut self, action: BoardAction) -> Result<ParsedLine, ApiError> {
        let (player, board) = (self.player()?, self.parameters.board_number()?);
        let game = self.read(|service, tx| service.game_of(tx, board))?;
        let game = game.and_then(|game| catalogue::find(&game)).map(Game::name);
        let none = || ApiError::not_there(message!("web.no-such-board", board));
        let (game, userid, password) = (game.ok_or_else(none)?, player.userid, Password::FromContext);
        let command = GameCommand::AtBoard { board, userid, password, action };
        Ok(ParsedLine::of(Command::Game { game: Some(game), command }))
    }

    /// Runs a line of the command language, given as words.
    pub(crate) fn run_words(&mut self, words: &[&str]) -> Result<Response, ApiError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = self.understood(command::parse_words(&words))?;
        self.run(line, None)
    }

    /// Returns the parsed line, or converts the parse error to a rejection.
    pub(crate) fn understood(&mut self, line: Result<ParsedLine, ParseError>) -> Result<ParsedLine, ApiError> {
        match line {
            Ok(line) => Ok(line),
            Err(error) => Err(self.context.not_understood(error)?.into()),
        }
    }

    pub(crate) fn run(&mut self, line: ParsedLine, comment: Option<String>) -> Result<Response, ApiError> {
        Ok(self.context.run(line, comment)??)
    }

    /// Runs a parsed line. First calls `why_not` in the same transaction; if it returns a message, rejects the line
    /// with it.
    pub(crate) fn run_unless(
        &mut self,
        line: ParsedLine,
        comment: Option<String>,
        why_not: impl Fn(Service<'_>, &Transaction<'_>) -> store::Result<Option<Message>>,
    ) -> Result<Response, ApiError> {
        Ok(self.context.run_unless(line, comment, why_not)??)
    }
}

/// Extracts the token from the headers of a request.
pub(crate) fn token(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let shown = header.to_str().ok().and_then(|header| header.split_once(' '));
    match shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) {
        Some((_, token)) => Ok(Some(token.trim().to_owned())),
        None => Err(ApiError::unauthenticated(message!("web.token-scheme"))),
    }
}

/// Finds the player of a token; returns `None` without a token. Records the use of the token, at most once an hour.
pub(crate) fn authenticate(
    site: &Site,
    store: &mut PooledStore,
    token: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Option<Player>, ApiError> {
    let Some(token) = token else { return Ok(None) };
    let owner = site.read(store, |service, tx| service.player_by_token(tx, token, now))?;
    let Some(TokenOwner { player, record_use }) = owner else {
        return Err(ApiError::unauthenticated(message!("web.token-unknown")));
    };
    if record_use && !site.host.is_read_only() {
        site.write(store, |service, tx| service.record_token_use(tx, token, now))?;
    }
    Ok(Some(player))
}
