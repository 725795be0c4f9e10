//! Computer players: `robot1` (the weakest) to `robot12`, external programs, and hints about the moves that they
//! expect.

use chrono::{DateTime, Utc};

use super::replay::ReplayedBoard;
use super::views::HintView;
use crate::command::{BoardAction, Command, GameCommand, Hints, ParsedLine, Password};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::player::{Level, SearchResult};
use crate::rules::{Game, Options, Play, Seat, catalogue};
use crate::service::account::passwords::Passwords;
use crate::service::context::{Context, Service};
use crate::service::policy::EngineRobot;
use crate::service::rejection::{Rejection, RequestResult, ServiceResult};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;
use crate::store::{self, Channel, Hint, Player, PlayerId, ProposalKind, StoreError, Transaction};

/// A hash that no password matches, for computer players and guests. SQL also recognises computer players by it: the
/// view `player_activity`, and `store::counts`.
pub(crate) const NO_PASSWORD: &str = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA";

/// Returns the level of a computer player; `None` for other userids.
pub fn robot_level(userid: &str) -> Option<Level> {
    let number = userid.to_ascii_lowercase();
    let number = number.strip_prefix("robot")?;
    // `robot07` would be a second name of `robot7`.
    number.parse().ok().filter(|level: &u8| level.to_string() == number).and_then(Level::new)
}

/// Returns whether a person signed up with the userid of an external program before the program was configured.
fn is_person(tx: &Transaction<'_>, robot: PlayerId, mind: RobotMind) -> store::Result<bool> {
    Ok(mind == RobotMind::Engine && tx.player_by_id(robot)?.is_none_or(|robot| robot.password_hash != NO_PASSWORD))
}

/// Returns whether a userid is reserved for current or future computer players.
pub(crate) fn is_kept_for_robots(userid: &str) -> bool {
    let userid = userid.to_ascii_lowercase();
    let is_numbered = userid.strip_prefix("robot").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    is_numbered || userid.starts_with(EngineRobot::PREFIX)
}

/// Returns whether a player is a computer player, current or former. A person may have such a userid in an old
/// database.
pub(crate) fn is_computer_player(player: &Player) -> bool {
    is_kept_for_robots(&player.userid) && player.password_hash == NO_PASSWORD
}

/// The task of a computer player at a board.
pub struct RobotTask {
    /// The board's number.
    pub board: BoardNumber,
    /// The number of entries in the board's record.
    pub entry: EntryNumber,
    /// The userid of the computer player.
    pub userid: String,
    /// The engine of the computer player.
    pub mind: RobotMind,
    /// The opponent's proposal to answer; `None` if the computer player has only to move.
    pub proposal: Option<ProposalKind>,
    /// The position.
    pub position: Box<dyn Play>,
    /// The name of the game.
    pub game: &'static str,
    /// The board's canonical options.
    pub options: String,
    /// The current moves.
    pub moves: Vec<String>,
}

/// The engine of a computer player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotMind {
    /// The built-in one, at this level.
    Level(Level),
    /// The program configured for the userid.
    Engine,
}

/// An action of a computer player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotAction {
    /// The computer player plays this move.
    Move {
        /// The text of the move.
        text: String,
        /// The computer player's evaluation and the moves that it expects next, if known.
        hint: Option<Hint>,
    },
    /// The computer player accepts its opponent's proposal.
    Accept,
    /// The computer player rejects the proposal.
    Reject,
}

impl RobotTask {
    /// Returns the action that follows from a search result.
    pub fn action(&self, result: SearchResult) -> RobotAction {
        let hint = hint_of(&result, self.entry.next());
        RobotAction::Move { text: result.text, hint: Some(hint) }
    }

    /// Returns whether the task is still due: the board has not changed since.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_due(&self, tx: &Transaction<'_>) -> store::Result<bool> {
        let unchanged = |board: store::Board| {
            board.entries == self.entry
                && board.proposal.map(|proposal| proposal.kind) == self.proposal
                && board.no_result.is_none()
        };
        Ok(tx.board(self.board)?.is_some_and(unchanged))
    }
}

