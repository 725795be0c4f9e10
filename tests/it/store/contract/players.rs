//! Players, their settings and vacations, and the data that remains after they leave.

use turnpost::command::{
    Challengers, ChatReaders, Dmarc, Hints, MailForm, OwnLetters, Reminders, Rhythm, Settings, Strangers,
    UnsolicitedLetters, ZoneName,
};
use turnpost::draw::Theme;

use super::*;

pub fn userids_and_confirmed_addresses_are_unique(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert!(refuses(&mut tx, |tx| tx.add_player("ALICE", "x", at(0))), "userids cannot differ only in case");
    assert_eq!(tx.player("aLICE").unwrap().unwrap().userid, "Alice");
    assert_eq!(tx.players().unwrap().len(), 2);
    for userid in ["Bobby", "al-1", "zed"] {
        tx.add_player(userid, "x", at(0)).unwrap();
    }
    assert_eq!(tx.userids("", 9).unwrap(), ["al-1", "Alice", "bob", "Bobby", "zed"]);
    assert_eq!(
        (tx.userids("AL", 9).unwrap(), tx.userids("b", 1).unwrap()),
        (vec!["al-1".into(), "Alice".into()], vec!["bob".into()])
    );
    assert_eq!(tx.userids("c", 9).unwrap(), [""; 0]);
    let zed = tx.player("zed").unwrap().unwrap().id;
    tx.leave(zed, at(1)).unwrap();
    let first = |most| tx.first_players(most).unwrap().into_iter().map(|player| player.userid).collect::<Vec<_>>();
    assert_eq!(
        (first(9), first(2)),
        (vec!["al-1".into(), "Alice".into(), "bob".into(), "Bobby".into()], vec!["al-1".into(), "Alice".into()])
    );
    tx.set_password(alice, "new").unwrap();
    assert_eq!(tx.player("alice").unwrap().unwrap().password_hash, "new");
    tx.add_address(alice, "A@example.org", Some("111"), at(1)).unwrap();
    tx.add_address(bob, "a@Example.org", Some("222"), at(1)).unwrap();
    assert!(tx.player_by_address("a@example.org").unwrap().is_none(), "no player has confirmed the address");
    assert_eq!(tx.confirm_address(alice, "222", at(2)).unwrap(), None);
    assert_eq!(tx.confirm_address(alice, "111", at(2)).unwrap().as_deref(), Some("A@example.org"));
    assert_eq!(tx.confirm_address(bob, "222", at(2)).unwrap(), None, "another player has confirmed the address");
    assert_eq!(tx.player_by_address("a@EXAMPLE.org").unwrap().unwrap().id, alice);
    tx.add_address(alice, "second@example.org", None, at(3)).unwrap();
    assert_eq!(tx.addresses(alice).unwrap()[1].confirmed_at, Some(at(3)));
    tx.remove_address(alice, "A@EXAMPLE.ORG").unwrap();
    assert_eq!(tx.addresses(alice).unwrap().len(), 1);
}

