//! Replies in players' own words. The server understands them, asks if they are ambiguous, and does not send the
//! opponent texts that may be private. Uses the real binary.

use crate::common::database::sql;
use crate::common::{Letter, Server, done, reply, to};
use serde_json::json;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn board(challenge: &str) -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, challenge, "");
    (server, letters)
}

fn all_to(letters: &[Letter], address: &str) -> String {
    letters.iter().filter(|letter| letter.to() == address).map(Letter::text).collect()
}

fn plies(server: &Server) -> usize {
    server.hashes(1).len()
}

/// Returns the example move in a letter.
fn example(letter: &Letter) -> String {
    let text = letter.text().replace('\n', " ");
    let after = text.split("on the first line, for example ").nth(1).unwrap_or_else(|| panic!("{text}"));
    after.split(' ').next().unwrap().trim_end_matches('.').to_owned()
}

#[test]
fn a_move_in_a_players_words_is_played() {
    let (mut server, mut letters) = board("marque challenge -any_2 alice bob");
    for (ply, form) in [
        "{}.", "{}!", "\u{201c}{}\u{201d}", "\u{ab}{}\u{bb}", "({})", "I play {}", "I'll play {}.", "8. {}", "9.{}",
        "Move: {}", "Danke, {}", "Hi Bob, {}", "My move is {}, thanks!", "\u{2013} {}",
    ]
    .into_iter()
    .enumerate()
    {
        let from = [ALICE, BOB][ply % 2];
        let letter = to(&letters, from);
        let mv = example(letter);
        let line = form.replace("{}", &mv);
        letters = reply(&mut server, from, letter, &format!("{line}\n"));
        assert_eq!(plies(&server), ply + 1, "{line}: {letters:?}");
        let told = to(&letters, from).text();
        assert!(told.contains(&format!("You played {mv}")), "the answer names the move: {told}");
    }
    // Polite words around a move are sent to the opponent as a comment.
    let from = ALICE;
    let mv = example(to(&letters, from));
    let letters = reply(&mut server, from, to(&letters, from), &format!("Danke, {mv}\n\nHow are you?"));
    let told = to(&letters, BOB).text();
    assert!(told.contains("Danke, ") && told.contains("How are you?"), "{told}");
}

#[test]
fn letters_and_digits_of_any_width_and_case_are_moves() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "\u{ff26}\u{ff13}");
    assert_eq!(plies(&server), 1, "{letters:?}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "F4!");
    assert_eq!(plies(&server), 2, "{letters:?}");
    let (mut server, letters) = board("marque challenge alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "(f4,e6)");
    let told = to(&letters, BOB).text();
    assert!(
        plies(&server) == 2 || told.contains("e4,f6") || told.contains("f4,e6") || told.contains("e6,f4"),
        "{told}"
    );
}

#[test]
fn spaces_may_separate_the_cells_of_a_move() {
    for moves in [["e1\u{2013}e2", "e9\u{2212}e8"], ["e1 e2", "e9 - e8"], ["E1, E2", "e9 \u{2013} e8"]] {
        let (mut server, letters) = board("tessella challenge alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), moves[0]);
        assert_eq!(server.json("show 1")["boards"][0]["plies"], 1, "{moves:?}: {letters:?}");
        reply(&mut server, BOB, to(&letters, BOB), moves[1]);
        let text = server.shell("tessella history 1").out;
        assert!(text.contains("e1-e2") && text.contains("e9-e8"), "{moves:?}: {text}");
    }
}

#[test]
fn ambiguous_replies_cause_a_question() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    for (i, line) in [
        "f4 or f5?",
        "not f4",
        "I thought about f4 but it is too early.",
        "f4?",
        "f4\nf5",
        "f4\n\nk1",
        "7. f4",
        "yes",
        "draw",
        "Thanks, thinking about it.",
        "Resign? Never!",
        "Show me the board, please",
        "not f4\nresign",
        "-- \nBob",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        // An address gets at most twenty answers in an hour.
        assert!(i < 18);
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let answers = reply(&mut server, BOB, to(&letters, BOB), line);
        let [told] = answers.as_slice() else { panic!("{line}: {answers:?}") };
        let text = told.text();
        assert!(text.contains("_-+--") && text.contains("Nothing was changed."), "{line}: {text}");
        assert!(told.reply_to.is_some(), "{line}: {told:?}");
        assert_eq!(plies(&server), 1, "{line}");
        assert_eq!(server.json("show 1")["boards"][0]["proposal"], json!(null), "{line}");
        if !line.contains("f4") {
            assert!(text.contains("(for example)"), "{line}: {text}");
            let example = text.replace('\n', " ").split(" (for example)").next().unwrap().to_owned();
            let example = example.split_whitespace().next_back().unwrap().to_owned();
            let ran = server.shell(&format!("marque preview 1 {example}"));
            assert_eq!(ran.status, 0, "{line}: {example}: {ran:?}");
        }
    }
    // bob can play a move by a reply to the server's answer.
    let answers = reply(&mut server, BOB, to(&letters, BOB), "draw");
    assert!(to(&answers, BOB).text().contains("\"propose\""), "{answers:?}");
    let letters = reply(&mut server, BOB, to(&answers, BOB), "f4");
    assert_eq!((letters.len(), plies(&server)), (2, 2), "{letters:?}");
}

#[test]
fn each_reply_that_is_not_understood_is_answered() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    // The server also answers a player whose turn it is not.
    for line in ["What is this?", "I wonder.", "Hm."] {
        let answers = reply(&mut server, BOB, to(&letters, BOB), line);
        let [told] = answers.as_slice() else { panic!("{line}: {answers:?}") };
        assert!(told.text().contains("chat: Hello! (for example)"), "{}", told.text());
    }
    let letters = reply(&mut server, BOB, to(&letters, BOB), "chat: Hello!");
    assert!(to(&letters, ALICE).text().contains("Hello!"), "{letters:?}");
}

