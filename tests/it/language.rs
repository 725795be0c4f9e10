//! Mistakes in the command language: the server understands the line anyway, or its answer shows the line and suggests
//! a command.

use serde_json::json;

use crate::common::database::sql;
use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Ran, Server, done, joined, reply, to};
use turnpost::rules::catalogue;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates a server with alice and bob, whose passwords have the default minimum length.
fn server() -> Server {
    let server = Server::with_players();
    server.configure("[policy]\nshortest_password = 8\n");
    server
}

/// Creates the same server, and a Marque board of alice and bob.
fn board() -> Server {
    let mut server = server();
    assert_eq!(server.mail(ALICE, "marque challenge alice bob", "").len(), 2);
    server
}

/// Sends a message from alice and returns its answer, which is the only letter.
fn answer(server: &mut Server, subject: &str) -> Letter {
    // Discard earlier letters, and reset the limit on answers to refused mail.
    server.letters();
    sql(
        server,
        "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'wrong password';
         UPDATE outbox SET created_at = '2020-01-01T00:00:00Z' WHERE kind = 'answer';
         DELETE FROM rate_limits WHERE what = 'refusal';",
    );
    let letters = server.mail(ALICE, subject, "");
    assert_eq!(letters.len(), 1, "{subject}: {letters:#?}");
    to(&letters, ALICE).clone()
}

/// Returns the refusals of a command by mail and on the command line.
fn refusals(server: &mut Server, line: &str) -> [String; 2] {
    let Ran { status, err, .. } = server.shell(line);
    assert!(matches!(status, 1 | 2), "{line}: {status}");
    [answer(server, line).text().to_owned(), err]
}

/// Runs a line by mail and on the command line. Both answers must contain each of these texts.
fn says(server: &mut Server, line: &str, texts: &[&str]) {
    for said in refusals(server, line) {
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in texts {
            assert!(words.contains(text), "{line}: no {text:?} in\n{said}");
        }
    }
}

#[test]
fn an_error_shows_the_words_as_they_were_typed() {
    let mut server = board();
    for (line, shown, why) in [
        ("chess challenge alice bob", "chess challenge alice bob", "There is no game \"chess\"."),
        ("marque games inactive", "marque games inactive", "\"inactive\" is not a list. Choose all, active or next."),
        ("backgammon challenge alice bob", "backgammon challenge alice bob", "There is no game \"backgammon\"."),
        ("register carol lookingglass", "register carol ***", "Did you mean \"signup\"?"),
        ("show carol bob dora", "show carol bob dora", "There is no player \"carol\"."),
        ("marque challenge alice carol", "marque challenge alice carol", "There is no player \"carol\"."),
        ("marque challenge alice bob carol", "marque challenge alice bob carol", "superfluous word: \"carol\""),
        ("marque mvoe 1 alice wonderland f3", "marque mvoe 1 alice *** f3", "Marque has no command \"mvoe\"."),
        ("marque move 1 alice wonderland castle", "marque move 1 alice *** castle", "There is no such cell"),
        // A word that may be the password is masked, and so is any word at the position of the password.
        ("marque move 1 wonderland alice f3", "marque move 1 *** *** f3", "No player has this userid"),
        ("marque challenge alice bob wonderland", "marque challenge alice bob ***", "superfluous word."),
    ] {
        says(&mut server, line, &[shown, why]);
    }
    // The answers show these words, but the database does not contain them.
    let kept = sql(&server, "SELECT command, reason FROM refusals");
    for word in ["chess", "backgammon", "carol", "castle", "wonderland"] {
        assert!(!kept.contains(word), "{word}: {kept}");
    }
}

#[test]
fn an_error_on_the_web_shows_the_words_as_they_were_typed() {
    let server = board();
    let serving =
        Serving::logging(&server, "[policy]\nshortest_password = 8\n[web]\nlisten = \"127.0.0.1:0\"\n", "trace");
    let address = serving.web();
    let line = "chess challenge alice bob";
    let page = Visitor::logged_in(&address, "alice", "wonderland").fill("/command", &[("line", line)]);
    assert!(page.text().contains(line) && page.text().contains("There is no game"), "{}", page.text());
    let body = json!({ "line": "show carol bob" }).to_string();
    let head = "POST /api/v1/commands HTTP/1.1\r\nHost: games.example\r\nContent-Type: application/json\r\n";
    let (_, _, told) =
        http(&address, &format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()));
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("carol") && !told.contains("***"), "{told}");
    assert!(!serving.log().contains("carol"), "{}", serving.log());
}

