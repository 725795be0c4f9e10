//! Letters about events, and the lines with which players answer them without userid and password.

use serde_json::json;
use turnpost::mail::inbound::receive;
use turnpost::store::MailSource;

use crate::common::inside::Inside;
use crate::common::mail::{Letter, compose, parse, read};
use crate::events::{begin, event, finish, flat, play_without, playing, playing_in, wait, with_event};

/// Returns the letter that contains these words. There must be only one.
fn letter_with(letters: &[String], words: &str) -> Letter {
    let found: Vec<&String> = letters.iter().filter(|letter| flat(letter).contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {letters:#?}");
    read(found[0])
}

/// Delivers and processes a message.
fn arrive(inside: &mut Inside, mail: &str) {
    let now = inside.now();
    receive(&mut *inside.store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
    inside.process_inbox();
}

/// Sends a reply to a letter, from the address `from`. Returns the new letters to the letter's recipient.
fn answer(inside: &mut Inside, from: &str, letter: &Letter, text: &str) -> Vec<String> {
    let headers = json!({ "To": letter.reply_to(), "In-Reply-To": letter.id });
    let id = format!("<{}@example.org>", inside.now().timestamp_micros());
    let subject = format!("Re: {}", letter.subject);
    let mail = compose(from, &subject, text, &id, &headers);
    arrive(inside, &mail);
    inside.pass(chrono::TimeDelta::seconds(1));
    inside.letters().remove(letter.to()).unwrap_or_default()
}

fn entrants(inside: &mut Inside) -> Vec<String> {
    event(inside).entrants
}

/// Returns a league from which fay was withdrawn, and the letter that informs fay of this.
fn with_absentee() -> (Inside, Letter) {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin", "fay"]);
    begin(&mut inside);
    play_without(&mut inside, "fay", 1);
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"fay".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    let letters = wait(&mut inside, 40);
    assert!(!entrants(&mut inside).contains(&"fay".to_owned()));
    let letter =
        letter_with(&letters["fay@example.org"], "You will not play in the next edition unless you join again.");
    (inside, letter)
}

#[test]
fn an_absentee_answers_the_letter_and_plays_in_the_next_edition() {
    let (mut inside, letter) = with_absentee();
    let asks = "spring: do you want to play in the next edition? (boards 1, 4, 7, 10 and 13)";
    assert_eq!(letter.subject, asks);
    let text = flat(letter.text());
    assert!(text.contains("To join, reply to this letter with \"yes\", or with: join spring"), "{text}");
    assert!(!text.contains("PASSWORD"), "{text}");
    // The server answers a reply without a command. fay can reply to that answer, too.
    let answers = answer(&mut inside, "fay@example.org", &letter, "I was ill.");
    let explained = letter_with(&answers, "reply to this letter with \"join spring\" on the first line");
    let answers = answer(&mut inside, "fay@example.org", &letter, "Yes please, I want to play again!").concat();
    assert!(flat(&answers).contains("\"join spring\"") && !answers.contains("chat: Hello!"), "{answers}");
    for (from, said, joins) in [
        ("fay@elsewhere.example", "join spring", true),
        ("fay@example.org", "leave", false),
        ("fay@example.org", "Yes, please!", true),
        ("fay@example.org", "No thanks.", false),
        ("fay@example.org", "Hello,\n\nJoin Spring!\n\nI was ill.\n", true),
        ("fay@example.org", "* leave spring", false),
        ("fay@example.org", "join", true),
    ] {
        let to = if said == "join" { &explained } else { &letter };
        let answers = answer(&mut inside, from, to, said);
        let done = if joins { "fay takes part in spring" } else { "fay has left spring" };
        assert!(flat(&answers.concat()).contains(done), "{said}: {answers:#?}");
        assert_eq!(entrants(&mut inside).contains(&"fay".to_owned()), joins, "{said}");
    }
    finish(&mut inside);
    begin(&mut inside);
    assert!(playing(&mut inside).iter().any(|(_, players)| players.contains(&"fay".to_owned())));
}

#[test]
fn yes_answers_the_question_of_a_letter_that_is_also_about_another_event() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin", "fay"]);
    inside.say("alice", "event new june hex --forfeittime=60 --totaltime=0 alice -");
    for userid in ["bob", "erin", "fay"] {
        inside.say(userid, &format!("join june {userid} -"));
    }
    begin(&mut inside);
    for (board, players) in playing_in(&mut inside, "june") {
        if players.contains(&"fay".to_owned()) {
            inside.say(&players[0], &format!("resign {board} {} -", players[0]));
        }
    }
    play_without(&mut inside, "fay", 1);
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"fay".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    for _ in 0..40 {
        if !entrants(&mut inside).contains(&"fay".to_owned()) {
            break;
        }
        let _ = inside.letters();
        inside.pass(chrono::TimeDelta::days(1));
        inside.tick();
    }
    for (board, [loser, _]) in playing_in(&mut inside, "june") {
        inside.say(&loser, &format!("resign {board} {loser} -"));
    }
    inside.tick();
    assert!(!entrants(&mut inside).contains(&"fay".to_owned()));
    let letters = inside.letters().remove("fay@example.org").unwrap();
    let letter = letter_with(&letters, "You will not play in the next edition unless you join again.");
    assert!(flat(letter.text()).contains("june"), "{}", letter.text());
    let answers = answer(&mut inside, "fay@example.org", &letter, "yes").concat();
    assert!(flat(&answers).contains("fay takes part in spring"), "{answers}");
    assert!(entrants(&mut inside).contains(&"fay".to_owned()));
}

#[test]
fn a_refusal_names_all_events_that_the_letter_asks_about() {
    let players = ["alice", "bob", "carol"];
    let mut inside = with_event("--kind=league", &players);
    inside.say("alice", "event new june hex -size=11 --forfeittime=21 --nagtime=7 --kind=league alice -");
    for userid in players {
        inside.say(userid, &format!("join june {userid} -"));
    }
    begin(&mut inside);
    let letters = wait(&mut inside, 40);
    let questions = |letter: &&String| flat(letter).matches("unless you join again").count();
    let letter = read(letters["bob@example.org"].iter().max_by_key(questions).unwrap());
    for said in ["yes", "Yes to both!"] {
        let answers = flat(&answer(&mut inside, "bob@example.org", &letter, said).concat());
        assert!(answers.contains("\"join june\"") && answers.contains("\"join spring\""), "{said}: {answers}");
        assert!(!answers.contains("chat: Hello!"), "{said}: {answers}");
    }
    let nothing = "If you do not want to play, you need not do anything.";
    let answers = flat(&answer(&mut inside, "bob@example.org", &letter, "no").concat());
    assert!(answers.contains("does not say which event") && answers.contains(nothing), "{answers}");
    // After bob has joined one of the events, the answer is only about the other one.
    answer(&mut inside, "bob@example.org", &letter, "join june");
    let answers = flat(&answer(&mut inside, "bob@example.org", &letter, "no").concat());
    assert!(answers.contains("contains no command about spring. To take part"), "{answers}");
    assert!(answers.contains(nothing) && !answers.contains("\"join june\""), "{answers}");
    answer(&mut inside, "bob@example.org", &letter, "join spring\njoin june\n");
    assert!(entrants(&mut inside).contains(&"bob".to_owned()));
    let answers = flat(&answer(&mut inside, "bob@example.org", &letter, "no").concat());
    assert!(answers.contains("You take part in it; to leave") && !answers.contains(nothing), "{answers}");
}

#[test]
fn a_letter_about_a_ladder_is_answered_with_a_challenge_or_about_another_event() {
    let mut inside = with_event("--kind=ladder", &["alice", "bob", "carol"]);
    inside.say("alice", "event new june hex --kind=league alice -");
    let now = inside.now();
    let id = format!("<{}@example.org>", now.timestamp_micros());
    arrive(&mut inside, &compose("carol@example.org", "event spring", "", &id, &json!({})));
    let letter = read(&inside.letters().remove("carol@example.org").unwrap()[0]);
    let answers = answer(&mut inside, "carol@example.org", &letter, "Hello").concat();
    let text = flat(&answers);
    assert!(text.contains("You take part in it; to leave") && !text.contains("join spring"), "{text}");
    assert!(text.contains("reply with \"event challenge spring USERID\""), "{text}");
    let answers = answer(&mut inside, "carol@example.org", &letter, "join june").concat();
    assert!(flat(&answers).contains("carol takes part in june"), "{answers}");
    answer(&mut inside, "carol@example.org", &letter, "event challenge spring bob\nGood luck");
    assert_eq!(playing(&mut inside)[0].1, ["bob", "carol"]);
    answer(&mut inside, "bob@example.org", &letter, "event challenge alice");
    assert_eq!(playing(&mut inside).len(), 1, "only carol can answer the letter to carol");
}

#[test]
fn a_reply_about_a_board_joins_or_leaves_an_event_by_its_name() {
    let mut inside = with_event("--kind=ladder", &["alice", "bob", "carol"]);
    inside.say("alice", "event new june hex --kind=league alice -");
    let _ = inside.letters();
    inside.say("carol", "event challenge spring bob carol -");
    let letter = read(&inside.letters()["bob@example.org"][0]);
    let board = playing(&mut inside)[0].0;
    let answers = answer(&mut inside, "bob@example.org", &letter, "f6\njoin june\n").concat();
    assert!(flat(&answers).contains("bob takes part in june"), "{answers}");
    let shown = inside.shown("carol", board);
    assert!(shown.contains("f6") && !shown.contains("join june"), "{shown}");
    let answers = answer(&mut inside, "bob@example.org", &letter, "Leave spring.").concat();
    assert!(flat(&answers).contains("bob has left spring."), "{answers}");
    inside.say("alice", "message alice - bob --say=Congratulations");
    let letter = letter_with(&inside.letters()["bob@example.org"], "Congratulations");
    let answers = answer(&mut inside, "bob@example.org", &letter, "leave june").concat();
    assert!(flat(&answers).contains("bob has left june."), "{answers}");
}

#[test]
fn a_reply_affects_only_data_of_the_reader_of_the_letter() {
    let (mut inside, letter) = with_absentee();
    let elsewhere = "fay@elsewhere.example";
    let answers = answer(&mut inside, elsewhere, &letter, "leave spring").concat();
    assert!(flat(&answers).contains("from an address that is not confirmed"), "{answers}");
    let answers = answer(&mut inside, elsewhere, &letter, "join summer").concat();
    assert!(flat(&answers).contains("from an address that is not confirmed"), "{answers}");
    let answers = answer(&mut inside, elsewhere, &letter, "Join us!").concat();
    assert!(flat(&answers).contains("This reply contains no command about spring"), "{answers}");
    assert!(!entrants(&mut inside).contains(&"fay".to_owned()));
    // Another player cannot use the reply address of fay's letter.
    let headers = json!({ "To": letter.reply_to() });
    let mail = compose("bob@example.org", "Re: spring", "join spring", "<forwarded@example.org>", &headers);
    arrive(&mut inside, &mail);
    assert!(!entrants(&mut inside).contains(&"fay".to_owned()));
}

#[test]
fn a_player_leaves_by_an_answer_to_the_letter_that_begins_an_edition() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    let _ = inside.letters();
    begin(&mut inside);
    let letter = read(&inside.letters()["dave@example.org"][0]);
    assert!(letter.subject.starts_with("spring, edition 1: your games begin (boards "), "{}", letter.subject);
    let text = flat(letter.text());
    assert!(text.contains("To leave, reply to this letter with: leave spring"), "{text}");
    let own: Vec<u32> = playing(&mut inside)
        .into_iter()
        .filter(|(_, players)| players.contains(&"dave".to_owned()))
        .map(|(board, _)| board)
        .collect();
    // A line for a board and one for the event are both executed, and the second one is not sent to the opponent.
    let said = format!("{} resign\nleave spring\n", own[0]);
    let answers = answer(&mut inside, "dave@example.org", &letter, &said).concat();
    assert!(flat(&answers).contains("dave has left spring."), "{answers}");
    assert!(!entrants(&mut inside).contains(&"dave".to_owned()));
    inside.tick();
    let players: Vec<String> = playing(&mut inside).into_iter().flat_map(|(_, players)| players).collect();
    assert!(!players.contains(&"dave".to_owned()), "{players:?}");
}

#[test]
fn the_letter_about_the_only_board_of_a_round_is_answered_with_a_move_or_by_leaving() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    let _ = inside.letters();
    begin(&mut inside);
    let letters = inside.letters();
    let (board, [first, second]) = playing(&mut inside)[0].clone();
    let to = |player: &str| format!("{player}@example.org");
    let letter = read(&letters[&to(&first)][0]);
    answer(&mut inside, &to(&first), &letter, "f6");
    let shown = inside.shown(&first, board);
    assert!(shown.contains("f6"), "{shown}");
    let letter = read(&letters[&to(&second)][0]);
    let answers = answer(&mut inside, &to(&second), &letter, "leave spring").concat();
    assert!(flat(&answers).contains(&format!("{second} has left spring.")), "{answers}");
}

