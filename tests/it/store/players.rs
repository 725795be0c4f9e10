//! Players, what they have set, their days off, and their leaving.

use turnpost::clock::Span;
use turnpost::command::{Dmarc, MailForm, Reminders, Rhythm, UnsolicitedLetters};

use super::*;

#[test]
fn players_and_addresses() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    assert!(l.add_player("ALICE", "x", at(0)).is_err(), "a userid is unique in any case");
    assert_eq!(l.player("aLICE").unwrap().unwrap().userid, "Alice");
    assert_eq!(l.players().unwrap().len(), 2);
    l.set_password(alice, "new").unwrap();
    assert_eq!(l.player("alice").unwrap().unwrap().password_hash, "new");
    l.add_address(alice, "A@example.org", Some("111"), at(1)).unwrap();
    l.add_address(bob, "a@Example.org", Some("222"), at(1)).unwrap();
    assert!(l.player_by_address("a@example.org").unwrap().is_none(), "nobody confirmed it");
    assert_eq!(l.confirm_address(alice, "222", at(2)).unwrap(), None);
    assert_eq!(l.confirm_address(alice, "111", at(2)).unwrap().as_deref(), Some("A@example.org"));
    assert_eq!(l.confirm_address(bob, "222", at(2)).unwrap(), None, "it is taken");
    assert_eq!(l.player_by_address("a@EXAMPLE.org").unwrap().unwrap().id, alice);
    l.add_address(alice, "second@example.org", None, at(3)).unwrap();
    assert_eq!(l.addresses(alice).unwrap()[1].confirmed_at, Some(at(3)));
    l.remove_address(alice, "A@EXAMPLE.ORG").unwrap();
    assert_eq!(l.addresses(alice).unwrap().len(), 1);
    l.count_wrong_password("Nobody", at(0)).unwrap();
    l.count_wrong_password("nobody", at(5)).unwrap();
    assert_eq!(l.wrong_passwords("NOBODY", at(1)).unwrap(), 1);
    assert_eq!(l.wrong_passwords("NOBODY", at(0)).unwrap(), 2);
}

#[test]
fn an_address_is_paused_and_taken_up_again() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    l.add_address(alice, "a@example.org", None, at(1)).unwrap();
    l.add_address(alice, "new@example.org", Some("111"), at(1)).unwrap();
    l.pause_address(alice, "A@example.org", "550 5.1.1", at(2)).unwrap();
    let paused = |l: &dyn Transaction| l.addresses(alice).unwrap()[0].paused.clone();
    assert_eq!(paused(&*l), Some((at(2), "550 5.1.1".to_owned())));
    assert!(l.pause_address(alice, "new@example.org", "x", at(2)).is_err(), "nothing is sent there anyway");
    l.resume_address(alice, "a@example.org").unwrap();
    assert_eq!(paused(&*l), None);
}

#[test]
fn settings_come_back_as_they_were_set() {
    let Instance { dir: _dir, alice, mut store, path, .. } = instance();
    let mut l = store.write().unwrap();
    let player = l.player("alice").unwrap().unwrap();
    assert_eq!(
        (player.settings, player.notified, player.signoff, player.left_at),
        (Settings::default(), false, None, None)
    );
    let settings = Settings {
        mail: MailForm::Accessible,
        rhythm: Rhythm::Daily(18),
        reminders: Reminders::Last,
        zone: "Europe/Berlin".into(),
        weekend: "sat,sun".parse().unwrap(),
        letters: UnsolicitedLetters::None,
        dmarc: Dmarc::Required,
    };
    l.set_settings(alice, &settings).unwrap();
    l.set_notified(alice, true).unwrap();
    l.begin_signoff(alice, "abc", at(7)).unwrap();
    let player = l.player("alice").unwrap().unwrap();
    assert_eq!((player.settings, player.notified, player.signoff), (settings, true, Some(("abc".into(), at(7)))));
    assert_eq!(l.player("bob").unwrap().unwrap().settings, Settings::default());
    assert!(l.set_settings(PlayerId(99), &Settings::default()).is_err() && l.set_notified(PlayerId(99), true).is_err());
    l.commit().unwrap();
    Connection::open(path).unwrap().execute_batch("UPDATE players SET rhythm = 'hourly' WHERE id = 1").unwrap();
    let error = store.read().unwrap().player("alice").unwrap_err().to_string();
    assert!(error.contains("hourly"), "{error}");
}

