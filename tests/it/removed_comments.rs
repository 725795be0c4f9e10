//! Comments that the administrator removes: `turnpost admin comment remove`.

use crate::common::database::keeps;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, to};

const BOB: &str = "bob@example.org";
const REMOVED: &str = "(removed by the administrator)";

fn refused(server: &Server, line: &str, words: &str) {
    let ran = server.shell(line);
    assert!(ran.status == 1 && ran.err.contains(words), "{line}: {ran:?}");
}

/// Returns the number and text of each comment in the events of board 1.
fn comments(server: &Server) -> Vec<(u64, String)> {
    let story = server.json("admin board 1")["story"].as_array().unwrap().clone();
    let comments = story.iter().filter(|row| row["event"] == "comment");
    comments.map(|row| (row["comment"].as_u64().unwrap(), row["what"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn a_comment_is_removed_wherever_it_is_read() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob --say=Welcome");
    done(&server, "marque move 1 alice wonderland f3 --say=Stinkpot");
    server.mail(BOB, "marque chat 1 bob builder --say=\"You Nitwit\"", "");
    let numbered = [(1, "Welcome"), (2, "Stinkpot"), (3, "You Nitwit")].map(|(n, text)| (n, text.to_owned()));
    assert_eq!(comments(&server), numbered);
    assert!(done(&server, "admin board 1").contains("Stinkpot"));
    refused(&server, "admin comment remove 1 2", "removing it cannot be undone: repeat the command with --yes");
    refused(&server, "admin comment remove 1 4 --yes", "board 1 has no comment 4");
    refused(&server, "admin comment remove 1 0 --yes", "board 1 has no comment 0");
    refused(&server, "admin comment remove 7 1 --yes", "there is no board 7");
    assert_eq!(done(&server, "admin comment remove 1 2 --yes"), "Comment 2 on board 1 is removed.\n");
    let removed = server.json("admin comment remove 1 3 --yes");
    assert_eq!(removed, serde_json::json!({ "board": 1, "comment": 3, "removed": true }));
    assert_eq!(
        comments(&server).iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        ["Welcome", REMOVED, REMOVED]
    );
    for words in ["stinkpot", "nitwit"] {
        assert!(!keeps(&server, words), "{words}");
    }
    for line in ["marque history 1 --format=json", "admin export bob"] {
        let out = done(&server, line);
        assert!(out.contains(REMOVED) && !out.contains("Stinkpot"), "{line}: {out}");
    }
    let outbox = server.json("admin outbox");
    let letters =
        outbox.as_array().unwrap().iter().map(|row| done(&server, &format!("admin letter {}", row["letter"])));
    let letters: Vec<String> = letters.collect();
    assert!(letters.iter().any(|letter| letter.contains(REMOVED)), "{letters:#?}");
    assert!(!letters.iter().any(|letter| letter.contains("Stinkpot") || letter.contains("Nitwit")), "{letters:#?}");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let page = Visitor::new(&serving.web()).get("/boards/1");
    assert!(page.text().contains(REMOVED) && !page.text().contains("Nitwit"), "{}", page.text());
    let api = Visitor::new(&serving.web()).get("/api/v1/boards/1");
    assert!(api.text().contains(REMOVED) && !api.text().contains("Nitwit"), "{}", api.text());
    serving.stop();
    done(&server, "admin check");
    assert!(done(&server, "admin board 1").contains("The hash chain is intact"));
}

#[test]
fn the_same_words_in_other_comments_remain() {
    let mut server = Server::with_players();
    for board in 1..=2 {
        done(&server, "marque challenge alice bob");
        done(&server, &format!("marque move {board} alice wonderland f3 --say=Ha"));
        done(&server, &format!("marque chat {board} bob builder --say=Ha"));
    }
    server.letters();
    done(&server, "admin comment remove 1 1 --yes");
    let letters = server.json("admin outbox");
    let texts: Vec<String> = letters
        .as_array()
        .unwrap()
        .iter()
        .map(|row| done(&server, &format!("admin letter {}", row["letter"])))
        .collect();
    let with = |words: &str| texts.iter().filter(|text| text.contains(words)).count();
    assert!(with(REMOVED) > 0 && with("Ha") > with(REMOVED), "{texts:?}");
    let board = |number: u32| done(&server, &format!("marque history {number} --format=json"));
    assert!(board(1).contains("Ha") && board(1).contains(REMOVED), "bob's comment remains: {}", board(1));
    assert!(!board(2).contains(REMOVED), "{}", board(2));
}

#[test]
fn a_waiting_letter_omits_a_removed_comment() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    done(&server, "admin hold");
    done(&server, "marque move 1 alice wonderland f3 --say=Stinkpot");
    done(&server, "admin comment remove 1 1 --yes");
    done(&server, "admin release");
    let letters = server.letters();
    assert!(to(&letters, BOB).text().contains(REMOVED), "{letters:?}");
    assert!(!letters.iter().map(Letter::text).any(|text| text.contains("Stinkpot")), "{letters:?}");
}

#[test]
fn the_comment_of_an_open_challenge_can_be_removed_on_its_board() {
    let server = Server::with_players();
    done(&server, "marque challenge alice anyone --say=Stinkpot");
    done(&server, "marque accept 1 bob builder");
    assert_eq!(comments(&server)[0].1, "Stinkpot");
    done(&server, "admin comment remove 1 1 --yes");
    assert!(!keeps(&server, "stinkpot"));
}
