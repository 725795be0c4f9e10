//! Rebuilds boards from their records.

use super::fault::{Fault, Read, fault};
use crate::command::Terms;
use crate::message;
use crate::rules::{Game, Options, Seat, catalogue};
use crate::service::board::record::{Record, RecordComment, seat};
use crate::service::board::replay::ReplayedBoard;
use crate::store::chain;
use crate::store::{Board, BoardResult, Comment, Entry, NewBoard, NoResult, PlayerId, StoreError, Transaction};

/// Creates the board without entries.
pub(crate) fn begin(tx: &mut Transaction<'_>, record: &Record) -> Read<Board> {
    let number = record.board;
    let game = known_game(&record.game)?;
    let start = game.start(&Options::from_canonical(&record.options));
    let Some(to_move) = start.ok().and_then(|play| play.to_move()) else {
        return fault(message!("import.no-options", board = number, game = &record.game, options = &record.options));
    };
    let players = [known(&*tx, &record.players[0])?, known(&*tx, &record.players[1])?];
    let challenger = record.challenger.as_ref().map(|userid| known(&*tx, userid)).transpose()?;
    if challenger.is_some_and(|challenger| !players.contains(&challenger)) {
        return fault(message!("import.challenger", board = number));
    }
    let [first, second] = &record.players;
    // If a player was removed, the original userids are unknown.
    let began_as = record.began_as.clone().unwrap_or([Some(first.clone()), Some(second.clone())]);
    let genesis = |[first, second]: [&str; 2]| chain::genesis(&record.game, &record.options, [first, second]);
    if let [Some(first), Some(second)] = &began_as
        && record.genesis != genesis([first, second])
    {
        return fault(message!("import.genesis", board = number));
    }
    let given = tx.add_board(&NewBoard {
        number: Some(number),
        game: record.game.clone(),
        options: record.options.clone(),
        terms: Terms { time_control: record.limits, flags: record.flags },
        players,
        to_move,
        challenger,
        rematch_of: record.rematch_of,
        hash: record.genesis.clone(),
        created_at: record.created_at,
    })?;
    if record.began_as.is_some() {
        tx.set_began_as(given, &began_as)?;
    }
    match tx.board(given)? {
        Some(board) if given == number => Ok(board),
        _ => fault(message!("import.board-number", board = number, given)),
    }
}

/// Adds the entries and comments of a record to a board that has the first `present` entries. Recomputes each hash
/// and plays each move.
pub(crate) fn append(tx: &mut Transaction<'_>, board: &mut Board, record: &Record, present: usize) -> Read<()> {
    let mut replayed = ReplayedBoard::after(board, &tx.entries(board.number)?)?;
    let mut head = board.head.clone();
    for line in record.entries.iter().skip(present) {
        let (number, place) = (record.board, line.entry);
        if line.hash != chain::next(&head, line.ply, &line.text) {
            return fault(message!("import.entry-hash", board = number, entry = place));
        }
        let entry = Entry {
            entry: line.entry,
            kind: line.kind,
            ply: line.ply,
            seat: line.seat.map(a_seat).transpose()?,
            text: line.text.clone(),
            made_at: line.made_at,
            via: line.via,
            hash: line.hash.clone(),
        };
        let told = |error| match error {
            StoreError::Failed(why) => Fault::What(message!("import.entry", board = number, entry = place, why)),
            StoreError::Record(why) => {
                Fault::What(message!("import.entry", board = number, entry = place, why = why.to_string()))
            }
            error => Fault::Store(error),
        };
        replayed.append(&entry).map_err(told)?;
        let to_move = replayed.position().to_move().filter(|_| entry.kind.continues());
        tx.add_entry(record.board, &entry, to_move).map_err(told)?;
        head.clone_from(&line.hash);
        (board.to_move, board.moved_at) = (to_move, line.made_at);
    }
    let is_new = |said: &&RecordComment| present == 0 || said.entry.0 as usize > present;
    for said in record.comments.iter().filter(is_new) {
        let player = known(&*tx, &said.player)?;
        let comment =
            Comment { board: record.board, entry: said.entry, player, text: said.text.clone(), said_at: said.said_at };
        if board.players.iter().all(|seated| seated.id != player) || said.entry.0 as usize > record.entries.len() {
            return fault(message!("import.comment", board = record.board));
        }
        tx.add_comment(&comment)?;
    }
    Ok(())
}

/// Ends a board as recorded.
pub(crate) fn close(tx: &mut Transaction<'_>, board: &Board, record: &Record) -> Read<()> {
    if let Some(result) = &record.result {
        let winner = result.winner.map(a_seat).transpose()?;
        let result = BoardResult { winner, reason: result.reason.clone(), ended_at: result.ended_at };
        tx.end_board(board.number, &result)?;
    }
    if let Some(why) = record.no_result {
        // A record does not contain who declined, and this is not shown: use the player to move.
        let by = board.to_move.map_or(board.players[1].id, |seat| board.players[seat.index()].id);
        let by = Some(by).filter(|_| matches!(why, NoResult::Declined | NoResult::Expired));
        tx.end_without_result(board.number, why, by, board.moved_at)?;
    }
    Ok(())
}

/// Finds a player by their userid.
pub(crate) fn known(tx: &Transaction<'_>, userid: &str) -> Read<PlayerId> {
    match tx.player(userid)? {
        Some(player) if player.userid == userid => Ok(player.id),
        _ => fault(message!("import.no-player", userid)),
    }
}

/// Finds a game by its name.
pub(crate) fn known_game(name: &str) -> Read<&'static dyn Game> {
    catalogue::find(name).map_or_else(|| fault(message!("import.no-game", name)), Ok)
}

/// Returns the seat with the number 1 or 2 in a record.
pub(crate) fn a_seat(number: u8) -> Read<Seat> {
    seat(number).map_or_else(|| fault(message!("import.no-seat", number)), Ok)
}
