//! Verbs at a board, such as `marque move board userid password f3`, and the text of moves.

use crate::command::args::{Args, OFF, is_off, numbered};
use crate::command::error::WordError;
use crate::command::game_types::BoardAction;
use crate::command::plan::{self, Plan};
use crate::command::spec::{ReplyForm, VerbSpec, form};
use crate::command::typography::bare_move;
use crate::command::words::{excerpt, is_graphic, is_option, number};
use crate::message;
use crate::numbers::Ply;
use crate::rules::{Notation, catalogue};

/// The maximum length of a line with a plan, in characters. Plans can contain many conditional replies.
const LONGEST_PLAN: usize = 4_000;
/// A word with two meanings, a move and a verb. In a reply, it is a move.
const SWAP: &str = Notation::SWAP;

/// Creates the spec of a verb without further arguments.
macro_rules! word {
    ($name:literal, $action:expr) => {
        VerbSpec {
            reply: ReplyForm::Alone,
            examples: &[concat!("marque ", $name, " 1 alice s3cret")],
            ..VerbSpec::board_word($name, concat!("GAME ", $name, " board userid password [--say=\"...\"]"), || $action)
        }
    };
}

pub(crate) static VERBS: &[VerbSpec] = &[
    VerbSpec {
        examples: &["brique swap 5 alice s3cret"],
        ..VerbSpec::board(
            SWAP,
            "GAME swap board userid password [--say=\"...\"]",
            form!(
                |args| {
                    args.finish()?;
                    Ok(BoardAction::Move { text: SWAP.to_owned(), ply: None })
                },
                BoardAction::Move { text, ply: None } if text == SWAP => Vec::new(),
            ),
        )
    },
    VerbSpec {
        synonyms: &["board"],
        reply: ReplyForm::Move,
        examples: &["marque move 1 alice s3cret f3", "marque move 1 alice s3cret f3,f4#14 --say=\"Your turn\""],
        ..VerbSpec::board(
            "move",
            "GAME move board userid password move[#ply] [--say=\"...\"]",
            form!(make_move, BoardAction::Move { text, ply } => vec![numbered(text, *ply)]),
        )
    },
    VerbSpec {
        reply: ReplyForm::MoveAfterVerb,
        examples: &["marque submit 1 alice s3cret f3#2"],
        ..VerbSpec::board(
            "submit",
            "GAME submit board userid password move[#ply] [--say=\"...\"]",
            form!(submit, BoardAction::Submit { text, ply } => vec![numbered(text, *ply)]),
        )
    },
    word!("confirm", BoardAction::Confirm),
    VerbSpec {
        synonyms: &["qmove", "qboard"],
        reply: ReplyForm::QueuedMove,
        examples: &["marque queue 1 alice s3cret f3,f4", "marque queue 1 alice s3cret off"],
        ..VerbSpec::board(
            "queue",
            "GAME queue board userid password move|off [--say=\"...\"]",
            form!(queue, BoardAction::Queue(text) => vec![text.as_deref().unwrap_or(OFF).to_owned()]),
        )
    },
    VerbSpec {
        reply: ReplyForm::Plan,
        longest: LONGEST_PLAN,
        examples: &["marque if 1 alice s3cret \"k4 then h2; else stop\"", "marque if 1 alice s3cret off"],
        ..VerbSpec::board(
            "if",
            "GAME if board userid password \"plan\"|off [--say=\"...\"]",
            form!(
                |args| replies(args).map(BoardAction::If),
                BoardAction::If(plan) => vec![plan.as_ref().map_or_else(|| OFF.to_owned(), ToString::to_string)],
            ),
        )
    },
    word!("propose", BoardAction::Propose),
    word!("undo", BoardAction::Undo),
    word!("abandon", BoardAction::Abandon),
    VerbSpec {
        reply: ReplyForm::Alone,
        examples: &["marque accept 1 alice s3cret --say=yes", "marque accept 1 alice s3cret aebagbaf"],
        ..VerbSpec::board_word_or(
            "accept",
            "GAME accept board userid password [invitation] [--say=\"...\"]",
            || BoardAction::Accept(None),
            form!(accept, BoardAction::Accept(invitation) => invitation.iter().cloned().collect()),
        )
    },
    word!("reject", BoardAction::Reject),
    word!("resign", BoardAction::Resign),
    word!("decline", BoardAction::Decline),
    VerbSpec {
        reply: ReplyForm::Alone,
        examples: &["marque rematch 1 alice s3cret --say=\"Once more?\""],
        ..VerbSpec::board_word("rematch", "GAME rematch board userid password [--say=\"...\"]", || BoardAction::Rematch)
    },
    VerbSpec {
        reply: ReplyForm::Text,
        examples: &["marque chat 1 alice s3cret --say=\"Well played\""],
        ..VerbSpec::board_word("chat", "GAME chat board userid password [--say=\"...\"]", || BoardAction::Chat)
    },
    VerbSpec {
        reply: ReplyForm::Text,
        examples: &["marque note 1 alice s3cret"],
        ..VerbSpec::board_word("note", "GAME note board userid password [--say=\"...\"]", || BoardAction::Note)
    },
];

