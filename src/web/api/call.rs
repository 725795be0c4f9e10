//! A program's request on its way to the service.

use chrono::{DateTime, Utc};

use super::trouble::Trouble;
use crate::command::{self, ParsedLine};
use crate::service::{Origin, Request, Response, Service};
use crate::store::{Board, Player, Store};
use crate::web::Site;
use crate::web::client::Client;

/// What was asked, beside the body.
pub(super) struct Asked {
    /// Who asks.
    pub(super) client: Client,
    /// What stands in the places of the path.
    pub(super) path: Vec<(String, String)>,
    /// What stands behind the `?`; only what the endpoint knows.
    pub(super) query: Vec<(String, String)>,
    /// The token that was shown.
    pub(super) token: Option<String>,
    /// The present time.
    pub(super) now: DateTime<Utc>,
}

/// A request with what answers it.
pub(super) struct Call<'a> {
    pub(super) site: &'a Site,
    pub(super) store: &'a mut dyn Store,
    /// Whose token was shown.
    pub(super) player: Option<Player>,
    pub(super) asked: &'a Asked,
}

impl Asked {
    /// What stands in a place of the path.
    pub(super) fn word(&self, name: &str) -> &str {
        self.path.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// A board's number in the path.
    pub(super) fn number(&self) -> Result<u32, Trouble> {
        let word = self.word("number");
        word.parse().map_err(|_| Trouble::not_understood(format!("{word:?} is not a board's number.")))
    }

    /// A parameter.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A parameter that is a number.
    pub(super) fn given_number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Trouble> {
        let number = |value: &str| {
            value.parse().map_err(|_| Trouble::not_understood(format!("{name} is a number, not {value:?}.")))
        };
        self.given(name).map(number).transpose()
    }
}

impl Call<'_> {
    pub(super) fn service(&self) -> Service<'_> {
        self.site.config.service(self.site.world)
    }

    /// Who asks, as the service knows it.
    pub(super) fn from(&self) -> Origin {
        match &self.player {
            Some(player) => Origin::Known { userid: player.userid.clone(), via: "api" },
            None => Origin::Visitor,
        }
    }

    /// The player whose token was shown, where the table says that one must be.
    pub(super) fn me(&self) -> Result<Player, Trouble> {
        self.player.clone().ok_or_else(|| Trouble::unknown("This needs a token."))
    }

    /// The board that the path names, if who asks may see it.
    pub(super) fn board(&mut self) -> Result<Board, Trouble> {
        let (number, from, site) = (self.asked.number()?, self.from(), self.site);
        let tx = self.store.read()?;
        let seen = site.config.service(site.world).seen_board(&*tx, from, number, self.asked.now)?;
        match seen {
            Ok(board) => Ok(board),
            Err(rejection) => Err(site.composer.rejection_for_program(rejection)?.into()),
        }
    }

    /// Asks the service a line of the command language, given as words.
    pub(super) fn ask(&mut self, words: &[&str]) -> Result<Response, Trouble> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = command::parse_words(&words).map_err(crate::service::Rejection::from)?;
        self.answer(line, None)
    }

    /// Asks the service a line.
    pub(super) fn answer(&mut self, line: ParsedLine, say: Option<String>) -> Result<Response, Trouble> {
        let (from, site) = (self.from(), self.site);
        let service = site.config.service(site.world);
        let changes = line.command.changes();
        let request = Request { line, from, comment: say, now: self.asked.now };
        let mut tx = if changes { self.store.write()? } else { self.store.read()? };
        let answer = service.answer(&mut *tx, &request)?;
        if changes {
            // A refusal too: wrong passwords are counted.
            tx.commit()?;
            site.written();
        }
        Ok(match answer {
            Ok(answer) => answer,
            Err(rejection) => return Err(site.composer.rejection_for_program(rejection)?.into()),
        })
    }
}
