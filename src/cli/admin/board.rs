//! Shows the complete record of one board, decides its result, and removes comments.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::table::{act, card, send_letters, table};
use crate::cli::exit::{Exit, print, refused, say};
use crate::compose::Composer;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{BoardView, Decision, NotDecided, Service, administration, checked_view};
use crate::store::{
    self, Act, ActKind, Board, Comment, EditionRef, OpenChallenge, Report, ReportPage, ReportRow, Seat, Transaction,
};
use crate::text;

/// The complete record of a board, for JSON output.
#[derive(Serialize)]
struct Story<'a> {
    state: &'a str,
    board: Option<&'a BoardView>,
    genesis: &'a str,
    differences: &'a [String],
    story: &'a [ReportRow],
}

/// Shows everything about a board, even if its record cannot be replayed, or an open challenge.
pub(crate) fn show(
    composer: &Composer,
    tx: &Transaction<'_>,
    number: BoardNumber,
    now: DateTime<Utc>,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let Some(board) = administration::board(tx, number)? else {
        return match administration::open_challenge(tx, number)? {
            Some(challenge) => show_challenge(tx, &challenge, as_json),
            None => Err(refused(no_board(tx, number)?)),
        };
    };
    let (differences, mut view) = checked_view(tx, &board)?;
    let differences = differences.iter().map(|difference| composer.message(difference));
    let differences = differences.collect::<anyhow::Result<Vec<_>>>()?;
    let exit = if differences.is_empty() { Exit::Done } else { Exit::Refused };
    view.as_mut().map_or(Ok(()), |view| composer.board_for_program(view))?;
    let story = administration::story(tx, number)?;
    let state = state(&board, now);
    if as_json {
        let genesis = &board.genesis;
        let shown = Story { state: &state, board: view.as_ref(), genesis, differences: &differences, story: &story };
        print(&(serde_json::to_string(&shown)? + "\n"))?;
        return Ok(exit);
    }
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let options = if board.options.is_empty() { "none" } else { &board.options };
    let mut text = format!("{} board {number}: {first} against {second}\n{state}\noptions: {options}\n\n", board.game);
    if let Some(drawn) = view.and_then(|view| view.drawn) {
        writeln!(text, "{}", drawn.drawing)?;
    }
    text += &table(&story);
    if differences.is_empty() {
        writeln!(text, "\nThe hash chain is intact, from {}.", board.genesis)?;
    }
    for difference in &differences {
        writeln!(text, "\n{difference}")?;
    }
    print(&text)?;
    Ok(exit)
}

fn show_challenge(tx: &Transaction<'_>, challenge: &OpenChallenge, as_json: bool) -> anyhow::Result<Exit> {
    let rows = administration::report(tx, &Report::Board(challenge.number), ReportPage { skip: 0, most: 1 })?;
    let mut row = rows.into_iter().next().unwrap_or_default();
    row.0.push(("comment".to_owned(), json!(challenge.comment)));
    say(as_json, &row, || card(&row))
}

/// Returns the error for a number without a board.
pub(crate) fn no_board(tx: &Transaction<'_>, number: BoardNumber) -> store::Result<String> {
    Ok(match administration::open_challenge(tx, number)? {
        Some(OpenChallenge { challenger, .. }) => format!(
            "{number} is an open challenge of {}, not a board; `turnpost admin void {number} --reason \"…\"` withdraws it",
            challenger.userid
        ),
        None => format!("there is no board {number}; `turnpost admin boards` lists them"),
    })
}

/// Describes whose turn it is and since when, or how the board ended.
fn state(board: &Board, now: DateTime<Utc>) -> String {
    let userid = |seat: Seat| &board.players[seat.index()].userid;
    let at = |time: DateTime<Utc>| time.format("%Y-%m-%dT%H:%M:%SZ");
    match (&board.result, board.to_move) {
        (Some(result), _) => {
            let how = result.winner.map_or_else(|| "drawn".to_owned(), |seat| format!("won by {}", userid(seat)));
            format!("{how} ({}), {}", result.reason, at(result.ended_at))
        }
        (None, Some(seat)) => {
            let days = (now - board.moved_at).num_days();
            format!("{}'s turn since {} ({days} days)", userid(seat), at(board.moved_at))
        }
        (None, None) => board.no_result.map_or_else(|| "declined".to_owned(), |why| text::word(&why)),
    }
}

