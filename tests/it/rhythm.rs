//! The setting `rhythm`: a player gets a letter for each move, one letter until their next action, or one a day.

use crate::common::inside::Inside;
use chrono::{DateTime, Utc};

/// Creates three opponents of alice with one board each, on which it is the opponent's turn. alice has these settings.
fn three_boards(settings: &str) -> Inside {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "dave"]);
    for userid in ["bob", "carol", "dave"] {
        inside.say(userid, &format!("marque challenge -any_2 {userid} alice"));
    }
    inside.say("alice", &format!("set alice - {settings}"));
    let _ = inside.letters();
    inside
}

fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

/// Sends due letters, and returns the ones that alice receives.
fn to_alice(inside: &mut Inside) -> Vec<String> {
    let mut letters = inside.letters();
    letters.remove("alice@example.org").unwrap_or_default()
}

fn subject(letter: &str) -> &str {
    letter.lines().find_map(|line| line.strip_prefix("Subject: ")).unwrap()
}

#[test]
fn each_move_is_reported_immediately() {
    let mut inside = three_boards("rhythm=each");
    for (board, userid) in [(1, "bob"), (2, "carol")] {
        inside.say(userid, &format!("marque move {board} {userid} - f3"));
        let letters = to_alice(&mut inside);
        assert_eq!(letters.len(), 1);
        assert_eq!(subject(&letters[0]), format!("Marque Board {board} alice **"));
    }
    // Notices that are due at the same time still form one letter.
    inside.say("dave", "marque move 3 dave - f3");
    inside.say("alice", "marque move 1 alice - k1");
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1);
    assert_eq!(subject(&letters[0]), "Turnpost: boards 3 and 1");
    assert!(letters[0].contains("It is your turn on board 3. Board 1: you played k1.\n"), "{}", letters[0]);
}

#[test]
fn the_rhythm_once_sends_one_letter_a_turn_on_each_board() {
    let mut inside = three_boards("rhythm=once");
    for (board, userid) in [(1, "bob"), (2, "carol"), (3, "dave")] {
        inside.say(userid, &format!("marque move {board} {userid} - f4"));
        let letters = to_alice(&mut inside);
        assert!(letters.len() == 1 && letters[0].contains("It is your turn"), "{letters:#?}");
        inside.pass(chrono::TimeDelta::hours(1));
    }
    // Since alice knows about each turn, other notices about these boards wait until alice acts.
    inside.say("dave", "marque chat 3 dave - --say=Hello");
    inside.say("carol", "marque propose 2 carol - --say=Tired?");
    assert!(to_alice(&mut inside).is_empty());
    inside.say("alice", "marque move 1 alice - k1");
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1, "{letters:#?}");
    let letter = &letters[0];
    for words in ["It is your turn on boards 2 and 3.", "carol says:\n  Tired?", "dave says:\n  Hello"] {
        assert!(letter.contains(words), "no {words:?} in\n{letter}");
    }
    assert_eq!(letter.matches("Marque board 3: dave against alice").count(), 1, "each board has one section\n{letter}");
    // On board 3, alice has not acted yet. Any command with a password releases the waiting letters.
    inside.say("dave", "marque chat 3 dave - --say=Again");
    assert!(to_alice(&mut inside).is_empty());
    inside.say("alice", "set alice -");
    assert_eq!(to_alice(&mut inside).len(), 1);
}

