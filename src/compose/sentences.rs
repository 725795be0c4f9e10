//! Sentences about a board: the news, the result, a proposal, whose turn it is.
//!
//! A template requests them by a filter: `board|news(reader)`. The code chooses the message, so that letters, answers
//! and pages share it, and a translation contains no conditions.

use std::sync::Arc;

use minijinja::value::Serde;
use minijinja::{Environment, Error, State, Value};
use serde::de::DeserializeOwned;

use super::texts::Messages;
use crate::message;
use crate::numbers::Ply;
use crate::rules::{Effects, WinningCell};
use crate::service::{EntryView, HintView, NoResult, ProposalKind, ProposalView, ResultView, SeatView};
use crate::store::{Absence, Departure, EditionRef, EntryKind};
use crate::text::Message;

/// The filters of a board, such as `board|turn(reader)`, with the functions that return their sentences.
const FILTERS: [(&str, Sentences); 8] = [
    ("news", news),
    ("turn", turn),
    ("result", result),
    ("outcome", outcome),
    ("ended", ended),
    ("hint", hint),
    ("proposal", proposal),
    ("closed_proposal", closed_proposal),
];

type Sentences = fn(&Shown<'_>) -> Result<Vec<Message>, Error>;

/// A board in the facts of a template, which is a serialized `BoardView`, and its reader.
struct Shown<'a> {
    board: &'a Value,
    reader: &'a str,
    /// Whether the reader sees the winning cells on the board.
    sees_cells: bool,
    words: &'a dyn Fn(&Message) -> Result<String, Error>,
}

/// Adds the filters to an environment.
pub(crate) fn add(environment: &mut Environment<'static>, messages: &Arc<Messages>) {
    for (name, sentences) in FILTERS {
        let messages = Arc::clone(messages);
        let words = move |state: &State<'_, '_>, board: &Value, reader: &str, sees_cells: Option<bool>| {
            let words = |message: &Message| messages.words(state.env(), &Value::from(Serde(message)));
            let shown = Shown { board, reader, sees_cells: sees_cells.unwrap_or_default(), words: &words };
            let sentences = sentences(&shown)?.iter().map(words).collect::<Result<Vec<_>, Error>>()?;
            Ok::<_, Error>(sentences.join(" "))
        };
        environment.add_filter(name, words);
    }
    let shared = Arc::clone(messages);
    environment.add_filter("proposed", move |state: &State<'_, '_>, kind: Serde<ProposalKind>| {
        shared.words(state.env(), &Value::from(Serde(&proposed(kind.0))))
    });
    environment.add_filter("undone", undone_moves);
    let shared = Arc::clone(messages);
    environment.add_filter("cells", move |state: &State<'_, '_>, winning: Serde<Vec<WinningCell>>| {
        cells(&winning.0, &|message| shared.words(state.env(), &Value::from(Serde(message))))
    });
    let shared = Arc::clone(messages);
    environment.add_filter("swapped", move |state: &State<'_, '_>, entry: &Value, board: &Value| {
        let words = |message: &Message| shared.words(state.env(), &Value::from(Serde(message)));
        let shown = Shown { board, reader: "", sees_cells: false, words: &words };
        let Effects { swapped: Some(marks), .. } = read(entry)? else { return Ok(String::new()) };
        words(&shown.swapped(&shown.field::<Vec<SeatView>>("seats")?, marks)?)
    });
    let shared = Arc::clone(messages);
    environment.add_filter("notes", move |state: &State<'_, '_>, entry: &Value, board: &Value| {
        notes(entry, board, &|message| shared.words(state.env(), &Value::from(Serde(message))))
    });
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    T::deserialize(value.clone())
}

