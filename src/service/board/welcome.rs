//! Decides who may start a board with a player: blocks, the setting `challenges`, and the limit for strangers.

use chrono::TimeDelta;

use crate::clock::Span;
use crate::command::Challengers;
use crate::message;
use crate::rules::Game;
use crate::store::{CountedBy, CountedKind, Player, PlayerId};

use crate::service::context::Context;
use crate::service::rejection::{Reason, RequestResult};

impl Context<'_, '_> {
    /// Refuses a challenge that the invited player does not accept. The answer is the same for all reasons except the
    /// hourly limit, so that a blocked player does not notice the block.
    pub(crate) fn check_welcome(
        &mut self,
        game: &dyn Game,
        challenger: &Player,
        invited: &Player,
    ) -> RequestResult<()> {
        self.check_unblocked(challenger, invited)?;
        let is_welcome = match invited.settings.challenges {
            Challengers::Everyone => true,
            Challengers::Within(points) => {
                let (own, theirs) = (self.points(game, challenger.id)?, self.points(game, invited.id)?);
                (own - theirs).abs() <= f64::from(points)
            }
            Challengers::None => false,
        };
        if !is_welcome {
            return self.refuse(&invited.userid, message!("service.player-not-open", userid = &invited.userid));
        }
        self.count_stranger(challenger, invited)
    }

    /// Refuses a board of these two players if the owner has blocked the other player.
    pub(crate) fn check_unblocked(&self, player: &Player, owner: &Player) -> RequestResult<()> {
        if self.tx.has_blocked(owner.id, player.id)? {
            return self.refuse(&owner.userid, message!("service.player-not-open", userid = &owner.userid));
        }
        Ok(())
    }

    /// Counts a board that a stranger wants to start, and refuses it if there were too many within an hour.
    fn count_stranger(&mut self, challenger: &Player, invited: &Player) -> RequestResult<()> {
        if self.tx.have_played(challenger.id, invited.id)? {
            return Ok(());
        }
        let most = invited.settings.strangers.0;
        let hour = Span::last(TimeDelta::hours(1), self.now());
        let by = CountedBy::Both { of: &invited.userid, source: &challenger.userid };
        if self.tx.counted(CountedKind::Challenge, by, &hour)? >= most {
            let message = message!("service.too-many-boards-of-stranger", userid = &invited.userid, most);
            return Err(self.rejection(&invited.userid, message).because(Reason::TooOften).into());
        }
        Ok(self.tx.count(CountedKind::Challenge, &invited.userid, &challenger.userid, self.request.now)?)
    }

    fn points(&self, game: &dyn Game, player: PlayerId) -> RequestResult<f64> {
        Ok(self.tx.standing(game.name(), player)?.map(|row| row.rating).unwrap_or_default().rating)
    }
}
