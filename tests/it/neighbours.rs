//! Players can block and report other players, and choose who may challenge them and write to them.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::common::inside::Inside;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Plays and sends texts as alice. If `blocks` is set, bob has blocked alice. Returns the answers to alice, and whether
/// bob received each text.
fn texts(blocks: bool) -> (Server, Vec<String>, Vec<bool>) {
    let mut server = Server::with_players();
    let begun = server.mail(ALICE, "marque challenge alice bob", "");
    if blocks {
        let blocked = joined(&done(&server, "block bob builder alice"));
        assert!(blocked.contains("bob has blocked alice"), "{blocked}");
        assert!(server.letters().is_empty(), "alice is not notified");
    }
    let mut answers = Vec::new();
    let mut arrived = Vec::new();
    let moved = reply(&mut server, ALICE, to(&begun, ALICE), "f3\n\nMind the corner");
    answers.push(to(&moved, ALICE).text().to_owned());
    arrived.push(to(&moved, BOB).text().contains("Mind the corner"));
    assert!(to(&moved, BOB).text().contains("alice played f3"), "the board continues");
    let said = reply(&mut server, ALICE, to(&moved, ALICE), "chat\nWell?");
    answers.extend(letter_to(&said, ALICE).map(|letter| letter.text().to_owned()));
    arrived.push(letter_to(&said, BOB).is_some());
    let written = server.mail(ALICE, "message alice wonderland bob", "Answer me");
    answers.push(to(&written, ALICE).text().to_owned());
    arrived.push(letter_to(&written, BOB).is_some());
    answers.push(done(&server, "marque chat 1 alice wonderland --say=Hello"));
    arrived.push(letter_to(&server.letters(), BOB).is_some());
    (server, answers, arrived)
}

#[test]
fn a_blocked_player_cannot_reach_the_blocker_and_does_not_notice() {
    let (_, answers, arrived) = texts(false);
    assert_eq!(arrived, [true; 4]);
    let (mut server, same, arrived) = texts(true);
    assert_eq!(arrived, [false; 4]);
    // Compares only the words, because times, tokens and hashes differ.
    let words = |texts: &[String]| -> Vec<Vec<String>> {
        let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '.' | ',' | '"'));
        texts.iter().map(|text| text.split_whitespace().filter(plain).map(str::to_owned).collect()).collect()
    };
    assert_eq!(words(&answers), words(&same));
    // Pages, records and the shell hide alice's comments from bob; alice and visitors see them.
    let serving = Serving::start(&server, CONFIG);
    for (mut visitor, sees) in [
        (Visitor::logged_in(&serving.web(), "bob", "builder"), false),
        (Visitor::logged_in(&serving.web(), "alice", "wonderland"), true),
    ] {
        for path in ["/boards/1", "/boards/1/record.json"] {
            let page = visitor.get(path);
            assert_eq!((page.status, page.text().contains("Mind the corner")), (200, sees), "{path}: {}", page.text());
        }
    }
    drop(serving);
    let answer = server.mail(BOB, "marque history 1", "");
    assert!(!to(&answer, BOB).text().contains("Mind the corner"), "{answer:?}");
    // The board continues, and alice receives bob's comments.
    let moved = server.mail(BOB, "marque move 1 bob builder f2", "Your turn");
    assert!(to(&moved, ALICE).text().contains("Your turn"));
    // alice's challenges by mail, from the shell and on pages are refused, but the reason is not named.
    done(&server, "marque resign 1 alice wonderland");
    server.letters();
    let refused = server.mail(ALICE, "marque challenge alice bob", "");
    let refused = joined(to(&refused, ALICE).text());
    assert!(refused.contains("bob does not accept challenges from every player"), "{refused}");
    for line in ["marque challenge alice bob", "marque rematch 1 alice wonderland"] {
        let refused = server.shell(line);
        assert!(refused.status == 1 && refused.err.contains("does not accept challenges"), "{refused:?}");
    }
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.fill("/games/marque/challenge", &[("to", "player"), ("opponent", "bob")]);
    assert!(page.text().contains("does not accept challenges from every player"), "{}", page.text());
    let unblocked = done(&server, "unblock bob builder alice");
    assert!(unblocked.contains("bob has not blocked any players"), "{unblocked}");
    done(&server, "marque challenge alice bob");
}

