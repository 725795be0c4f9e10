//! Letters about several boards, and replies to them, through the real binary.

use crate::common::database::sql;
use crate::common::{Letter, Server, reply, to};
use serde_json::json;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Starts this many boards. bob moves on all of them in one message. Returns alice's letter about all of them.
fn moves(mut server: Server, boards: usize) -> (Server, Letter) {
    for _ in 0..boards {
        assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
    }
    server.letters();
    let lines: String = (1..=boards).map(|board| format!("marque move {board} bob builder f3\n")).collect();
    let mut letters = server.mail(BOB, "", &lines);
    letters.retain(|letter| letter.to() == ALICE);
    assert_eq!(letters.len(), 1, "{letters:#?}");
    (server, letters.remove(0))
}

fn plies(server: &Server) -> Vec<usize> {
    let boards = server.json("marque games all")["boards"].as_array().unwrap().len();
    (1..).take(boards).map(|board| server.hashes(board).len()).collect()
}

/// Returns the section of a letter that begins with the title of this board.
fn part<'a>(text: &'a str, title: &str) -> &'a str {
    let begins = text.find(title).unwrap_or_else(|| panic!("no {title:?} in\n{text}"));
    text[begins..].split("======").next().unwrap()
}

#[test]
fn a_line_that_shows_or_follows_a_board_may_name_it() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    for (line, says) in [
        ("2 show", "Marque board 2, after 1 move."),
        ("2 history", "Marque board 2 (any two bases): bob (o) against alice (x), 1 move."),
        ("2 preview f4 k5", "Preview of board 2 after 3 moves; nothing was played."),
        ("show", "Begin the line with the number of the board: \"1 show\" or \"2 show\"."),
        ("history", "Begin the line with the number of the board: \"1 history\" or \"2 history\"."),
        ("preview f4", "Begin the line with the number of the board: \"1 preview\" or \"2 preview\"."),
        ("preview new f3 f4", "after 2 moves"),
        ("unsubscribe", "Begin the line with the number of the board: \"1 unsubscribe\" or \"2 unsubscribe\"."),
        ("2 unsubscribe", "alice no longer receives letters about marque board 2."),
    ] {
        let told = reply(&mut server, ALICE, &letter, line);
        let told = to(&told, ALICE).text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(says), "{line}: {told}");
    }
    assert_eq!(plies(&server), [1, 1]);
    // The text below such a line belongs to the move above it.
    let told = reply(&mut server, ALICE, &letter, "1 f4\nshow\nThanks!\n");
    let mut lines = to(&told, BOB).text().lines().map(str::trim);
    assert!(lines.clone().any(|line| line == "Thanks!") && lines.all(|line| line != "show"), "{told:#?}");
}

#[test]
fn a_line_for_each_board_is_a_reply_to_all() {
    let (mut server, letter) = moves(Server::with_players(), 3);
    assert!(letter.text().starts_with("It is your turn on boards 1, 2 and 3."), "{}", letter.text());
    let letters = reply(&mut server, ALICE, &letter, "1 f4\n3 chat Hello\n\nHow are you?\n");
    assert_eq!(plies(&server), [2, 1, 1]);
    let told = to(&letters, BOB).text();
    let third = part(told, "Marque board 3: bob");
    assert!(third.contains("Hello") && third.contains("How are you?"), "{told}");
    assert!(!part(told, "Marque board 1: bob").contains("How are you?"), "{told}");
    // A reply about one board does not make the letter outdated for the others.
    reply(&mut server, ALICE, &letter, "2 f4");
    assert_eq!(plies(&server), [2, 2, 1]);
    assert!(server.shell("admin check").out.contains("no difference"));
}