impl Context<'_, '_> {
    /// Refuses a userid reserved for computer players.
    pub(crate) fn check_no_robot(&self, userid: &str) -> RequestResult<()> {
        match is_kept_for_robots(userid) {
            false => Ok(()),
            true => self.refuse(userid, message!("service.userid-of-robot", userid)),
        }
    }

    /// Refuses former computer players.
    fn check_robots_remain(&self, userids: &[Option<String>]) -> RequestResult<()> {
        let is_current = |userid: &str| robot_level(userid).is_some() || self.service.policy.engine(userid).is_some();
        for userid in userids.iter().flatten().filter(|userid| !is_current(userid)) {
            if self.tx.player(userid)?.is_some_and(|player| is_computer_player(&player)) {
                return self.refuse(userid, message!("service.robot-is-gone", robot = userid));
            }
        }
        Ok(())
    }

    /// Creates accounts for challenged computer players. Returns whether one is challenged. Two computer players cannot
    /// play each other, because nobody would read the game.
    pub(crate) fn invite_robots(
        &mut self,
        game: &dyn Game,
        options: &Options,
        userids: &[Option<String>],
    ) -> RequestResult<bool> {
        self.check_robots_remain(userids)?;
        let policy = self.service.policy;
        let is_robot = |userid: &&String| robot_level(userid).is_some() || policy.engine(userid).is_some();
        let robots: Vec<&String> = userids.iter().flatten().filter(is_robot).collect();
        if let [_, second] = robots.as_slice() {
            return self.refuse(second, message!("service.robots-among-themselves"));
        }
        for userid in &robots {
            match (policy.engine(userid), robot_level(userid)) {
                (Some(engine), _) => self.check_engine(userid, engine, game, options)?,
                (None, Some(level)) if level.number() > policy.robots => {
                    return match policy.robots {
                        0 => self.refuse(userid, message!("service.no-robots")),
                        most => self.refuse(userid, message!("service.no-such-robot", most = u32::from(most))),
                    };
                }
                (None, _) => {}
            }
            match self.tx.player(userid)? {
                None => drop(self.tx.add_player(&userid.to_ascii_lowercase(), NO_PASSWORD, self.request.now)?),
                // A person signed up with this userid before the program was configured.
                Some(player) if policy.engine(userid).is_some() && player.password_hash != NO_PASSWORD => {
                    return self.refuse(userid, message!("service.userid-of-person", userid = player.userid));
                }
                Some(_) => {}
            }
        }
        Ok(!robots.is_empty())
    }

    /// Refuses games and options that an external program does not support.
    fn check_engine(
        &self,
        userid: &str,
        engine: &EngineRobot,
        game: &dyn Game,
        options: &Options,
    ) -> RequestResult<()> {
        let EngineRobot { userid: robot, games, takes_options } = engine;
        if games.iter().all(|known| known != game.name()) {
            return self.refuse(userid, message!("service.robot-of-games", robot, games = games.clone()));
        }
        if !takes_options && !options.to_string().is_empty() {
            return self.refuse(userid, message!("service.robot-without-options", robot));
        }
        Ok(())
    }
}

