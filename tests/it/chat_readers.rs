//! The readers of a board's chat: everyone, or only the two players if one of them prefers that.

use serde_json::Value;

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CAROL: &str = "carol@example.org";
const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Creates a server on which alice and bob play board 1, and carol follows it. Bob's setting `chat` has the given
/// value, and alice has written a comment.
fn board(chat: &str) -> Server {
    let mut server = Server::with_players();
    done(&server, "signup carol walrus22 carol@example.org");
    done(&server, &format!("set bob builder chat={chat}"));
    done(&server, "marque challenge alice bob");
    done(&server, "marque subscribe 1 carol walrus22");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "Mind the corner");
    server
}

#[test]
fn the_page_names_the_readers() {
    for (chat, says) in
        [("everyone", "Anyone can read this chat."), ("players", "Only alice and bob can read this chat.")]
    {
        let server = board(chat);
        let serving = Serving::start(&server, CONFIG);
        for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
            let page = Visitor::logged_in(&serving.web(), userid, password).get("/boards/1");
            assert!(page.text().contains(says) && page.text().contains("Mind the corner"), "{}", page.text());
        }
        let is_read = chat == "everyone";
        let mut others = [Visitor::new(&serving.web()), Visitor::logged_in(&serving.web(), "carol", "walrus22")];
        for visitor in &mut others {
            for path in ["/boards/1", "/boards/1/record.json", "/api/v1/boards/1"] {
                let page = visitor.get(path);
                assert!(page.status == 200, "{path}: {}", page.text());
                assert_eq!(page.text().contains("Mind the corner"), is_read, "{path}: {}", page.text());
            }
        }
    }
}

#[test]
fn letters_and_answers_show_the_chat_only_to_its_readers() {
    for (chat, is_read) in [("everyone", true), ("players", false)] {
        let mut server = Server::with_players();
        done(&server, "signup carol walrus22 carol@example.org");
        done(&server, &format!("set alice wonderland chat={chat}"));
        let begun = server.mail(ALICE, "marque challenge alice bob", "");
        done(&server, "marque subscribe 1 carol walrus22");
        server.letters();
        let moved = reply(&mut server, ALICE, to(&begun, ALICE), "f3\n\nMind the corner");
        assert!(to(&moved, BOB).text().contains("Mind the corner"));
        let followed = to(&moved, CAROL).text();
        assert!(followed.contains("alice played f3") && followed.contains("Mind the corner") == is_read, "{followed}");
        let said = reply(&mut server, BOB, to(&moved, BOB), "chat\nWell seen");
        assert!(to(&said, ALICE).text().contains("Well seen"));
        assert_eq!(letter_to(&said, CAROL).is_some(), is_read, "{said:?}");
        // A stranger receives only one such answer a day.
        let lines = ["show 1", "marque history 1 --format=json"];
        for (from, reads, lines) in
            [(CAROL, is_read, &lines[..]), ("stranger@example.net", is_read, &lines[..1]), (BOB, true, &lines[..])]
        {
            for line in lines {
                let letters = server.mail(from, line, "");
                let answer = to(&letters, from).text();
                // `show` contains only the comments on the last entry, and a record contains all comments.
                if *line != "show 1" {
                    assert_eq!(answer.contains("Mind the corner"), reads, "{from}: {line}: {answer}");
                }
                assert!(reads || !answer.contains("Well seen"), "{from}: {line}: {answer}");
            }
        }
    }
}

#[test]
fn the_setting_is_shown_checked_and_exported() {
    let server = board("players");
    assert!(done(&server, "set bob builder").contains("chat=players"));
    let refused = server.shell("set bob builder chat=friends");
    assert!(refused.status != 0 && refused.err.contains("everyone or players"), "{refused:?}");
    // On the command line, the administrator can read every chat.
    assert!(done(&server, "show 1").contains("Mind the corner"));
    let export = done(&server, "admin export --without-key");
    let lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        lines.iter().any(|line| line["table"] == "players" && line["settings"] == "mail=text chat=players"),
        "{export}"
    );
    let serving = Serving::start(&server, CONFIG);
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.get("/settings");
    assert!(page.text().contains("<option value=\"players\" selected>only the players can read it"), "{}", page.text());
    assert_eq!(bob.fill("/settings", &[("do", "set"), ("chat", "everyone")]).status, 200);
    assert!(done(&server, "set bob builder").contains("chat=everyone"));
}