impl Shown<'_> {
    fn field<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        read(&self.board.get_attr(name)?)
    }

    fn is_reader(&self, userid: &str) -> bool {
        !userid.is_empty() && userid == self.reader
    }

    /// Adds the sentences about one entry of the record.
    fn add_entry(&self, seats: &[SeatView], entry: &EntryView, sentences: &mut Vec<Message>) -> Result<(), Error> {
        let who = entry.userid.as_deref().unwrap_or_default();
        let alone = seats[0].userid == seats[1].userid;
        if entry.kind == EntryKind::Undo {
            sentences.push(match self.is_reader(who) {
                _ if alone => message!("board.move-taken-back"),
                true => message!("board.you-accepted-undo"),
                false => message!("board.accepted-undo", who),
            });
        }
        sentences.push(self.entry(seats, entry, who, alone)?);
        if !entry.effects.winning_cells.is_empty() && !self.sees_cells {
            let cells = cells(&entry.effects.winning_cells, self.words)?;
            sentences.push(message!("board.winning-cells", cells));
        }
        if entry.effects.passed_over {
            let others = seats.iter().filter(|seat| Some(seat.mark) != entry.mark);
            sentences.extend(others.map(|seat| match self.is_reader(&seat.userid) {
                true => message!("board.you-were-passed-over"),
                false => message!("board.passed-over", who = &seat.userid),
            }));
        }
        Ok(())
    }

    fn entry(&self, seats: &[SeatView], entry: &EntryView, who: &str, alone: bool) -> Result<Message, Error> {
        let (you, prepared, text) = (self.is_reader(who), entry.prepared, &entry.text);
        // In an administrator's entry, the reason follows the first word of the text.
        let reason = text.split_once(' ').map_or("", |(_, reason)| reason);
        Ok(match (entry.kind, you) {
            (EntryKind::Move, _) => {
                let effects = self.effects(seats, &entry.effects)?;
                match (prepared, you) {
                    (false, true) => message!("board.you-played", text, effects),
                    (false, false) => message!("board.played", who, text, effects),
                    (true, true) => message!("board.you-played-prepared", text, effects),
                    (true, false) => message!("board.played-prepared", who, text, effects),
                }
            }
            (EntryKind::Undo, _) => {
                let numbered = entry.taken_back.iter().zip(entry.ply.0 + 1..);
                let moves: Vec<String> = numbered.map(|(text, ply)| format!("{ply}. {text}")).collect();
                message!("board.after-undo", ply = entry.ply.0, moves)
            }
            (EntryKind::Resign, _) => match (Departure::of(text), you) {
                (None, true) => message!("board.you-resigned", prepared),
                (None, false) => message!("board.resigned", who, prepared),
                (Some(Departure { absence: Absence::Left, event, .. }), true) => {
                    message!("board.you-left-and-lose", event)
                }
                (Some(Departure { absence: Absence::Left, event, .. }), false) => {
                    message!("board.left-and-loses", who, event)
                }
                (Some(Departure { event, .. }), true) => message!("board.you-were-withdrawn-and-lose", event),
                (Some(Departure { event, .. }), false) => message!("board.was-withdrawn-and-loses", who, event),
            },
            (EntryKind::Draw, _) if alone => message!("board.draw-agreed"),
            (EntryKind::Draw, true) => message!("board.you-accepted-draw"),
            (EntryKind::Draw, false) => message!("board.accepted-draw", who),
            (EntryKind::Abandon, _) if alone => message!("board.end-agreed"),
            (EntryKind::Abandon, true) => message!("board.you-accepted-end"),
            (EntryKind::Abandon, false) => message!("board.accepted-end", who),
            (EntryKind::Forfeit, true) => message!("board.you-ran-out-of-time"),
            (EntryKind::Forfeit, false) => message!("board.ran-out-of-time", who),
            (EntryKind::Reopen, _) => message!("board.reopened", reason),
            (EntryKind::Void, _) => match (Departure::of(text).filter(|_| entry.userid.is_some()), you) {
                (None, _) => message!("board.voided", reason),
                (Some(Departure { absence: Absence::Left, event, .. }), true) => {
                    message!("board.you-left-event", event)
                }
                (Some(Departure { absence: Absence::Left, event, .. }), false) => {
                    message!("board.left-event", who, event)
                }
                (Some(Departure { absence, event, .. }), true) => {
                    message!("board.you-were-withdrawn", event, on_time = absence == Absence::Time)
                }
                (Some(Departure { absence, event, .. }), false) => {
                    message!("board.was-withdrawn", who, event, on_time = absence == Absence::Time)
                }
            },
            (EntryKind::Adjudge, _) => message!("board.adjudged"),
        })
    }

    /// Returns the effects of a move, to be shown after its text. Empty if the move has no effects.
    fn effects(&self, seats: &[SeatView], effects: &Effects) -> Result<Message, Error> {
        let Effects { captured, filled, level, swapped, .. } = effects;
        if level.is_none() && swapped.is_none() && filled.is_empty() && captured.is_empty() {
            return Ok(Message::verbatim(""));
        }
        let swapped = swapped.map(|marks| self.swapped(seats, marks)).transpose()?;
        let swapped = swapped.unwrap_or_else(|| Message::verbatim(""));
        let (level, filled, captured) = (level.unwrap_or_default(), filled.clone(), captured.clone());
        Ok(message!("board.effects", level, swapped, filled, captured))
    }

    /// Returns the sides of the players after a move that exchanged them.
    fn swapped(&self, seats: &[SeatView], marks: [char; 2]) -> Result<Message, Error> {
        let (first, second) = (&seats[0].userid, &seats[1].userid);
        // On a board without players, the seats have the names of the sides.
        if first == second || *first == (self.words)(&seats[0].side)? {
            return Ok(message!("board.sides-exchanged"));
        }
        let [first_side, second_side] = marks
            .map(|mark| seats.iter().find(|seat| seat.mark == mark).map(|seat| seat.side.clone()).unwrap_or_default());
        Ok(match (self.is_reader(first), self.is_reader(second)) {
            (true, _) => message!("board.you-exchanged-first", second, first_side, second_side),
            (_, true) => message!("board.you-exchanged-second", first, first_side, second_side),
            _ => message!("board.exchanged", first, second, first_side, second_side),
        })
    }
}