#[test]
fn the_rhythm_once_does_not_delay_a_turn_because_of_earlier_letters() {
    let mut inside = three_boards("rhythm=once");
    // Letters about a chat message or about a new board on which the opponent moves first do not delay the letter about
    // alice's turn.
    inside.say("bob", "marque chat 1 bob - --say=Hello");
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.say("dave", "marque challenge dave alice");
    assert_eq!(to_alice(&mut inside).len(), 1);
    for (board, userid) in [(1, "bob"), (4, "dave")] {
        inside.say(userid, &format!("marque move {board} {userid} - f3"));
        let letters = to_alice(&mut inside);
        assert!(letters.len() == 1 && letters[0].contains("It is your turn"), "{letters:#?}");
    }
    // The end is announced although alice has not moved since the last letter.
    inside.say("alice", "marque move 1 alice - k1");
    let _ = inside.letters();
    inside.say("bob", "marque move 1 bob - f4");
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.say("bob", "marque propose 1 bob -");
    assert!(to_alice(&mut inside).is_empty());
    inside.pass(chrono::TimeDelta::days(8));
    assert!(!inside.tick().is_empty(), "a reminder is sent");
    assert!(to_alice(&mut inside).iter().any(|letter| letter.contains("is waiting for your move")));
    let mut told = Vec::new();
    for _ in 0..30 {
        inside.pass(chrono::TimeDelta::days(1));
        inside.tick();
        told.extend(to_alice(&mut inside));
    }
    assert!(told.iter().any(|letter| letter.contains("Board 1 has ended")), "alice is notified of the loss\n{told:#?}");
}

#[test]
fn the_rhythm_once_ignores_letters_about_own_actions() {
    let mut inside = three_boards("rhythm=once");
    inside.say("bob", "marque move 1 bob - f3");
    inside.say("carol", "marque move 2 carol - f3");
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.say("carol", "marque chat 2 carol - --say=Hello");
    assert!(to_alice(&mut inside).is_empty());
    // alice's move releases the waiting notices. Their letter shows the board after that move.
    inside.say("alice", "marque move 2 alice - k1");
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1);
    assert!(letters[0].contains("You played k1. It is carol's turn.\n"), "{}", letters[0]);
    assert!(letters[0].contains("Hello") && !letters[0].contains("It is your turn"), "{}", letters[0]);
    // alice moves while no letter is waiting. The letter about bob's move is sent immediately, and the comment after it
    // waits.
    inside.say("alice", "marque move 1 alice - k1");
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.say("bob", "marque move 1 bob - f4");
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.say("bob", "marque chat 1 bob - --say=Well");
    assert!(to_alice(&mut inside).is_empty());
}

#[test]
fn a_daily_letter_follows_the_zone_of_its_reader() {
    // 18:00 in Berlin is 17:00 UTC in January.
    let mut inside = three_boards("rhythm=daily@18 zone=Europe/Berlin");
    inside.say("bob", "marque move 1 bob - f3");
    inside.set_now(at("2027-01-01T15:00:00Z"));
    inside.say("carol", "marque move 2 carol - f3");
    inside.set_now(at("2027-01-01T16:59:59Z"));
    assert!(to_alice(&mut inside).is_empty());
    inside.set_now(at("2027-01-01T17:00:00Z"));
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1);
    assert_eq!(subject(&letters[0]), "Turnpost: boards 1 and 2");
    assert!(letters[0].contains("you have until 2027-01-22 10:00 CET"), "{}", letters[0]);
    assert!(
        letters[0].contains("\nDate: Fri, 01 Jan 2027 17:00:00 +0000\n"),
        "the Date field contains the time of sending: {}",
        letters[0]
    );
    // Later notices are sent on the next day, but reminders ignore the rhythm.
    inside.say("dave", "marque move 3 dave - f3");
    inside.set_now(at("2027-01-02T16:00:00Z"));
    assert!(to_alice(&mut inside).is_empty());
    inside.set_now(at("2027-01-02T17:00:00Z"));
    assert_eq!(to_alice(&mut inside).len(), 1);
    inside.set_now(at("2027-01-08T09:00:00Z"));
    assert!(!inside.tick().is_empty());
    let letters = to_alice(&mut inside);
    let told = letters[0].replace('\n', " ");
    assert!(told.contains("is waiting for your move. You have 14 days of thinking time left"), "{told}");
}

