//! `turnpost ugi`: the computer player for match runners and other programs, by the Universal Game Interface (UGI) of
//! K. Z. Pearce's cutegames (<https://github.com/kz04px/ugi>). It is the UCI of chess with `query` for the rules.
//!
//! The main thread reads commands and answers immediately, even while a search thread thinks about a move.

mod go;
mod session;

use std::io::BufRead;

use clap::Args;

use super::exit::{Exit, not_understood};
use super::games::game;
use session::{Next, Session};

/// The arguments of `turnpost ugi`.
#[derive(Args)]
pub(crate) struct Ugi {
    /// The game and the options of a challenge: marque -any_3
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true, value_name = "GAME [-OPTION]")]
    words: Vec<String>,
}

impl Ugi {
    /// Answers the commands on standard input until `quit` or its end.
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        let (game, options) = match game(&self.words) {
            Ok(named) => named,
            Err(error) => return Ok(not_understood(error)),
        };
        let mut session = Session::new(game, options)?;
        for line in std::io::stdin().lock().lines() {
            if session.handle(&line?)? == Next::Quit {
                break;
            }
        }
        session.stop();
        Ok(Exit::Done)
    }
}