pub fn acts_are_counted_by_kind_source_and_time(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let count = |tx: &mut Transaction<'_>, kind, of, source, minute| tx.count(kind, of, source, at(minute)).unwrap();
    let counted = |tx: &Transaction<'_>, kind, by, from, until| tx.counted(kind, by, &span(from, until)).unwrap();
    let (wrong, letter, request) = (CountedKind::WrongPassword, CountedKind::Letter, CountedKind::PasswordRequest);
    count(&mut tx, wrong, "alice", "A@x", 0);
    count(&mut tx, letter, "V@x", "a@x", 0);
    count(&mut tx, wrong, "alice", "a@x", 5);
    count(&mut tx, wrong, "bob", "a@x", 5);
    count(&mut tx, wrong, "alice", "b@x", 5);
    let (alices, any) = (CountedBy::Both { of: "alice", source: "a@X" }, CountedBy::Source("a@X"));
    let wrongs = |tx: &Transaction<'_>, by, from, until| counted(tx, wrong, by, from, until);
    assert_eq!([wrongs(&tx, alices, 1, 9), wrongs(&tx, alices, 0, 9), wrongs(&tx, any, 0, 9)], [1, 2, 3]);
    assert_eq!([wrongs(&tx, alices, 0, 5), wrongs(&tx, any, 0, 6)], [1, 3], "later entries are not counted");
    count(&mut tx, letter, "v@x", "b@x", 5);
    let letters_to = |tx: &Transaction<'_>, from, until| counted(tx, letter, CountedBy::Of("v@X"), from, until);
    let letters_from = |source, until| counted(&tx, letter, CountedBy::Source(source), 0, until);
    assert_eq!([letters_to(&tx, 0, 9), letters_to(&tx, 1, 9), letters_to(&tx, 0, 5)], [2, 1, 1]);
    assert_eq!([letters_from("A@x", 9), letters_from("v@x", 9), letters_from("b@x", 5)], [1, 0, 0]);
    let refusals = |in_a_row| Refusals { in_a_row, answered_at: Some(at(7)) };
    for now in [refusals(1), refusals(2), Refusals::default()] {
        match now.answered_at {
            Some(_) => count(&mut tx, CountedKind::Refusal, "V@x", "", 7),
            None => tx.end_refusals("V@x").unwrap(),
        }
        assert_eq!(tx.refusals("v@x", &span(0, 9)).unwrap(), now);
    }
    for minute in [5, 9, 7] {
        count(&mut tx, CountedKind::Refusal, "w@x", "", minute);
    }
    assert_eq!(tx.refusals("W@x", &span(0, 9)).unwrap(), refusals(3));
    assert_eq!(tx.all_refusals(&span(0, 9)).unwrap(), [("w@x".to_owned(), refusals(3))]);
    assert_eq!(tx.refusals("w@x", &span(6, 7)).unwrap(), Refusals { in_a_row: 3, answered_at: None });
    let acts = |tx: &Transaction<'_>| {
        let acts = tx.counted_acts(&span(0, 9)).unwrap().into_iter();
        let mut acts: Vec<_> = acts.map(|act| (act.source.to_lowercase(), act.of.to_lowercase(), act.at)).collect();
        acts.sort();
        acts
    };
    let all = acts(&tx);
    assert!(all.contains(&("a@x".into(), "v@x".into(), at(0))) && all.len() == 6, "{all:?}");
    tx.forget_counted("A@X").unwrap();
    assert_eq!(acts(&tx), ["alice", "v@x"].map(|of| ("b@x".into(), of.into(), at(5))));
    tx.forget_counted("W@x").unwrap();
    assert_eq!(tx.all_refusals(&span(0, 9)).unwrap(), []);
    // Counted acts older than a week are deleted, and so are those whose time is in the future.
    let day = 24 * 60;
    for (days, left) in [(0, 1), (6, 2), (8, 2), (3, 1)] {
        count(&mut tx, wrong, "alice", "c@x", days * day);
        count(&mut tx, letter, "w@x", "c@x", days * day);
        count(&mut tx, request, "", "c@x", days * day);
        let by =
            [(wrong, CountedBy::Source("c@x")), (letter, CountedBy::Of("w@x")), (request, CountedBy::Source("c@x"))];
        assert_eq!(by.map(|(kind, by)| counted(&tx, kind, by, 0, 9 * day)), [left; 3], "day {days}");
    }
    // Counted refusals are not deleted by age, but only when a command succeeds.
    for days in [0, 9] {
        count(&mut tx, CountedKind::Refusal, "w@x", "", days * day);
    }
    let two = Refusals { in_a_row: 2, answered_at: Some(at(9 * day)) };
    assert_eq!(tx.refusals("w@x", &span(0, 10 * day)).unwrap(), two);
}

pub fn sessions_and_links_expire(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for minute in [1, 5, 9] {
        tx.begin_session(&[minute; 32], alice, at(minute.into())).unwrap();
        tx.add_login_link(alice, LinkPurpose::Login, at(minute.into())).unwrap();
        tx.count(CountedKind::PasswordRequest, "", "A@x", at(minute.into())).unwrap();
    }
    let sessions = |tx: &Transaction<'_>, from, until| {
        [1, 5, 9].map(|minute| tx.session(&[minute; 32], &span(from, until)).unwrap() == Some(alice))
    };
    assert_eq!(sessions(&tx, 1, 9), [true, true, false]);
    assert_eq!(sessions(&tx, 2, 10), [false, true, true]);
    assert!(tx.has_session(alice, &span(9, 10)).unwrap() && !tx.has_session(alice, &span(6, 9)).unwrap());
    let links = |tx: &Transaction<'_>, from, until| {
        let links = |purpose| tx.login_links(alice, purpose, &span(from, until)).unwrap();
        [links(LinkPurpose::Login), links(LinkPurpose::Password)]
    };
    assert_eq!([links(&tx, 1, 9), links(&tx, 2, 10)], [[2, 0]; 2]);
    let requests = |tx: &Transaction<'_>, from, until| {
        tx.counted(CountedKind::PasswordRequest, CountedBy::Source("a@x"), &span(from, until)).unwrap()
    };
    assert_eq!([requests(&tx, 1, 9), requests(&tx, 1, 10)], [2, 3]);
    tx.count(CountedKind::PasswordRequest, "", "b@x", at(7 * 24 * 60 + 3)).unwrap();
    assert_eq!(requests(&tx, 0, 99), 2);
    tx.forget_sessions(&span(2, 7)).unwrap();
    assert_eq!(sessions(&tx, 0, 99), [false, true, true], "no session ends while the clock is behind");
    assert_eq!(links(&tx, 0, 99), [1, 0]);
}