#[test]
fn a_failed_letter_is_retried_unchanged() {
    let mut inside = three_boards("rhythm=each");
    inside.say("bob", "marque move 1 bob - f3");
    inside.say("carol", "marque move 2 carol - f3");
    let first = to_alice(&mut inside);
    let ids = |inside: &mut Inside| -> Vec<_> {
        let rows = inside.read(|tx| tx.outbox(100).unwrap());
        rows.into_iter().filter(|row| row.kind == "move" && row.player.as_ref().unwrap().userid == "alice").collect()
    };
    let rows = ids(&mut inside);
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.sent_at.is_some() && row.letter == rows[0].letter), "{rows:#?}");
    // If a letter is sent again, it does not include a newer notice.
    inside.say("dave", "marque move 3 dave - f3");
    inside.pass(chrono::TimeDelta::hours(1));
    let now = inside.now();
    let mut tx = inside.store.write().unwrap();
    assert!(tx.resend(rows[0].id, now).unwrap());
    tx.commit().unwrap();
    let again = to_alice(&mut inside);
    assert_eq!(again.len(), 2);
    assert!(again.contains(&first[0]), "the retried letter has the same bytes");
}

/// Found by a simulated season: the server sent the letter again each time it sent due letters.
#[test]
fn a_letter_whose_later_notice_is_due_first_is_sent_once() {
    let mut inside = three_boards("rhythm=daily@18");
    inside.say("bob", "marque move 1 bob - f3");
    inside.set_now(at("2027-01-01T15:00:00Z"));
    inside.try_say("bob", "message bob - alice", Some("Hello")).unwrap();
    inside.set_now(at("2027-01-01T18:00:00Z"));
    let letters = to_alice(&mut inside);
    assert!(letters.len() == 1 && letters[0].contains("Hello") && letters[0].contains("f3"), "{letters:?}");
    assert!(to_alice(&mut inside).is_empty());
}

#[test]
fn a_daily_letter_combines_the_notices_of_each_board() {
    let mut inside = three_boards("rhythm=daily@12");
    // A closed proposal needs no answer, but an open one does. Comments are shown in order.
    inside.say("bob", "marque propose 1 bob - --say=\"A draw?\"");
    inside.say("bob", "marque move 1 bob - f3 --say=\"Or not.\"");
    inside.say("carol", "marque move 2 carol - f3");
    inside.say("carol", "marque undo 2 carol - --say=Oops");
    inside.say("dave", "marque move 3 dave - f3");
    inside.set_now(at("2027-01-01T12:00:00Z"));
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1);
    let sections: Vec<&str> = letters[0].split("\nMarque board ").collect();
    assert_eq!(sections.len(), 4);
    assert!(sections[0].contains("It is your turn on boards 1, 2 and 3."), "{}", sections[0]);
    assert!(sections[1].contains("bob played f3.") && !sections[1].contains("1 accept"), "{}", sections[1]);
    assert!(sections[1].contains("bob says:\n  A draw?\n\nbob says:\n  Or not."), "{}", sections[1]);
    assert!(sections[2].contains("carol requests an undo") && sections[2].contains("2 accept"), "{}", sections[2]);
    let told = sections[2].replace('\n', " ");
    assert!(told.contains("carol played") && told.contains("Oops"), "{}", sections[2]);
    // Only the end of a board is announced, and it needs no answer.
    inside.say("alice", "marque move 3 alice - k1");
    let _ = inside.letters();
    inside.say("dave", "marque move 3 dave - f4");
    inside.say("dave", "marque propose 3 dave -");
    inside.say("alice", "marque accept 3 alice -");
    inside.set_now(at("2027-01-02T12:00:00Z"));
    let letters = to_alice(&mut inside);
    assert_eq!(letters.len(), 1);
    assert_eq!(subject(&letters[0]), "Over: Marque Board 3 alice **");
    let told = letters[0].split_once("\n\n").unwrap().1;
    assert!(told.starts_with("Board 3 has ended in a draw (agreement).\n"), "{told}");
    assert!(told.contains("dave played f4. You accepted the draw."), "{told}");
    assert!(!told.contains("PASSWORD"), "{told}");
}