#[test]
fn a_command_about_a_board_needs_no_game() {
    let mut server = board();
    server.mail(ALICE, "move 1 alice wonderland f3", "");
    server.mail(BOB, "Re: board 1 bob ** builder f4", "");
    assert_eq!(server.hashes(1).len(), 2);
    let shown = answer(&mut server, "history 1").text().to_owned();
    assert!(shown.contains("f3") && shown.contains("f4"), "{shown}");
    let letters = server.mail(ALICE, "chat 1 alice wonderland", "Hello there!\n");
    assert!(to(&letters, BOB).text().contains("Hello there!"));
    for line in [
        "history #1",
        "history 1,",
        "history <1>",
        "history board 1",
        "history board#1",
        "show board#1",
        "marque show board#1",
        "board#1 alice wonderland e6",
        "marque board#1 bob builder k4",
        "preview 1 k5",
        "marque games <alice>",
        "marque games \u{201c}alice\u{201d}, \u{2018}bob\u{2019}",
        "subscribe 1 alice wonderland",
        "confirm 1 alice wonderland",
        "resign 1 alice wonderland",
        "rematch 1 alice wonderland",
    ] {
        let ran = server.shell(line);
        let refused_by_the_board =
            ["You have not submitted a move", "You play on this board"].iter().any(|why| ran.err.contains(why));
        assert!(ran.status == 0 || refused_by_the_board, "{line}: {ran:?}");
    }
    let json = server.json("show 1");
    assert_eq!(json["boards"][0]["plies"], 4, "{json}");
    says(&mut server, "resign 99 alice wonderland", &["There is no board 99."]);
}

#[test]
fn swap_is_a_command() {
    let server = server();
    done(&server, "brique challenge alice bob");
    done(&server, "brique move 1 alice wonderland c3");
    done(&server, "swap 1 bob builder");
    assert_eq!(server.json("show 1")["boards"][0]["moves"][1]["text"], "swap");
}

#[test]
fn swap_in_a_game_without_it_gets_the_same_error_everywhere() {
    const REFUSED: &str = "This game has no swap.";
    let mut server = Server::with_players();
    for game in catalogue::GAMES.iter().filter(|game| !game.notation().is_word("swap")) {
        let name = game.name();
        for line in [format!("{name} swap 1 alice wonderland"), format!("{name} preview new swap")] {
            let ran = server.shell(&line);
            assert!(ran.err.contains(REFUSED) && !ran.err.contains("Did you mean"), "{line}: {ran:?}");
        }
    }
    let letters = server.mail(ALICE, "loa challenge alice bob", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "swap");
    assert!(to(&letters, ALICE).text().contains(REFUSED), "{letters:?}");
}

#[test]
fn a_missing_password_is_reported() {
    let mut server = board();
    for line in [
        "marque move 1 alice f3",
        "move 1 alice f3,f4",
        "marque queue 1 alice off",
        "marque if 1 alice off",
        "marque seek alice 3",
        "marque limit alice all",
        "vacation alice until 2026-12-24",
        "vacation alice off",
        "set alice mail=text",
    ] {
        says(&mut server, line, &["The password is missing.", line]);
    }
    for line in ["change address alice alice@players.example", "signup dora dora@players.example"] {
        says(&mut server, line, &["The password is missing."]);
    }
}

#[test]
fn habits_from_other_servers_get_a_valid_suggestion() {
    let mut server = board();
    for (line, proposed) in [
        ("marque 1 alice wonderland f3", "marque move 1 alice password f3"),
        ("brique challenge -size 9 alice bob", "-size=9"),
        ("brique show 1", "marque show 1"),
        ("brique move 1 alice wonderland f3", "marque"),
        ("marque games inactive", "all"),
        ("marque showas alice", "show"),
        ("set alice wonderland rythm=each", "rhythm=each"),
        ("register dora s3cretword", "signup"),
        ("sign up dora s3cretword", "signup"),
        ("add alice wonderland alice@players.example", "change address"),
        ("delete 1 alice wonderland", "decline"),
        ("rules", "help"),
        ("rules marque", "help"),
    ] {
        says(&mut server, line, &[&format!("Did you mean \"{proposed}\"?")]);
    }
    // Suggestions omit players who are already named or have left.
    done(&server, "signup alice3 wheelbarrow alice3@example.org");
    says(&mut server, "marque challenge alice alice2", &["Did you mean \"alice3\"?"]);
    sql(&server, "UPDATE players SET left_at = '2026-01-01T00:00:00Z' WHERE userid = 'alice3'");
    for said in refusals(&mut server, "marque challenge alice alice2") {
        assert!(said.contains("There is no player \"alice2\".") && !said.contains("Did you mean"), "{said}");
    }
}