/// Returns the news: sentences about the new entries of the record.
fn news(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let seats: Vec<SeatView> = shown.field("seats")?;
    let entries: Vec<EntryView> = shown.field("news")?;
    let mut sentences = Vec::new();
    for entry in &entries {
        shown.add_entry(&seats, entry, &mut sentences)?;
    }
    let has_begun = shown.field::<Ply>("plies")? > Ply::START || shown.field::<Option<ResultView>>("result")?.is_some();
    if entries.is_empty() && !has_begun {
        sentences.push(message!("board.no-moves"));
    }
    Ok(sentences)
}

fn turn(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let to_move: Option<String> = shown.field("to_move")?;
    let Some(who) = to_move.filter(|_| !shown.board.get_attr("no_result").is_ok_and(|why| why.is_true())) else {
        return Ok(Vec::new());
    };
    Ok(vec![if shown.is_reader(&who) { message!("board.your-turn") } else { message!("board.turn", who) }])
}

/// Returns how a board has ended: its result, or an agreement to end without a result.
fn result(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let number: u32 = shown.field("number")?;
    let Some(result) = shown.field::<Option<ResultView>>("result")? else {
        return Ok(vec![message!("board.over-abandoned", number)]);
    };
    let reason = result.reason.to_string();
    let Some(who) = &result.winner else { return Ok(vec![message!("board.over-draw", number, reason)]) };
    let you = shown.is_reader(who);
    let mut sentences = vec![match you {
        _ if result.winner == result.loser => message!("board.over-alone", number, who, reason),
        true => message!("board.you-over-won", number, reason),
        false => message!("board.over-won", number, who, reason),
    }];
    let achievement = (Some(who), shown.field::<Option<String>>("achievement")?);
    let failure = (result.loser.as_ref(), shown.field::<Option<String>>("failure")?);
    for (who, achievement) in [achievement, failure] {
        let (Some(who), Some(achievement)) = (who, achievement) else { continue };
        sentences.push(match shown.is_reader(who) {
            true => message!("board.you-achieved", achievement),
            false => message!("board.achieved", who, achievement),
        });
    }
    Ok(sentences)
}

