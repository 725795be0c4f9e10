//! A player who does nothing for 30 days and loses several boards on time loses rating points only for the first one.

use chrono::TimeDelta;
use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, check};

use crate::common::inside::{Inside, WORLD};

/// Lets days pass, and sends letters each day, because no board is lost on time without a reminder. Returns the
/// letters.
fn wait(inside: &mut Inside, days: u32) -> Vec<String> {
    let mut letters = Vec::new();
    for _ in 0..days {
        inside.pass(TimeDelta::days(1));
        inside.tick();
        letters.extend(inside.letters().into_values().flatten());
    }
    letters
}

/// Starts a board on which alice is to move and has this many days.
fn begin(inside: &mut Inside, game: &str, days: u32, opponent: &str) {
    inside.say(opponent, &format!("{game} challenge --nagtime=1 --forfeittime={days} {opponent} alice"));
    let board = inside.read(|tx| tx.waiting_for(tx.player(opponent).unwrap().unwrap().id).unwrap());
    let number = *board.last().unwrap();
    for (player, cell) in [(opponent, "c3"), ("alice", "d4"), (opponent, "e5")] {
        inside.say(player, &format!("move {number} {player} - {cell}"));
    }
}

fn has_ended(inside: &mut Inside, board: u32) -> bool {
    inside.read(|tx| tx.board(BoardNumber(board)).unwrap().unwrap().result.is_some())
}

/// Returns a player's rating, games and losses from the standings of a game, or `None` if the player is not listed.
fn standing(inside: &mut Inside, game: &str, userid: &str) -> Option<[String; 3]> {
    let answer = inside.say("bob", &format!("{game} standings"));
    let text = inside.composer.answer(&answer).unwrap();
    let row = text.lines().find(|line| line.contains(userid))?;
    let columns: Vec<&str> = row.split_whitespace().collect();
    Some([columns[2], columns[4], columns[6]].map(str::to_owned))
}

#[test]
fn an_absent_player_loses_rating_on_only_one_board() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside, "hex", 4, "bob");
    begin(&mut inside, "hex", 8, "carol");
    begin(&mut inside, "y", 12, "dave");
    begin(&mut inside, "hex", 16, "erin");
    let letters = wait(&mut inside, 6).concat();
    assert!(letters.contains("Your rating"), "{letters}");
    let first = standing(&mut inside, "hex", "alice").unwrap();
    assert_eq!(first[1..], ["1", "1"]);
    assert!(standing(&mut inside, "hex", "bob").is_some());
    // alice loses the boards against carol and dave during the same absence, so these losses change no ratings.
    let letters = wait(&mut inside, 9).concat();
    assert!(has_ended(&mut inside, 2) && has_ended(&mut inside, 3) && !has_ended(&mut inside, 4));
    assert!(!letters.contains("Your rating"), "{letters}");
    assert_eq!(standing(&mut inside, "hex", "alice"), Some(first.clone()));
    assert_eq!((standing(&mut inside, "hex", "carol"), standing(&mut inside, "y", "dave")), (None, None));
    // alice returns, makes a move, and loses that board later. This loss changes ratings.
    inside.say("alice", "move 4 alice - f6");
    inside.say("erin", "move 4 erin - g7");
    let letters = wait(&mut inside, 18).concat();
    assert!(letters.contains("Your rating"), "{letters}");
    let second = standing(&mut inside, "hex", "alice").unwrap();
    assert_eq!(second[1..], ["2", "2"]);
    assert!(standing(&mut inside, "hex", "erin").is_some());
}

#[test]
fn a_check_accepts_an_absence_after_its_player_was_merged() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "alicia"]);
    begin(&mut inside, "hex", 4, "bob");
    begin(&mut inside, "hex", 8, "carol");
    inside.say("bob", "y challenge bob alicia");
    wait(&mut inside, 6);
    inside.say("bob", "move 3 bob - c3");
    inside.say("alicia", "move 3 alicia - d4");
    wait(&mut inside, 6);
    assert!(has_ended(&mut inside, 1) && has_ended(&mut inside, 2));
    let [alice, alicia] = ["alice", "alicia"].map(|userid| inside.read(|tx| tx.player(userid).unwrap().unwrap()));
    let (now, service) = (inside.now(), inside.config.service(WORLD));
    let mut tx = inside.store.write().unwrap();
    service.merge_players(&mut tx, &alice, &alicia, now).unwrap().unwrap();
    tx.commit().unwrap();
    let report = check(&inside.store.read().unwrap()).unwrap();
    assert!(report.differences.is_empty(), "{report:?}");
}

#[test]
fn a_board_lost_more_than_30_days_later_changes_ratings() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    begin(&mut inside, "hex", 4, "bob");
    begin(&mut inside, "hex", 60, "carol");
    wait(&mut inside, 10);
    assert_eq!(standing(&mut inside, "hex", "alice").unwrap()[1], "1");
    wait(&mut inside, 60);
    assert_eq!(standing(&mut inside, "hex", "alice").unwrap()[1], "2");
    assert!(standing(&mut inside, "hex", "carol").is_some());
}

#[test]
fn the_next_loss_changes_ratings_after_the_first_one_is_void() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "dave"]);
    begin(&mut inside, "hex", 4, "bob");
    begin(&mut inside, "hex", 8, "carol");
    begin(&mut inside, "hex", 12, "dave");
    wait(&mut inside, 16);
    assert!((1..=3).all(|board| has_ended(&mut inside, board)));
    assert_eq!((standing(&mut inside, "hex", "carol"), standing(&mut inside, "hex", "dave")), (None, None));
    let service = inside.config.service(WORLD);
    let mut tx = inside.store.write().unwrap();
    service.decide(&mut tx, BoardNumber(1), Decision::Void, "one person", (WORLD.now)()).unwrap().unwrap();
    tx.commit().unwrap();
    assert_eq!(standing(&mut inside, "hex", "alice").unwrap()[1..], ["1", "1"]);
    assert!(standing(&mut inside, "hex", "carol").is_some());
    assert_eq!((standing(&mut inside, "hex", "bob"), standing(&mut inside, "hex", "dave")), (None, None));
    inside.read(|tx| assert_eq!(check(tx).unwrap().differences, []));
}

#[test]
fn the_first_of_two_losses_that_changed_ratings_is_reopened() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    begin(&mut inside, "hex", 4, "bob");
    begin(&mut inside, "hex", 20, "bob");
    wait(&mut inside, 6);
    // alice has returned, so the second loss changes ratings, too.
    inside.say("alice", "move 2 alice - f6");
    inside.say("bob", "move 2 bob - g7");
    wait(&mut inside, 24);
    assert_eq!(standing(&mut inside, "hex", "alice").unwrap()[1..], ["2", "2"]);
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    let reopen = Decision::Reopen { days: None };
    service.decide(&mut tx, BoardNumber(1), reopen, "alice was ill", now).unwrap().unwrap();
    tx.commit().unwrap();
    assert_eq!(standing(&mut inside, "hex", "alice").unwrap()[1..], ["1", "1"]);
    inside.read(|tx| assert_eq!(check(tx).unwrap().differences, []));
}

#[test]
fn the_help_explains_losses_on_time() {
    let mut inside = Inside::with_players(&["bob"]);
    let help = inside.say("bob", "help ratings");
    let help = inside.composer.answer(&help).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("boards that a player loses on time within 30 days after another loss"), "{help}");
}
