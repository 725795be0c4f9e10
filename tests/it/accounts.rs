//! Accounts as users see them: a changed password, and several addresses, each valid once its owner has confirmed it.

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, letter_to, reply, to};

#[test]
fn only_the_changed_password_is_valid() {
    let server = Server::with_players();
    assert_eq!(server.shell("change password alice wrong n3wone").status, 1);
    let changed = joined(&done(&server, "change password alice wonderland n3wone"));
    assert!(changed.contains("alice is logged out in every browser, and API tokens no longer work."), "{changed}");
    assert_eq!(server.shell("set alice wonderland").status, 1);
    assert_eq!(server.shell("set alice n3wone").status, 0);
}

#[test]
fn letters_are_sent_to_every_confirmed_address() {
    let mut server = Server::with_players();
    let addressees = |letter: &crate::common::Letter| letter.to.len();
    let letters =
        server.mail("alice@example.org", "change address alice wonderland alice@example.org alice@work.example", "");
    let asks = to(&letters, "alice@work.example").clone();
    // Letters are not sent to an unconfirmed address.
    let letters = server.mail("bob@example.org", "marque challenge bob alice", "");
    assert!(letters.iter().all(|letter| addressees(letter) == 1), "{letters:?}");
    reply(&mut server, "alice@work.example", &asks, "");
    let letters = server.mail("bob@example.org", "marque move 1 bob builder f3", "");
    let hers = letters.iter().find(|letter| letter.to() == "alice@example.org").unwrap();
    assert_eq!(hers.to[1], "alice@work.example");
    // A player cannot add another player's address. An address missing from the command is removed.
    let taken = server.shell("change address bob builder bob@example.org alice@work.example");
    assert!(taken.status == 1 && taken.err.contains("belongs to another player"), "{taken:?}");
    assert_eq!(server.shell("change address alice wonderland alice@work.example").status, 0);
    let letters = server.mail("alice@work.example", "marque move 1 alice wonderland k1", "");
    assert!(letters.iter().any(|letter| letter.to() == "alice@work.example" && addressees(letter) == 1), "{letters:?}");
}

#[test]
fn a_new_address_replaces_the_old_one_once_it_is_confirmed() {
    const OLD: &str = "alice@example.org";
    const NEW: &str = "alice@new.example";
    let mut server = Server::with_players();
    let change = format!("change address alice wonderland {NEW}");
    let letters = server.mail(OLD, &change, "");
    let answer = joined(to(&letters, OLD).text());
    assert!(answer.contains("reply to it to receive your letters only there."), "{answer}");
    let asks = to(&letters, NEW).clone();
    let letters = server.mail("bob@example.org", "marque challenge bob alice", "");
    let hers = to(&letters, OLD).clone();
    assert_eq!(hers.to, [OLD], "the new address is not confirmed");
    // The old address receives a last letter, which does not contain the new one.
    let letters = reply(&mut server, NEW, &asks, "yes");
    let last = joined(to(&letters, OLD).text());
    assert!(last.starts_with("Letters to alice are no longer sent to alice@example.org:"), "{last}");
    assert!(!last.contains(NEW), "{last}");
    let letters = server.mail("bob@example.org", "marque move 1 bob builder f3", "");
    assert!(letter_to(&letters, OLD).is_none() && to(&letters, NEW).to == [NEW], "{letters:?}");
    // The old address is not hers any more.
    reply(&mut server, OLD, &hers, "set own=on");
    assert!(done(&server, "set alice wonderland").contains("own=off"));
    assert_eq!(server.json("admin players")[0]["addresses"], NEW);
    // The administrator can confirm an address, too.
    server.mail(NEW, &format!("change address alice wonderland {OLD}"), "");
    done(&server, &format!("admin player confirm alice {OLD}"));
    assert!(to(&server.letters(), NEW).text().contains("no longer sent to"));
    assert_eq!(server.json("admin players")[0]["addresses"], OLD);
}

#[test]
fn an_address_that_an_administrator_adds_replaces_none() {
    const NEW: &str = "alice@new.example";
    let mut server = Server::with_players();
    // The player mistypes a new address, and stays with the old one.
    server.mail("alice@example.org", "change address alice wonderland alice@nwe.example", "");
    done(&server, &format!("admin player address alice {NEW}"));
    let asks = to(&server.letters(), NEW).clone();
    reply(&mut server, NEW, &asks, "yes");
    let addresses = server.json("admin players")[0]["addresses"].to_string();
    assert!(addresses.contains("alice@example.org") && addresses.contains(NEW), "{addresses}");
}

