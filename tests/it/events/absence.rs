//! Players who leave a cup or a league, or never move.

use turnpost::service::{EventView, check};
use turnpost::store::Withdrawal;

use super::{begin, event, event_at, finish, flat, playing, shown, wait, with_event};
use crate::common::inside::Inside;

/// Lets a player leave the event `spring`, and returns the text of the response.
fn leave(inside: &mut Inside, player: &str) -> String {
    let left = inside.say(player, &format!("leave spring {player} -"));
    flat(&inside.composer.answer(&left).unwrap())
}

fn players_of(playing: &[(u32, [String; 2])]) -> Vec<&str> {
    playing.iter().flat_map(|(_, players)| players).map(String::as_str).collect()
}

/// Returns whether and how the event withdrew a player.
fn withdrawn(view: &EventView, userid: &str) -> Option<Withdrawal> {
    let rows = &view.shown.as_ref().unwrap().divisions[0].rows;
    rows.iter().find(|row| row.userid == userid).unwrap().withdrawn
}

#[test]
fn the_next_opponent_of_a_player_who_left_a_cup_wins_without_a_game() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    assert_eq!(leave(&mut inside, "alice"), "alice has left spring.");
    let _ = inside.letters();
    // dave beats erin. dave's next opponent would be alice, who has left.
    finish(&mut inside);
    assert_eq!(players_of(&playing(&mut inside)), ["carol", "bob"]);
    let text = shown(&mut inside);
    assert!(text.contains("Semi-finals\n        dave wins, because alice has left\n"), "{text}");
    let letters = inside.letters();
    assert!(!letters.contains_key("alice@example.org"), "{letters:#?}");
    // Only the final remains. There is no third-place game, because carol wins it against alice, who has left.
    finish(&mut inside);
    let mut last = playing(&mut inside);
    last[0].1.sort();
    assert_eq!(players_of(&last), ["bob", "dave"]);
    assert!(shown(&mut inside).contains("carol wins, because alice has left"));
    finish(&mut inside);
    let view = event(&mut inside);
    assert_eq!((view.row.running, view.editions[0].winner.as_deref()), (false, Some("bob")));
    let letters = inside.letters();
    for (to, rank) in [("dave", 2), ("carol", 3), ("alice", 4), ("erin", 5)] {
        let letter = flat(&letters[&format!("{to}@example.org")].concat());
        assert!(letter.contains(&format!("Your rank is {rank}.")), "{to}: {letter}");
    }
}