/// Returns the result in a few words: *a draw (agreement)*.
fn outcome(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let Some(result) = shown.field::<Option<ResultView>>("result")? else { return Ok(Vec::new()) };
    let reason = result.reason.to_string();
    Ok(vec![match result.winner {
        None => message!("board.outcome-draw", reason),
        Some(who) => message!("board.outcome-won", who, reason),
    }])
}

/// Returns how a board ended, in a few words for its row in a list of boards: *won by alice (formation)*.
fn ended(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let Some(result) = shown.field::<Option<ResultView>>("result")? else {
        return Ok(vec![match shown.field::<Option<NoResult>>("no_result")? {
            Some(NoResult::Abandoned) => message!("board.ended-by-agreement"),
            _ => message!("board.ended-removed"),
        }]);
    };
    let reason = result.reason.to_string();
    Ok(vec![match result.winner {
        None => message!("board.ended-drawn", reason),
        Some(who) => message!("board.ended-won", who, reason),
    }])
}

/// Returns a sentence with the estimate of the computer player that moved last, for its opponent.
fn hint(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let Some(hint) = shown.field::<Option<HintView>>("hint")? else { return Ok(Vec::new()) };
    let moves = shown.board.get_attr("moves")?;
    let last: EntryView = read(&moves.get_item(&Value::from(moves.len().unwrap_or_default().saturating_sub(1)))?)?;
    let (who, text) = (last.userid.unwrap_or_default(), last.text);
    let expects = match hint.line.is_empty() {
        true => Message::verbatim(""),
        false => message!("board.expects", moves = hint.line),
    };
    Ok(vec![match (hint.chance, hint.proved) {
        (None, _) => message!("board.hint-forced", who, text, expects),
        (Some(chance), false) => {
            #[allow(clippy::cast_possible_truncation, reason = "a percentage")]
            let percent = ((chance * 100.0).round() as i64).clamp(1, 99);
            message!("board.hint-estimate", who, percent, expects)
        }
        (Some(1.0..), true) => message!("board.hint-wins", who, expects),
        (Some(..=0.0), true) => message!("board.hint-loses", who, expects),
        (Some(_), true) => message!("board.hint-draws", who, expects),
    }])
}

/// Returns a sentence about the open proposal.
fn proposal(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let Some(ProposalView { kind, by: who }) = shown.field("proposal")? else { return Ok(Vec::new()) };
    let event = shown.field::<Option<EditionRef>>("event")?.map(|edition| edition.name).unwrap_or_default();
    Ok(vec![match (kind, shown.is_reader(&who)) {
        (ProposalKind::Draw, true) => message!("board.you-propose-draw"),
        (ProposalKind::Draw, false) => message!("board.proposes-draw", who),
        (ProposalKind::Undo, true) => message!("board.you-ask-for-undo", moves = undone_moves(shown.board)?),
        (ProposalKind::Undo, false) => message!("board.asks-for-undo", who, moves = undone_moves(shown.board)?),
        (ProposalKind::Abandon, true) => message!("board.you-propose-end", event),
        (ProposalKind::Abandon, false) => message!("board.proposes-end", who, event),
    }])
}

/// Returns the moves that the open proposal would take back if it is an undo.
fn undone_moves(board: &Value) -> Result<Vec<String>, Error> {
    let Some(ProposalView { by, .. }) = read(&board.get_attr("proposal")?)? else { return Ok(Vec::new()) };
    Ok(undone(&read::<Vec<EntryView>>(&board.get_attr("moves")?)?, &by))
}

