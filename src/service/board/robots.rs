//! Computer players: `robot1`, the weakest, to `robot12`. Whoever challenges one makes it a player of the server; it has no
//! address and no password, moves as soon as it is its turn, and plays no rated games. So does a program of others that is
//! configured, `robot-NAME`.

use chrono::{DateTime, Utc};

use crate::command::{BoardAction, Command, GameCommand, ParsedLine, Password};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::player::{Level, Thought};
use crate::rules::{Game, Options, Play, Seat, catalogue};
use crate::store::{self, Hint, PlayerId, ProposalKind, Transaction, Via};

use crate::service::account::passwords::Passwords;
use crate::service::board::hints::hint_of;
use crate::service::board::replay::ReplayedBoard;
use crate::service::context::{Context, Service};
use crate::service::error::ServiceResult;
use crate::service::policy::EngineRobot;
use crate::service::rejection::{Rejection, RequestResult};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;

/// The hash of no password: of computer players, and of guests.
pub(in crate::service) const NO_PASSWORD: &str = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA";

/// The level of a computer player; `None` when the userid is no computer player's.
pub fn robot_level(userid: &str) -> Option<Level> {
    let number = userid.to_ascii_lowercase();
    let number = number.strip_prefix("robot")?;
    // `robot07` would be a second name of the seventh.
    number.parse().ok().filter(|level: &u8| level.to_string() == number).and_then(Level::new)
}

/// Whether somebody signed up by the userid of a program before it was configured.
fn is_person(tx: &Transaction<'_>, robot: PlayerId, mind: RobotMind) -> store::Result<bool> {
    Ok(mind == RobotMind::Engine && tx.player_by_id(robot)?.is_none_or(|robot| robot.password_hash != NO_PASSWORD))
}

/// Whether nobody can take this userid, because it is a computer player's or may become one's.
pub(in crate::service) fn is_kept_for_robots(userid: &str) -> bool {
    let userid = userid.to_ascii_lowercase();
    let is_numbered = userid.strip_prefix("robot").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    is_numbered || userid.starts_with(EngineRobot::PREFIX)
}

/// What a computer player is to do at a board.
pub struct RobotTask {
    /// The board.
    pub board: BoardNumber,
    /// How many entries its record has.
    pub entry: EntryNumber,
    /// The userid of the computer player.
    pub userid: String,
    /// Who thinks for it.
    pub mind: RobotMind,
    /// What it is to answer, if its opponent proposes something; else it is to move.
    pub proposal: Option<ProposalKind>,
    /// The position.
    pub position: Box<dyn Play>,
    /// The name of the game.
    pub game: &'static str,
    /// The board's options, canonical.
    pub options: String,
    /// The moves that stand.
    pub moves: Vec<String>,
}

/// Who thinks for a computer player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotMind {
    /// Our own, at this level.
    Level(Level),
    /// The program that is configured under its userid.
    Engine,
}

/// What a computer player does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotAction {
    /// It makes this move.
    Move {
        /// The text of the move.
        text: String,
        /// What it expects after the move, if that is known.
        hint: Option<Hint>,
    },
    /// It lets its opponent take a move back.
    Accept,
    /// It plays on.
    Reject,
}

impl RobotTask {
    /// The move that came of thinking.
    pub fn action(&self, thought: Thought) -> RobotAction {
        let hint = hint_of(&thought, self.entry.next());
        RobotAction::Move { text: thought.text, hint: Some(hint) }
    }

    /// Whether it still is to be done: the board has not changed since.
    ///
    /// # Errors
    /// The store's.
    pub fn is_due(&self, tx: &Transaction<'_>) -> store::Result<bool> {
        let unchanged = |board: store::Board| {
            board.entries == self.entry
                && board.proposal.is_some() == self.proposal.is_some()
                && board.no_result.is_none()
        };
        Ok(tx.board(self.board)?.is_some_and(unchanged))
    }
}

impl Context<'_, '_> {
    /// Refuses a userid that is kept for computer players.
    pub(in crate::service) fn check_no_robot(&self, userid: &str) -> RequestResult<()> {
        match is_kept_for_robots(userid) {
            false => Ok(()),
            true => self.refuse(userid, message!("service.userid-of-robot", userid)),
        }
    }

    /// Makes the computer players who are challenged players of the server; tells whether there is one. Two of them do not
    /// play each other: nobody would be there to see it.
    pub(in crate::service) fn invite_robots(
        &mut self,
        game: &dyn Game,
        options: &Options,
        userids: &[Option<String>],
    ) -> RequestResult<bool> {
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
                // Somebody signed up by this userid before the program was configured.
                Some(player) if policy.engine(userid).is_some() && player.password_hash != NO_PASSWORD => {
                    return self.refuse(userid, message!("service.userid-of-person", userid = player.userid));
                }
                Some(_) => {}
            }
        }
        Ok(!robots.is_empty())
    }

    /// Refuses a board that a program does not play.
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
    /// The userids of the computer players, and who thinks for each.
    pub(in crate::service) fn robots(&self) -> impl Iterator<Item = (String, RobotMind)> {
        let levels = (1..=Level::MOST).filter_map(Level::new);
        let levels = levels.map(|level| (format!("robot{}", level.number()), RobotMind::Level(level)));
        levels.chain(self.policy.engines.iter().map(|engine| (engine.userid.clone(), RobotMind::Engine)))
    }

    /// What the computer players are to do, at the boards where it is their turn or something is proposed to them.
    ///
    /// # Errors
    /// The store's.
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
                let replayed = ReplayedBoard::after(&board, &tx.entries(number)?)?;
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
        // Those who think for a short time come first.
        tasks.sort_by_key(|(place, _)| *place);
        Ok(tasks.into_iter().map(|(_, task)| task).collect())
    }

    /// Does what a computer player has decided, by the same request as everybody; `None` when the board has changed since.
    ///
    /// # Errors
    /// The store's.
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
                // The notice of the move tells it. Its caller commits nothing of a move that is refused.
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
        let from = Origin::Known { userid: task.userid.clone(), via: Via::Robot };
        let request = Request { line, from, comment: None, client: None, now };
        self.answer(tx, &request, &Passwords::default()).map(Some)
    }
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