/// The answer to the refused player is the same as for a withdrawn challenge, so it does not reveal the block.
#[test]
fn players_cannot_accept_open_challenges_across_a_block() {
    let server = Server::with_players();
    done(&server, "block bob builder alice");
    done(&server, "marque challenge bob anyone --say=Anybody?");
    done(&server, "marque challenge alice anyone --say=Fool");
    done(&server, "marque challenge alice anyone");
    done(&server, "marque decline 3 alice wonderland");
    let withdrawn = server.shell("marque accept 3 bob builder").err.replace('3', "1");
    let refused = server.shell("marque accept 1 alice wonderland");
    assert_eq!(refused.err.replace("alice", "bob"), withdrawn);
    let serving = Serving::start(&server, CONFIG);
    for (userid, password, hidden) in [("bob", "builder", "Fool"), ("alice", "wonderland", "Anybody?")] {
        let mut visitor = Visitor::logged_in(&serving.web(), userid, password);
        for path in ["/challenges", "/", "/games/marque"] {
            let page = visitor.get(path);
            assert!(page.status == 200 && !page.text().contains(hidden), "{userid} {path}: {}", page.text());
        }
        let hidden = if userid == "bob" { "/boards/2" } else { "/boards/1" };
        assert_eq!(visitor.get(hidden).status, 404, "{userid}");
        let games = visitor.fill("/command", &[("line", "marque games")]);
        assert!(!games.text().contains(&hidden.replace("/boards/", "challenge ")), "{}", games.text());
    }
    let page = Visitor::new(&serving.web()).get("/challenges");
    assert!(page.text().contains("Fool") && page.text().contains("Anybody?"), "{}", page.text());
}

#[test]
fn an_answer_about_a_hidden_challenge_does_not_reveal_it() {
    let mut server = Server::with_players();
    done(&server, "block bob builder alice");
    done(&server, "marque challenge bob anyone");
    let mut answer = |number: u32| {
        let letters = server.mail(ALICE, &format!("marque accept {number} alice wonderland"), "");
        let letter = to(&letters, ALICE);
        assert!(letter.text().contains(&format!("There is no board {number}.")), "{letter:?}");
        letter.subject.clone()
    };
    assert_eq!(answer(1), answer(9), "the answer is the same as for a challenge that does not exist");
}

#[test]
fn a_reply_to_a_message_blocks_and_reports_its_writer_secretly() {
    let mut server = Server::with_players();
    done(&server, "signup carol walrus22 carol@example.org");
    done(&server, "set carol walrus22 mail=text");
    server.configure("[policy]\nadministrators = [\"carol\"]\n");
    let written = server.mail(ALICE, "message alice wonderland bob", "You play badly, stupid");
    let message = to(&written, BOB).clone();
    let sent = reply(&mut server, BOB, &message, "report alice\nHe insults me\nblock alice is what I did");
    let answer = to(&sent, BOB).text();
    assert!(joined(answer).contains("has been sent to the administrators"), "{answer}");
    assert!(answer.contains("\n    block bob PASSWORD alice\n"), "{answer}");
    assert!(joined(to(&sent, "carol@example.org").text()).contains("bob reports alice: He insults me"), "{sent:?}");
    assert!(letter_to(&sent, ALICE).is_none(), "{sent:?}");
    for (said, answered) in [
        ("block alice", "bob has blocked alice:"),
        ("Unblock alice.", "bob has not blocked any players."),
        ("BLOCK", "bob has blocked alice:"),
        ("* unblock", "bob has not blocked any players."),
        ("report --say=\"Again\"", "has been sent to the administrators"),
        ("report", "The text of the report is missing. Write it below the command."),
        ("report alice for insults and worse", "begins like a command about another player, so the text was not sent"),
        ("Enough!\nBlock alice", "as in \"block bob\""),
        ("set mail=text", "mail=text"),
        ("vacation off", "Usage: vacation userid password"),
        ("vacation until 2026-12-10", "Your userid and your password are missing."),
        ("calendar", "Usage: calendar userid password"),
        ("signoff", "Usage: signoff userid password [code]"),
    ] {
        let letters = reply(&mut server, BOB, &message, said);
        assert!(letter_to(&letters, ALICE).is_none(), "{said}: {letters:?}");
        let answer = joined(to(&letters, BOB).text());
        assert!(answer.contains(answered), "{said}: {answer}");
    }
    let letters = reply(&mut server, "bob@elsewhere.example", &message, "block alice");
    assert!(joined(to(&letters, BOB).text()).contains("it can only write to alice. Everything else"), "{letters:?}");
    for said in ["Blocked again?", "Report to me how it went.", "Leave tomorrow"] {
        let letters = reply(&mut server, BOB, &message, said);
        assert!(to(&letters, ALICE).text().contains(said), "{said}: {letters:?}");
    }
    // The server does not send a message whose text contains a line that looks like a command.
    let letters = server.mail(BOB, "message bob builder alice", "Well.\nreport alice");
    assert!(letter_to(&letters, ALICE).is_none(), "{letters:?}");
}

