//! What players want of a game: opponents, a limit, and letters about boards that they do not play.

use crate::command::{FollowMode, FollowTarget, GamePreference, UnsolicitedLetters};
use crate::message;
use crate::store::{self, Player, Settings, Transaction};
use crate::token::Unsubscribe;

use crate::service::board::view::game_title;
use crate::service::context::{Context, Service};
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Service<'_> {
    /// Stops letters by the token that each of them carries: those about boards that their reader follows, or all that
    /// they have not asked for. Gives the reader and the answer to them; `None` when there is no such player (any more).
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe(
        &self,
        tx: &mut dyn Transaction,
        unsubscribe: Unsubscribe,
    ) -> store::Result<Option<(Player, Response)>> {
        let Unsubscribe { player, followed } = unsubscribe;
        let player = tx.player_by_id(store::PlayerId(player.into()))?.filter(|player| player.left_at.is_none());
        let Some(player) = player else { return Ok(None) };
        if followed {
            for store::Following { what, .. } in tx.following(player.id)? {
                tx.follow(player.id, &what, None)?;
            }
        } else {
            let settings = Settings { letters: UnsolicitedLetters::None, ..player.settings.clone() };
            tx.set_settings(player.id, &settings)?;
        }
        let userid = player.userid.clone();
        Ok(Some((player, Response::Unsubscribed { userid, followed })))
    }
}

impl Context<'_> {
    pub(in crate::service) fn prefer(
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
                preferences.seeks = count;
                self.tx.set_game_preferences(player.id, game, &preferences)?;
                Ok(Response::Sought { userid, game: title, count })
            }
            GamePreference::Limit(most) => {
                preferences.most = most;
                self.tx.set_game_preferences(player.id, game, &preferences)?;
                Ok(Response::Limited { userid, game: title, most })
            }
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
                let plays = board.players.iter().any(|seated| seated.id == player.id);
                if plays && ends_only.is_some() {
                    return self.refuse(&number.to_string(), message!("service.follows-own-board"));
                }
                if board.private && ends_only.is_some() {
                    return self.refuse(&number.to_string(), message!("service.board-is-private", number));
                }
                (store::Followed::Board(number), Some(number))
            }
        };
        self.tx.follow(player.id, &what, ends_only)?;
        let (userid, game) = (player.userid.clone(), game_title(game).to_owned());
        Ok(Response::Followed { userid, number, game, ends_only })
    }
}
