//! Finds the players and boards that a request names, if the requester may see them.

use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::store::{self, Board, OpenChallenge, Player, ShownTo, Transaction};
use crate::text;

use crate::service::context::ReadContext;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;

/// The maximum number of userids to search for a probable correction.
const MOST_USERIDS: u32 = 2_000;

/// Returns whose private boards the requester may see. An unverified `From` is sufficient: the answer is sent to that
/// address, so a forger cannot read it.
pub(crate) fn shown_to(tx: &Transaction<'_>, from: &Origin) -> store::Result<ShownTo> {
    let asker = match from {
        Origin::Shell { .. } => return Ok(ShownTo::Administrator),
        // The answer is sent to the player who received the token, regardless of the `From`.
        Origin::Mail { token: Some(granted), .. } => tx.player(granted.userid())?,
        Origin::Mail { sender, .. } => tx.player_by_address(sender)?,
        Origin::Visitor => None,
        Origin::Known { userid, .. } => tx.player(userid)?,
    };
    Ok(asker.map_or(ShownTo::Everybody, |asker| ShownTo::Player(asker.id)))
}

/// Returns whether the requester may see an open challenge: only its creator may see a private one.
pub(crate) fn may_see_offer(asker: ShownTo, offer: &OpenChallenge) -> bool {
    match asker {
        _ if !offer.terms.flags.private => true,
        ShownTo::Everybody => false,
        ShownTo::Player(player) => offer.challenger.id == player,
        ShownTo::Administrator => true,
    }
}

/// The maximum number of userids to look up as suggestions.
const MOST_PROPOSALS: usize = 5;

/// Returns the userid that the sender probably meant. On a large server, compares only userids with the same first
/// letter. Omits userids that the line already contains, and players who have left or are blocked.
fn nearest_userid(tx: &Transaction<'_>, typed: &str, line: &str) -> store::Result<Option<String>> {
    let mut userids = tx.userids("", MOST_USERIDS)?;
    if userids.len() == MOST_USERIDS as usize {
        userids = tx.userids(typed.get(..1).unwrap_or_default(), MOST_USERIDS)?;
    }
    userids.retain(|userid| !line.split_whitespace().any(|word| word.eq_ignore_ascii_case(userid)));
    for _ in 0..MOST_PROPOSALS {
        let Some(near) = text::nearest(typed, userids.iter().map(String::as_str)).map(str::to_owned) else { break };
        let player = tx.player(&near)?;
        if player.is_some_and(|player| player.left_at.is_none() && player.blocked_at.is_none()) {
            return Ok(Some(near));
        }
        userids.retain(|userid| *userid != near);
    }
    Ok(None)
}

/// Returns the line with the name of the right game, or only that name if the line contains a password.
fn with_game(line: &str, typed: &str, game: &str) -> String {
    match line.split_once(' ') {
        Some((first, rest)) if first == typed && !line.contains("***") => format!("{game} {rest}"),
        _ => game.to_owned(),
    }
}

impl ReadContext<'_> {
    /// Returns the player with this userid.
    pub(crate) fn player(&self, userid: &str) -> RequestResult<Player> {
        if let Some(player) = self.tx.player(userid)? {
            return Ok(player);
        }
        let nearest = nearest_userid(self.tx, userid, &self.request.line.shown)?;
        let rejection = self.request.rejection(userid, message!("service.no-such-player", userid));
        Err(rejection.near(nearest).because(Reason::NotThere).into())
    }

    /// Returns the player with this userid, unless they have left or are blocked.
    pub(crate) fn active_player(&self, userid: &str) -> RequestResult<Player> {
        let player = self.player(userid)?;
        if player.blocked_at.is_some() {
            return self.request.refuse(userid, message!("service.player-blocked", userid = player.userid));
        }
        match player.left_at {
            None => Ok(player),
            Some(_) => self.request.refuse(userid, message!("service.player-has-left", userid = player.userid)),
        }
    }

    /// Returns whether the requester may see a board.
    pub(crate) fn may_see(&self, board: &Board) -> store::Result<bool> {
        if !board.terms.flags.private {
            return Ok(true);
        }
        Ok(match shown_to(self.tx, &self.request.from)? {
            ShownTo::Everybody => false,
            ShownTo::Player(asker) => board.players.iter().any(|seated| seated.id == asker),
            ShownTo::Administrator => true,
        })
    }

    /// Returns the board with this number, which must be visible to the requester and, if a game is named, of that
    /// game.
    pub(crate) fn board(&self, game: Option<&str>, number: BoardNumber) -> RequestResult<Board> {
        let word = number.to_string();
        let refuse = |message, reason| Err(self.request.rejection(&word, message).because(reason).into());
        let asker = shown_to(self.tx, &self.request.from)?;
        let offer = self.tx.open_challenge(number)?.filter(|offer| offer.closed_at.is_none());
        if let Some(offer) = offer.filter(|offer| may_see_offer(asker, offer)) {
            let message = message!("service.open-challenge", number, challenger = offer.challenger.userid);
            return refuse(message, Reason::NotThere);
        }
        let Some(board) = self.tx.board(number)? else {
            return refuse(message!("service.no-such-board", number), Reason::NotThere);
        };
        if let Some(game) = game.filter(|game| *game != board.game) {
            let rejection = self.request.rejection(game, message!("service.board-of-another-game", number, game));
            let near = with_game(&self.request.line.shown, game, &board.game);
            return Err(rejection.near(Some(near)).into());
        }
        if !self.may_see(&board)? {
            return refuse(message!("service.board-is-private", number), Reason::NotYours);
        }
        Ok(board)
    }

    /// Refuses a ply that a board has not reached.
    pub(crate) fn refuse_ply<T>(&self, board: &Board, ply: Ply) -> RequestResult<T> {
        let (number, plies) = (board.number, board.plies);
        let rejection =
            self.request.rejection(&format!("{number}#{ply}"), message!("service.no-such-ply", number, plies));
        Err(rejection.because(Reason::NotThere).into())
    }
}
