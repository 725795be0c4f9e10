//! Plays a season: schedules the events at each board with reproducible random numbers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::common::words;
use chrono::{DateTime, TimeDelta, Utc};
use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::rules::{Options, Play, catalogue};
use turnpost::service::{BoardView, ClockResult, Response};
use turnpost::store::EntryKind;

use super::players::{Player, ZONES};
use crate::common::inside::Inside;

/// A scheduled event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A player challenges another.
    Challenge,
    /// The player to move on a board acts.
    Turn(BoardNumber),
    /// A player tries to accept an open challenge.
    Take(BoardNumber),
    /// A player goes on vacation.
    Vacation(usize),
    /// A player leaves the server.
    Leave(usize),
}

/// The state of a board that the test expects.
struct Table {
    players: [usize; 2],
    play: Box<dyn Play>,
    entries: EntryNumber,
    /// The player to move, and the start of the turn.
    turn: Option<(usize, DateTime<Utc>)>,
    used: [i64; 2],
    /// The seat whose player stops moving at some point; `None` if both play on.
    silent: Option<usize>,
    /// When more than this many pieces are on the board, the player to move resigns.
    patience: usize,
    /// The seat that proposed an undo or a draw.
    proposed: Option<usize>,
}

pub struct Season {
    pub inside: Inside,
    /// The number of actions by kind.
    pub done: BTreeMap<&'static str, usize>,
    players: Vec<Player>,
    tables: BTreeMap<BoardNumber, Table>,
    events: BinaryHeap<Reverse<(DateTime<Utc>, Event)>>,
    random: u64,
}

impl Season {
    pub fn new(players: usize, boards: usize) -> Season {
        let mut inside = Inside::in_memory();
        let mut season_players = Vec::new();
        for i in 0..players {
            let userid = format!("p{i:03}");
            inside.add_player(&userid);
            let weekend = i % 3 == 0;
            let zone = ZONES[i % ZONES.len()];
            let rhythm = ["each", "each", "each", "once", "daily@18"][i % 5];
            let reminders = if i % 7 == 0 { "last" } else { "all" };
            let days = if weekend { "sat,sun" } else { "none" };
            inside.say(
                &userid,
                &format!("set {userid} - mail=text zone={zone} weekend={days} rhythm={rhythm} reminders={reminders}"),
            );
            let zone = zone.parse().unwrap();
            season_players.push(Player { userid, zone, weekend, vacations: Vec::new(), left: false });
        }
        inside.say("p001", "marque notify all p001 -");
        let mut season = Season {
            inside,
            done: BTreeMap::new(),
            players: season_players,
            tables: BTreeMap::new(),
            events: BinaryHeap::new(),
            random: 2_027,
        };
        let start = season.inside.now();
        for _ in 0..boards {
            let hours = season.below(300 * 24);
            season.plan(start + TimeDelta::hours(hours as i64), Event::Challenge);
        }
        for player in 0..players {
            for half in 0..2 {
                let hours = half * 180 * 24 + season.below(150 * 24);
                season.plan(start + TimeDelta::hours(hours as i64), Event::Vacation(player));
            }
            if player % 20 == 19 {
                let hours = 100 * 24 + season.below(200 * 24);
                season.plan(start + TimeDelta::hours(hours as i64), Event::Leave(player));
            }
        }
        season
    }