/// Ends a game as a win for a player or as a draw.
pub(crate) fn adjudicate(
    instance: &mut Instance,
    number: BoardNumber,
    winner: &str,
    reason: &str,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let Some(board) = administration::board(&tx, number)? else {
        return Err(refused(no_board(&tx, number)?));
    };
    drop(tx);
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    // `draw` means a draw, even if a player of an old database has that userid.
    let is_draw = winner.eq_ignore_ascii_case("draw");
    let plays = |seat: &Seat| board.players[seat.index()].userid.eq_ignore_ascii_case(winner);
    let seat = Seat::BOTH.into_iter().find(|seat| !is_draw && plays(seat));
    if seat.is_none() && !is_draw {
        return Err(refused(format_args!("{winner} does not play on board {number}: {first} and {second} do")));
    }
    let winner = seat.map(|seat| &board.players[seat.index()].userid);
    let done = winner.map_or_else(|| "is a draw".to_owned(), |winner| format!("is won by {winner}"));
    let facts = json!({ "board": number, "winner": winner, "reason": reason });
    decide(instance, number, Decision::Adjudicate(seat), reason, &done, as_json.then_some(&facts))
}

/// Reverts the end of a board.
pub(crate) fn reopen(
    instance: &mut Instance,
    number: BoardNumber,
    days: Option<u32>,
    reason: &str,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let facts = json!({ "board": number, "reopened": true, "reason": reason });
    decide(instance, number, Decision::Reopen { days }, reason, "is in progress again", as_json.then_some(&facts))
}

/// Ends a running board without a result, removes the result of an ended one, or withdraws an open challenge.
pub(crate) fn void(instance: &mut Instance, number: BoardNumber, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let challenge = administration::open_challenge(&instance.store.read()?, number)?;
    if let Some(challenge) = challenge {
        return withdraw(instance, &challenge, reason, as_json);
    }
    let facts = json!({ "board": number, "void": true, "reason": reason });
    decide(instance, number, Decision::Void, reason, "is void", as_json.then_some(&facts))
}

fn withdraw(instance: &mut Instance, challenge: &OpenChallenge, reason: &str, as_json: bool) -> anyhow::Result<Exit> {
    let (reason, number) = (cleaned(reason)?, challenge.number);
    let text = instance.composer.message(&administration::withdrawn_challenge(number, &reason))?;
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    if administration::open_challenge(&tx, number)?.is_none() {
        return Err(refused(format_args!(
            "the challenge {number} has just been accepted or withdrawn; repeat the command"
        )));
    }
    service.withdraw_challenge(&mut tx, challenge, &text, now)?;
    let (player, detail) = (Some(challenge.challenger.id), "open challenge".to_owned());
    tx.add_act(&Act { board: Some(number), player, detail, reason: reason.clone(), ..act(ActKind::Void, now) })?;
    tx.commit()?;
    let userid = &challenge.challenger.userid;
    let facts = json!({ "board": number, "void": true, "reason": reason });
    say(as_json, facts, || format!("The open challenge {number} of {userid} is withdrawn: {reason}\n"))?;
    Ok(send_letters(instance))
}

/// Returns the reason on one line. Refuses an empty one.
fn cleaned(reason: &str) -> anyhow::Result<String> {
    let clean: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let reason = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        return Err(refused("the reason is empty; the players read it"));
    }
    Ok(reason)
}

