//! Players and boards by what a request names, as far as the asker may see them.

use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::store::{self, Board, OpenChallenge, Player, ShownTo, Transaction};
use crate::text;

use crate::service::context::ReadContext;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;

/// The most userids among which the one that somebody may have meant is looked for.
const MOST_USERIDS: u32 = 2_000;

/// Whose private boards the asker may see. A mail's `From` is enough: the answer goes to that address, and whoever
/// forged it does not read it.
pub(in crate::service) fn shown_to(tx: &Transaction<'_>, from: &Origin) -> store::Result<ShownTo> {
    let asker = match from {
        Origin::Shell { .. } => return Ok(ShownTo::Administrator),
        // The answer goes to the player who was given the token, whatever the `From` says.
        Origin::Mail { token: Some(granted), .. } => tx.player(granted.userid())?,
        Origin::Mail { sender, .. } => tx.player_by_address(sender)?,
        Origin::Visitor => None,
        Origin::Known { userid, .. } => tx.player(userid)?,
    };
    Ok(asker.map_or(ShownTo::Everybody, |asker| ShownTo::Player(asker.id)))
}

/// Whether the asker may see an open challenge: a private one is seen by the player who made it.
pub(in crate::service) fn may_see_offer(asker: ShownTo, offer: &OpenChallenge) -> bool {
    match asker {
        _ if !offer.private => true,
        ShownTo::Everybody => false,
        ShownTo::Player(player) => offer.challenger.id == player,
        ShownTo::Administrator => true,
    }
}

/// The most userids that are looked up as proposals.
const MOST_PROPOSALS: usize = 5;

/// Finds the userid that was probably meant. On a large server, only userids with the same first letter are compared.
/// Omits userids that the line already names, and players who have left or are blocked.
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

/// The line with the name of another game, or that name alone where the line holds a password.
fn with_game(line: &str, typed: &str, game: &str) -> String {
    match line.split_once(' ') {
        Some((first, rest)) if first == typed && !line.contains("***") => format!("{game} {rest}"),
        _ => game.to_owned(),
    }
}

impl ReadContext<'_> {
    /// The player of this userid.
    pub(in crate::service) fn player(&self, userid: &str) -> RequestResult<Player> {
        if let Some(player) = self.tx.player(userid)? {
            return Ok(player);
        }
        let nearest = nearest_userid(self.tx, userid, &self.request.line.shown)?;
        let rejection = self.request.rejection(userid, message!("service.no-such-player", userid));
        Err(rejection.near(nearest).because(Reason::NotThere).into())
    }

    /// The player of this userid, who has not left and is not blocked.
    pub(in crate::service) fn active_player(&self, userid: &str) -> RequestResult<Player> {
        let player = self.player(userid)?;
        if player.blocked_at.is_some() {
            return self.request.refuse(userid, message!("service.player-blocked", userid = player.userid));
        }
        match player.left_at {
            None => Ok(player),
            Some(_) => self.request.refuse(userid, message!("service.player-has-left", userid = player.userid)),
        }
    }

    /// Whether the asker may see a board.
    pub(in crate::service) fn may_see(&self, board: &Board) -> store::Result<bool> {
        if !board.private {
            return Ok(true);
        }
        Ok(match shown_to(self.tx, &self.request.from)? {
            ShownTo::Everybody => false,
            ShownTo::Player(asker) => board.players.iter().any(|seated| seated.id == asker),
            ShownTo::Administrator => true,
        })
    }

    /// The board of this number, of this game if one is named, which the asker may see.
    pub(in crate::service) fn board(&self, game: Option<&str>, number: BoardNumber) -> RequestResult<Board> {
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
    pub(in crate::service) fn refuse_ply<T>(&self, board: &Board, ply: Ply) -> RequestResult<T> {
        let (number, plies) = (board.number, board.plies);
        let rejection =
            self.request.rejection(&format!("{number}#{ply}"), message!("service.no-such-ply", number, plies));
        Err(rejection.because(Reason::NotThere).into())
    }
}
