//! The terms of events: thinking time, the latest day, divisions, one or two games, one edition, and who creates
//! events.

use chrono::TimeDelta;
use serde_json::json;
use turnpost::numbers::BoardNumber;
use turnpost::store::{ResultReason, Seat};

use super::{begin, event, event_at, finish, flat, playing, shown, with_event};
use crate::common::inside::Inside;
use crate::common::{Server, done, joined, to};

const BANK: &str = "10 days and 1 day more for each move, up to 20 days";

#[test]
fn the_clocks_of_an_event_are_shown_as_on_its_boards() {
    let mut inside = with_event("--kind=league --fischer=10/1/20", &["alice", "bob", "carol"]);
    let _ = inside.letters();
    let text = flat(&shown(&mut inside));
    assert!(text.contains(&format!("spring: Hex, 11 cells a side, league; rated, {BANK}, 21 days a move.")), "{text}");
    begin(&mut inside);
    let letters = inside.letters();
    for (to, letters) in &letters {
        let letter = flat(&letters.concat());
        assert!(letter.contains(&format!("Thinking time of each player: {BANK}, 21 days a move.")), "{to}: {letter}");
    }
    let board = playing(&mut inside)[0].0;
    let text = flat(&inside.shown("alice", board));
    assert!(text.contains(BANK) || text.contains("10 days; each move adds 1 day, up to 20 days"), "{text}");
    let view = event(&mut inside);
    assert_eq!((view.all_days, view.fischer.map(|fischer| fischer.cap)), (0, Some(20)));
    // An edition can last for 60 days of thinking time of each player, plus weekends, vacations and the days after the
    // last reminders.
    let latest = view.shown.unwrap().latest_at.unwrap();
    assert_eq!(latest, inside.now() + TimeDelta::days(168 + 60 + 4));
}

#[test]
fn a_board_that_has_not_ended_by_the_latest_day_is_lost_by_the_player_to_move() {
    let mut inside = with_event("--kind=league --fischer=30/0/30", &["alice", "bob", "carol"]);
    begin(&mut inside);
    let letter = flat(&inside.letters()["bob@example.org"].concat());
    assert!(letter.contains("On a board that has not ended by then, the player to move loses."), "{letter}");
    // On one board, both players have moved. All other boards end before the latest day.
    let boards = playing(&mut inside);
    let (board, [first, second]) = &boards[0];
    inside.say(first, &format!("move {board} {first} - f6"));
    inside.say(second, &format!("move {board} {second} - g7"));
    for (board, [_, second]) in &boards[1..] {
        inside.say(second, &format!("resign {board} {second} -"));
    }
    // All players start a vacation. No reminder is sent before the latest day, so no clock ends a board before it.
    let latest = event(&mut inside).shown.unwrap().latest_at.unwrap();
    for userid in ["alice", "bob", "carol"] {
        inside.say(userid, &format!("vacation {userid} - until 2027-01-30"));
    }
    inside.set_now(latest);
    inside.tick();
    assert!(event(&mut inside).shown.unwrap().ended_at.is_some());
    let result = inside.read(|tx| tx.board(BoardNumber(*board)).unwrap().unwrap().result.unwrap());
    assert_eq!((result.winner, result.reason), (Some(Seat::Second), ResultReason::Time));
}

const EIGHT: [&str; 8] = ["alice", "bob", "carol", "dave", "erin", "fay", "gil", "hal"];

#[test]
fn the_latest_day_of_a_cup_allows_for_a_replay_in_each_round() {
    let mut inside = with_event("--kind=cup --totaltime=10", &EIGHT);
    let _ = inside.letters();
    begin(&mut inside);
    let letter = flat(&inside.letters()["bob@example.org"].concat());
    // Eight players need three rounds. In a game, each player has 10 days of thinking time. With weekends, both
    // together have 28 days, and 4 days are added for reminders. The two games of a tie take 64 days, and each of the
    // two players has 30 days of vacation. A round thus takes at most 124 days.
    let latest = "The edition ends on 2028-01-15 09:00 UTC at the latest, even if each tie is replayed and every game \
                  uses all of its time, including vacations.";
    assert!(letter.contains(latest), "{letter}");
    assert_eq!(event(&mut inside).shown.unwrap().latest_at.unwrap(), inside.now() + TimeDelta::days(3 * 124));
}

#[test]
fn a_replay_shares_the_time_of_its_first_game() {
    let mut inside = with_event("--kind=cup --fischer=30/0/30", &EIGHT[..4]);
    begin(&mut inside);
    let first = playing(&mut inside);
    inside.pass(TimeDelta::days(20));
    for (board, [first, second]) in &first {
        inside.say(first, &format!("move {board} {first} - f6"));
        inside.say(second, &format!("abandon {board} {second} -"));
        inside.say(first, &format!("accept {board} {first} -"));
    }
    inside.tick();
    let replays = playing(&mut inside);
    assert!(replays.len() == 2 && replays.iter().all(|(board, _)| *board > first[1].0), "{replays:?}");
    // The two rounds share the time until the latest day. All four players start a vacation, and half of
    // that time passes.
    let shown = event(&mut inside).shown.unwrap();
    for userid in &EIGHT[..4] {
        inside.say(userid, &format!("vacation {userid} - until 2027-02-20"));
    }
    inside.set_now(shown.started_at + (shown.latest_at.unwrap() - shown.started_at) / 2);
    inside.tick();
    let shown = event(&mut inside).shown.unwrap();
    assert!(shown.playing.len() == 2 && shown.playing.iter().all(|game| game.round == 2), "{:?}", shown.playing);
}

