//! The system's clock showed the year 2081 for a minute. Counters and sessions from that minute have no effect
//! afterwards, even if no server ran while the clock was corrected.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::mail::inbound::{InboxContext, receive};
use turnpost::service::{Bounced, Credentials, Failure, Response, Service};
use turnpost::store::{self, Lease, MailSource, NodeName, Transaction, Work};
use turnpost::token::{Login, NewPassword};

use crate::common::inside::{Inside, WORLD, process_inbox};

const ALICE: &str = "alice@example.org";
const STRANGER: &str = "stranger@example.com";
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9));

/// Runs an action while the clock shows the year 2081.
fn in_2081<T>(inside: &mut Inside, act: impl FnOnce(&mut Inside) -> T) -> T {
    let right = inside.now();
    inside.set_now("2081-05-01T12:00:00Z".parse().unwrap());
    let done = act(inside);
    inside.set_now(right);
    done
}

/// Runs an action of the service in a write transaction.
fn write<T>(inside: &mut Inside, act: impl FnOnce(&Service<'_>, &mut Transaction<'_>, DateTime<Utc>) -> T) -> T {
    let now = inside.now();
    let service = inside.config.service(WORLD);
    let mut tx = inside.store.write().unwrap();
    let done = act(&service, &mut tx, now);
    tx.commit().unwrap();
    done
}

/// Starts a session, and returns its cookie.
fn log_in(inside: &mut Inside, userid: &str) -> String {
    let (userid, password) = (userid.to_owned(), "secret".to_owned());
    let credentials = Credentials { userid, password, client: CLIENT, now: inside.now() };
    let service = inside.config.service(WORLD);
    let passwords = service.credential_checks(&inside.store.read().unwrap(), &credentials).unwrap().make(WORLD);
    store::write_with_retries(&mut *inside.store, |tx| service.log_in(tx, &credentials, &passwords)).unwrap().unwrap()
}

/// Sends the due letters. Returns the number of those to an address.
fn letters(inside: &mut Inside, to: &str) -> usize {
    inside.letters().get(to).map_or(0, Vec::len)
}

/// Delivers a message, and returns the number of answers.
fn mail(inside: &mut Inside, from: &str, subject: &str, text: &str) -> usize {
    static MAILS: AtomicU32 = AtomicU32::new(0);
    let id = MAILS.fetch_add(1, Ordering::Relaxed);
    let mail = format!("From: {from}\nMessage-ID: <{id}@example.org>\nSubject: {subject}\n\n{text}\n");
    let now = inside.now();
    receive(&mut *inside.store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
    let Inside { store, config, composer, .. } = inside;
    let service = config.service(WORLD);
    process_inbox(&mut **store, &InboxContext { service: &service, server_address: &config.address, composer, now });
    letters(inside, from)
}

#[test]
fn an_address_that_got_twenty_answers_in_2081_is_answered_now() {
    let mut inside = Inside::with_players(&["alice"]);
    in_2081(&mut inside, |inside| {
        let answers: usize = (0..21).map(|_| mail(inside, ALICE, "help", "")).sum();
        assert_eq!(answers, 20, "a sender receives at most 20 answers an hour");
    });
    assert_eq!(mail(&mut inside, ALICE, "help", ""), 1);
}

#[test]
fn a_hint_about_missing_commands_in_2081_is_repeated_now() {
    let mut inside = Inside::with_players(&["alice"]);
    let hello = |inside: &mut Inside| mail(inside, ALICE, "hello", "How are you?");
    assert_eq!(in_2081(&mut inside, |inside| [hello(inside), hello(inside)]), [1, 0]);
    assert_eq!([hello(&mut inside), hello(&mut inside)], [1, 0]);
}

#[test]
fn refusals_of_2081_do_not_silence_answers_now() {
    let mut inside = Inside::with_players(&["alice"]);
    let wrong = |inside: &mut Inside| mail(inside, ALICE, "show 99", "");
    assert_eq!(in_2081(&mut inside, |inside| [0; 4].map(|_| wrong(inside))), [1, 1, 1, 0]);
    assert_eq!([wrong(&mut inside), wrong(&mut inside)], [1, 0], "one refused command is answered a day");
}

#[test]
fn a_stranger_who_was_answered_in_2081_is_answered_today() {
    let mut inside = Inside::with_players(&["alice"]);
    let list = |inside: &mut Inside| mail(inside, STRANGER, "list", "");
    assert_eq!(in_2081(&mut inside, |inside| [list(inside), list(inside)]), [1, 0]);
    assert_eq!([list(&mut inside), list(&mut inside)], [1, 0]);
}

#[test]
fn wrong_passwords_of_2081_do_not_delay_a_login() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    in_2081(&mut inside, |inside| {
        (0..10).for_each(|_| drop(inside.refused("bob", "set alice wrong")));
        assert!(inside.refused("bob", "set alice secret").contains("Too many"));
    });
    inside.say("bob", "set alice secret");
    // Requests for login links do not delay the client either.
    in_2081(&mut inside, |inside| {
        write(inside, |service, tx, now| {
            (0..30).for_each(|_| assert!(service.mail_login_link(tx, "nobody", CLIENT, now).unwrap()));
            assert!(service.client_waits(tx, CLIENT, now).unwrap());
        });
    });
    let waits = write(&mut inside, |service, tx, now| service.client_waits(tx, CLIENT, now).unwrap());
    assert!(!waits);
}