#[test]
fn yes_and_no_answer_a_proposal() {
    for (line, result) in
        [("Yes!", "draw"), ("yes", "draw"), ("I accept.", "draw"), ("draw", "draw"), ("No, thanks.", "")]
    {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), "I offer a draw.");
        // The author of a proposal cannot accept it.
        assert_eq!(reply(&mut server, ALICE, to(&letters, ALICE), "yes").len(), 1);
        let bobs = to(&letters, BOB);
        let asked = reply(&mut server, BOB, bobs, "yes, f4");
        assert_eq!((asked.len(), plies(&server)), (1, 1), "an ambiguous reply is answered with a question: {asked:?}");
        let letters = reply(&mut server, BOB, bobs, line);
        let shown = &server.json("show 1")["boards"][0];
        assert_eq!(shown["proposal"], json!(null), "{line}: {letters:?}");
        assert_eq!(shown["to_move"].is_null(), result == "draw", "{line}: {shown}");
    }
}

#[test]
fn each_line_of_a_reply_that_begins_with_a_verb_is_a_command() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3\nnote my plan is k4\nchat hello\nHow are you?\n");
    let told = all_to(&letters, BOB);
    assert!(told.contains("hello") && told.contains("How are you?"), "{told}");
    assert!(!told.contains("my plan") && !told.contains("chat hello"), "{told}");
    assert!(all_to(&letters, ALICE).contains("my plan is k4"), "{letters:?}");
    let bobs = letters.iter().rfind(|letter| letter.to() == BOB).unwrap();
    let letters = reply(&mut server, BOB, bobs, "f4\nNote: base F\nmore of it\n");
    assert!(
        !all_to(&letters, ALICE).contains("base F") && !all_to(&letters, ALICE).contains("more of it"),
        "{letters:?}"
    );
    assert!(all_to(&letters, BOB).contains("base F") && all_to(&letters, BOB).contains("more of it"), "{letters:?}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "k1\nif k2 then k4\nWell played.\n");
    let told = all_to(&letters, BOB);
    assert!(told.contains("Well played.") && !told.contains("then k4"), "{told}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "f2\nresign\n");
    assert_eq!(plies(&server), 4, "{letters:?}");
    assert!(all_to(&letters, ALICE).contains("you have won (resignation)"), "{letters:?}");
}

#[test]
fn a_sentence_below_a_move_is_the_comment() {
    for sentence in [
        "Resign? Never!",
        "Move along, there is nothing to see.",
        "Chat with you later",
        "Show me what you have!",
        "If 3 pieces remain, it is a draw.",
        "Noted, thanks!",
        "Accept my thanks.",
        "Undo that, if you can.",
    ] {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("f3\n{sentence}\n"));
        assert_eq!((letters.len(), plies(&server)), (2, 1), "{sentence}: {letters:?}");
        assert!(to(&letters, BOB).text().contains(sentence), "{sentence}: {letters:?}");
    }
}

