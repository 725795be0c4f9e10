//! After a game has ended, its players can still write to each other, and play a rematch.

use crate::common::database::sql;
use crate::common::{Letter, Server, done, joined, letter_to, reply, to};
use serde_json::{Value, json};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates a server on which alice has resigned against bob. Also returns the letters about the resignation.
fn resigned(challenge: &str) -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, challenge, "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "resign");
    assert_eq!(letters.len(), 2, "{letters:?}");
    (server, letters)
}

#[test]
fn both_players_write_to_each_other_after_the_end() {
    let (mut server, last) = resigned("marque challenge alice bob");
    assert!(to(&last, BOB).text().contains("chat"), "the letter explains how to chat: {}", to(&last, BOB).text());
    let letters = reply(&mut server, BOB, to(&last, BOB), "chat\nThank you for the game.");
    assert!(to(&letters, ALICE).text().contains("Thank you for the game."), "{letters:?}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "chat The same to you!");
    assert!(to(&letters, BOB).text().contains("The same to you!"), "{letters:?}");
    let ran = server.program().args(["marque", "chat", "1", "bob", "builder", "--say=See you"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert!(to(&server.letters(), ALICE).text().contains("See you"));
    // Players can also write notes. The server refuses other commands, and the player can reply to the refusal.
    let letters = reply(&mut server, ALICE, to(&last, ALICE), "note I lost in the corner");
    assert!(letters[0].text().contains("corner"), "{letters:?}");
    for line in ["f3", "undo", "propose", "resign", "queue f3"] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let letters = reply(&mut server, ALICE, to(&last, ALICE), line);
        let [told] = letters.as_slice() else { panic!("{line}: {letters:?}") };
        assert!(told.text().contains("has ended") && told.reply_to.is_some(), "{line}: {}", told.text());
    }
    assert!(server.hashes(1).is_empty(), "no move was made");
}

#[test]
fn an_answer_to_a_letter_before_the_end_says_that_the_board_has_ended() {
    let mut server = Server::with_players();
    let begun = server.mail(ALICE, "marque challenge alice bob", "");
    reply(&mut server, ALICE, to(&begun, ALICE), "resign");
    let letters = reply(&mut server, ALICE, to(&begun, ALICE), "f3");
    let told = to(&letters, ALICE).text().replace('\n', " ");
    assert!(told.contains("board 1 has ended since then.") && !told.contains("still want"), "{told}");
}

#[test]
fn an_ended_board_offers_no_swap_and_no_stones() {
    let mut server = Server::with_players();
    done(&server, "set bob builder strangers=20");
    let offers = |text: &str| [" may swap now", "stones now"].iter().any(|offer| joined(text).contains(offer));
    let games = ["hex", "yavalath", "brique", "catchup"].into_iter();
    let boards = games.flat_map(|game| [(game, ALICE, "resign"), (game, BOB, "decline")]);
    for (number, (game, from, end)) in (1..).zip(boards) {
        let show = format!("show {number}");
        let begun = server.mail(ALICE, &format!("{game} challenge alice bob"), "");
        let played = reply(&mut server, ALICE, to(&begun, ALICE), "a1");
        assert!(offers(&done(&server, &show)), "{game}: the board offers bob a choice until the end");
        let ended = reply(&mut server, from, to(&played, from), end);
        assert!(!ended.is_empty() && ended.iter().all(|letter| !offers(letter.text())), "{game} {end}: {ended:?}");
        let shown = done(&server, &show);
        assert!(shown.contains("Aim: ") && !offers(&shown), "{game} {end}: {shown}");
        let board = &server.json(&show)["boards"][0];
        let aim = board["aim"].as_str().unwrap();
        assert!(board["to_move"].is_null() && aim.len() > 20 && !offers(aim), "{game} {end}: {aim}");
    }
}

/// Returns the terms of each board from its record.
fn terms(server: &Server, game: &str) -> Vec<Value> {
    let records = (1..).map(|number| server.shell(&format!("{game} history {number} --format=json")));
    let records = records.take_while(|ran| ran.status == 0).map(|ran| serde_json::from_str::<Value>(&ran.out).unwrap());
    let terms = |record: Value| {
        let of = |name: &str| (name.to_owned(), record[name].clone());
        ["game", "options", "players", "rated", "private", "limits"].map(of).into_iter().collect()
    };
    records.map(terms).collect()
}

#[test]
fn a_rematch_is_the_same_board_with_sides_swapped() {
    for challenge in [
        "marque challenge -opposite --nagtime=3 --forfeittime=9 --unrated alice bob",
        "brique challenge -size=7 --private alice bob",
        "tessella challenge --totaltime=90 alice bob",
        "lazo challenge -size=26 alice bob",
    ] {
        let (mut server, last) = resigned(challenge);
        let game = challenge.split(' ').next().unwrap();
        let told = to(&last, ALICE).text();
        assert!(told.contains("rematch"), "the letter explains how to request a rematch: {told}");
        let begun = reply(&mut server, ALICE, to(&last, ALICE), "rematch\n\nOnce more?");
        let told = to(&begun, BOB).text().replace('\n', " ");
        assert!(told.contains("Rematch of board 1."), "{told}");
        assert!(server.shell("show 2").out.contains("Rematch of board 1."));
        assert!(told.contains("Once more?") && told.contains("your turn") && told.contains("decline"), "{told}");
        let [first, second] = <[Value; 2]>::try_from(terms(&server, game)).unwrap();
        assert_eq!(second["players"], json!(["bob", "alice"]), "{challenge}");
        for term in ["game", "options", "rated", "private", "limits"] {
            assert_eq!(first[term], second[term], "{challenge}");
        }
        // A board has at most one rematch at a time. If the other player requests one, too, the answer names the
        // existing board.
        let again = reply(&mut server, BOB, to(&last, BOB), "rematch");
        let [told] = again.as_slice() else { panic!("{again:?}") };
        assert!(told.text().replace('\n', " ").contains("board 2"), "{}", told.text());
        let declined = reply(&mut server, BOB, to(&begun, BOB), "decline");
        assert!(to(&declined, ALICE).text().contains("bob declined"), "{declined:?}");
        let letters = reply(&mut server, BOB, to(&last, BOB), "rematch");
        assert_eq!((letters.len(), terms(&server, game).len()), (2, 3), "{letters:?}");
    }
}

#[test]
fn a_rematch_is_possible_after_the_end_for_its_players() {
    let (server, _) = resigned("marque challenge alice bob");
    assert_eq!(server.shell("signup carol sesame carol@example.org").status, 0);
    let ran = server.shell("marque rematch 1 carol sesame");
    assert!(ran.status == 1 && ran.err.contains("alice and bob"), "{ran:?}");
    let ran = server.shell("marque rematch 1 alice wonderland");
    assert!(ran.status == 0 && ran.out.contains("board 2 begins: bob against alice"), "{ran:?}");
    let ran = server.shell("marque rematch 2 alice wonderland");
    assert!(ran.status == 1 && ran.err.contains("in progress"), "{ran:?}");
    // Players cannot request a rematch of a declined board.
    assert_eq!(server.shell("marque decline 2 bob builder").status, 0);
    let ran = server.shell("marque rematch 2 alice wonderland");
    assert!(ran.status == 1 && ran.err.contains("out of play"), "{ran:?}");
    for (line, says) in [("show 2", "Board 2 was declined."), ("marque history 2", "Declined.")] {
        let ran = server.shell(line);
        assert!(ran.status == 0 && ran.out.contains(says), "{line}: {ran:?}");
    }
}

#[test]
fn a_letter_about_a_removed_board_contains_the_command_that_plays_again() {
    let mut server = Server::with_players();
    let begun = server.mail(ALICE, "hex challenge -size=5 alice bob", "");
    let declined = reply(&mut server, BOB, to(&begun, BOB), "decline");
    for (reader, command) in [(ALICE, "alice OPPONENT"), (BOB, "bob alice")] {
        let told = to(&declined, reader).text();
        assert!(told.contains(&format!("\n    hex challenge -size=5 {command}\n")), "{told}");
    }
    for text in ["chat Sorry!", "Perhaps another time?"] {
        let refused = reply(&mut server, BOB, to(&declined, BOB), text);
        let told = to(&refused, BOB).text().replace('\n', " ");
        assert!(told.contains("send a new challenge: \"hex challenge USERID OPPONENT\"."), "{told}");
    }
    let terms = "--nagtime=3 --forfeittime=10 --unrated --private";
    let begun = server.mail(ALICE, &format!("hex challenge -size=5 {terms} alice bob"), "");
    let declined = reply(&mut server, BOB, to(&begun, BOB), "decline");
    let told = to(&declined, BOB).text().replace('\n', " ");
    assert!(told.contains(&format!("For the same terms, add after \"challenge\": {terms}")), "{told}");
    let begun = reply(&mut server, BOB, to(&declined, BOB), "hex challenge -size=5 bob alice");
    assert!(to(&begun, ALICE).text().contains("bob challenges you"), "{begun:?}");
}

#[test]
fn a_message_is_answered_by_a_reply() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "message alice wonderland bob", "Shall we play Lazo?");
    let asked = to(&letters, BOB);
    assert!(asked.text().contains("your text is sent to alice"), "{}", asked.text());
    let letters = reply(&mut server, BOB, asked, "With pleasure, tonight.\n\n> Shall we play Lazo?\n");
    let told = to(&letters, ALICE).text();
    assert!(told.contains("bob writes to you") && told.contains("tonight") && !told.contains("Shall we"), "{told}");
    // A reply may contain commands, like any message. The token in the reply address is valid only for the recipient
    // of the letter.
    let letters = reply(&mut server, BOB, asked, "lazo challenge -size=26 bob alice");
    assert_eq!(letters.len(), 2, "{letters:?}");
    let letters = reply(&mut server, "mallory@elsewhere.example", to(&letters, ALICE), "marque resign 1 alice -");
    assert!(!letters.is_empty() && letters.iter().all(|letter| letter.to() == ALICE), "{letters:?}");
    assert_eq!(server.shell("signup carol sesame carol@example.org").status, 0);
    // From an unconfirmed address, bob's reply to alice's message cannot send a message to carol. `admin inbox` lists
    // this refusal like any other.
    let letters = reply(&mut server, "bob@elsewhere.example", asked, "message bob - carol\n\nHello");
    assert!(!letters.is_empty() && letters.iter().all(|letter| letter.to() == BOB), "{letters:?}");
    let told = to(&letters, BOB).text().replace('\n', " ");
    assert!(told.contains("it can only write to alice."), "{told}");
    assert!(server.shell("admin inbox --refused").out.contains("message bob - carol"));
    let letters = reply(&mut server, "carol@example.org", asked, "I am bob.");
    assert!(letter_to(&letters, "carol@example.org").is_some() && letter_to(&letters, ALICE).is_none(), "{letters:?}");
}
