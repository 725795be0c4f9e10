//! What a player does at a board: the words after `marque move board userid password`.

use super::args::{Args, Fault};
use super::values::{is_graphic, is_off, number};
use super::words::is_option;
use super::{Act, Plan, Verb, plan_text};
use crate::rules::Notation;

/// The acts that are a word and nothing more, and whether the word may also stand in the place of the move.
const BARE: &[(&str, Act, bool)] = &[
    ("confirm", Act::Confirm, true),
    ("resign", Act::Resign, true),
    ("decline", Act::Decline, true),
    ("propose", Act::Propose, true),
    ("undo", Act::Undo, true),
    ("accept", Act::Accept, true),
    ("reject", Act::Reject, true),
    ("chat", Act::Chat, false),
    ("note", Act::Note, false),
];

/// The verb of an act.
pub(super) fn verb(act: &Act) -> &'static str {
    match act {
        Act::Move { .. } => "move",
        Act::Submit { .. } => "submit",
        Act::Queue(_) => "queue",
        Act::If(_) => "if",
        bare => BARE.iter().find(|(_, act, _)| act == bare).map_or("", |(verb, ..)| verb),
    }
}

/// Reads what follows one of the verbs that are said at a board.
pub(super) fn read(verb: &str, args: &mut Args<'_>) -> Result<Verb, Fault> {
    let (board, userid, password) = (args.board()?, args.userid("userid")?, args.password("password")?);
    let act = match verb {
        "move" | "submit" => {
            let (text, ply, last) = move_text(args)?;
            match (act_in_place(&text), ply) {
                (None, _) if verb == "move" => Act::Move { text, ply },
                (None, _) => Act::Submit { text, ply },
                (Some((_, act)), None) if verb == "move" => act,
                (Some((word, _)), Some(_)) if verb == "move" => {
                    return Err(Fault::at(last, format!("\"{word}\" takes no move number.")).near(Some(word)));
                }
                (Some((word, _)), _) => return Err(no_move(last, word)),
            }
        }
        "queue" => {
            let (text, ply, last) = move_text(args)?;
            if ply.is_some() {
                let message = "A queued move is played when your turn comes, and takes no number.";
                return Err(Fault::at(last, message).near(Some(text)));
            }
            if let Some((word, _)) = act_in_place(&text) {
                return Err(no_move(last, word));
            }
            // It is kept as a plan with one reply, and must be a move there as well.
            if let Err(why) = plan_text::check_move(&text) {
                return Err(Fault::at(last, why.message));
            }
            Act::Queue(Some(text).filter(|text| !is_off(text)))
        }
        "if" => Act::If(replies(args)?),
        bare => {
            args.finish()?;
            let act = BARE.iter().find(|(verb, ..)| *verb == bare).map(|(_, act, _)| act.clone());
            act.ok_or_else(|| Fault::missing("command"))?
        }
    };
    Ok(Verb::At { board, userid, password, act })
}

/// The act that is meant by its word in the place of the move.
fn act_in_place(text: &str) -> Option<(&'static str, Act)> {
    let meant = BARE.iter().find(|(verb, _, in_place)| *in_place && verb.eq_ignore_ascii_case(text));
    meant.map(|(verb, act, _)| (*verb, act.clone()))
}

fn no_move(i: usize, word: &str) -> Fault {
    Fault::at(i, format!("\"{word}\" is no move, but a command of its own.")).near(Some(word))
}

/// The move, its number (`f3#14`), and the index of the last word.
fn move_text(args: &mut Args<'_>) -> Result<(String, Option<u32>, usize), Fault> {
    let mut text = String::new();
    let mut last = None;
    while let Some(i) = args.next()? {
        let word = args.word(i);
        if last.is_some() && !continues(&text, word) {
            return Err(args.surplus(i, "one word too many: the move stands before it"));
        }
        // A quoted "f3 f4" is split like the bare one, so that both are stored alike.
        for piece in word.split_whitespace() {
            join(&mut text, piece);
        }
        last = Some(i);
        // What a shown line would not give back: an option, or the stars that are dropped.
        if !is_graphic(&text) || is_option(&text) || text == "**" {
            return Err(args.wrong(i, None, "a move"));
        }
    }
    let Some(last) = last else { return Err(Fault::missing("move")) };
    let (text, ply) = match text.rsplit_once('#') {
        Some((text, ply)) => match number(ply).filter(|ply| *ply > 0) {
            Some(ply) => (text.to_owned(), Some(ply)),
            None => return Err(Fault::at(last, "After \"#\" stands the number of the move.").near(Some(text))),
        },
        None => (text, None),
    };
    if text.is_empty() {
        return Err(Fault::at(last, "The move is missing before \"#\"."));
    }
    Ok((text, ply, last))
}

/// Whether a further word can belong to the move: `f3, f4`, `f3 f4`, `f3 #14`. Anything else is a word too many,
/// and should be named as that rather than as a strange move.
fn continues(text: &str, word: &str) -> bool {
    let (cells, ply) = word.split_once('#').map_or((word, None), |(cells, ply)| (cells, Some(ply)));
    !text.contains('#')
        && ply.is_none_or(|ply| number(ply).is_some())
        && Notation::is_list(cells)
        && Notation::is_list(text)
}

/// Joins a move's words, with one separator between cells and none before the number.
fn join(text: &mut String, word: &str) {
    match word.starts_with('#') {
        true => text.push_str(word),
        false => Notation::join(text, word),
    }
}

/// All remaining words as one plan, quoted or not.
fn replies(args: &mut Args<'_>) -> Result<Option<Plan>, Fault> {
    let mut text = String::new();
    let mut ends = Vec::new();
    while let Some(i) = args.next()? {
        if !ends.is_empty() {
            text.push(' ');
        }
        text.push_str(args.word(i));
        ends.push((text.len(), i));
    }
    if ends.is_empty() {
        return Err(Fault::missing("plan"));
    }
    if is_off(&text) {
        return Ok(None);
    }
    plan_text::read(&text).map(Some).map_err(|wrong| {
        let place = ends.iter().position(|(end, _)| wrong.at < *end).unwrap_or(ends.len() - 1);
        // A second word that is nothing like "then" may be the plan's first, behind a word too many.
        let surplus = place == 1 && wrong.nearest.is_none() && wrong.error.word != "then";
        Fault { surplus, ..Fault::at(ends[place].1, wrong.error.message).near(wrong.nearest) }
    })
}