#[test]
fn possible_private_notes_do_not_reach_other_players() {
    for line in [
        "Note to self: base F is weak",
        "Note that base F is weak",
        "Good luck!\nnote base F is weak",
        "(note: base F is weak)",
        "* (note) base F is weak",
        "1 note base F is weak",
        "noet base F is weak",
        "if k4 the base F",
        "Good luck!\nif k4 then h2; base F",
    ] {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("f3\n{line}\n"));
        assert_eq!(plies(&server), 1, "{line}");
        assert!(!all_to(&letters, BOB).contains("base F"), "{line}: {letters:?}");
        let told = all_to(&letters, ALICE);
        assert!(told.contains("was not sent") && told.contains("base F"), "{line}: {told}");
        // The text is also withheld if the message is not a reply.
        let letters = server.mail(BOB, "", &format!("marque move 1 bob builder f4\n{line}\n"));
        assert_eq!(plies(&server), 2, "{line}");
        assert!(!all_to(&letters, ALICE).contains("base F"), "{line}: {letters:?}");
        assert!(all_to(&letters, BOB).contains("base F"), "{line}: {letters:?}");
    }
}

#[test]
fn an_unsent_text_is_returned_to_its_writer() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let long = "I had much to say about the weather of this year.\n".repeat(150);
    let text = format!("f3\nHi Bob,\nNote to self: base F is weak\nwonderland\n{long}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), &text);
    let told = all_to(&letters, ALICE);
    assert!(told.contains("  Hi Bob,\n  Note to self: base F is weak\n"), "{told}");
    assert!(told.matches("weather").count() == 150 && told.len() < 20_000, "{}", told.len());
    // The answer omits a line of one word, because it may be a password.
    assert!(!letters.iter().any(|letter| letter.text().contains("wonderland")), "{told}");
    assert!(!all_to(&letters, BOB).contains("weather"), "{letters:?}");
    // If a reply is ambiguous, the server's question also returns the text to its author.
    for text in ["f4 or f5?\n\nIt was a nice holiday.\n", "Thanks!\nf4\nf5\n\nIt was a nice holiday.\n"] {
        let asked = reply(&mut server, BOB, to(&letters, BOB), text);
        let told = to(&asked, BOB).text();
        assert!(told.contains("  It was a nice holiday."), "{told}");
    }
    // An unauthenticated sender does not get the text back.
    let letters = server.mail(BOB, "", "marque move 1 bob guess f4\nNote to self: base F is weak\n");
    assert!(!all_to(&letters, BOB).contains("base F"), "{letters:?}");
}

#[test]
fn a_move_appended_to_the_subject_is_played() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letter = to(&letters, ALICE);
    let headers = json!({ "To": letter.reply_to() });
    let added = |letter: &Letter, text: &str| format!("Re: {} {text}", letter.subject);
    // The subject contains one move and the text another, so the server plays neither.
    let asked = server.mail_with(ALICE, &added(letter, "f3"), "k1", &headers);
    assert_eq!((asked.len(), plies(&server)), (1, 0), "{asked:?}");
    let letters = server.mail_with(ALICE, &added(letter, "f3"), "Good luck!", &headers);
    assert_eq!(plies(&server), 1, "{letters:?}");
    assert!(to(&letters, BOB).text().contains("Good luck!"), "{letters:?}");
    // A subject with the password and the move also works.
    let bobs = to(&letters, BOB);
    let letters = server.mail_with(BOB, &added(bobs, "builder f4"), "", &json!({ "To": bobs.reply_to() }));
    assert_eq!((letters.len(), plies(&server)), (2, 2), "{letters:?}");
}

#[test]
fn a_greeting_above_the_command_of_a_new_message_is_skipped() {
    let (mut server, _) = board("marque challenge -any_2 alice bob");
    let letters = server.mail(ALICE, "hello", "Dear server,\n\nmarque move 1 alice wonderland f3\nHave fun!\n");
    assert_eq!(plies(&server), 1, "{letters:?}");
    let told = to(&letters, BOB).text();
    assert!(told.contains("Dear server,") && told.contains("Have fun!"), "{told}");
}

