//! Leagues, cups and ladders that the server runs: editions, letters and absentees, as players see them.

mod absence;
mod cup;
mod decisions;
mod ladder;
mod latest;
mod leaving;
mod promotion;
mod terms;
mod titles;
mod words;

use std::collections::BTreeMap;

use chrono::TimeDelta;
use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, EventView, Response};

use crate::common::inside::{Inside, WORLD};
use crate::common::mail::read;

const WEEK: TimeDelta = TimeDelta::days(7);

/// Creates a server with these players, who have joined an event of alice, an administrator.
pub(crate) fn with_event(terms: &str, userids: &[&str]) -> Inside {
    let mut inside = Inside::with_players(userids);
    inside.config.policy.administrators = vec!["alice".to_owned()];
    inside.say("alice", &format!("event new spring hex -size=11 --forfeittime=21 --nagtime=7 {terms} alice -"));
    for userid in userids {
        inside.say(userid, &format!("join spring {userid} -"));
    }
    inside
}

pub(crate) fn event(inside: &mut Inside) -> EventView {
    event_at(inside, "event spring")
}

fn event_at(inside: &mut Inside, line: &str) -> EventView {
    match inside.say("alice", line) {
        Response::EventShown { event } => *event,
        other => panic!("{other:?}"),
    }
}

/// Returns the event as a player sees it.
fn shown(inside: &mut Inside) -> String {
    let answer = inside.say("alice", "event spring");
    inside.composer.answer(&answer).unwrap()
}

/// Lets a week pass, so that an edition begins.
pub(crate) fn begin(inside: &mut Inside) {
    inside.pass(WEEK);
    inside.tick();
}

/// Returns the numbers and the players of the boards in progress of the event `spring`.
pub(crate) fn playing(inside: &mut Inside) -> Vec<(u32, [String; 2])> {
    playing_in(inside, "spring")
}

/// Returns the numbers and the players of the boards in progress of an event.
pub(crate) fn playing_in(inside: &mut Inside, name: &str) -> Vec<(u32, [String; 2])> {
    let shown = event_at(inside, &format!("event {name}")).shown.unwrap();
    shown.playing.into_iter().map(|game| (game.board.0, game.players)).collect()
}

/// Ends every game in progress: the player whose name sorts first wins.
pub(crate) fn finish(inside: &mut Inside) {
    for (board, mut players) in playing(inside) {
        players.sort();
        inside.say(&players[1], &format!("resign {board} {} -", players[1]));
    }
    inside.tick();
}

/// Lets days pass without a move, and sends letters each day. Returns the letters by address.
pub(crate) fn wait(inside: &mut Inside, days: i64) -> BTreeMap<String, Vec<String>> {
    let mut letters: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for _ in 0..days {
        inside.pass(TimeDelta::days(1));
        inside.tick();
        for (to, new) in inside.letters() {
            letters.entry(to).or_default().extend(new);
        }
    }
    letters
}

/// Returns a letter without its line breaks.
pub(crate) fn flat(letter: &str) -> String {
    letter.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_league_begins_with_one_letter_that_has_all_boards_of_its_reader() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    assert!(shown(&mut inside).contains("Edition 1 begins on 2027-01-08 09:00 UTC"), "{}", shown(&mut inside));
    let _ = inside.letters();
    begin(&mut inside);
    let letters = inside.letters();
    assert_eq!(letters.len(), 4);
    for (to, letters) in letters {
        assert_eq!(letters.len(), 1, "{to}");
        let letter = &letters[0];
        assert!(letter.contains("Edition 1 of spring (Hex) begins. All your games begin today."), "{letter}");
        assert!(letter.contains("Players: alice, bob, carol and dave."), "{letter}");
        assert!(letter.contains("To answer several boards together"), "{letter}");
        assert!(!letter.contains("decline"), "{letter}");
    }
    assert_eq!(playing(&mut inside).len(), 6);
}

