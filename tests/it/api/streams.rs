//! Event streams of the API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::Api;
use crate::common::serving::{Serving, terminate, wait_until};

/// A connection to an event stream.
pub(crate) struct Stream {
    lines: BufReader<TcpStream>,
    status: u16,
    head: String,
}

#[derive(Debug)]
pub(crate) struct Event {
    name: String,
    pub(crate) id: i64,
    pub(crate) data: Value,
}

impl Event {
    /// Returns the event as the JSON object that the API's OpenAPI document describes.
    fn whole(&self) -> Value {
        json!({ "event": self.name, "id": self.id.to_string(), "data": self.data.to_string() })
    }
}

impl Stream {
    pub(crate) fn open(address: &str, path: &str, headers: &[String]) -> Stream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        // Uses HTTP/1.0, so that the lines are not sent in chunks.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: games.example\r\n{headers}\r\n").unwrap();
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Stream { lines, status, head: head.to_lowercase() }
    }

    fn of_board(api: &Api, number: u32) -> Stream {
        let stream = Stream::open(&api.address, &format!("/boards/{number}/events"), &[]);
        assert_eq!(stream.status, 200, "{}", stream.head);
        assert!(stream.head.contains("content-type: text/event-stream"), "{}", stream.head);
        stream
    }

    pub(crate) fn of_player(address: &str, token: &str, last: Option<i64>) -> Stream {
        let mut headers = vec![format!("Authorization: Bearer {token}")];
        headers.extend(last.map(|last| format!("Last-Event-ID: {last}")));
        let stream = Stream::open(address, "/api/v1/me/events", &headers);
        assert_eq!(stream.status, 200, "{}", stream.head);
        stream
    }

    /// Returns the next event; `None` if the connection has ended.
    pub(crate) fn next(&mut self) -> Option<Event> {
        let mut event = Event { name: String::new(), id: 0, data: Value::Null };
        let mut signs_of_life = 0;
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("event", name)) => event.name = name.to_owned(),
                Some(("id", id)) => event.id = id.parse().unwrap(),
                Some(("data", data)) => event.data = serde_json::from_str(data).unwrap(),
                _ if line == "\n" && !event.name.is_empty() => return Some(event),
                _ if line.starts_with(':') => {
                    signs_of_life += 1;
                    assert!(signs_of_life < 3, "an event arrives before the third keep-alive comment");
                }
                _ => {}
            }
        }
    }

    /// Returns the next event, which must be of this kind.
    pub(crate) fn expect(&mut self, name: &str) -> Event {
        let event = self.next().expect("the stream continues");
        assert_eq!(event.name, name, "{event:?}");
        event
    }
}

#[test]
fn a_board_reports_changes_by_anyone() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    api.shell("marque challenge alice bob");
    api.shell("marque challenge bob alice");
    api.shell("tessella challenge alice anyone");
    let (mut first, mut offer) = (Stream::of_board(&api, 1), Stream::of_board(&api, 3));
    let mut last = first.expect("now").id;
    let begun = offer.expect("now");
    assert!(last > 0 && begun.data == json!({ "board": 3, "change": begun.id }), "{begun:?}");
    let mut told = |first: &mut Stream, by: &str| {
        let event = first.expect("change");
        assert!(event.id > last && event.data == json!({ "board": 1, "change": event.id }), "{by}: {event:?}");
        last = event.id;
    };
    assert_eq!(api.play(&alice, "f3").status, 200);
    told(&mut first, "the API");
    api.shell("marque move 1 bob builder f4");
    told(&mut first, "the shell");
    let mail = api.server.compose("alice@example.org", "marque move 1 alice wonderland g2", "Well?");
    assert_eq!(api.server.raw_mail(mail.as_bytes()).status, 0);
    told(&mut first, "a mail");
    // The stream of a board contains no events of other boards.
    api.shell("marque move 2 bob builder f3");
    api.shell("marque chat 1 bob builder --say=Yes");
    told(&mut first, "a comment");
    api.shell("marque propose 1 bob builder");
    told(&mut first, "a proposal");
    api.shell("set bob builder weekend=sat,sun");
    told(&mut first, "a clock with new time");
    api.shell("marque resign 1 bob builder");
    told(&mut first, "a resignation");
    assert_eq!(api.done("GET", "/boards/1", "", None)["change"], last);
    api.shell("tessella accept 3 bob builder");
    let event = offer.expect("change");
    assert!(event.id > begun.id && event.data["board"] == 3, "{event:?}");
}