#[test]
fn the_shell_accepts_the_words_of_other_servers() {
    let (mut server, _) = board("brique challenge -size=5 alice bob");
    assert_eq!(server.shell("marque help").out, server.shell("help marque").out);
    assert_eq!(server.shell("show board 1").out, server.shell("show 1").out);
    assert_eq!(server.shell("brique show board 1").status, 0);
    for (line, proposed) in [
        ("brique swap", "brique swap board userid password"),
        ("mvoe 1 alice wonderland b2", "\"move\""),
        ("brique delete 1 alice wonderland", "\"decline\""),
        ("marque challenge --opposite alice bob", "\"-opposite\""),
        ("brique signup alice wonderland", "\"signup\""),
    ] {
        let ran = server.shell(line);
        assert_eq!(ran.status, 2, "{line}: {ran:?}");
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(proposed) && !said.contains("wonderland"), "{line}: {said}");
    }
    let ran = server.shell("brique qboard 1 alice wonderland b2");
    assert!(ran.status == 1 || ran.status == 0, "{ran:?}");
    server.letters();
    let ran = server
        .program()
        .args([
            "marque",
            "challenge",
            "\u{2013}opposite",
            "\u{2014}nagtime=5",
            "bob",
            "alice",
            "--say=Good luck \u{2013} and fun",
        ])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let letters = server.letters();
    let told = to(&letters, ALICE).text();
    assert!(told.contains("Good luck \u{2013} and fun"), "{told}");
    assert!(told.contains("bob"), "{told}");
}

#[test]
fn a_command_in_a_quoted_message_is_reported_and_not_run() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    for head in [
        "On 15 May 2017 19:32, \"Nomadic Sprite\" <sprite@example.com> wrote:",
        "---------- Forwarded message ----------\nFrom: Sprite <sprite@example.com>\nSubject: Hello",
    ] {
        let text = format!("{head}\n\nmarque move 1 alice alicepw f3\nThat was the matter.\n");
        let answers = reply(&mut server, ALICE, to(&letters, ALICE), &text);
        let told = to(&answers, ALICE).text();
        assert!(told.contains("This reply contains neither a move nor a command."), "{told}");
        let told = told.replace('\n', " ");
        assert!(told.contains("The line \"marque move 1 alice *** f3\" was not run"), "{told}");
        assert!(told.contains("send it again above all quoted text"), "{told}");
        assert_eq!(plies(&server), 0, "{told}");
    }
    let text = "On 15 May 2017 19:32, Turnpost <turnpost@example.com> wrote:\n\nf3\nGood luck!\n";
    let answers = reply(&mut server, BOB, to(&letters, BOB), text);
    let told = to(&answers, BOB).text().replace('\n', " ");
    assert!(told.contains("The line \"f3\" was not run"), "{told}");
    assert_eq!(plies(&server), 0, "{told}");
    let text = "On 15 May 2017 19:32, Sprite <sprite@example.com> wrote:\n\nmarque move 1 alice alicepw f3\n";
    let text = text.replace("alice alicepw", "bob bobpw");
    let answers = server.mail(BOB, "Hello", &text);
    let told = to(&answers, BOB).text().replace('\n', " ");
    assert!(told.contains("The line \"marque move 1 bob *** f3\" was not run"), "{told}");
    assert_eq!(plies(&server), 0, "{told}");
}

#[test]
fn the_number_of_the_board_may_have_marks_around_it() {
    for line in ["1, f3", "<1> f3", "#1 f3", "1: f3", "move <1> f3", "move #1, f3"] {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), line);
        assert_eq!(plies(&server), 1, "{line}: {letters:?}");
    }
}