#[test]
fn a_letter_about_many_boards_begins_with_a_table_and_shows_the_first_in_full() {
    let mut server = Server::with_players_who_want_pictures();
    server.configure("[web]\nurl = \"https://games.example\"\n");
    for _ in 1..=8 {
        assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
    }
    server.letters();
    let lines: String = (1..=8).map(|board| format!("marque move {board} bob builder f3\n")).collect();
    let letters = server.mail(BOB, "", &lines);
    let letter = to(&letters, ALICE);
    let text = letter.text();
    let table =
        "board  game    opponent  days left\n    1  Marque  bob       21         https://games.example/boards/1\n";
    assert!(text.contains(&format!("2, 3, 4, 5, 6, 7 and 8.\n\n{table}")), "{text}");
    assert_eq!((text.matches("White (o): bob").count(), letter.pictures.len()), (5, 5), "{text}");
    // For the boards without a drawing, the letter contains the news, how to reply, and the address of the page.
    let last = part(text, "Marque board 8: bob against alice");
    for words in ["bob played f3. It is your turn.", "Clock: you have until", "\"8 ", "games.example/boards/8"] {
        assert!(last.contains(words), "no {words:?} in\n{last}");
    }
    let html = letter.html();
    assert!(html.contains("<tr><td><a href=\"https://games.example/boards/8\">8</a></td><td>Marque</td>"), "{html}");
    assert!(html.len() <= 90_000, "{}", html.len());
    let (_, last) = html.split_once("Marque board 8").unwrap();
    let (link, _) = last.split_once("\">Write your move</a>").unwrap();
    let address = link.rsplit_once("mailto:").unwrap().1.split_once('?').unwrap().0.replace("%2B", "+");
    let headers = json!({ "To": address });
    server.mail_with(ALICE, "", "f4\n", &headers);
    assert_eq!(server.hashes(8).len(), 2);
}

#[test]
fn each_board_has_an_address_and_explains_its_replies() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    let text = letter.text().to_owned();
    assert!(!text.contains("PASSWORD"), "{text}");
    let mut addresses = vec![letter.reply_to().replace("Turnpost <", "").replace('>', "")];
    for board in [1, 2] {
        let part = part(&text, &format!("Marque board {board}: bob against alice"));
        assert!(part.contains(&format!("such as \"{board} ")), "{part}");
        let own = part.lines().find_map(|line| line.strip_prefix("    turnpost+")).unwrap();
        let own = format!("turnpost+{own}");
        assert!(!addresses.contains(&own));
        let letters = server.mail_with(ALICE, "Re: whatever", "f4\n", &json!({ "To": own }));
        assert_eq!(letters.len(), 2, "{letters:#?}");
        assert_eq!(server.hashes(board).len(), 2);
        addresses.push(own);
    }
}

#[test]
fn the_section_of_an_ended_board_shows_replies_with_its_number() {
    let (mut server, _) = moves(Server::with_players(), 2);
    let lines = "marque resign 1 bob builder\nmarque chat 2 bob builder --say=Hello\n";
    let letters = server.mail(BOB, "", lines);
    let letter = to(&letters, ALICE);
    let ended = part(letter.text(), "Marque board 1: bob against alice");
    let words = ended.replace('\n', " ");
    for says in ["Reply to this letter with \"1 rematch\" on the first line", "or with \"1 chat\" and your text"] {
        assert!(words.contains(says), "{ended}");
    }
    assert!(ended.contains("number:\n\n    turnpost+"), "{ended}");
    reply(&mut server, ALICE, letter, "1 rematch");
    assert!(server.shell("show 3").out.contains("Rematch of board 1."));
}

#[test]
fn the_links_of_each_board_play_moves_on_it() {
    let (mut server, letter) = moves(Server::with_players_who_want_pictures(), 2);
    let html = letter.html().to_owned();
    assert_eq!(letter.pictures.len(), 2);
    let links: Vec<&str> = html.split("<a href=\"").skip(1).filter(|link| link.contains(">f4</a>")).collect();
    assert_eq!(links.len(), 2, "each board has one link for f4");
    for (board, link) in [1, 2].into_iter().zip(links) {
        let url = link.split('"').next().unwrap().replace("&amp;", "&").replace("%2B", "+").replace("%20", " ");
        let (address, rest) = url.strip_prefix("mailto:").unwrap().split_once("?subject=").unwrap();
        let (subject, body) = rest.split_once("&body=").unwrap();
        let headers = json!({ "To": address });
        server.mail_with(ALICE, &subject.replace("%2A", "*"), &format!("{body}\n"), &headers);
        assert_eq!(server.hashes(board).len(), 2, "{subject:?} to {address}");
    }
}

