//! Answers messages of players that contain no command.

use super::conversation::{given_back_without_command, nothing_found, refusal};
use super::screen::Author;
use super::stage::CurrentMail;
use crate::command::EventKind;
use crate::mail::inbound::bare_lines::{QuotedLine, line_in_cut_text, marked_line};
use crate::mail::inbound::meant_line::MeantLine;
use crate::mail::inbound::reply::{AnsweredLetter, find_in_reply};
use crate::mail::inbound::reply_line::is_cells;
use crate::mail::inbound::reply_token::{Content, ReplyToken};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{Answer, AnswerEntry, EventInLetter, PuzzleNotice, Rejection};
use crate::store::{self, Player, Transaction};
use crate::text::Message;

pub(crate) fn answer_nothing_found(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
) -> store::Result<()> {
    let mut entries = Vec::new();
    if let ReplyToken::OfLetter(of) = &author.token {
        let Content { puzzles, events, .. } = &of.content;
        entries.extend((!puzzles.is_empty()).then(|| no_answer_to_puzzle(mail, puzzles)));
        if !events.is_empty() {
            entries.push(refusal(nothing_about_event(tx, events, &of.player)?));
            entries.extend(command_in_quote(tx, mail, false)?);
        }
    }
    if !entries.is_empty() {
        return author.conversation.refuse(tx, Answer { entries, ..Answer::default() }).map(drop);
    }
    let in_quote = command_in_quote(tx, mail, author.board_reply().is_some())?;
    let Some(answered) = author.board_reply() else {
        let (remark, boards) = match (in_quote, line_without_board(mail)) {
            (None, Some(line)) => without_board(tx, author, &line)?,
            (in_quote, _) => (in_quote, author.answered()),
        };
        return author.conversation.answer_no_command(tx, remark, &boards);
    };
    let text = given_back_without_command(tx, mail, mail.whole_commands().comment.as_deref().unwrap_or_default())?;
    // If only a question about an event awaits an answer, the refusal does not suggest a move or a comment.
    let events = &answered.content.events;
    let asks = events.iter().any(|event| event.asks) && !answered.awaits_move();
    let mut refused = Vec::new();
    if !asks {
        refused.push(nothing_found(tx, mail, answered)?);
    }
    if !events.is_empty() {
        let message = nothing_about_event(tx, events, &answered.player)?;
        refused.push(Rejection { message, ..Rejection::default() });
    }
    if let Some(first) = refused.first_mut() {
        first.text = text;
    }
    let entries = refused.into_iter().map(AnswerEntry::Rejected).chain(in_quote).collect();
    let answer = author.conversation.about(&*tx, &author.answered(), Answer { entries, ..Answer::default() })?;
    author.conversation.refuse(tx, answer).map(drop)
}

/// Returns the message which explains that a player's reply to a letter about events contains no command about events.
/// Of the events that the letter asks the player to join, it names those in which they do not take part yet.
pub(crate) fn nothing_about_event(
    tx: &Transaction<'_>,
    events: &[EventInLetter],
    player: &Player,
) -> store::Result<Message> {
    let takes_part = |name: &str| -> store::Result<bool> {
        let Some(known) = tx.event(name)? else { return Ok(false) };
        Ok(tx.entrants(known.id)?.iter().any(|of| of.player.id == player.id && !of.absent))
    };
    let mut open: Vec<&EventInLetter> = Vec::new();
    for event in events.iter().filter(|event| event.asks) {
        if !takes_part(&event.name)? {
            open.push(event);
        }
    }
    let asking = || events.iter().find(|event| event.asks);
    let event = open.first().copied().or_else(asking).or(events.first()).map_or("", |event| &event.name);
    let is_ladder = tx.event(event)?.is_some_and(|known| known.what.kind == EventKind::Ladder);
    let joined = takes_part(event)?;
    let asked: Vec<String> = open.iter().map(|event| format!("\"join {}\"", event.name)).collect();
    Ok(message!("mail.nothing-about-event", event, joined, is_ladder, asked))
}