#[test]
fn a_subject_names_the_boards_of_its_event_before_other_boards() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol"]);
    inside.say("alice", "event new june hex --kind=league alice -");
    for userid in ["alice", "bob", "carol"] {
        inside.say(userid, &format!("join june {userid} -"));
    }
    let _ = inside.letters();
    begin(&mut inside);
    // Boards on which it is bob's turn come first.
    let own = |mut boards: Vec<(u32, [String; 2])>| -> Vec<String> {
        boards.retain(|(_, players)| players.contains(&"bob".to_owned()));
        boards.sort_by_key(|(board, players)| (players[0] != "bob", *board));
        boards.into_iter().map(|(board, _)| board.to_string()).collect()
    };
    let mut boards = [own(playing(&mut inside)), own(playing_in(&mut inside, "june"))];
    let letters = inside.letters().remove("bob@example.org").unwrap();
    let [letter] = letters.as_slice() else { panic!("{letters:#?}") };
    let subject = read(letter).subject;
    if subject.starts_with("june") {
        boards.reverse();
    }
    let [event, others] = boards.map(|numbers| numbers.join(" and "));
    let ends = format!(", edition 1: your games begin (boards {event}); boards {others}");
    assert!(subject.ends_with(&ends), "{subject}, not {ends}");
}

#[test]
fn the_subject_of_several_reports_names_their_events() {
    let mut inside = with_event("--kind=ladder", &["alice", "bob", "carol"]);
    inside.say("alice", "event new june hex --kind=ladder alice -");
    for userid in ["alice", "bob", "carol"] {
        inside.say(userid, &format!("join june {userid} -"));
    }
    for name in ["spring", "june"] {
        inside.say("carol", &format!("event challenge {name} bob carol -"));
        let (board, _) = playing_in(&mut inside, name)[0].clone();
        inside.say("bob", &format!("resign {board} bob -"));
    }
    let _ = inside.letters();
    let letters = wait(&mut inside, 8).remove("alice@example.org").unwrap();
    let subjects: Vec<String> = letters.iter().map(|letter| read(letter).subject).collect();
    let [subject] = subjects.as_slice() else { panic!("{subjects:?}") };
    let mut names: Vec<&str> = subject.split("; ").collect();
    names.sort_unstable();
    assert_eq!(names, ["june: results", "spring: results"]);
}

#[test]
fn the_list_of_events_counts_the_players_of_the_only_edition() {
    let mut inside = with_event("--kind=league --once", &["alice", "bob", "carol"]);
    begin(&mut inside);
    finish(&mut inside);
    inside.say("carol", "leave spring carol -");
    let answer = inside.say("alice", "events");
    let list = flat(&inside.composer.answer(&answer).unwrap());
    assert!(list.contains("; 3 players. It has ended."), "{list}");
}

#[test]
fn a_league_reports_its_results_ends_and_begins_again() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let _ = inside.letters();
    let (board, players) = playing(&mut inside)[0].clone();
    inside.pass(TimeDelta::hours(1));
    inside.say(&players[0], &format!("resign {board} {} -", players[0]));
    let letters = wait(&mut inside, 8);
    for (to, letters) in &letters {
        let reports = letters.iter().filter(|letter| letter.contains("New results in edition 1 of spring")).count();
        assert_eq!(reports, 1, "{to}: {letters:#?}");
    }
    // If no game has ended, no letter about results is sent.
    let letters = wait(&mut inside, 7);
    assert!(letters.values().flatten().all(|letter| !letter.contains("New results")), "{letters:#?}");
    finish(&mut inside);
    let view = event(&mut inside);
    let shown = view.shown.unwrap();
    let rows = &shown.divisions[0].rows;
    assert_eq!(rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(view.editions[0].winner.as_deref(), Some(rows[0].userid.as_str()));
    let winner = format!("{}@example.org", rows[0].userid);
    let letters = inside.letters();
    let ends = |letters: &[String]| {
        letters.iter().map(|letter| flat(letter)).find(|letter| letter.contains("has ended.")).unwrap()
    };
    for (to, letters) in &letters {
        let end = ends(letters);
        assert_eq!(end.contains("You have won it. Congratulations!"), *to == winner, "{end}");
        assert!(end.contains("leave spring"), "{end}");
    }
    // The next edition begins a week after the last game, with the same players.
    assert!(view.row.next_at.is_some_and(|at| at == inside.now() + WEEK));
    begin(&mut inside);
    let again = event(&mut inside);
    assert_eq!((again.row.edition, again.row.running), (Some(2), true));
    assert_eq!(playing(&mut inside).len(), 6);
    // A past edition is still shown.
    let first = inside.say("bob", "event spring 1");
    assert!(inside.composer.answer(&first).unwrap().contains("Edition 1 ended on"));
    assert!(inside.refused("bob", "event spring 3").contains("no edition 3"));
    let refused = inside.try_say("bob", "event spring 3", None).unwrap_err();
    assert_eq!((refused.line.as_str(), refused.at), ("event spring 3", Some((13, 1))));
    // Every edition shows when the next one begins.
    finish(&mut inside);
    let first = inside.say("bob", "event spring 1");
    assert!(inside.composer.answer(&first).unwrap().contains("Edition 3 begins on"));
}

