//! Wrong passwords and floods: a stranger can neither lock out other users nor flood their mailboxes.

use crate::common::database::sql;
use crate::common::serving::{Serving, http, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, to};
use chrono::SecondsFormat;
use serde_json::{Value, json};
use turnpost::world::World;

const ALICE: &str = "alice@example.org";
const MALLORY: &str = "mallory@elsewhere.example";

fn board() -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    (server, letters)
}

fn plies(server: &Server) -> usize {
    server.hashes(1).len()
}

#[test]
fn a_stranger_cannot_lock_out_players() {
    let (mut server, _) = board();
    for n in 0..11 {
        server.mail(MALLORY, &format!("marque move 1 alice guess{n} f3"), "");
    }
    // A sender with too many wrong passwords is locked out of the account for a while, even with the right password.
    server.mail(MALLORY, "marque move 1 alice wonderland f3", "");
    assert_eq!(plies(&server), 0);
    // The same address in another case, or with a display name, is the same sender.
    server.mail("Mallory <MALLORY@elsewhere.example>", "marque move 1 alice wonderland f3", "");
    assert_eq!(plies(&server), 0);
    // Attempts for other userids are still allowed.
    assert_eq!(server.mail(MALLORY, "marque seek bob builder 2", "").len(), 1);
    // Other senders are not affected.
    server.mail("alice@work.example", "marque move 1 alice wonderland f3", "");
    assert_eq!(plies(&server), 1);
    assert_eq!(server.shell("set alice wonderland").status, 0);
}

#[test]
fn a_source_waits_after_thirty_wrong_passwords_for_any_userids() {
    let (mut server, _) = board();
    for n in 0..10 {
        let lines: String = (0..3).map(|i| format!("set user{n}x{i} guess{i}\n")).collect();
        server.mail(MALLORY, "", &lines);
    }
    let wrong = sql(
        &server,
        "SELECT count(*), count(DISTINCT source), max(length(of)) FROM rate_limits \
         WHERE what = 'wrong password'",
    );
    assert_eq!(wrong, "30|1|3", "userids from wrong logins are not stored");
    server.mail(MALLORY, "marque move 1 alice wonderland f3", "");
    assert_eq!(plies(&server), 0);
    server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    assert_eq!(plies(&server), 1);
}

#[test]
fn verified_players_are_never_locked_out() {
    let (mut server, letters) = board();
    let letter = letters.iter().find(|letter| letter.to() == ALICE).unwrap();
    // Wrong passwords arrive from a confirmed address, and from another address with a reply token.
    let to_token = json!({ "To": letter.reply_to() });
    for n in 0..12 {
        server.mail(ALICE, &format!("set alice wrong{n}"), "");
        server.mail_with("alice@work.example", &format!("marque move 1 alice wrong{n} f3"), "", &to_token);
    }
    // Wrong passwords in mail with a reply token are not counted. Those in unverified mail from the player's own
    // address are counted, but with a much higher limit.
    assert_eq!(
        sql(
            &server,
            "SELECT count(*) FROM rate_limits WHERE what = 'wrong password' AND source <> 'alice@example.org'"
        ),
        "0"
    );
    server.mail_with("alice@work.example", "marque move 1 alice wonderland f3", "", &to_token);
    assert_eq!(plies(&server), 1);
    // A player with a session on the web is not locked out either.
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    for n in 0..12 {
        let page = alice.fill("/command", &[("line", &format!("set alice wrong{n}"))]);
        assert!(page.text().contains("No player has this"), "{}", page.text());
    }
    let page = alice.fill("/command", &[("line", "set alice wonderland")]);
    assert_eq!(page.status, 200, "{}", page.text());
    // A client without a session is limited after its own wrong passwords; other clients are not.
    let mut client = Visitor::new(&serving.web());
    for _ in 0..10 {
        let page = client.send("/login", &[("userid", "bob"), ("password", "wrong")]);
        assert!(page.text().contains("No player has this"), "{}", page.text());
    }
    let page = client.send("/login", &[("userid", "bob"), ("password", "builder")]);
    assert!(page.text().contains("Too many wrong passwords"), "{}", page.text());
    assert_eq!(server.shell("set bob builder").status, 0);
}

