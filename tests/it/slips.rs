//! Passwords in wrong positions: no letter, log, list or database contains one, even if words were swapped or
//! omitted.

use crate::common::database::sql;
use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, reply, to};
use crate::puzzles::{play, with_finished_board};
use serde_json::json;

const BOB: &str = "bob@example.org";
const PASSWORD: &str = "bobsecret";
const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$dHVybnBvc3QtdGVzdHM$61ND+Rj9EwZ6X9OqBEAM7ADRLvfPt1PMwrDWsw97Vws";
/// The default minimum length of a password.
const LONG: &str = "[policy]\nshortest_password = 8\n";

/// Creates alice, bob and carol, and a Marque board of alice and bob with the move f3. Returns bob's letter about it.
fn board() -> (Server, Letter) {
    let mut server = Server::new();
    server.configure(LONG);
    for userid in ["alice", "bob", "carol"] {
        assert_eq!(server.shell(&format!("signup {userid} {userid}secret {userid}@example.org")).status, 0);
        assert_eq!(server.shell(&format!("set {userid} {userid}secret mail=text")).status, 0);
    }
    // Replaces the hash of bob's password by the cheapest possible one, because the tests verify it hundreds of times.
    sql(&server, &format!("UPDATE players SET password_hash = '{HASH}' WHERE userid = 'bob'"));
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let letters = server.mail("alice@example.org", "marque move 1 alice alicesecret f3", "");
    let letter = letters.into_iter().find(|letter| letter.to() == BOB).unwrap();
    (server, letter)
}

/// A valid line for each verb that requires a password.
const LINES: &[&str] = &[
    "marque move 1 bob bobsecret f4",
    "marque move 1 bob bobsecret f4,f5#2",
    "marque submit 1 bob bobsecret f4",
    "marque confirm 1 bob bobsecret",
    "marque queue 1 bob bobsecret f4",
    "marque if 1 bob bobsecret \"k4 then h2; else stop\"",
    "marque propose 1 bob bobsecret",
    "marque undo 1 bob bobsecret",
    "marque accept 1 bob bobsecret",
    "marque reject 1 bob bobsecret",
    "marque decline 1 bob bobsecret",
    "marque chat 1 bob bobsecret --say=hello",
    "marque note 1 bob bobsecret",
    "brique move 1 bob bobsecret f4",
    "tessella move 1 bob bobsecret e1-e2",
    "lazo resign 7 bob bobsecret",
    "marque seek bob bobsecret 3",
    "marque limit bob bobsecret all",
    "marque subscribe all bob bobsecret",
    "marque notify 1 bob bobsecret",
    "marque unsubscribe all bob bobsecret",
    "change address bob bobsecret bob@example.org",
    "vacation bob bobsecret until 2026-12-24",
    "set bob bobsecret mail=text zone=Europe/Berlin",
    "signoff bob bobsecret",
    "message bob bobsecret alice",
    "broadcast bob bobsecret",
];

/// Lines with verbs that require no password, and unusual lines.
const OTHERS: &[&str] = &[
    "help bobsecret",
    "list bobsecret",
    "list marque bobsecret",
    "show bobsecret",
    "show alice bobsecret",
    "show 1 bobsecret",
    "all show bobsecret",
    "all show bob bobsecret",
    "confirm bob bobsecret",
    "confirm bobsecret c0de",
    "marque show bobsecret",
    "marque show 1 bobsecret",
    "marque show 1#bobsecret",
    "marque games bob bobsecret",
    "marque history 1 bobsecret",
    "marque history 1 --format=bobsecret",
    "marque preview 1 bobsecret",
    "marque preview new bobsecret",
    "marque standings bobsecret",
    "marque challenge bob bobsecret",
    "marque challenge bobsecret alice",
    "marque challenge -opposite=bobsecret bob alice",
    "marque challenge bob alice bobsecret",
    "marque challenge bob alice --say=bobsecret bobsecret",
    "brique challenge -size=bobsecret bob alice",
    "lazo challenge -size=bobsecret bob alice",
    "signup dora dora@example.net bobsecret",
    "signup dora \"bobsecret",
    "signup dora- bobsecret dora@example.net bobsecret",
    "change password bob wrong bobsecret",
    "change password bob bobsecret abc",
    "change passwrd bob bobsecret newpw",
    "set bob bobsecret zone=bobsecret",
    "set bob wrong zone=bobsecret",
    "set bob wrong mail=bobsecret",
    "marque move 1 bob \"bobsecret f4",
    "marque move 1 bob \"f4 bobsecret\"",
    "marque move 1 bob wrong \"f4 bobsecret\"",
    "marque move 1 bob bobsecret,f4",
    "marque move 1 bob wrong f4,bobsecret",
    "marque move 1 bob wrong f4#bobsecret",
    "marque move 1 bob wrong f4 bobsecret!",
    "marque if 1 bob wrong \"k4 then bobsecret\"",
    "marque if 1 bob wrong k4 then h2 bobsecret",
    "marque if 1 bob wrong \"bobsecret then h2; else stop\"",
    "marque bobsecret 1 bob f4",
    "marque mvoe 1 bob bobsecret f4",
    "marqe move 1 bob bobsecret f4",
    "move 1 bob bobsecret f4",
    "resign 1 bob bobsecret",
    "marque move 1 bob -bobsecret f4",
    "marque move 1 bob --say=bobsecret f4",
    "Re: Marque Board 1 bob ** f4 bobsecret",
    "Re: Marque Board 1 bob bobsecret **",
    "Re: marque board 1 bob f4 bobsecret **",
    "turnpost confirm bob bobsecret",
];