#[test]
fn an_administrator_who_voids_an_old_game_does_not_begin_the_next_edition() {
    for (terms, weeks) in [("--kind=league", Some(WEEK)), ("--kind=league --once", None)] {
        let mut inside = with_event(terms, &["alice", "bob", "carol", "dave"]);
        begin(&mut inside);
        let board = BoardNumber(playing(&mut inside)[0].0);
        finish(&mut inside);
        let next_at = weeks.map(|week| inside.now() + week);
        inside.pass(TimeDelta::days(1));
        let service = inside.config.service(WORLD);
        let mut tx = inside.store.write().unwrap();
        service.decide(&mut tx, board, Decision::Void, "one person", (WORLD.now)()).unwrap().unwrap();
        tx.commit().unwrap();
        inside.tick();
        let row = event(&mut inside).row;
        assert_eq!((row.edition, row.running, row.next_at), (Some(1), false, next_at), "{terms}");
    }
}

#[test]
fn sign_ups_are_checked() {
    let mut inside = with_event("--kind=league --once", &["alice", "bob", "carol"]);
    assert!(inside.refused("bob", "event new other hex bob -").contains("Only administrators create events"));
    assert!(inside.refused("alice", "event new SPRING hex alice -").contains("already an event"));
    assert_eq!(inside.refused("bob", "join summer bob -"), "There is no such event. \"events\" lists them.");
    inside.say("bob", "leave spring bob -");
    assert!(inside.refused("bob", "leave spring bob -").contains("do not take part"));
    // Two players are not enough for an edition. A week later, there are three.
    begin(&mut inside);
    assert_eq!(event(&mut inside).shown.map(|shown| shown.number), None);
    inside.say("bob", "join spring bob -");
    begin(&mut inside);
    assert_eq!(playing(&mut inside).len(), 3);
    let board = playing(&mut inside)[0].0;
    let first = playing(&mut inside)[0].1[0].clone();
    assert!(inside.refused(&first, &format!("decline {board} {first} -")).contains("belongs to spring"));
    finish(&mut inside);
    assert!(inside.refused("bob", "join spring bob -").contains("does not accept any more players"));
    inside.config.policy.player_events = true;
    inside.say("bob", "event new other hex bob -");
    let list = inside.say("bob", "events");
    let list = inside.composer.answer(&list).unwrap();
    assert!(list.contains("other: league, Hex") && list.contains("spring: league, Hex"), "{list}");
}

/// For this many days, lets every player except one move on each of their boards, if one of the first cells is legal.
pub(crate) fn play_without(inside: &mut Inside, absent: &str, days: i64) {
    let cells: Vec<String> = (0..121).map(|at| format!("{}{}", char::from(b'a' + at % 11), at / 11 + 1)).collect();
    for _ in 0..days {
        for (board, players) in playing(inside) {
            for player in players.iter().filter(|player| *player != absent) {
                let mut tries = cells.iter();
                let move_there = |cell: &String| format!("move {board} {player} - {cell}");
                while let Some(cell) = tries.next() {
                    if inside.try_say(player, &move_there(cell), None).is_ok() {
                        break;
                    }
                    if tries.len() < 100 {
                        break;
                    }
                }
            }
        }
        inside.pass(TimeDelta::days(1));
        inside.tick();
        let _ = inside.letters();
    }
}

#[test]
fn an_absentee_is_withdrawn_and_their_games_are_annulled() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin", "fay"]);
    begin(&mut inside);
    let _ = inside.letters();
    let mut letters = wait(&mut inside, 1);
    play_without(&mut inside, "fay", 1);
    // The games without fay end by resignation, so that fay is the only absentee.
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"fay".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    letters.extend(wait(&mut inside, 40));
    let view = event_at(&mut inside, "event spring 1");
    let shown = view.shown.unwrap();
    let last = shown.divisions[0].rows.last().unwrap();
    assert_eq!((last.userid.as_str(), last.games), ("fay", 0), "{shown:#?}");
    assert!(last.withdrawn.is_some());
    assert!(!view.entrants.contains(&"fay".to_owned()));
    let letter = flat(&letters["fay@example.org"].concat());
    assert!(letter.contains("Your games there are annulled and change no ratings. You will not play in"), "{letter}");
    inside.say("fay", "join spring fay -");
    assert!(event(&mut inside).entrants.contains(&"fay".to_owned()));
}

