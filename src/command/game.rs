//! Commands of a game: the words after `marque challenge`. Those said at a board are in `at.rs`.

use super::args::{Args, Fault};
use super::values::{board_at, is_board, is_graphic, need_which, number, userid, which};
use super::words::said;
use super::{Followed, Following, PreviewFrom, Verb, Which, Wish, at};
use crate::rules::Game;
use crate::text::nearest;

/// The most opponents that a player looks for.
const MOST_SOUGHT: u32 = 100;
/// The highest limit of boards; whoever wants more wants `all`.
const MOST_BOARDS: u32 = 1_000;

/// The verbs that follow something.
const FOLLOWING: [(&str, Following); 3] =
    [("subscribe", Following::Moves), ("notify", Following::Ends), ("unsubscribe", Following::Not)];

/// Reads what follows the verb, which is one of the table's names.
pub(super) fn read(game: &'static dyn Game, verb: &str, args: &mut Args<'_>) -> Result<Verb, Fault> {
    match verb {
        "challenge" => challenge(game, args),
        "seek" | "limit" => how_many(verb, args),
        "subscribe" | "notify" | "unsubscribe" => follow(verb, args),
        "show" => show(args),
        "games" => games(args),
        "history" => {
            let board = args.board()?;
            args.finish()?;
            Ok(Verb::History { board, json: args.json() })
        }
        "standings" => args.finish().map(|()| Verb::Standings),
        "preview" => preview(game, args),
        _ => at::read(verb, args),
    }
}

/// The verb that follows something so.
pub(super) fn following(how: Following) -> &'static str {
    FOLLOWING.iter().find(|(_, other)| *other == how).map_or("", |(verb, _)| verb)
}

fn challenge(game: &'static dyn Game, args: &mut Args<'_>) -> Result<Verb, Fault> {
    args.allow(game);
    let mut players = [None, None];
    for (place, what) in ["first userid", "second userid"].into_iter().enumerate() {
        let (i, word) = args.need_word(what)?;
        let anyone = word.eq_ignore_ascii_case("anyone");
        if anyone && place == 1 && players[0].is_none() {
            return Err(Fault::at(i, "One of the two must be a player: an open challenge is somebody's."));
        }
        if !anyone {
            players[place] = Some(userid(i, word)?);
        }
    }
    args.finish()?;
    let terms = args.terms()?;
    Ok(Verb::Challenge { options: args.options(), players, terms })
}

fn how_many(verb: &str, args: &mut Args<'_>) -> Result<Verb, Fault> {
    let (userid, password) = (args.userid("userid")?, args.password("password")?);
    let (i, word) = args.need_word("number")?;
    let wish = if verb == "seek" {
        let n = number(word).filter(|n| *n <= MOST_SOUGHT);
        n.map(Wish::Seek).ok_or_else(|| args.wrong(i, None, &format!("a number from 0 to {MOST_SOUGHT}")))?
    } else {
        match (word.to_ascii_lowercase().as_str(), number(word).filter(|n| *n <= MOST_BOARDS)) {
            ("all", _) => Wish::Limit(None),
            ("none", _) => Wish::Limit(Some(0)),
            (_, Some(n)) => Wish::Limit(Some(n)),
            (word, None) => {
                let expected = format!("\"all\", \"none\" or a number from 0 to {MOST_BOARDS}");
                return Err(args.wrong(i, nearest(word, ["all", "none"]), &expected));
            }
        }
    };
    args.finish()?;
    Ok(Verb::Wish { userid, password, wish })
}

fn follow(verb: &str, args: &mut Args<'_>) -> Result<Verb, Fault> {
    let all = args.first().is_some_and(|word| word.eq_ignore_ascii_case("all"));
    let what = if all { args.next()?.map(|_| Followed::All) } else { None };
    let what = what.map_or_else(|| args.board().map(Followed::Board), Ok)?;
    let (userid, password) = (args.userid("userid")?, args.password("password")?);
    args.finish()?;
    let how = FOLLOWING.iter().find(|(other, _)| *other == verb).map_or(Following::Not, |(_, how)| *how);
    Ok(Verb::Wish { userid, password, wish: Wish::Follow { what, how } })
}

/// Boards, each perhaps after so many plies; at least one.
pub(super) fn boards(args: &mut Args<'_>) -> Result<Vec<(u32, Option<u32>)>, Fault> {
    let mut boards = Vec::new();
    while let Some(i) = args.next()? {
        boards.push(board_at(i, args.word(i))?);
    }
    if boards.is_empty() { Err(Fault::missing("board number")) } else { Ok(boards) }
}

fn show(args: &mut Args<'_>) -> Result<Verb, Fault> {
    match args.first() {
        None => {
            args.finish()?;
            Err(Fault::missing("board number or userid"))
        }
        Some(word) if is_board(word) => Ok(Verb::Show { boards: boards(args)?, plain: args.plain() }),
        Some(_) => {
            let userids = vec![args.userid("userid")?];
            let which = optional_which(args)?.unwrap_or_default();
            args.finish()?;
            Ok(Verb::Games { userids, which })
        }
    }
}

/// `[all|active|next]` at a command's end.
pub(super) fn optional_which(args: &mut Args<'_>) -> Result<Option<Which>, Fault> {
    args.next()?.map(|i| need_which(i, args.word(i))).transpose()
}

fn games(args: &mut Args<'_>) -> Result<Verb, Fault> {
    let mut userids = Vec::new();
    while let Some(i) = args.next()? {
        if let Some(which) = which(args.word(i)) {
            args.finish()?;
            return Ok(Verb::Games { userids, which });
        }
        userids.push(userid(i, args.word(i))?);
    }
    Ok(Verb::Games { userids, which: Which::default() })
}

fn preview(game: &'static dyn Game, args: &mut Args<'_>) -> Result<Verb, Fault> {
    let new = args.first().is_some_and(|word| word.eq_ignore_ascii_case("new"));
    if new {
        args.allow(game);
    }
    let Some(i) = args.next()? else { return Err(Fault::missing("board number (or new)")) };
    let from = if new { None } else { Some(board_at(i, args.word(i))?) };
    let mut moves: Vec<String> = Vec::new();
    while let Some(i) = args.next()? {
        let word = args.word(i);
        if !is_graphic(word) {
            return Err(Fault::at(i, format!("{} is not a move.", said(word))));
        }
        // Words are moves in turn, so only a comma at the seam says that two belong together.
        match moves.last_mut() {
            Some(last) if last.ends_with(',') || word.starts_with(',') => last.push_str(word),
            _ => moves.push(word.to_owned()),
        }
    }
    let from = match from {
        Some((board, ply)) => PreviewFrom::Board(board, ply),
        None => PreviewFrom::New(args.options()),
    };
    Ok(Verb::Preview { from, moves, plain: args.plain() })
}