/// Returns a line and its variants: with one word missing, doubled, exchanged with the password or replaced by it, or
/// with the password at the end.
fn slips(line: &str) -> Vec<String> {
    let words: Vec<&str> = match line.split_once('"') {
        Some((before, plan)) => {
            before.split(' ').filter(|word| !word.is_empty()).chain([&line[line.len() - plan.len() - 1..]]).collect()
        }
        None => line.split(' ').collect(),
    };
    let place = words.iter().position(|word| *word == PASSWORD).unwrap();
    let mut slips = vec![line.to_owned(), format!("{line} {PASSWORD}")];
    for at in 1..words.len() {
        let mut missing = words.clone();
        missing.remove(at);
        let mut doubled = words.clone();
        doubled.insert(at, words[at]);
        let mut exchanged = words.clone();
        exchanged.swap(at, place);
        let mut instead = words.clone();
        instead[at] = PASSWORD;
        slips.extend([missing, doubled, exchanged, instead].map(|words| words.join(" ")));
    }
    slips.sort();
    slips.dedup();
    slips
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(PASSWORD.len()).any(|window| window.eq_ignore_ascii_case(PASSWORD.as_bytes()))
}

/// Returns the server's files that contain a password, including letters.
fn files_with_password(directory: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with_password(&path));
            continue;
        }
        // Skips the socket of a running server.
        if !path.is_file() {
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        // Letters are searched without line breaks, because their lines are wrapped.
        if directory.ends_with("new") {
            bytes = String::from_utf8(bytes).unwrap().replace("=\n", "").into_bytes();
        }
        if holds(&bytes) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Resets the rate limits, so that earlier wrong passwords do not affect the next line.
fn as_if_long_ago(server: &Server) {
    sql(
        server,
        "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what IN ('wrong password', 'letter');
         UPDATE outbox SET created_at = '2020-01-01T00:00:00Z' WHERE kind = 'answer';
         DELETE FROM rate_limits WHERE what = 'refusal';",
    );
}

#[test]
fn no_slip_by_mail_stores_a_password() {
    let (mut server, _) = board();
    let lines: Vec<String> =
        LINES.iter().flat_map(|line| slips(line)).chain(OTHERS.iter().map(|l| (*l).to_owned())).collect();
    assert!(lines.len() > 200, "{}", lines.len());
    for (n, line) in lines.iter().enumerate() {
        // Some lines are sent as the subject and others in the text, some by bob and others by a stranger.
        let from = if n % 5 == 4 { "stranger@example.net" } else { BOB };
        let mail = match n % 3 {
            0 => server.compose(from, line, ""),
            1 => server.compose(from, "", &format!("{line}\n")),
            _ => server.compose(from, "help", &format!("{line}\n\nI wrote: {line}\n")),
        };
        let mut program = server.program();
        program.env("TURNPOST_LOG", "trace");
        let ran = Server::raw_mail_to(program, mail.as_bytes());
        assert_eq!(ran.status, 0, "{line}");
        assert!(!holds(ran.err.as_bytes()), "{line}: {}", ran.err);
        // Checks only after every 25th line, because searching the growing files is slow.
        if n % 25 == 0 {
            assert_eq!(
                files_with_password(server.data()),
                Vec::<String>::new(),
                "no file contains the password after {line} and up to 24 lines before"
            );
        }
        as_if_long_ago(&server);
    }
    assert_eq!(files_with_password(server.data()), Vec::<String>::new());
    for list in ["inbox", "outbox", "players", "boards"] {
        let ran = server.shell(&format!("admin {list}"));
        assert!(ran.status == 0 && !holds(ran.out.as_bytes()), "{}", ran.out);
    }
}

#[test]
fn no_slip_in_a_reply_stores_a_password() {
    for text in [
        "f4 bobsecret",
        "f4 bobsecret!",
        "f4 - bobsecret.",
        "bobsecret f4",
        "f4,bobsecret",
        "f4#bobsecret",
        "f4\nbobsecret",
        "f4\n\nbobsecret\n",
        "f4\nchnge password bob bobsecret newpass999",
        "f4\nchange passwrd bob bobsecret newpass999",
        "f4\nlogin bob bobsecret",
        "f4\nMy password is bobsecret",
        "f4\nHello Alice, my password is bobsecret, please keep it.",
        "f4\nHello Alice, I log in as bob with bobsecret; that never works.",
        "f4\nThanks, bob will pass tonight; the password thing at work kept me.\nbobsecret",
        "f4\nbob/bobsecret",
        "f4\nbob: bobsecret",
        "f4\npw=bobsecret",
        "move f4 bobsecret",
        "move bobsecret f4",
        "move 1 bob bobsecret f4",
        "submit f4 bobsecret",
        "queue f4 bobsecret",
        "if k4 then bobsecret",
        "if bobsecret then k4",
        "resign bobsecret",
        "propose bobsecret",
        "marque move 1 bob bobsecret f4\nThat was bobsecret.",
        "marque move 1 bob f4 bobsecret",
        "marque move 1 bob - bobsecret",
        "marque move 1 bob - f4 bobsecret",
        "marque move 1 bobsecret - f4",
        "f4\nmarque chat 1 bob bobsecret\nMy password is bobsecret\n",
        "f4\nmarque chat 1 bob\nbobsecret\n",
        "f4\nset mail=text bob bobsecret",
        "f4\nset bobsecret mail=text zone=UTC",
        "f4\nunsubscribe bobsecret",
        "f4\nleave spring bobsecret.",
        "f4\nGood luck!\n- resign bobsecret\nhistory bobsecret\ngames bobsecret\npreview b2 bobsecret\nBob",
    ] {
        let (mut server, letter) = board();
        let subject = format!("Re: {}", letter.subject);
        server.mail_with(BOB, &subject, text, &json!({ "To": letter.reply_to() }));
        assert_eq!(files_with_password(server.data()), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn no_slip_in_an_answer_to_puzzles_stores_a_password() {
    let mut server = with_finished_board();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3");
    sql(&server, &format!("UPDATE players SET password_hash = '{HASH}' WHERE userid = 'bob'"));
    server.configure(LONG);
    server.letters();
    for shown in ["puzzle brique 1", "puzzle brique 1\npuzzle brique 2\n", "puzzle brique 1\npuzzle brique 2\nshow 1\n"]
    {
        as_if_long_ago(&server);
        let letters = server.mail(BOB, "", shown);
        let letter = to(&letters, BOB).clone();
        for text in
            ["b2 bobsecret", "b2 bobsecret!", "1. b2 bobsecret", "b2\nbobsecret", "b2#bobsecret", "bobsecret b2"]
        {
            as_if_long_ago(&server);
            let letters = reply(&mut server, BOB, &letter, text);
            assert!(!holds(to(&letters, BOB).text().as_bytes()), "{text}: {letters:?}");
            assert_eq!(files_with_password(server.data()), Vec::<String>::new(), "{shown}: {text}");
        }
    }
}

#[test]
fn no_slip_in_a_reply_to_a_message_sends_a_password() {
    let (mut server, _) = board();
    assert_eq!(server.shell("message alice alicesecret bob --say=Hello").status, 0);
    let letter = to(&server.letters(), BOB).clone();
    for text in [
        "f4 bobsecret",
        "chnge password bob bobsecret newpass999",
        "chnge my password bob 'bobsecret', newpass999",
        "login bob bobsecret",
        "Hi Alice,\nmy password is bobsecret, and yours?",
        "bob/bobsecret",
    ] {
        let letters = reply(&mut server, BOB, &letter, text);
        assert!(letters.iter().all(|letter| !letter.text().contains("newpass999")), "{text}: {letters:?}");
        assert_eq!(files_with_password(server.data()), Vec::<String>::new(), "{text}");
        as_if_long_ago(&server);
    }
}

#[test]
fn a_refusal_returns_words_that_are_too_short_for_a_password() {
    for (text, returned) in [
        ("f3\nHello\n", "send it again: Hello"),
        ("f3\nSchade\nSee you soon, alice.\n", "send it again: Schade See you soon, alice."),
        ("f3\nGratulation\nBye, alice.\n", "send it again (\"***\" hides a possible password): *** Bye, alice."),
    ] {
        let (mut server, letter) = board();
        let letters = reply(&mut server, BOB, &letter, text);
        let told = joined(to(&letters, BOB).text());
        assert!(told.contains(returned), "{text}: {told}");
    }
}

#[test]
fn no_slip_at_the_shell_or_on_the_web_stores_a_password() {
    let (server, _) = board();
    let serving = Serving::logging(&server, &format!("{LONG}[web]\nlisten = \"127.0.0.1:0\"\n"), "trace");
    let address = serving.web();
    let mut visitor = Visitor::logged_in(&address, "bob", "bobsecret");
    let token = server_token(&address);
    as_if_long_ago(&server);
    let slips = slips(LINES[0]).into_iter().chain(OTHERS.iter().map(|line| (*line).to_owned()));
    for (n, line) in slips.enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        let mut program = server.program();
        let ran = program.env("TURNPOST_LOG", "trace").args(&words).output().unwrap();
        assert!(!holds(&ran.stdout) && !holds(&ran.stderr), "{line}: {ran:?}");
        // Sends only every third line from the web client, because a client has thirty attempts in an hour.
        if n % 3 == 0 {
            let page = visitor.fill("/command", &[("line", &line)]);
            assert!(page.status != 429 && !holds(&page.body), "{line}: {}", page.text());
        }
        let body = json!({ "line": line }).to_string();
        let (_, _, answer) = http(
            &address,
            &format!(
                "POST /api/v1/commands HTTP/1.1\r\nHost: games.example\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ),
        );
        assert!(!holds(&answer), "{line}: {}", String::from_utf8_lossy(&answer));
        as_if_long_ago(&server);
    }
    // The administrator finds each refusal in the log.
    let log = serving.log();
    let refusal = |line: &&str| line.contains("\"refused\"") && line.contains("127.0.0.1") && line.contains("***");
    assert!(log.lines().filter(refusal).count() > 10, "{log}");
    drop(serving);
    assert_eq!(files_with_password(server.data()), Vec::<String>::new());
}

fn server_token(address: &str) -> String {
    let body = json!({ "userid": "bob", "password": PASSWORD, "label": "test" }).to_string();
    let request = format!(
        "POST /api/v1/tokens HTTP/1.1\r\nHost: games.example\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let (status, _, answer) = http(address, &request);
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&answer));
    serde_json::from_slice::<serde_json::Value>(&answer).unwrap()["token"].as_str().unwrap().to_owned()
}

#[test]
fn an_error_marks_a_masked_word_and_suggests_the_nearest_name() {
    let (mut server, _) = board();
    // Allows short passwords.
    server.configure("");
    let letters = server.mail(BOB, "show alcie", "");
    let text = letters[0].text();
    assert!(text.contains("There is no player with this name."), "{text}");
    assert!(text.contains("    show ***\n         ^^^\n") && text.contains("Did you mean \"alice\"?"), "{text}");
    let letters = server.mail(BOB, "marque move 1 bobsecret bob f4", "");
    assert!(letters[0].text().contains("    marque move 1 *** *** f4\n"), "{}", letters[0].text());
    let told = server.shell("set bob bobsecret rhythm=daily").err;
    assert!(told.contains("This is not a value of rhythm, which must be each, once or daily@HOUR"), "{told}");
    assert!(told.contains("rhythm=***") && !told.contains(PASSWORD), "{told}");
    // An unknown userid may be a password, so the database does not contain it as typed.
    assert_eq!(sql(&server, "SELECT count(*) FROM rate_limits WHERE what = 'wrong password' AND of LIKE '?__'"), "1");
}
