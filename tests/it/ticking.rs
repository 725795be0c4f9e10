//! Running clocks: reminders, forfeits, and reasons to stop a clock. The server runs in the test's process, and the
//! test sets its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::inside::{Inside, WORLD};
use chrono::{DateTime, TimeDelta, Utc};
use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::serve::Instance;
use turnpost::service::{Bounced, ClockResult, Decision, Failure, running_clocks};
use turnpost::store::{self, Board, NoResult, StoreFaults};

/// A server with alice and bob. Its clock starts at 09:00 UTC on 2027-01-01.
pub(crate) struct Clockwork {
    pub(crate) inside: Inside,
    pub(crate) instance: Instance,
}

impl Clockwork {
    pub(crate) fn new() -> Clockwork {
        let inside = Inside::with_players(&["alice", "bob"]);
        let instance = Instance::open(inside.dir.path(), WORLD).unwrap();
        Clockwork { inside, instance }
    }

    /// Creates a board on which both players have moved immediately, so that it is alice's turn.
    pub(crate) fn moved(options: &str) -> Clockwork {
        let mut clockwork = Clockwork::new();
        clockwork.inside.say("alice", &format!("marque challenge alice bob {options}"));
        clockwork.inside.say("alice", "marque move 1 alice - f3");
        clockwork.inside.say("bob", "marque move 1 bob - k1");
        clockwork.instance.process_all().unwrap();
        clockwork
    }

    /// Processes all due work. Tries again while some remains, because a process that another test has just forked may
    /// briefly hold one of our locks.
    pub(crate) fn work(&mut self) {
        self.instance.see_clocks().unwrap();
        loop {
            self.instance.process_all().unwrap();
            if self.next().is_none_or(|next| next > self.inside.now()) {
                return;
            }
        }
    }

    /// Returns the time at which the next clock or letter is due.
    fn next(&mut self) -> Option<DateTime<Utc>> {
        self.inside.read(|tx| {
            let held = tx.letters_held_at().unwrap().is_some();
            let letter = tx.next_due().unwrap().filter(|_| !held);
            tx.next_clock().unwrap().into_iter().chain(letter).min()
        })
    }

    /// Advances the time to `until`, and processes work when it is due, as `serve` does. Also looks for work at least
    /// once a day.
    pub(crate) fn run_until(&mut self, until: DateTime<Utc>) {
        loop {
            self.work();
            let tomorrow = self.inside.now() + TimeDelta::days(1);
            let next = self.next().map_or(tomorrow, |next| next.min(tomorrow));
            if next > until {
                return self.inside.set_now(until);
            }
            self.inside.set_now(next);
        }
    }

    /// Returns the recipient of each notice of this kind, and the time at which the transport accepted it. The oldest
    /// is first.
    pub(crate) fn notices(&mut self, kind: &str) -> Vec<(String, Option<DateTime<Utc>>)> {
        let mut rows = self.inside.read(|l| l.outbox(1_000).unwrap());
        rows.retain(|row| row.kind == kind);
        rows.into_iter().rev().map(|row| (row.player.unwrap().userid, row.sent_at)).collect()
    }

    pub(crate) fn reminders(&mut self) -> Vec<DateTime<Utc>> {
        self.notices("reminder").into_iter().filter_map(|(_, sent)| sent).collect()
    }

    pub(crate) fn board(&mut self) -> Board {
        self.inside.read(|l| l.board(BoardNumber(1)).unwrap().unwrap())
    }

    /// Returns the result of the board, and its time.
    pub(crate) fn end(&mut self) -> Option<(String, DateTime<Utc>)> {
        self.board().result.map(|result| (result.reason.to_string(), result.ended_at))
    }

    fn deadline(&mut self) -> Option<DateTime<Utc>> {
        let now = self.inside.now();
        self.inside.read(|l| running_clocks(l, now).unwrap()[0].clock.deadline)
    }

    /// Makes the transport for letters work or fail.
    pub(crate) fn transport(&self, up: bool) {
        let outgoing = self.inside.dir.path().join("outgoing");
        if up {
            std::fs::remove_file(outgoing).unwrap();
        } else {
            std::fs::remove_dir_all(&outgoing).unwrap();
            std::fs::write(outgoing, "in the way").unwrap();
        }
    }
}

fn at(text: &str) -> DateTime<Utc> {
    format!("2027-{text}:00Z").parse().unwrap()
}

pub(crate) fn day(count: i64) -> DateTime<Utc> {
    at("01-01T09:00") + TimeDelta::days(count)
}

