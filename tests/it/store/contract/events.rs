//! Events with their entrants, editions and boards, and the ratings of absent players.

use turnpost::clock::Span;
use turnpost::command::EventKind;
use turnpost::rating::Rating;

use super::*;

fn league() -> NewEvent {
    NewEvent {
        name: "Spring".into(),
        kind: EventKind::League,
        game: "marque".into(),
        options: "-opposite".into(),
        terms: terms(true, false),
        size: 8,
        twice: true,
        once: false,
        created_at: at(1),
    }
}

fn edition(ended_at: Option<DateTime<Utc>>) -> Edition {
    Edition { number: 1, started_at: at(2), reported_at: at(3), latest_at: Some(at(90)), ended_at }
}

pub fn an_event_has_entrants_editions_and_boards(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let id = tx.add_event(&league(), at(5)).unwrap();
    let event = Event { id, what: league(), due_at: Some(at(5)) };
    assert_eq!(tx.event("SPRING").unwrap().as_ref(), Some(&event));
    assert_eq!((tx.event_by_id(id).unwrap(), tx.events().unwrap()), (Some(event.clone()), vec![event]));
    assert!(refuses(&mut tx, |tx| tx.add_event(&NewEvent { name: "sprinG".into(), ..league() }, at(5))));
    assert_eq!((tx.due_events(at(4), 9).unwrap(), tx.due_events(at(5), 9).unwrap()), (vec![], vec![id]));

    for (player, minute) in [(bob, 2), (alice, 3), (bob, 4)] {
        tx.join_event(id, player, at(minute)).unwrap();
    }
    tx.set_absent(id, alice).unwrap();
    let entrants = |tx: &Transaction<'_>| -> Vec<(PlayerId, DateTime<Utc>, bool)> {
        tx.entrants(id).unwrap().into_iter().map(|of| (of.player.id, of.joined_at, of.absent)).collect()
    };
    assert_eq!(entrants(&tx), [(bob, at(2), false), (alice, at(3), true)]);
    tx.join_event(id, alice, at(5)).unwrap();
    assert_eq!(entrants(&tx)[1], (alice, at(3), false));
    assert!(tx.leave_event(id, bob).unwrap() && !tx.leave_event(id, bob).unwrap());

    assert_eq!(tx.entrant_counts().unwrap(), [(id, 1)]);

    assert_eq!(tx.last_editions().unwrap(), []);
    tx.set_edition(id, &edition(None)).unwrap();
    assert_eq!(tx.editions(id).unwrap(), [edition(None)]);
    assert_eq!(tx.last_editions().unwrap(), [(id, edition(None))]);
    let player = |id: PlayerId, userid: &str, place: u32| Participant {
        player: named(id, userid),
        division: 1,
        place,
        withdrawn: None,
        rank: None,
    };
    let last = |place: u32, rank: u32| Participant { rank: Some(rank), ..player(alice, "Alice", place) };
    tx.set_participant(id, 1, &player(alice, "Alice", 1)).unwrap();
    let withdrawn = Participant { withdrawn: Some(Withdrawal::Lost), ..player(bob, "Bob", 2) };
    tx.set_participant(id, 1, &withdrawn).unwrap();
    let userids = tx.participants(id, 1).unwrap();
    assert_eq!(
        userids.iter().map(|of| (of.place, of.withdrawn)).collect::<Vec<_>>(),
        [(1, None), (2, Some(Withdrawal::Lost))]
    );
    assert_eq!((tx.titles(alice).unwrap(), tx.winners(id).unwrap()), (vec![], vec![]));
    tx.set_participant(id, 1, &last(1, 1)).unwrap();
    assert_eq!(tx.titles(alice).unwrap(), [EditionRef { name: "Spring".into(), edition: 1 }]);
    assert_eq!(tx.winners(id).unwrap(), [(1, "Alice".to_owned())]);

    // When a board of an event ends, the event becomes due.
    let number = tx.add_board(&board([alice, bob])).unwrap();
    let place = BoardPlace { division: 1, round: 2, slot: 3 };
    tx.add_event_board(id, 1, place, number).unwrap();
    assert_eq!(tx.event_of_board(number).unwrap(), Some((id, 1)));
    assert_eq!(tx.board(number).unwrap().unwrap().event, Some(EditionRef { name: "Spring".into(), edition: 1 }));
    tx.set_event_due(id, Some(at(500))).unwrap();
    tx.end_board(number, &result(Some(Seat::First), "time")).unwrap();
    let ended = tx.board(number).unwrap().unwrap().result.unwrap().ended_at;
    assert_eq!(tx.event_by_id(id).unwrap().unwrap().due_at, Some(ended));
    let boards = tx.event_boards(id, 1).unwrap();
    assert_eq!((boards.len(), boards[0].number, boards[0].place), (1, number, place));
    assert_eq!((boards[0].winner, boards[0].ended_at), (Some(Seat::First), Some(ended)));
    assert_eq!(boards[0].reason, Some(ResultReason::Time));
    let recent = |tx: &Transaction<'_>, since| tx.recent_event_boards(id, 1, since).unwrap().len();
    assert_eq!((boards[0].settled, recent(&tx, ended)), (false, 1));
    tx.settle_event_board(number, ended).unwrap();
    assert_eq!((recent(&tx, ended), recent(&tx, ended - TimeDelta::seconds(1))), (0, 1));
    tx.reopen_board(number).unwrap();
    assert_eq!((tx.event_boards(id, 1).unwrap()[0].settled, recent(&tx, ended)), (false, 1));
    tx.commit().unwrap();
}

