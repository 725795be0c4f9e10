//! Rebuilding a server from its export, in the caller's transaction, which the caller drops on any error.

use std::collections::BTreeMap;
use std::io::BufRead;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{
    BoardLine, Counts, FORMAT, FollowLine, Head, Line, Of, OfferLine, PlayerLine, Result, SeatLine, StateLine,
    SubmittedLine, TransferError,
};
use crate::clock::Span;
use crate::command::{Dmarc, UnsolicitedLetters};
use crate::numbers::BoardNumber;
use crate::rules::{Options, Seat, catalogue};
use crate::service::board::record::{self, Record, seat};
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::{check, rate};
use crate::store::chain;
use crate::store::{
    Board, BoardClock, BoardResult, Comment, Entry, EntryKind, Followed, GamePreferences, NewBoard, OpenChallenge,
    PlayerId, PlayerRef, Proposal, SeatState, Settings, StoreError, SubmittedMove, Transaction,
};
use crate::world::World;

/// Reads the export of a whole server into an empty database. Nothing counts unless the caller commits.
///
/// # Errors
/// [`TransferError::NotEmpty`]; [`TransferError::Line`] with what is wrong there; the store's, or that of reading.
pub fn import(tx: &mut dyn Transaction, world: World, lines: impl BufRead) -> Result<Counts> {
    if let Some(there) = what_is_there(tx)? {
        return Err(TransferError::NotEmpty(there));
    }
    let mut import = Import {
        tx,
        world,
        line: 0,
        exported_at: None,
        counts: Counts::default(),
        rated: BTreeMap::new(),
        follows: Vec::new(),
        muted: Vec::new(),
        ended: false,
    };
    for text in lines.lines() {
        import.line += 1;
        let text = text?;
        import.read(&text).map_err(|error| match error {
            Fault::What(what) | Fault::Store(StoreError::Failed(what)) => {
                TransferError::Line { line: import.line, what }
            }
            Fault::Store(error) => TransferError::Store(error),
        })?;
    }
    if !import.ended {
        let what = "the export ends here without its last line: it was cut".to_owned();
        return Err(TransferError::Line { line: import.line, what });
    }
    Ok(import.counts)
}

fn what_is_there(tx: &dyn Transaction) -> Result<Option<String>> {
    let mut there = Vec::new();
    let players = tx.players()?;
    match &players[..] {
        [] => {}
        [one] => there.push(format!("the player {}", one.userid)),
        [one, others @ ..] => there.push(format!("the player {} and {} more", one.userid, others.len())),
    }
    if tx.board(BoardNumber(1))?.is_some() || !tx.boards(None, None, false)?.is_empty() {
        there.push("boards".to_owned());
    }
    if tx.open_challenge(BoardNumber(1))?.is_some() || !tx.open_challenges(None)?.is_empty() {
        there.push("open challenges".to_owned());
    }
    if !tx.inbox(1)?.is_empty() {
        there.push("mails in its inbox".to_owned());
    }
    if !tx.outbox(false, 1)?.is_empty() {
        there.push("letters in its outbox".to_owned());
    }
    Ok(Some(there.join(", ")).filter(|there| !there.is_empty()))
}

/// What is wrong with the present line.
enum Fault {
    What(String),
    Store(StoreError),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

type Read<T> = std::result::Result<T, Fault>;

fn fault<T>(what: impl Into<String>) -> Read<T> {
    Err(Fault::What(what.into()))
}

struct Import<'a> {
    tx: &'a mut dyn Transaction,
    world: World,
    line: usize,
    /// When the export was made: known once the first line is read.
    exported_at: Option<DateTime<Utc>>,
    counts: Counts,
    /// Rated boards by their place in the order in which they ended.
    rated: BTreeMap<u32, BoardNumber>,
    /// Kept until the boards are there.
    follows: Vec<(PlayerId, FollowLine)>,
    muted: Vec<(PlayerId, BoardNumber)>,
    ended: bool,
}