/// Makes the nth statement fail, where n is the initial value.
struct FailsInStatement(AtomicU32);

impl StoreFaults for FailsInStatement {
    fn fails_to_begin(&self) -> bool {
        false
    }

    fn fails_in_statement(&self) -> bool {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left == Ok(1)
    }

    fn fails_to_commit(&self) -> bool {
        false
    }
}

#[test]
fn a_failed_statement_delays_no_reminder() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.say("alice", "hex challenge alice bob");
    // Makes the record long enough for a failure while the server reads it.
    for column in 'a'..='j' {
        clockwork.inside.say("alice", &format!("hex move 1 alice - {column}1"));
        clockwork.inside.say("bob", &format!("hex move 1 bob - {column}3"));
    }
    clockwork.inside.set_now(day(7));
    let reminds_after = |statement: u32| {
        let faults = Arc::new(FailsInStatement(AtomicU32::new(statement)));
        let failing: Arc<dyn StoreFaults> = faults.clone();
        let mut store = store::open_failing(&clockwork.inside.location(), &failing).unwrap();
        let mut tx = store.write().unwrap();
        // Do not commit, so that each attempt begins with the same database.
        let result = clockwork.inside.service().tick(&mut tx, day(7), 100);
        let has_failed = faults.0.load(Ordering::Relaxed) == 0;
        assert!(has_failed || result.is_ok(), "{result:?}");
        if let Ok(done) = result {
            assert_eq!(done, [(BoardNumber(1), ClockResult::Reminded)], "after a failure at {statement}");
        }
        !has_failed
    };
    let failures = (1..1_000).take_while(|statement| !reminds_after(*statement)).count();
    assert!(failures > 0 && failures < 999, "{failures}");
}

#[test]
fn reminders_precede_the_forfeit() {
    let mut clockwork = Clockwork::moved("");
    clockwork.run_until(day(21) - TimeDelta::seconds(1));
    assert_eq!(clockwork.reminders(), [day(7), day(14), day(20)]);
    assert!(clockwork.notices("reminder").iter().all(|(to, _)| to == "alice"), "only alice is reminded");
    assert_eq!(clockwork.end(), None);
    clockwork.run_until(day(60));
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(21))));
    let told: Vec<_> = clockwork.notices("end").into_iter().map(|(to, sent)| (to, sent.unwrap())).collect();
    assert_eq!(told, [("alice".to_owned(), day(21)), ("bob".to_owned(), day(21))]);
    assert_eq!(clockwork.reminders().len(), 3);
    let board = clockwork.board();
    assert_eq!((board.rated_as, board.clock, board.seats[0].used), (Some(1), None, TimeDelta::days(21)));
}

#[test]
fn the_clock_line_of_a_letter_shows_the_actual_deadline() {
    // The last reminder is sent half a day before the limit, and grants a full day.
    let mut clockwork = Clockwork::moved("--forfeittime=1 --nagtime=0");
    let letters = clockwork.inside.letters();
    let told = letters["alice@example.org"].last().unwrap();
    assert!(
        told.contains(
            "Clock: you have until 2027-01-02 21:00 UTC; a reminder will be sent on\n       2027-01-01 21:00 UTC."
        ),
        "{told}"
    );
    clockwork.run_until(at("01-02T20:59"));
    assert_eq!((clockwork.end(), clockwork.reminders()), (None, vec![at("01-01T21:00")]));
    let letters = clockwork.inside.letters();
    let told = letters["alice@example.org"].last().unwrap().replace('\n', " ");
    assert!(
        told.contains(
            "You have at least 1 day of thinking time left, until 2027-01-02 21:00 UTC; after that you lose the game."
        ),
        "{told}"
    );
    assert!(told.contains("Clock: you have until 2027-01-02 21:00 UTC."), "{told}");
    clockwork.run_until(at("01-02T21:00"));
    assert_eq!(clockwork.end(), Some(("time".to_owned(), at("01-02T21:00"))));
}

#[test]
fn a_late_reminder_shows_the_actual_deadline() {
    let mut clockwork = Clockwork::moved("");
    // The server is off until the limit has passed.
    clockwork.inside.set_now(day(30));
    clockwork.inside.tick();
    let letters = clockwork.inside.letters();
    let told = letters["alice@example.org"].last().unwrap().replace('\n', " ");
    assert!(told.contains("You have at least 1 day of thinking time left, until 2027-02-01 09:00 UTC"), "{told}");
}

