//! The results of a player. They include only boards that the reader may see.

use turnpost::rating::Rating;

use super::*;

fn rating(rating: f64) -> Rating {
    Rating { rating, deviation: 80.0, volatility: 0.06 }
}

pub fn results_include_the_newest_boards_that_a_reader_may_see(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    // Board 1 is in progress. alice has won board 2, has lost board 3, which is private, and has drawn board 4, which
    // is unrated. On board 5, alice plays both sides. Board 6 is declined.
    for (private, rated, players) in [
        (false, true, [alice, bob]),
        (true, true, [bob, alice]),
        (false, false, [alice, bob]),
        (false, false, [alice, alice]),
        (false, true, [alice, bob]),
    ] {
        tx.add_board(&NewBoard { terms: terms(rated, private), ..board(players) }).unwrap();
    }
    for (number, winner) in [(2, Some(Seat::First)), (3, Some(Seat::First)), (4, None), (5, None)] {
        tx.end_board(BoardNumber(number), &result(winner, "no moves")).unwrap();
    }
    tx.end_without_result(BoardNumber(6), NoResult::Declined, Some(bob), at(2)).unwrap();
    // Board 3 is rated before board 2, because it ended first.
    for (number, after) in [(3, 1400.0), (2, 1450.0)] {
        let change = |after| RatingChange { before: rating(1500.0), after: rating(after) };
        let own = usize::from(number == 3);
        let mut changes = [change(1600.0), change(1600.0)];
        changes[own] = change(after);
        tx.rate_board(BoardNumber(number), &changes).unwrap();
    }
    let counted = |player: PlayerId, shown_to: ShownTo, most: u32| {
        let counts = tx.results(player, shown_to, most).unwrap();
        let counts =
            counts.into_iter().map(|count| (count.game, count.opponent.userid, [count.won, count.lost, count.drawn]));
        counts.collect::<Vec<_>>()
    };
    let against = |userid: &str, counts: [u32; 3]| vec![("marque".to_owned(), userid.to_owned(), counts)];
    assert_eq!(counted(alice, ShownTo::Everybody, 100), against("bob", [1, 0, 1]));
    assert_eq!(counted(alice, ShownTo::Player(PlayerId(99)), 100), against("bob", [1, 0, 1]));
    assert_eq!(counted(alice, ShownTo::Player(alice), 100), against("bob", [1, 1, 1]));
    assert_eq!(counted(alice, ShownTo::Player(bob), 100), against("bob", [1, 1, 1]));
    assert_eq!(counted(bob, ShownTo::Administrator, 100), against("Alice", [1, 1, 1]));
    // Board 6 is not one of the newest boards, because it is declined. If only boards 4 and 5 are searched, the draw on
    // board 4 is the only result.
    assert_eq!(counted(alice, ShownTo::Administrator, 2), against("bob", [0, 0, 1]));
    assert_eq!(counted(alice, ShownTo::Administrator, 3), against("bob", [0, 1, 1]));
    assert_eq!(counted(PlayerId(99), ShownTo::Administrator, 3), []);
    let rated = |shown_to: ShownTo, most: u32| {
        let points = tx.rating_points(alice, shown_to, most).unwrap();
        points.into_iter().map(|point| (point.game, point.rating, point.ended_at)).collect::<Vec<_>>()
    };
    let point = |rating: f64| ("marque".to_owned(), rating, at(90));
    assert_eq!(rated(ShownTo::Player(alice), 100), [point(1400.0), point(1450.0)]);
    assert_eq!(rated(ShownTo::Everybody, 100), [point(1450.0)]);
    assert_eq!(rated(ShownTo::Player(alice), 2), []);
}

pub fn ratings_are_counted_in_ranges(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("carol", "$argon2$c", at(0)).unwrap();
    let standing = |player, points| Standing {
        game: "marque".into(),
        player: named(player, "x"),
        rating: rating(points),
        wins: 1,
        losses: 0,
        draws: 0,
    };
    for (player, points) in [(alice, 1499.9), (bob, 1500.0), (carol, 1549.0)] {
        tx.set_standing(&standing(player, points)).unwrap();
    }
    assert_eq!(tx.rating_distribution("marque").unwrap(), [(1450, 1), (1500, 2)]);
    assert_eq!(tx.rating_distribution("lazo").unwrap(), []);
    tx.leave(carol, at(5)).unwrap();
    assert_eq!(tx.rating_distribution("marque").unwrap(), [(1450, 1), (1500, 1)]);
    // carol has left, so carol's rating is not in the distribution. The new rating of alice moves to another interval.
    tx.set_standing(&standing(carol, 1601.0)).unwrap();
    tx.set_standing(&standing(alice, 1503.0)).unwrap();
    assert_eq!(tx.rating_distribution("marque").unwrap(), [(1500, 2)]);
    tx.remove_standing("marque", bob).unwrap();
    assert_eq!(tx.rating_distribution("marque").unwrap(), [(1500, 1)]);
    assert!(tx.miscounted_ratings().unwrap().is_empty());
}