#[test]
fn a_loss_on_time_against_an_annulled_player_does_not_count() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    let boards = playing(&mut inside);
    let of = |players: &[String; 2], one: &str, other: &str| {
        players.contains(&one.to_owned()) && players.contains(&other.to_owned())
    };
    let mut open = Vec::new();
    for (board, players) in boards {
        if of(&players, "bob", "dave") {
            if players[0] == "dave" {
                inside.say("dave", &format!("move {board} dave - f6"));
            }
        } else if players.contains(&"dave".to_owned()) || of(&players, "bob", "carol") {
            open.push((board, players));
        } else {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    wait(&mut inside, 10);
    for (board, [first, second]) in &open {
        inside.say(first, &format!("move {board} {first} - f6"));
        inside.say(second, &format!("move {board} {second} - g7"));
        if (first.as_str(), second.as_str()) == ("carol", "bob") {
            inside.say("carol", &format!("move {board} carol - c3"));
        }
    }
    // bob loses on time against dave, and dave leaves the event. Later, bob loses on time against carol.
    wait(&mut inside, 15);
    inside.say("dave", "leave spring dave -");
    wait(&mut inside, 15);
    let view = event_at(&mut inside, "event spring 1");
    let rows = view.shown.unwrap().divisions.remove(0).rows;
    let withdrawn = |userid: &str| rows.iter().find(|row| row.userid == userid).unwrap().withdrawn.is_some();
    assert_eq!((withdrawn("dave"), withdrawn("bob")), (true, false), "{rows:#?}");
    assert!(view.entrants.contains(&"bob".to_owned()));
}

#[test]
fn a_player_who_leaves_early_is_withdrawn_and_one_who_leaves_late_loses() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    inside.say("erin", "leave spring erin -");
    inside.tick();
    let boards = playing(&mut inside);
    assert!(boards.iter().all(|(_, players)| !players.contains(&"erin".to_owned())), "{boards:?}");
    // dave finishes two of three games, and then leaves.
    let of_dave: Vec<u32> =
        boards.iter().filter(|(_, players)| players.contains(&"dave".to_owned())).map(|(board, _)| *board).collect();
    for board in &of_dave[..2] {
        inside.say("dave", &format!("resign {board} dave -"));
    }
    inside.say("dave", "leave spring dave -");
    inside.tick();
    finish(&mut inside);
    let rows = event(&mut inside).shown.unwrap().divisions.remove(0).rows;
    let games: Vec<(&str, u32, &str)> =
        rows.iter().map(|row| (row.userid.as_str(), row.games, row.points.as_str())).collect();
    assert_eq!(games, [("alice", 3, "3"), ("bob", 3, "2"), ("carol", 3, "1"), ("dave", 3, "0"), ("erin", 0, "0")]);
}

#[test]
fn a_player_who_signs_off_is_withdrawn_like_one_who_leaves() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let (board, players) = playing(&mut inside).into_iter().find(|(_, of)| of.contains(&"dave".to_owned())).unwrap();
    inside.say(&players[0], &format!("move {board} {} - f6", players[0]));
    inside.say(&players[1], &format!("move {board} {} - g7", players[1]));
    let Response::SignoffAsked { code, .. } = inside.say("dave", "signoff dave secret") else { panic!() };
    let of_dave = playing(&mut inside).into_iter().filter(|(_, players)| players.contains(&"dave".to_owned()));
    let of_dave: Vec<u32> = of_dave.map(|(board, _)| board).collect();
    let left = inside.say("dave", &format!("signoff dave secret {code}"));
    let left = flat(&inside.composer.answer(&left).unwrap());
    assert!(left.contains("Annulled, because fewer than half of your games in the league had ended: boards"), "{left}");
    assert!(of_dave.len() == 3 && of_dave.iter().all(|board| left.contains(&board.to_string())), "{left}");
    inside.tick();
    let boards = playing(&mut inside);
    assert!(boards.len() == 3 && boards.iter().all(|(_, players)| !players.contains(&"dave".to_owned())), "{boards:?}");
    finish(&mut inside);
    let rows = event(&mut inside).shown.unwrap().divisions.remove(0).rows;
    let games: Vec<(&str, u32, &str)> =
        rows.iter().map(|row| (row.userid.as_str(), row.games, row.points.as_str())).collect();
    assert_eq!(games, [("alice", 2, "2"), ("bob", 2, "1"), ("carol", 2, "0"), ("dave", 0, "0")]);
}

