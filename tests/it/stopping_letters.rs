//! Players can stop letters through the unsubscribe headers of a letter, a page or commands. They still receive a
//! letter before they lose a game on time.

use crate::common::database::sql;
use crate::common::inside::Inside;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, letter_to, reply, to};
use crate::puzzles::{MOVES, choose, inside_with_finished};
use chrono::TimeDelta;
use serde_json::json;
use turnpost::numbers::BoardNumber;
use turnpost::service::ClockResult;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Returns the letters delivered to an address, newest last.
fn raw(server: &Server, address: &str) -> Vec<String> {
    // Before the first letter, the folder does not exist.
    let folder = std::fs::read_dir(server.data().join("outgoing/new")).into_iter().flatten();
    let mut files: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
    files.sort_by_key(|file| file.metadata().unwrap().modified().unwrap());
    let letters = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    letters.filter(|letter| letter.contains(&format!("\nTo: {address}\n"))).collect()
}

/// Returns the mail address in the letter's `List-Unsubscribe` header.
fn stop_address(letter: &str) -> String {
    let header = letter.replace("\n ", " ");
    let rest =
        header.lines().find_map(|line| line.strip_prefix("List-Unsubscribe: ")).unwrap_or_else(|| panic!("{letter}"));
    rest.split("<mailto:").nth(1).unwrap().split('?').next().unwrap().to_owned()
}

#[test]
fn one_click_in_a_letter_stops_only_letters_about_its_board() {
    let mut server = Server::with_players();
    for line in ["marque challenge alice bob", "marque challenge alice bob", "marque move 1 alice wonderland f3"] {
        done(&server, line);
    }
    server.letters();
    let press = stop_address(raw(&server, BOB).last().unwrap());
    let letters = server.mail_with("mailer@provider.example", "unsubscribe", "", &json!({ "To": press }));
    let answer = joined(letter_to(&letters, BOB).unwrap().text());
    for words in [
        "bob no longer receives letters about marque board 1.",
        "Their clock there keeps running",
        "Reminders before a forfeit",
        "Opponents can see",
        "marque subscribe 1 bob PASSWORD",
        "set bob PASSWORD letters=none",
    ] {
        assert!(answer.contains(words), "no {words:?} in\n{answer}");
    }
    assert!(done(&server, "set bob builder").contains("letters=all"));
    let acts = done(&server, "admin acts --of bob");
    assert!(acts.contains("stop-letters") && acts.contains("board 1"), "{acts}");
    // `show` says that bob has stopped letters. The answer to the opponent's comment does not.
    let shown = joined(&done(&server, "show 1"));
    assert!(shown.contains("bob has stopped their letters, but the clock keeps running."), "{shown}");
    assert!(!done(&server, "marque chat 1 alice wonderland --say=Hello").contains("bob"));
    assert!(letter_to(&server.letters(), BOB).is_none());
    // bob still receives letters about the other board, and answers to commands about this one.
    done(&server, "marque move 2 alice wonderland f3");
    assert!(letter_to(&server.letters(), BOB).unwrap().text().contains("alice played f3"));
    let letters = server.mail(BOB, "marque move 1 bob builder f2", "");
    assert!(letter_to(&letters, BOB).unwrap().text().contains("You played f2"), "{letters:?}");
    // bob still receives the letter about the end of the board.
    done(&server, "marque resign 1 alice wonderland");
    assert!(letter_to(&server.letters(), BOB).unwrap().text().contains("Board 1 has ended"));
}

#[test]
fn unsubscribe_and_subscribe_also_work_on_a_players_own_board() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let refused = server.shell("marque subscribe 1 bob builder");
    assert!(refused.status == 1 && refused.err.contains("receive its letters anyway"), "{refused:?}");
    let stopped = done(&server, "marque unsubscribe 1 bob builder");
    assert!(stopped.contains("no longer receives letters about marque board 1"), "{stopped}");
    let refused = server.shell("marque notify 1 bob builder");
    assert!(refused.status == 1 && refused.err.contains("have stopped its letters"), "{refused:?}");
    assert!(joined(&refused.err).contains("use \"subscribe\" instead of \"notify\""), "{refused:?}");
    server.letters();
    done(&server, "marque move 1 alice wonderland f3");
    assert!(letter_to(&server.letters(), BOB).is_none());
    let again = done(&server, "marque subscribe 1 bob builder");
    assert!(again.contains("bob receives letters about Marque board 1 again"), "{again}");
    done(&server, "marque chat 1 alice wonderland --say=Hello");
    assert!(letter_to(&server.letters(), BOB).unwrap().text().contains("Hello"));
}

