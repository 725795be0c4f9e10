//! Ratings are stored and returned bit for bit.

use turnpost::numbers::BoardNumber;
use turnpost::rating::Rating;

use super::*;

fn rating(rating: f64) -> Rating {
    Rating { rating, deviation: 1.0 / 3.0, volatility: f64::MIN_POSITIVE }
}

fn standing(game: &str, player: PlayerId, userid: &str, points: f64) -> Standing {
    let player = named(player, userid);
    Standing { game: game.into(), player, rating: rating(points), wins: 3, losses: 2, draws: 1 }
}

fn bits(rating: Rating) -> [u64; 3] {
    [rating.rating, rating.deviation, rating.volatility].map(f64::to_bits)
}

pub fn standings_are_stored_and_listed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!(tx.standing("marque", alice).unwrap(), None);
    let low = standing("marque", alice, "Alice", 1_200.1 + 0.2);
    let high = standing("marque", bob, "bob", f64::from_bits(1_500_f64.to_bits() + 1));
    let other = standing("chess", bob, "bob", 1500.0);
    for standing in [&high, &low, &other, &Standing { wins: 9, ..low.clone() }, &low] {
        tx.set_standing(standing).unwrap();
    }
    let kept = tx.standing("marque", bob).unwrap().unwrap();
    assert_eq!((bits(kept.rating), &kept), (bits(high.rating), &high));
    assert_eq!(tx.standings("marque").unwrap(), [high.clone(), low.clone()]);
    assert_eq!(tx.standings_of(bob).unwrap(), [other, high]);
    assert_eq!(tx.standings_of(alice).unwrap(), std::slice::from_ref(&low));
    let unsure = Rating { deviation: 0.0, ..low.rating };
    assert!(refuses(&mut tx, |tx| tx.set_standing(&Standing { rating: unsure, ..low })), "a deviation cannot be zero");
}

pub fn a_page_of_the_standings_lists_current_players(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("carol", "$argon2$c", at(0)).unwrap();
    for (player, points) in [(alice, 1500.0), (bob, 1600.0), (carol, 1500.0)] {
        tx.set_standing(&standing("marque", player, "x", points)).unwrap();
    }
    tx.set_standing(&standing("chess", alice, "x", 1900.0)).unwrap();
    let page = |tx: &Transaction<'_>, skip: u32, most: u32| {
        let standings = tx.standings_page("marque", skip, most).unwrap();
        for standing in &standings {
            assert_eq!(tx.standing("marque", standing.player.id).unwrap().as_ref(), Some(standing));
        }
        standings.into_iter().map(|standing| standing.player.userid).collect::<Vec<_>>()
    };
    assert_eq!(page(&tx, 0, 9), ["bob", "Alice", "carol"], "equal ratings are ordered by userid");
    assert_eq!(page(&tx, 1, 1), ["Alice"]);
    tx.rename(alice, "Dora").unwrap();
    tx.set_standing(&standing("marque", bob, "bob", 1400.0)).unwrap();
    assert_eq!(page(&tx, 0, 9), ["carol", "Dora", "bob"]);
    tx.leave(carol, at(5)).unwrap();
    tx.set_standing(&standing("marque", carol, "carol", 1700.0)).unwrap();
    assert_eq!(page(&tx, 0, 9), ["Dora", "bob"]);
    assert_eq!(tx.standings("marque").unwrap().len(), 3);
}

pub fn boards_are_rated_in_the_order_in_which_they_end(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for _ in 0..3 {
        tx.add_board(&board([alice, bob])).unwrap();
    }
    let unrated = tx.add_board(&NewBoard { terms: terms(false, false), ..board([alice, bob]) }).unwrap();
    let changes = |points: f64| {
        [points, -points].map(|change| RatingChange { before: rating(1500.0), after: rating(1500.0 + change / 3.0) })
    };
    assert!(tx.rate_board(BoardNumber(1), &changes(1.0)).is_err(), "a board in progress cannot be rated");
    for number in [3, 1, 4].map(BoardNumber).into_iter().chain([unrated]) {
        tx.end_board(number, &result(Some(Seat::First), "no moves")).unwrap();
    }
    for number in [3, 1, 4] {
        tx.rate_board(BoardNumber(number), &changes(f64::from(number))).unwrap();
        assert!(tx.rate_board(BoardNumber(number), &changes(1.0)).is_err(), "a board can be rated only once");
    }
    assert!(tx.rate_board(unrated, &changes(1.0)).is_err() && tx.rate_board(BoardNumber(99), &changes(1.0)).is_err());
    assert_eq!(tx.rated_boards().unwrap(), numbers(&[3, 1, 4]));
    let rated_as = |number| tx.board(BoardNumber(number)).unwrap().unwrap().rated_as;
    assert_eq!([1, 2, 3, 4].map(rated_as), [Some(2), None, Some(1), Some(3)]);
    let kept = tx.rating_changes(BoardNumber(4)).unwrap().unwrap();
    assert_eq!(kept.map(|change| bits(change.after)), changes(4.0).map(|change| bits(change.after)));
    assert_eq!((kept, tx.rating_changes(BoardNumber(2)).unwrap()), (changes(4.0), None));
}
