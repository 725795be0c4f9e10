//! Finds the players and boards that a request names, if the requester may see them.

use super::open::OpenBoard;
use super::robots::robot_level;
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::{Refusal, Seat};
use crate::service::context::{Context, ReadContext};
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::{Reason, RequestError, RequestResult};
use crate::service::request::Origin;
use crate::store::{self, Board, Comment, NoResult, OpenChallenge, Player, PlayerId, PlayerRef, ShownTo, Transaction};
use crate::text::{self, Message};

/// The maximum number of userids to compare with a misspelt one.
const MOST_USERIDS: u32 = 2_000;

/// Returns whose private boards the requester may see. An unverified `From` header is sufficient: the answer is sent to
/// that address, so a forger cannot read it.
pub(crate) fn shown_to(tx: &Transaction<'_>, from: &Origin) -> store::Result<ShownTo> {
    let asker = match from {
        Origin::Shell { .. } => return Ok(ShownTo::Administrator),
        // The answer is sent to the player who received the token, regardless of the `From` header.
        Origin::Mail { token: Some(granted), .. } => tx.player(granted.userid())?,
        Origin::Mail { sender, .. } => tx.player_by_address(sender)?,
        Origin::Visitor => None,
        Origin::Known { userid, .. } => tx.player(userid)?,
    };
    Ok(asker.map_or(ShownTo::Everybody, |asker| ShownTo::Player(asker.id)))
}

/// Returns whether the requester may see an open challenge: only its creator may see a private one, and a challenge is
/// hidden if its creator or the requester has blocked the other.
pub(crate) fn may_see_challenge(
    tx: &Transaction<'_>,
    asker: ShownTo,
    challenge: &OpenChallenge,
) -> store::Result<bool> {
    Ok(match asker {
        ShownTo::Everybody => !challenge.terms.flags.private,
        ShownTo::Player(player) if challenge.challenger.id == player => true,
        ShownTo::Player(player) => !challenge.terms.flags.private && !are_apart(tx, player, challenge)?,
        ShownTo::Administrator => true,
    })
}

/// Returns whether a player or the creator of an open challenge has blocked the other, so that they cannot play each
/// other.
pub(crate) fn are_apart(tx: &Transaction<'_>, player: PlayerId, challenge: &OpenChallenge) -> store::Result<bool> {
    let creator = challenge.challenger.id;
    Ok(tx.has_blocked(player, creator)? || tx.has_blocked(creator, player)?)
}

/// The maximum number of similar userids to check. If none of them is suitable, no userid is suggested.
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

/// Returns the line with the name of the correct game, or only that name if the line does not start with the typed name
/// or contains a masked password.
fn with_game(line: &str, typed: &str, game: &str) -> String {
    match line.split_once(' ') {
        Some((first, rest)) if first == typed && !line.contains("***") => format!("{game} {rest}"),
        _ => game.to_owned(),
    }
}