#[test]
fn the_answer_to_unsubscribe_mentions_a_clock_only_on_a_board_with_a_clock() {
    let server = Server::with_players();
    for other in ["bob", "alice", "bob", "bob"] {
        done(&server, &format!("marque challenge alice {other}"));
    }
    done(&server, "marque move 3 alice wonderland f3");
    done(&server, "marque resign 3 alice wonderland");
    done(&server, "marque decline 4 bob builder");
    for (number, has_clock) in [(1, true), (2, false), (3, false), (4, false)] {
        let told = joined(&done(&server, &format!("marque unsubscribe {number} alice wonderland")));
        assert!(told.contains(&format!("no longer receives letters about marque board {number}.")), "{told}");
        for words in ["clock there", "Reminders before a forfeit", "Opponents can see"] {
            assert_eq!(told.contains(words), has_clock, "board {number}: {told}");
        }
    }
}

#[test]
fn unsubscribe_in_a_reply_stops_the_letters_about_its_board() {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let letter = letter_to(&letters, BOB).unwrap().clone();
    let told = reply(&mut server, BOB, &letter, "Unsubscribe\n");
    let told = joined(letter_to(&told, BOB).unwrap().text());
    assert!(told.contains("bob no longer receives letters about marque board 1"), "{told}");
    assert!(told.contains("set bob PASSWORD letters=none"), "the answer names further ways: {told}");
    done(&server, "marque chat 1 alice wonderland --say=Hello");
    assert!(letter_to(&server.letters(), BOB).is_none());
    let told = reply(&mut server, BOB, &letter, "subscribe\n");
    let told = joined(letter_to(&told, BOB).unwrap().text());
    assert!(told.contains("bob receives letters about Marque board 1 again"), "{told}");
    // A reply may also follow boards of other players, but only from the player's own address.
    done(&server, "signup carol lonely carol@example.org");
    done(&server, "marque challenge alice carol");
    server.letters();
    for (line, says) in [
        ("notify", "receive its letters anyway"),
        ("subscribe 2", "bob follows board 2"),
        ("notify all", "bob follows all boards of Marque"),
        ("subscribe puzzles", "puzzle of the day"),
        ("limit 5", "The password is missing."),
    ] {
        let told = reply(&mut server, BOB, &letter, line);
        let told = joined(letter_to(&told, BOB).unwrap().text());
        assert!(told.contains(says), "{line}: {told}");
    }
    let told = reply(&mut server, "eve@elsewhere.example", &letter, "subscribe 2");
    assert!(joined(told[0].text()).contains("requires the password"), "{told:?}");
}

#[test]
fn unsubscribe_in_a_reply_stops_the_letters_about_a_followed_board() {
    let carol = "carol@example.org";
    let mut server = Server::with_players();
    done(&server, "signup carol lonely carol@example.org");
    done(&server, "marque subscribe all carol lonely");
    done(&server, "marque challenge alice bob");
    server.letters();
    done(&server, "marque move 1 alice wonderland f3");
    let letter = to(&server.letters(), carol).clone();
    let subject = format!("Re: {}", letter.subject);
    // Some mail servers remove the token from the address, but mail programs copy the ID of the letter.
    let headers = json!({ "In-Reply-To": letter.id, "References": letter.references[0] });
    for (from, text) in [("eve@elsewhere.example", "unsubscribe"), (carol, "stop"), (carol, "Is that a good move?")] {
        let told = server.mail_with(from, &subject, text, &headers);
        assert!(told.iter().all(|letter| !letter.text().contains("no longer follows")), "{text}: {told:?}");
    }
    let told = server.mail_with(carol, &subject, "Unsubscribe.\n", &headers);
    let told = joined(to(&told, carol).text());
    assert!(told.contains("carol no longer follows board 1."), "{told}");
    done(&server, "marque move 1 bob builder f2");
    assert!(letter_to(&server.letters(), carol).is_none());
}

