//! Either player may resign at any time, in every game and with every form of the command. A player may also prepare to
//! resign, as a conditional reply.

use serde_json::{Value, json};
use turnpost::rules::Options;
use turnpost::rules::catalogue::GAMES;

use crate::common::database::sql;
use crate::common::postgres::Database;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Returns the commands that start board `number` of Marque without a clock and play until it is bob's turn.
fn to_bob(number: u32) -> Vec<String> {
    let moves = [("alice wonderland", "f3"), ("bob builder", "k1"), ("alice wonderland", "f4")];
    let lines = moves.map(|(who, text)| format!("marque move {number} {who} {text}"));
    let challenge = "marque challenge --nagtime=0 --forfeittime=0 alice bob".to_owned();
    std::iter::once(challenge).chain(lines).collect()
}

fn board_of(server: &Server, number: u32) -> Value {
    server.json(&format!("show {number}"))["boards"][0].clone()
}

/// Returns the winner of a board, and the reason.
fn result(server: &Server, number: u32) -> (Value, Value) {
    let result = &board_of(server, number)["result"];
    (result["winner"].clone(), result["reason"].clone())
}

fn won_by(userid: &str) -> (Value, Value) {
    (json!(userid), json!("resignation"))
}

/// A way of resigning on a board, for example by a reply to this letter.
type Form = fn(&mut Server, u32, &Letter);

#[test]
fn a_player_who_is_not_to_move_can_resign_in_every_game() {
    let mut server = Server::with_players();
    for (number, game) in (1..).zip(GAMES) {
        let name = game.name();
        let challenge = format!("{name} challenge --nagtime=0 --forfeittime=0 alice bob");
        let mut letters = server.mail(ALICE, &challenge, "");
        let mut play = game.start(&Options::default()).unwrap();
        for from in [ALICE, BOB, ALICE] {
            let text = play.legal_moves().swap_remove(0);
            play.play(&text).unwrap();
            letters = reply(&mut server, from, to(&letters, from), &text);
        }
        assert_eq!(board_of(&server, number)["to_move"], "bob", "{name}: {letters:?}");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), "resign\nWell played.\n");
        assert_eq!(result(&server, number), won_by("bob"), "{name}: {letters:?}");
        let (alices, bobs) = (to(&letters, ALICE).text(), to(&letters, BOB).text());
        assert!(alices.contains("You resigned."), "{name}: {alices}");
        assert!(bobs.contains("you have won (resignation)") && bobs.contains("Well played."), "{name}: {bobs}");
        assert!(bobs.contains("Your rating: "), "{name}: {bobs}");
    }
    assert!(done(&server, "admin check").contains("no difference"));
}

#[test]
fn every_form_of_resigning_works_out_of_turn() {
    let mut server = Server::with_players_who_want_pictures();
    let mut numbers = 1..;
    let mut board = |server: &mut Server| {
        let number = numbers.next().unwrap();
        to_bob(number).iter().for_each(|line| drop(done(server, line)));
        let begins = format!("Marque Board {number} alice");
        let is_last = |letter: &Letter| letter.subject.starts_with(&begins) && letter.text().contains("You played f4");
        let letter = server.letters().into_iter().find(is_last).unwrap();
        (number, letter)
    };
    let forms: [(&str, Form); 8] = [
        ("shell", |server, number, _| drop(done(server, &format!("marque resign {number} alice wonderland")))),
        ("shell, in place of a move", |server, number, _| {
            drop(done(server, &format!("marque move {number} alice wonderland resign")));
        }),
        ("subject", |server, number, _| {
            server.mail(ALICE, &format!("marque resign {number} alice wonderland"), "");
        }),
        ("first line", |server, number, _| {
            server.mail(ALICE, "my move", &format!("marque move {number} alice wonderland resign\n"));
        }),
        ("reply", |server, _, letter| drop(reply(server, ALICE, letter, "I resign.\n"))),
        ("reply below the move that was prepared", |server, _, letter| {
            drop(reply(server, ALICE, letter, "queue f1\nresign\n"));
        }),
        ("behind the stars of the subject", |server, number, letter| {
            let subject = format!("Re: Marque Board {number} alice ** resign");
            server.mail_with(ALICE, &subject, "", &json!({ "In-Reply-To": letter.id }));
        }),
        ("link of the letter", |server, _, letter| {
            let link = letter.html().split("<a href=\"").find(|link| link.contains(">resign</a>")).unwrap();
            let (address, rest) = link.strip_prefix("mailto:").unwrap().split_once("?subject=").unwrap();
            let (subject, body) = rest.split('"').next().unwrap().split_once("&amp;body=").unwrap();
            let headers = json!({ "To": address.replace("%2B", "+") });
            server.mail_with(ALICE, &subject.replace("%20", " "), body, &headers);
        }),
    ];
    for (form, resign) in forms {
        let (number, letter) = board(&mut server);
        let text = letter.text().replace('\n', " ");
        assert!(text.contains("resign"), "the letter mentions resigning: {text}");
        resign(&mut server, number, &letter);
        assert_eq!(result(&server, number), won_by("bob"), "{form}");
    }
    assert!(done(&server, "admin check").contains("no difference"));
}

