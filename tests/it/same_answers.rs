//! SQLite and PostgreSQL give the same answers. The test sends random commands and messages with pauses between them,
//! and compares the answers, the letters, the reports, and the export of the complete server. To compare 1,000 traces,
//! set `TURNPOST_TRACES=1000`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use chrono::TimeDelta;
use serde_json::Value;
use turnpost::command::parse;
use turnpost::mail::inbound::{InboxContext, receive};
use turnpost::numbers::BoardNumber;
use turnpost::rules::{Options, catalogue};
use turnpost::service::transfer::export_server;
use turnpost::service::{Origin, Request};
use turnpost::store::{Channel, EntryKind, Location, MailSource, OutboxId, Report, ReportPage};

use crate::common::inside::{Inside, WORLD, process_inbox};
use crate::common::postgres;

/// The number of commands, messages and pauses in a trace.
const STEPS: u32 = 200;
/// The default number of traces.
const FEW: u64 = 2;
const PLAYERS: [&str; 5] = ["Alice", "bob", "carol", "dora", "Emil"];

/// Returns the number of traces to compare.
fn traces() -> u64 {
    std::env::var("TURNPOST_TRACES").map_or(FEW, |text| text.parse().expect("TURNPOST_TRACES is a number"))
}

/// A random sequence of commands, messages and pauses. Two traces with the same seed send the same requests as long as
/// they receive the same answers.
struct Trace {
    inside: Inside,
    random: u64,
    mails: u32,
    told: Vec<String>,
}

/// Runs a trace in a separate thread with fresh time and randomness. Returns its log.
fn trace(seed: u64, location: impl FnOnce() -> Option<Location> + Send + 'static) -> Vec<String> {
    let run = move || {
        let inside = Inside::at(location());
        let mut trace = Trace { inside, random: seed, mails: 0, told: Vec::new() };
        for userid in PLAYERS {
            trace.inside.add_player(userid);
        }
        for _ in 0..STEPS {
            trace.step();
        }
        trace.end();
        trace.told
    };
    thread::spawn(run).join().unwrap()
}

impl Trace {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % end
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Returns a userid, sometimes in another case, and sometimes one that no player has.
    fn userid(&mut self) -> String {
        let userid = self.pick(&PLAYERS).to_owned();
        match self.below(12) {
            0 => userid.to_uppercase(),
            1 => "nobody".to_owned(),
            _ => userid,
        }
    }

    fn step(&mut self) {
        self.inside.pass(TimeDelta::minutes(13));
        match self.below(20) {
            0 | 1 => self.days(),
            2..=4 => self.mail(),
            5 => self.letters(),
            _ => {
                let (userid, line) = self.line();
                self.say(&userid, &line);
            }
        }
    }

    fn say(&mut self, userid: &str, line: &str) {
        let Ok(parsed) = parse(line) else { return self.told.push(format!("{line}: not understood")) };
        let from = match self.below(9) {
            0 => Origin::Shell { password: None },
            _ => Origin::Known { userid: userid.to_owned(), via: Channel::Web },
        };
        let comment = (self.below(6) == 0).then(|| "Hello \u{2603} \"there\"\nand 'here' \\".to_owned());
        let request = Request { line: parsed, from, comment, client: None, now: self.inside.now() };
        let service = self.inside.config.service(WORLD);
        let answer = service.run(&mut *self.inside.store, &request).unwrap();
        self.told.push(format!("{userid}: {line}\n{answer:?}"));
    }

