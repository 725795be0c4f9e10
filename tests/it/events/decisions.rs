//! Decisions of the administrator about games of events, and merges of their players.

use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, NotDecided};
use turnpost::store::Seat;

use super::ladder::{ladder, places, play};
use super::{event, wait};
use crate::common::inside::{Inside, WORLD};

const REOPEN: Decision = Decision::Reopen { days: None };

fn decide(inside: &mut Inside, board: u32, decision: Decision) -> Result<(), NotDecided> {
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    let decided = service.decide(&mut tx, BoardNumber(board), decision, "alice was ill", now).unwrap();
    tx.commit().unwrap();
    decided
}

#[test]
fn the_new_result_of_a_reopened_game_moves_the_places_of_a_ladder() {
    let mut inside = ladder();
    play(&mut inside, "alice", "bob", true);
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"]);
    let _ = wait(&mut inside, 60);
    decide(&mut inside, 1, REOPEN).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"], "until the game ends");
    let rows = event(&mut inside).shown.unwrap().places;
    assert_eq!((rows[0].board, rows[1].board), (Some(BoardNumber(1)), Some(BoardNumber(1))));
    let refused = inside.refused("carol", "event challenge spring bob carol -");
    assert!(refused.contains("bob is still playing board 1"), "{refused}");
    inside.say("bob", "resign 1 bob -");
    assert_eq!(places(&mut inside)[..2], ["alice", "bob"]);
    // The challenger has the second seat.
    decide(&mut inside, 1, REOPEN).unwrap();
    decide(&mut inside, 1, Decision::Adjudicate(Some(Seat::Second))).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"]);
    decide(&mut inside, 1, Decision::Void).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"], "a void game moves nobody");
}
