//! Ladders: challenges for places, clocks, idle players, letters, and the page.

use chrono::TimeDelta;
use turnpost::rules::catalogue::GAMES;
use turnpost::service::{EventView, Response};

use super::{event, flat, playing, shown, wait, with_event};
use crate::common::inside::{Inside, WORLD};
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, letter_to, to};

const PLAYERS: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];

/// Creates a ladder of five players, in alphabetical order.
pub(super) fn ladder() -> Inside {
    let mut inside = with_event("--kind=ladder", &PLAYERS);
    let _ = inside.letters();
    inside
}

pub(super) fn places(inside: &mut Inside) -> Vec<String> {
    inside.tick();
    event(inside).shown.unwrap().places.into_iter().map(|row| row.userid).collect()
}

/// Challenges a player for their place, and returns the board.
fn challenge(inside: &mut Inside, opponent: &str, challenger: &str) -> u32 {
    match inside.say(challenger, &format!("event challenge spring {opponent} {challenger} -")) {
        Response::Challenged { board } => board.number.0,
        other => panic!("{other:?}"),
    }
}

/// Plays a challenge to its end. `wins` is true if the challenger wins.
pub(super) fn play(inside: &mut Inside, opponent: &str, challenger: &str, wins: bool) {
    let board = challenge(inside, opponent, challenger);
    inside.say(opponent, &format!("move {board} {opponent} - f6"));
    let loser = if wins { opponent } else { challenger };
    inside.say(loser, &format!("resign {board} {loser} -"));
}

#[test]
fn a_winner_takes_the_place_and_the_players_between_move_down() {
    let mut inside = ladder();
    let text = shown(&mut inside);
    assert!(text.contains("  1  alice") && text.contains("  5  erin"), "{text}");
    let board = challenge(&mut inside, "bob", "erin");
    let letters = inside.letters();
    assert_eq!(letters.keys().collect::<Vec<_>>(), ["bob@example.org", "erin@example.org"]);
    let letter = flat(&letters["bob@example.org"].concat());
    assert!(letter.contains("erin challenges you to Hex for your place in spring"), "{letter}");
    assert!(letter.contains("cannot be declined") && !letter.contains("To decline"), "{letter}");
    assert!(inside.refused("bob", &format!("decline {board} bob -")).contains("belongs to spring"));
    assert!(shown(&mut inside).contains(&format!("bob                   board {board}")), "{}", shown(&mut inside));
    inside.say("bob", &format!("move {board} bob - f6"));
    assert_eq!(places(&mut inside), PLAYERS);
    inside.say("bob", &format!("resign {board} bob -"));
    assert_eq!(places(&mut inside), ["alice", "erin", "bob", "carol", "dave"]);
    play(&mut inside, "erin", "carol", false);
    assert_eq!(places(&mut inside), ["alice", "erin", "bob", "carol", "dave"]);
    let results: Vec<_> = event(&mut inside).shown.unwrap().results.into_iter().map(|game| game.results).collect();
    assert_eq!(results, [["1", "0"], ["0", "1"]], "results are listed newest first");
    // Results that have already changed the places do not change them a second time.
    play(&mut inside, "alice", "bob", true);
    play(&mut inside, "erin", "dave", true);
    assert_eq!(places(&mut inside), ["bob", "alice", "dave", "erin", "carol"]);
}

#[test]
fn only_free_players_up_to_three_places_above_are_challenged() {
    let mut inside = ladder();
    let says = |inside: &mut Inside, challenger: &str, opponent: &str| {
        inside.refused(challenger, &format!("event challenge spring {opponent} {challenger} -"))
    };
    assert_eq!(
        says(&mut inside, "erin", "alice"),
        "You have place 5 in spring, and alice has place 1. You may challenge the players of places 2 to 4."
    );
    assert!(says(&mut inside, "bob", "carol").contains("You may challenge the player of place 1."));
    assert!(says(&mut inside, "alice", "bob").contains("There is no place above yours."));
    inside.add_player("fay");
    assert_eq!(says(&mut inside, "fay", "bob"), "You do not take part in spring.");
    assert_eq!(says(&mut inside, "bob", "fay"), "fay does not take part in spring.");
    let board = challenge(&mut inside, "bob", "dave");
    let only_one = "Each player has only one game of a ladder at a time.";
    assert_eq!(says(&mut inside, "carol", "bob"), format!("bob is still playing board {board} in spring. {only_one}"));
    assert_eq!(
        says(&mut inside, "dave", "carol"),
        format!("You are still playing board {board} in spring. {only_one}")
    );
    inside.say("alice", "event new summer hex --kind=league alice -");
    let refused = inside.refused("bob", "event challenge summer alice bob -");
    assert!(refused.contains("summer is a league and pairs its players itself"), "{refused}");
}