#[test]
fn a_player_who_joins_in_the_second_in_which_an_edition_begins_plays_if_the_message_is_first() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol"]);
    inside.add_player("dave");
    inside.add_player("erin");
    inside.pass(WEEK);
    inside.say("dave", "join spring dave -");
    inside.tick();
    let joined = inside.say("erin", "join spring erin -");
    inside.tick();
    let players = |edition: &EventView| edition.shown.as_ref().unwrap().divisions[0].rows.len();
    let view = event(&mut inside);
    assert_eq!((view.shown.as_ref().unwrap().started_at, players(&view)), (inside.now(), 4));
    let joined = flat(&inside.composer.answer(&joined).unwrap());
    let next = "erin takes part in spring from the next edition on. To leave, send \"leave spring erin PASSWORD\".";
    assert!(joined.contains(next), "{joined}");
    finish(&mut inside);
    begin(&mut inside);
    assert_eq!(players(&event(&mut inside)), 5);
}

#[test]
fn a_game_that_ends_in_the_second_of_a_report_is_in_the_next_one() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    wait(&mut inside, 7);
    let (board, players) = playing(&mut inside)[0].clone();
    inside.say(&players[0], &format!("resign {board} {} -", players[0]));
    let letters = wait(&mut inside, 8);
    for to in ["alice", "bob", "carol", "dave"] {
        let letters = &letters[&format!("{to}@example.org")];
        let reports = letters.iter().filter(|letter| letter.contains("New results in edition 1 of spring")).count();
        assert_eq!(reports, 1, "{to}: {letters:#?}");
    }
}

#[test]
fn the_clocks_end_an_edition() {
    let mut inside = with_event("--kind=league --totaltime=20", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let latest = event(&mut inside).shown.unwrap().latest_at.unwrap();
    while event(&mut inside).shown.unwrap().ended_at.is_none() {
        assert!(inside.now() <= latest + TimeDelta::days(1), "the edition ends at the latest a day after its last day");
        let _ = wait(&mut inside, 1);
    }
}

#[test]
fn a_cup_has_rounds_byes_a_bronze_game_and_replays() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    // Three of five players have a bye.
    assert_eq!(playing(&mut inside), [(1, ["erin".to_owned(), "dave".to_owned()])]);
    let begun = inside.letters();
    assert!(flat(&begun["alice@example.org"].concat()).contains("You have no opponent in the first round"));
    finish(&mut inside);
    let second = playing(&mut inside);
    assert_eq!(second.len(), 2, "{second:?}");
    finish(&mut inside);
    let last = playing(&mut inside);
    assert_eq!(last.len(), 2, "the final and the game for third place: {last:?}");
    let text = shown(&mut inside);
    assert!(text.contains("Final\n") && text.contains("Third place\n"), "{text}");
    assert!(
        text.contains("Semi-finals\n") && text.contains("Quarter-finals\n        alice has no opponent\n"),
        "{text}"
    );
    finish(&mut inside);
    let view = event(&mut inside);
    assert_eq!(view.editions[0].winner.as_deref(), Some("alice"));
    assert!(view.row.next_at.is_none());
    let shown = inside.say("bob", "show alice");
    assert!(inside.composer.answer(&shown).unwrap().contains("Won: spring 1."));
}

#[test]
fn an_event_that_fails_does_not_stop_the_clocks_of_boards() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol"]);
    inside.say("alice", "hex challenge --nagtime=3 alice bob");
    inside.say("alice", "hex move 1 alice - f6");
    inside.forge("UPDATE events SET game = 'chess'");
    inside.pass(WEEK);
    assert_eq!(inside.try_tick().unwrap().len(), 1, "bob is reminded");
    assert!(inside.try_tick().is_err());
    inside.forge("UPDATE events SET game = 'hex'");
    inside.tick();
    assert_eq!(playing(&mut inside).len(), 3);
}
