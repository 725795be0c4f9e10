//! Races between two nodes over forfeits, digests and ratings. The nodes must not repeat or reorder this work.

use crate::common::database::sql;
use crate::common::done;
use crate::common::serving::{Serving, wait_until};
use crate::several_nodes::{LMTP, all_sent, peer_of, post, stopped, two_nodes};

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn two_nodes_forfeit_a_board_once() {
    const BOARDS: usize = 20;
    let (mut one, mut other) = two_nodes();
    for _ in 0..BOARDS {
        done(&one, "marque challenge alice bob");
    }
    for board in 1..=BOARDS {
        done(&one, &format!("marque move {board} alice wonderland f3"));
        done(&one, &format!("marque move {board} bob wonderland f4"));
    }
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    let long_ago = "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z' WHERE number > 0";
    sql(&one, long_ago);
    wait_until("reminders about all boards", || {
        (sql(&one, "SELECT count(*) FROM outbox WHERE kind = 'reminder' AND sent_at IS NOT NULL") == BOARDS.to_string())
            .then_some(())
    });
    all_sent([&mut one, &mut other]);
    sql(&one, "UPDATE outbox SET sent_at = '2020-01-09T00:00:00Z' WHERE kind = 'reminder'");
    sql(&one, "UPDATE boards SET clock_due_at = '2020-01-12T00:00:00Z' WHERE number > 0");
    wait_until("all boards to end", || {
        (sql(&one, "SELECT count(*) FROM boards WHERE ended_at IS NULL") == "0").then_some(())
    });
    let letters = all_sent([&mut one, &mut other]);
    // Each player is notified of each board exactly once, in one or more letters.
    for player in ["alice", "bob"] {
        let address = format!("{player}@example.org");
        let texts: String = letters.iter().filter(|letter| letter.to() == address).map(|l| l.text()).collect();
        for board in 1..=BOARDS {
            assert_eq!(texts.matches(&format!("Marque board {board}:")).count(), 1, "{board}\n{texts}");
        }
    }
    done(&one, "admin check");
    stopped(serving);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn notices_from_two_nodes_form_one_digest() {
    let (mut one, mut other) = two_nodes();
    for player in 1..=6 {
        done(&one, &format!("marque challenge player{player} bob"));
    }
    done(&one, "set bob wonderland rhythm=daily@18");
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    all_sent([&mut one, &mut other]);
    let mut peers = [peer_of(&one), peer_of(&other)];
    for player in 1..=6 {
        let line = format!("marque move {player} player{player} wonderland f3");
        post(&one.compose(&format!("player{player}@example.org"), &line, "Hello!"), &mut peers[player % 2]);
    }
    let for_bob = "FROM outbox o JOIN players p ON p.id = o.player WHERE p.userid = 'bob' AND sent_at IS NULL";
    wait_until("notices about all moves", || (sql(&one, &format!("SELECT count(*) {for_bob}")) == "6").then_some(()));
    sql(&one, &format!("UPDATE outbox SET due_at = '2020-01-01T18:00:00Z' WHERE id IN (SELECT o.id {for_bob})"));
    let letters = all_sent([&mut one, &mut other]);
    let to_bob: Vec<_> = letters.iter().filter(|letter| letter.to() == "bob@example.org").collect();
    assert_eq!(to_bob.len(), 1, "{to_bob:#?}");
    for player in 1..=6 {
        assert!(to_bob[0].text().contains(&format!("Marque board {player}:")), "{}", to_bob[0].text());
    }
    stopped(serving);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn games_that_end_at_two_nodes_are_rated_one_after_the_other() {
    const GAMES: usize = 24;
    let (mut one, mut other) = two_nodes();
    // Each player has many boards, so that each rating depends on those before it.
    let players = |game: usize| [game % 6 + 1, (game + game / 6 + 1) % 6 + 1];
    for game in 0..GAMES {
        let [first, second] = players(game);
        done(&one, &format!("brique challenge player{first} player{second}"));
        done(&one, &format!("brique move {} player{first} wonderland h8", game + 1));
        done(&one, &format!("brique move {} player{second} wonderland j9", game + 1));
    }
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    let mut peers = [peer_of(&one), peer_of(&other)];
    for game in 0..GAMES {
        let [loser, _] = players(game);
        let line = format!("brique resign {} player{loser} wonderland", game + 1);
        post(&one.compose(&format!("player{loser}@example.org"), &line, ""), &mut peers[game % 2]);
    }
    all_sent([&mut one, &mut other]);
    assert_eq!(sql(&one, "SELECT count(*) FROM boards WHERE ended_at IS NULL"), "0");
    assert_eq!(sql(&one, "SELECT count(*) FROM rating_changes"), (2 * GAMES).to_string());
    // The check recomputes all ratings from the results.
    assert!(done(&one, "admin check").contains("no difference"));
    stopped(serving);
}