    /// Returns the author of a random command, and the command.
    fn line(&mut self) -> (String, String) {
        let (number, userid, other) = (self.number(), self.userid(), self.userid());
        let game = self.pick(&["marque", "brique", "tessella", "lazo"]);
        let line = match self.below(36) {
            0..=2 => {
                let options =
                    self.pick(&["", "--unrated", "--private", "--nagtime=1 --forfeittime=2", "--totaltime=3"]);
                format!("{game} challenge {userid} {other} {options}")
            }
            3 => format!("{game} challenge {userid} anyone --say=Anyone?"),
            4..=18 => return self.turn(number),
            19 => format!("{game} undo {number} {userid} -"),
            20 => format!("{game} propose {number} {userid} -"),
            21 | 22 => format!("{game} accept {number} {userid} -"),
            23 => format!("{game} {} {number} {userid} -", self.pick(&["reject", "decline", "resign", "confirm"])),
            24 => format!("{game} note {number} {userid} - --say=corner"),
            25 => format!("{game} chat {number} {userid} - --say=Well"),
            26 => format!("{game} {} {number} {userid} -", self.pick(&["subscribe", "notify", "unsubscribe"])),
            27 => format!("{game} {} all {userid} -", self.pick(&["subscribe", "notify", "unsubscribe"])),
            28 => format!("{game} {} {userid} - {}", self.pick(&["seek", "limit"]), self.pick(&["0", "2", "all"])),
            29 => {
                let settings = self.pick(&[
                    "zone=Asia/Tokyo weekend=sat,sun",
                    "rhythm=daily@18",
                    "rhythm=once mail=accessible",
                    "reminders=last letters=none",
                    "rhythm=each reminders=all letters=all mail=text",
                ]);
                format!("set {userid} - {settings}")
            }
            30 => format!("vacation {userid} - {}", self.pick(&["until 2027-03-01", "2027-02-01", "off"])),
            31 => format!("show {userid} {other} {number}"),
            32 => self.pick(&["list marque", "marque games", "lazo standings", "tessella ratings", "help"]).to_owned(),
            33 => format!("{game} history {number}"),
            34 => format!("change address {userid} secret {other}@EXAMPLE.org {userid}@example.org"),
            _ => match self.below(3) {
                0 => format!("signoff {userid} secret"),
                1 => format!("message {userid} - {other} --say=Hello"),
                _ => format!("signup {other}{} secret {other}@example.com", self.below(3)),
            },
        };
        (userid, line)
    }

    /// Returns the number of a board or challenge, or an unused number.
    fn number(&mut self) -> u32 {
        let numbers = self.inside.read(|tx| tx.numbers().unwrap().len());
        self.below(numbers + 2) as u32
    }

    /// Returns the player to move on a board, and a command that plays a legal move or prepares a conditional reply.
    fn turn(&mut self, number: u32) -> (String, String) {
        let found = self.inside.read(|tx| {
            let board = tx.board(BoardNumber(number)).unwrap()?;
            let entries = tx.entries(BoardNumber(number)).unwrap();
            let mut texts = Vec::new();
            for entry in entries {
                match entry.kind {
                    EntryKind::Move => texts.push(entry.text),
                    _ => texts.truncate(entry.ply.0 as usize),
                }
            }
            let game = catalogue::find(&board.game).unwrap();
            let mut play = game.start(&Options::from_canonical(&board.options)).unwrap();
            texts.iter().for_each(|text| drop(play.play(text).unwrap()));
            let userid = board.players[board.to_move?.index()].userid.clone();
            Some((board.game, userid, play.legal_moves()))
        });
        let Some((game, userid, legal)) = found else { return ("bob".to_owned(), format!("marque show {number}")) };
        if legal.is_empty() {
            return (userid, format!("{game} show {number}"));
        }
        let (text, reply) = (self.below(legal.len()), self.below(legal.len()));
        let (text, reply) = (&legal[text], &legal[reply]);
        let line = match self.below(8) {
            0 => format!("{game} if {number} {userid} - \"{text} then {reply}; else stop\""),
            1 => format!("{game} submit {number} {userid} - {text}"),
            _ => format!("{game} move {number} {userid} - {text}"),
        };
        (userid, line)
    }