#[test]
fn a_bare_move_applies_to_the_only_waiting_board() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    let asked = reply(&mut server, ALICE, &letter, "f4\n");
    let [question] = asked.as_slice() else { panic!("{asked:#?}") };
    let text = question.text().replace('\n', " ");
    assert!(text.contains("Which board?") && text.contains("\"1 f4\" or \"2 f4\""), "{text}");
    assert_eq!(plies(&server), [1, 1]);
    // alice can answer the question with one of the lines that it suggests.
    assert_eq!(reply(&mut server, ALICE, question, "2 f4\n").len(), 2);
    assert_eq!(plies(&server), [1, 2]);
    // The resignation could apply to either board, so the server asks.
    let asked = reply(&mut server, ALICE, &letter, "resign\n");
    assert!(asked[0].text().replace('\n', " ").contains("\"1 resign\" or \"2 resign\""), "{}", asked[0].text());
    // Of the boards in the letter, only board 1 awaits a move. The new board 3 is not in the letter.
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    server.letters();
    assert_eq!(reply(&mut server, ALICE, &letter, "f4\n").len(), 2);
    assert_eq!(plies(&server), [2, 2, 0]);
}

#[test]
fn an_answer_about_several_boards_shows_replies_that_are_valid_there() {
    let (mut server, letter) = moves(Server::with_players(), 3);
    for line in ["marque resign 1 bob builder", "marque move 2 alice wonderland f4"] {
        assert_eq!(server.shell(line).status, 0);
    }
    server.letters();
    let asked = reply(&mut server, ALICE, &letter, "resign\n");
    let text = to(&asked, ALICE).text().replace('\n', " ");
    assert!(text.contains("as in \"2 chat\" or \"3 MOVE\"."), "{text}");
    assert!(text.contains("2: turnpost+") && !text.contains("1: turnpost+"), "{text}");
}

#[test]
fn refused_lines_are_reported_together_with_successful_ones() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    for (text, says) in [
        ("9 f4\n", "Board 9 is not in the letter that you answer, which is about boards 1 and 2."),
        ("2 rezign\n", "resign"),
        ("1 f3\n", "already taken"),
        ("note my plan\n1 f4\n", "Which board?"),
    ] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let letters = reply(&mut server, ALICE, &letter, text);
        assert_eq!(letters.len(), 1, "{text}: {letters:#?}");
        let told = letters[0].text().replace('\n', " ");
        assert!(told.contains(says), "{text}: {told}");
        // The answer repeats the text for its author.
        assert_eq!((letters[0].to(), told.contains("my plan")), (ALICE, text.contains("my plan")), "{text}: {told}");
        assert_eq!(plies(&server), [1, 1], "{text}");
    }
    // An unmarked quote may contain the opponent's words, so a line below a comment is not run, and the answer says so.
    let letters = reply(&mut server, ALICE, &letter, "1 f4\nif k4 then h2; else stop\nThanks!\n2 resign\n");
    assert_eq!(plies(&server), [2, 1]);
    let told = to(&letters, ALICE).text().replace('\n', " ");
    assert!(told.contains("A line for board 2 was not run"), "{told}");
    assert!(to(&letters, BOB).text().contains("Thanks!"), "{letters:#?}");
    assert!(!to(&letters, BOB).text().contains("2 resign"), "a line for board 2 is not a comment on board 1");
    assert!(!to(&letters, BOB).text().contains("then h2"), "the opponent cannot see a prepared reply");
    server.mail(BOB, "marque move 1 bob builder k4", "");
    assert_eq!(plies(&server), [4, 1]);
}

#[test]
fn a_text_below_a_later_line_for_another_board_is_returned_to_its_writer() {
    for text in [
        "1 f4\nHi Bob\n2 f4\nCarol, Bob is weak!\n",
        "1 f4\nHi Bob\n2: f4\nCarol, Bob is weak!\n",
        "1 f4\nHi Bob\nresign 2\nCarol, Bob is weak!\n",
        "1 chat\nHi Bob\n2 chat\nCarol, Bob is weak!\n",
        "1 queue f4\nHi Bob\n2 f4\nCarol, Bob is weak!\n",
    ] {
        let (mut server, letter) = moves(Server::with_players(), 2);
        let letters = reply(&mut server, ALICE, &letter, text);
        assert_eq!(plies(&server)[1], 1, "{text}");
        let told = to(&letters, BOB).text();
        assert!(told.contains("Hi Bob") && !told.contains("weak") && !told.contains("resign 2"), "{text}: {told}");
        let told = to(&letters, ALICE).text().replace('\n', " ");
        for says in ["A line for board 2 was not run", "any text below it was not sent", "Carol, Bob is weak!"] {
            assert!(told.contains(says), "{text}: {told}");
        }
    }
}