pub fn a_player_who_never_played_is_removed(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("Carol", "x", at(1)).unwrap();
    tx.add_address(carol, "c@x", Some("1"), at(5)).unwrap();
    tx.begin_session(&[1; 32], carol, at(1)).unwrap();
    let unconfirmed = |tx: &Transaction<'_>, from, until| tx.unconfirmed_players(&span(from, until)).unwrap();
    assert_eq!((unconfirmed(&tx, 5, 6), unconfirmed(&tx, 6, 7)), (vec![], vec![carol]));
    // carol's address was added while the clock was ahead. It is treated as old once an address that was added later is
    // old.
    let dave = tx.add_player("dave", "x", at(1)).unwrap();
    tx.remove_address(carol, "c@x").unwrap();
    tx.add_address(carol, "c@x", Some("1"), at(50)).unwrap();
    assert!(unconfirmed(&tx, 6, 7).is_empty());
    tx.add_address(dave, "d@x", Some("1"), at(5)).unwrap();
    assert_eq!((unconfirmed(&tx, 5, 7), unconfirmed(&tx, 6, 7)), (vec![], vec![carol, dave]));
    tx.block(alice, dave, at(6)).unwrap();
    assert!(tx.remove_player(dave).unwrap());
    assert!(!tx.remove_player(alice).unwrap() && tx.player("alice").unwrap().is_some());
    assert!(tx.remove_player(carol).unwrap() && tx.player("carol").unwrap().is_none());
    tx.add_player("carol", "x", at(7)).unwrap();
}

pub fn an_address_is_paused_and_resumed(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    tx.add_address(alice, "a@example.org", None, at(1)).unwrap();
    tx.add_address(alice, "new@example.org", Some("111"), at(1)).unwrap();
    tx.pause_address(alice, "A@example.org", "550 5.1.1", at(2)).unwrap();
    let paused = |tx: &Transaction<'_>| tx.addresses(alice).unwrap()[0].paused.clone();
    assert_eq!(paused(&tx), Some(Pause { since: at(2), why: "550 5.1.1".to_owned() }));
    assert!(tx.pause_address(alice, "new@example.org", "x", at(2)).is_err(), "an unconfirmed address cannot be paused");
    tx.resume_address(alice, "a@example.org").unwrap();
    assert_eq!(paused(&tx), None);
    for set in [true, false] {
        tx.set_replaced(alice, "A@example.org", set).unwrap();
        let found: Vec<bool> = tx.addresses(alice).unwrap().iter().map(|known| known.replaced).collect();
        assert_eq!(found, [set, false]);
    }
}

pub fn settings_are_returned_as_they_were_set(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let player = tx.player("alice").unwrap().unwrap();
    assert_eq!(
        (player.settings, player.signoff, player.left_at, player.blocked_at),
        (Settings::default(), None, None, None)
    );
    let settings = Settings {
        mail: MailForm::Accessible,
        rhythm: Rhythm::Daily(18),
        reminders: Reminders::Last,
        zone: ZoneName("Europe/Berlin".into()),
        weekend: "sat,sun".parse().unwrap(),
        night: "22-8".parse().unwrap(),
        letters: UnsolicitedLetters::None,
        own: OwnLetters::On,
        dmarc: Dmarc::Required,
        theme: Theme::Slate,
        hints: Hints::On,
        chat: ChatReaders::Players,
        challenges: Challengers::Within(200),
        strangers: Strangers(0),
    };
    tx.set_settings(alice, &settings).unwrap();
    tx.set_blocked(alice, Some(at(8))).unwrap();
    tx.begin_signoff(alice, "abc", at(7)).unwrap();
    let player = tx.player("alice").unwrap().unwrap();
    let signoff = Signoff { code: "abc".into(), given_at: at(7) };
    assert_eq!((player.settings, player.blocked_at, player.signoff), (settings, Some(at(8)), Some(signoff)));
    assert_eq!(tx.player("bob").unwrap().unwrap().settings, Settings::default());
    assert!(
        tx.set_settings(PlayerId(99), &Settings::default()).is_err() && tx.set_blocked(PlayerId(99), None).is_err()
    );
}