#[test]
fn links_of_2081_are_not_counted_and_are_invalid() {
    let mut inside = Inside::with_players(&["alice"]);
    let ask = |inside: &mut Inside| {
        write(inside, |service, tx, now| service.mail_login_link(tx, "alice", CLIENT, now).unwrap());
        letters(inside, ALICE)
    };
    assert_eq!(in_2081(&mut inside, |inside| [0; 4].map(|_| ask(inside))), [1, 1, 1, 0]);
    let works = |inside: &mut Inside, link: u32| {
        write(inside, |service, tx, now| {
            let token = Login { link }.sign(&tx.reply_key().unwrap());
            service.login_link(tx, &token, now).unwrap().is_some()
        })
    };
    assert!(in_2081(&mut inside, |inside| works(inside, 3)));
    assert!(!works(&mut inside, 3), "a link from the future is invalid");
    assert_eq!([0; 4].map(|_| ask(&mut inside)), [1, 1, 1, 0]);
    assert!(works(&mut inside, 4));
}

#[test]
fn password_links_of_2081_are_not_counted_and_set_no_password() {
    let mut inside = Inside::with_players(&["alice"]);
    let ask = |inside: &mut Inside| {
        let asked = write(inside, |service, tx, now| service.mail_password_link(tx, "alice", STRANGER, now).unwrap());
        (asked, letters(inside, ALICE))
    };
    let (sent, silent, refused) = ((true, 1), (true, 0), (false, 0));
    let asked = in_2081(&mut inside, |inside| [0; 11].map(|_| ask(inside)));
    assert_eq!((&asked[..4], asked[9], asked[10]), (&[sent, sent, sent, silent][..], silent, refused));
    let works = |inside: &mut Inside, link: u32| {
        write(inside, |service, tx, now| {
            let code = NewPassword { link }.sign(&tx.reply_key().unwrap());
            service.password_link(tx, &code, now).unwrap().is_some()
        })
    };
    assert!(in_2081(&mut inside, |inside| works(inside, 3)));
    assert!(!works(&mut inside, 3));
    assert_eq!([0; 4].map(|_| ask(&mut inside)), [sent, sent, sent, silent]);
    assert!(works(&mut inside, 4));
}

#[test]
fn a_signoff_code_of_2081_is_requested_again() {
    let mut inside = Inside::with_players(&["alice"]);
    let code = |inside: &mut Inside| match inside.say("alice", "signoff alice secret") {
        Response::SignoffAsked { code, .. } => code,
        other => panic!("{other:?}"),
    };
    let old = in_2081(&mut inside, code);
    let refused = inside.refused("alice", &format!("signoff alice secret {old}"));
    assert!(refused.contains("code"), "{refused}");
    let new = code(&mut inside);
    inside.say("alice", &format!("signoff alice secret {new}"));
}

#[test]
fn a_session_of_2081_does_not_last_until_then() {
    let mut inside = Inside::with_players(&["alice"]);
    let log_in = |inside: &mut Inside| log_in(inside, "alice");
    let holds = |inside: &mut Inside, session: &str| {
        write(inside, |service, tx, now| service.session(tx, session, now).unwrap().is_some())
    };
    let earlier = log_in(&mut inside);
    inside.pass(TimeDelta::days(1));
    let session = in_2081(&mut inside, |inside| {
        let session = log_in(inside);
        assert!(holds(inside, &session));
        session
    });
    assert!(!holds(&mut inside, &session), "a session from the future is invalid");
    // If the server notices that the clock was set back, the session starts at that moment.
    write(&mut inside, |service, tx, now| service.reset_times(tx, now).unwrap());
    assert!(holds(&mut inside, &session));
    inside.pass(TimeDelta::days(59));
    assert!(holds(&mut inside, &session));
    inside.pass(TimeDelta::days(2));
    assert!(!holds(&mut inside, &session) && !holds(&mut inside, &earlier));
}

