//! Reports for the administrator: refused messages, the effects of a message, sent letters, the history of a board, and
//! the answers to the questions in the manual.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::database::sql;
use crate::common::mail::Letter;
use crate::common::{Ran, Server};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates a server: alice and bob play on board 1, and alice has moved.
fn played() -> Server {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge alice bob", "");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "Good luck!");
    server
}

/// Runs a command line. Checks that it succeeds without errors, and returns its output.
fn shown(server: &Server, line: &str) -> String {
    let ran = server.shell(line);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line}: {ran:?}");
    ran.out
}

fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word:?} in\n{text}");
    }
}

#[test]
fn the_reason_of_every_refusal_is_stored() {
    let mut server = played();
    let letters = server.mail(BOB, "marque move 1 bob wrong f4", "");
    assert!(letters.iter().any(|letter| letter.to() == BOB), "{letters:?}");
    server.mail(ALICE, "marque move 1 alice wonderland f4", "");
    server.mail(BOB, "marque move 1 bob builder z99", "");
    server.mail(BOB, "marqe mvoe 1 bob builder f4", "");
    let refused: Vec<Value> = server.json("admin inbox --refused").as_array().unwrap().clone();
    let reasons: Vec<&str> = refused.iter().map(|mail| mail["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons.len(), 4, "{reasons:#?}");
    for (reason, words) in reasons.iter().zip([
        &["marqe"][..],
        &["marque move 1 bob *** z99", "z99"],
        &["marque move 1 alice *** f4", "turn"],
        &["marque move 1 bob ***", "password"],
    ]) {
        has(reason, words);
        assert!(reason.contains("None of its commands was run."), "{reason}");
        assert!(!["wonderland", "builder", "wrong f4"].iter().any(|secret| reason.contains(secret)), "{reason}");
    }
    // The server executes the first command of this message, and refuses the second one.
    server.mail(BOB, "marque move 1 bob builder k1", "\nmarque move 1 bob builder k2\nend\n");
    let newest = server.json("admin inbox --rows 1");
    assert_eq!(newest[0]["verdict"], "refused in part");
    has(newest[0]["reason"].as_str().unwrap(), &["marque move 1 bob *** k2: ", "turn"]);
    assert_eq!(server.json("admin inbox --refused").as_array().unwrap().len(), 5);
    has(&sql(&server, "SELECT reason FROM incoming_mail ORDER BY id DESC LIMIT 1"), &["k2: "]);
}

#[test]
fn a_message_links_to_its_actions_and_back() {
    let mut server = played();
    let letters = server.mail(BOB, "marque move 1 bob builder f4", "Thank you.");
    let mail = server.json("admin inbox --from bob --rows 1")[0].clone();
    assert_eq!((&mail["player"], &mail["from"]), (&Value::from("bob"), &Value::from(BOB)));
    has(mail["actions"].as_str().unwrap(), &["board 1 entry 2", "board 1 comment", "to alice", "to bob"]);
    let number = mail["mail"].as_i64().unwrap();
    let one = server.json(&format!("admin mail {number}"));
    let effects = one["actions"].as_array().unwrap();
    let of = |kind: &str| effects.iter().filter(|effect| effect["action"] == kind).collect::<Vec<_>>();
    assert_eq!((of("move").len(), of("comment").len(), of("letter").len()), (1, 1, letters.len()), "{effects:#?}");
    assert_eq!((&of("move")[0]["what"], &of("move")[0]["entry"]), (&Value::from("f4"), &Value::from(2)));
    assert_eq!(of("comment")[0]["what"], "Thank you.");
    for letter in of("letter") {
        let letter = server.json(&format!("admin letter {}", letter["letter"]));
        assert_eq!(letter["mail"], number, "{letter}");
    }
    let story = shown(&server, "admin board 1");
    let line = story.lines().find(|line| line.contains("f4") && line.contains("move")).unwrap();
    assert!(line.contains(&format!("mail  {number}")), "{line}");
    // A message from an unknown address that contains a password is linked to the player who moved.
    server.mail("work@example.net", "marque move 1 alice wonderland k1", "");
    let mail = server.json("admin inbox --from ALICE --rows 1")[0].clone();
    assert_eq!((&mail["from"], &mail["player"]), (&Value::from("work@example.net"), &Value::from("alice")));
    // Actions on the command line are not linked to a message.
    assert_eq!(server.shell("marque move 1 bob builder k2").status, 0);
    assert!(!shown(&server, "admin mail 4").contains("k2"));
    has(&shown(&server, "admin mail 1"), &["board", "marque", "challenge to bob"]);
    assert_eq!(server.shell("admin mail 99").status, 1);
}

#[test]
fn a_message_for_several_players_names_each_of_them() {
    let mut server = played();
    // Alice has bob's password, and moves for both.
    server.mail(ALICE, "marque move 1 bob builder f4 --say=Hm", "\nmarque move 1 alice wonderland k1\nend\n");
    let number = server.json("admin inbox --rows 1")[0]["mail"].clone();
    let rows = sql(&server, &format!("SELECT player, what FROM mail_log WHERE mail = {number} AND action = 'move'"));
    has(&rows, &["bob|f4", "alice|k1"]);
}

#[test]
fn a_letter_is_shown_as_it_was_sent() {
    let mut server = played();
    let letters = server.mail(BOB, "marque move 1 bob builder f4", "Thank you.");
    let sent: &Letter = letters.iter().find(|letter| letter.to() == ALICE).unwrap();
    let number = server.json("admin outbox --to alice --rows 1")[0]["letter"].clone();
    let letter = server.json(&format!("admin letter {number}"));
    assert_eq!(letter["subject"].as_str().unwrap(), sent.subject);
    assert_eq!(letter["text"].as_str().unwrap().trim_end(), sent.text().trim_end());
    // New settings affect only later letters.
    assert_eq!(server.shell("set alice wonderland mail=accessible zone=Asia/Tokyo").status, 0);
    assert_eq!(server.json(&format!("admin letter {number}"))["text"], letter["text"]);
    let resent = shown(&server, &format!("admin resend {number}"));
    assert!(resent.starts_with("sent 20"), "{resent}");
    assert_ne!(
        server.json(&format!("admin letter {number}"))["text"],
        letter["text"],
        "the letter is sent again with the current settings"
    );
    assert_eq!(letter["deliveries"][0]["address"], ALICE);
    assert_eq!(letter["deliveries"][0]["state"], "sent");
    let text = shown(&server, &format!("admin letter {number}"));
    has(&text, &["to:", "alice@example.org", "sent 20", "Subject: ", "Thank you."]);
    assert_eq!(server.shell("admin letter 99").status, 1);
}

#[test]
fn a_letter_is_shown_without_codes_and_invitations() {
    const CAROL: &str = "carol@players.example";
    let mut server = Server::with_players();
    server.configure("[web]\nurl = \"https://games.example\"\n");
    for (from, line, before) in [
        (CAROL, "signup carol sesame99", "confirm carol "),
        (ALICE, "brique challenge --private alice anyone", "accept 1 USERID PASSWORD "),
        (ALICE, "signoff alice wonderland", "signoff alice PASSWORD "),
    ] {
        let sent = server.mail(from, line, "");
        let (_, rest) = sent.iter().find_map(|letter| letter.text().split_once(before)).unwrap();
        let secret = rest.split_whitespace().next().unwrap();
        let letters = server.json(&format!("admin outbox --to {from}"));
        let numbers = letters.as_array().unwrap().iter().map(|row| &row["letter"]);
        let texts: String = numbers.map(|number| shown(&server, &format!("admin letter {number}"))).collect();
        assert!(texts.contains(&format!("{before}***")) && !texts.contains(secret), "{texts}");
    }
}

#[test]
fn the_story_of_a_board_has_comments_and_rejected_proposals() {
    let mut server = played();
    for line in [
        "marque move 1 bob builder f4",
        "marque propose 1 alice wonderland --say=Enough?",
        "marque reject 1 bob builder --say=No!",
        "marque undo 1 bob builder",
        "marque reject 1 bob builder",
        "marque propose 1 alice wonderland",
        "marque move 1 alice wonderland k1",
        "marque propose 1 bob builder",
        "marque accept 1 alice wonderland",
    ] {
        let ran = server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    let story = server.json("admin board 1")["story"].as_array().unwrap().clone();
    let events: Vec<String> = story
        .iter()
        .map(|row| {
            format!(
                "{} {} {}",
                row["player"].as_str().unwrap_or("-"),
                row["event"].as_str().unwrap(),
                row["what"].as_str().unwrap()
            )
        })
        .collect();
    for event in [
        "alice challenge marque",
        "alice move f3",
        "alice comment Good luck!",
        "bob move f4",
        "alice proposal draw",
        "alice comment Enough?",
        "bob rejected draw",
        "bob comment No!",
        "bob proposal undo",
        "bob withdrawn undo",
        "alice proposal draw, lapsed",
        "alice move k1",
        "bob proposal draw",
        "alice accepted draw",
        "- end draw (agreement)",
    ] {
        assert!(events.iter().any(|found| found == event), "no {event:?} in {events:#?}");
    }
    let at = |event: &str| events.iter().position(|found| found == event).unwrap();
    assert!(at("alice move f3") < at("bob move f4") && at("bob move f4") < at("bob rejected draw"), "{events:#?}");
    assert_eq!(at("- end draw (agreement)"), events.len() - 1);
    let text = shown(&server, "admin board 1");
    has(&text, &["drawn (agreement)", "rejected", "Enough?", "The hash chain is intact"]);
    // A proposal by mail is linked to its message.
    server.mail(ALICE, "marque challenge alice bob", "");
    server.mail(ALICE, "marque move 2 alice wonderland f3", "");
    server.mail(ALICE, "marque propose 2 alice wonderland", "");
    has(&shown(&server, "admin mail 5"), &["proposal", "draw"]);
}

#[test]
fn lists_have_pages_and_columns_in_order() {
    let server = Server::with_players();
    for _ in 0..3 {
        assert_eq!(server.shell("marque challenge alice bob").status, 0);
    }
    let first = shown(&server, "admin boards --rows 2");
    assert!(first.starts_with("board  game"), "{first}");
    assert!(first.ends_with("There is more: --page 2\n"), "{first}");
    let numbers = |line: &str| -> Vec<i64> {
        server.json(line).as_array().unwrap().iter().map(|row| row["board"].as_i64().unwrap()).collect()
    };
    assert_eq!((numbers("admin boards --rows 2"), numbers("admin boards --rows 2 --page 2")), (vec![3, 2], vec![1]));
    assert_eq!(numbers("admin boards --player BOB --game marque --active").len(), 3);
    assert_eq!(numbers("admin boards --game lazo").len(), 0);
    let ran = server.shell("admin boards --player nobody");
    assert!(ran.status == 1 && ran.err.contains("nobody"), "{ran:?}");
    // JSON has the columns in the same order.
    let json = shown(&server, "--json admin boards --rows 1");
    let columns: Vec<usize> = ["board", "game", "first", "second", "state"]
        .iter()
        .map(|name| json.find(&format!("{name:?}:")).unwrap())
        .collect();
    assert!(columns.is_sorted(), "{json}");
    assert_eq!(server.shell("admin clocks --rows 2").out.lines().count(), 4);
}

#[test]
fn a_search_finds_players_with_their_data_and_anything_by_its_number() {
    let mut server = played();
    assert_eq!(server.shell("signup carol lonely99 carol@example.net").status, 0);
    assert_eq!(server.shell("brique challenge carol anyone").status, 0);
    server.mail("stranger@example.com", "help", "");
    // A part of a player's address finds the player with their boards, mail and letters.
    let found = server.json("admin search OB@EXAMPLE");
    assert_eq!(found["players"][0]["player"], "bob");
    assert_eq!((&found["boards"][0]["board"], &found["boards"][1]), (&Value::from(1), &Value::Null));
    assert!(found["letters"].as_array().unwrap().iter().all(|letter| letter["to"] == "bob"), "{found:#}");
    assert!(!found["letters"].as_array().unwrap().is_empty());
    assert_eq!(server.json("admin search alice")["messages"].as_array().unwrap().len(), 2);
    // A search that finds several players lists only the players.
    let found = shown(&server, "admin search example.org");
    has(&found, &["Players", "alice", "bob"]);
    assert!(!found.contains("carol") && !found.contains("Boards"), "{found}");
    // A search for an address without a player lists the messages from it and the letters to it.
    let found = server.json("admin search stranger@example.com");
    assert_eq!((&found["players"][0], found["messages"].as_array().unwrap().len()), (&Value::Null, 1));
    assert_eq!(found["letters"].as_array().unwrap().len(), 1);
    // A search for a number lists the board or open challenge, the message and the letter.
    let found = shown(&server, "admin search 2");
    has(&found, &["Boards", "open challenge", "Messages", "marque move 1 alice ***", "Letters"]);
    assert_eq!(server.json("admin search 1")["boards"][0]["first"], "alice");
    // A search shows at most ten boards, and names the command that lists all of them.
    for _ in 0..11 {
        assert_eq!(server.shell("marque challenge alice bob").status, 0);
    }
    let found = shown(&server, "admin search bob");
    has(&found, &["There is more: turnpost admin boards --player bob\n"]);
    assert_eq!(server.json("admin search bob")["boards"].as_array().unwrap().len(), 10);
    let ran = server.shell("admin search xyz");
    assert!(ran.status == 1 && ran.err.contains("nothing was found for xyz"), "{ran:?}");
}

/// Questions of the manual. Both the command and the SQL statement for a question must print these words.
const ANSWERS: &[(&str, &[&str])] = &[
    ("Whose turn is it on board 12?", &["alice"]),
    ("Who has been idle for 10 days?", &["carol"]),
    ("Which letters bounced?", &["alice@example.org", "no such user"]),
    ("What did the messages that bob sent on Tuesday do?", &["12", "reject"]),
    ("Who has the most boards?", &["alice", "11"]),
    ("Which letters are undelivered?", &["bob", "no route"]),
    ("What is the story of board 12?", &["f3", "Good luck!", "draw", "rejected"]),
    ("How many games begin and end in a month?", &["2026-11", "12", "1"]),
    ("How did alice's rating change?", &["bob", "lost", "1500"]),
    ("Which addresses are paused?", &["dave@example.org", "mailbox full"]),
];

/// Questions of the manual for which there is only a command. It must print these words.
const MORE: &[(&str, &[&str])] = &[
    ("Which messages were refused, or refused in part?", &["refused"]),
    ("Which messages could not be processed?", &["Nothing."]),
    ("What did message 1 do, and for whom?", &["alice", "f3", "12"]),
    ("What did letter 1 say, and where did it go?", &["Subject: ", "example.org"]),
    ("Whose address is bob@example.org?", &["bob"]),
    ("Which boards does alice have in progress?", &["12", "alice"]),
    ("Which boards do alice and bob have together?", &["12", "alice", "bob"]),
    ("When do clocks run out?", &["12"]),
    ("How many games of each kind begin and end in a month?", &["2026-11", "marque"]),
    ("What does the computer player think of board 12?", &["12"]),
    ("Who changed what, and why?", &["settings", "adjudicate", "two accounts"]),
    ("What changed in bob's account?", &["zone=Europe/Berlin"]),
    ("Which limits apply to bob, and until when?", &["Nothing."]),
    ("Which addresses and domains are blocked?", &["@spam.example", "advertising"]),
    ("Which players may be one person?", &[]),
    ("Is the server closed for maintenance?", &["not under maintenance"]),
    ("How large is the server, what waits, and when was the last backup?", &["boards"]),
    ("Is every record intact?", &["boards"]),
    ("What is stored about alice?", &["alice@example.org"]),
];

/// Creates a server with data for the answers to all questions.
fn full() -> Server {
    let mut server = Server::with_players();
    for line in ["signup carol lonely", "signup dave dreamer dave@example.org"] {
        assert_eq!(server.shell(line).status, 0);
    }
    for _ in 1..=12 {
        assert_eq!(server.shell("marque challenge alice bob").status, 0);
    }
    server.mail(ALICE, "marque move 12 alice wonderland f3", "Good luck!");
    server.mail(BOB, "marque move 12 bob builder f4", "");
    for line in [
        "marque propose 12 alice wonderland",
        "marque move 1 alice wonderland f3",
        "marque move 1 bob builder f4",
        "marque resign 1 alice wonderland",
    ] {
        let ran = server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    server.mail(BOB, "marque reject 12 bob builder", "");
    sql(
        &server,
        "UPDATE players SET created_at = '2020-01-01T00:00:00Z' WHERE userid = 'carol';
         UPDATE inbox SET received_at = '2026-11-17T10:00:00Z' WHERE id = (SELECT max(id) FROM inbox);
         UPDATE boards SET created_at = '2026-11-01T00:00:00Z';
         UPDATE boards SET ended_at = '2026-11-02T00:00:00Z' WHERE ended_at IS NOT NULL;
         UPDATE deliveries SET state = 'bounced', error = '550 no such user'
             WHERE letter = (SELECT min(letter) FROM deliveries WHERE address = 'alice@example.org');
         UPDATE addresses SET code = NULL, confirmed_at = added_at, paused_at = added_at, paused_why = '552 mailbox full'
             WHERE address = 'dave@example.org';
         UPDATE outbox SET sent_at = NULL, error = 'no route', due_at = '2999-01-01T00:00:00Z'
             WHERE id = (SELECT max(letter) FROM outbox JOIN players p ON p.id = player WHERE userid = 'bob');",
    );
    server
}

/// Returns the rows of a page's table of questions: the question, and the code next to it.
fn questions(page: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page)).unwrap();
    let row = |line: &str| {
        let (question, code) = line.strip_prefix("| ")?.split_once("? | `")?;
        Some((format!("{question}?"), code.strip_suffix("` |")?.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn further_queries_of_the_manual_are_answered() {
    let mut server = full();
    server.mail(BOB, "marqe mvoe 1 bob builder f4", "");
    for line in ["set bob builder zone=Europe/Berlin", "admin block @spam.example --reason advertising"] {
        assert_eq!(server.shell(line).status, 0, "{line}");
    }
    let adjudicated =
        server.program().args(["admin", "adjudicate", "2", "alice", "--reason", "two accounts"]).output().unwrap();
    assert!(adjudicated.status.success(), "{adjudicated:?}");
    let questions = questions("run/administering.md");
    assert_eq!(questions.len(), ANSWERS.len() + MORE.len(), "{questions:#?}");
    for (question, words) in MORE {
        let (_, code) = questions.iter().find(|(asked, _)| asked == question).unwrap_or_else(|| panic!("{question}"));
        let words_of_line = code.strip_prefix("turnpost ").unwrap_or_else(|| panic!("{code}"));
        let ran = server.shell(words_of_line);
        // `full` has overwritten some timestamps in the database. `admin check` reports this, and exits with status 1.
        assert!(ran.status <= 1 && ran.err.is_empty(), "{question} {ran:?}");
        for word in *words {
            assert!(ran.out.contains(word), "{question} no {word:?} in\n{}", ran.out);
        }
    }
}

#[test]
fn the_queries_of_the_manual_answer_their_questions() {
    let server = full();
    let asked_by = |page: &str, ask: &dyn Fn(&str) -> String| {
        let questions = questions(page);
        for (question, words) in ANSWERS {
            let (_, code) =
                questions.iter().find(|(asked, _)| asked == question).unwrap_or_else(|| panic!("{page}: {question}"));
            let answer = ask(code);
            for word in *words {
                assert!(answer.contains(word), "{page}: {question} no {word:?} in\n{answer}");
            }
        }
    };
    asked_by("run/administering.md", &|line| {
        let words = line.strip_prefix("turnpost admin ").unwrap_or_else(|| panic!("{line}"));
        let json = server.shell(&format!("--json admin {words}"));
        let read: Value = serde_json::from_str(&json.out).unwrap_or_else(|error| panic!("{line}: {error}: {json:?}"));
        assert!(!read.as_array().is_some_and(Vec::is_empty), "{line}");
        shown(&server, &format!("admin {words}"))
    });
    asked_by("run/database.md", &|query| sql(&server, query));
    // Each list contains only the requested rows.
    assert!(!shown(&server, "admin players --idle 10").contains("bob"));
    assert!(!shown(&server, "admin players --paused").contains("carol"));
    assert!(!shown(&server, "admin inbox --from bob --on 2026-11-17").contains("f4"));
    assert!(shown(&server, "admin players --by-boards").lines().nth(1).unwrap().starts_with("alice"));
    let Ran { out, .. } = server.shell("admin bounces");
    assert_eq!(out.lines().count(), 2, "{out}");
    // A bounced letter is not shown as sent.
    let letter = server.json("admin bounces")[0]["letter"].clone();
    has(server.json(&format!("admin letter {letter}"))["state"].as_str().unwrap(), &["bounced", "550 no such user"]);
}
