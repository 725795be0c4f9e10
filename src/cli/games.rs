//! `turnpost replay` and `turnpost perft`, which need only the rules.

use std::io::{BufRead, BufWriter, Write};
use std::sync::LazyLock;

use clap::Args;

use crate::command::{Command, GameCommand, PreviewFrom, parse_words};
use crate::compose::Composer;
use crate::rules::{Game, Options, catalogue, replay};
use crate::text::Message;

use super::exit::{Exit, not_understood, print};

/// The arguments of `turnpost replay`.
#[derive(Args)]
pub(crate) struct Replay {
    /// The game and the options of a challenge: marque -any_3
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true, value_name = "GAME [-OPTION]")]
    words: Vec<String>,
}

/// The arguments of `turnpost perft`.
#[derive(Args)]
pub(crate) struct Perft {
    /// The game, the number of plies and the options of a challenge: marque 2 -any_3
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true, value_name = "GAME PLIES [-OPTION]")]
    words: Vec<String>,
}

/// Reads the game and its options with the parser of the command language.
pub(crate) fn game(words: &[String]) -> anyhow::Result<(&'static dyn Game, Options)> {
    let [name, options @ ..] = words else { anyhow::bail!("name a game") };
    let mut line = vec![name.clone(), "preview".to_owned(), "new".to_owned()];
    line.extend_from_slice(options);
    let parsed = match parse_words(&line) {
        Ok(parsed) => parsed,
        Err(error) => anyhow::bail!(worded(&error.message)?),
    };
    match parsed.command {
        Command::Game {
            game: Some(game),
            command: GameCommand::Preview { from: PreviewFrom::New(options), moves, .. },
        } if moves.is_empty() => {
            let game = catalogue::find(game).expect("the parser knows only games of the catalogue");
            if let Err(refusal) = game.start(&options) {
                anyhow::bail!("{}", worded(&refusal.whole_message())?);
            }
            Ok((game, options))
        }
        _ => anyhow::bail!("expected a game and its options only: {}", words.join(" ")),
    }
}

/// Renders a message with the embedded templates, which need no data directory.
pub(crate) fn worded(message: &Message) -> anyhow::Result<String> {
    static COMPOSER: LazyLock<Composer> =
        LazyLock::new(|| Composer::new(None, None).expect("the embedded templates are valid"));
    COMPOSER.message(message)
}

impl Replay {
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        let (game, options) = match game(&self.words) {
            Ok(named) => named,
            Err(error) => return Err(not_understood(error)),
        };
        let mut out = BufWriter::new(std::io::stdout().lock());
        for line in std::io::stdin().lock().lines() {
            let mut replayed = replay::replay(game, &options, &line?)?;
            if let Some(error) = &mut replayed.error {
                error.message = Message::verbatim(worded(&error.message)?);
            }
            serde_json::to_writer(&mut out, &replayed)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        Ok(Exit::Done)
    }
}

impl Perft {
    pub(crate) fn run(mut self) -> anyhow::Result<Exit> {
        let depth = self.words.iter().position(|word| word.parse::<u32>().is_ok());
        let Some(depth) = depth.map(|at| self.words.remove(at)) else {
            return Err(not_understood("name the number of plies: turnpost perft marque 2"));
        };
        let (game, options) = match game(&self.words) {
            Ok(named) => named,
            Err(error) => return Err(not_understood(error)),
        };
        print(&format!("{}\n", replay::perft(game, &options, depth.parse()?)?))?;
        Ok(Exit::Done)
    }
}