/// While the clock is slow, a login must not log out other sessions permanently.
#[test]
fn a_session_outlasts_a_clock_that_is_behind() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let session = log_in(&mut inside, "alice");
    let right = inside.now();
    inside.set_now(DateTime::UNIX_EPOCH);
    log_in(&mut inside, "bob");
    inside.set_now(right);
    let holds = write(&mut inside, |service, tx, now| service.session(tx, &session, now).unwrap().is_some());
    assert!(holds);
}

#[test]
fn a_token_that_was_used_in_2081_shows_when_it_is_used_now() {
    let mut inside = Inside::with_players(&["alice"]);
    let alice = inside.read(|tx| tx.player("alice").unwrap().unwrap().id);
    let (token, _) = write(&mut inside, |service, tx, now| service.make_token(tx, alice, "bot", now).unwrap().unwrap());
    let used = |inside: &mut Inside| {
        write(inside, |service, tx, now| {
            let recorded = service.player_by_token(tx, &token, now).unwrap().unwrap().record_use;
            if recorded {
                service.record_token_use(tx, &token, now).unwrap();
            }
            recorded
        })
    };
    assert_eq!(in_2081(&mut inside, |inside| [used(inside), used(inside)]), [true, false]);
    assert_eq!([used(&mut inside), used(&mut inside)], [true, false]);
}

#[test]
fn letters_bounced_in_2081_do_not_pause_an_address() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let comes_back = |inside: &mut Inside| {
        inside.say("bob", "marque challenge bob alice");
        inside.send_due();
        let newest = inside.read(|tx| {
            let told = tx.outbox(9).unwrap();
            let to_alice = told.into_iter().find(|row| row.player.as_ref().is_some_and(|to| to.userid == "alice"));
            to_alice.unwrap().letter.unwrap()
        });
        write(inside, |service, tx, now| {
            let sent = tx.deliveries(newest).unwrap().remove(0);
            service.bounced(tx, newest, &sent, &Failure::new("552 5.2.2 mailbox full"), now).unwrap()
        })
    };
    let counted = in_2081(&mut inside, |inside| [comes_back(inside), comes_back(inside)]);
    assert_eq!(counted, [1, 2].map(Bounced::Counted));
    assert_eq!(comes_back(&mut inside), Bounced::Counted(1));
}

#[test]
fn an_unconfirmed_signup_of_2081_frees_its_userid() {
    let mut inside = Inside::with_players(&["alice"]);
    in_2081(&mut inside, |inside| assert_eq!(mail(inside, STRANGER, "signup carol s3cret", ""), 1));
    assert_eq!(mail(&mut inside, "other@example.com", "signup dave s3cret", ""), 1);
    let left = |inside: &mut Inside, days| {
        inside.pass(TimeDelta::days(days));
        write(inside, |service, tx, now| service.lapse_accounts(tx, now).unwrap());
        inside.read(|tx| ["carol", "dave"].map(|userid| tx.player(userid).unwrap().is_some()))
    };
    assert_eq!(left(&mut inside, 6), [true, true], "new accounts remain while they can be confirmed");
    assert_eq!(left(&mut inside, 2), [false, false]);
}

#[test]
fn a_reminder_from_the_future_does_not_delay_the_forfeit() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "set alice - letters=none");
    inside.say("alice", "marque challenge alice bob --forfeittime=10");
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - k1");
    in_2081(&mut inside, |inside| assert!(!inside.tick().is_empty()));
    write(&mut inside, |service, tx, now| service.reset_times(tx, now).unwrap());
    for _ in 0..20 {
        inside.pass(TimeDelta::days(1));
        inside.tick();
    }
    let ended = inside.read(|tx| tx.boards(None, None, true).unwrap().is_empty());
    assert!(ended, "the board ends although alice receives no letters");
}

#[test]
fn a_node_that_died_in_2081_does_not_block_the_others() {
    let mut inside = Inside::new();
    let [dead, other] = ["dead", "other"].map(|name| NodeName(name.to_owned()));
    let take = |inside: &mut Inside, node: &NodeName, work: &Work| {
        write(inside, |_, tx, now| tx.take_lease(work, &Lease::of(node, now), now).unwrap())
    };
    let serving = Work::Serving(dead.clone());
    assert!(in_2081(&mut inside, |inside| take(inside, &dead, &Work::Mailbox) && take(inside, &dead, &serving)));
    let now = inside.now();
    assert!(inside.read(|tx| tx.serving_nodes(now).unwrap()).is_empty());
    assert!(take(&mut inside, &other, &Work::Mailbox));
    assert!(!take(&mut inside, &dead, &Work::Mailbox));
}