impl ReadContext<'_> {
    pub(crate) fn player(&self, userid: &str) -> RequestResult<Player> {
        if let Some(player) = self.tx.player(userid)? {
            return Ok(player);
        }
        // The account of a computer player is created with its first game.
        if robot_level(userid).is_some() {
            let rejection = self.request.rejection(userid, message!("service.robot-without-game", userid));
            return Err(rejection.because(Reason::NotThere).into());
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

    pub(crate) fn may_see(&self, board: &Board) -> store::Result<bool> {
        if !board.terms.flags.private {
            return Ok(true);
        }
        Ok(match shown_to(self.tx, &self.request.from)? {
            ShownTo::Everybody => false,
            ShownTo::Player(asker) => board.plays(asker),
            ShownTo::Administrator => true,
        })
    }

    /// Returns the board with this number, which must be visible to the requester and, if a game is named, of that
    /// game.
    pub(crate) fn board(&self, game: Option<&str>, number: BoardNumber) -> RequestResult<Board> {
        let word = number.to_string();
        let refuse = |message, reason| Err(self.request.rejection(&word, message).because(reason).into());
        let asker = shown_to(self.tx, &self.request.from)?;
        let challenge = self.tx.open_challenge(number)?.filter(|challenge| challenge.closed_at.is_none());
        if let Some(challenge) = challenge
            && may_see_challenge(self.tx, asker, &challenge)?
        {
            let message = message!("service.open-challenge", number, challenger = challenge.challenger.userid);
            return refuse(message, Reason::NotThere);
        }
        let Some(board) = self.tx.board(number)? else {
            return refuse(message!("service.no-such-board", number), Reason::NotThere);
        };
        if !self.may_see(&board)? {
            return refuse(message!("service.board-is-private", number), Reason::NotYours);
        }
        if let Some(game) = game.filter(|game| *game != board.game) {
            let rejection = self.request.rejection(game, message!("service.board-of-another-game", number, game));
            let near = with_game(&self.request.line.shown, game, &board.game);
            return Err(rejection.near(Some(near)).into());
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

/// An authenticated player at one of their boards.
pub(crate) struct PlayerAtBoard {
    pub(crate) open: OpenBoard,
    pub(crate) player: Player,
    /// The player's seats: both if they play against themselves.
    pub(crate) seats: Vec<Seat>,
}

impl PlayerAtBoard {
    pub(crate) fn board(&self) -> &Board {
        &self.open.board
    }

    /// Returns the player's seat if it is their turn.
    pub(crate) fn turn(&self) -> Option<Seat> {
        self.board().to_move.filter(|seat| self.seats.contains(seat))
    }

    pub(crate) fn plays_alone(&self) -> bool {
        self.seats.len() == 2
    }

    pub(crate) fn opponent(&self) -> &str {
        let seat = self.seats[0].other();
        &self.board().players[seat.index()].userid
    }

    /// Returns whether the player was challenged and has not moved yet. Boards of events cannot be declined: a player
    /// accepts them by joining.
    pub(crate) fn may_decline(&self) -> bool {
        if self.board().event.is_some() {
            return false;
        }
        let challenged = self.board().challenger != Some(self.player.id) || self.plays_alone();
        challenged && !self.open.has_moved(&self.seats)
    }
}

impl Context<'_, '_> {
    /// Refuses a board that has ended.
    pub(crate) fn in_progress(&self, at: PlayerAtBoard) -> RequestResult<PlayerAtBoard> {
        if at.board().to_move.is_none() {
            return self.refuse_at(&at, "", message!("service.board-over", number = at.board().number));
        }
        Ok(at)
    }

    /// Opens a board for one of its players. Refuses a board that was removed from play, but not one that has ended.
    pub(crate) fn at_board_of(&self, player: Player, game: &str, number: BoardNumber) -> RequestResult<PlayerAtBoard> {
        let board = self.reading().board(Some(game), number)?;
        let seats = board.seats_of(player.id);
        if seats.is_empty() {
            let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
            let message = message!("service.played-by-others", number, first, second);
            return Err(self.rejection(&player.userid, message).because(Reason::NotYours).into());
        }
        self.tx.read_ahead(|tx| {
            drop((tx.record_state(number), tx.entries(number), tx.comments(number), tx.followers(number)));
            for PlayerRef { id, userid } in &board.players {
                drop((tx.player(userid), tx.player_by_id(*id), tx.addresses(*id), tx.vacations(*id), tx.stops(*id)));
                drop((tx.is_muted(*id, number), tx.webhook(*id), tx.note(number, *id)));
            }
        })?;
        let at = PlayerAtBoard { open: OpenBoard::open(&*self.tx, board, self.now())?, player, seats };
        if at.board().no_result.is_some_and(NoResult::is_out_of_play) {
            let message = message!("service.board-out-of-play", number, game = at.board().game.clone());
            return self.refuse_at(&at, "", message);
        }
        Ok(at)
    }

    /// Refuses the request, and shows the current board.
    pub(crate) fn refuse_at<T>(&self, at: &PlayerAtBoard, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).at_board(at.open.view(&*self.tx)?).into())
    }

    /// Returns the rejection of a move by the rules, with the current board.
    pub(crate) fn refused_by_rules_at(&self, at: &PlayerAtBoard, refusal: Refusal) -> RequestError {
        match at.open.view(&*self.tx) {
            Ok(board) => self.request.rejection_by_rules(refusal).at_board(board).into(),
            Err(error) => error.into(),
        }
    }

    /// Notifies the players and followers of a board about an action. Returns the notified players.
    pub(crate) fn notify(&mut self, at: &mut PlayerAtBoard, event: BoardEvent) -> RequestResult<Vec<PlayerId>> {
        Ok(self.service.notify(self.tx, self.request, &mut at.open, event)?)
    }

    pub(crate) fn record_comment_at(&mut self, at: &PlayerAtBoard) -> RequestResult<()> {
        self.record_comment(at.board(), at.player.id)
    }

    /// Records the comment of the command, if any, as this player's comment on the board.
    pub(crate) fn record_comment(&mut self, board: &Board, player: PlayerId) -> RequestResult<()> {
        let text = self.request.comment_text();
        if !text.is_empty() {
            let (number, entry) = (board.number, board.entries);
            self.tx.add_comment(&Comment { board: number, entry, player, text, said_at: self.now() })?;
        }
        Ok(())
    }
}