#[test]
fn a_letter_without_a_board_is_answered_too() {
    let mut inside = with_event("--kind=cup", &["alice", "bob", "carol", "dave", "erin"]);
    let _ = inside.letters();
    begin(&mut inside);
    let letter = read(&inside.letters()["alice@example.org"][0]);
    assert_eq!(letter.subject, "spring, edition 1: the cup begins");
    for said in ["f4", "games", "Yes", "Thanks!"] {
        let answers = answer(&mut inside, "alice@example.org", &letter, said).concat();
        assert!(flat(&answers).contains("reply to this letter with \"leave spring\""), "{said}: {answers}");
    }
    let set = answer(&mut inside, "alice@example.org", &letter, "set mail=text").concat();
    assert!(flat(&set).contains("mail=text"), "{set}");
    answer(&mut inside, "alice@example.net", &letter, "leave");
    assert!(
        entrants(&mut inside).contains(&"alice".to_owned()),
        "a reply from another address does not withdraw alice"
    );
    answer(&mut inside, "alice@example.org", &letter, "leave");
    assert!(!entrants(&mut inside).contains(&"alice".to_owned()));
}

#[test]
fn the_letter_that_ends_an_edition_is_answered_by_leaving_or_joining() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    inside.say("dave", "leave spring dave -");
    let _ = inside.letters();
    finish(&mut inside);
    let letters = inside.letters();
    let bob = letter_with(&letters["bob@example.org"], "automatically. To leave, reply to this letter with:");
    let left = answer(&mut inside, "bob@example.org", &bob, "leave spring");
    assert!(!entrants(&mut inside).contains(&"bob".to_owned()));
    // bob can also reply to the server's answer.
    let left = letter_with(&left, "bob has left spring.");
    answer(&mut inside, "bob@example.org", &left, "join spring");
    assert!(entrants(&mut inside).contains(&"bob".to_owned()));
    let dave = letter_with(&letters["dave@example.org"], "only if you join again. To join, reply to this letter with:");
    answer(&mut inside, "dave@example.org", &dave, "join spring");
    assert!(entrants(&mut inside).contains(&"dave".to_owned()));
}

