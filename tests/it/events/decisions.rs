//! Decisions of the administrator about games of events, and merges of their players.

use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, NotDecided, NotMerged};
use turnpost::store::{EditionRef, Seat};

use super::ladder::{ladder, places, play};
use super::{begin, event, event_at, finish, playing, wait, with_event};
use crate::common::inside::{Inside, WORLD};
use crate::common::{Server, done};

const REOPEN: Decision = Decision::Reopen { days: None };

fn decide(inside: &mut Inside, board: u32, decision: Decision) -> Result<(), NotDecided> {
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    let decided = service.decide(&mut tx, BoardNumber(board), decision, "alice was ill", now).unwrap();
    tx.commit().unwrap();
    decided
}

fn spring() -> EditionRef {
    EditionRef { name: "spring".to_owned(), edition: 1 }
}

#[test]
fn the_new_result_of_a_reopened_game_changes_the_places_of_a_ladder() {
    let mut inside = ladder();
    play(&mut inside, "alice", "bob", true);
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"]);
    let _ = wait(&mut inside, 60);
    decide(&mut inside, 1, REOPEN).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"], "places do not change before the reopened game ends");
    let rows = event(&mut inside).shown.unwrap().places;
    assert_eq!((rows[0].board, rows[1].board), (Some(BoardNumber(1)), Some(BoardNumber(1))));
    let refused = inside.refused("carol", "event challenge spring bob carol -");
    assert!(refused.contains("bob is still playing board 1"), "{refused}");
    inside.say("bob", "resign 1 bob -");
    assert_eq!(places(&mut inside)[..2], ["alice", "bob"]);
    // The administrator awards the game to the challenger, who has the second seat.
    decide(&mut inside, 1, REOPEN).unwrap();
    decide(&mut inside, 1, Decision::Adjudicate(Some(Seat::Second))).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"]);
    decide(&mut inside, 1, Decision::Void).unwrap();
    assert_eq!(places(&mut inside)[..2], ["bob", "alice"], "a void game changes no places");
}

#[test]
fn a_game_of_a_withdrawn_player_is_not_reopened_before_the_edition_ends() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let (board, _) = playing(&mut inside).into_iter().find(|(_, of)| of.contains(&"dave".to_owned())).unwrap();
    inside.say("dave", "leave spring dave -");
    let withdrawn = NotDecided::Withdrawn { userid: "dave".to_owned(), edition: spring() };
    assert_eq!(decide(&mut inside, board, REOPEN), Err(withdrawn));
    finish(&mut inside);
    assert!(!event(&mut inside).row.running);
    assert_eq!(decide(&mut inside, board, REOPEN), Ok(()));
}

#[test]
fn an_ended_league_keeps_its_ranks_and_its_winner() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let boards = playing(&mut inside);
    finish(&mut inside);
    // After the edition has ended, the administrator reopens dave's games, and dave wins all of them.
    for (board, players) in boards.into_iter().filter(|(_, players)| players.contains(&"dave".to_owned())) {
        decide(&mut inside, board, REOPEN).unwrap();
        let loser = players.iter().find(|player| *player != "dave").unwrap();
        inside.say(loser, &format!("resign {board} {loser} -"));
    }
    inside.tick();
    let view = event_at(&mut inside, "event spring 1");
    let rows = view.shown.unwrap().divisions.remove(0).rows;
    let table: Vec<(usize, &str, &str)> =
        rows.iter().map(|row| (row.rank, row.userid.as_str(), row.points.as_str())).collect();
    assert_eq!(table, [(1, "alice", "2"), (2, "bob", "1"), (3, "carol", "0"), (4, "dave", "3")]);
    assert_eq!(view.editions[0].winner.as_deref(), Some("alice"));
}

/// Returns the winner of each tie of the cup.
fn winners(inside: &mut Inside) -> Vec<Option<String>> {
    let rounds = event(inside).shown.unwrap().rounds.into_iter();
    rounds.flat_map(|round| round.ties).map(|tie| tie.winner).collect()
}

#[test]
fn a_round_of_a_cup_keeps_its_players_and_an_ended_cup_its_winner() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let first = playing(&mut inside);
    finish(&mut inside);
    let last = playing(&mut inside);
    // While alice and bob play the final, the administrator changes the result of one first-round game and voids the
    // other one.
    decide(&mut inside, first[0].0, REOPEN).unwrap();
    decide(&mut inside, first[1].0, Decision::Void).unwrap();
    inside.say("alice", &format!("resign {} alice -", first[0].0));
    inside.tick();
    assert_eq!(playing(&mut inside), last);
    finish(&mut inside);
    let expected = ["alice", "bob", "alice", "carol"].map(|winner| Some(winner.to_owned()));
    assert_eq!(winners(&mut inside), expected);
    let view = event(&mut inside);
    assert_eq!((view.row.running, view.editions[0].winner.as_deref()), (false, Some("alice")));
    decide(&mut inside, last[0].0, REOPEN).unwrap();
    assert_eq!(winners(&mut inside), expected);
}