/// Returns the moves that an undo for this player takes back: the player's last move and all moves after it.
pub(crate) fn undone(moves: &[EntryView], by: &str) -> Vec<String> {
    let last = moves.iter().rposition(|entry| entry.userid.as_deref() == Some(by)).unwrap_or(moves.len());
    moves[last..].iter().map(|entry| format!("{}. {}", entry.ply.0, entry.text)).collect()
}

/// Returns a sentence about a proposal that is no longer open because a player has moved.
fn closed_proposal(shown: &Shown<'_>) -> Result<Vec<Message>, Error> {
    let Some(ProposalView { kind, by: who }) = shown.field("cleared")? else { return Ok(Vec::new()) };
    Ok(vec![match (kind, shown.is_reader(&who)) {
        (ProposalKind::Draw, true) => message!("board.closed-your-draw"),
        (ProposalKind::Draw, false) => message!("board.closed-draw", who),
        (ProposalKind::Undo, true) => message!("board.closed-your-undo"),
        (ProposalKind::Undo, false) => message!("board.closed-undo", who),
        (ProposalKind::Abandon, true) => message!("board.closed-your-end"),
        (ProposalKind::Abandon, false) => message!("board.closed-end", who),
    }])
}

/// Returns the proposed action as part of a sentence: *a draw*.
pub(crate) fn proposed(kind: ProposalKind) -> Message {
    match kind {
        ProposalKind::Draw => message!("board.a-draw"),
        ProposalKind::Undo => message!("board.an-undo"),
        ProposalKind::Abandon => message!("board.an-end"),
    }
}

/// Returns the names of winning cells, with their levels in games with stacks.
fn cells(winning: &[WinningCell], words: &dyn Fn(&Message) -> Result<String, Error>) -> Result<Vec<String>, Error> {
    let name = |WinningCell { cell, level }: &WinningCell| match level {
        Some(level) => words(&message!("draw.space", cell, level = *level)),
        None => Ok(cell.clone()),
    };
    winning.iter().map(name).collect()
}

/// Formats the notes on a move in a list of moves: ` (level 2), Black (auto)`. They contain the effects of the move,
/// and the opponent's side if the opponent had no legal move and was passed over.
fn notes(entry: &Value, board: &Value, words: &dyn Fn(&Message) -> Result<String, Error>) -> Result<String, Error> {
    let effects: Effects = read(entry)?;
    if effects == Effects::default() {
        return Ok(String::new());
    }
    let Effects { captured, filled, level, swapped, passed_over, winning_cells } = effects;
    let seats: Vec<SeatView> = read(&board.get_attr("seats")?)?;
    let mark: Option<char> = read(&entry.get_attr("mark")?)?;
    let own = seats.iter().find(|seat| swapped.is_some() && Some(seat.mark) == mark);
    let other = seats.iter().find(|seat| passed_over && Some(seat.mark) != mark);
    let inside = [
        level.map(|level| message!("board.note-level", level)),
        own.map(|seat| message!("board.note-side", who = &seat.userid, side = seat.side.clone())),
        (!filled.is_empty()).then(|| message!("board.note-fills", cells = filled)),
        (!captured.is_empty()).then(|| message!("board.note-captures", cells = captured)),
        (!winning_cells.is_empty()).then(|| message!("board.note-wins")),
    ];
    let inside: Vec<String> = inside.iter().flatten().map(words).collect::<Result<_, Error>>()?;
    let inside = if inside.is_empty() { String::new() } else { words(&message!("board.notes", notes = inside))? };
    let passed = other.map(|seat| words(&message!("board.note-passed-over", side = seat.side.clone()))).transpose()?;
    Ok(inside + &passed.unwrap_or_default())
}