/// Returns the message which asks for which of a letter's puzzles these words are meant.
pub(crate) fn which_puzzle(puzzles: &[PuzzleNotice], said: &str) -> Message {
    let example = |PuzzleNotice { game, number }: &PuzzleNotice| format!("\"puzzle {game} {number} {said}\"");
    let examples: Vec<String> = puzzles.iter().map(example).collect();
    message!("mail.which-puzzle", examples)
}

/// Explains to the author of a reply to a letter with puzzles how to answer them. Suggests the cell that the reply
/// seems to name.
fn no_answer_to_puzzle(mail: &CurrentMail<'_>, puzzles: &[PuzzleNotice]) -> AnswerEntry {
    let [PuzzleNotice { game, number }] = puzzles else { return refusal(which_puzzle(puzzles, "MOVE")) };
    let nearest = match mail.commands_in_reply(&AnsweredLetter::default()).lines.into_iter().next() {
        Some((MeantLine::Unclear { nearest }, _)) => nearest.filter(|word| is_cells(word)),
        _ => None,
    };
    let message = message!("mail.no-answer-to-puzzle", game, number = *number);
    AnswerEntry::Rejected(Rejection { message, nearest, not_understood: true, ..Rejection::default() })
}

/// Returns the remark on a line that would be valid in a reply to a letter about a board, and the author's boards to
/// which the line may refer: those of the thread or, outside of threads, all games in progress. A reply to the letter
/// with the remark can refer to these boards.
fn without_board(
    tx: &Transaction<'_>,
    author: &Author<'_>,
    line: &MeantLine,
) -> store::Result<(Option<AnswerEntry>, Vec<BoardNumber>)> {
    let Some(player) = &author.conversation.player else { return Ok((None, Vec::new())) };
    let thread = author.answered();
    let candidates: Vec<BoardNumber> = match thread[..] {
        [] => tx.boards(None, Some(player.id), true)?.into_iter().map(|board| board.number).collect(),
        _ => thread.clone(),
    };
    let about = author.conversation.about(tx, &candidates, Answer::default())?;
    let boards: Vec<BoardNumber> = about.boards().map(|about| about.board).collect();
    let message = match (line, thread.first()) {
        (MeantLine::Short(line), Some(board)) if boards.is_empty() => {
            message!("mail.not-your-board", line = line.example(), board = *board, userid = &player.userid)
        }
        (MeantLine::Short(line), _) if !boards.is_empty() => {
            let line = line.example();
            let examples: Vec<String> = boards.iter().map(|number| format!("\"{number} {line}\"")).collect();
            message!("mail.answers-which-letter", line, examples)
        }
        (MeantLine::Short(line), _) => message!("mail.answers-no-letter", line = line.example()),
        (MeantLine::Look(line), _) => message!("mail.answers-no-letter", line = line.verb),
        _ => return Ok((None, boards)),
    };
    Ok((Some(refusal(message)), boards))
}

/// Returns the first line of a message, if it would be valid in a reply to a letter about a board.
fn line_without_board(mail: &CurrentMail<'_>) -> Option<MeantLine> {
    let letter = AnsweredLetter::default();
    let in_text = mail.commands_in_reply(&letter).lines.into_iter().next();
    let in_subject = || find_in_reply(None, mail.subject()?, &letter).lines.into_iter().next();
    let (line, _) = in_text.or_else(in_subject)?;
    matches!(line, MeantLine::Short(_) | MeantLine::Look(_)).then_some(line)
}

/// Returns a remark on a quoted line that looks like a command or, in a reply, like an answer to a letter.
fn command_in_quote(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    is_reply: bool,
) -> store::Result<Option<AnswerEntry>> {
    let text = &mail.incoming.text;
    let shown = |line: QuotedLine| {
        Ok::<_, store::StoreError>(match line {
            QuotedLine::Whole(line) => Some(mail.inbox.service.shown(tx, &line)?),
            QuotedLine::Reply(line) => is_reply.then(|| line.example()),
        })
    };
    let cut = line_in_cut_text(text).map(shown).transpose()?.flatten();
    if let Some(line) = cut {
        return Ok(Some(refusal(message!("mail.command-in-quoted-text", line))));
    }
    let marked = marked_line(text).map(shown).transpose()?.flatten();
    Ok(marked.map(|line| refusal(message!("mail.line-is-quote", line))))
}