#[test]
fn a_move_stops_the_clock_and_starts_the_other() {
    let mut clockwork = Clockwork::moved("");
    clockwork.run_until(day(8));
    clockwork.inside.say("alice", "marque move 1 alice - a1");
    clockwork.run_until(day(30));
    let told = clockwork.notices("reminder").into_iter().map(|(to, sent)| (to, sent.unwrap())).collect::<Vec<_>>();
    let [alice, bob] = ["alice", "bob"].map(str::to_owned);
    assert_eq!(told, [(alice, day(7)), (bob.clone(), day(15)), (bob.clone(), day(22)), (bob, day(28))]);
    let used = clockwork.board().seats[0].used;
    assert_eq!(used, TimeDelta::days(8));
}

#[test]
fn a_game_is_not_forfeited_before_a_reminder_was_sent() {
    let mut clockwork = Clockwork::moved("");
    clockwork.transport(false);
    clockwork.run_until(day(60));
    assert_eq!(clockwork.end(), None);
    let tried = clockwork.notices("reminder");
    assert!(tried.len() > 4 && tried.iter().all(|(_, sent)| sent.is_none()), "{tried:?}");
    clockwork.transport(true);
    clockwork.run_until(day(90));
    let reminders = clockwork.reminders();
    let sent = *reminders.last().unwrap();
    assert!(sent >= day(60) && sent < day(68), "an abandoned reminder is written again: {reminders:?}");
    assert_eq!(clockwork.end(), Some(("time".to_owned(), sent + TimeDelta::days(1))));
}

#[test]
fn a_player_without_a_reminder_does_not_forfeit() {
    let mut clockwork = Clockwork::moved("");
    let alice = clockwork.inside.read(|l| l.player("alice").unwrap().unwrap().id);
    let mut tx = clockwork.inside.store.write().unwrap();
    tx.remove_address(alice, "alice@example.org").unwrap();
    tx.commit().unwrap();
    clockwork.run_until(day(100));
    assert_eq!((clockwork.end(), clockwork.notices("reminder")), (None, vec![]));
    let mut tx = clockwork.inside.store.write().unwrap();
    tx.add_address(alice, "alice@example.net", None, day(100)).unwrap();
    tx.commit().unwrap();
    clockwork.run_until(day(110));
    assert_eq!(clockwork.reminders().len(), 1);
    assert!(clockwork.end().is_some());
}

/// Found by the simulation: the player lost on time although no letter could reach them.
#[test]
fn a_player_who_becomes_unreachable_after_the_last_reminder_does_not_forfeit() {
    let mut clockwork = Clockwork::moved("--forfeittime=1");
    clockwork.run_until(day(1) + TimeDelta::hours(6));
    assert_eq!((clockwork.reminders().len(), clockwork.end()), (1, None));
    let service = clockwork.inside.config.service(WORLD);
    let mut tx = clockwork.inside.store.write().unwrap();
    let reminder = tx.reminder(BoardNumber(1), EntryNumber(2)).unwrap().unwrap();
    let letter = reminder.letter.unwrap();
    let sent = tx.deliveries(letter).unwrap().remove(0);
    let failure = Failure::new("550 5.1.1 no such user");
    assert_eq!(service.bounced(&mut tx, letter, &sent, &failure, (WORLD.now)()).unwrap(), Bounced::Paused);
    tx.commit().unwrap();
    clockwork.run_until(day(30));
    assert_eq!(clockwork.end(), None);
    // Once the player can be reached again, they have a day to move, because the reminder had bounced.
    clockwork.inside.say("alice", "change address alice secret alice@example.org");
    clockwork.run_until(day(60));
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(31))));
}

#[test]
fn vacations_and_weekends_stop_the_clock() {
    let mut clockwork = Clockwork::moved("");
    assert_eq!(clockwork.deadline(), Some(day(21)));
    // Weekends in Berlin start at 23:00 UTC; the first one starts 14 hours after the start of the board.
    clockwork.inside.say("alice", "set alice - zone=Europe/Berlin weekend=sat,sun");
    assert_eq!(clockwork.deadline(), Some(at("02-01T09:00")));
    clockwork.run_until(at("01-12T08:59"));
    assert!(clockwork.reminders().is_empty());
    clockwork.run_until(at("01-13T09:00"));
    assert_eq!(clockwork.reminders(), [at("01-12T09:00")]);
    // The vacation stops the clock from Wednesday at 9:00 UTC until Thursday of the next week at 0:00 in Berlin.
    // Without the weekend, these are five days and 14 hours.
    clockwork.inside.say("alice", "vacation alice - until 2027-01-21");
    assert_eq!(clockwork.deadline(), Some(at("02-08T23:00")));
    clockwork.run_until(at("01-20T23:00"));
    assert_eq!(clockwork.reminders().len(), 1);
    clockwork.run_until(at("03-01T00:00"));
    let (_, ended) = clockwork.end().unwrap();
    assert_eq!(ended, at("02-08T23:00"));
}