#[test]
fn a_comment_with_a_command_about_its_reader_is_not_sent() {
    let mut server = Server::with_players();
    done(&server, "signup carol walrus22 carol@example.org");
    server.configure("[policy]\nadministrators = [\"carol\"]\n");
    let begun = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let moved = reply(&mut server, ALICE, to(&begun, ALICE), "f3\nblock bob\n");
    assert!(joined(to(&moved, ALICE).text()).contains("alice has blocked bob:"), "{moved:?}");
    assert!(
        to(&moved, BOB).text().contains("alice played f3") && !to(&moved, BOB).text().contains("block"),
        "{moved:?}"
    );
    done(&server, "unblock alice wonderland bob");
    let moved = reply(&mut server, BOB, to(&moved, BOB), "f2\nreport\nShe is rude\n");
    assert!(letter_to(&moved, "carol@example.org").is_some(), "{moved:?}");
    let letter = to(&moved, ALICE).clone();
    assert!(letter.text().contains("bob played f2") && !letter.text().contains("rude"), "{moved:?}");
    let moved = reply(&mut server, ALICE, &letter, "k4\nGood move!\nReport bob\n");
    assert!(!to(&moved, BOB).text().contains("Good move"), "{moved:?}");
    assert!(joined(to(&moved, ALICE).text()).contains("begins like a command about another player"), "{moved:?}");
    let moved = reply(&mut server, BOB, to(&moved, BOB), "k5\nsignoff\n");
    assert!(!to(&moved, ALICE).text().contains("signoff"), "{moved:?}");
}

#[test]
fn a_report_or_message_without_a_text_says_where_to_write_it() {
    let mut server = Server::with_players();
    for (line, usage) in [
        ("report alice wonderland bob", "Usage: report userid password other [--say=\"...\"]"),
        ("message alice wonderland bob hello friend", "Usage: message userid password to... [--say=\"...\"]"),
    ] {
        let verb = line.split(' ').next().unwrap();
        let ran = server.shell(line);
        let said = format!("The text of the {verb} is missing. Add it to the command: --say=\"...\".");
        assert!(ran.status == 1 && joined(&ran.err).contains(&said) && ran.err.contains(usage), "{ran:?}");
        let letters = server.mail(ALICE, line, "");
        let said = format!("The text of the {verb} is missing. Write it below the command.");
        assert!(joined(to(&letters, ALICE).text()).contains(&said), "{letters:?}");
    }
    let mut inside = Inside::with_players(&["alice", "bob"]);
    assert!(inside.refused("alice", "report alice - bob").ends_with("is missing. Write it in the field say."));
}

