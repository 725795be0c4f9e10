//! Puzzles as players find and solve them: by mail, in the shell, on pages, and as the puzzle of the day.

use chrono::TimeDelta;
use serde_json::{Value, json};
use turnpost::service::Service;
use turnpost::world::World;

use crate::common::browser::{Browser, Look};
use crate::common::database::sql;
use crate::common::inside::Inside;
use crate::common::postgres::Database;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// A game of Brique that bob wins by its last move.
pub(crate) const MOVES: &str = "e1 a1 d4 e2 d1 d2 c2 c1 b1 b2";
const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Plays these moves in turn. The first move is alice's.
pub(crate) fn play(server: &Server, game: &str, board: u32, moves: &str) {
    for (ply, text) in moves.split(' ').enumerate() {
        let player = ["alice wonderland", "bob builder"][ply % 2];
        done(server, &format!("{game} move {board} {player} {text}"));
    }
}

/// Creates a server on which board 1 has ended.
pub(crate) fn with_finished_board() -> Server {
    finished_on(Server::with_players())
}

fn finished_on(server: Server) -> Server {
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 1, MOVES);
    server
}

fn puzzles(server: &Server) -> String {
    sql(server, "SELECT game || number || ' ' || board || '#' || ply || ' ' || solution FROM puzzles ORDER BY number")
}

/// Returns a text as one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_finished_board_becomes_a_puzzle_that_the_shell_shows_and_checks() {
    let server = with_finished_board();
    assert_eq!(puzzles(&server), "brique1 1#9 b2");
    for asked in ["puzzle", "puzzle brique", "puzzle brique 1"] {
        let shown = done(&server, asked);
        assert!(shown.contains("Brique puzzle 1 of 1, the puzzle of the day: "), "{shown}");
        assert!(flat(&shown).contains(" to move. One move wins") && shown.contains("puzzle brique 1 MOVE"), "{shown}");
        assert!(!shown.contains("wins with") && !shown.contains("alice") && !shown.contains("bob"), "{shown}");
    }
    let wrong = done(&server, "puzzle brique 1 c5");
    assert!(flat(&wrong).contains("c5 does not win immediately. Try again") && !wrong.contains("board 1"), "{wrong}");
    let right = done(&server, "puzzle brique 1 B2");
    assert!(right.contains("b2 is right") && right.contains("from board 1"), "{right}");
    let told = done(&server, "puzzle brique 1 solution");
    assert!(told.contains(" wins with b2."), "{told}");
    let json = server.json("puzzle brique 1 b2");
    assert_eq!((&json["verdict"]["right"], &json["puzzle"]["position"]["plies"]), (&json!(true), &json!(10)));
    assert_eq!(server.json("puzzle brique")["verdict"], Value::Null);
    for (line, says) in [
        ("puzzle brique 1 a1", "a1"),
        ("puzzle brique 2", "There is no Brique puzzle 2; they are numbered from 1 to 1."),
        ("puzzle lazo", "There are no Lazo puzzles yet."),
        ("puzzle chess", "There is no such game."),
        ("puzzle brique x", "not the number of a puzzle"),
    ] {
        let refused = server.shell(line);
        assert!(refused.status != 0 && flat(&refused.err).contains(says), "{line}: {refused:?}");
    }
    assert!(done(&server, "help puzzle").contains("PUZZLES"));
}