#[test]
fn reminders_last_sends_only_the_last_reminder() {
    let mut clockwork = Clockwork::moved("");
    clockwork.inside.say("alice", "set alice - reminders=last");
    clockwork.run_until(day(40));
    assert_eq!(clockwork.reminders(), [day(20)]);
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(21))));
}

#[test]
fn the_total_time_is_for_all_moves() {
    let mut clockwork = Clockwork::moved("--totaltime=10");
    clockwork.run_until(day(4));
    clockwork.inside.say("alice", "marque move 1 alice - a1");
    clockwork.run_until(day(5));
    clockwork.inside.say("bob", "marque move 1 bob - d2");
    assert_eq!(clockwork.deadline(), Some(day(11)));
    clockwork.run_until(day(40));
    assert_eq!(clockwork.reminders(), [day(10)]);
    assert_eq!(clockwork.end(), Some(("time".to_owned(), day(11))));
}

#[test]
fn a_board_without_a_move_is_removed() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.say("alice", "marque challenge alice bob");
    clockwork.run_until(day(40));
    let board = clockwork.board();
    assert!(board.no_result == Some(NoResult::Expired) && board.result.is_none() && board.rated_as.is_none());
    let told: Vec<_> = clockwork.notices("lapse").into_iter().map(|(to, sent)| (to, sent.unwrap())).collect();
    assert_eq!(told, [("alice".to_owned(), day(21)), ("bob".to_owned(), day(21))]);
    assert_eq!(clockwork.inside.read(|l| l.standings("marque").unwrap()), []);
}

#[test]
fn clocks_do_not_run_against_oneself_or_without_limits() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.say("alice", "marque challenge alice alice");
    clockwork.inside.say("alice", "marque challenge alice bob --nagtime=0 --forfeittime=0");
    clockwork.inside.say("alice", "marque move 1 alice - f3");
    assert_eq!(clockwork.inside.read(|l| l.next_clock().unwrap()), None);
    clockwork.run_until(day(400));
    assert_eq!(clockwork.notices("reminder"), []);
}

#[test]
fn the_administrator_ends_a_game() {
    let mut clockwork = Clockwork::moved("");
    let now = clockwork.inside.now();
    let adjudicate = |clockwork: &mut Clockwork, number| {
        let service = clockwork.inside.config.service(WORLD);
        let mut tx = clockwork.inside.store.write().unwrap();
        let winner = Some(turnpost::store::Seat::Second);
        let done = service.decide(&mut tx, number, Decision::Adjudicate(winner), "two accounts", now).unwrap().is_ok();
        tx.commit().unwrap();
        done
    };
    assert!(!adjudicate(&mut clockwork, BoardNumber(2)));
    assert!(adjudicate(&mut clockwork, BoardNumber(1)));
    assert!(!adjudicate(&mut clockwork, BoardNumber(1)), "a board that has ended cannot be adjudicated");
    clockwork.run_until(day(40));
    assert_eq!(clockwork.end(), Some(("adjudication: two accounts".to_owned(), day(0))));
    assert_eq!((clockwork.notices("end").len(), clockwork.reminders().len()), (2, 0));
    assert!(clockwork.board().rated_as.is_some());
}

#[test]
fn all_due_clocks_are_handled_despite_a_broken_board() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.config.policy.unanswered = 1_000;
    for _ in 0..130 {
        // Resets the limit on the number of boards that a player can start with a stranger in an hour.
        clockwork.inside.forge("DELETE FROM rate_limits");
        clockwork.inside.say("alice", "marque challenge alice bob");
    }
    clockwork.inside.say("alice", "marque move 1 alice - f3");
    clockwork.instance.process_all().unwrap();
    clockwork.inside.forge("UPDATE entries SET text = 'z9'");
    clockwork.run_until(day(7));
    assert_eq!(clockwork.reminders().len(), 129);
    let board = clockwork.board();
    assert_eq!(board.clock.unwrap().due_at, Some(day(8)));
}