#[test]
fn a_comment_above_the_same_move_is_sent() {
    for (text, said) in [
        ("1 f4\nThanks\n2: f4\n", "Thanks"),
        ("1. f4\nThanks\n2. f4\n", "Thanks"),
        ("Board 1: f4\nBonjour Bob\nBoard 2: f4\nBonjour Bob\n", "Bonjour Bob"),
    ] {
        let (mut server, letter) = moves(Server::with_players(), 2);
        let letters = reply(&mut server, ALICE, &letter, text);
        assert_eq!(plies(&server), [2, 1], "{text}");
        assert!(to(&letters, BOB).text().contains(said), "{text}: {letters:#?}");
        let told = to(&letters, ALICE).text().replace('\n', " ");
        assert!(told.contains("A line for board 2 was not run"), "{text}: {told}");
    }
    let (mut server, letters) = two_letters();
    let letters = reply(&mut server, ALICE, &letters[0], "f4\nThanks\nf4\n");
    assert!(to(&letters, BOB).text().contains("Thanks"), "{letters:#?}");
}

#[test]
fn a_move_below_a_quote_is_not_sent_to_the_opponent_of_another_board() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    let letters = reply(&mut server, ALICE, &letter, "1 f4\n> 1: your turn\n2 f4\n");
    assert_eq!(plies(&server), [2, 1]);
    assert!(to(&letters, ALICE).text().replace('\n', " ").contains("A line for board 2 was not run"), "{letters:#?}");
    assert!(!to(&letters, BOB).text().contains("2 f4"), "{letters:#?}");
}

#[test]
fn the_token_of_a_letter_belongs_to_its_reader() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    let letters = reply(&mut server, BOB, &letter, "1 resign\n");
    assert!(letters.iter().all(|letter| letter.to() == BOB), "{letters:#?}");
    assert!(!server.shell("show 1").out.contains("resignation"));
    let token = letter.reply_to().split(['+', '@']).nth(1).unwrap().to_owned();
    let letters = reply(&mut server, ALICE, &letter, &format!("1 f4\n\nI write to turnpost+{token}@localhost.\n"));
    assert!(to(&letters, BOB).text().contains("turnpost+***@localhost"), "{}", to(&letters, BOB).text());
    // A command with `-` as the password only applies to boards in the letter.
    assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
    server.letters();
    let letters = reply(&mut server, ALICE, &letter, "marque move 2 alice - f4\nmarque resign 3 alice -\n");
    assert_eq!(plies(&server), [2, 2, 0]);
    assert!(
        to(&letters, ALICE).text().replace('\n', " ").contains("\"-\" is valid for alice at board"),
        "{letters:#?}"
    );
}

#[test]
fn the_number_may_precede_a_reply_about_one_board() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "Hi Bob,\n1 f3\nHello\n");
    assert!(to(&letters, BOB).text().contains("Hello"), "{letters:#?}");
    assert_eq!(plies(&server), [1]);
}

/// Creates boards 1 and 2, on which it is alice's turn. Returns a letter about each.
fn two_letters() -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let mut letters = Vec::new();
    for board in [1, 2] {
        assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
        server.letters();
        let told = server.mail(BOB, "", &format!("marque move {board} bob builder f3"));
        letters.push(to(&told, ALICE).clone());
    }
    (server, letters)
}