#[test]
fn puzzles_can_be_stopped_by_a_letter_that_also_has_results() {
    let mut inside = inside_with_finished(&[MOVES]);
    inside.config.policy.administrators = vec!["alice".to_owned()];
    for (userid, line) in [
        ("alice", "brique subscribe puzzles alice -"),
        ("alice", "event new climb hex --kind=ladder alice -"),
        ("alice", "join climb alice -"),
        ("bob", "join climb bob -"),
        ("bob", "event challenge climb alice bob -"),
        ("alice", "resign 2 alice -"),
    ] {
        inside.say(userid, line);
    }
    inside.letters();
    inside.pass(TimeDelta::days(8));
    inside.tick();
    choose(&mut inside);
    let letters = inside.letters();
    let [letter] = letters[ALICE].as_slice() else { panic!("{letters:#?}") };
    assert!(letter.contains("New results in climb") && letter.contains("puzzle of the day"), "{letter}");
    assert!(!stop_address(letter).is_empty());
    assert!(joined(letter).contains("To stop them, leave the event"), "{letter}");
    assert!(letter.contains("\n    leave climb\n"), "{letter}");
}

#[test]
fn a_reader_of_a_followed_game_can_exclude_a_board() {
    let mut server = Server::with_players();
    done(&server, "signup carol lonely carol@example.org");
    done(&server, "set carol lonely mail=text");
    done(&server, "marque subscribe all carol lonely");
    for _ in 0..2 {
        done(&server, "marque challenge alice bob");
    }
    done(&server, "marque move 1 alice wonderland f3");
    server.letters();
    let press = stop_address(raw(&server, "carol@example.org").last().unwrap());
    let letters = server.mail_with("x@example.net", "unsubscribe", "", &json!({ "To": press }));
    let answer = joined(letter_to(&letters, "carol@example.org").unwrap().text());
    assert!(answer.contains("carol no longer receives letters about marque board 1."), "{answer}");
    assert!(
        answer.contains("To stop following other boards as well: marque unsubscribe all carol PASSWORD"),
        "{answer}"
    );
    assert!(!answer.contains("clock there"), "a follower has no clock\n{answer}");
    done(&server, "marque move 1 bob builder f2");
    done(&server, "marque move 2 alice wonderland f3");
    let letters = server.letters();
    let carols: Vec<&Letter> = letters.iter().filter(|letter| letter.to() == "carol@example.org").collect();
    assert!(carols.len() == 1 && carols[0].subject.contains("board 2"), "{carols:?}");
    done(&server, "marque subscribe 1 carol lonely");
    done(&server, "marque move 1 alice wonderland f4");
    assert!(letter_to(&server.letters(), "carol@example.org").is_some());
}

#[test]
fn the_address_in_a_message_stops_messages_but_not_letters_about_boards() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "message alice wonderland bob --say=Hello");
    server.letters();
    let press = stop_address(raw(&server, BOB).iter().find(|letter| letter.contains("Hello")).unwrap());
    let letters = server.mail_with(BOB, "unsubscribe", "", &json!({ "To": press }));
    assert!(
        joined(letter_to(&letters, BOB).unwrap().text()).contains("Letters about boards are still sent"),
        "{letters:?}"
    );
    let refused = server.shell("message alice wonderland bob --say=Hello?");
    assert!(refused.status == 1 && refused.err.contains("does not accept messages"), "{refused:?}");
    done(&server, "marque move 1 alice wonderland f3");
    assert!(letter_to(&server.letters(), BOB).is_some());
    done(&server, "set bob builder letters=all");
    done(&server, "message alice wonderland bob --say=Hello");
    assert!(letter_to(&server.letters(), BOB).unwrap().text().contains("Hello"));
}

