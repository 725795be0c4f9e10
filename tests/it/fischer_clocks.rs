//! Fischer clocks, late reminders, and clocks that stop at night, as players see them.

use chrono::{TimeDelta, Timelike};
use serde_json::json;
use turnpost::service::ClockResult;
use turnpost::world::World;

use crate::common::inside::Inside;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, to};

const ALICE: &str = "alice@example.org";

#[test]
fn a_bank_is_shown_in_letters_on_pages_and_in_the_api() {
    let mut server = Server::with_players();
    let begun = server.mail(ALICE, "marque challenge --fischer=10/1/20 alice bob", "");
    let text = joined(to(&begun, "bob@example.org").text());
    assert!(text.contains("10 days and 1 day more for each move, up to 20 days"), "{text}");
    assert!(text.contains("alice 10 days, bob 10 days; each move adds 1 day, up to 20 days."), "{text}");
    done(&server, "marque move 1 alice wonderland f3");
    let shown = joined(&done(&server, "show 1"));
    assert!(shown.contains("alice 11 days, bob 10 days; each move adds 1 day"), "{shown}");
    let bank = &server.json("show 1")["boards"][0]["clock"]["bank"];
    assert_eq!(bank, &json!({ "days": [11.0, 10.0], "plus_days": 1, "cap_days": 20 }));
    done(&server, "marque challenge --fischer=5/0/5 bob anyone");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut visitor = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = visitor.get("/boards/1");
    for words in ["11 days left", "10 days left", "Each move adds 1 day, up to 20 days."] {
        assert!(page.text().contains(words), "{words}: {}", page.text());
    }
    for path in ["/challenges", "/games/marque"] {
        let page = visitor.get(path);
        assert!(page.text().contains("5 days and 0 days more for each move, up to 5 days"), "{path}: {}", page.text());
    }
    let fields = [("to", "player"), ("opponent", "bob"), ("fischer", "9/2/30")];
    let made = visitor.fill("/games/marque/challenge", &fields);
    let page = visitor.get(made.header("location").unwrap());
    assert!(page.text().contains("9 days left"), "{}", page.text());
    let offers = joined(&done(&server, "marque games"));
    assert!(
        offers.contains("5 days and 0 days more for each move, up to 5 days; a reminder after 7 days."),
        "{offers}"
    );
    for (option, words) in [
        ("--fischer=10/1/9", "not less than at the start"),
        ("--fischer=0/1/20", "at the start (1 to 365)"),
        ("--fischer=10/1/20 --totaltime=90", "cannot be combined"),
        ("--fischer=10/0.5/20", "must be three whole numbers of days"),
        ("--fischer=10/0.5/20", "marque challenge --fischer=10/0.5/20 alice bob"),
        ("--forfeittime=0.5", "must be a whole number of days from 0 to 365"),
    ] {
        let refused = server.shell(&format!("marque challenge {option} alice bob"));
        assert!(refused.status == 2 && joined(&refused.err).contains(words), "{refused:?}");
    }
}

#[test]
fn a_game_is_lost_when_the_bank_is_used_up() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge --fischer=3/1/4 alice bob");
    for (userid, text) in [("alice", "f3"), ("bob", "f2")] {
        inside.pass(TimeDelta::days(1));
        inside.say(userid, &format!("marque move 1 {userid} - {text}"));
    }
    // alice used one day and gained one for the move, so 3 days remain. The reminder is sent when one day remains.
    inside.pass(TimeDelta::days(2));
    assert_eq!(inside.tick().into_iter().map(|(_, result)| result).collect::<Vec<_>>(), [ClockResult::Reminded]);
    inside.send_due();
    inside.pass(TimeDelta::hours(23));
    assert_eq!(inside.tick(), []);
    inside.pass(TimeDelta::hours(2));
    assert_eq!(inside.tick().into_iter().map(|(_, result)| result).collect::<Vec<_>>(), [ClockResult::Forfeited]);
}

#[test]
fn a_page_shows_the_remaining_time_at_night() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob --forfeittime=21");
    let hour = (World::REAL.now)().hour();
    let night = format!("night={}-{}", (hour + 23) % 24, (hour + 11) % 24);
    done(&server, &format!("set alice wonderland zone=UTC {night}"));
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    for (path, stopped) in [("/me", ">clock stopped<"), ("/boards/1", "The clock is stopped until")] {
        let page = alice.get(path);
        assert!(page.text().contains("21 days left") && page.text().contains(stopped), "{}", page.text());
    }
}

#[test]
fn no_deadline_is_at_night() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "set alice - zone=UTC night=22-8");
    inside.set_now(inside.now().with_hour(21).unwrap().with_minute(0).unwrap().with_second(0).unwrap());
    inside.say("alice", "marque challenge --nagtime=1 --forfeittime=2 alice bob");
    // alice's clock runs for 14 hours of each calendar day, from 8:00 to 22:00.
    let shown = inside.shown("alice", 1);
    assert!(!shown.contains("It is stopped"), "{shown}");
    inside.pass(TimeDelta::hours(2));
    let shown = joined(&inside.shown("alice", 1));
    assert!(shown.contains("It is stopped until"), "{shown}");
    inside.pass(TimeDelta::hours(30));
    assert_eq!(inside.tick(), []);
    // By then, alice's clock has run for 1 hour of the first day, 14 of the second, and 9 of the third.
    inside.pass(TimeDelta::hours(12));
    assert_eq!(inside.tick().len(), 1, "{}", inside.shown("alice", 1));
}

#[test]
fn a_reminder_after_the_default_forfeit_is_refused() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.config.policy.administrators = vec!["alice".to_owned()];
    for line in ["marque challenge --nagtime=21 alice bob", "event new june hex --nagtime=21 --kind=league alice -"] {
        assert_eq!(
            inside.refused("alice", line),
            "The reminder (after 21 days) must come before the forfeit. On this server, the default forfeit is after \
             21 days. Set an earlier reminder, or a later forfeit."
        );
    }
    for terms in ["--nagtime=20", "--nagtime=30 --forfeittime=0", "--nagtime=30 --fischer=10/1/20", "--forfeittime=5"] {
        inside.say("alice", &format!("marque challenge {terms} alice anyone"));
    }
}