#[test]
fn a_command_without_its_game_is_explained() {
    let mut server = board();
    for line in
        ["challenge alice bob", "games", "standings", "seek alice wonderland 3", "subscribe all alice wonderland"]
    {
        says(&mut server, line, &["begin with the game's name, marque, brique, tessella"]);
    }
    // Commands about an existing board do not need the game's name, so the error does not mention it.
    for (line, words) in [
        ("resign", "The board number is missing."),
        ("history", "The board number is missing."),
        ("history x", "is not a board number."),
        ("history 1 2", "There is a superfluous word"),
        ("move f3", "is not a board number."),
    ] {
        let ran = server.shell(line);
        assert!(ran.status == 2 && ran.err.contains(words) && ran.err.contains("Usage: "), "{line}: {ran:?}");
        assert!(!ran.err.contains("game's name"), "{line}: {ran:?}");
    }
}

#[test]
fn an_error_does_not_point_into_a_text() {
    let mut server = server();
    let told = answer(&mut server, "message alice wonderland bob nobody --say=\"to nobody\"");
    let mut lines = told.text().lines().skip_while(|line| !line.contains("message alice"));
    let (line, pointer) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(pointer.find('^'), line.find("bob ").map(|at| at + "bob ".len()), "{}", told.text());
}

#[test]
fn errors_of_a_reply_mask_only_possible_passwords() {
    let mut server = server();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letter = to(&letters, ALICE).clone();
    for (line, shown) in [
        ("move f3 hello my friend", "marque move 1 alice - f3 hello my friend"),
        ("queue k4 for the win", "marque queue 1 alice - k4 for the win"),
        ("f3 wonderland", "marque move 1 alice - f3 ***"),
    ] {
        let told = reply(&mut server, ALICE, &letter, line);
        let text = to(&told, ALICE).text();
        assert!(text.contains(&format!("    {shown}\n")), "{line}: {text}");
        assert!(joined(text).contains("In mail, write a comment on the next line."), "{line}: {text}");
    }
}

/// Lines such as `f3` and `resign` do not name a board, so they only work in replies to letters about a board.
#[test]
fn a_line_that_answers_no_letter_is_explained() {
    let mut server = board();
    for line in ["f3", "resign", "history", "Undo"] {
        let told = answer(&mut server, line).text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("but this message is not a reply to one") && told.contains("Reply to the letter"),
            "{told}"
        );
        let mut server = board();
        let letters = server.mail(ALICE, "Hello", &format!("{line}\n"));
        assert!(to(&letters, ALICE).text().contains("answers a letter about a board"), "{line}: {letters:?}");
        assert_eq!(server.hashes(1).len(), 0, "{line}");
    }
    // A message that resembles no command gets the usual answer.
    let told = answer(&mut server, "Thank you for the game").text().to_owned();
    assert!(told.contains("This message contains no command") && !told.contains("is not a reply"), "{told}");
}

