//! The specification of a verb, which is the only place that defines the verb's properties.

use super::args::begins_with_board;
use super::args::{Args, PasswordRole};
use super::error::WordError;
use super::game_types::{BoardAction, GameCommand};
use super::options::ServerOption;
use super::types::{AccountAction, Command};
use crate::rules::Game;

/// The specification of one verb.
pub struct VerbSpec {
    /// The words that name the command: `move`, `change password`. A verb of a game follows the game's name.
    pub name: &'static str,
    /// Synonyms: `board` for `move`. Only verbs of games have them.
    pub synonyms: &'static [&'static str],
    /// The usage. `GAME` represents a game's name: `GAME move board userid password move`. Alternative forms are
    /// separated by ` | `, and the help shows each on a separate line.
    pub usage: &'static str,
    /// Example commands, which tests parse and write again. Every password in them is `s3cret`.
    pub examples: &'static [&'static str],
    /// The server options that the verb takes.
    pub options: &'static [ServerOption],
    /// How a player can write this verb in the first line of a reply.
    pub reply: ReplyForm,
    /// Whether the verb's commands can change data.
    pub(crate) changes: bool,
    /// The positions of passwords among the arguments, counted from 0 without options.
    pub(crate) passwords: &'static [usize],
    /// The maximum length of a line, in characters.
    pub(crate) longest: usize,
    /// How the words after the name are parsed and written.
    pub(crate) grammar: Grammar,
    /// Whether the first argument may be a board's number, which identifies the game: `resign 12` needs no game's
    /// name.
    pub(crate) names_board: bool,
    /// Decides from the arguments, without options, whether a line that starts with the verb's name is a command rather
    /// than a sentence of a letter. For a server command, this is used only if the line is invalid. For a verb of a
    /// game, it is used only if the line does not name the game.
    pub(crate) is_meant: fn(&[&str]) -> bool,
}

/// How a player can write a verb in the first line of a reply. The answered letter identifies the game, the board and
/// the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// The verb is accepted only in a complete command.
    No,
    /// The verb without arguments: `resign`. It may also replace a move: `marque move 1 alice - resign`.
    Alone,
    /// A move, with or without the verb: `f3`, `move f3`. Only one verb has this form.
    Move,
    /// The verb and a move: `submit f3`.
    MoveAfterVerb,
    /// The verb and a move for later, or `off`: `queue f3`.
    QueuedMove,
    /// The verb and conditional replies, or `off`: `if k4 then h2`.
    Plan,
    /// The verb and a text: `chat: good luck`.
    Text,
}

impl ReplyForm {
    /// Returns whether a move may follow the verb.
    pub(crate) fn holds_move(self) -> bool {
        matches!(self, ReplyForm::Move | ReplyForm::MoveAfterVerb | ReplyForm::QueuedMove)
    }
}

/// The words after a verb's name.
#[derive(Clone, Copy)]
pub(crate) enum Grammar {
    /// A server command with its own arguments.
    Server(Form<Command>),
    /// A server command that starts with userid and password.
    Account(Form<AccountAction>),
    /// A game command with its own arguments.
    Game(Form<GameCommand>),
    /// A game command that starts with board, userid and password.
    Board(Form<BoardAction>),
    /// A game command that consists of board, userid and password.
    BoardWord(fn() -> BoardAction),
    /// A game command with board, userid, password and optional further arguments.
    BoardWordOr(fn() -> BoardAction, Form<BoardAction>),
}

/// How a verb's arguments are parsed and written.
pub(crate) struct Form<T> {
    pub read: fn(&mut Args<'_>) -> Result<T, WordError>,
    /// Writes the arguments if the command belongs to this verb.
    pub write: fn(&T) -> Option<Vec<String>>,
}

/// Creates a `Form` from a function that reads the arguments, and from patterns for the verb's commands. Each pattern
/// has the words that represent the command.
macro_rules! read_and_write {
    ($read:expr, $($command:pat $(if $guard:expr)? => $words:expr),+ $(,)?) => {
        $crate::command::spec::Form {
            read: $read,
            write: |command| match command {
                $($command $(if $guard)? => Some($words),)+
                _ => None,
            },
        }
    };
}
pub(crate) use read_and_write as form;

impl<T> Clone for Form<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Form<T> {}

impl VerbSpec {
    /// The default maximum length of a line, in characters.
    pub(crate) const LONGEST: usize = 1_000;

    const fn new(name: &'static str, usage: &'static str, grammar: Grammar) -> VerbSpec {
        VerbSpec {
            name,
            synonyms: &[],
            usage,
            examples: &[],
            options: &[],
            reply: ReplyForm::No,
            changes: true,
            passwords: &[],
            longest: VerbSpec::LONGEST,
            grammar,
            names_board: false,
            is_meant: |_| true,
        }
    }

    pub(crate) const fn server(name: &'static str, usage: &'static str, form: Form<Command>) -> VerbSpec {
        VerbSpec::new(name, usage, Grammar::Server(form))
    }

    pub(crate) const fn account(name: &'static str, usage: &'static str, form: Form<AccountAction>) -> VerbSpec {
        VerbSpec { passwords: &[1], ..VerbSpec::new(name, usage, Grammar::Account(form)) }
    }

