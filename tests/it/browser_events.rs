//! The pages of a league of ten players, a cup with byes and a ladder in a real browser, narrow and wide.

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::command::parse;
use turnpost::config::Config;
use turnpost::service::{EventView, Origin, Request, Response};
use turnpost::store::{Channel, Store};
use turnpost::world::World;

use crate::common::Server;
use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;

const ALICE: (&str, &str) = ("alice", "wonderland");
/// The players other than alice. Some names have the maximum length.
const OTHERS: [&str; 10] =
    ["Wilhelmina_Longfello", "carol", "dave", "erin", "Maximilian.Musterman", "gus", "heidi", "ivan", "judy", "kim"];

/// A server with events, and a clock that the test sets.
struct Site {
    store: Box<dyn Store>,
    config: Config,
    now: DateTime<Utc>,
}

impl Site {
    fn say(&mut self, userid: &str, line: &str) -> Response {
        let from = Origin::Known { userid: userid.to_owned(), via: Channel::Api };
        let line = parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let request = Request { line, from, comment: None, client: None, now: self.now };
        let answer = self.config.service(World::REAL).run(&mut *self.store, &request).unwrap();
        answer.unwrap_or_else(|refused| panic!("{refused:?}"))
    }

    fn pass(&mut self, time: TimeDelta) {
        self.now += time;
        let mut examined = false;
        while !examined {
            let mut tx = self.store.write().unwrap();
            examined = self.config.service(World::REAL).tick(&mut tx, self.now, 1_000).unwrap().is_empty();
            tx.commit().unwrap();
        }
    }

    fn event(&mut self, name: &str) -> EventView {
        match self.say("alice", &format!("event {name}")) {
            Response::EventShown { event } => *event,
            other => panic!("{other:?}"),
        }
    }

    /// Lets the second player resign on each board in progress whose index satisfies `ends`.
    fn end(&mut self, name: &str, ends: impl Fn(usize) -> bool) {
        for (nth, game) in self.event(name).shown.unwrap().playing.into_iter().enumerate() {
            if ends(nth) {
                let loser = &game.players[1];
                self.say(loser, &format!("resign {} {loser} -", game.board));
            }
        }
        self.pass(TimeDelta::hours(1));
    }
}

/// Creates a league in its second edition, with nine of its first ten players, a cup of eleven after its first round,
/// and a ladder of twelve.
fn site() -> (Server, Serving) {
    let server = Server::with_players();
    let now = (World::REAL.now)() - TimeDelta::days(30);
    let mut site = Site { store: server.store(World::REAL), config: Config::default(), now };
    site.config.policy.administrators = vec!["alice".to_owned()];
    let mut tx = site.store.write().unwrap();
    for userid in OTHERS {
        tx.add_player(userid, "", now).unwrap();
    }
    tx.commit().unwrap();
    site.say("alice", "event new spring hex -size=11 --kind=league alice -");
    site.say("alice", "event new knockout havannah --kind=cup --fischer=10/1/20 alice -");
    site.say("alice", "event new climb twixt --kind=ladder alice -");
    let players: Vec<&str> = ["alice", "bob"].into_iter().chain(OTHERS).collect();
    for (name, count) in [("spring", 10), ("knockout", 11), ("climb", 12)] {
        for userid in &players[..count] {
            site.say(userid, &format!("join {name} {userid} -"));
        }
    }
    site.pass(TimeDelta::days(7));
    site.say("carol", "leave spring carol -");
    site.end("spring", |_| true);
    site.pass(TimeDelta::days(8));
    site.end("spring", |nth| nth % 3 != 0);
    site.end("knockout", |_| true);
    site.end("knockout", |nth| nth % 2 == 0);
    for (opponent, challenger) in [("bob", "carol"), ("gus", "ivan")] {
        site.say(challenger, &format!("event challenge climb {opponent} {challenger} -"));
    }
    site.end("climb", |nth| nth == 0);
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    (server, serving)
}

/// The pages, with the names of their screenshots.
const PAGES: [(&str, &str); 8] = [
    ("events", "/events"),
    ("league", "/events/spring"),
    ("league-first", "/events/spring/1"),
    ("cup", "/events/knockout"),
    ("ladder", "/events/climb"),
    ("lobby", "/challenges"),
    ("player", "/players/bob"),
    ("me", "/me"),
];

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_pages_of_events_fit_every_screen() {
    let (_server, serving) = site();
    for (look, size) in Look::all() {
        let browser = Browser::logged_in(look, &serving, ALICE, "/events");
        for (name, path) in PAGES {
            browser.goto(&format!("http://{}{path}", serving.web()));
            browser.check_page(&format!("event-{name}-{size}"));
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_phone_shows_names_and_points_while_the_results_are_scrolled() {
    let (_server, serving) = site();
    let browser = Browser::open(Look::phone());
    browser.goto(&format!("http://{}/events/spring", serving.web()));
    browser.script("document.querySelector('.table').scrollLeft = 500");
    let left = browser.script("return document.querySelector('.cross td + .name').getBoundingClientRect().left");
    assert!(left.as_f64().unwrap() >= 0.0, "{left}");
    // Results are links, so opening a game needs no script.
    assert!(browser.count(".cross .cell a") > 70, "{}", browser.source());
}