impl Import<'_> {
    fn read(&mut self, text: &str) -> Read<()> {
        if self.ended {
            return fault("something follows the last line of the export");
        }
        let Some(exported_at) = self.exported_at else {
            self.exported_at = Some(head(text)?.exported_at);
            return Ok(());
        };
        // serde_json says "at line 1", which is this line and would be taken for the file's.
        let line = serde_json::from_str(text).or_else(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            fault(format!("it is no line of an export: {what} (column {})", error.column()))
        })?;
        match line {
            Line::Player(player) => self.player(player, exported_at),
            Line::Offer(offer) => self.offer(offer),
            Line::Board(board) => self.board(*board),
            Line::End(counts) => self.end(counts),
        }
    }

    fn player(&mut self, line: PlayerLine, exported_at: DateTime<Utc>) -> Read<()> {
        let userid = line.userid;
        if self.tx.player(&userid)?.is_some() {
            return fault(format!("the player {userid} comes twice"));
        }
        let Some(password_hash) = line.password_hash else {
            return fault(format!("the player {userid} has no password_hash"));
        };
        let player = self.tx.add_player(&userid, &password_hash, line.created_at)?;
        for known in line.addresses {
            // Nobody knows the new code: an address that was not confirmed must be given once more.
            let code = known.confirmed_at.is_none().then(|| self.world.letters(12));
            let at = known.confirmed_at.unwrap_or(exported_at);
            self.tx.add_address(player, &known.address, code.as_deref(), at)?;
            if let (Some((since, why)), None) = (&known.paused, code) {
                self.tx.pause_address(player, &known.address, why, *since)?;
            }
        }
        let word =
            |key: &str, value: &str| Fault::What(format!("{key}={value} is nothing that {userid} could have set"));
        let settings = line.settings;
        if settings.zone.parse::<chrono_tz::Tz>().is_err() {
            return Err(word("zone", &settings.zone));
        }
        let settings = Settings {
            mail: settings.mail.parse().map_err(|_| word("mail", &settings.mail))?,
            rhythm: settings.rhythm.parse().map_err(|_| word("rhythm", &settings.rhythm))?,
            reminders: settings.reminders.parse().map_err(|_| word("reminders", &settings.reminders))?,
            weekend: settings.weekend.parse().map_err(|_| word("weekend", &settings.weekend))?,
            // Exports of older servers know neither.
            letters: match settings.letters {
                Some(letters) => letters.parse().map_err(|_| word("letters", &letters))?,
                None => UnsolicitedLetters::default(),
            },
            dmarc: match settings.dmarc {
                Some(dmarc) => dmarc.parse().map_err(|_| word("dmarc", &dmarc))?,
                None => Dmarc::default(),
            },
            zone: settings.zone,
        };
        self.tx.set_settings(player, &settings)?;
        self.tx.set_blocked(player, line.blocked_at)?;
        for vacation in line.vacations {
            self.tx.add_vacation(player, &Span { from: vacation.from, until: vacation.until })?;
        }
        if let Some(left_at) = line.left_at {
            self.tx.leave(player, left_at)?;
        }
        for (game, wish) in line.wishes {
            known_game(&game)?;
            self.tx.set_game_preferences(player, &game, &GamePreferences { seeks: wish.seeks, most: wish.most })?;
        }
        self.muted.extend(line.muted.into_iter().map(|board| (player, board)));
        self.follows.extend(line.follows.into_iter().map(|follow| (player, follow)));
        self.counts.players += 1;
        Ok(())
    }

    fn offer(&mut self, line: OfferLine) -> Read<()> {
        known_game(&line.game)?;
        let number = line.number;
        let given = self.tx.add_open_challenge(&OpenChallenge {
            number,
            game: line.game,
            options: line.options,
            challenger: PlayerRef { id: self.known(&line.challenger)?, userid: line.challenger },
            seat: a_seat(line.seat)?,
            rated: line.rated,
            private: line.private,
            time_control: line.limits.into(),
            comment: line.comment,
            created_at: line.created_at,
            closed_at: None,
        })?;
        if given != number {
            return fault(format!("the open challenge {number} comes where number {given} is due: a line is missing"));
        }
        if let Some(closed_at) = line.closed_at {
            self.tx.close_open_challenge(number, closed_at)?;
        }
        self.counts.offers += 1;
        Ok(())
    }

    fn board(&mut self, line: BoardLine) -> Read<()> {
        let BoardLine { record, state } = line;
        let number = record.board;
        if record.format != record::FORMAT {
            return fault(format!(
                "board {number}: its format is \"{}\", and this turnpost reads \"{}\"",
                record.format,
                record::FORMAT
            ));
        }
        if self.tx.board(number)?.is_some() {
            return fault(format!("board {number} comes twice"));
        }
        let mut board = self.begin(&record)?;
        self.replay(&mut board, &record)?;
        self.close(&board, &record)?;
        self.arrange(&board, &state)?;
        let board = self.tx.board(number)?.unwrap_or(board);
        if let Some(difference) = check::check_board(&*self.tx, &board)?.into_iter().next() {
            return fault(difference.trim_end_matches('.'));
        }
        match (check::counts(&board), record.rated_as) {
            (true, Some(place)) => {
                if let Some(other) = self.rated.insert(place, number) {
                    return fault(format!("the boards {other} and {number} are both number {place} of the rated ones"));
                }
            }
            (false, None) => {}
            (true, None) => return fault(format!("board {number} is rated and over, and has no rated_as")),
            (false, Some(_)) => return fault(format!("board {number} has a rated_as, and its end changes no ratings")),
        }
        self.counts.boards += 1;
        self.counts.entries += board.entries.0;
        Ok(())
    }

    /// Makes the board, without entries.
    fn begin(&mut self, record: &Record) -> Read<Board> {
        let number = record.board;
        let game = known_game(&record.game)?;
        let start = game.start(&Options::from_canonical(&record.options));
        let Some(to_move) = start.ok().and_then(|play| play.to_move()) else {
            return fault(format!("board {number}: {} has no options \"{}\"", record.game, record.options));
        };
        let players = [self.known(&record.players[0])?, self.known(&record.players[1])?];
        let challenger = record.challenger.as_ref().map(|userid| self.known(userid)).transpose()?;
        if challenger.is_some_and(|challenger| !players.contains(&challenger)) {
            return fault(format!("board {number}: its challenger does not play on it"));
        }
        let [first, second] = &record.players;
        // With a player who was removed, nobody can know what it was made of.
        let began_as = record.began_as.clone().unwrap_or([Some(first.clone()), Some(second.clone())]);
        let genesis = |[first, second]: [&str; 2]| chain::genesis(&record.game, &record.options, [first, second]);
        if let [Some(first), Some(second)] = &began_as
            && record.genesis != genesis([first, second])
        {
            return fault(format!("board {number}: genesis is not the hash of its game, options and players"));
        }
        let given = self.tx.add_board(&NewBoard {
            number: Some(number),
            game: record.game.clone(),
            options: record.options.clone(),
            players,
            to_move,
            challenger,
            rated: record.rated,
            private: record.private,
            time_control: record.limits.into(),
            hash: record.genesis.clone(),
            created_at: record.created_at,
        })?;
        if record.began_as.is_some() {
            self.tx.set_began_as(given, &began_as)?;
        }
        match self.tx.board(given)? {
            Some(board) if given == number => Ok(board),
            _ => fault(format!("board {number} got the number {given}")),
        }
    }

    /// Adds the entries, each hash computed again and each move played.
    fn replay(&mut self, board: &mut Board, record: &Record) -> Read<()> {
        let mut replayed = ReplayedBoard::before(board, &[])?;
        let mut head = record.genesis.clone();
        for line in &record.entries {
            let at = format!("board {}, entry {}", record.board, line.entry);
            if line.hash != chain::next(&head, line.ply, &line.text) {
                return fault(format!("{at}: its hash is not that of the hash before it and of what it says"));
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
                StoreError::Failed(why) => Fault::What(format!("{at}: {why}")),
                StoreError::Record(why) => Fault::What(format!("{at}: {why}")),
                error => Fault::Store(error),
            };
            replayed.append(&entry).map_err(told)?;
            let ends = !matches!(entry.kind, EntryKind::Move | EntryKind::Undo);
            let to_move = replayed.position().to_move().filter(|_| !ends);
            self.tx.add_entry(record.board, &entry, to_move).map_err(told)?;
            head.clone_from(&line.hash);
            (board.to_move, board.moved_at) = (to_move, line.made_at);
        }
        for said in &record.comments {
            let player = self.known(&said.player)?;
            let comment = Comment {
                board: record.board,
                entry: said.entry,
                player,
                text: said.text.clone(),
                said_at: said.said_at,
            };
            if board.players.iter().all(|seated| seated.id != player) || said.entry.0 as usize > record.entries.len() {
                return fault(format!(
                    "board {}: a comment is by nobody who plays there, or from its future",
                    record.board
                ));
            }
            self.tx.add_comment(&comment)?;
        }
        Ok(())
    }

    fn close(&mut self, board: &Board, record: &Record) -> Read<()> {
        if let Some(result) = &record.result {
            let winner = result.winner.map(a_seat).transpose()?;
            let result = BoardResult { winner, reason: result.reason.clone(), ended_at: result.ended_at };
            self.tx.end_board(board.number, &result)?;
        }
        if record.declined {
            // Who declined, and when, is no part of a record, and is shown nowhere: the player to move is taken instead.
            let by = board.to_move.map_or(board.players[1].id, |seat| board.players[seat.index()].id);
            self.tx.decline_board(board.number, by, board.moved_at)?;
        }
        Ok(())
    }

    fn arrange(&mut self, board: &Board, state: &StateLine) -> Read<()> {
        let number = board.number;
        for seat in Seat::BOTH {
            let SeatLine { used_seconds, plan, submitted, resigns, note } = &state.seats[seat.index()];
            let (plan, resigns) = (plan.clone(), *resigns);
            if plan.as_ref().is_some_and(|plan| plan.parse::<crate::command::Plan>().is_err()) {
                return fault(format!("board {number}: a plan is none"));
            }
            let submitted = submitted
                .as_ref()
                .map(|SubmittedLine { text, after }| SubmittedMove { text: text.clone(), after: *after });
            self.tx.set_seat(number, seat, &SeatState { used: seconds(*used_seconds), plan, submitted, resigns })?;
            self.tx.set_note(number, board.players[seat.index()].id, note.as_deref(), board.moved_at)?;
        }
        let clock = state.clock.as_ref().map(|clock| BoardClock {
            since: clock.since,
            thought: seconds(clock.thought_seconds),
            reminded: clock.reminded,
            due_at: clock.due_at,
        });
        self.tx.set_clock(number, clock.as_ref())?;
        if let Some(open) = &state.proposal {
            self.tx.set_proposal(number, Some(Proposal { kind: open.kind, by: a_seat(open.by)? }))?;
        }
        Ok(())
    }

    /// The last line: all of it has come, and what hangs on all of it follows.
    fn end(&mut self, counts: Counts) -> Read<()> {
        if counts != self.counts {
            return fault(format!("the export had {counts:?}, and {:?} are here: lines are missing", self.counts));
        }
        for ((place, number), due) in self.rated.iter().zip(1..) {
            if *place != due {
                return fault(format!("board {number} has rated_as {place} where {due} is due"));
            }
            if let Some(board) = self.tx.board(*number)? {
                rate::rate(self.tx, &board)?;
            }
        }
        for (player, follow) in std::mem::take(&mut self.follows) {
            let what = match (follow.board, follow.game) {
                (Some(number), None) if self.tx.board(number)?.is_some() => Followed::Board(number),
                (None, Some(game)) => Followed::Game(known_game(&game)?.name().to_owned()),
                _ => return fault("somebody follows what is neither a board nor a game"),
            };
            self.tx.follow(player, &what, Some(follow.ends_only))?;
        }
        for (player, number) in std::mem::take(&mut self.muted) {
            if self.tx.board(number)?.is_none() {
                return fault(format!("somebody wants no letters about board {number}, which is not there"));
            }
            self.tx.set_muted(player, number, true)?;
        }
        self.ended = true;
        Ok(())
    }

    fn known(&self, userid: &str) -> Read<PlayerId> {
        match self.tx.player(userid)? {
            Some(player) if player.userid == userid => Ok(player.id),
            _ => fault(format!("no line before this one has the player \"{userid}\"")),
        }
    }
}

