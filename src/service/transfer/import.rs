//! Rebuilds a server from its export, in the caller's transaction, which the caller drops on any error.

use std::collections::BTreeMap;
use std::io::BufRead;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::boards::{self, a_seat, known, known_game};
use super::correspondence::{kept_mail, kept_notice};
use super::fault::{Fault, Read, fault};
use super::lines::{
    ActLine, BoardLine, Counts, FollowLine, Head, Line, MadeProposalLine, MailLine, NoticeLine, Of, OfferLine,
    PlayerLine, PuzzleLine, SeatLine, ServerLine, StateLine, SubmittedLine,
};
use super::players::{self, Restored};
use super::puzzles::checked_puzzle;
use super::seal::{Passphrase, SALT, Seal, Secret, opened};
use super::{FORMAT, FORMAT_1, Result, TransferError};
use crate::command::{Plan, Reply};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Seat;
use crate::service::board::record;
use crate::service::board::{check, plans, rate};
use crate::store::{
    Act, Actor, Board, BoardClock, Followed, KeptProposal, MadeProposal, OpenChallenge, OutboxId, PlayerId, PlayerRef,
    Proposal, SeatState, Stop, StopCause, StoreError, SubmittedMove, Transaction,
};
use crate::text::{Message, unhex};
use crate::token::Key;
use crate::world::World;

/// Reads the export of a complete server into an empty database. The passphrase decrypts the secrets in it. The
/// import takes effect when the caller commits.
///
/// # Errors
/// [`TransferError::NotEmpty`]; [`TransferError::Line`] with the fault in a line; or if the store or reading fails.
pub fn import(
    tx: &mut Transaction<'_>,
    world: World,
    passphrase: Option<&Passphrase>,
    lines: impl BufRead,
) -> Result<Counts> {
    if let Some(there) = what_is_there(tx)? {
        return Err(TransferError::NotEmpty(there));
    }
    let mut import = Import {
        tx,
        world,
        passphrase,
        seal: None,
        line: 0,
        exported_at: None,
        counts: Counts::default(),
        rated: BTreeMap::new(),
        follows: Vec::new(),
        muted: Vec::new(),
        turn_letters: Vec::new(),
        letters: Vec::new(),
        ended: false,
    };
    for text in lines.lines() {
        import.line += 1;
        let text = text?;
        import.read(&text).map_err(|error| match error {
            Fault::What(what) => TransferError::Line { line: import.line, what },
            Fault::Store(StoreError::Failed(what)) => {
                TransferError::Line { line: import.line, what: Message::verbatim(what) }
            }
            Fault::Store(error) => TransferError::Store(error),
        })?;
    }
    if !import.ended {
        return Err(TransferError::Line { line: import.line, what: message!("import.cut") });
    }
    Ok(import.counts)
}

fn what_is_there(tx: &Transaction<'_>) -> Result<Option<Message>> {
    let players = tx.players()?;
    let userids: Vec<String> = players.into_iter().map(|player| player.userid).collect();
    let boards = tx.board(BoardNumber(1))?.is_some() || !tx.boards(None, None, false)?.is_empty();
    let challenges = tx.open_challenge(BoardNumber(1))?.is_some() || !tx.open_challenges(None)?.is_empty();
    let (mails, letters) = (!tx.inbox(1)?.is_empty(), !tx.outbox(false, 1)?.is_empty());
    let any = !userids.is_empty() || boards || challenges || mails || letters;
    Ok(any.then(|| message!("import.not-empty", userids, boards, challenges, mails, letters)))
}