    pub(crate) const fn game(name: &'static str, usage: &'static str, form: Form<GameCommand>) -> VerbSpec {
        VerbSpec { is_meant: begins_with_board, ..VerbSpec::new(name, usage, Grammar::Game(form)) }
    }

    pub(crate) const fn board(name: &'static str, usage: &'static str, form: Form<BoardAction>) -> VerbSpec {
        VerbSpec::at_board(name, usage, Grammar::Board(form))
    }

    pub(crate) const fn board_word(name: &'static str, usage: &'static str, action: fn() -> BoardAction) -> VerbSpec {
        VerbSpec::at_board(name, usage, Grammar::BoardWord(action))
    }

    pub(crate) const fn board_word_or(
        name: &'static str,
        usage: &'static str,
        action: fn() -> BoardAction,
        form: Form<BoardAction>,
    ) -> VerbSpec {
        VerbSpec::at_board(name, usage, Grammar::BoardWordOr(action, form))
    }

    const fn at_board(name: &'static str, usage: &'static str, grammar: Grammar) -> VerbSpec {
        VerbSpec {
            passwords: &[2],
            options: &[ServerOption::Say],
            names_board: true,
            is_meant: begins_with_board,
            ..VerbSpec::new(name, usage, grammar)
        }
    }

    /// Returns whether the verb follows the name of a game.
    pub fn is_of_game(&self) -> bool {
        match self.grammar {
            Grammar::Server(_) | Grammar::Account(_) => false,
            Grammar::Game(_) | Grammar::Board(_) | Grammar::BoardWord(_) | Grammar::BoardWordOr(..) => true,
        }
    }

    /// Returns whether the verb is an action of a player at a board.
    pub(crate) fn is_at_board(&self) -> bool {
        matches!(self.grammar, Grammar::Board(_) | Grammar::BoardWord(_) | Grammar::BoardWordOr(..))
    }

    /// Returns the action of a verb that needs only a board, a userid and a password.
    pub fn board_action(&self) -> Option<BoardAction> {
        match self.grammar {
            Grammar::BoardWord(action) | Grammar::BoardWordOr(action, _) => Some(action()),
            Grammar::Server(_) | Grammar::Account(_) | Grammar::Game(_) | Grammar::Board(_) => None,
        }
    }

    /// Returns the verb's name and its synonyms.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        std::iter::once(self.name).chain(self.synonyms.iter().copied())
    }

    /// Returns the verb's usage, with the game's name if there is one.
    pub(crate) fn usage_in(&self, game: Option<&dyn Game>) -> String {
        match game {
            Some(game) => self.usage.replace("GAME", game.name()),
            None => self.usage.replace("GAME ", ""),
        }
    }

    /// Reads the arguments. `game` is the game named before the verb.
    pub(crate) fn read(&self, game: Option<&'static dyn Game>, args: &mut Args<'_>) -> Result<Command, WordError> {
        let command = match self.grammar {
            Grammar::Server(form) => return (form.read)(args),
            Grammar::Account(form) => {
                args.needs_player()?;
                let (userid, password) = (args.userid()?, args.password(PasswordRole::Only)?);
                return Ok(Command::Account { userid, password, action: (form.read)(args)? });
            }
            Grammar::Game(form) => (form.read)(args)?,
            Grammar::Board(form) | Grammar::BoardWordOr(_, form) => at_board(args, form.read)?,
            Grammar::BoardWord(word) => at_board(args, |args| args.finish().map(|()| word()))?,
        };
        Ok(Command::Game { game: game.map(Game::name), command })
    }

    /// Writes a command as words if it belongs to this verb.
    pub(crate) fn write(&self, command: &Command) -> Option<Vec<String>> {
        let mut words: Vec<String> = Vec::new();
        let rest = match (self.grammar, command) {
            (Grammar::Server(form), command) => (form.write)(command)?,
            (Grammar::Account(form), Command::Account { userid, password, action }) => {
                let mut rest = vec![userid.clone(), format!("{password:?}")];
                rest.extend((form.write)(action)?);
                rest
            }
            (Grammar::Game(form), Command::Game { game, command }) => {
                words.extend(game.map(str::to_owned));
                (form.write)(command)?
            }
            (grammar, Command::Game { game, command: GameCommand::AtBoard { board, userid, password, action } }) => {
                words.extend(game.map(str::to_owned));
                let mut rest = vec![board.to_string(), userid.clone(), format!("{password:?}")];
                rest.extend(write_action(grammar, action)?);
                rest
            }
            _ => return None,
        };
        words.extend(self.name.split(' ').map(str::to_owned));
        words.extend(rest);
        Some(words)
    }
}

fn at_board(
    args: &mut Args<'_>,
    read: impl FnOnce(&mut Args<'_>) -> Result<BoardAction, WordError>,
) -> Result<GameCommand, WordError> {
    let (board, userid, password) = (args.board()?, args.userid()?, args.password(PasswordRole::Only)?);
    Ok(GameCommand::AtBoard { board, userid, password, action: read(args)? })
}

/// Writes the words after the password if the action belongs to this verb.
fn write_action(grammar: Grammar, action: &BoardAction) -> Option<Vec<String>> {
    match grammar {
        Grammar::Board(form) | Grammar::BoardWordOr(_, form) => (form.write)(action),
        Grammar::BoardWord(word) => (*action == word()).then(Vec::new),
        Grammar::Server(_) | Grammar::Account(_) | Grammar::Game(_) => None,
    }
}