#[test]
fn a_reply_about_several_boards_resigns_the_named_one() {
    let mut server = Server::with_players();
    for _ in 0..2 {
        done(&server, "marque challenge alice bob");
    }
    server.letters();
    let lines = [1, 2].map(|number| format!("marque move {number} alice wonderland f3\n"));
    let letters = server.mail(ALICE, "", &lines.concat());
    let letter = to(&letters, ALICE).clone();
    assert!(letter.text().contains("\"2 resign\""), "{}", letter.text());
    let asked = reply(&mut server, ALICE, &letter, "resign\n");
    assert!(to(&asked, ALICE).text().contains("Which board?"), "{asked:?}");
    reply(&mut server, ALICE, &letter, "2 resign\n");
    assert_eq!((result(&server, 1).0, result(&server, 2)), (Value::Null, won_by("bob")));
}

#[test]
fn a_reply_to_an_older_letter_does_not_end_a_game() {
    let mut server = Server::with_players();
    let first = server.mail(ALICE, "marque challenge alice bob", "");
    let moved = reply(&mut server, ALICE, to(&first, ALICE), "f3");
    // alice has moved since the first letter. Before alice replies to the second one, bob moves.
    let refused = reply(&mut server, ALICE, to(&first, ALICE), "resign");
    done(&server, "marque move 1 bob builder k1");
    server.letters();
    let late = reply(&mut server, ALICE, to(&moved, ALICE), "resign");
    for letters in [&refused, &late] {
        let text = to(letters, ALICE).text().replace('\n', " ");
        assert!(text.contains("board 1 has changed since") && text.contains("Nothing was changed."), "{text}");
        assert!(text.contains("If you still want this, reply to this letter."), "{text}");
    }
    assert_eq!(board_of(&server, 1)["result"], Value::Null);
    reply(&mut server, ALICE, to(&late, ALICE), "resign");
    assert_eq!(result(&server, 1), won_by("bob"));
}

#[test]
fn a_page_and_a_program_end_a_game_out_of_turn() {
    let server = Server::with_players();
    to_bob(1).iter().for_each(|line| drop(done(&server, line)));
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/boards/1");
    assert!(page.text().contains("Yes, I resign"), "{}", page.text());
    assert_eq!(alice.fill("/boards/1", &[("do", "resign")]).status, 303);
    let page = alice.get("/boards/1");
    assert!(page.text().contains("You lost: you resigned."), "{}", page.text());
    assert_eq!(result(&server, 1), won_by("bob"));
    let again = alice.fill("/boards/1", &[("do", "resign")]);
    assert!(again.status == 409 && again.text().contains("has ended"), "{}", again.text());
}

#[test]
fn a_thinking_computer_player_does_not_block_other_work() {
    let server = Server::with_players();
    let serving = Serving::start(&server, "[robot]\nseconds = 5\nthreads = 1\n");
    done(&server, "marque challenge alice robot12");
    done(&server, "marque move 1 alice wonderland f3");
    done(&server, "marque resign 1 alice wonderland");
    assert_eq!(result(&server, 1), won_by("robot12"));
    done(&server, "marque challenge alice robot1");
    done(&server, "marque move 2 alice wonderland f3");
    wait_until("robot1 to answer", || (board_of(&server, 2)["plies"] == 2).then_some(()));
    assert_eq!((result(&server, 1), board_of(&server, 1)["plies"].clone()), (won_by("robot12"), json!(1)));
    let log = serving.stop();
    assert!(!log.contains("\"level\":\"ERROR\""), "{log}");
    assert!(done(&server, "admin check").contains("no difference"));
}