#[test]
fn an_ended_cup_that_nobody_has_won_keeps_the_winner_of_its_final() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol"]);
    begin(&mut inside);
    // alice has a bye, and bob beats carol. alice wins the final only because bob does not make the first move.
    finish(&mut inside);
    let (last, players) = playing(&mut inside)[0].clone();
    assert_eq!(players, ["bob", "alice"]);
    wait(&mut inside, 40);
    let view = event(&mut inside);
    assert_eq!((view.row.running, view.editions[0].winner.as_deref()), (false, None));
    let expected = ["alice", "bob", "alice"].map(|winner| Some(winner.to_owned()));
    assert_eq!(winners(&mut inside), expected);
    decide(&mut inside, last, REOPEN).unwrap();
    assert_eq!(winners(&mut inside), expected);
    decide(&mut inside, last, Decision::Adjudicate(Some(Seat::First))).unwrap();
    assert_eq!(winners(&mut inside), expected);
}

#[test]
fn the_administrator_reads_why_a_game_of_a_ladder_is_not_reopened() {
    let server = ladder_of_two();
    done(&server, "event challenge climb alice bob builder");
    done(&server, "leave climb bob builder");
    let reopened = "admin reopen 1 --reason=slip";
    let refused = server.shell(reopened);
    let why = "bob was withdrawn from edition 1 of climb, which ended all their games there; to play in climb again, bob \
               sends \"join climb\"";
    assert!(refused.status == 1 && refused.err.contains(why), "{refused:?}");
    done(&server, "join climb bob builder");
    done(&server, reopened);
}

/// Creates a server with a ladder whose players are alice and bob.
fn ladder_of_two() -> Server {
    let server = Server::with_players();
    server.configure("[events]\nplayers = true\n");
    done(&server, "event new climb hex --kind=ladder alice wonderland");
    done(&server, "join climb alice wonderland");
    done(&server, "join climb bob builder");
    server
}

#[test]
fn two_players_of_an_edition_are_not_merged() {
    let server = ladder_of_two();
    for line in ["admin player merge bob alice", "admin player merge bob alice --yes"] {
        let refused = server.shell(line);
        let why = "bob and alice both play or played in edition 1 of climb, and one person cannot be two \
                   players of an edition; players of a ladder can be merged after one of them has left it";
        assert!(refused.status == 1 && refused.err.contains(why), "{refused:?}");
    }
    done(&server, "leave climb bob builder");
    done(&server, "admin player merge bob alice --yes");
    let places = server.json("event climb")["event"]["shown"]["places"].clone();
    assert_eq!((places.as_array().unwrap().len(), &places[0]["userid"]), (1, &"alice".into()), "{places}");
    // Players of a cup cannot be merged, because that would change the seeds of the other players.
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let merge = |inside: &mut Inside| {
        let (service, now) = (inside.config.service(WORLD), inside.now());
        let mut tx = inside.store.write().unwrap();
        let [old, new] = ["carol", "alice"].map(|userid| tx.player(userid).unwrap().unwrap());
        service.merge_players(&mut tx, &old, &new, now).unwrap()
    };
    assert_eq!(merge(&mut inside), Err(NotMerged::InEdition(spring())));
    inside.say("carol", "leave spring carol -");
    assert_eq!(merge(&mut inside), Err(NotMerged::InEdition(spring())));
    finish(&mut inside);
    finish(&mut inside);
    assert_eq!(event(&mut inside).editions[0].winner.as_deref(), Some("alice"));
    assert_eq!(merge(&mut inside), Err(NotMerged::InEdition(spring())), "two players of one edition cannot be merged");
}

#[test]
fn a_player_who_left_a_ladder_takes_the_place_of_the_one_merged_into_them() {
    let server = ladder_of_two();
    done(&server, "signup carol carpenter carol@example.org");
    done(&server, "join climb carol carpenter");
    done(&server, "leave climb alice wonderland");
    done(&server, "admin player merge bob alice --yes");
    let places = server.json("event climb")["event"]["shown"]["places"].clone();
    let userids: Vec<&str> = places.as_array().unwrap().iter().map(|row| row["userid"].as_str().unwrap()).collect();
    assert_eq!(userids, ["alice", "carol"], "{places}");
}