/// Answers to queries and letters to followers are not about boards of their reader.
#[test]
fn a_reply_to_a_letter_without_boards_is_answered_with_an_example() {
    let mut server = board();
    server.mail(ALICE, "list", "");
    let letters = server.mail(ALICE, "Re: Turnpost: answer", "f3\n");
    let told = joined(to(&letters, ALICE).text());
    assert!(told.contains("or to this one with the number of the board first: \"1 f3\"."), "{told}");
    assert_eq!(server.hashes(1).len(), 0);
    // The suggested reply plays the move.
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "1 f3\n");
    assert!(to(&letters, ALICE).text().starts_with("You played f3."), "{letters:?}");

    done(&server, "signup carol walruses carol@example.org");
    done(&server, "subscribe 1 carol walruses");
    server.letters();
    let letters = server.mail(BOB, "move 1 bob builder f4", "");
    let followed = to(&letters, "carol@example.org");
    let thread = json!({ "References": followed.references.join(" ") });
    let letters = server.mail_with("carol@example.org", &format!("Re: {}", followed.subject), "k5\n", &thread);
    let told = joined(to(&letters, "carol@example.org").text());
    assert!(told.contains("Only the players of board 1 can answer its letters with \"k5\"."), "{told}");
    assert!(told.contains("To stop letters about it, send \"unsubscribe 1 carol PASSWORD\"."), "{told}");
    assert_eq!(done(&server, "unsubscribe 1 carol walruses"), "carol no longer follows board 1.\n");
}

/// A `From` can be forged, so a message that is not a reply needs the password.
#[test]
fn a_line_about_the_account_that_answers_no_letter_shows_the_whole_command() {
    let mut server = board();
    for (line, why, usage) in [
        ("set mail=text", "Your userid and your password are missing.", "set userid password [key=value...]"),
        ("message bob", "The password is missing.", "message userid password to... [--say=\"...\"]"),
        ("block bob", "The password is missing.", "block userid password [other]"),
        ("report bob", "The password is missing.", "report userid password other [--say=\"...\"]"),
        ("join spring", "The userid is missing.", "join name userid password"),
        ("leave june", "The userid is missing.", "leave name userid password"),
        ("event challenge climb bob", "The userid is missing.", "event challenge name opponent userid password"),
    ] {
        let told = answer(&mut server, line).text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(why) && told.contains(&format!("Usage: {usage}")), "{line}: {told}");
        assert!(!told.contains("contains no command"), "{line}: {told}");
        // The line is also recognized in the text of a message.
        let letters = server.mail(ALICE, "Hello", &format!("{line}\nThank you\n"));
        assert!(to(&letters, ALICE).text().contains(usage.split(' ').next().unwrap()), "{line}: {letters:?}");
        assert_eq!(letters.len(), 1, "{letters:?}");
        // Strangers get no answer.
        assert_eq!(server.mail("carol@players.example", line, ""), [], "{line}");
    }
}

#[test]
fn a_missing_userid_and_password_are_reported() {
    let mut server = board();
    for line in ["vacation until 2026-12-10", "vacation off", "set mail=text", "calendar new"] {
        let usage = format!("Usage: {} userid password", line.split(' ').next().unwrap());
        says(&mut server, line, &["Your userid and your password are missing.", line, &usage]);
    }
    let line = "change address alice@players.example";
    says(&mut server, line, &["Your userid and your password are missing.", "Usage: change address userid password"]);
}

#[test]
fn an_error_about_a_setting_lists_every_key() {
    let mut server = board();
    for key in ["strangers", "reminders", "challenges"] {
        let line = format!("set alice wonderland {key}");
        let shown = format!("set alice *** {key}");
        says(&mut server, &line, &[&format!("\"{key}\" is not a setting"), "challenges, strangers", &shown]);
    }
    done(&server, "event new z3 hex alice wonderland");
    let refused = server.shell("event new z3 hex alice wonderland");
    assert!(refused.err.contains("event new z3 hex alice ***"), "{refused:?}");
}

#[test]
fn pass_is_not_an_abbreviation_of_a_command() {
    let mut server = board();
    for line in ["pass", "Pass 1 alice wonderland", "skip"] {
        says(&mut server, line, &["Passing is not allowed"]);
    }
    // With a userid, `pass` is the command that sends a code for a new password.
    assert_eq!(server.shell("pass alice").status, 0);
}