#[test]
fn the_number_of_the_board_may_follow_the_verb() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "move 1 f3");
    assert_eq!(plies(&server), 1, "{letters:?}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "chat 1 hello\nHow are you?");
    let told = to(&letters, ALICE).text();
    assert!(told.contains("hello") && !told.contains("1 hello") && told.contains("How are you?"), "{told}");
    // The text of a comment may start with a number.
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "chat 5 more days, please");
    assert!(to(&letters, BOB).text().contains("5 more days, please"), "{letters:?}");
    // If a userid and a password follow the number, the line is a complete command, and no part of it is sent as a
    // comment.
    let letters = reply(&mut server, BOB, to(&letters, BOB), "chat 1 bob builder\nWell played.");
    let told = to(&letters, ALICE).text();
    assert!(told.contains("Well played.") && !told.contains("builder") && !told.contains("bob ***"), "{told}");
    let refused = reply(&mut server, BOB, to(&letters, BOB), "chat 1 bob builder hello");
    assert!(refused.iter().all(|letter| letter.to() == BOB && !letter.text().contains("builder")), "{refused:?}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "undo 1");
    assert!(!server.json("show 1")["boards"][0]["proposal"].is_null(), "{letters:?}");
    let refused = reply(&mut server, BOB, to(&letters, BOB), "resign 7");
    assert!(refused[0].text().contains("Board 7 is not in the letter"), "{}", refused[0].text());
    let letters = reply(&mut server, BOB, to(&letters, BOB), "resign #1");
    assert!(server.json("show 1")["boards"][0]["to_move"].is_null(), "{letters:?}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "rematch 1");
    assert!(
        to(&letters, BOB).text().contains("marque rematch 1 bob -"),
        "the reply is understood as a rematch: {letters:?}"
    );
}

#[test]
fn the_name_of_the_game_may_precede_the_verb() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let refused = reply(&mut server, ALICE, to(&letters, ALICE), "brique move f3");
    assert_eq!((plies(&server), refused.len()), (0, 1), "a command for another game is refused: {refused:?}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "marque move f3\nHello");
    assert!(to(&letters, BOB).text().contains("Hello"), "{letters:?}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "Marque f4");
    assert_eq!(plies(&server), 2, "{letters:?}");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "marque resign");
    assert!(server.json("show 1")["boards"][0]["to_move"].is_null(), "{letters:?}");
}

#[test]
fn cells_without_commas_get_a_suggestion_with_commas() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letter = to(&letters, ALICE);
    for line in ["f3 and f4", "f3 & f4", "f3/f4", "f3-f4", "f3;f4"] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let told = reply(&mut server, ALICE, letter, line);
        let text = to(&told, ALICE).text();
        assert!(text.contains("Did you mean \"f3,f4\"?"), "{line}: {text}");
        let ran = server
            .program()
            .args(["marque", "move", "1", "alice", "wonderland"])
            .args(line.split(' '))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("f3,f4"), "{line}: {said}");
    }
    assert_eq!(plies(&server), 0);
}

#[test]
fn impossible_requests_are_explained() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    for line in ["pass", "I pass", "Pass."] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let told = reply(&mut server, ALICE, to(&letters, ALICE), line);
        assert!(to(&told, ALICE).text().contains("Passing is not allowed"), "{line}: {told:?}");
    }
    let ran = server.shell("marque move 1 alice wonderland pass");
    assert!(format!("{}{}", ran.out, ran.err).contains("Passing is not allowed"), "{ran:?}");
    for (text, line) in [("> f3\n", "f3"), (">resign\n", "resign"), ("Thanks!\n\n> f3\n", "f3")] {
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let told = reply(&mut server, ALICE, to(&letters, ALICE), text);
        let told = to(&told, ALICE).text().replace('\n', " ");
        assert!(told.contains(&format!("The line \"{line}\" was not run: it begins with \">\"")), "{text}: {told}");
    }
    assert_eq!(plies(&server), 0);
}

#[test]
fn a_single_word_shows_the_board_of_a_letter() {
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let looked = reply(&mut server, ALICE, to(&letters, ALICE), "history");
    assert!(to(&looked, ALICE).text().contains("f3"), "{looked:?}");
    let looked = reply(&mut server, ALICE, to(&letters, ALICE), "Games\n");
    assert!(to(&looked, ALICE).text().contains("bob"), "{looked:?}");
    for (line, says) in [
        ("show", "Marque board 1, after 1 move."),
        ("preview f4", "Preview of board 1 after 2 moves"),
        ("preview new f3 f4", "after 2 moves"),
        ("standings", "Marque"),
        ("games all", "1 board of Marque."),
        ("Games active.", "1 board of Marque."),
    ] {
        let looked = reply(&mut server, ALICE, to(&letters, ALICE), line);
        assert!(to(&looked, ALICE).text().contains(says), "{line}: {looked:?}");
    }
    assert_eq!(plies(&server), 1);
}

#[test]
fn settings_and_messages_need_no_password_in_a_reply_from_a_confirmed_address() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    let letters = reply(&mut server, ALICE, &letter, "set mail=text");
    assert!(to(&letters, ALICE).text().contains("mail=text"), "{letters:?}");
    let letters = reply(&mut server, ALICE, &letter, "message bob\n\nShall we play a second board?");
    assert!(to(&letters, BOB).text().contains("Shall we play a second board?"), "{letters:?}");
    // Settings cannot be changed with only a token.
    reply(&mut server, "eve@elsewhere.example", &letter, "set mail=html");
    reply(&mut server, ALICE, &letter, "set dmarc=off");
    assert!(done(&server, "set alice wonderland").contains("mail=text"));
}