    /// Returns a random number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % end
    }

    fn chance(&mut self, of_a_thousand: usize) -> bool {
        self.below(1_000) < of_a_thousand
    }

    fn plan(&mut self, at: DateTime<Utc>, event: Event) {
        self.events.push(Reverse((at, event)));
    }

    fn count(&mut self, what: &'static str) {
        *self.done.entry(what).or_default() += 1;
    }

    /// Processes all scheduled events up to the current time, and due clocks.
    pub fn step(&mut self) {
        let until = self.inside.now();
        while let Some(Reverse((at, event))) = self.events.peek().copied().filter(|Reverse((at, _))| *at <= until) {
            self.events.pop();
            self.inside.set_now(at);
            self.happen(event);
        }
        self.inside.set_now(until);
        for (number, ticked) in self.inside.tick() {
            match ticked {
                ClockResult::Forfeited => {
                    self.count("forfeited");
                    self.look(number);
                }
                ClockResult::Removed => {
                    self.count("removed");
                    self.look(number);
                }
                ClockResult::Reminded => self.count("reminded"),
                ClockResult::Waits => {}
                ClockResult::Broken => panic!("the record of board {number} cannot be replayed"),
            }
        }
    }

    /// Returns the hours that each player must have used on each board. Boards against oneself are omitted, because
    /// they have no clocks.
    pub fn clocks(&self) -> BTreeMap<BoardNumber, [i64; 2]> {
        let two = self.tables.iter().filter(|(_, table)| table.players[0] != table.players[1]);
        two.map(|(number, table)| (*number, table.used)).collect()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Challenge => self.challenge(),
            Event::Turn(number) => self.turn(number),
            Event::Take(number) => self.take(number),
            Event::Vacation(player) => self.vacation(player),
            Event::Leave(player) => self.leave(player),
        }
    }

    fn someone(&mut self) -> usize {
        loop {
            let player = self.below(self.players.len());
            if !self.players[player].left {
                return player;
            }
        }
    }

    fn challenge(&mut self) {
        let (first, second) = (self.someone(), self.someone());
        let option = ["-any_2", "-any_3", "-any_4", "-non_adj_2", "-opposite", "-y", ""][self.below(7)];
        let clock = ["--nagtime=2 --forfeittime=6", "--nagtime=3 --forfeittime=10 --totaltime=40", "", "--nagtime=5"]
            [self.below(4)];
        let unrated = if self.chance(100) { "--unrated" } else { "" };
        let private = if self.chance(50) { "--private" } else { "" };
        let open = self.chance(150);
        let [one, other] = [first, second].map(|player| self.players[player].userid.clone());
        let (one, other) = match (open, self.chance(500)) {
            (true, true) => ("anyone".to_owned(), other),
            (true, false) => (one, "anyone".to_owned()),
            (false, _) => (one, other),
        };
        let by = if one == "anyone" { &other } else { &one };
        let line = format!("marque challenge {option} {clock} {unrated} {private} {one} {other}");
        match self.inside.try_say(by, &line, Some("Good luck!\n")) {
            Ok(Response::Challenged { board }) => self.begun([first, second], &board),
            Ok(Response::Offered { offer }) => {
                let hours = 1 + self.below(100);
                self.plan(self.inside.now() + TimeDelta::hours(hours as i64), Event::Take(offer.number));
            }
            Ok(other) => panic!("{line}: {other:?}"),
            // The server refuses a challenge if the challenger already has twenty unanswered ones.
            Err(refused) => assert!(words(&refused.message).contains("not answered"), "{refused:?}"),
        }
    }

    fn take(&mut self, number: BoardNumber) {
        let taker = self.someone();
        let userid = self.players[taker].userid.clone();
        match self.inside.try_say(&userid, &format!("marque accept {number} {userid} -"), None) {
            Ok(Response::Challenged { board }) => {
                let at = |userid: &str| self.players.iter().position(|player| player.userid == userid).unwrap();
                let players = [at(&board.seats[0].userid), at(&board.seats[1].userid)];
                self.count("offer taken");
                self.begun(players, &board);
            }
            Ok(other) => panic!("{other:?}"),
            Err(_) => self.count("offer not taken"),
        }
    }

    fn begun(&mut self, players: [usize; 2], board: &BoardView) {
        if self.chance(50) {
            let follower = self.someone();
            let userid = self.players[follower].userid.clone();
            let line = format!("marque subscribe {} {userid} -", board.number);
            // A player cannot follow their own board or a private one.
            let done = self.inside.try_say(&userid, &line, None).is_ok();
            assert_eq!(done, !players.contains(&follower) && !board.flags.private);
        }
        let game = catalogue::find("marque").unwrap();
        let play = game.start(&Options::from_canonical(&board.options)).unwrap();
        let patience = if self.chance(10) { 400 } else { 4 + self.below(32) };
        let turn = Some((0, self.inside.now()));
        let silent = self.chance(60).then(|| self.below(2));
        let table =
            Table { players, play, entries: EntryNumber(0), turn, used: [0; 2], silent, patience, proposed: None };
        self.tables.insert(board.number, table);
        self.next_turn(board.number);
    }

    /// Schedules the next action of the player to move.
    fn next_turn(&mut self, number: BoardNumber) {
        // Most players move within two days, and a few need several days.
        let hours = match self.below(20) {
            0 => 24 * (2 + self.below(6)),
            _ => 1 + self.below(40),
        };
        let at = self.inside.now() + TimeDelta::hours(hours as i64);
        self.plan(at, Event::Turn(number));
    }

    fn turn(&mut self, number: BoardNumber) {
        let table = &self.tables[&number];
        let Some((seat, _)) = table.turn else { return };
        if table.silent == Some(seat) && table.entries > EntryNumber(3) {
            return;
        }
        let player = table.players[seat];
        if self.players[player].is_away(self.inside.now()) {
            return self.next_turn(number);
        }
        let entries = table.entries;
        self.act(number, seat);
        let table = &self.tables[&number];
        if table.turn.is_some() && (table.entries != entries || self.players[player].left) {
            self.next_turn(number);
        } else if table.turn.is_some() {
            // If no move was played (for example, because a proposal is open), schedules another attempt.
            self.plan(self.inside.now() + TimeDelta::hours(9), Event::Turn(number));
        }
    }

    fn act(&mut self, number: BoardNumber, seat: usize) {
        let table = &self.tables[&number];
        let alone = table.players[0] == table.players[1];
        let legal = table.play.legal_moves();
        let (plies, proposed) = (table.play.pieces().len(), table.proposed);
        let userid = self.players[table.players[seat]].userid.clone();
        let opponent = self.players[table.players[1 - seat]].userid.clone();
        let patience = table.patience;
        let text = legal[self.below(legal.len())].clone();
        if let Some(by) = proposed {
            // The opponent accepts or rejects the proposal. In a third of the cases, a move is played instead, which
            // ends the proposal.
            let answer = ["accept", "accept", "reject"][self.below(3)];
            if !alone && self.chance(667) {
                let by_whom = if by == seat { &opponent } else { &userid };
                self.line(number, by_whom, answer, "");
                return;
            }
        }
        if self.chance(30) {
            self.mischief(number, &userid, &opponent, &text);
        }
        match self.below(1_000) {
            _ if plies > patience => self.line(number, &userid, "resign", ""),
            0..10 => self.line(number, &opponent, "resign", ""),
            10..40 if !alone => self.line(number, &userid, "propose", ""),
            40..70 if !alone => self.line(number, &userid, "undo", ""),
            70..100 => {
                self.line(number, &userid, "submit", &text);
                self.line(number, &userid, "confirm", "");
            }
            100..120 => {
                self.line(number, &userid, "chat", "--say=\"What a position!\"");
                self.line(number, &userid, "note", "--say=\"Mind the middle\"");
                self.line(number, &userid, "move", &text);
            }
            120..220 if !alone => {
                self.line(number, &userid, "move", &text);
                self.prepare(number, seat, &userid);
            }
            220..260 if !alone => {
                self.line(number, &userid, "move", &text);
                if self.tables[&number].turn.is_some_and(|(to_move, _)| to_move != seat) {
                    self.line(number, &userid, "queue", "q4");
                }
            }
            _ => self.line(number, &userid, "move", &text),
        }
    }

    /// Sends requests that the server must refuse without any change of the board.
    fn mischief(&mut self, number: BoardNumber, userid: &str, opponent: &str, text: &str) {
        let entries = self.tables[&number].entries;
        let mut lines = vec![
            format!("marque move {number} {userid} - z99"),
            format!("marque move {number} {userid} - {text}#999"),
            format!("marque move {number} {userid} - a1,u2"),
        ];
        if userid != opponent {
            lines.push(format!("marque move {number} {opponent} - {text}"));
        }
        for line in lines {
            let by = line.split(' ').nth(3).unwrap().to_owned();
            let refused = self.inside.try_say(&by, &line, None).expect_err(&line);
            assert_eq!(refused.board.map(|board| board.entries), Some(entries), "{line}");
            self.count("refused");
        }
    }

    /// Prepares a conditional reply of up to two steps if it is the opponent's turn. In one of ten cases, also prepares
    /// a reply to all other moves.
    fn prepare(&mut self, number: BoardNumber, seat: usize, userid: &str) {
        let table = &self.tables[&number];
        if table.turn.is_none_or(|(to_move, _)| to_move == seat) {
            return;
        }
        let (mut play, mut text) = (table.play.boxed_clone(), String::new());
        for step in 0..2 {
            let legal = play.legal_moves();
            let theirs = &legal[self.below(legal.len())];
            if play.play(theirs).is_err() || play.to_move().is_none_or(|to_move| to_move.index() != seat) {
                break;
            }
            let legal = play.legal_moves();
            let mine = &legal[self.below(legal.len())];
            if play.play(mine).is_err() || play.to_move().is_none_or(|to_move| to_move.index() == seat) {
                break;
            }
            text += &format!("{}{theirs} then {mine}", if step == 0 { "" } else { " then " });
        }
        if text.is_empty() {
            return;
        }
        let other = ["stop", "q4", "resign"][self.below(20).saturating_sub(17)];
        self.line(number, userid, "if", &format!("\"{text}; else {other}\""));
        self.count("prepared");
    }

    /// Runs a command on a board, and updates the expected state of the board. The command must succeed, unless it was
    /// impossible for a known reason.
    fn line(&mut self, number: BoardNumber, userid: &str, verb: &str, rest: &str) {
        let line = format!("marque {verb} {number} {userid} - {rest}");
        match self.inside.try_say(userid, &line, None) {
            Ok(
                Response::Moved { board, .. }
                | Response::Resigned { board }
                | Response::Accepted { board, .. }
                | Response::Declined { board, .. }
                | Response::Proposed { board, .. }
                | Response::Rejected { board, .. },
            ) => self.take_in(&board),
            Ok(_) => {}
            // A random action can be impossible, for example if there is no move to undo or a proposal is open.
            Err(refused) => {
                let known = [
                    "no move", "not made a move", "already", "another open proposal", "has made a proposal", "over",
                    "No proposal",
                ];
                assert!(known.iter().any(|why| words(&refused.message).contains(why)), "{line}: {refused:?}");
                self.count("refused");
            }
        }
    }

    fn look(&mut self, number: BoardNumber) {
        if let Response::Shown { boards, .. } = self.inside.say_as_shell(&format!("marque show {number}")) {
            self.take_in(&boards[0]);
        }
    }

    /// Updates the expected state of a board: adds the hours of the player who was to move, and replays all moves.
    fn take_in(&mut self, board: &BoardView) {
        let now = self.inside.now();
        let table = self.tables.get_mut(&board.number).unwrap();
        table.proposed = board
            .proposal
            .as_ref()
            .map(|proposal| board.seats.iter().position(|seat| seat.userid == proposal.by).unwrap());
        let over = board.to_move.is_none() || board.no_result.is_some();
        let fresh = board.entries.0 - table.entries.0;
        if fresh == 0 && !over {
            return;
        }
        if let Some((seat, since)) = table.turn
            && fresh > 0
        {
            table.used[seat] += self.players[table.players[seat]].hours(since, now);
        }
        let mut play = catalogue::find("marque").unwrap().start(&Options::from_canonical(&board.options)).unwrap();
        for mv in &board.moves {
            play.play(&mv.text).unwrap();
        }
        let to_move = play.to_move().map(|seat| (seat.index(), now));
        (table.play, table.entries, table.turn) = (play, board.entries, to_move.filter(|_| !over));
        for news in board.news.iter().filter(|news| news.entry.0 > board.entries.0 - fresh) {
            let what = match news.kind {
                EntryKind::Move if news.prepared => "prepared reply",
                EntryKind::Move => "move",
                EntryKind::Undo => "undone",
                EntryKind::Resign => "resigned",
                EntryKind::Draw => "drawn",
                EntryKind::Abandon => "abandoned",
                EntryKind::Forfeit | EntryKind::Adjudge | EntryKind::Reopen | EntryKind::Void => "ended by others",
            };
            *self.done.entry(what).or_default() += 1;
        }
        if over {
            self.count("ended");
        }
    }

    fn vacation(&mut self, player: usize) {
        if self.players[player].left {
            return;
        }
        let now = self.inside.now();
        let days = 3 + self.below(9) as i64;
        let until = (now + TimeDelta::days(days)).format("%Y-%m-%d");
        let userid = self.players[player].userid.clone();
        match self.inside.try_say(&userid, &format!("vacation {userid} - until {until}"), None) {
            Ok(Response::Vacation { until: Some(until), .. }) => {
                self.count("vacation");
                // When a new vacation starts, any current vacation ends.
                let vacations = &mut self.players[player].vacations;
                vacations.iter_mut().for_each(|(_, end)| *end = (*end).min(now));
                vacations.push((now, until));
            }
            other => panic!("{other:?}"),
        }
    }

    fn leave(&mut self, player: usize) {
        let userid = self.players[player].userid.clone();
        let Response::SignoffAsked { code, boards, .. } = self.inside.say(&userid, &format!("signoff {userid} secret"))
        else {
            panic!()
        };
        self.inside.say(&userid, &format!("signoff {userid} secret {code}"));
        self.players[player].left = true;
        self.count("signoff");
        for number in boards {
            self.look(number);
        }
    }
}