#[test]
fn the_page_of_an_unsubscribe_link_offers_a_choice() {
    let server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n");
    done(&server, "signup carol lonely carol@example.org");
    for line in ["marque challenge alice bob", "marque challenge carol alice", "marque subscribe 2 bob builder"] {
        done(&server, line);
    }
    done(&server, "marque move 1 alice wonderland f3");
    let link = wait_until("a letter to bob about the move", || {
        let letters = raw(&server, BOB);
        let letter = letters.iter().find(|letter| letter.contains("alice played f3"))?;
        let rest = letter.split("List-Unsubscribe: <https://games.example").nth(1)?;
        Some(rest.split('>').next()?.to_owned())
    });
    let mut visitor = Visitor::new(&serving.web());
    let page = visitor.get(&link);
    for words in
        ["Stop letters about board 1", "Stop following all boards", "Stop all letters", "clock there keeps running"]
    {
        assert!(page.text().contains(words), "no {words:?} in\n{}", page.text());
    }
    assert!(done(&server, "set bob builder").contains("letters=all"), "viewing the page changes no settings");
    let page = visitor.send(&link, &[("letters", "followed")]);
    assert!(page.text().contains("no longer gets letters about marque board 2"), "{}", page.text());
    assert!(page.text().contains("<a href=\"/login?next=/boards/2\">board 2</a>"), "{}", page.text());
    assert!(!page.text().contains("subscribe 2"), "{}", page.text());
    let page = visitor.send(&link, &[("List-Unsubscribe", "One-Click")]);
    assert!(page.text().contains("no longer gets letters about marque board 1"), "{}", page.text());
    assert!(done(&server, "set bob builder").contains("letters=all"));
    // A button on the page of the board resumes the letters.
    let again = "Resume letters about this board";
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert!(bob.get("/boards/1").text().contains(again));
    assert_eq!(bob.fill("/boards/1", &[("do", "follow"), ("how", "moves")]).status, 303);
    assert!(!bob.get("/boards/1").text().contains(again));
    done(&server, "marque chat 1 alice wonderland --say=Welcome");
    let told = "SELECT userid FROM outbox JOIN players ON players.id = player WHERE kind = 'chat' ORDER BY userid";
    assert_eq!(sql(&server, told), "alice\nbob");
    let page = visitor.send(&link, &[("letters", "all")]);
    assert!(joined(page.text()).contains("forfeited without a reminder"), "{}", page.text());
    assert!(done(&server, "set bob builder").contains("letters=none"));
    serving.stop();
}

#[test]
fn a_player_without_letters_about_a_board_is_still_reminded() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - f2");
    inside.say("bob", "marque unsubscribe 1 bob -");
    let _ = inside.letters();
    inside.say("alice", "marque move 1 alice - e1");
    assert!(!inside.letters().contains_key(BOB), "bob receives no letter about the move");
    let (mut told, mut ticked) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        inside.pass(TimeDelta::days(1));
        ticked.extend(inside.tick());
        told.extend(inside.letters().remove(BOB).unwrap_or_default());
    }
    assert_eq!(ticked.last(), Some(&(BoardNumber(1), ClockResult::Forfeited)), "{ticked:?}");
    assert!(told.first().unwrap().contains("is waiting for your move"), "{told:#?}");
    assert!(told.last().unwrap().contains("Board 1 has ended"), "{told:#?}");
}

#[test]
fn requested_letters_do_not_have_an_unsubscribe_header() {
    let mut server = Server::with_players();
    server.mail(ALICE, "password alice", "");
    let letter = raw(&server, ALICE).into_iter().find(|letter| letter.contains("new password")).unwrap();
    assert!(!letter.contains("List-Unsubscribe"), "{letter}");
}

#[test]
fn stop_is_answered_with_the_ways_to_stop_letters() {
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    let letter = to(&letters, "alice@example.org").clone();
    for line in ["stop", "Please stop sending me e-mails!", "Bitte abmelden", "remove me"] {
        let told = reply(&mut server, "alice@example.org", &letter, line);
        let [told] = told.as_slice() else { panic!("{line}: {told:?}") };
        assert!(told.text().contains("set alice password letters=none"), "{line}: {}", told.text());
        assert!(told.text().contains("marque unsubscribe 123 alice password"), "{line}: {}", told.text());
        assert_eq!(server.mail("bob@example.org", "", &format!("{line}\n")).len(), 1, "{line}");
    }
    assert_eq!(server.mail("nobody@example.net", "unsubscribe", "").len(), 1);
    // After all these lines, alice and bob still receive letters.
    assert_eq!(server.mail("alice@example.org", "marque move 1 alice wonderland f3", "").len(), 2);
}