pub fn two_players_share_an_edition(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let both = |tx: &Transaction<'_>| {
        assert_eq!(tx.edition_of_both(alice, bob).unwrap(), tx.edition_of_both(bob, alice).unwrap());
        tx.edition_of_both(alice, bob).unwrap().map(|edition| edition.name)
    };
    let mut of = Participant { player: named(alice, "Alice"), division: 1, place: 1, withdrawn: None, rank: None };
    for (name, kind) in [("Climb", EventKind::Ladder), ("Spring", EventKind::Cup)] {
        let id = tx.add_event(&NewEvent { name: name.into(), kind, ..league() }, at(5)).unwrap();
        tx.set_edition(id, &edition(None)).unwrap();
        of.player = named(alice, "Alice");
        tx.set_participant(id, 1, &of).unwrap();
        assert_eq!(both(&tx), None);
        of.player = named(bob, "Bob");
        tx.set_participant(id, 1, &of).unwrap();
        assert_eq!(both(&tx).as_deref(), Some(name));
        // A player who has left a ladder loses their place. A player who has left a cup still has their seed.
        tx.set_participant(id, 1, &Participant { withdrawn: Some(Withdrawal::Lost), ..of.clone() }).unwrap();
        assert_eq!(both(&tx).is_some(), kind == EventKind::Cup);
        tx.set_edition(id, &edition(Some(at(9)))).unwrap();
        assert_eq!(both(&tx).is_some(), kind == EventKind::Cup, "the edition is found after its end");
    }
    tx.commit().unwrap();
}

pub fn an_absence_is_found_until_its_player_acts(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let first = tx.add_board(&board([alice, bob])).unwrap();
    let second = tx.add_board(&board([alice, bob])).unwrap();
    let by_clock = result(Some(Seat::First), "time");
    tx.end_board(first, &by_clock).unwrap();
    let within = Span { from: by_clock.ended_at - TimeDelta::days(30), until: by_clock.ended_at + TimeDelta::days(1) };
    assert!(!tx.forfeited_before(bob, second, &within).unwrap(), "the first board is not rated");
    let change = RatingChange { before: Rating::default(), after: Rating::default() };
    tx.rate_board(first, &[change, change]).unwrap();
    assert!(tx.forfeited_before(bob, second, &within).unwrap());
    assert!(
        !tx.forfeited_before(alice, second, &within).unwrap() && !tx.forfeited_before(bob, first, &within).unwrap()
    );
    let later = Span { from: by_clock.ended_at, ..within };
    assert!(!tx.forfeited_before(bob, second, &later).unwrap(), "the forfeit is too long ago");
}