#[test]
fn a_puzzle_is_withdrawn_when_its_game_continues() {
    let mut server = Server::with_players();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 1, MOVES.rsplit_once(' ').unwrap().0);
    done(&server, "brique resign 1 bob builder");
    assert_eq!(puzzles(&server), "brique1 1#9 b2");
    done(&server, "brique subscribe puzzles alice wonderland");
    sql(&server, "UPDATE puzzles SET daily = '2026-01-01'");
    done(&server, "admin hold");
    done(&server, "tick");
    let reopened = server.program().args(["admin", "reopen", "1", "--reason", "a mistake"]).output().unwrap();
    assert!(reopened.status.success(), "{reopened:?}");
    // No puzzle is shown, because it would give away bob's winning move on the unfinished board.
    for asked in ["puzzle brique", "puzzle brique 1", "puzzle brique 1 b2"] {
        assert_eq!(server.shell(asked).status, 1, "{asked}");
    }
    server.letters();
    done(&server, "admin release");
    done(&server, "tick");
    let letters = server.letters();
    let letter = letters.iter().find(|letter| letter.subject.contains("puzzle"));
    assert!(letter.is_none_or(|letter| letter.text().contains("was withdrawn")), "{letters:?}");
    assert_eq!(sql(&server, "SELECT count(*) FROM outbox WHERE due_at IS NOT NULL"), "0");
    // The board then continues with other moves. The server can still be exported and imported.
    done(&server, "brique move 1 bob builder a5");
    done(&server, "brique resign 1 alice wonderland");
    let exported = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", exported.display()));
    done(&Server::without_database(), &format!("admin import {}", exported.display()));
    done(&server, "admin check");
}

#[test]
fn the_page_of_a_game_does_not_link_to_a_withdrawn_puzzle() {
    let server = Server::with_players();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 1, MOVES.rsplit_once(' ').unwrap().0);
    done(&server, "brique resign 1 bob builder");
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3");
    done(&server, "admin reopen 1 --reason mistake");
    let serving = Serving::start(&server, WEB);
    let list = Visitor::new(&serving.web()).get("/puzzles/brique");
    let links = |number: u32| list.text().contains(&format!("<li><a href=\"/puzzles/brique/{number}\""));
    assert_eq!([1, 2].map(links), [false, true], "{}", list.text());
}

#[test]
fn private_boards_and_boards_in_progress_do_not_become_puzzles() {
    let server = Server::with_players();
    done(&server, "brique challenge -size=5 --private alice bob");
    play(&server, "brique", 1, MOVES);
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, MOVES.rsplit_once(' ').unwrap().0);
    assert_eq!(sql(&server, "SELECT count(*) FROM puzzles UNION ALL SELECT count(*) FROM puzzle_queue"), "0\n0");
    // A position in which the player missed a win is also a puzzle.
    done(&server, "brique resign 2 bob builder");
    assert_eq!(puzzles(&server), "brique1 2#9 b2");
    // Equal positions are stored once.
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 3, MOVES);
    assert_eq!(puzzles(&server), "brique1 2#9 b2");
}

#[test]
fn a_message_requests_a_puzzle_and_a_reply_solves_it() {
    let mut server = with_finished_board();
    server.letters();
    let letters = server.mail(ALICE, "puzzle brique", "");
    let letter = to(&letters, ALICE).clone();
    assert!(letter.text().contains("reply to this letter with the move on the first line"), "{}", letter.text());
    assert!(letter.text().lines().all(|line| line.chars().count() <= 78), "{}", letter.text());
    let answered = |server: &mut Server, text: &str, says: &str| -> Letter {
        let letters = reply(server, ALICE, &letter, text);
        let [answer] = letters.as_slice() else { panic!("{text}: {letters:?}") };
        assert!(answer.to() == ALICE && answer.text().contains(says), "{text}: {}", answer.text());
        answer.clone()
    };
    let wrong = answered(&mut server, "c5", "c5 does not win immediately");
    assert!(!wrong.text().contains("wins with"), "{}", wrong.text());
    answered(&mut server, "a1", "a1 is");
    let right = answered(&mut server, "b2\n\nI think so.\n", "b2 is right");
    assert!(!right.text().contains("reply to this letter"), "{}", right.text());
    answered(&mut server, "Solution.", "wins with b2.");
    answered(&mut server, "puzzle brique 1 b2", "b2 is right");
    // A reply to the letter that called a move wrong is another attempt.
    let letters = reply(&mut server, ALICE, &wrong, "b2");
    assert!(to(&letters, ALICE).text().contains("b2 is right"), "{letters:?}");
    // A stranger must write the whole command.
    let letters = server.mail("eve@example.org", "puzzle brique", "");
    let stranger = to(&letters, "eve@example.org");
    assert!(stranger.text().contains("puzzle brique 1 MOVE") && stranger.reply_to.is_none(), "{stranger:?}");
    let letters = server.mail("mallory@example.net", "puzzle brique 1 b2", "");
    assert!(to(&letters, "mallory@example.net").text().contains("b2 is right"), "{letters:?}");
}