#[test]
fn a_table_of_ten_players_with_long_names_fits_in_78_columns() {
    let names: Vec<String> = ('a'..='j').map(|letter| format!("{letter}{}", "ongest-name-of-them")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut userids = vec!["alice"];
    userids.extend(&names[1..]);
    let mut inside = with_event("--kind=league --once", &userids);
    begin(&mut inside);
    let abandoned: Vec<(u32, [String; 2])> =
        playing(&mut inside).into_iter().filter(|(_, players)| !players.contains(&names[9].to_owned())).collect();
    for (board, [first, second]) in abandoned.into_iter().step_by(5) {
        inside.say(&first, &format!("move {board} {first} - f6"));
        inside.say(&second, &format!("abandon {board} {second} -"));
        inside.say(&first, &format!("accept {board} {first} -"));
    }
    inside.say(names[9], &format!("leave spring {} -", names[9]));
    inside.tick();
    let _ = inside.letters();
    finish(&mut inside);
    let letters = inside.letters();
    let letter = letters["alice@example.org"].iter().find(|letter| letter.contains("has ended.")).unwrap();
    // `parse` does not compare its result with Python's parser, which treats commas in display names differently.
    let text = parse(letter).text;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 78), "{text}");
    let at = lines.iter().position(|line| line.starts_with(" #  player")).unwrap();
    insta::assert_snapshot!("crosstable_in_a_letter", lines[at..].join("\n"));
}