#[test]
fn the_page_of_a_player_blocks_and_reports_them() {
    let server = Server::with_players();
    done(&server, "signup carol walrus22 carol@example.org");
    let serving = Serving::start(&server, &format!("[policy]\nadministrators = [\"carol\"]\n{CONFIG}"));
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    for words in ["Block alice", "Report alice"] {
        let page = bob.get("/players/alice");
        assert!(page.text().contains(words), "{}", page.text());
    }
    for other in ["/players/bob", "/players/alice/finished"] {
        assert!(!bob.get(other).text().contains("Report "), "{other}");
    }
    bob.fill("/players/alice", &[("do", "block")]);
    assert!(bob.get("/players/alice").text().contains("Unblock alice"));
    assert!(bob.get("/settings").text().contains("Unblock alice"));
    bob.fill("/settings", &[("do", "unblock"), ("other", "alice")]);
    assert!(bob.get("/players/alice").text().contains("Block alice"));
    let sent = bob.fill("/players/alice", &[("do", "report"), ("say", "Insults me")]);
    assert!(sent.text().contains("Your report has been sent"), "{}", sent.text());
    let empty = bob.fill("/players/alice", &[("do", "report"), ("say", " ")]);
    assert!(empty.text().contains("The text of the report is missing. Write it in the form."), "{}", empty.text());
}

#[test]
fn help_explains_blocks_and_reports() {
    let mut server = Server::with_players();
    let answer = server.mail(ALICE, "help block", "");
    let text = joined(to(&answer, ALICE).text());
    for words in ["block userid password other", "report userid password other", "challenges=within@200"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(done(&server, "help").contains("help block"));
}

#[test]
fn acts_about_a_removed_player_do_not_name_their_userid() {
    let server = Server::with_players();
    done(&server, "block alice wonderland bob");
    done(&server, "report alice wonderland bob --say=rude");
    let acts = server.json("admin acts");
    let act = acts.as_array().unwrap().iter().find(|act| act["act"] == "settings").unwrap();
    assert_eq!(
        (&act["by"], &act["player"], &act["detail"]),
        (&"alice".into(), &"bob".into(), &"block".into()),
        "{acts}"
    );
    done(&server, "admin player rename bob robert");
    assert!(done(&server, "admin acts --of robert").contains("block"));
    done(&server, "admin player remove robert --yes");
    done(&server, "signup robert builder22 robert@example.org");
    assert!(!done(&server, "admin acts --of robert").contains("alice"), "{}", done(&server, "admin acts --of robert"));
    let acts = server.json("admin acts");
    let of_alice = acts.as_array().unwrap().iter().filter(|act| act["by"] == "alice" && act["player"] != "alice");
    assert!(of_alice.clone().count() == 2 && of_alice.clone().all(|act| act["player"] != "robert"), "{acts}");
    assert!(of_alice.clone().all(|act| !act.to_string().contains("bob")), "{acts}");
}

#[test]
fn a_players_export_contains_their_own_acts_but_not_acts_of_others_about_them() {
    let server = Server::with_players();
    server.configure("[events]\nplayers = true\n");
    for line in [
        "block alice wonderland bob",
        "report alice wonderland bob --say=rude",
        "report bob builder alice --say=boring",
        "set alice wonderland rhythm=once",
        "calendar alice wonderland new",
        "event new climb hex --kind=ladder alice wonderland",
        "join climb alice wonderland",
    ] {
        done(&server, line);
    }
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    alice.fill("/settings", &[("do", "token"), ("label", "my program")]);
    let export = done(&server, "admin export alice");
    let lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let player = &lines.iter().find(|line| line["player"].is_object()).unwrap()["player"];
    assert_eq!(player["blocks"], json!(["bob"]));
    assert_eq!(player["calendar"], json!(true));
    assert_eq!(player["events"][0]["event"], json!("climb"));
    assert_eq!(player["editions"][0]["event"], json!("climb"));
    let acts: Vec<(&str, &str, &str)> = lines
        .iter()
        .filter_map(|line| line.get("act"))
        .map(|act| (act["act"].as_str().unwrap(), act["player"].as_str().unwrap(), act["detail"].as_str().unwrap()))
        .collect();
    for act in [("settings", "bob", "block"), ("report", "bob", "rude"), ("settings", "alice", "rhythm=once")] {
        assert!(acts.contains(&act), "{acts:?}");
    }
    assert!(!export.contains("boring"), "{export}");
    let export = done(&server, "admin export bob");
    assert!(export.contains("boring") && !export.contains("rude") && !export.contains("\"block\""), "{export}");
}

#[test]
fn a_report_reaches_the_administrators_with_the_last_messages() {
    let mut server = Server::with_players();
    done(&server, "signup carol walrus22 carol@example.org");
    done(&server, "set carol walrus22 mail=text");
    server.configure("[policy]\nadministrators = [\"carol\"]\n");
    done(&server, "marque challenge alice bob");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "You play like a stone");
    server.mail(BOB, "message bob builder alice", "Please stop");
    server.mail(ALICE, "message alice wonderland bob", "Never");
    let sent = server.mail(BOB, "report bob builder alice", "Insults me on board 1");
    assert!(joined(to(&sent, BOB).text()).contains("has been sent to the administrators"), "{sent:?}");
    assert!(letter_to(&sent, ALICE).is_none(), "{sent:?}");
    let letter = to(&sent, "carol@example.org");
    assert_eq!(letter.subject, "Turnpost: bob reports alice");
    let text = joined(letter.text());
    for words in [
        "bob reports alice: Insults me on board 1",
        "alice on board 1: You play like a stone",
        "bob in a message: Please stop",
        "alice in a message: Never",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let acts = done(&server, "admin acts --of alice");
    assert!(acts.contains("report") && acts.contains("Insults me"), "{acts}");
    for n in 2..=5 {
        done(&server, &format!("report bob builder alice --say=Number-{n}"));
    }
    let refused = server.shell("report bob builder alice --say=again");
    assert!(refused.status == 1 && refused.err.contains("5 reports a day"), "{refused:?}");
    for line in ["report bob builder bob --say=x", "block bob builder bob"] {
        assert!(server.shell(line).err.contains("This is your own userid"), "{line}");
    }
}

#[test]
fn players_choose_who_may_challenge_them() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.say("bob", "set bob - challenges=none");
    assert!(inside.refused("alice", "marque challenge alice bob").contains("does not accept challenges"));
    // The setting applies only to challenges from other players: bob can still challenge alice.
    inside.say("bob", "marque challenge bob alice");
    inside.say("bob", "marque challenge bob anyone");
    inside.say("alice", "marque accept 2 alice -");
    inside.say("bob", "set bob - challenges=within@100");
    inside.say("alice", "marque challenge alice bob");
    // carol beats alice until carol's rating is outside the range that bob accepts.
    for _ in 0..3 {
        inside.say("carol", "set carol - strangers=20");
        let board = inside.say("carol", "marque challenge alice carol").boards()[0].number;
        inside.say("alice", &format!("marque move {board} alice - f3"));
        inside.say("carol", &format!("marque move {board} carol - f2"));
        inside.say("alice", &format!("marque resign {board} alice -"));
    }
    assert!(inside.refused("carol", "marque challenge carol bob").contains("does not accept challenges"));
    inside.say("carol", "breakthrough challenge carol bob");
    assert!(turnpost::command::parse("set bob - challenges=within@0").is_err());
}

