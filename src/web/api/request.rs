//! A program's request, with what is needed to answer it.

use std::ops::{Deref, DerefMut};

use chrono::{DateTime, Utc};

use super::error::ApiError;
use crate::command::{self, ParseError, ParsedLine};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::Response;
use crate::store::Player;
use crate::web::client::Client;
use crate::web::request_context::RequestContext;

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
        word.parse().map_err(|_| ApiError::bad_request(message!("web.not-a-board-number", word)))
    }

    /// A parameter after the `?`.
    pub(super) fn in_query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A parameter after the `?` that is a number.
    pub(super) fn number_in_query<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, ApiError> {
        let number = |value: &str| {
            value.parse().map_err(|_| ApiError::bad_request(message!("web.not-a-number", parameter = name, value)))
        };
        self.in_query(name).map(number).transpose()
    }
}

impl ApiRequest<'_> {
    /// The player whose token was shown, at an endpoint that needs a token.
    pub(super) fn player(&self) -> Result<Player, ApiError> {
        self.player.clone().ok_or_else(|| ApiError::unauthorized(message!("web.token-needed")))
    }

    /// The number and the game of the board that the path names, if the client may see it.
    pub(super) fn board(&mut self) -> Result<(BoardNumber, String), ApiError> {
        let (number, from, now) = (self.parameters.board_number()?, self.origin(), self.now);
        Ok((number, self.read(|service, tx| service.game_of_visible_board(tx, from, number, now))??))
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
}