#[test]
fn a_vacation_ends_early_and_later_ones_never_begin() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let span = |from, until| Span { from: at(from), until: at(until) };
    for (from, until) in [(50, 60), (10, 20), (30, 40), (5, 35), (70, 80)] {
        l.add_vacation(alice, &span(from, until)).unwrap();
    }
    l.add_vacation(alice, &span(50, 55)).unwrap();
    l.add_vacation(bob, &span(0, 99)).unwrap();
    let all = [span(5, 35), span(10, 20), span(30, 40), span(50, 60), span(70, 80)];
    assert_eq!(l.vacations(alice).unwrap(), all, "by time; of two that begin together the longer counts");
    assert!(l.add_vacation(alice, &span(90, 90)).is_err(), "it is empty");
    l.cut_vacation(alice, at(55)).unwrap();
    assert_eq!(l.vacations(alice).unwrap(), [span(5, 35), span(10, 20), span(30, 40), span(50, 55)]);
    l.cut_vacation(alice, at(30)).unwrap();
    assert_eq!(l.vacations(alice).unwrap(), [span(5, 30), span(10, 20)]);
    l.cut_vacation(alice, at(30)).unwrap();
    assert_eq!((l.vacations(alice).unwrap().len(), l.vacations(bob).unwrap().len()), (2, 1));
}

#[test]
fn wishes_and_seekers() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    assert_eq!(l.game_preferences(alice, "marque").unwrap(), GamePreferences::default());
    let wishes = GamePreferences { seeks: 2, most: Some(5) };
    l.set_game_preferences(bob, "marque", &GamePreferences { seeks: 1, most: None }).unwrap();
    l.set_game_preferences(alice, "marque", &GamePreferences { seeks: 7, most: None }).unwrap();
    l.set_game_preferences(alice, "marque", &wishes).unwrap();
    l.set_game_preferences(alice, "chess", &GamePreferences { seeks: 0, most: Some(1) }).unwrap();
    assert_eq!(l.game_preferences(alice, "marque").unwrap(), wishes);
    assert_eq!(
        l.seekers("marque").unwrap(),
        [(alice, "Alice", 2), (bob, "bob", 1)].map(|(id, name, seeks)| Seeker { player: named(id, name), seeks })
    );
    assert!(l.seekers("chess").unwrap().is_empty());
}

#[test]
fn who_leaves_takes_along_all_but_the_past() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let span = Span { from: at(0), until: at(9) };
    let wishes = GamePreferences { seeks: 1, most: None };
    for player in [alice, bob] {
        l.add_vacation(player, &span).unwrap();
        l.set_game_preferences(player, "marque", &wishes).unwrap();
        l.follow(player, &Followed::Game("marque".into()), Some(false)).unwrap();
        l.set_note(1, player, Some("hm"), at(1)).unwrap();
    }
    l.add_address(alice, "a@example.org", None, at(1)).unwrap();
    l.add_address(alice, "b@example.org", Some("code"), at(1)).unwrap();
    l.begin_signoff(alice, "abc", at(2)).unwrap();
    l.leave(alice, at(3)).unwrap();
    let player = l.player("alice").unwrap().unwrap();
    assert_eq!((player.password_hash.as_str(), player.signoff, player.left_at), ("", None, Some(at(3))));
    assert!(l.addresses(alice).unwrap().is_empty() && l.player_by_address("a@example.org").unwrap().is_none());
    assert_eq!(l.confirm_address(alice, "code", at(4)).unwrap(), None);
    assert_eq!(l.game_preferences(alice, "marque").unwrap(), GamePreferences::default());
    assert!(l.following(alice).unwrap().is_empty() && l.note(1, alice).unwrap().is_none());
    assert_eq!(l.vacations(alice).unwrap(), [span]);
    assert_eq!(l.players().unwrap().len(), 2, "everybody is listed");
    assert_eq!(l.board(1).unwrap().unwrap().players[0], named(alice, "Alice"));
    assert_eq!((l.game_preferences(bob, "marque").unwrap(), l.note(1, bob).unwrap().as_deref()), (wishes, Some("hm")));
    assert!(l.add_player("ALICE", "x", at(5)).is_err(), "the userid stays his");
}