/// Returns the verb that was typed instead of a move, and its action.
fn in_place_of_move(text: &str) -> Option<(&'static str, BoardAction)> {
    let spec = VERBS.iter().find(|spec| spec.reply == ReplyForm::Alone && spec.name.eq_ignore_ascii_case(text))?;
    Some((spec.name, spec.board_action()?))
}

/// Creates the error for a verb in a place where only a move is allowed.
fn not_a_move(args: &Args<'_>, i: usize, verb: &'static str) -> WordError {
    WordError::at(i, message!("command.verb-for-a-move", verb)).near(args.with_verb(verb))
}

fn make_move(args: &mut Args<'_>) -> Result<BoardAction, WordError> {
    let MoveText { text, ply, last } = move_text(args)?;
    match (in_place_of_move(&text), ply) {
        (None, ply) => Ok(BoardAction::Move { text, ply }),
        (Some((_, action)), None) => Ok(action),
        (Some((verb, _)), Some(_)) => {
            Err(WordError::at(last, message!("command.verb-with-number", verb)).near(Some(verb)))
        }
    }
}

fn submit(args: &mut Args<'_>) -> Result<BoardAction, WordError> {
    let MoveText { text, ply, last } = move_text(args)?;
    match in_place_of_move(&text) {
        Some((verb, _)) => Err(not_a_move(args, last, verb)),
        None => Ok(BoardAction::Submit { text, ply }),
    }
}

fn queue(args: &mut Args<'_>) -> Result<BoardAction, WordError> {
    let MoveText { text, ply, last } = move_text(args)?;
    if ply.is_some() {
        return Err(WordError::at(last, message!("command.queue-with-number")).near(Some(text)));
    }
    if let Some((verb, _)) = in_place_of_move(&text) {
        return Err(not_a_move(args, last, verb));
    }
    // The move is stored as a plan with one reply, so it must be valid in a plan.
    plan::check_move(&text).map_err(|error| WordError::at(last, error.message))?;
    Ok(BoardAction::Queue(Some(text).filter(|text| !is_off(text))))
}

fn accept(args: &mut Args<'_>) -> Result<BoardAction, WordError> {
    let invitation = args.next()?.map(|i| args.word(i).to_owned());
    args.finish()?;
    Ok(BoardAction::Accept(invitation))
}