#[test]
fn a_code_from_another_address_does_not_reveal_the_confirmed_one() {
    const NEW: &str = "alice@new.example";
    const MALLORY: &str = "mallory@elsewhere.example";
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", &format!("change address alice wonderland {NEW}"), "");
    let line = to(&letters, NEW).text().lines().find(|line| line.contains("confirm alice ")).unwrap().trim();
    let letters = server.mail(MALLORY, line, "");
    let answer = joined(to(&letters, MALLORY).text());
    assert!(answer.contains("Letters to alice are now sent there.") && !answer.contains(NEW), "{answer}");
    assert_eq!(server.json("admin players")[0]["addresses"], NEW);
}

#[test]
fn a_change_of_addresses_replaces_an_unconfirmed_one() {
    const OLD: &str = "alice@example.org";
    const NEW: &str = "alice@new.example";
    let mut server = Server::with_players();
    let letters = server.mail(OLD, "change address alice wonderland alicia@new.example", "");
    let mistyped = to(&letters, "alicia@new.example").clone();
    let letters = server.mail(OLD, &format!("change address alice wonderland {OLD} {NEW}"), "");
    assert!(to(&letters, OLD).text().contains("there too."), "{letters:?}");
    reply(&mut server, "alicia@new.example", &mistyped, "yes");
    reply(&mut server, NEW, to(&letters, NEW), "yes");
    assert_eq!(server.json("admin players")[0]["addresses"], format!("{OLD}, {NEW}"));
}

#[test]
fn userids_that_could_be_mistaken_for_the_server_are_reserved() {
    let server = Server::new();
    for userid in ["admin", "Postmaster", "nobody", "me", "Draw", "robot13", "robot"] {
        let ran = server.shell(&format!("signup {userid} wonderland {userid}@example.org"));
        assert_eq!(ran.status, 1, "{userid}: {}", ran.out);
        assert!(ran.err.contains("is reserved") || ran.err.contains("belongs to a computer player"), "{}", ran.err);
    }
    done(&server, "signup administrata wonderland a@example.org");
}

#[test]
fn a_name_does_not_end_like_a_sentence() {
    const WORDS: &str = "ends with a full stop, like a sentence.";
    let mut server = Server::with_players();
    // "block bob." in a reply blocks bob.
    let letters = server.mail("eve@example.org", "signup bob. secretive", "");
    assert!(joined(to(&letters, "eve@example.org").text()).contains(WORDS), "{letters:?}");
    for line in ["signup bob. secretive eve@example.org", "event new spring. hex --kind=league alice wonderland"] {
        let ran = server.shell(line);
        assert!(ran.status == 1 && joined(&ran.err).contains(WORDS), "{line}: {ran:?}");
    }
    let ran = server.shell("admin player rename alice alice.");
    assert!(ran.status == 1 && joined(&ran.err).contains("not ending with"), "{ran:?}");
    // Inside a userid, a full stop is allowed.
    done(&server, "signup bob.b secretive eve@example.org");
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nobody_becomes_administrator_by_taking_a_userid() {
    const POLICY: &str = "[policy]\nadministrators = [\"alice\"]\n";
    const WORDS: &str = "belongs to an administrator";
    let mut server = Server::new();
    done(&server, "signup bob builder bob@example.org");
    let serving = Serving::start(&server, &format!("[web]\nlisten = \"127.0.0.1:0\"\n{POLICY}"));
    let mut eve = Visitor::new(&serving.web());
    let fields = [("userid", "ALICE"), ("password", "long enough 7"), ("address", "eve@example.org")];
    let page = eve.send("/signup", &fields);
    assert!(page.status >= 400 && page.text().contains(WORDS), "{} {}", page.status, page.text());
    let page = eve.send("/games/brique/play", &[("userid", "alice")]);
    assert!(page.status >= 400 && page.text().contains(WORDS), "{} {}", page.status, page.text());
    serving.stop();
    let letters = server.mail("eve@example.org", "signup alice secretive", "");
    assert!(joined(to(&letters, "eve@example.org").text()).contains(WORDS), "{letters:?}");
    assert_eq!(server.shell("show alice").status, 1);
    done(&server, "signup alice wonderland alice@example.org");
    for task in ["rename alice alicia", "merge alice bob --yes", "remove alice", "remove alice --yes"] {
        let ran = server.shell(&format!("admin player {task}"));
        let words = "remove the userid from `administrators` in [policy]";
        assert!(ran.status == 1 && joined(&ran.err).contains(words), "{task}: {ran:?}");
    }
    let ran = server.shell("signoff alice wonderland");
    assert!(ran.status == 1 && joined(&ran.err).contains("alice is an administrator of this server"), "{ran:?}");
    done(&server, "admin player rename alice Alice");
    server.configure("");
    done(&server, "admin player rename Alice alicia");
}
