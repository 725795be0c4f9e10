//! A forgotten password: a code sent only to the confirmed address sets a new one.

use crate::common::database::{keeps, sql};
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, to};

const ALICE: &str = "alice@example.org";

/// Returns the letters with a code, and the codes.
fn codes<'a>(letters: &'a [Letter], userid: &str) -> Vec<(&'a Letter, String)> {
    let head = format!("    password {userid} ");
    let code = |letter: &'a Letter| {
        let line = letter.text().lines().find_map(|line| line.strip_prefix(&head))?;
        let code = line.strip_suffix(" NEWPASSWORD")?;
        (code != "CODE").then(|| (letter, code.to_owned()))
    };
    letters.iter().filter_map(code).collect()
}

#[test]
fn a_code_by_mail_sets_a_new_password_once() {
    let mut server = Server::with_players();
    server.configure("[policy]\nanswers_to_stranger = 100\n");
    // A request from another address sends the code to the confirmed one.
    let letters = server.mail("mallory@elsewhere.example", "password alice", "");
    let found = codes(&letters, "alice");
    assert!(found.len() == 1 && found[0].0.to == [ALICE], "{letters:?}");
    let code = found[0].1.clone();
    assert!(letters.iter().all(|letter| letter.to() == ALICE || !letter.text().contains(&code)));
    // The answer is the same whether or not the player exists.
    let answer = |letters: &[Letter], userid: &str| {
        let letter = letters.iter().find(|letter| letter.to() == "mallory@elsewhere.example").unwrap();
        let text = letter.text().replace(userid, "USERID");
        (letter.subject.clone(), text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let nobody = server.mail("mallory@elsewhere.example", "password zoe", "");
    assert_eq!(nobody.len(), 1, "{nobody:?}");
    assert_eq!(answer(&nobody, "zoe"), answer(&letters, "alice"));
    // Other players cannot use the code, and a new password that is too short does not use up the code.
    for line in ["bob", "zoe"].map(|userid| format!("password {userid} {code} looking-glass")) {
        assert_eq!(server.shell(&line).status, 1, "{line}");
    }
    assert_eq!(server.shell(&format!("password alice {code} abc")).status, 1);
    // Neither does the line of the letter, copied without a password.
    let copied = server.shell(&format!("password alice {code} NEWPASSWORD"));
    assert!(copied.status == 1 && copied.err.replace('\n', " ").contains("a password of your choice"), "{copied:?}");
    let letters = server.mail("mallory@elsewhere.example", &format!("password alice {code} looking-glass"), "");
    assert!(letters[0].text().contains("The password of alice has been changed."), "{letters:?}");
    assert_eq!(server.shell("set alice wonderland").status, 1);
    done(&server, "set alice looking-glass");
    let again = server.shell(&format!("password alice {code} something"));
    assert!(again.status == 1 && again.err.replace('\n', " ").contains("works once, within an hour"), "{again:?}");
    // Neither the code nor the password is stored.
    for row in [done(&server, "admin inbox"), done(&server, "admin outbox")] {
        assert!(!row.contains(&code) && !row.contains("looking-glass"), "{row}");
    }
    assert!(!keeps(&server, &code));
}

#[test]
fn every_confirmed_address_learns_of_a_password_set_with_a_code() {
    const WORK: &str = "alice@work.example";
    const MALLORY: &str = "mallory@elsewhere.example";
    let mut server = Server::with_players();
    done(&server, &format!("change address alice wonderland {ALICE} {WORK}"));
    done(&server, "set alice wonderland letters=none");
    for from in [MALLORY, WORK, "shell"] {
        let letters = server.mail(ALICE, "password alice", "");
        let line = format!("password alice {} looking-glass", codes(&letters, "alice")[0].1);
        let letters = match from {
            "shell" => {
                done(&server, &line);
                server.letters()
            }
            _ => server.mail(from, &line, ""),
        };
        let hers: Vec<_> = letters.iter().filter(|letter| letter.to == [ALICE, WORK]).collect();
        let [letter] = hers.as_slice() else { panic!("{from}: {letters:?}") };
        let text = joined(letter.text());
        assert!(text.starts_with("The password of alice has been changed."), "{from}: {text}");
        assert!(text.contains("If it was not you") && text.contains("with \"password alice\""), "{from}: {text}");
        // A sender at another address receives only the result. The letter is the answer to all other senders.
        assert_eq!(letters.len(), if from == MALLORY { 2 } else { 1 }, "{from}: {letters:?}");
        if from == MALLORY {
            let answer = joined(to(&letters, MALLORY).text());
            assert!(answer.contains("The password of alice has been changed."), "{answer}");
            assert!(!answer.contains("not you"), "{answer}");
        }
    }
}

#[test]
fn requests_are_limited_by_player_and_by_source() {
    let mut server = Server::with_players();
    server.configure("[policy]\nanswers_to_stranger = 100\n");
    done(&server, "signup carol lonely carol@example.org");
    let mut asked = 0;
    for source in 0..6 {
        asked += codes(&server.mail(&format!("m{source}@elsewhere.example"), "password alice", ""), "alice").len();
    }
    assert_eq!(asked, 3, "a player receives at most three of these letters a day");
    // One sender requests new passwords for many players.
    let mut refused = 0;
    for n in 0..12 {
        sql(&server, "DELETE FROM rate_limits WHERE what IN ('refusal', 'letter')");
        let letters = server.mail("mallory@elsewhere.example", &format!("password player{n}"), "");
        refused += usize::from(letters.iter().any(|letter| letter.text().contains("too often")));
    }
    assert_eq!(refused, 2);
    assert!(codes(&server.mail("mallory@elsewhere.example", "password carol", ""), "carol").is_empty());
    assert_eq!(
        codes(&server.mail("carol@example.org", "password carol", ""), "carol").len(),
        1,
        "another sender can still request a code"
    );
}

#[test]
fn codes_are_not_sent_to_unconfirmed_addresses() {
    let mut server = Server::with_players();
    server.mail("carol@example.org", "signup carol lonely", "");
    let letters = server.mail("carol@example.org", "password carol", "");
    assert!(codes(&letters, "carol").is_empty(), "{letters:?}");
}

#[test]
fn a_link_sets_a_new_password_and_ends_sessions_and_tokens() {
    let mut server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n");
    let web = serving.web();
    let mut elsewhere = Visitor::logged_in(&web, "alice", "wonderland");
    let page = elsewhere.fill("/settings", &[("do", "token"), ("label", "bot")]);
    assert!(page.text().contains("tp_"), "{}", page.text());
    let mut visitor = Visitor::new(&web);
    assert!(visitor.get("/login").text().contains("href=\"/password\""));
    for userid in ["alice", "nobody"] {
        let page = visitor.fill("/password", &[("userid", userid)]);
        assert!(page.status == 200 && page.text().contains("If there is such a player"), "{}", page.text());
    }
    let link = wait_until("a letter with a link", || {
        let letters = server.letters();
        let letter = letters.iter().find(|letter| letter.text().contains("/password/"))?;
        let line = letter.text().lines().find(|line| line.contains("https://games.example/password/"))?;
        Some(line.split("https://games.example").nth(1)?.trim().to_owned())
    });
    assert!(visitor.get(&link).text().contains("New password for alice"));
    let page = visitor.fill(&link, &[("new", "abc")]);
    assert!(page.status == 409 && page.text().contains("at least 4"), "{}", page.text());
    let page = visitor.fill(&link, &[("new", "looking glass")]);
    assert!(page.status == 200 && page.text().contains("Password changed"), "{}", page.text());
    wait_until("a letter about the new password", || {
        server.letters().into_iter().find(|letter| joined(letter.text()).contains("If it was not you, somebody"))
    });
    assert_eq!(elsewhere.get("/settings").status, 303, "every session has ended");
    assert_eq!(visitor.get(&link).status, 404);
    assert_eq!(visitor.send(&link, &[("new", "another one")]).status, 404);
    let mut alice = Visitor::logged_in(&web, "alice", "looking glass");
    assert!(!alice.get("/settings").text().contains("Revoke bot"), "API tokens are revoked");
    serving.stop();
}

#[test]
fn mail_from_a_confirmed_address_recovers_a_forgotten_userid() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "password", "");
    let found = codes(&letters, "alice");
    let [(letter, code)] = found.as_slice() else { panic!("{letters:#?}") };
    assert!(letter.to == [ALICE] && letter.text().contains("a new password for alice"), "{letter:#?}");
    done(&server, &format!("password alice {code} looking-glass"));
    done(&server, "set alice looking-glass");
    // The command works as the first line of a reply, too.
    let letters = server.mail(ALICE, "Re: Marque Board 1", "Password\n\nI have forgotten who I am.");
    assert_eq!(codes(&letters, "alice").len(), 1, "{letters:#?}");
    // A letter to an unconfirmed address does not name the userid.
    server.mail("carol@example.org", "signup carol lonely", "");
    let letters = server.mail("carol@example.org", "password", "");
    assert!(codes(&letters, "carol").is_empty() && !letters[0].text().contains("carol"), "{letters:#?}");
    // A request from the shell has no sender address.
    let ran = server.shell("password");
    assert!(ran.status == 1 && ran.err.contains("The userid is missing."), "{ran:?}");
}