#[test]
fn a_player_gets_all_events_of_their_boards() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("signup carol walrus22 carol@example.org");
    let carol = api.token("carol", "walrus22");
    api.shell("marque challenge alice bob");
    let mut stream = Stream::of_player(&api.address, &bob, None);
    let now = stream.expect("now");
    assert_eq!(now.data, json!({ "change": now.id }));
    assert_eq!(api.play(&alice, "f3").status, 200);
    let event = stream.expect("change");
    let said = json!({
        "change": event.id, "board": 1, "game": "marque", "plies": 1, "to_move": "bob", "over": false, "your_turn": true,
    });
    assert_eq!(event.data, said);
    api.truth.judge_as("GET", "/me/events", 200, "text/event-stream", &event.whole());
    drop(stream);

    // While the player is disconnected, events happen and the server is restarted.
    api.shell("brique challenge alice carol");
    api.shell("marque move 1 bob builder f4");
    api.shell("lazo challenge -size=26 bob carol");
    terminate(&api.serving.child);
    assert!(api.serving.child.wait().unwrap().success());
    api.shell("marque move 1 alice wonderland g2");
    api.serving = Serving::start(&api.server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    api.address = api.serving.web();
    let mut stream = Stream::of_player(&api.address, &bob, Some(event.id));
    let missed: Vec<Event> = (0..2).map(|_| stream.expect("change")).collect();
    assert!(missed[0].id > event.id && missed[1].id > missed[0].id);
    let mut boards: Vec<&Value> = missed.iter().map(|event| &event.data["board"]).collect();
    boards.sort_by_key(|board| board.as_u64());
    assert_eq!(boards, [&json!(1), &json!(3)], "the stream omits boards of other players");
    // The parameter `after` has the same effect as the header.
    let path = format!("/api/v1/me/events?after={}", missed[0].id);
    let mut again = Stream::open(&api.address, &path, &[format!("Authorization: Bearer {bob}")]);
    assert_eq!(again.expect("change").id, missed[1].id);
    api.shell("marque resign 1 bob builder");
    let over = again.expect("change");
    assert_eq!((&over.data["over"], &over.data["to_move"]), (&json!(true), &Value::Null));
    assert_eq!(stream.expect("change").id, over.id);

    // A stream ends when its token is revoked.
    let mut hers = Stream::of_player(&api.address, &carol, None);
    hers.expect("now");
    api.shell("change password carol walrus22 carpenter");
    api.shell("brique move 2 alice wonderland a1");
    assert!(hers.next().is_none());
}

#[test]
fn streams_need_permission_and_are_limited() {
    let mut api = Api::open();
    api.shell("marque challenge --private alice bob");
    api.shell("marque challenge alice bob");
    for path in ["/boards/1/events", "/boards/9/events"] {
        assert_eq!(Stream::open(&api.address, path, &[]).status, 404, "{path}");
    }
    let mut open: Vec<Stream> = (0..20).map(|_| Stream::of_board(&api, 2)).collect();
    let refused = Stream::open(&api.address, "/boards/2/events", &[]);
    assert!(refused.status == 503 && refused.head.contains("retry-after: "), "{}", refused.head);
    // A player has a separate limit.
    let alice = api.token("alice", "wonderland");
    let hers: Vec<Stream> = (0..20).map(|_| Stream::of_player(&api.address, &alice, None)).collect();
    for path in ["/me/events", "/boards/2/events"] {
        assert_eq!(api.refused("GET", path, &alice, None, "You have 20 open event streams"), 429, "{path}");
    }
    drop(hers);
    drop(open.pop());
    wait_until("another stream to be accepted", || {
        (Stream::open(&api.address, "/boards/2/events", &[]).status == 200).then_some(())
    });
    // When the server stops, it closes all streams immediately.
    terminate(&api.serving.child);
    for stream in &mut open {
        stream.lines.read_to_end(&mut Vec::new()).unwrap();
    }
    let log = api.serving.stop();
    assert!(!log.contains("stopping without answering") && !log.contains("ERROR"), "{log}");
}

#[test]
fn the_players_of_a_private_board_see_its_changes() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("signup carol walrus22 carol@example.org");
    let carol = api.token("carol", "walrus22");
    api.shell("marque challenge --private alice bob");
    api.shell("tessella challenge alice anyone");
    let path = "/boards/1/events";
    assert_eq!(api.refused("GET", path, "", None, "private"), 403);
    assert_eq!(api.refused("GET", path, &carol, None, "private"), 403);
    assert_eq!(api.refused("GET", path, "tp_nobodys", None, "token is unknown"), 401);
    assert_eq!(api.refused("GET", "/boards/9/events", &bob, None, "no board 9"), 404);
    let open = |api: &Api, path: &str, token: &str| {
        let headers = if token.is_empty() { Vec::new() } else { vec![format!("Authorization: Bearer {token}")] };
        let stream = Stream::open(&api.address, &format!("/api/v1{path}"), &headers);
        assert_eq!(stream.status, 200, "{}", stream.head);
        stream
    };
    let mut stream = open(&api, path, &bob);
    let begun = stream.expect("now");
    assert_eq!(begun.data["change"], api.done("GET", "/boards/1", &bob, None)["change"]);
    assert_eq!(api.play(&alice, "f3").status, 200);
    let change = stream.expect("change");
    assert_eq!(change.data, json!({ "board": 1, "change": change.id }));
    assert!(change.id > begun.id);
    for event in [&begun, &change] {
        api.truth.judge_as("GET", path, 200, "text/event-stream", &event.whole());
    }
    // The events of an open challenge need no token.
    let mut offer = open(&api, "/boards/2/events", "");
    offer.expect("now");
    api.shell("tessella accept 2 bob builder");
    assert_eq!(offer.expect("change").data["board"], 2);
    api.truth.both(&["boardEvents"]);

    // When a player changes their password, their streams end.
    api.shell("change password bob builder carpenter");
    assert_eq!(api.play(&alice, "g2").status, 409);
    api.shell("marque chat 1 alice wonderland --say=Hello");
    assert!(stream.next().is_none());
}