#[test]
fn a_puzzle_is_drawn_as_its_reader_wants() {
    let mut server = with_finished_board();
    done(&server, "set alice wonderland mail=html");
    done(&server, "set bob builder mail=accessible");
    server.letters();
    let letters = server.mail(ALICE, "puzzle brique 1", "");
    let letter = to(&letters, ALICE);
    let [picture] = letter.pictures.as_slice() else { panic!("{letter:?}") };
    assert!(letter.html().contains(&format!("cid:{}", picture.cid.trim_matches(['<', '>']))), "{}", letter.html());
    let letters = server.mail(BOB, "puzzle brique 1", "");
    let text = to(&letters, BOB).text();
    assert!(text.contains("Black on d4"), "{text}");
}

/// Signs up two players and plays these games of Brique to their ends.
pub(crate) fn inside_with_finished(boards: &[&str]) -> Inside {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    for (nth, moves) in boards.iter().enumerate() {
        inside.say_as_shell("brique challenge -size=5 alice bob");
        for (ply, text) in moves.split(' ').enumerate() {
            let userid = ["alice", "bob"][ply % 2];
            inside.say(userid, &format!("brique move {} {userid} - {text}", nth + 1));
        }
    }
    inside
}

/// Searches every board for puzzles, and chooses the puzzles of the day. Returns their number.
pub(crate) fn choose(inside: &mut Inside) -> usize {
    while let Some(mut search) = {
        let service = inside.config.service(World::REAL);
        let tx = inside.store.read().unwrap();
        service.next_puzzle_search(&tx).unwrap()
    } {
        search.search();
        let service = inside.config.service(World::REAL);
        let mut tx = inside.store.write().unwrap();
        service.keep_puzzles(&mut tx, search).unwrap();
        tx.commit().unwrap();
    }
    let now = inside.now();
    let service = inside.config.service(World::REAL);
    let mut tx = inside.store.write().unwrap();
    let wanted = Service::wants_puzzle_of_day(&tx, now).unwrap();
    let chosen = service.choose_puzzles_of_day(&mut tx, now).unwrap();
    assert_eq!(wanted, chosen > 0);
    tx.commit().unwrap();
    chosen
}