#[test]
fn a_confirmed_sender_may_name_another_waiting_board() {
    let (mut server, letters) = two_letters();
    let moved = reply(&mut server, ALICE, &letters[1], "1 f4\nHello\n");
    assert_eq!(plies(&server), [2, 1]);
    assert!(to(&moved, BOB).text().contains("Hello"), "{moved:#?}");
    // The line that names the board may be below a sentence, and may contain a verb.
    reply(&mut server, ALICE, &letters[1], "Let us talk there.\n1 undo\n");
    assert!(!server.json("show 1")["boards"][0]["proposal"].is_null());
    // A line that names a board has no effect from an unknown address, or if the board belongs to other players.
    for userid in ["carol", "dave"] {
        assert_eq!(server.shell(&format!("signup {userid} sesame {userid}@example.org")).status, 0);
    }
    assert_eq!(server.shell("marque challenge -any_2 carol dave").status, 0);
    for (from, text) in [("alice@work.example", "1 resign"), (ALICE, "3 f4"), (ALICE, "3 resign"), (ALICE, "1. k4")] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        reply(&mut server, from, &letters[1], text);
        assert_eq!(plies(&server), [2, 1, 0], "{text}");
        assert!(!server.shell("show 1").out.contains("resignation"), "{text}");
    }
}

#[test]
fn a_line_for_a_wrong_board_is_not_sent_to_the_opponent() {
    for (text, wrong) in [("2 f4\n3 k4\n", 3), ("2 f4\n9 k4\nHello\n", 9), ("9 k4\n1 f4\n", 9)] {
        let (mut server, letters) = two_letters();
        for userid in ["carol", "dave"] {
            assert_eq!(server.shell(&format!("signup {userid} sesame {userid}@example.org")).status, 0);
        }
        assert_eq!(server.shell("marque challenge -any_2 carol dave").status, 0);
        server.letters();
        let letters = reply(&mut server, ALICE, &letters[1], text);
        assert_eq!(plies(&server).iter().sum::<usize>(), 3, "{text}: {letters:#?}");
        assert!(!to(&letters, BOB).text().contains(&format!("{wrong} k4")), "{text}: {letters:#?}");
        let told: Vec<&str> = letters.iter().filter(|letter| letter.to() == ALICE).map(Letter::text).collect();
        let told = told.join(" ").replace('\n', " ");
        assert!(told.contains(&format!("Board {wrong} is not in the letter")), "{text}: {told}");
    }
}

#[test]
fn a_wrong_line_for_another_own_board_is_explained_at_that_board() {
    for (text, says) in [
        ("move 3 f3\n", "already taken"),
        ("queue 3 f4#2\n", "cannot have a number"),
        ("accept 3\n", "No proposal is open"),
        ("3 f3\n", "already taken"),
        ("4 f4\n", "The game on board 4 has ended."),
        ("resign 4\n", "The game on board 4 has ended."),
    ] {
        let (mut server, letter) = moves(Server::with_players(), 2);
        for board in [3, 4] {
            assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
            assert_eq!(server.shell(&format!("marque move {board} bob builder f3")).status, 0);
        }
        assert_eq!(server.shell("marque resign 4 bob builder").status, 0);
        server.letters();
        let told = reply(&mut server, ALICE, &letter, text);
        let told = to(&told, ALICE).text().replace('\n', " ");
        assert!(told.contains(says) && !told.contains("is not in the letter"), "{text}: {told}");
    }
    // A valid line with the number after the verb applies to that board.
    let (mut server, letters) = two_letters();
    reply(&mut server, ALICE, &letters[1], "resign 1\n");
    assert_eq!(server.json("show 1")["boards"][0]["no_result"], "declined");
    assert!(server.json("show 2")["boards"][0]["no_result"].is_null());
}

#[test]
fn a_line_below_a_comment_for_a_board_with_another_player_is_not_sent() {
    let (mut server, letter) = moves(Server::with_players(), 2);
    assert_eq!(server.shell("signup carol sesame carol@example.org").status, 0);
    assert_eq!(server.shell("marque challenge -any_2 alice carol").status, 0);
    server.letters();
    let letters = reply(&mut server, ALICE, &letter, "1 f4\nHi there\n3 f3\n");
    assert_eq!(plies(&server), [2, 1, 0]);
    let told = to(&letters, BOB).text();
    assert!(told.contains("Hi there") && !told.contains("3 f3"), "{told}");
    let told = to(&letters, ALICE).text().replace('\n', " ");
    assert!(told.contains("A line for board 3 was not run"), "{told}");
}