impl Service<'_> {
    /// Returns the userids of the computer players, each with its engine.
    pub(crate) fn robots(&self) -> impl Iterator<Item = (String, RobotMind)> {
        let levels = (1..=Level::MOST).filter_map(Level::new);
        let levels = levels.map(|level| (format!("robot{}", level.number()), RobotMind::Level(level)));
        levels.chain(self.policy.engines.iter().map(|engine| (engine.userid.clone(), RobotMind::Engine)))
    }

    /// Returns the tasks of the computer players, on boards where it is their turn or their opponent has proposed
    /// something.
    ///
    /// # Errors
    /// If the store fails.
    pub fn robot_tasks(&self, tx: &Transaction<'_>) -> store::Result<Vec<RobotTask>> {
        let (userids, minds): (Vec<_>, Vec<_>) = self.robots().unzip();
        let mut tasks = Vec::new();
        for number in tx.waiting_for_any(&userids)? {
            let Some(board) = tx.board(number)? else { continue };
            for (seat, robot) in Seat::BOTH.into_iter().zip(&board.players) {
                let Some(place) = userids.iter().position(|userid| userid.eq_ignore_ascii_case(&robot.userid)) else {
                    continue;
                };
                let proposal = board.proposal.filter(|open| open.by != seat).map(|open| open.kind);
                let Some(game) = catalogue::find(&board.game) else { continue };
                if board.to_move != Some(seat) && proposal.is_none() || is_person(tx, robot.id, minds[place])? {
                    continue;
                }
                let replayed = match ReplayedBoard::after(&board, &tx.entries(number)?) {
                    // The check of due clocks and `admin check` report the broken record to the administrator.
                    Err(StoreError::WrongRecord(_)) => continue,
                    replayed => replayed?,
                };
                let task = RobotTask {
                    board: number,
                    entry: board.entries,
                    userid: robot.userid.clone(),
                    mind: minds[place],
                    proposal,
                    position: replayed.position().boxed_clone(),
                    game: game.name(),
                    options: board.options.clone(),
                    moves: replayed.moves().iter().map(|played| played.text.clone()).collect(),
                };
                tasks.push((place, task));
            }
        }
        // The weakest computer players are first, because their searches are the shortest.
        tasks.sort_by_key(|(place, _)| *place);
        Ok(tasks.into_iter().map(|(_, task)| task).collect())
    }

    /// Carries out a computer player's action like any other request. Returns `None` if the board has changed since.
    ///
    /// # Errors
    /// If the store fails.
    pub fn act_as_robot(
        &self,
        tx: &mut Transaction<'_>,
        task: &RobotTask,
        action: &RobotAction,
        now: DateTime<Utc>,
    ) -> ServiceResult<Option<Result<Response, Rejection>>> {
        if !task.is_due(tx)? {
            return Ok(None);
        }
        let action = match action {
            RobotAction::Move { text, hint } => {
                // The notice of the move includes the hint. If the move is refused, the caller rolls back.
                if let Some(hint) = hint {
                    tx.put_hint(task.board, hint)?;
                }
                BoardAction::Move { text: text.clone(), ply: None }
            }
            RobotAction::Accept => BoardAction::Accept(None),
            RobotAction::Reject => BoardAction::Reject,
        };
        let command = GameCommand::AtBoard {
            board: task.board,
            userid: task.userid.clone(),
            password: Password::FromContext,
            action,
        };
        let line = ParsedLine::of(Command::Game { game: Some(task.game), command });
        let from = Origin::Known { userid: task.userid.clone(), via: Channel::Robot };
        let request = Request { line, from, comment: None, client: None, now };
        self.answer(tx, &request, &Passwords::default()).map(Some)
    }
}

/// The number of expected moves to show after the computer player's own.
const LINE: usize = 3;

/// Returns the hint for a move that becomes this entry.
pub(crate) fn hint_of(result: &SearchResult, entry: EntryNumber) -> Hint {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
    let thousandths = (result.chance.clamp(0.0, 1.0) * 1_000.0).round() as u32;
    // Without a playout or a proof, there is no evaluation.
    let known = result.proved || result.playouts > 0;
    let line = result.line.iter().skip(1).take(LINE).cloned().collect();
    Hint { entry, chance: known.then_some(thousandths), proved: result.proved, line }
}

/// Returns the hint at the current position, for a player who wants hints and whose computer opponent made the last
/// move.
pub(crate) fn hint_for(tx: &Transaction<'_>, number: BoardNumber, reader: &Player) -> store::Result<Option<HintView>> {
    if reader.settings.hints == Hints::Off {
        return Ok(None);
    }
    let (Some(hint), Some(board)) = (tx.hint(number)?, tx.board(number)?) else { return Ok(None) };
    let plays = board.plays(reader.id);
    let is_current = plays && board.to_move.is_some() && hint.entry == board.entries;
    Ok(is_current.then(|| view(hint)))
}

fn view(hint: Hint) -> HintView {
    let Hint { entry: _, chance, proved, line } = hint;
    HintView { chance: chance.map(|thousandths| f64::from(thousandths) / 1_000.0), proved, line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_userids_are_computer_players() {
        let level = |userid: &str| robot_level(userid).map(Level::number);
        assert_eq!(["robot1", "Robot12", "ROBOT3"].map(level), [Some(1), Some(12), Some(3)]);
        assert_eq!(["robot", "robot0", "robot13", "robot03", "robot1x", "bobrobot1"].map(level), [None; 6]);
    }
}
