//! A player's preferences for a game: the number of wanted opponents, the maximum number of boards, and the letters
//! about boards and puzzles.

use crate::command::{FollowMode, FollowTarget, GamePreference};
use crate::message;
use crate::numbers::BoardNumber;
use crate::store::{self, Player};
use crate::token::UnwantedLetters;

use crate::service::board::view::game_title;
use crate::service::context::Context;
use crate::service::notice::unsubscribe::follows_game;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    pub(crate) fn prefer(
        &mut self,
        game: &'static str,
        player: &Player,
        preference: &GamePreference,
    ) -> RequestResult<Response> {
        let title = game_title(game).to_owned();
        let userid = player.userid.clone();
        let mut preferences = self.tx.game_preferences(player.id, game)?;
        match *preference {
            GamePreference::Seek(count) => {
                self.check_no_guest(player)?;
                preferences.seeks = count;
                self.tx.set_game_preferences(player.id, game, &preferences)?;
                Ok(Response::Sought { userid, game: title, count })
            }
            GamePreference::Limit(most) => {
                preferences.most = most;
                self.tx.set_game_preferences(player.id, game, &preferences)?;
                Ok(Response::Limited { userid, game: title, most })
            }
            GamePreference::Puzzles(gets) => self.get_puzzles(game, player, gets),
            GamePreference::Follow { what, how } => self.follow(game, player, what, how),
        }
    }

    fn follow(
        &mut self,
        game: &'static str,
        player: &Player,
        what: FollowTarget,
        how: FollowMode,
    ) -> RequestResult<Response> {
        let ends_only = match how {
            FollowMode::Moves => Some(false),
            FollowMode::Ends => Some(true),
            FollowMode::Off => None,
        };
        let (what, number) = match what {
            FollowTarget::All => (store::Followed::Game(game.to_owned()), None),
            FollowTarget::Board(number) => {
                let board = self.reading().board(Some(game), number)?;
                let plays = board.plays(player.id);
                if plays {
                    return self.follow_own_board(game, player, number, how);
                }
                if board.terms.flags.private && ends_only.is_some() {
                    return self.refuse(&number.to_string(), message!("service.board-is-private", number));
                }
                // A player who follows all boards of the game stops only the letters about this one.
                let muted = how == FollowMode::Off && follows_game(&*self.tx, player.id, game)?;
                self.tx.set_muted(player.id, number, muted)?;
                (store::Followed::Board(number), Some(number))
            }
        };
        self.tx.follow(player.id, &what, ends_only)?;
        let (userid, game) = (player.userid.clone(), game_title(game).to_owned());
        Ok(Response::Followed { userid, number, game, ends_only })
    }

    /// Stops or resumes the letters about a board that the player plays on. Reminders, and the letter about the end,
    /// are sent anyway.
    fn follow_own_board(
        &mut self,
        game: &str,
        player: &Player,
        number: BoardNumber,
        how: FollowMode,
    ) -> RequestResult<Response> {
        match how {
            FollowMode::Off => Ok(self.service.stop_letters(self.tx, player, UnwantedLetters::Board(number))?),
            FollowMode::Moves if self.tx.is_muted(player.id, number)? => {
                self.tx.set_muted(player.id, number, false)?;
                Ok(Response::Resubscribed { userid: player.userid.clone(), number, game: game_title(game).to_owned() })
            }
            FollowMode::Moves | FollowMode::Ends => {
                let muted = self.tx.is_muted(player.id, number)?;
                self.refuse(&number.to_string(), message!("service.follows-own-board", muted))
            }
        }
    }
}