#[test]
fn a_stranger_opens_three_boards_an_hour_and_an_acquaintance_any_number() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    for _ in 0..3 {
        inside.say("alice", "marque challenge alice bob");
    }
    let refused = inside.refused("alice", "marque challenge alice bob");
    assert!(refused.contains("bob accepts 3 boards an hour"), "{refused}");
    inside.pass(TimeDelta::hours(1));
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - f2");
    for _ in 0..4 {
        inside.say("alice", "marque challenge alice bob");
    }
    inside.say("alice", "set alice - strangers=0");
    inside.say("bob", "marque challenge bob alice");
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("bob", "set bob - strangers=0");
    assert!(inside.refused("alice", "marque challenge alice bob").contains("does not accept challenges from players"));
}

#[test]
fn messages_from_one_player_to_another_are_limited() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.say("alice", "marque challenge alice bob");
    for n in 0..20 {
        inside.try_say("alice", "message alice - bob", Some(&format!("Number {n}"))).unwrap();
        inside.try_say("alice", "marque chat 1 alice -", Some(&format!("Number {n}"))).unwrap();
    }
    for line in ["message alice - bob", "message alice - carol bob", "marque chat 1 alice -"] {
        let refused = inside.try_say("alice", line, Some("One more")).unwrap_err();
        assert_eq!(refused.message.code, "service.too-many-texts", "{line}");
    }
    inside.try_say("alice", "message alice - carol", Some("Hello")).unwrap();
    inside.try_say("bob", "message bob - alice", Some("Enough")).unwrap();
    inside.pass(TimeDelta::hours(1));
    inside.try_say("alice", "message alice - bob", Some("One more")).unwrap();
}