#[test]
fn a_resignation_out_of_turn_is_taken_back_with_its_ratings() {
    let server = Server::with_players();
    to_bob(1).iter().for_each(|line| drop(done(&server, line)));
    let before = done(&server, "marque standings");
    done(&server, "marque propose 1 bob builder");
    done(&server, "marque resign 1 alice wonderland");
    assert_eq!(board_of(&server, 1)["proposal"], Value::Null);
    let reopened = server.program().args(["admin", "reopen", "1", "--reason", "a slip"]).output().unwrap();
    assert!(reopened.status.success(), "{reopened:?}");
    assert_eq!(board_of(&server, 1)["to_move"], "bob");
    assert_eq!(done(&server, "marque standings"), before);
    done(&server, "marque move 1 bob builder k2");
    done(&server, "marque resign 1 bob builder");
    assert_eq!(result(&server, 1), won_by("alice"));
    assert!(done(&server, "admin check").contains("no difference"));
}

#[test]
fn the_letters_about_a_resigned_challenge_say_that_it_was_not_rated() {
    let mut server = Server::with_players();
    let challenged = server.mail(ALICE, "marque challenge alice bob", "");
    let letters = reply(&mut server, ALICE, to(&challenged, ALICE), "resign");
    let why = "The board was not rated: its challenger resigned before the opponent had moved (\"help ratings\").";
    for text in [to(&letters, ALICE).text(), to(&letters, BOB).text(), &done(&server, "marque history 1")] {
        assert!(text.contains("(resignation)") && joined(text).contains(why), "{text}");
    }
    // The player who was challenged has moved, so the second board is rated.
    to_bob(2).iter().for_each(|line| drop(done(&server, line)));
    done(&server, "marque resign 2 alice wonderland");
    let shown = done(&server, "show 2");
    assert!(shown.contains("alice's rating: ") && !shown.contains("not rated"), "{shown}");
}

/// Creates boards on which alice has resigned out of turn, and stores this as earlier versions did.
fn with_resignations_of_earlier_versions(server: Server, boards: u32) -> Server {
    for number in 1..=boards {
        to_bob(number).iter().for_each(|line| drop(done(&server, line)));
    }
    sql(&server, "UPDATE seats SET resigns = true WHERE seat = 1");
    server
}

fn stored_resignations_are_prepared_replies(server: Server) {
    let mut server = with_resignations_of_earlier_versions(server, 6);
    assert!(done(&server, "admin check").contains("no difference"));
    let export = done(&server, "admin export --without-key");
    assert_eq!(export.matches("\"resigns\":1").count(), 6, "{export}");
    server.letters();
    // The resignation on board 1 is carried out.
    let letters = server.mail(BOB, "marque move 1 bob builder k2", "");
    assert!(to(&letters, BOB).text().contains("alice resigned by a prepared reply."), "{letters:?}");
    assert_eq!(result(&server, 1), won_by("bob"));
    // alice withdraws the prepared resignation on board 2 like any other plan.
    done(&server, "marque if 2 alice wonderland off");
    done(&server, "marque move 2 bob builder k2");
    // The resignation on board 3 is replaced by another plan.
    done(&server, "marque queue 3 alice wonderland f1");
    done(&server, "marque move 3 bob builder k2");
    // The resignation on board 4 is dropped when the move before it is undone.
    done(&server, "marque undo 4 alice wonderland");
    done(&server, "marque accept 4 bob builder");
    done(&server, "marque move 4 alice wonderland f4");
    done(&server, "marque move 4 bob builder k2");
    let running = [2, 3, 4].map(|number| (result(&server, number).0, board_of(&server, number)["plies"].clone()));
    assert_eq!(running, [4, 5, 4].map(|plies| (Value::Null, json!(plies))));
    // alice can still resign immediately, even if a prepared resignation is stored.
    done(&server, "marque resign 5 alice wonderland");
    assert_eq!(result(&server, 5), won_by("bob"));
    done(&server, "marque resign 6 bob builder");
    assert_eq!(result(&server, 6), won_by("alice"));
    assert!(done(&server, "admin check").contains("no difference"));
    assert_eq!(sql(&server, "SELECT count(*) FROM seats WHERE resigns"), "0");
}

#[test]
fn a_resignation_stored_by_an_earlier_version_is_a_prepared_reply() {
    stored_resignations_are_prepared_replies(Server::in_a_file().and_players());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_resignation_stored_by_an_earlier_version_in_postgresql_is_a_prepared_reply() {
    stored_resignations_are_prepared_replies(Server::on_postgres(Database::set_up()).and_players());
}

#[test]
fn the_page_shows_a_stored_resignation_as_a_reply_and_withdraws_it() {
    let server = with_resignations_of_earlier_versions(Server::with_players(), 1);
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/boards/1");
    assert!(page.text().contains("anything else: resign"), "{}", page.text());
    assert_eq!(alice.fill("/boards/1", &[("do", "if"), ("plan", "")]).status, 303);
    done(&server, "marque move 1 bob builder k2");
    assert_eq!(board_of(&server, 1)["to_move"], "alice");
}