/// Carries out a decision about a board. Then prints `facts` as JSON or, if there are none, a sentence with `done`.
fn decide(
    instance: &mut Instance,
    number: BoardNumber,
    decision: Decision,
    reason: &str,
    done: &str,
    facts: Option<&serde_json::Value>,
) -> anyhow::Result<Exit> {
    let reason = cleaned(reason)?;
    let (service, now) = (instance.config.service(instance.world), (instance.world.now)());
    let mut tx = instance.store.write()?;
    if let Err(why) = service.decide(&mut tx, number, decision, &reason, now)? {
        let ways = ways_out(&service, &mut tx, number, now)?;
        return Err(refused(match why {
            NotDecided::NoBoard => no_board(&tx, number)?,
            NotDecided::InProgress => {
                format!("board {number} is in progress; only a board that has ended can be reopened")
            }
            NotDecided::Over => format!("board {number} has ended{ways}"),
            NotDecided::ByRules => format!("the rules ended board {number}{ways}"),
            NotDecided::PlayerLeft => format!("board {number} cannot continue, because one of its players has left"),
            NotDecided::Withdrawn { userid, edition: EditionRef { name, edition } } => format!(
                "{userid} was withdrawn from edition {edition} of {name}, which ended all their games there; to play \
                 in {name} again, {userid} sends \"join {name}\""
            ),
        }));
    }
    let (kind, detail) = match decision {
        Decision::Adjudicate(_) => (ActKind::Adjudicate, done),
        Decision::Reopen { .. } => (ActKind::Reopen, ""),
        Decision::Void => (ActKind::Void, ""),
    };
    let detail = detail.to_owned();
    tx.add_act(&Act { board: Some(number), detail, reason: reason.clone(), ..act(kind, now) })?;
    tx.commit()?;
    say(facts.is_some(), facts, || format!("Board {number} {done}: {reason}\n"))?;
    Ok(send_letters(instance))
}

/// Returns a list of commands that would change the result of an ended board. The caller must not commit the
/// transaction, because this function tries each command in it.
fn ways_out(
    service: &Service<'_>,
    tx: &mut Transaction<'_>,
    number: BoardNumber,
    now: DateTime<Utc>,
) -> store::Result<String> {
    let mut ways = String::new();
    for (decision, command, effect) in [
        (Decision::Void, "void", "removes its result"),
        (Decision::Reopen { days: None }, "reopen", "takes back its end"),
    ] {
        if service.decide(tx, number, decision, "", now)?.is_ok() {
            ways += &format!("; `turnpost admin {command} {number} --reason \"…\"` {effect}");
        }
    }
    Ok(ways)
}

/// Tasks of the administrator for comments.
#[derive(Subcommand)]
pub(crate) enum CommentTask {
    /// Erase the text of a comment. A note in its place says that the administrator removed it. This cannot be undone
    Remove {
        /// The board's number
        board: BoardNumber,
        /// The comment's number, which `turnpost admin board BOARD` shows
        number: usize,
        /// The reason, for the log of acts
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        /// Confirm. Without this, the comment is shown
        #[arg(long)]
        yes: bool,
    },
}

/// Carries out a task for a comment.
pub(crate) fn run(instance: &mut Instance, task: &CommentTask, as_json: bool) -> anyhow::Result<Exit> {
    let CommentTask::Remove { board, number, ref reason, yes } = *task;
    let tx = instance.store.read()?;
    if administration::board(&tx, board)?.is_none() {
        return Err(refused(no_board(&tx, board)?));
    }
    drop(tx);
    let words = instance.composer.message(&administration::removed_comment())?;
    if !yes {
        let mut tx = instance.store.write()?;
        // The transaction is dropped without a commit, so the comment remains.
        let Some(Comment { text, .. }) = administration::remove_comment(&mut tx, board, number, &words)? else {
            return Err(none(board, number));
        };
        return Err(refused(format_args!(
            "comment {number} on board {board} is \"{text}\"; removing it cannot be undone: repeat the command with --yes"
        )));
    }
    let now = (instance.world.now)();
    let removed = store::write_with_retries(&mut *instance.store, |tx| {
        let removed = administration::remove_comment(tx, board, number, &words)?;
        if let Some(comment) = &removed {
            let (board, player) = (Some(board), Some(comment.player));
            let (detail, reason) = (format!("comment {number}"), reason.clone());
            tx.add_act(&Act { board, player, detail, reason, ..act(ActKind::RemoveComment, now) })?;
        }
        store::Result::Ok(removed)
    })?;
    if removed.is_none() {
        return Err(none(board, number));
    }
    // The text must also disappear from the free pages and the write-ahead log of the database.
    instance.store.checkpoint()?;
    let facts = json!({ "board": board, "comment": number, "removed": true });
    say(as_json, facts, || format!("Comment {number} on board {board} is removed.\n"))?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}

fn none(board: BoardNumber, number: usize) -> anyhow::Error {
    refused(format_args!("board {board} has no comment {number}; `turnpost admin board {board}` shows their numbers"))
}