#[test]
fn the_better_seed_wins_a_tie_of_two_players_who_left_a_cup() {
    let mut inside = with_event("--kind=cup", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    leave(&mut inside, "carol");
    leave(&mut inside, "bob");
    finish(&mut inside);
    let semi_final = playing(&mut inside);
    assert_eq!(semi_final.len(), 1, "{semi_final:?}");
    assert!(shown(&mut inside).contains("bob wins, because carol has left"));
    // alice beats dave, and the players of the other two games have left.
    finish(&mut inside);
    let view = event(&mut inside);
    assert_eq!((view.row.running, view.editions[0].winner.as_deref()), (false, Some("alice")));
    assert!(shown(&mut inside).contains("dave wins, because carol has left"));
}

#[test]
fn a_drawn_game_is_not_replayed_with_a_player_who_has_left() {
    let mut inside = with_event("--kind=cup", &["alice", "bob", "carol"]);
    begin(&mut inside);
    let (board, [first, second]) = playing(&mut inside)[0].clone();
    inside.say(&first, &format!("move {board} {first} - f6"));
    inside.say(&second, &format!("abandon {board} {second} -"));
    inside.say(&first, &format!("accept {board} {first} -"));
    leave(&mut inside, "carol");
    let last = playing(&mut inside);
    assert_eq!((last.len(), last[0].1.contains(&"bob".to_owned())), (1, true), "{last:?}");
}

#[test]
fn games_of_players_who_never_move_are_annulled_even_if_many_expire_simultaneously() {
    let players = ["alice", "bob", "carol", "dave", "erin", "fay", "gil", "hal"];
    let mut inside = with_event("--kind=league", &players);
    begin(&mut inside);
    // Four of alice's seven boards expire in the same second, because alice never moves.
    for (board, [first, second]) in playing(&mut inside) {
        let is_absent = |player: &str| ["alice", "erin"].contains(&player);
        if !is_absent(&first) && !is_absent(&second) {
            inside.say(&second, &format!("resign {board} {second} -"));
        } else if !is_absent(&first) {
            inside.say(&first, &format!("move {board} {first} - f6"));
        }
    }
    wait(&mut inside, 40);
    let view = event_at(&mut inside, "event spring 1");
    for absent in ["alice", "erin"] {
        assert_eq!(withdrawn(&view, absent), Some(Withdrawal::Annulled), "{absent}");
    }
    assert_eq!(withdrawn(&view, "bob"), None);
}

#[test]
fn the_games_before_the_second_loss_on_time_decide_whether_games_are_annulled_or_lost() {
    for (players, resigned, expected) in [
        // Two of erin's four games had already ended when erin lost the other two on time.
        (&["alice", "bob", "carol", "dave", "erin"][..], 2, Withdrawal::Lost),
        (&["alice", "bob", "carol", "dave", "erin"], 0, Withdrawal::Annulled),
        // In a league of three, erin never moves.
        (&["alice", "bob", "erin"], 0, Withdrawal::Annulled),
    ] {
        let mut inside = with_event("--kind=league", players);
        begin(&mut inside);
        let mut left = resigned;
        for (board, [first, second]) in playing(&mut inside) {
            if ![&first, &second].contains(&&"erin".to_owned()) {
                inside.say(&second, &format!("resign {board} {second} -"));
            } else if left > 0 {
                inside.say("erin", &format!("resign {board} erin -"));
                left -= 1;
            } else if first != "erin" {
                inside.say(&first, &format!("move {board} {first} - f6"));
            }
        }
        wait(&mut inside, 40);
        let view = event_at(&mut inside, "event spring 1");
        assert_eq!(withdrawn(&view, "erin"), Some(expected), "{players:?}, {resigned}");
    }
}

#[test]
fn a_player_who_leaves_is_withdrawn_immediately_and_reads_what_happens_to_the_games() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    let of = |inside: &mut Inside, player: &str| -> Vec<u32> {
        let playing = playing(inside).into_iter();
        playing.filter(|(_, players)| players.contains(&player.to_owned())).map(|(board, _)| board).collect()
    };
    let finished = of(&mut inside, "erin")[0];
    inside.say("erin", &format!("resign {finished} erin -"));
    let annulled = "erin has left spring. Fewer than half of their games there had ended. All of them, \
                    including those that had ended, are annulled and do not change ratings.";
    assert_eq!(leave(&mut inside, "erin"), annulled);
    // A player who joins again in the second in which they left does not get their games back.
    inside.say("erin", "join spring erin -");
    assert!(of(&mut inside, "erin").is_empty());
    inside.tick();
    assert_eq!(withdrawn(&event(&mut inside), "erin"), Some(Withdrawal::Annulled));
    for board in &of(&mut inside, "dave")[..2] {
        inside.say("dave", &format!("resign {board} dave -"));
    }
    let lost = "dave has left spring. Their games in progress there are lost, and their other results remain.";
    assert_eq!(leave(&mut inside, "dave"), lost);
    assert!(of(&mut inside, "dave").is_empty());
}

#[test]
fn two_losses_on_time_that_changed_ratings_are_annulled() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    let (own, others): (Vec<_>, Vec<_>) =
        playing(&mut inside).into_iter().partition(|(_, players)| players.contains(&"erin".to_owned()));
    for (board, [_, second]) in others {
        inside.say(&second, &format!("resign {board} {second} -"));
    }
    // erin plays a move, and the opponent replies with one.
    let turn = |inside: &mut Inside, (board, players): &(u32, [String; 2]), column: char| {
        let opponent = players.iter().find(|player| *player != "erin").unwrap();
        inside.say("erin", &format!("move {board} erin - {column}1"));
        inside.say(opponent, &format!("move {board} {opponent} - {column}3"));
    };
    for game in &own {
        let (board, [first, _]) = game;
        if first != "erin" {
            inside.say(first, &format!("move {board} {first} - k11"));
        }
        turn(&mut inside, game, 'a');
    }
    wait(&mut inside, 10);
    own[1..].iter().for_each(|game| turn(&mut inside, game, 'b'));
    wait(&mut inside, 12);
    own[2..].iter().for_each(|game| turn(&mut inside, game, 'c'));
    wait(&mut inside, 12);
    let view = event_at(&mut inside, "event spring 1");
    assert_eq!(withdrawn(&view, "erin"), Some(Withdrawal::Annulled));
    inside.read(|tx| assert_eq!(check(tx).unwrap().differences, []));
}