/// The server's clock is wrong at first: it says 2081.
#[test]
fn a_puzzle_chosen_in_2081_does_not_prevent_later_puzzles() {
    let mut inside = inside_with_finished(&[MOVES, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3"]);
    inside.say("alice", "brique subscribe puzzles alice -");
    let days = [0, 1, 2].map(|days| inside.now() + TimeDelta::days(days));
    let mut told = Vec::new();
    for now in ["2081-05-01T12:00:00Z".parse().unwrap()].into_iter().chain(days) {
        inside.set_now(now);
        assert_eq!((choose(&mut inside), choose(&mut inside)), (1, 0));
        let letters = inside.letters();
        told.push(letters["alice@example.org"][0].split("puzzle of the day, number ").nth(1).unwrap()[..1].to_owned());
    }
    assert_eq!(told, ["1", "1", "2", "1"]);
}

#[test]
fn every_puzzle_has_been_daily_before_one_is_repeated() {
    let mut inside = inside_with_finished(&[MOVES, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3"]);
    inside.say("alice", "brique subscribe puzzles alice -");
    inside.letters();
    let mut told = Vec::new();
    for _ in 0..4 {
        assert_eq!((choose(&mut inside), choose(&mut inside)), (1, 0), "one puzzle is chosen each day");
        let letters = inside.letters();
        let [letter] = letters["alice@example.org"].as_slice() else { panic!("{letters:?}") };
        assert_eq!(letters.len(), 1, "{letters:?}");
        told.push(letter.split("puzzle of the day, number ").nth(1).unwrap()[..1].to_owned());
        inside.pass(TimeDelta::days(1));
    }
    assert_eq!(told, ["1", "2", "1", "2"]);
    // If the clock is set back, the puzzle is not sent again.
    inside.pass(TimeDelta::days(-2));
    assert_eq!(choose(&mut inside), 0);
    inside.pass(TimeDelta::days(2));
    // A puzzle of a day on which alice receives no letters is not sent later.
    inside.say("alice", "set alice - letters=none");
    assert_eq!(choose(&mut inside), 1);
    inside.say("alice", "set alice - letters=all");
    assert!(!inside.letters().values().flatten().any(|letter| letter.contains("Find the win")));
}

#[test]
fn a_player_gets_the_puzzle_of_the_day_once() {
    let mut server = with_finished_board();
    server.letters();
    for (line, says) in [
        ("brique subscribe puzzles alice wonderland", "alice receives the Brique puzzle of the day from now on."),
        ("brique subscribe puzzles bob builder", "bob receives"),
        ("brique unsubscribe puzzles bob builder", "bob no longer receives the Brique puzzle of the day."),
    ] {
        assert!(done(&server, line).contains(says), "{line}");
    }
    // Dates the daily puzzle to an earlier day.
    sql(&server, "UPDATE puzzles SET daily = '2026-01-01'");
    done(&server, "tick");
    let letters = server.letters();
    let [letter] = letters.as_slice() else { panic!("{letters:?}") };
    assert_eq!((letter.to(), letter.subject.as_str()), (ALICE, "Find the win: Brique puzzle 1"));
    assert!(letter.text().contains("The Brique puzzle of the day, number 1: "), "{}", letter.text());
    assert!(!letter.text().contains("\n\n\n") && letter.text().contains("Reply to this letter"), "{}", letter.text());
    done(&server, "tick");
    assert!(server.letters().is_empty(), "the puzzle is sent once a day");
    let letters = reply(&mut server, ALICE, letter, "b2");
    assert!(to(&letters, ALICE).text().contains("b2 is right"), "{letters:?}");
    // A message to the unsubscribe address of the letter stops the puzzles.
    let raw = raw_letter(&server, "Find the win");
    let press = raw.split("<mailto:").nth(1).unwrap().split('?').next().unwrap().to_owned();
    let letters = server.mail_with(ALICE, "unsubscribe", "", &json!({ "To": press }));
    assert!(to(&letters, ALICE).text().contains("alice no longer receives the puzzle of the day."), "{letters:?}");
    sql(&server, "UPDATE puzzles SET daily = '2026-01-01'");
    done(&server, "tick");
    assert!(server.letters().is_empty());
}

/// Returns the source of a sent letter with these words in its subject.
fn raw_letter(server: &Server, subject: &str) -> String {
    let files = std::fs::read_dir(server.data().join("outgoing/new")).unwrap();
    let mut letters = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    letters.find(|letter| letter.contains(&format!("Subject: {subject}"))).unwrap()
}

#[test]
fn links_are_enough_to_solve_a_puzzle() {
    let server = with_finished_board();
    let serving = Serving::start(&server, WEB);
    let mut visitor = Visitor::new(&serving.web());
    assert!(visitor.get("/").text().contains("href=\"/puzzles\""));
    let list = visitor.get("/puzzles");
    assert!(
        list.text().contains("href=\"/puzzles/brique/1\"")
            && list.text().contains("src=\"/puzzles/brique/1/picture.svg?"),
        "{}",
        list.text()
    );
    assert!(visitor.get("/puzzles/brique/1/picture.svg?theme=wood").text().starts_with("<svg"));
    assert!(visitor.get("/puzzles/brique").text().contains("One puzzle"));
    assert!(visitor.get("/puzzles/lazo").text().contains("No puzzles yet"));
    let page = visitor.get("/puzzles/brique/1");
    assert!(
        page.text().contains("One move wins immediately. Find it.")
            && page.text().contains("href=\"/puzzles/brique/1?pick=b2\"")
    );
    assert!(page.text().contains("<summary>The board in words</summary>") && page.text().contains("Row 1: "));
    for told in ["board 1", "?move=b2", "alice"] {
        assert!(!page.text().contains(told), "{told}");
    }
    let clicked = visitor.get("/puzzles/brique/1?pick=b2");
    assert_eq!((clicked.status, clicked.header("location")), (303, Some("/puzzles/brique/1?move=b2")));
    let right = visitor.get("/puzzles/brique/1?move=B2");
    assert!(right.text().contains("b2 is right.") && right.text().contains("href=\"/boards/1/9\""), "{}", right.text());
    let wrong = visitor.get("/puzzles/brique/1?move=c5");
    assert!(wrong.text().contains("c5 does not win yet"), "{}", wrong.text());
    assert!(wrong.text().contains("href=\"/puzzles/brique/1?pick=b2\""), "the puzzle is still open: {}", wrong.text());
    assert!(visitor.get("/puzzles/brique/1?move=a1").text().contains("class=\"verdict wrong\""));
    assert!(visitor.get("/puzzles/brique/1?solution=1").text().contains("<strong>b2</strong> wins."));
    for nowhere in ["/puzzles/brique/0", "/puzzles/brique/2", "/puzzles/chess", "/puzzles/chess/1", "/puzzles/brique/x"]
    {
        assert_eq!(visitor.get(nowhere).status, 404, "{nowhere}");
    }
    // A logged-in player subscribes with one click.
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert!(alice.get("/puzzles").text().contains("Get Brique"));
    let csrf = alice.get("/puzzles").hidden("csrf").unwrap().to_owned();
    assert_eq!(alice.send("/puzzles/brique", &[("csrf", &csrf), ("get", "yes")]).status, 303);
    assert!(alice.get("/puzzles").text().contains("Stop Brique"));
    assert_eq!(sql(&server, "SELECT game FROM puzzle_readers"), "brique");
}

#[test]
fn a_player_sees_which_puzzles_they_have_solved() {
    let mut server = with_finished_board();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3");
    let solution = sql(&server, "SELECT solution FROM puzzles WHERE number = 2");
    let serving = Serving::start(&server, WEB);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let shows = |visitor: &mut Visitor, path: &str, words: &str| {
        let page = visitor.get(path);
        assert!(flat(page.text()).contains(words), "no {words} in {path}: {}", page.text());
    };
    assert!(!alice.get("/puzzles").text().contains("You have solved"));
    alice.get("/puzzles/brique/1?move=c5");
    assert!(!alice.get("/puzzles").text().contains("You have solved"), "a wrong move solves no puzzle");
    shows(&mut alice, "/puzzles/brique/1?move=b2", "You have solved one puzzle.");
    shows(&mut alice, "/puzzles/brique/1?move=b2", "You have solved one puzzle.");
    shows(&mut alice, "/puzzles", "You have solved one puzzle.");
    shows(&mut alice, "/puzzles", ">Brique</a>: 2 <span class=\"quiet\">1 solved</span>");
    shows(&mut alice, "/puzzles/brique", "2 puzzles, 1 solved");
    shows(&mut alice, "/puzzles/brique", "href=\"/puzzles/brique/1\" class=\"solved\"");
    shows(&mut alice, "/players/alice", "You have solved one puzzle.");
    shows(&mut alice, "/puzzles/brique/1", "You have solved it.");
    // If the player has asked for the solution, entering it does not count as solving the puzzle.
    alice.get("/puzzles/brique/2?solution=1");
    shows(&mut alice, &format!("/puzzles/brique/2?move={solution}"), "You have solved one puzzle.");
    shows(&mut alice, "/puzzles/brique/2", "You have seen the solution.");
    // The page shows the number of consecutive days with a solved puzzle.
    sql(&server, "UPDATE solved_puzzles SET day = date('now'), found = 1");
    sql(&server, "UPDATE solved_puzzles SET day = date('now', '-1 day') WHERE number = 1");
    shows(&mut alice, "/puzzles", "You have solved 2 puzzles, with at least one on each of the last 2 days.");
    // Other players do not see this number. A puzzle solved by mail is recorded like one solved on the page.
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert!(!bob.get("/players/alice").text().contains("You have solved"));
    server.mail(BOB, "puzzle brique 1 c5", "");
    server.mail(BOB, "puzzle brique 2 solution", "");
    assert!(!bob.get("/puzzles").text().contains("You have solved"));
    server.mail(BOB, "puzzle brique 1 b2", "");
    wait_until("the solution by mail to be recorded", || {
        flat(bob.get("/puzzles").text()).contains("You have solved one puzzle.").then_some(())
    });
    shows(
        &mut Visitor::new(&serving.web()),
        "/puzzles/brique/1?move=b2",
        "Log in</a> to record the puzzles that you solve.",
    );
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_puzzle_is_solved_by_clicks() {
    let server = with_finished_board();
    let serving = Serving::start(&server, WEB);
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{}/puzzles", serving.web()));
    browser.click(".card a.whole");
    browser.click("#c5");
    assert!(browser.text(".verdict.wrong").contains("c5 does not win yet"));
    browser.click("#b2");
    browser.wait_for(".verdict.right");
    assert!(browser.text(".verdict.right").starts_with("b2 is right."));
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn puzzles_fit_every_screen() {
    let server = with_finished_board();
    let serving = Serving::start(&server, WEB);
    for (look, kind) in Look::all() {
        let browser = Browser::open(look);
        for (name, path) in [
            ("puzzles", "/puzzles"),
            ("puzzles-of-game", "/puzzles/brique"),
            ("puzzle", "/puzzles/brique/1"),
            ("puzzle-right", "/puzzles/brique/1?move=b2"),
            ("puzzle-wrong", "/puzzles/brique/1?move=c5"),
        ] {
            browser.goto(&format!("http://{}{path}", serving.web()));
            browser.check_layout(&format!("{name}-{kind}"));
        }
    }
}

#[test]
fn a_server_searches_queued_boards() {
    let server = finished_on(Server::in_a_file().and_players());
    let serving = Serving::start(&server, "");
    sql(&server, "DELETE FROM puzzles; INSERT INTO puzzle_queue VALUES (1)");
    wait_until("the puzzle to be found again", || (puzzles(&server) == "brique1 1#9 b2").then_some(()));
    drop(serving);
}

#[test]
fn an_import_contains_the_puzzles() {
    let server = with_finished_board();
    done(&server, "brique subscribe puzzles alice wonderland");
    sql(
        &server,
        "INSERT INTO solved_puzzles SELECT id, 'brique', 1, '2026-11-20', 1 FROM players WHERE userid = 'alice'",
    );
    let there = Server::without_database();
    let exported = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", exported.display()));
    done(&there, &format!("admin import {}", exported.display()));
    let kept = "SELECT number || ' ' || board || ' ' || position || ' ' || solution || ' ' || daily FROM puzzles \
         UNION ALL SELECT game FROM puzzle_readers \
         UNION ALL SELECT game || number || day || found FROM solved_puzzles";
    assert_eq!(sql(&server, kept), sql(&there, kept));
    assert!(sql(&there, kept).contains("b2 20"));
    let wrong = std::fs::read_to_string(&exported).unwrap().replace("\"ply\":9,\"position\"", "\"ply\":8,\"position\"");
    std::fs::write(&exported, wrong).unwrap();
    let refused = Server::without_database().shell(&format!("admin import {}", exported.display()));
    assert!(refused.status != 0 && refused.err.contains("brique puzzle 1 is invalid"), "{refused:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn only_one_node_sends_the_puzzle_of_the_day() {
    let one = Server::on_postgres(Database::set_up());
    for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
        done(&one, &format!("signup {userid} {password} {userid}@example.org"));
    }
    done(&one, "brique challenge -size=5 alice bob");
    play(&one, "brique", 1, MOVES);
    done(&one, "brique subscribe puzzles alice wonderland");
    let other = one.another_node();
    let serving = [Serving::start(&one, ""), Serving::start(&other, "")];
    let written = || sql(&one, "SELECT count(*) FROM outbox WHERE kind = 'puzzle'");
    for day in 1..=3 {
        sql(&one, "UPDATE puzzles SET daily = '2026-01-01'");
        wait_until("the puzzle of the day to be queued", || (written() == day.to_string()).then_some(()));
    }
    wait_until("all letters to be sent", || {
        (sql(&one, "SELECT count(*) FROM outbox WHERE sent_at IS NULL") == "0").then_some(())
    });
    drop(serving);
    assert_eq!(written(), "3");
}