/// The first line. Its format is looked at before anything else of it, as a later format may have more there.
fn head(text: &str) -> Read<Head> {
    let format = serde_json::from_str::<Value>(text).ok().and_then(|head| Some(head["format"].as_str()?.to_owned()));
    match format.as_deref() {
        Some(FORMAT) => {}
        Some(other) if other.starts_with("turnpost export ") => {
            return fault(format!("the format is \"{other}\", and this turnpost reads \"{FORMAT}\""));
        }
        _ => return fault(format!("this is no export of a turnpost: its first line would say \"{FORMAT}\"")),
    }
    let head: Head = serde_json::from_str(text).or_else(|error| fault(format!("the first line is none: {error}")))?;
    match head.of {
        Of::Server => Ok(head),
        Of::Player => fault("this is the export of one player; only that of a whole server can be imported"),
    }
}

fn known_game(name: &str) -> Read<&'static dyn crate::rules::Game> {
    catalogue::find(name).map_or_else(|| fault(format!("this turnpost has no game {name:?}")), Ok)
}

fn a_seat(number: u8) -> Read<Seat> {
    seat(number).map_or_else(|| fault(format!("{number} is no seat: they are 1 and 2")), Ok)
}

fn seconds(count: u32) -> TimeDelta {
    TimeDelta::seconds(i64::from(count))
}
