//! All games, one line for each.

use super::game_state::GameState;
use super::notation::Notation;
use super::options::{OptionSpec, Options};
use super::play::Play;
use super::position::Described;
use super::refusal::Refusal;
use crate::message;
use crate::text::Message;

/// A computation on a board that needs the game's own types.
pub trait Visitor {
    /// The result of the computation.
    type Output;

    /// Runs the computation on the state of a board.
    fn visit<P: Described>(self, state: &GameState<P>) -> Self::Output;
}

/// Lists the games by module and type, in the order of the help.
macro_rules! games {
    ($($module:ident::$game:ident,)*) => {
        /// Every game, in the order of the help.
        pub const GAMES: &[&dyn Game] = &[$(&super::$module::$game),*];

        /// Calls a visitor with the state of a board. Returns `None` if its game is not in the catalogue.
        pub fn visit<V: Visitor>(board: &dyn Play, visitor: V) -> Option<V::Output> {
            let board = board.as_any();
            $(if let Some(state) = board.downcast_ref::<GameState<super::$module::Position>>() {
                return Some(visitor.visit(state));
            })*
            None
        }
    };
}

games! {
    marque::Marque,
    brique::Brique,
    tessella::Tessella,
    lazo::Lazo,
    hex::Hex,
    y::Y,
    havannah::Havannah,
    gonnect::Gonnect,
    yavalath::Yavalath,
    breakthrough::Breakthrough,
    loa::LinesOfAction,
    amazons::Amazons,
    twixt::TwixT,
    catchup::Catchup,
    pente::Pente,
}

/// The minimum length of an abbreviated title.
const LEAST: usize = 4;

/// Returns the game with this name, ignoring case.
pub fn find(name: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.name().eq_ignore_ascii_case(name))
}

/// Returns the name of the game with this title, which may be abbreviated or extended: `loa` for `lines-of-action`,
/// `twixt` for `TwixTPP`.
pub fn titled(word: &str) -> Option<&'static str> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    let typed = letters(word);
    let begins = |text: &str, with: &str| with.len() >= LEAST && text.starts_with(with);
    let is_meant = |title: String| begins(&title, &typed) || begins(&typed, &title);
    GAMES.iter().find(|game| is_meant(letters(game.title()))).map(|game| game.name())
}

/// Returns whether a text is a move written as a word in at least one game, such as `swap`.
pub fn is_move_word(text: &str) -> bool {
    GAMES.iter().any(|game| game.notation().is_word(text))
}

/// The kind of a game, by its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Games about chains that connect sides or places, or enclose something.
    Connection,
    /// Games about rows or groups of pieces.
    Groups,
    /// Games about reaching squares, capturing pieces or having room to move.
    Movement,
}

impl Kind {
    /// All kinds, in the order of lists.
    pub const ALL: [Kind; 3] = [Kind::Connection, Kind::Groups, Kind::Movement];

    /// Returns the heading of a list of these games.
    pub fn title(self) -> Message {
        match self {
            Kind::Connection => message!("rules.connection"),
            Kind::Groups => message!("rules.groups"),
            Kind::Movement => message!("rules.movement"),
        }
    }
}

/// The facts about a game. Every type that implements this trait is also a [`Game`].
pub trait GameInfo: Sync + 'static {
    /// The positions of the game.
    type Position: Described;
    /// The name in the command language, in lower case: `marque`.
    const NAME: &'static str;
    /// The name in sentences: `Marque`.
    const TITLE: &'static str;
    /// The designer and the year: `Cameron Browne, 2008`.
    const DESIGNER: &'static str;
    /// The kind of the game. Lists group the games by kind.
    const KIND: Kind;
    /// The options that a challenge can have.
    const OPTIONS: &'static [OptionSpec] = &[];
    /// The options equivalent to the defaults: `-size=15`. Empty if the game has no options.
    const BUILT_IN: &'static str = "";
    /// Whether a board can end in a draw. If not, players cannot propose a draw either.
    const HAS_DRAWS: bool;
    /// A description of the game in one or two sentences.
    const ABOUT: Message;
    /// An illustrative game: its options and its moves, in the command language.
    const SAMPLE: (&'static str, &'static str);
}

/// A game of the catalogue: [`GameInfo`] for callers that do not know the game's type.
pub trait Game: Sync {
    /// See [`GameInfo::NAME`].
    fn name(&self) -> &'static str;
    /// See [`GameInfo::TITLE`].
    fn title(&self) -> &'static str;
    /// See [`GameInfo::DESIGNER`].
    fn designer(&self) -> &'static str;
    /// See [`GameInfo::KIND`].
    fn kind(&self) -> Kind;
    /// See [`Described::NOTATION`].
    fn notation(&self) -> Notation;
    /// See [`GameInfo::OPTIONS`].
    fn options(&self) -> &'static [OptionSpec];
    /// See [`GameInfo::BUILT_IN`].
    fn built_in(&self) -> &'static str;
    /// See [`GameInfo::HAS_DRAWS`].
    fn has_draws(&self) -> bool;
    /// See [`GameInfo::ABOUT`].
    fn about(&self) -> Message;
    /// See [`GameInfo::SAMPLE`].
    fn sample(&self) -> (&'static str, &'static str);
    /// Starts a board with these options. `command` has already checked them against [`Game::options`].
    ///
    /// # Errors
    /// The errors of [`Described::start`].
    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal>;
}

impl<G: GameInfo> Game for G {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn designer(&self) -> &'static str {
        G::DESIGNER
    }

    fn kind(&self) -> Kind {
        G::KIND
    }

    fn notation(&self) -> Notation {
        G::Position::NOTATION
    }

    fn options(&self) -> &'static [OptionSpec] {
        G::OPTIONS
    }

    fn built_in(&self) -> &'static str {
        G::BUILT_IN
    }

    fn has_draws(&self) -> bool {
        G::HAS_DRAWS
    }

    fn about(&self) -> Message {
        G::ABOUT
    }

    fn sample(&self) -> (&'static str, &'static str) {
        G::SAMPLE
    }

    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(G::Position::start(options)?)))
    }
}
