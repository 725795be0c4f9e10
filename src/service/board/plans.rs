//! Validates conditional replies against a position. Every line of the plan is played out, so that illegal moves are
//! refused if they can be detected in advance, and the plan's owner sees how the plan was understood.

use crate::command::{Branch, Plan, Reply, When};
use crate::message;
use crate::rules::{Play, Refusal, RefusalKind, Seat};
use crate::store::{self, Board, StoreError};
use crate::text::Message;

use crate::service::board::views::PlanLine;

/// Parses a stored plan.
pub(crate) fn stored(board: &Board, text: &str) -> store::Result<Plan> {
    text.parse().map_err(|_| {
        StoreError::WrongRecord(Message::verbatim(format!("board {}: {text:?} is not a plan", board.number)))
    })
}

/// Builds a plan that answers any move of the opponent with this reply.
pub(crate) fn to_any_move(reply: Reply) -> Plan {
    Plan { branches: vec![Branch { when: When::Else, reply, next: Plan::default() }] }
}

/// Returns a plan with canonical texts of the moves that are legal in a known position. In `position`, the opponent of
/// `owner` is to move.
///
/// # Errors
/// A refusal if a text is not a move, a reply to a legal move is illegal or out of turn, or one move has two replies.
pub(crate) fn understand(position: &dyn Play, owner: Seat, plan: &Plan) -> Result<Plan, Refusal> {
    let mut branches: Vec<Branch> = Vec::new();
    for branch in &plan.branches {
        let understood = match &branch.when {
            When::Else => blind(position, branch)?,
            When::Moves(moves) => foreseen(position, owner, branch, moves)?,
        };
        let earlier = |text: &String| {
            branches.iter().any(|other| matches!(&other.when, When::Moves(moves) if moves.contains(text)))
        };
        if let When::Moves(moves) = &understood.when
            && let Some(text) = moves.iter().find(|text| earlier(text))
        {
            return Err(Refusal::new(RefusalKind::Illegal, text, message!("service.two-replies", text)));
        }
        branches.push(understood);
    }
    Ok(Plan { branches })
}

/// Checks a branch that names the opponent's moves, so that the positions after them are known. A move that the
/// opponent cannot make here is not an error: the answer shows the plan with a remark about this move.
fn foreseen(position: &dyn Play, owner: Seat, branch: &Branch, moves: &[String]) -> Result<Branch, Refusal> {
    let mut whens: Vec<String> = Vec::new();
    let mut understood = None;
    for text in moves {
        let mut play = position.boxed_clone();
        let played = match play.play(text) {
            Ok(played) => played,
            Err(refusal) if refusal.kind == RefusalKind::NotAMove => return Err(refusal),
            Err(_) => {
                whens.push(text.clone());
                continue;
            }
        };
        if play.to_move() != Some(owner) && branch.reply != Reply::Stop {
            let message = message!("service.no-turn-to-reply", text = played.text);
            return Err(Refusal::new(RefusalKind::Illegal, text, message));
        }
        let (reply, next) = match &branch.reply {
            Reply::Move(text) => {
                let reply = play.play(text)?;
                (Reply::Move(reply.text), understand(play.as_ref(), owner, &branch.next)?)
            }
            other => (other.clone(), Plan::default()),
        };
        whens.push(played.text);
        understood = Some((reply, next));
    }
    whens.dedup();
    let (reply, next) = match understood {
        Some(understood) => understood,
        None => {
            let branch = blind(position, branch)?;
            (branch.reply, branch.next)
        }
    };
    Ok(Branch { when: When::Moves(whens), reply, next })
}

/// Checks a branch that does not name the opponent's move. Only the spelling of its moves can be checked.
fn blind(position: &dyn Play, branch: &Branch) -> Result<Branch, Refusal> {
    let spelt = |text: &String| match position.boxed_clone().play(text) {
        Err(refusal) if refusal.kind == RefusalKind::NotAMove => Err(refusal),
        _ => Ok(()),
    };
    if let Reply::Move(text) = &branch.reply {
        spelt(text)?;
    }
    for next in &branch.next.branches {
        if let When::Moves(moves) = &next.when {
            moves.iter().try_for_each(spelt)?;
        }
        blind(position, next)?;
    }
    Ok(branch.clone())
}

/// Returns the lines of a plan for a reader. In the position, the opponent of the plan's owner is to move.
pub(crate) fn lines(position: &dyn Play, plan: &Plan) -> Vec<PlanLine> {
    let mut all = Vec::new();
    walk(Some(position), plan, 0, &mut all);
    all
}

/// Adds the lines of a plan. `position` is `None` if an earlier move was not named or cannot be played.
fn walk(position: Option<&dyn Play>, plan: &Plan, depth: usize, lines: &mut Vec<PlanLine>) {
    for branch in &plan.branches {
        let (mut when, mut never, mut after) = (Vec::new(), None, None);
        if let When::Moves(moves) = &branch.when {
            when.clone_from(moves);
            for text in moves {
                let Some(mut play) = position.map(Play::boxed_clone) else { continue };
                match play.play(text) {
                    Ok(_) => after = Some(play),
                    Err(refusal) => never = Some(refusal.message),
                }
            }
        }
        let reply = match &branch.reply {
            Reply::Move(text) => {
                after = after.and_then(|mut play| play.play(text).is_ok().then_some(play));
                text.clone()
            }
            Reply::Resign => "resign".to_owned(),
            Reply::Stop => "stop".to_owned(),
        };
        lines.push(PlanLine { depth, when, reply, never });
        walk(after.as_deref(), &branch.next, depth + 1, lines);
    }
}