#[test]
fn the_latest_day_allows_for_long_weekends_and_nights() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.say("carol", "set carol - zone=UTC weekend=thu,fri,sat,sun night=20-8");
    inside.say_as_shell("event new spring hex --totaltime=15 alice secret");
    for userid in ["alice", "bob", "carol"] {
        inside.say(userid, &format!("join spring {userid} -"));
    }
    begin(&mut inside);
    // Because of carol's weekend and nights, carol's clock runs for only 36 hours a week.
    let latest = event(&mut inside).shown.unwrap().latest_at.unwrap();
    assert_eq!(latest, inside.now() + TimeDelta::days(30 * 7 * 24 / 36 + 60 + 4));
}

#[test]
fn a_league_of_one_edition_has_small_divisions_and_two_games_of_each_pair() {
    let userids: Vec<String> = (b'b'..=b'n').map(|letter| format!("{}-player", char::from(letter))).collect();
    let mut userids: Vec<&str> = userids.iter().map(String::as_str).collect();
    userids[0] = "alice";
    let mut inside = with_event("--kind=league --division=6 --twice --once", &userids);
    begin(&mut inside);
    let view = event(&mut inside);
    let sizes: Vec<usize> = view.shown.unwrap().divisions.iter().map(|division| division.rows.len()).collect();
    assert_eq!(sizes, [5, 4, 4]);
    assert_eq!(playing(&mut inside).len(), 5 * 4 + 2 * 4 * 3);
    let text = shown(&mut inside);
    assert!(text.contains("two games against each opponent") && text.contains("Division 3"), "{text}");
    finish(&mut inside);
    let view = event_at(&mut inside, "event spring 1");
    assert_eq!((view.row.running, view.row.next_at), (false, None));
    assert_eq!(view.editions[0].winner.as_deref(), Some("alice"));
    let list = inside.say("alice", "events");
    assert!(
        flat(&inside.composer.answer(&list).unwrap())
            .contains("spring: league, Hex, 11 cells a side; 13 players. It has ended.")
    );
}

#[test]
fn a_player_creates_an_event_by_mail_and_in_the_shell_if_the_server_allows_it() {
    let mut server = Server::with_players();
    let line = "event new june hex --once --twice --division=7 --unrated alice wonderland";
    let refused = server.mail("alice@example.org", line, "");
    let refused = joined(to(&refused, "alice@example.org").text());
    assert!(refused.contains("Only administrators create events"), "{refused}");
    server.configure("[events]\nplayers = true\n");
    let created = server.mail("alice@example.org", line, "");
    let created = joined(to(&created, "alice@example.org").text());
    assert!(created.contains("june has been created: a league of Hex."), "{created}");
    let june = &server.json("event june")["event"];
    let terms = [&june["once"], &june["twice"], &june["division"], &june["rated"]];
    assert_eq!(terms, [&json!(true), &json!(true), &json!(7), &json!(false)], "{june}");
    done(&server, "event new climb hex --kind=ladder bob builder");
    let joined_by_mail = server.mail("bob@example.org", "join june bob builder", "");
    let joined_by_mail = joined(to(&joined_by_mail, "bob@example.org").text());
    assert!(joined_by_mail.contains("bob takes part in june"), "{joined_by_mail}");
    for (option, words) in [("--division=5", "6"), ("--division=11", "10"), ("--kind=race", "--kind")] {
        let refused = server.shell(&format!("event new july hex {option} alice wonderland"));
        assert!(refused.status == 2 && refused.err.contains(words), "{refused:?}");
    }
    for (options, why) in [
        ("--kind=ladder --once", "--once is only for a league or cup."),
        ("--kind=ladder --twice", "--twice is only for a league."),
        ("--kind=cup --twice", "--twice is only for a league."),
        ("--division=8 --kind=cup", "--division is only for a league."),
        ("--division=4 --kind=cup", "--division is only for a league."),
        ("--kind=cup --division=4", "--division is only for a league."),
    ] {
        let refused = server.shell(&format!("event new july hex {options} alice wonderland"));
        assert!(refused.status == 2 && refused.err.contains(why), "{refused:?}");
    }
    let refused = server.mail("alice@example.org", "event new july hex --twice --kind=cup alice wonderland", "");
    let refused = joined(to(&refused, "alice@example.org").text());
    assert!(refused.contains("--twice is only for a league."), "{refused}");
    let help = joined(&done(&server, "help events"));
    for words in [
        "so can players if the server allows it",
        "--once creates a single edition of a league or cup",
        "--twice gives each pair of a league two",
    ] {
        assert!(help.contains(words), "{words}: {help}");
    }
}