#[test]
fn a_reply_from_a_chat_program_must_name_the_board() {
    let chat = |ids: &str| json!({ "Chat-Version": "1.0", "In-Reply-To": ids, "References": ids });
    let (mut server, letters) = two_letters();
    // A mail program that looks like a chat shows all letters in one conversation. It always replies to the last
    // letter, whichever board the player means.
    let asked = server.mail_with(ALICE, "Re: Marque", "f4", &chat(&letters[1].id));
    let [question] = asked.as_slice() else { panic!("{asked:#?}") };
    let text = question.text().replace('\n', " ");
    assert!(text.contains("Which board?") && text.contains("\"1 f4\" or \"2 f4\""), "{text}");
    assert_eq!(plies(&server), [1, 1]);
    let moved = server.mail_with(ALICE, "Re: Marque", "1 f4", &chat(&question.id));
    assert_eq!(plies(&server), [2, 1], "{moved:#?}");
    // If only one board awaits a move, the reply applies to it.
    server.mail_with(ALICE, "Re: Marque", "f4", &chat(&letters[0].id));
    assert_eq!(plies(&server), [2, 2]);

    // If the message is not a reply to a letter, the server also asks, because the sender's address can be forged.
    let (mut server, _) = two_letters();
    let asked = server.mail_with(ALICE, "Message from alice", "f4", &chat("<mine@players.example>"));
    let [question] = asked.as_slice() else { panic!("{asked:#?}") };
    assert!(question.text().contains("Which board?"), "{}", question.text());
    server.mail_with(ALICE, "Re: Marque", "2 f4", &chat(&question.id));
    assert_eq!(plies(&server), [1, 2]);
    // A reply to the letter's own address is unambiguous.
    let (mut server, letters) = two_letters();
    let mut headers = chat(&letters[1].id);
    headers["To"] = json!(letters[0].reply_to());
    server.mail_with(ALICE, "Re: Marque", "f4", &headers);
    assert_eq!(plies(&server), [2, 1]);
}

#[test]
fn words_after_a_move_for_another_board_are_refused_at_that_board() {
    let (mut server, letters) = two_letters();
    let told = reply(&mut server, ALICE, &letters[1], "1 f4, thanks\n");
    assert_eq!(plies(&server), [1, 1]);
    let answer = to(&told, ALICE).text();
    assert!(answer.contains("move 1 alice"), "{answer}");
    let told = reply(&mut server, ALICE, &letters[1], "2 f4\n1 k4 please\n");
    assert_eq!(plies(&server).iter().sum::<usize>(), 3);
    let moved = told.iter().filter(|letter| letter.to() == BOB);
    assert!(moved.clone().count() == 1 && moved.clone().all(|letter| !letter.text().contains("1 k4")), "{told:#?}");
    assert!(to(&told, ALICE).text().contains("k4"), "{told:#?}");
}

#[test]
fn the_text_of_a_prepared_or_submitted_move_reaches_the_opponent() {
    let (mut server, _) = two_letters();
    let letters = server.mail(BOB, "marque queue 1 bob builder k4", "I expect a lot.\n");
    assert!(to(&letters, ALICE).text().contains("I expect a lot."), "{letters:#?}");
    assert!(!to(&letters, ALICE).text().contains("prepared"), "{letters:#?}");
    let letters = server.mail(ALICE, "marque submit 1 alice wonderland f4", "Have a nice day.\n");
    assert!(to(&letters, BOB).text().contains("Have a nice day."), "{letters:#?}");
    server.mail(ALICE, "marque confirm 1 alice wonderland", "");
    assert_eq!(plies(&server), [3, 1]);
}

#[test]
fn the_subject_of_a_letter_about_a_board_and_other_matters_is_not_a_command() {
    for subject in ["Re: Turnpost: board 1", "AW: Over: Turnpost: board 1", "Re: june; board 1", "Re: hex (board 1)"] {
        let (mut server, letter) = moves(Server::with_players(), 1);
        let letters = server.mail_with(ALICE, subject, "k1\nGood luck!\n", &json!({ "To": letter.reply_to() }));
        assert!(to(&letters, BOB).text().contains("alice played k1."), "{subject}: {letters:#?}");
        assert!(!to(&letters, ALICE).text().contains("There is no game"), "{subject}: {letters:#?}");
    }
}