pub fn a_block_ends_when_either_player_leaves(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    tx.block(alice, bob, at(1)).unwrap();
    tx.block(alice, bob, at(2)).unwrap();
    let blocked =
        |tx: &Transaction<'_>| tx.blocked_by(alice).unwrap().into_iter().map(|other| other.id).collect::<Vec<_>>();
    assert_eq!((blocked(&tx), tx.blocked_by(bob).unwrap()), (vec![bob], Vec::new()));
    assert_eq!([tx.has_blocked(alice, bob).unwrap(), tx.has_blocked(bob, alice).unwrap()], [true, false]);
    tx.unblock(alice, bob).unwrap();
    assert!(!tx.unblock(alice, bob).unwrap());
    tx.block(alice, bob, at(3)).unwrap();
    tx.leave(bob, at(4)).unwrap();
    assert_eq!(blocked(&tx), []);
    let carol = tx.add_player("carol", "x", at(5)).unwrap();
    tx.block(alice, carol, at(6)).unwrap();
    assert_eq!(blocked(&tx), [carol]);
    tx.leave(alice, at(7)).unwrap();
    assert_eq!(blocked(&tx), []);
}

pub fn a_vacation_ends_early_and_later_ones_are_removed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for (from, until) in [(50, 60), (10, 20), (30, 40), (5, 35), (70, 80)] {
        tx.add_vacation(alice, &span(from, until)).unwrap();
    }
    tx.add_vacation(alice, &span(50, 55)).unwrap();
    tx.add_vacation(bob, &span(0, 99)).unwrap();
    let all = [span(5, 35), span(10, 20), span(30, 40), span(50, 60), span(70, 80)];
    assert_eq!(
        tx.vacations(alice).unwrap(),
        all,
        "vacations are ordered by time; if two start at the same time, the longer one is stored"
    );
    assert!(refuses(&mut tx, |tx| tx.add_vacation(alice, &span(90, 90))), "a vacation cannot be empty");
    tx.cut_vacation(alice, at(55)).unwrap();
    assert_eq!(tx.vacations(alice).unwrap(), [span(5, 35), span(10, 20), span(30, 40), span(50, 55)]);
    tx.cut_vacation(alice, at(30)).unwrap();
    assert_eq!(tx.vacations(alice).unwrap(), [span(5, 30), span(10, 20)]);
    tx.cut_vacation(alice, at(30)).unwrap();
    assert_eq!((tx.vacations(alice).unwrap().len(), tx.vacations(bob).unwrap().len()), (2, 1));
}

pub fn preferences_are_stored_and_seekers_listed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!(tx.game_preferences(alice, "marque").unwrap(), GamePreferences::default());
    let preferences = GamePreferences { seeks: 2, most: Some(5) };
    tx.set_game_preferences(bob, "marque", &GamePreferences { seeks: 1, most: None }).unwrap();
    tx.set_game_preferences(alice, "marque", &GamePreferences { seeks: 7, most: None }).unwrap();
    tx.set_game_preferences(alice, "marque", &preferences).unwrap();
    tx.set_game_preferences(alice, "chess", &GamePreferences { seeks: 0, most: Some(1) }).unwrap();
    assert_eq!(tx.game_preferences(alice, "marque").unwrap(), preferences);
    assert_eq!(
        tx.seekers("marque").unwrap(),
        [(alice, "Alice", 2), (bob, "bob", 1)].map(|(id, name, seeks)| Seeker { player: named(id, name), seeks })
    );
    assert!(tx.seekers("chess").unwrap().is_empty());
}