/// The limits exist because the opponent gets a letter about each proposal and each withdrawal.
#[test]
fn proposals_and_their_comments_are_limited() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque move 1 alice - f3");
    for n in 0..10 {
        inside.try_say("alice", "marque undo 1 alice -", Some(&format!("Please {n}"))).unwrap();
        inside.try_say("alice", "marque reject 1 alice -", Some(&format!("Or not {n}"))).unwrap();
    }
    let refused = inside.try_say("alice", "marque undo 1 alice -", Some("Please")).unwrap_err();
    assert_eq!(refused.message.code, "service.too-many-texts");
    for _ in 0..10 {
        inside.say("alice", "marque undo 1 alice -");
        let refused = inside.try_say("alice", "marque reject 1 alice -", Some("Or not")).unwrap_err();
        assert_eq!(refused.message.code, "service.too-many-texts");
        inside.say("alice", "marque reject 1 alice -");
    }
    for line in ["marque undo 1 alice -", "marque abandon 1 alice -"] {
        let refused = inside.refused("alice", line);
        assert_eq!(refused, "You have made 20 proposals on board 1 within an hour; try again in an hour.", "{line}");
    }
    // bob can still make proposals, and alice can still reject them.
    inside.say("bob", "marque abandon 1 bob -");
    inside.say("alice", "marque reject 1 alice -");
    inside.say("bob", "marque move 1 bob - f2");
    inside.pass(TimeDelta::hours(1));
    inside.try_say("alice", "marque undo 1 alice -", Some("Please")).unwrap();
    inside.try_say("bob", "marque accept 1 bob -", Some("All right")).unwrap();
}

#[test]
fn a_vacation_answers_a_challenge_with_the_date_of_return() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let until = (inside.now() + TimeDelta::days(9)).format("%Y-%m-%d").to_string();
    inside.say("bob", &format!("vacation bob - until {until}"));
    for line in ["marque challenge alice bob", "marque challenge bob alice"] {
        let response = inside.say("alice", line);
        assert_eq!(response.boards()[0].away.iter().map(|away| away.userid.as_str()).collect::<Vec<_>>(), ["bob"]);
        let letters = inside.letters();
        let text = |userid: &str| joined(&letters[&format!("{userid}@example.org")].join("\n"));
        let words = format!("bob is on vacation until {until} 00:00 UTC. Their clock is stopped");
        assert!(text("alice").contains(&words), "{}", text("alice"));
        assert!(!text("bob").contains("Their clock is stopped"), "{}", text("bob"));
    }
    // The page shows that bob is on vacation until bob moves.
    assert!(inside.shown("alice", 1).contains("bob is on vacation"));
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - f2");
    assert!(!inside.shown("alice", 1).contains("on vacation"));
}

#[test]
fn a_weekend_after_a_vacation_stops_the_clock_until_monday() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("bob", "set bob - weekend=sat,sun");
    inside.say("bob", "vacation bob - until 2027-01-02");
    inside.say("alice", "marque challenge bob alice");
    let shown = joined(&inside.shown("alice", 1));
    assert!(shown.contains("It is stopped until 2027-01-04 00:00 UTC. bob is on vacation until"), "{shown}");
    assert!(!shown.contains("until then"), "{shown}");
}

#[test]
fn a_report_lists_messages_in_chronological_order() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.config.policy.administrators = vec!["carol".to_owned()];
    for (by, to, text) in [
        ("alice", "bob", "text 11"),
        ("bob", "alice", "text 12"),
        ("alice", "bob", "text 13"),
        ("alice", "bob", "text 14"),
    ] {
        inside.try_say(by, &format!("message {by} - {to}"), Some(text)).unwrap();
    }
    inside.try_say("bob", "report bob - alice", Some("Stop it")).unwrap();
    let letters = inside.letters();
    let letter = letters["carol@example.org"].concat();
    let at: Vec<Option<usize>> = (11..15).map(|number| letter.find(&format!("text {number}"))).collect();
    assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{letter}");
}