/// Reads all remaining words as one plan, quoted or not.
fn replies(args: &mut Args<'_>) -> Result<Option<Plan>, WordError> {
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
        let is_plan = |word: &str| is_off(word) || plan::read(word).is_ok();
        return Err(args.missing(message!("command.missing-plan"), is_plan));
    }
    if is_off(&text) {
        return Ok(None);
    }
    plan::read(&text).map(Some).map_err(|located| {
        let place = ends.iter().position(|(end, _)| located.at < *end).unwrap_or(ends.len() - 1);
        let (end, i) = ends[place];
        // A quoted plan is one argument, so find the wrong word within the argument.
        let word = args.word(i);
        let at = (located.at + word.len()).saturating_sub(end);
        let around = word.get(..at).zip(word.get(at + located.error.word.len()..));
        let near = located.nearest.map(|near| match around {
            Some((before, behind)) => format!("{before}{near}{behind}"),
            None => near,
        });
        WordError::at(i, located.error.message).near(near)
    })
}

/// A typed move.
pub(crate) struct MoveText {
    /// The move's text, with one separator between two cells.
    pub text: String,
    /// The ply after the `#`: `f3#14`.
    pub ply: Option<Ply>,
    /// The index of the move's last word.
    pub last: usize,
}

/// Reads the remaining arguments as a move.
pub(crate) fn move_text(args: &mut Args<'_>) -> Result<MoveText, WordError> {
    let mut text = String::new();
    let mut last = None;
    while let Some(i) = args.next()? {
        let word = bare_move(args.word(i));
        if last.is_some() && !continues(&text, word) {
            let message = message!("command.surplus-after-move", word = excerpt(word));
            let listed = Notation::listed(&format!("{text} {word} {}", args.rest().join(" ")));
            return Err(WordError::at(i, message).near(listed));
        }
        // A quoted "f3 f4" is split like the unquoted one, so that both are stored identically.
        for piece in word.split_whitespace().map(bare_move) {
            if piece.starts_with('#') {
                text.push_str(piece);
            } else {
                Notation::join(&mut text, piece);
            }
        }
        last = Some(i);
        // An option would be read as one, and `**` would be dropped, when the canonical line is parsed again.
        if !is_graphic(&text) || is_option(&text) || text == "**" {
            return Err(WordError::at(i, message!("command.not-a-move", word = excerpt(args.word(i)))));
        }
    }
    let Some(last) = last else { return Err(args.missing(message!("command.missing-move"), is_move)) };
    let (text, ply) = match text.rsplit_once('#') {
        Some((text, ply)) => match number(ply).filter(|ply| *ply > 0) {
            Some(ply) => (text.to_owned(), Some(Ply(ply))),
            None => return Err(WordError::at(last, message!("command.no-move-number")).near(Some(text))),
        },
        None => (text, None),
    };
    // Drop a trailing comma.
    let text = match text.strip_suffix(Notation::UNORDERED) {
        Some(cells) if Notation::is_list(cells) && !cells.is_empty() => cells.to_owned(),
        _ => text,
    };
    if text.is_empty() {
        return Err(WordError::at(last, message!("command.number-without-move")));
    }
    Ok(MoveText { text, ply, last })
}

/// Returns whether a word is a move of some game, or cancels one: `f3`, `f3,f4#14`, `e1-e2`, `swap`, `off`.
fn is_move(word: &str) -> bool {
    let word = word.split_once('#').map_or(word, |(text, _)| text);
    is_off(word)
        || catalogue::is_move_word(word)
        || catalogue::GAMES.iter().any(|game| {
            let cells = game.notation().cells(word);
            !cells.is_empty() && cells.into_iter().all(Notation::is_cell)
        })
}

/// Returns whether another word can belong to the move: `f3, f4`, `f3 f4`, `f3 #14`. For any other word, the error
/// should say that the line has too many words, not that the move is strange.
fn continues(text: &str, word: &str) -> bool {
    let (cells, ply) = word.split_once('#').map_or((word, None), |(cells, ply)| (cells, Some(ply)));
    !text.contains('#')
        && ply.is_none_or(|ply| number(ply).is_some())
        && Notation::is_list(cells)
        && Notation::is_list(text)
}