    /// Sends a message. Some messages are duplicates or nonsense.
    fn mail(&mut self) {
        let (userid, line) = self.line();
        self.mails += u32::from(self.below(8) > 0);
        let (id, subject) = (self.mails, line.replace(" - ", " secret "));
        let text = self.pick(&["", "A comment\n", "show 1\nhelp\n", "nul \0 and \u{10ffff}\n"]);
        let mail = format!("From: {userid}@Example.org\nMessage-ID: <{id}@example.org>\nSubject: {subject}\n\n{text}");
        let Inside { store, config, composer, .. } = &mut self.inside;
        let now = (WORLD.now)();
        receive(&mut **store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
        let service = config.service(WORLD);
        let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
        process_inbox(&mut **store, &inbox);
        self.told.push(mail);
    }

    fn days(&mut self) {
        for _ in 0..=self.below(3) {
            self.inside.pass(TimeDelta::hours(25));
            let ticked = self.inside.tick();
            self.told.push(format!("{}: {ticked:?}", self.inside.now()));
            self.letters();
        }
    }

    fn letters(&mut self) {
        let letters = self.inside.letters();
        self.told.extend(letters.into_iter().map(|(to, letters)| format!("{to}: {letters:#?}")));
    }

    /// Logs every report, and the export.
    fn end(&mut self) {
        let numbers = self.inside.read(|tx| tx.numbers().unwrap());
        let mut reports = vec![
            Report::Players { named: None, idle_days: None, paused: false, by_boards: true },
            Report::Players { named: Some("O"), idle_days: None, paused: false, by_boards: false },
            Report::Boards { player: Some("ALICE"), against: None, game: None, active: true },
            Report::Boards { player: None, against: None, game: Some("Marque"), active: false },
            Report::Boards { player: Some("Alice"), against: Some("BOB"), game: None, active: false },
            Report::Inbox { from: Some("bob"), on: None, refused: false, quarantined: false },
            Report::Inbox { from: None, on: None, refused: true, quarantined: false },
            Report::Letters { to: Some("CAROL"), undelivered: false },
            Report::Letters { to: None, undelivered: true },
            Report::Letter(OutboxId(3)),
            Report::Suspicious,
            Report::Bounces,
            Report::RatingHistory("alice"),
            Report::Acts { of: None },
            Report::Months { by_game: false },
            Report::Months { by_game: true },
        ];
        reports.extend(numbers.iter().copied().map(Report::Board));
        reports.extend(numbers.into_iter().map(Report::Story));
        for report in reports {
            let rows = self.inside.read(|tx| tx.report(&report, ReportPage { skip: 0, most: 1_000 }).unwrap());
            for mut row in rows {
                // The values in these columns depend on the real time.
                row.0.retain(|(name, _)| !name.ends_with("_days"));
                self.told.push(format!("{report:?}: {}", serde_json::to_string(&row).unwrap()));
            }
        }
        let now = self.inside.now();
        let mut export = Vec::new();
        self.inside.read(|tx| export_server(tx, WORLD, None, now, &mut export).unwrap());
        self.told.extend(comparable(&String::from_utf8(export).unwrap()));
    }
}

/// Returns the lines of an export without the numbers that each database assigns. Replaces the numbers of comments and
/// proposals by their positions on the board.
fn comparable(export: &str) -> Vec<String> {
    let mut lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut places: BTreeMap<(&str, i64), usize> = BTreeMap::new();
    for (table, kinds) in [("comments", &["comment"][..]), ("proposals", &["proposal", "answer"])] {
        let mut of_board: BTreeMap<i64, usize> = BTreeMap::new();
        for line in lines.iter().filter(|line| line["table"] == table) {
            let place = of_board.entry(line["board"].as_i64().unwrap()).or_default();
            *place += 1;
            places.extend(kinds.iter().map(|kind| ((*kind, line["id"].as_i64().unwrap()), *place)));
        }
    }
    let numbered =
        ["acts", "addresses", "comments", "followers", "mail_actions", "proposals", "refusals", "standstills"];
    for line in &mut lines {
        if numbered.iter().any(|table| line["table"] == *table) {
            line.as_object_mut().unwrap().remove("id").unwrap();
        }
        if line["table"] == "mail_actions"
            && let Some(place) = places.get(&(line["kind"].as_str().unwrap(), line["item"].as_i64().unwrap()))
        {
            line["item"] = (*place).into();
        }
    }
    lines.iter().map(Value::to_string).collect()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn both_stores_give_the_same_answers() {
    let (next, done) = (AtomicU64::new(1), AtomicU64::new(0));
    let traces = traces();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > traces {
                        break;
                    }
                    compare(seed);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if traces > FEW {
                        eprint!("\r{done} of {traces} traces ");
                    }
                }
            });
        }
    });
}

/// Compares the logs of a trace on both stores.
fn compare(seed: u64) {
    // The first run only caches the hashes of passwords. A request that waits for a hash is prepared twice, and would
    // draw its random numbers twice.
    drop(trace(seed, || None));
    let on_sqlite = trace(seed, || None);
    let database = postgres::Database::empty();
    let location = database.location();
    let on_postgres = trace(seed, move || Some(location));
    for (nth, (sqlite, postgres)) in on_sqlite.iter().zip(&on_postgres).enumerate() {
        assert_eq!(sqlite, postgres, "seed {seed}, {nth} of {}", on_sqlite.len());
    }
    assert_eq!(on_sqlite.len(), on_postgres.len());
    let counts = ["Ok(", "Err("].map(|what| on_sqlite.iter().filter(|told| told.contains(what)).count());
    assert!(counts.iter().all(|count| *count > 10), "seed {seed}: {counts:?}");
}