pub fn leaving_removes_everything_except_past_games(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let span = Span { from: at(0), until: at(9) };
    let preferences = GamePreferences { seeks: 1, most: None };
    for player in [alice, bob] {
        tx.add_vacation(player, &span).unwrap();
        tx.set_game_preferences(player, "marque", &preferences).unwrap();
        tx.follow(player, &Followed::Game("marque".into()), Some(false)).unwrap();
        tx.set_note(BoardNumber(1), player, Some("hm"), at(1)).unwrap();
        let (hash, created_at) = ([u8::try_from(player.0).unwrap(); 32], at(1));
        tx.begin_session(&hash, player, created_at).unwrap();
        tx.add_token(&PersonalToken { hash, player, label: "bot".into(), created_at, used_at: None }).unwrap();
        let (url, secret) = ("https://bot.example.org/".into(), "th_x".into());
        tx.set_webhook(&Webhook { player, url, secret, created_at, failures: 0, paused: None }).unwrap();
    }
    let has_access = |tx: &Transaction<'_>, player: PlayerId| {
        let (session, tokens) = (tx.has_session(player, &span).unwrap(), tx.tokens(player).unwrap());
        [session, !tokens.is_empty(), tx.webhook(player).unwrap().is_some()]
    };
    assert_eq!([has_access(&tx, alice), has_access(&tx, bob)], [[true; 3]; 2]);
    tx.add_address(alice, "a@example.org", None, at(1)).unwrap();
    tx.add_address(alice, "b@example.org", Some("code"), at(1)).unwrap();
    tx.begin_signoff(alice, "abc", at(2)).unwrap();
    tx.leave(alice, at(3)).unwrap();
    let player = tx.player("alice").unwrap().unwrap();
    assert_eq!((player.password_hash.as_str(), player.signoff, player.left_at), ("", None, Some(at(3))));
    assert!(tx.addresses(alice).unwrap().is_empty() && tx.player_by_address("a@example.org").unwrap().is_none());
    assert_eq!(tx.confirm_address(alice, "code", at(4)).unwrap(), None);
    assert_eq!([has_access(&tx, alice), has_access(&tx, bob)], [[false; 3], [true; 3]]);
    assert_eq!(tx.game_preferences(alice, "marque").unwrap(), GamePreferences::default());
    assert!(tx.following(alice).unwrap().is_empty() && tx.note(BoardNumber(1), alice).unwrap().is_none());
    assert_eq!(tx.vacations(alice).unwrap(), [span]);
    assert_eq!(tx.players().unwrap().len(), 2, "all players are listed");
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().players[0], named(alice, "Alice"));
    assert_eq!(
        (tx.game_preferences(bob, "marque").unwrap(), tx.note(BoardNumber(1), bob).unwrap().as_deref()),
        (preferences, Some("hm"))
    );
    assert!(refuses(&mut tx, |tx| tx.add_player("ALICE", "x", at(5))), "the userid remains reserved");
}

pub fn a_player_takes_over_all_data_of_another(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("carol", "$argon2$c", at(0)).unwrap();
    for (player, address, code) in [
        (bob, "b@example.org", None),
        (bob, "shared@example.org", None),
        (carol, "Shared@example.org", Some("code")),
        (carol, "c@example.org", None),
    ] {
        tx.add_address(player, address, code, at(1)).unwrap();
    }
    for player in [bob, carol] {
        tx.follow(player, &Followed::Game("marque".into()), Some(false)).unwrap();
        tx.set_muted(player, BoardNumber(1), true).unwrap();
        tx.set_note(BoardNumber(1), player, Some("hm"), at(1)).unwrap();
        tx.begin_session(&[u8::try_from(player.0).unwrap(); 32], player, at(1)).unwrap();
    }
    tx.follow(carol, &Followed::Board(BoardNumber(1)), Some(false)).unwrap();
    let said = Comment { board: BoardNumber(1), entry: EntryNumber(0), player: bob, text: "hi".into(), said_at: at(2) };
    tx.add_comment(&said).unwrap();
    tx.merge_players(bob, carol).unwrap();
    assert_eq!(tx.player("bob").unwrap().map(|player| player.id), None);
    let board = tx.board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!(board.players, [named(alice, "Alice"), named(carol, "carol")]);
    assert_eq!(board.began_as, ["Alice", "bob"].map(|userid| Some(userid.to_owned())));
    assert_eq!(tx.comments(BoardNumber(1)).unwrap()[0].player, carol);
    let addresses: Vec<String> = tx.addresses(carol).unwrap().into_iter().map(|known| known.address).collect();
    assert_eq!(addresses, ["b@example.org", "shared@example.org", "c@example.org"], "confirmed addresses remain");
    assert_eq!(tx.player_by_address("b@example.org").unwrap().map(|player| player.id), Some(carol));
    assert!(tx.is_muted(carol, BoardNumber(1)).unwrap() && tx.note(BoardNumber(1), carol).unwrap().is_some());
    assert_eq!(tx.following(carol).unwrap().len(), 1, "carol follows the game once, and no board");
    assert_eq!(tx.session(&[2; 32], &span(0, 9)).unwrap(), None);
    assert_eq!(tx.boards(None, Some(carol), true).unwrap().len(), 1);
}