#[test]
fn three_passwords_of_a_message_are_checked_in_little_memory() {
    let (mut server, _) = board();
    let serving = Serving::start(&server, "");
    let lines: String = (0..20).map(|n| format!("marque move 1 bob wrong{n} f3\n")).collect();
    let mail = server.compose("bob@example.org", "", &lines);
    server.raw_mail(mail.as_bytes());
    let letters = wait_until("an answer to bob", || Some(server.letters()).filter(|letters| !letters.is_empty()));
    let text = letters[0].text();
    let count = |words: &str| text.matches(words).count();
    assert_eq!((count("No player has this userid"), count("this one was not")), (3, 17), "{text}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 100_000, "{peak} kB");
    // The right password is accepted before, between and after wrong ones.
    let lines = "set bob builder\nset bob wrong\nset bob builder\nset bob bad\nset bob builder\n";
    let mail = server.compose("bob@example.org", "", lines);
    server.raw_mail(mail.as_bytes());
    let letters = wait_until("an answer to bob", || Some(server.letters()).filter(|letters| !letters.is_empty()));
    assert_eq!(letters[0].text().matches("No player has this userid").count(), 2, "{}", letters[0].text());
}

#[test]
fn unrequested_letters_are_limited() {
    let mut server = Server::with_players();
    let mut to_victim = 0;
    for n in 0..15 {
        let from = format!("stranger{n}@elsewhere.example");
        let letters = server.mail(&from, &format!("signup victim{n} s3cret victim@example.com"), "");
        to_victim += letters.iter().filter(|letter| letter.to() == "victim@example.com").count();
    }
    assert_eq!(to_victim, 5);
    assert_eq!(server.shell("show victim14").status, 1, "a refused signup creates no player");
    // One sender signs up many addresses. The limit on answers to one sender applies here, too.
    let mut asked = 0;
    for n in 0..30 {
        let letters = server.mail(MALLORY, &format!("signup other{n} s3cret other{n}@example.com"), "");
        asked += letters.len();
    }
    assert_eq!(asked, 20);
    // Players can request help as often as they like.
    assert_eq!(server.mail(ALICE, "help", "").len(), 1);
    // The administrator can change the limit.
    let mut server = Server::with_players();
    server.configure("[policy]\nletters_to_stranger = 1\n");
    for (n, letters) in [(0, 2), (1, 1), (2, 1)] {
        let from = format!("stranger{n}@elsewhere.example");
        let sent = server.mail(&from, &format!("signup victim{n} s3cret victim@example.com"), "");
        assert_eq!(sent.len(), letters, "{sent:?}");
    }
}

#[test]
fn three_refusals_in_a_row_are_answered_and_then_one_a_day() {
    let (mut server, _) = board();
    let line = "marque move 1 alice guess z99";
    let answered = |server: &mut Server| server.mail(ALICE, line, "").len();
    let counts: Vec<usize> = (0..6).map(|_| answered(&mut server)).collect();
    assert_eq!(counts, [1, 1, 1, 0, 0, 0]);
    assert!(server.shell("admin inbox").out.contains("too many consecutive refusals"));
    // A day after the last answer, one more refusal is answered.
    sql(&server, "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'refusal'");
    assert_eq!([answered(&mut server), answered(&mut server)], [1, 0]);
    // A successful command is answered, and resets the count of refusals.
    assert_eq!(server.mail(ALICE, "marque move 1 alice wonderland f3", "").len(), 2);
    assert_eq!(answered(&mut server), 1);
}

#[test]
fn an_unconfirmed_account_lapses() {
    let mut server = Server::with_players();
    server.mail("dora@example.net", "signup dora s3cret", "");
    server.mail("emil@example.net", "signup emil s3cret", "");
    server.shell("marque challenge emil bob");
    let week_old = |server: &Server, and: &str| {
        sql(
            server,
            &format!("UPDATE addresses SET added_at = '2020-01-01T00:00:00Z' WHERE confirmed_at IS NULL {and}"),
        );
        assert_eq!(server.shell("tick").status, 0);
    };
    assert_eq!(server.shell("tick").status, 0);
    assert_eq!(server.shell("show dora").status, 0, "an account does not lapse before a week has passed");
    week_old(&server, "");
    server.letters();
    assert_eq!(server.shell("show dora").status, 1);
    // The lapsed userid is available again. A player with a board remains, but loses the unconfirmed address.
    assert_eq!(server.mail("dora@example.com", "signup dora other5ecret", "").len(), 1);
    assert_eq!(server.shell("show emil").status, 0);
    assert_eq!(
        sql(&server, "SELECT count(*) FROM addresses a JOIN players p ON p.id = a.player WHERE userid = 'emil'"),
        "0"
    );
    // An account with a confirmed address remains, even if another one is unconfirmed.
    server.mail(ALICE, "change address alice wonderland alice@example.org new@example.net", "");
    week_old(&server, "AND address = 'new@example.net'");
    assert_eq!(server.shell("show alice").status, 0);
    assert!(server.shell("admin check").out.contains("no difference"));
}

#[test]
fn clocks_run_after_unconfirmed_accounts_with_blocks_or_events_lapse() {
    let mut server = Server::with_players();
    for userid in ["dora", "emil", "frida"] {
        server.mail(&format!("{userid}@example.net"), &format!("signup {userid} s3cret"), "");
    }
    done(&server, "block bob builder dora");
    server.configure("[events]\nplayers = true\n");
    done(&server, "event new climb hex --kind=ladder bob builder");
    done(&server, "join climb emil s3cret");
    done(&server, "marque challenge alice bob --forfeittime=1");
    done(&server, "marque move 1 alice wonderland f3");
    sql(
        &server,
        "UPDATE addresses SET added_at = '2020-01-01T00:00:00Z' WHERE confirmed_at IS NULL; \
         UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z'",
    );
    assert_eq!(server.shell("tick").status, 0);
    // Players in an event remain, but lose their unconfirmed addresses.
    assert_eq!(["dora", "emil", "frida"].map(|userid| server.shell(&format!("show {userid}")).status), [1, 0, 1]);
    let letters: String = server.letters().iter().map(Letter::text).collect();
    assert!(letters.contains("is waiting for your move"), "clocks continue: {letters}");
    assert!(server.shell("admin check").out.contains("no difference"));
}

#[test]
fn forged_addresses_cannot_guess_forever() {
    let mut server = Server::with_players();
    let wrong = |count: u32| {
        format!(
            "DELETE FROM rate_limits; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
             INSERT INTO rate_limits (what, of, source, at) \
             SELECT 'wrong password', 'alice', 'alice@example.org', '{}' FROM n",
            (World::REAL.now)().to_rfc3339_opts(SecondsFormat::Secs, true)
        )
    };
    let mut set = |count: u32| {
        sql(&server, &wrong(count));
        server.mail(ALICE, "set alice wonderland", "")[0].text().contains("Too many wrong passwords")
    };
    assert_eq!([99, 100].map(&mut set), [false, true]);
}

#[test]
fn a_token_or_session_cannot_be_used_to_guess_passwords() {
    let (server, _) = board();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let web = serving.web();
    let post = |path: &str, token: &str, body: &Value| {
        let body = body.to_string();
        let head = format!(
            "POST /api/v1{path} HTTP/1.1\r\nHost: games.example\r\n{token}Content-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let (status, _, answer) = http(&web, &(head + &body));
        (status, serde_json::from_slice::<Value>(&answer).unwrap())
    };
    let (_, made) = post("/tokens", "", &json!({ "userid": "alice", "password": "wonderland", "label": "bot" }));
    let token = format!("Authorization: Bearer {}\r\n", made["token"].as_str().unwrap());
    let run = |line: &str| post("/commands", &token, &json!({ "line": line })).0;
    let guesses: Vec<u16> = (0..31).map(|n| run(&format!("set player{n} guess{n}"))).collect();
    assert_eq!((guesses[0], guesses[29], guesses[30]), (401, 401, 429));
    assert_eq!(run("set alice wonderland"), 429, "the token's own player is locked out, too");
    assert_eq!(run("set alice - zone=UTC"), 200, "a command without a password is not a guess");
    assert_eq!(post("/tokens", "", &json!({ "userid": "bob", "password": "builder", "label": "bot" })).0, 429);
    // Other clients are not affected.
    assert_eq!(server.shell("set alice wonderland").status, 0);

    let server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut guess = |n: u32| {
        alice.fill("/settings", &[("do", "password"), ("password", &format!("guess{n}")), ("new", "stolen22")])
    };
    let guesses: Vec<u16> = (0..31).map(|n| guess(n).status).collect();
    assert_eq!((guesses[0], guesses[29], guesses[30]), (409, 409, 429));
}

#[test]
fn signing_up_on_the_web_does_not_reveal_owners_or_flood_addresses() {
    let mut server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let sign_up = |userid: &str, address: &str| {
        let fields = [("userid", userid), ("password", "s3cret22"), ("address", address)];
        Visitor::new(&serving.web()).send("/signup", &fields)
    };
    // The answer is the same for a player's address and for any other.
    let (known, unknown) = (sign_up("dora", ALICE), sign_up("emil", "emil@example.net"));
    assert_eq!((known.status, known.header("location")), (303, Some("/me")), "{}", known.text());
    assert_eq!((unknown.status, unknown.header("location")), (303, Some("/me")));
    let letters = sent(&mut server, 2);
    let letter = to(&letters, ALICE);
    assert!(letter.text().contains("already the address of your player alice"), "{}", letter.text());
    assert!(!letter.subject.contains("confirm dora") && !letter.text().contains("confirm dora"), "{letter:?}");
    let asked = to(&letters, "emil@example.net");
    assert!(asked.text().contains("confirm emil"), "{}", asked.text());
    // The page for changing addresses does not reveal either whether an address belongs to a player.
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let both = "bob@example.org alice@example.org";
    let page = bob.fill("/settings", &[("do", "addresses"), ("password", "builder"), ("addresses", both)]);
    assert!(page.status == 200 && page.text().contains("not confirmed yet"), "{}", page.text());
    let told = sent(&mut server, 1);
    assert!(to(&told, ALICE).text().contains("for the player bob"), "{told:?}");
    // A signup by mail from alice's address is answered with the reason, because only alice reads the answer.
    let mail = server.compose(ALICE, "signup other s3cret22", "");
    server.raw_mail(mail.as_bytes());
    let told = sent(&mut server, 1);
    assert!(to(&told, ALICE).text().contains("belongs to another player"), "{told:?}");
    // A stranger's address receives at most five letters a day.
    let refused: Vec<u16> = (0..12).map(|n| sign_up(&format!("victim{n}"), "victim@example.com").status).collect();
    assert_eq!(refused.iter().filter(|status| **status == 303).count(), 5, "{refused:?}");
}

/// Waits until the server has sent this many letters, and returns them.
fn sent(server: &mut Server, count: usize) -> Vec<Letter> {
    let mut letters = Vec::new();
    wait_until(&format!("{count} letters"), || {
        letters.extend(server.letters());
        (letters.len() >= count).then_some(())
    });
    letters
}

#[test]
fn a_new_password_must_not_be_a_common_one() {
    let mut server = Server::with_players();
    server.configure(
        "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n[policy]\nshortest_password = 8\n",
    );
    let weak = [("sh0rt77", "at least 8 characters"), ("PASSWORD1", "one of the first"), ("Carolina1", "differ")];
    for (password, says) in weak {
        let signup = server.shell(&format!("signup carolina1 {password} carol@example.net"));
        assert!(signup.status == 1 && signup.err.contains(says), "{password}: {signup:?}");
        assert!(!signup.err.contains(password), "{signup:?}");
    }
    let letters = server.mail("carol@example.net", "signup carolina1 sh0rt77", "");
    assert!(to(&letters, "carol@example.net").text().contains("at least 8 characters"), "{letters:?}");
    // An existing password remains valid until it is changed.
    let changed = |new: &str| server.shell(&format!("change password bob builder {new}"));
    assert!(changed("builder").err.contains("at least 8 characters"));
    assert!(changed("12345678").err.contains("one of the first"));
    assert_eq!(server.shell("set bob builder").status, 0);
    let config = std::fs::read_to_string(server.data().join("turnpost.toml")).unwrap();
    let serving = Serving::start(&server, &config);
    let mut visitor = Visitor::new(&serving.web());
    assert!(visitor.get("/signup").text().contains("minlength=\"8\""));
    let page = visitor.send("/signup", &[("userid", "dora"), ("password", "iloveyou"), ("address", "d@example.net")]);
    assert!(page.status == 409 && page.text().contains("one of the first"), "{}", page.text());
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.fill("/settings", &[("do", "password"), ("password", "builder"), ("new", "qwertyuiop")]);
    assert!(page.status == 409 && page.text().contains("one of the first"), "{}", page.text());
    // The page for a forgotten password also checks the new password.
    visitor.send("/password", &[("userid", "alice")]);
    let mut link = String::new();
    wait_until("a letter with a link", || {
        let letter = server.letters().into_iter().find(|letter| letter.text().contains("/password/"))?;
        let line = letter.text().lines().find(|line| line.contains("/password/"))?.trim().to_owned();
        link = line.trim_start_matches("https://games.example").to_owned();
        Some(())
    });
    let page = visitor.send(&link, &[("new", "ALICE")]);
    assert!(page.status == 409 && page.text().contains("at least 8"), "{}", page.text());
    assert_eq!(visitor.send(&link, &[("new", "through the glass")]).status, 200);
    Visitor::logged_in(&serving.web(), "alice", "through the glass");
}