#[test]
fn a_challenge_without_an_answer_is_lost() {
    let mut inside = ladder();
    challenge(&mut inside, "alice", "dave");
    let letters = wait(&mut inside, 30);
    assert_eq!(playing(&mut inside), []);
    assert_eq!(places(&mut inside), ["dave", "alice", "bob", "carol", "erin"]);
    let letter = flat(&letters["alice@example.org"].concat());
    assert!(letter.contains("Ratings are unchanged. You lose the game and your place in spring."), "{letter}");
    let letter = flat(&letters["dave@example.org"].concat());
    assert!(letter.contains("Ratings are unchanged. You win the game and the place in spring."), "{letter}");
}

#[test]
fn the_challenged_player_moves_first_and_loses_an_unanswered_challenge_in_every_game() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.config.policy.player_events = true;
    for game in GAMES {
        let name = format!("climb-{}", game.name());
        inside.say("alice", &format!("event new {name} {} --forfeittime=21 --kind=ladder alice -", game.name()));
        for player in ["alice", "bob"] {
            inside.say(player, &format!("join {name} {player} -"));
        }
        let challenge = inside.say("bob", &format!("event challenge {name} alice bob -"));
        let Response::Challenged { board } = challenge else { panic!("{challenge:?}") };
        assert_eq!(board.clock.unwrap().userid, "alice", "{name}");
    }
    wait(&mut inside, 30);
    for game in GAMES {
        let shown = inside.say("bob", &format!("event climb-{}", game.name()));
        let Response::EventShown { event } = shown else { panic!("{shown:?}") };
        assert_eq!(event.shown.unwrap().places[0].userid, "bob", "{}", game.name());
    }
}

#[test]
fn a_letter_reports_results_and_places_once_a_week() {
    let mut inside = ladder();
    inside.pass(TimeDelta::hours(1));
    play(&mut inside, "alice", "carol", true);
    let letters = wait(&mut inside, 8);
    for to in PLAYERS {
        let reports: Vec<_> =
            letters[&format!("{to}@example.org")].iter().filter(|letter| letter.contains("New results")).collect();
        assert_eq!(reports.len(), 1, "{to}");
        assert!(reports[0].contains("alice 0:1 carol") && reports[0].contains("  1  carol"), "{}", reports[0]);
    }
    let report = letters["dave@example.org"].concat();
    let asks = "You may challenge carol, alice and bob. To do so, reply to this letter with:";
    assert!(flat(&report).contains(asks), "{report}");
    assert!(report.contains("    event challenge spring bob\n"), "{report}");
    let letters = wait(&mut inside, 7);
    assert!(letters.values().flatten().all(|letter| !letter.contains("New results")), "{letters:#?}");
}

#[test]
fn a_challenge_has_a_comment_by_mail_in_the_shell_and_on_the_page() {
    let mut server = Server::with_players();
    server.configure("[events]\nplayers = true\n");
    done(&server, "signup carol carpenter carol@example.org");
    done(&server, "event new climb hex --kind=ladder alice wonderland");
    for player in ["alice wonderland", "bob builder", "carol carpenter"] {
        done(&server, &format!("join climb {player}"));
    }
    server.letters();
    let letters = server.mail("bob@example.org", "event challenge climb alice bob builder", "Good luck!\n");
    let letter = to(&letters, "alice@example.org").text();
    assert!(letter.contains("Good luck!"), "{letter}");
    done(&server, "resign 1 bob builder");
    server.letters();
    done(&server, "event challenge climb alice carol carpenter --say=Enjoy");
    let letters = server.letters();
    let letter = to(&letters, "alice@example.org").text();
    assert!(letter.contains("Enjoy"), "{letter}");
    done(&server, "resign 2 carol carpenter");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    bob.fill("/events/climb", &[("challenge", "alice"), ("say", "Once more")]);
    assert!(bob.get("/boards/3").text().contains("Once more"));
}

#[test]
fn a_block_hides_comments_and_does_not_protect_a_place() {
    let mut server = Server::with_players();
    server.configure("[events]\nplayers = true\n");
    done(&server, "event new climb hex --kind=ladder alice wonderland");
    for player in ["alice wonderland", "bob builder"] {
        done(&server, &format!("join climb {player}"));
    }
    done(&server, "block alice wonderland bob");
    server.letters();
    let letters = server.mail("bob@example.org", "event challenge climb alice bob builder", "You coward\n");
    let letter = to(&letters, "alice@example.org").text();
    assert!(letter.contains("bob challenges you to Hex") && !letter.contains("coward"), "{letter}");
    let shown = server.mail("alice@example.org", "hex history 1", "");
    assert!(!to(&shown, "alice@example.org").text().contains("coward"), "{shown:?}");
    done(&server, "chat 1 bob builder --say=Coward");
    assert!(letter_to(&server.letters(), "alice@example.org").is_none());
    let help = joined(&done(&server, "help block"));
    assert!(help.contains("You may still meet them in leagues, cups and ladders"), "{help}");
}