struct Import<'a, 't> {
    tx: &'a mut Transaction<'t>,
    world: World,
    passphrase: Option<&'a Passphrase>,
    /// Decrypts the secrets of the export. Known after the first line.
    seal: Option<Seal>,
    line: usize,
    /// When the export was created. Known after the first line.
    exported_at: Option<DateTime<Utc>>,
    counts: Counts,
    /// Rated boards by their position in the order in which they ended.
    rated: BTreeMap<u32, BoardNumber>,
    /// Stored until the boards are imported.
    follows: Vec<(PlayerId, FollowLine)>,
    muted: Vec<(PlayerId, BoardNumber)>,
    turn_letters: Vec<(PlayerId, BoardNumber, EntryNumber)>,
    /// Notices and the leading notices of their letters, which may follow later.
    letters: Vec<(OutboxId, OutboxId)>,
    ended: bool,
}

impl Import<'_, '_> {
    fn read(&mut self, text: &str) -> Read<()> {
        if self.ended {
            return fault(message!("import.after-end"));
        }
        let Some(exported_at) = self.exported_at else {
            let head = head(text)?;
            self.exported_at = Some(head.exported_at);
            return self.server(head.server);
        };
        // serde_json reports "at line 1", which refers to this line but would be understood as the file's.
        let line = serde_json::from_str(text).or_else(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            fault(message!("import.no-line", what, column = error.column()))
        })?;
        match line {
            Line::Blocked(blocked) => players::block(self.tx, blocked),
            Line::Player(player) => self.player(*player, exported_at),
            Line::Offer(offer) => self.offer(offer),
            Line::Board(board) => self.board(*board),
            Line::Puzzle(puzzle) => self.puzzle(puzzle),
            Line::Outbox(notice) => self.notice(*notice),
            Line::Inbox(mail) => self.mail(*mail),
            Line::Standstill(stop) => self.standstill(&stop),
            Line::Act(act) => self.act(act),
            Line::End(counts) => self.end(counts),
        }
    }

    /// Imports the keys of the server, and decrypts the seal.
    fn server(&mut self, server: Option<ServerLine>) -> Read<()> {
        let sealed = server.as_ref().and_then(|server| server.sealed.as_ref());
        let key = match (sealed, self.passphrase) {
            (None, None) => None,
            (Some(_), None) => return fault(message!("import.needs-passphrase")),
            (None, Some(_)) => return fault(message!("import.no-key")),
            (Some(sealed), Some(passphrase)) => {
                let salt = unhex(&sealed.salt).and_then(|salt| <[u8; SALT]>::try_from(salt).ok());
                let Some(salt) = salt else { return fault(message!("import.sealed")) };
                let seal = Seal::new(passphrase, salt);
                let Ok(key) = opened(Some(&seal), Secret::Key, &sealed.key) else {
                    return fault(message!("import.wrong-passphrase"));
                };
                self.seal = Some(seal);
                Some(<[u8; 32]>::try_from(key).map_err(|_| Fault::What(message!("import.sealed")))?)
            }
        };
        let Some(ServerLine { server_id, last_numbers, clocks_seen_at, .. }) = server else { return Ok(()) };
        // It is part of every Message-ID.
        if server_id.is_empty() || !server_id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return fault(message!("import.server-id", server_id));
        }
        // The time without a server is an outage.
        if let Some(seen_at) = clocks_seen_at {
            self.tx.set_clocks_seen_at(seen_at)?;
        }
        self.tx.set_keys(&server_id, key.map(Key::new).as_ref())?;
        Ok(self.tx.set_last_numbers(&last_numbers)?)
    }

    fn player(&mut self, line: PlayerLine, exported_at: DateTime<Utc>) -> Read<()> {
        let userid = line.userid.clone();
        if self.tx.player(&userid)?.is_some() {
            return fault(message!("import.player-twice", userid));
        }
        for game in line.wishes.keys().chain(&line.puzzles).chain(line.solved.iter().map(|solved| &solved.game)) {
            known_game(game)?;
        }
        let Restored { player, muted, follows, turn_letters } =
            players::restore(self.tx, self.world, self.seal.as_ref(), line, exported_at)?;
        self.muted.extend(muted.into_iter().map(|board| (player, board)));
        self.follows.extend(follows.into_iter().map(|follow| (player, follow)));
        self.turn_letters.extend(turn_letters.into_iter().map(|(board, entry)| (player, board, entry)));
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
            challenger: PlayerRef { id: known(&*self.tx, &line.challenger)?, userid: line.challenger },
            seat: a_seat(line.seat)?,
            rated: line.rated,
            private: line.private,
            time_control: line.limits.into(),
            comment: line.comment,
            created_at: line.created_at,
            closed_at: None,
        })?;
        if given != number {
            return fault(message!("import.challenge-missing", number, given));
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
            return fault(message!(
                "import.board-format",
                board = number,
                format = record.format,
                known = record::FORMAT
            ));
        }
        if self.tx.board(number)?.is_some() {
            return fault(message!("import.board-twice", board = number));
        }
        let mut board = boards::begin(self.tx, &record)?;
        boards::append(self.tx, &mut board, &record, 0)?;
        boards::close(self.tx, &board, &record)?;
        self.arrange(&board, &state)?;
        let board = self.tx.board(number)?.unwrap_or(board);
        if let Some(difference) = check::check_board(&*self.tx, &board)?.into_iter().next() {
            return fault(message!("import.difference", difference));
        }
        match (check::counts(&board), record.rated_as) {
            (true, Some(place)) => {
                if let Some(other) = self.rated.insert(place, number) {
                    return fault(message!("import.rated-twice", board = number, other, place));
                }
            }
            (false, None) => {}
            (true, None) => return fault(message!("import.no-rated-as", board = number)),
            (false, Some(_)) => return fault(message!("import.rated-as", board = number)),
        }
        self.counts.boards += 1;
        self.counts.entries += board.entries.0;
        Ok(())
    }

    fn arrange(&mut self, board: &Board, state: &StateLine) -> Read<()> {
        let number = board.number;
        for seat in Seat::BOTH {
            let SeatLine { used_seconds, plan, submitted, note, resigns } = &state.seats[seat.index()];
            let resigns = resigns.then(|| plans::to_any_move(Reply::Resign).to_string());
            let plan = resigns.or_else(|| plan.clone());
            if plan.as_ref().is_some_and(|plan| plan.parse::<Plan>().is_err()) {
                return fault(message!("import.plan", board = number));
            }
            let submitted = submitted
                .as_ref()
                .map(|SubmittedLine { text, after }| SubmittedMove { text: text.clone(), after: *after });
            self.tx.set_seat(number, seat, &SeatState { used: seconds(*used_seconds), plan, submitted })?;
            self.tx.set_note(number, board.players[seat.index()].id, note.as_deref(), board.moved_at)?;
        }
        let clock = state.clock.as_ref().map(|clock| BoardClock {
            since: clock.since,
            thought: TimeDelta::try_seconds(clock.thought_seconds).unwrap_or_default(),
            reminded: clock.reminded,
            due_at: clock.due_at,
        });
        self.tx.set_clock(number, clock.as_ref())?;
        if let Some(open) = &state.proposal {
            self.tx.set_proposal(number, Some(Proposal { kind: open.kind, by: a_seat(open.by)? }))?;
        }
        for MadeProposalLine { entry, kind, by, via, made_at, answer } in &state.proposals {
            let proposal = Proposal { kind: *kind, by: a_seat(*by)? };
            let made = MadeProposal { board: number, entry: *entry, proposal, via: *via, made_at: *made_at };
            self.tx.restore_proposal(&KeptProposal { made, answer: *answer })?;
        }
        Ok(())
    }

    fn notice(&mut self, line: NoticeLine) -> Read<()> {
        let player = line.player.as_ref().map(|userid| known(&*self.tx, userid)).transpose()?;
        let kept = kept_notice(line, player)?;
        self.tx.restore_notice(&kept)?;
        self.letters.extend(kept.letter.map(|letter| (kept.id, letter)));
        self.counts.notices += 1;
        Ok(())
    }

    fn puzzle(&mut self, line: PuzzleLine) -> Read<()> {
        let puzzle = checked_puzzle(&*self.tx, line)?;
        self.tx.add_puzzle(&puzzle)?;
        self.counts.puzzles += 1;
        Ok(())
    }

    fn mail(&mut self, line: MailLine) -> Read<()> {
        let author = line.author.as_ref().map(|userid| known(&*self.tx, userid)).transpose()?;
        let kept = kept_mail(line, author, self.seal.as_ref())?;
        self.tx.restore_mail(&kept)?;
        self.counts.mails += 1;
        Ok(())
    }

    fn standstill(&mut self, stop: &Stop) -> Read<()> {
        if stop.cause == StopCause::Held && stop.until.is_none() {
            self.tx.set_letters_held_at(Some(stop.from))?;
        }
        Ok(self.tx.add_standstill(stop)?)
    }

    fn act(&mut self, line: ActLine) -> Read<()> {
        let ActLine { done_at, userid, shell, act: kind, board, player, detail, reason } = line;
        let by = match (userid, shell) {
            (Some(userid), None) => Actor::Player(known(&*self.tx, &userid)?),
            (None, Some(user)) => Actor::Shell(user),
            _ => return fault(message!("import.act")),
        };
        let player = player.map(|userid| known(&*self.tx, &userid)).transpose()?;
        Ok(self.tx.add_act(&Act { done_at, by, kind, board, player, detail, reason })?)
    }

    /// Processes the last line: the import is complete, and dependent data follows.
    fn end(&mut self, counts: Counts) -> Read<()> {
        if counts != self.counts {
            return fault(message!(
                "import.lines-missing",
                counts = format!("{counts:?}"),
                here = format!("{:?}", self.counts)
            ));
        }
        for ((place, number), due) in self.rated.iter().zip(1..) {
            if *place != due {
                return fault(message!("import.rated-order", board = *number, place = *place, due));
            }
            if let Some(board) = self.tx.board(*number)? {
                rate::rate(self.tx, &board)?;
            }
        }
        for (player, follow) in std::mem::take(&mut self.follows) {
            let what = match (follow.board, follow.game) {
                (Some(number), None) if self.tx.board(number)?.is_some() => Followed::Board(number),
                (None, Some(game)) => Followed::Game(known_game(&game)?.name().to_owned()),
                _ => return fault(message!("import.follows-nothing")),
            };
            self.tx.follow(player, &what, Some(follow.ends_only))?;
        }
        for (player, number) in std::mem::take(&mut self.muted) {
            if self.tx.board(number)?.is_none() {
                return fault(message!("import.muted-board", board = number));
            }
            self.tx.set_muted(player, number, true)?;
        }
        for (player, number, entry) in std::mem::take(&mut self.turn_letters) {
            if self.tx.board(number)?.is_none() {
                return fault(message!("import.turn-letter", board = number));
            }
            self.tx.set_turn_letter(player, number, entry)?;
        }
        for (notice, letter) in std::mem::take(&mut self.letters) {
            self.tx.restore_letter(notice, letter)?;
        }
        self.ended = true;
        Ok(())
    }
}

/// Reads the first line. Checks the format first, because later formats may have additional fields.
fn head(text: &str) -> Read<Head> {
    let format = serde_json::from_str::<Value>(text).ok().and_then(|head| Some(head["format"].as_str()?.to_owned()));
    match format.as_deref() {
        Some(FORMAT | FORMAT_1) => {}
        Some(other) if other.starts_with("turnpost export ") => {
            return fault(message!("import.format", format = other, known = FORMAT));
        }
        _ => return fault(message!("import.no-export", known = FORMAT)),
    }
    let head: Head =
        serde_json::from_str(text).or_else(|error| fault(message!("import.first-line", error = error.to_string())))?;
    match head.of {
        Of::Server if head.format == FORMAT && head.server.is_none() => fault(message!("import.no-server")),
        Of::Server => Ok(head),
        Of::Player => fault(message!("import.of-one-player")),
    }
}

fn seconds(count: u32) -> TimeDelta {
    TimeDelta::seconds(i64::from(count))
}
