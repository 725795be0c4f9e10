//! Addresses and domains that the administrator blocks: `turnpost admin block` and `unblock`.

use crate::common::database::sql;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

fn refused(server: &Server, line: &str, words: &str) {
    let ran = server.shell(line);
    let told = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.status == 1 && told.contains(words), "{line}: {ran:?}");
}

/// Returns the newest message's sender, verdict and reason.
fn newest_mail(server: &Server) -> [String; 3] {
    let mails = server.json("admin inbox --rows 1");
    ["from", "verdict", "reason"].map(|column| mails[0][column].as_str().unwrap_or_default().to_owned())
}

#[test]
fn mail_from_a_blocked_address_or_domain_is_stored_and_not_answered() {
    let mut server = Server::with_players();
    assert_eq!(done(&server, "admin block Eve@Spam.example --reason floods"), "eve@spam.example is blocked.\n");
    assert!(server.mail("EVE@spam.example", "help", "").is_empty());
    assert_eq!(newest_mail(&server), ["eve@spam.example", "ignored", "Its sender is blocked (eve@spam.example)."]);
    assert_eq!(server.mail("ann@spam.example", "help", "").len(), 1, "other addresses of the domain are not blocked");
    done(&server, "admin block @spam.example");
    for sender in ["dan@spam.example", "dan@mail.spam.example"] {
        assert!(server.mail(sender, "signup dan daniel99", "").is_empty());
        assert_eq!(newest_mail(&server)[2], "Its sender is blocked (@spam.example).");
    }
    assert_eq!(server.mail("dan@notspam.example", "help", "").len(), 1, "a domain with the same ending is not blocked");
    refused(&server, "show dan", "no player");
    let listed = server.json("admin blocked");
    let senders: Vec<&str> = listed.as_array().unwrap().iter().map(|row| row["sender"].as_str().unwrap()).collect();
    assert_eq!(senders, ["@spam.example", "eve@spam.example"]);
    assert!(listed[1]["reason"] == "floods" && listed[1]["blocked"].is_string(), "{listed}");
    assert!(done(&server, "admin blocked").contains("eve@spam.example"));
    for sender in ["@SPAM.example", "eve@spam.example"] {
        let out = done(&server, &format!("admin unblock {sender}"));
        assert_eq!(out, format!("{} is no longer blocked.\n", sender.to_lowercase()));
    }
    assert_eq!(server.mail("eve@spam.example", "help", "").len(), 1);
    refused(&server, "admin unblock eve@spam.example", "is not blocked");
}

#[test]
fn a_blocked_address_cannot_sign_up() {
    let mut server = Server::with_players();
    done(&server, "admin block @spam.example");
    let blocked = "The administrator of this server has blocked the address eve@spam.example.";
    refused(&server, "signup eve evening99 eve@spam.example", "has blocked");
    refused(&server, "change address alice wonderland eve@spam.example", "has blocked");
    refused(&server, "admin player address alice eve@spam.example", blocked);
    let letters = server.mail("eve@example.net", "signup eve evening99 eve@spam.example", "");
    assert!(to(&letters, "eve@example.net").text().contains("has blocked"), "{letters:?}");
    let serving = Serving::start(&server, WEB);
    let fields = [("userid", "eve"), ("password", "evening99"), ("address", "eve@spam.example")];
    let page = Visitor::new(&serving.web()).send("/signup", &fields);
    assert!(page.status >= 400 && page.text().contains("has blocked the address"), "{}", page.text());
    refused(&server, "show eve", "no player");
}

#[test]
fn a_code_does_not_confirm_an_address_that_was_blocked_meanwhile() {
    let mut server = Server::with_players();
    done(&server, "admin player address bob new@spam.example");
    let letters = server.letters();
    let letter = to(&letters, "new@spam.example");
    let line = letter.text().lines().find(|line| line.trim().starts_with("confirm bob ")).unwrap().trim().to_owned();
    done(&server, "admin block @spam.example");
    refused(&server, &line, "has blocked the address new@spam.example");
    done(&server, "admin unblock @spam.example");
    done(&server, &line);
}

#[test]
fn no_letter_is_sent_to_a_blocked_address() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "admin player address bob bob@example.net --confirmed");
    server.letters();
    let out = done(&server, "admin block @example.net");
    assert!(out.contains("Players with such an address: bob\n"), "{out}");
    done(&server, "marque move 1 alice wonderland f3");
    assert_eq!(to(&server.letters(), BOB).to, [BOB]);
    done(&server, "marque move 1 bob builder k1");
    done(&server, "marque move 1 alice wonderland f4");
    server.letters();
    // If a player's only address is blocked, no letters reach the player. The clock runs nevertheless, so the opponent
    // can win on time.
    assert_eq!(server.json(&format!("admin block {BOB}"))["players"], serde_json::json!(["bob"]));
    done(&server, "message alice wonderland bob --say=Hello?");
    assert!(server.letters().is_empty());
    assert!(done(&server, "admin outbox --undelivered").contains("no confirmed address except blocked ones"));
    sql(
        &server,
        "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z', \
         clock_reminded = 9 WHERE number = 1",
    );
    done(&server, "tick");
    assert!(done(&server, "admin boards").contains("won by alice (time)"));
}

#[test]
fn invalid_blocks_are_refused() {
    let server = Server::with_players();
    refused(&server, "admin block bob", "bob is a player. To block or unblock them: `turnpost admin player block bob`");
    for word in ["nobody", "a@", "@", "@two words"] {
        let ran = server.program().args(["admin", "block", word]).output().unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert!(error.contains("is not an address or a domain. Write a@example.org or @example.org"), "{error}");
    }
}

#[test]
fn a_second_block_without_a_reason_keeps_the_first() {
    let server = Server::with_players();
    done(&server, "admin block @spam.example --reason floods");
    let blocked = server.json("admin blocked");
    refused(&server, "admin block @SPAM.example", "@spam.example is already blocked");
    assert_eq!(server.json("admin blocked"), blocked);
    let acts = server.json("admin acts");
    assert_eq!(acts.as_array().unwrap().iter().filter(|act| act["act"] == "block").count(), 1, "{acts}");
    done(&server, "admin block @spam.example --reason scams");
    assert_eq!(server.json("admin blocked")[0]["reason"], "scams");
}

#[test]
fn blocks_move_to_another_server() {
    let server = Server::with_players();
    done(&server, "admin block @spam.example --reason floods");
    let path = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", path.display()));
    let mut new = Server::new();
    done(&new, &format!("admin import {}", path.display()));
    assert!(new.mail("eve@spam.example", "help", "").is_empty());
    assert_eq!(new.json("admin blocked"), server.json("admin blocked"));
    assert!(!new.mail(ALICE, "help", "").is_empty());
}
