//! Players abandon a game by agreement, without a result: by mail, on the command line, on pages and by the API.

use serde_json::{Value, json};

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

#[test]
fn a_letter_proposes_abandoning_and_a_reply_accepts() {
    for game in ["marque", "brique", "tessella", "lazo"] {
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, &format!("{game} challenge alice bob"), "");
        let proposed = reply(&mut server, ALICE, to(&letters, ALICE), "abandon\n\nI have no time.");
        let asked = to(&proposed, BOB).text().replace('\n', " ");
        assert!(asked.contains("alice proposes to end the game without a result"), "{game}: {asked}");
        assert!(asked.contains("I have no time.") && asked.contains("accept"), "{asked}");
        let over = reply(&mut server, BOB, to(&proposed, BOB), "accept");
        for (address, who) in [(ALICE, "bob accepted"), (BOB, "You accepted")] {
            let told = to(&over, address).text().replace('\n', " ");
            assert!(told.contains("Board 1 has ended by agreement, unrated."), "{game}: {told}");
            assert!(told.contains(&format!("{who} the proposal to end the game without a result.")), "{told}");
            assert!(!told.contains("draw") && !told.contains("Your rating"), "{told}");
        }
        // The players can still chat and play again.
        assert!(to(&reply(&mut server, BOB, to(&over, BOB), "chat See you"), ALICE).text().contains("See you"));
        let again = reply(&mut server, ALICE, to(&over, ALICE), "rematch");
        assert!(to(&again, BOB).text().contains("Rematch of board 1."), "{again:?}");
        let checked = server.shell("admin check");
        assert_eq!(checked.status, 0, "{game}: {checked:?}");
    }
}

#[test]
fn the_record_and_every_list_show_the_abandonment_and_ratings_do_not_change() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    done(&server, "marque abandon 1 alice wonderland");
    let twice = server.shell("marque abandon 1 alice wonderland");
    assert_eq!(twice.status, 1, "{twice:?}");
    assert!(done(&server, "show 1").contains("alice proposes to end the game without a result"));
    done(&server, "marque reject 1 bob builder");
    done(&server, "marque abandon 1 bob builder");
    assert!(done(&server, "marque accept 1 alice wonderland").contains("ended by agreement, unrated"));
    assert!(done(&server, "show 1").contains("ended by agreement, unrated"));
    assert!(done(&server, "marque games all").contains("alice - bob: ended by agreement, unrated"));
    let history = done(&server, "marque history 1");
    assert!(history.contains("abandon") && history.contains("Ended by agreement, unrated."), "{history}");
    let record: Value = serde_json::from_str(&done(&server, "marque history 1 --format=json")).unwrap();
    assert_eq!((&record["no_result"], &record["result"]), (&json!("abandoned"), &Value::Null));
    assert_eq!(record["entries"][1]["kind"], "abandon");
    assert!(!done(&server, "marque standings").contains("alice"), "no rating changed");
    let refused = server.shell("marque move 1 bob builder k1");
    assert!(refused.status == 1 && refused.err.contains("has ended"), "{refused:?}");
    let analysed = server.shell("analyse 1");
    assert_eq!(analysed.status, 0, "{analysed:?}");
    // After an export and an import, the game is still abandoned.
    let export = done(&server, "admin export --without-key");
    let file = server.data().join("export.jsonl");
    std::fs::write(&file, &export).unwrap();
    let other = Server::in_a_file();
    let imported = other.program().args(["admin", "import"]).arg(&file).output().unwrap();
    assert!(imported.status.success(), "{imported:?}");
    assert!(done(&other, "show 1").contains("ended by agreement, unrated"));
    assert_eq!(other.shell("admin check").status, 0);
    // The administrator can reopen the game.
    done(&server, "admin reopen 1 --reason both");
    assert!(done(&server, "show 1").contains("It is bob's turn."));
}

#[test]
fn pages_have_a_button_to_abandon_a_game_and_show_its_end() {
    let server = Server::with_players();
    done(&server, "tessella challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert!(alice.get("/boards/1").text().contains("value=\"abandon\""));
    assert_eq!(alice.fill("/boards/1", &[("do", "abandon")]).status, 303);
    assert!(bob.get("/me").text().contains("alice proposes to end the game without a result."));
    let page = bob.get("/boards/1");
    assert!(page.text().contains("alice proposes to end the game without a result."), "{}", page.text());
    let stale = bob.fill("/boards/1", &[("do", "accept"), ("proposal", "undo")]);
    assert_eq!(stale.status, 409, "a stale page cannot accept another proposal");
    assert_eq!(bob.fill("/boards/1", &[("do", "accept"), ("proposal", "abandon")]).status, 303);
    for page in ["/boards/1", "/games/tessella/finished", "/players/alice/finished"] {
        let text = bob.get(page).text().to_lowercase();
        assert!(text.contains("ended by agreement, unrated"), "{page}: {text}");
    }
    let page = bob.get("/boards/1");
    assert!(page.text().contains(">Rematch<") && page.text().contains("tab-note"), "{}", page.text());
    assert!(!bob.get("/players/alice").text().contains("drawn"));
}