#[test]
fn a_misspelt_verb_is_explained_without_its_game_and_to_strangers() {
    const SLIPS: &[(&str, &str)] = &[
        ("challnge alice bob", "marque challenge"),
        ("chalenge alice anyone", "marque challenge"),
        ("moev 1 alice secret f3", "move"),
        ("mvoe 1 alice secret f3,f4#2", "move"),
        ("qeue 1 alice secret k4", "queue"),
        ("resgin 1 alice secret", "resign"),
        ("acept 1 alice secret", "accept"),
        ("udno 1 alice secret", "undo"),
        ("caht 1 alice secret", "chat"),
        ("histroy 1", "history"),
        ("showas 1", "show"),
        ("showas alice", "show"),
        ("marque showas 1", "show"),
        ("shwo alice", "show"),
        ("sginup dora lookingglass", "signup"),
    ];
    let mut server = board();
    for (line, proposed) in SLIPS {
        says(&mut server, line, &[&format!("Did you mean \"{proposed}\"?")]);
    }
    for (n, (line, proposed)) in SLIPS.iter().enumerate() {
        let from = format!("carol{n}@players.example");
        let letters = server.mail(&from, line, "");
        let [answer] = letters.as_slice() else { panic!("{line}: {letters:#?}") };
        let said = answer.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("Did you mean \"{proposed}\"?")), "{line}: {said}");
        assert!(!said.contains("lookingglass"), "{said}");
    }
    // The suggested commands are valid.
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
}

#[test]
fn a_letter_that_begins_like_a_verb_is_not_a_command() {
    let mut server = board();
    for line in [
        "Change of plan, Alice",
        "Challenging times, Alice",
        "Challenges ahead everybody",
        "Challenged again",
        "Moved 2 stones yesterday",
        "Moving house tomorrow",
        "Review 2 games today",
        "Design 1 board yourself",
        "Except 1 move everything",
        "Shows 2 stones there",
        "That 2 moves thing",
        "Massage carol today",
        "Vacations everybody soon",
    ] {
        assert_eq!(server.mail("carol@players.example", line, &format!("{line}\n")), [], "{line}");
        // In a reply, the line is a comment, and the move below it is played.
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("{line}\n\nf3\n"));
        assert!(to(&letters, BOB).text().contains(line), "{line}: {letters:#?}");
    }
}

#[test]
fn help_works_everywhere() {
    let mut server = board();
    for (line, says) in [
        ("marque --help", "MARQUE - designed by"),
        ("marque rules", "MARQUE - designed by"),
        ("marque move --help", "COMMANDS"),
        ("move 1 alice \u{2014}help", "COMMANDS"),
        ("set alice --help", "COMMANDS"),
    ] {
        assert!(done(&server, line).contains(says), "{line}");
        let text = answer(&mut server, line).text().to_owned();
        assert!(text.to_uppercase().contains(&says.to_uppercase()), "{line}: {text}");
    }
}

#[test]
fn the_same_signup_again_sends_the_confirmation_again() {
    let mut server = server();
    let dora = "dora@players.example";
    let code = |letters: &[Letter]| {
        let text = to(letters, dora).text().to_owned();
        let line =
            text.lines().find(|line| line.trim().starts_with("confirm dora ")).map(|line| line.trim().to_owned());
        line.unwrap_or_else(|| panic!("{text}"))
    };
    let first = code(&server.mail(dora, "signup dora wheelbarrow", ""));
    let again = code(&server.mail(dora, "signup dora wheelbarrow", ""));
    assert_eq!(first, again);
    // A signup with another password or from another address is refused: the userid is taken.
    let taken = server.mail(dora, "signup dora candlestick", "");
    assert!(taken.iter().all(|letter| !letter.text().contains("confirm dora ")), "{taken:#?}");
    let ran = server.shell("signup dora wheelbarrow other@players.example");
    assert!(ran.err.contains("The userid \"dora\" is taken"), "{ran:?}");
    server.mail(dora, &first, "");
    let ran = server.shell("signup dora wheelbarrow dora@players.example");
    assert!(ran.err.contains("The userid \"dora\" is taken"), "{ran:?}");
}

#[test]
fn no_draw_is_proposed_in_a_game_without_draws() {
    let mut server = server();
    done(&server, "brique challenge alice bob");
    let letters = server.letters();
    let told = to(&letters, ALICE).text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("you can write resign (") && !told.contains("propose"), "{told}");
    says(&mut server, "brique propose 1 alice wonderland", &["Brique has no draws, so you cannot propose one."]);
    done(&server, "lazo challenge alice bob");
    done(&server, "lazo propose 2 alice wonderland");
}

#[test]
fn the_help_of_lazo_uses_the_designers_words() {
    let page = done(&server(), "help lazo");
    for word in ["hole", "peg", "blocking region", "vacant", "adjacent"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    assert!(!page.contains("hollow"), "{page}");
}
