//! What players want of a game: opponents, a limit, and to be told of boards that they do not play.

use crate::command::{FollowMode, FollowTarget, GamePreference, UnsolicitedLetters};
use crate::rules::catalogue;
use crate::store::{self, Player, Settings, Transaction};
use crate::token::Unsubscribe;

use crate::service::board::look;
use crate::service::{Request, RequestResult, Response, Service, refuse};

impl Service<'_> {
    /// Stops letters, as their reader has asked by what a letter itself carries: those about boards that he follows, or
    /// all that he has not asked for. Gives who he is, and the answer to him; nothing when he is no player (any more).
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

    pub(in crate::service) fn prefer(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        game: &'static str,
        player: &Player,
        preference: &GamePreference,
    ) -> RequestResult<Response> {
        let title = catalogue::find(game).map_or(game, |game| game.title()).to_owned();
        let userid = player.userid.clone();
        let mut wishes = tx.game_preferences(player.id, game)?;
        match *preference {
            GamePreference::Seek(count) => {
                wishes.seeks = count;
                tx.set_game_preferences(player.id, game, &wishes)?;
                Ok(Response::Sought { userid, game: title, count })
            }
            GamePreference::Limit(most) => {
                wishes.most = most;
                tx.set_game_preferences(player.id, game, &wishes)?;
                Ok(Response::Limited { userid, game: title, most })
            }
            GamePreference::Follow { what, how } => {
                let ends_only = match how {
                    FollowMode::Moves => Some(false),
                    FollowMode::Ends => Some(true),
                    FollowMode::Off => None,
                };
                let (what, number) = match what {
                    FollowTarget::All => (store::Followed::Game(game.to_owned()), None),
                    FollowTarget::Board(number) => {
                        let board = look::board(tx, request, Some(game), number)?;
                        let plays = board.players.iter().any(|seated| seated.id == player.id);
                        if plays && ends_only.is_some() {
                            return refuse(request, &number.to_string(), "You play on this board and are told anyway.");
                        }
                        if board.private && ends_only.is_some() {
                            return refuse(request, &number.to_string(), format!("Board {number} is private."));
                        }
                        (store::Followed::Board(number), Some(number))
                    }
                };
                tx.follow(player.id, &what, ends_only)?;
                Ok(Response::Followed { userid, number, game: title, ends_only })
            }
        }
    }
}