#[test]
fn idle_players_sink_by_one_place_each_week() {
    let mut inside = ladder();
    let _ = wait(&mut inside, 20);
    play(&mut inside, "bob", "carol", false);
    let _ = wait(&mut inside, 12);
    assert_eq!(places(&mut inside), PLAYERS);
    assert!(shown(&mut inside).contains("alice                 no game for 30 days"), "{}", shown(&mut inside));
    let _ = wait(&mut inside, 7);
    assert_eq!(places(&mut inside), ["bob", "alice", "carol", "dave", "erin"]);
    let _ = wait(&mut inside, 7);
    assert_eq!(places(&mut inside), ["bob", "carol", "alice", "dave", "erin"]);
    let _ = wait(&mut inside, 60);
    assert_eq!(
        places(&mut inside),
        ["bob", "carol", "alice", "dave", "erin"],
        "places do not change when all players are idle"
    );
    assert!(!shown(&mut inside).contains("no game for"), "{}", shown(&mut inside));
}

#[test]
fn a_player_who_leaves_loses_their_game_and_place() {
    let mut inside = ladder();
    challenge(&mut inside, "bob", "erin");
    let left = inside.say("bob", "leave spring bob -");
    assert!(inside.composer.answer(&left).unwrap().contains("Their game in progress there is lost."));
    assert_eq!(places(&mut inside), ["alice", "erin", "carol", "dave"]);
    let joined = inside.say("bob", "join spring bob -");
    let joined = inside.composer.answer(&joined).unwrap();
    assert!(joined.contains("bob takes part in spring and has place 5."), "{joined}");
    assert!(joined.contains("    event challenge spring OTHER bob PASSWORD"), "{joined}");
    // A player who leaves the server is removed from the ladder within a week.
    let Response::SignoffAsked { code, .. } = inside.say("carol", "signoff carol secret") else { panic!() };
    inside.say("carol", &format!("signoff carol secret {code}"));
    inside.pass(TimeDelta::days(7));
    assert_eq!(places(&mut inside), ["alice", "erin", "dave", "bob"]);
}

#[test]
fn a_ladder_begins_with_its_first_players_and_has_no_end() {
    let mut inside = with_event("--kind=ladder", &["alice"]);
    let created = inside.say("alice", "event new climb hex --kind=ladder alice -");
    assert!(flat(&inside.composer.answer(&created).unwrap()).contains("New players get the lowest place."));
    let climb = inside.say("alice", "event climb");
    assert!(inside.composer.answer(&climb).unwrap().contains("No players yet."));
    let view: EventView = event(&mut inside);
    assert!((view.row.running, view.row.next_at, view.once) == (true, None, false));
    let list = inside.say("alice", "events");
    assert!(inside.composer.answer(&list).unwrap().contains("spring: ladder, Hex"));
}

#[test]
fn a_browser_shows_places_and_challenges_with_a_button() {
    let server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    done(&server, "event new climb hex --kind=ladder alice wonderland");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    for (userid, password) in [("alice", "wonderland"), ("carol", "carpenter")] {
        let page = Visitor::logged_in(&serving.web(), userid, password).fill("/events/climb", &[("do", "join")]);
        assert_eq!(page.status, 303, "{}", page.text());
    }
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/events/climb");
    assert!(page.text().contains("You have the first place.") && !page.text().contains("name=\"challenge\""));
    let mut carol = Visitor::logged_in(&serving.web(), "carol", "carpenter");
    let page = carol.get("/events/climb");
    assert!(page.text().contains("<button name=\"challenge\" value=\"alice\""), "{}", page.text());
    let page = carol.fill("/events/climb", &[("challenge", "alice")]);
    assert_eq!((page.status, page.header("location")), (303, Some("/boards/1")), "{}", page.text());
    let page = carol.get("/events/climb");
    assert!(page.text().contains("when it ends, you may challenge again"), "{}", page.text());
    assert!(page.text().contains("against alice") && !page.text().contains("name=\"challenge\""));
    let page = carol.fill("/events/climb", &[("challenge", "alice")]);
    assert!(page.text().contains("still playing board"), "{}", page.text());
}

#[test]
fn the_place_of_a_blocked_player_becomes_free_immediately() {
    let mut inside = ladder();
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    let bob = tx.player("bob").unwrap().unwrap();
    service.block(&mut tx, &bob, now).unwrap().unwrap();
    tx.commit().unwrap();
    let places = event(&mut inside).shown.unwrap().places.into_iter();
    assert_eq!(places.map(|row| row.userid).collect::<Vec<_>>(), ["alice", "carol", "dave", "erin"]);
}

#[test]
fn a_challenge_does_not_wait_for_a_challenger_on_vacation() {
    let mut inside = ladder();
    inside.say("dave", "vacation dave - until 2027-01-20");
    challenge(&mut inside, "alice", "dave");
    let letter = flat(&inside.letters()["alice@example.org"].concat());
    assert!(letter.contains("dave is on vacation until 2027-01-20 00:00 UTC, but your clock is running."), "{letter}");
    assert!(!letter.contains("Their clock is stopped"), "{letter}");
}

#[test]
fn a_player_does_not_challenge_themselves() {
    let mut inside = ladder();
    let refused = inside.refused("dave", "event challenge spring dave dave -");
    assert!(refused.contains("This is your own userid."), "{refused}");
    let refused = inside.refused("alice", "event new SPRING hex --kind=league alice -");
    assert!(refused.contains("There is already an event spring."), "{refused}");
}
