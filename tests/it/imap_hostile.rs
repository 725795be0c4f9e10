//! Scripted IMAP servers that disconnect, send invalid or endless data, or are silent.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use crate::common::Server;
use crate::common::database::{accept_mails, inbox, refuse_mails, sql};
use crate::common::imap::{CAPABILITIES, Fake, Talk};
use crate::common::serving::{Serving, wait_until};
use chrono::TimeDelta;
use turnpost::config::Config;
use turnpost::mail::inbound::imap::Worker;
use turnpost::store::NodeName;
use turnpost::world::World;

fn challenge(server: &mut Server) -> String {
    server.compose("alice@example.org", "marque challenge alice bob", "")
}

fn boards(server: &Server) -> usize {
    server.json("marque games")["boards"].as_array().unwrap().len()
}

#[test]
fn a_stored_message_that_cannot_be_moved_is_processed_once() {
    let mut server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mail = challenge(&mut server);
    let mut talk = fake.opened();
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
    talk.give(7, &mail);
    // Turnpost stores the message before it moves it to another folder. The connection then breaks.
    talk.command("UID MOVE 7 Turnpost");
    assert_eq!(inbox(&server), 1);
    drop(talk);
    // The same process remembers the stored message, and only moves it.
    let mut talk = fake.opened();
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
    talk.reply("UID STORE 7", "", "OK");
    talk.command("UID MOVE 7 Turnpost");
    // A new process does not know that the message is already stored, and stores a duplicate.
    serving.kill();
    let serving = fake.serving(&server);
    let mut talk = fake.opened();
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
    talk.give(7, &mail);
    talk.reply("UID MOVE 7 Turnpost", "* 1 EXPUNGE\r\n", "OK");
    wait_until("the duplicate to be recognised", || {
        (sql(&server, "SELECT verdict FROM inbox ORDER BY id") == "done\nrepeated").then_some(())
    });
    assert_eq!(boards(&server), 1);
    talk.command("IDLE");
    serving.stop();
}

#[test]
fn a_message_that_cannot_be_moved_is_logged_once_and_does_not_block_others() {
    let mut server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mail = challenge(&mut server);
    let mut talk = fake.opened();
    // The IMAP server returns message 7 without content, and does not return message 8.
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 9 7 7 8\r\n", "OK");
    talk.reply("UID FETCH 7:9 ", "* 1 FETCH (UID 8 RFC822.SIZE 10)\r\n", "OK");
    talk.reply("UID FETCH 7 ", "* 1 FETCH (UID 7 BODY[]<0> NIL)\r\n", "OK");
    talk.reply("UID FETCH 8 ", "* 2 FETCH (FLAGS (\\Seen))\r\n* 2 NONSENSE {3}\r\nabc\r\n", "OK");
    let size = mail.len();
    talk.reply("UID FETCH 9 ", &format!("* 3 FETCH (UID 9 BODY[]<0> {{{size}}}\r\n{mail})\r\n"), "OK");
    for look in 0..2 {
        talk.reply("UID STORE 9", "", "OK");
        // The IMAP server reports its quota in German, with non-ASCII characters.
        talk.reply("UID MOVE 9", "", "NO [OVERQUOTA] das Postfach läuft über:");
        if look == 0 {
            talk.wake();
            talk.reply("UID SEARCH UNDELETED", "* SEARCH 9 7\r\n", "OK");
        }
    }
    talk.reply("UID FETCH 7 ", "* 1 FETCH (UID 7 RFC822.SIZE 10)\r\n", "OK");
    talk.reply("UID FETCH 7 ", "", "OK");
    wait_until("the challenge to be processed", || (boards(&server) == 1).then_some(()));
    assert_eq!(inbox(&server), 1);
    let log = serving.stop();
    assert_eq!(log.matches("cannot be removed from the mailbox").count(), 1, "{log}");
    assert!(log.contains("läuft über"), "{log}");
    assert_eq!(log.matches("empty or cannot be fetched").count(), 2, "{log}");
}

#[test]
fn connections_to_wrong_or_endless_servers_are_closed() {
    let mut server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mail = challenge(&mut server);
    let mut talk = fake.accept();
    talk.say("SSH-2.0-OpenSSH_9.2p1\r\n");
    assert_eq!(talk.hear(), "", "the peer receives no password");
    // The message has four gigabytes. Turnpost reads about four megabytes of it.
    let mut talk = fake.opened();
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
    talk.reply("UID FETCH 7 ", "* 1 FETCH (UID 7 RFC822.SIZE 10)\r\n", "OK");
    talk.command("UID FETCH 7 ");
    talk.say("* 1 FETCH (UID 7 BODY[]<0> {4294967295}\r\n");
    let chunk = vec![b'x'; 1 << 20];
    let written = (0..256).take_while(|_| talk.stream.write_all(&chunk).is_ok()).count();
    assert!(written < 64, "the client read {written} MB");
    // The IMAP server sends small responses without end.
    let mut talk = fake.opened();
    talk.command("UID SEARCH UNDELETED");
    let lines = "* 7 FETCH (UID 7 FLAGS ())\r\n".repeat(40_000);
    let written = (0..256).take_while(|_| talk.stream.write_all(lines.as_bytes()).is_ok()).count();
    assert!(written < 64, "the client read {written} MB");
    // In the last connection, the IMAP server sends an unsolicited response that is nested too deeply for a recursive
    // parser, and then a valid one.
    let mut talk = fake.opened();
    let deep = "(".repeat(400_000);
    let lines = format!("* 1 FETCH (UID 7 BODYSTRUCTURE {deep}\r\n* THREAD {deep}\r\n* SEARCH 7\r\n");
    talk.reply("UID SEARCH UNDELETED", &lines, "OK");
    talk.give(7, &mail);
    talk.reply("UID MOVE 7 Turnpost", "", "OK");
    talk.command("IDLE");
    assert_eq!(inbox(&server), 1);
    let log = serving.stop();
    for says in ["the server did not send an IMAP greeting", "sends too much", "sends too many responses"] {
        assert_eq!(log.matches(says).count(), 1, "{says}: {log}");
    }
}

#[test]
fn no_server_causes_a_busy_loop() {
    let server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mut talk = fake.opened();
    let began = Instant::now();
    let mut looks = 0;
    while began.elapsed() < Duration::from_secs(4) {
        // Every second response contains 0, which is not a valid message number.
        talk.reply("UID SEARCH UNDELETED", ["* SEARCH\r\n", "* SEARCH 0\r\n"][looks % 2], "OK");
        talk.wake();
        looks += 1;
    }
    assert!(looks <= 7, "{looks} polls in four seconds");
    serving.stop();
}

/// In the next test, the number of minutes by which the clock is ahead (`AHEAD`), and the number of times that the
/// clock was read (`LOOKS`).
static AHEAD: AtomicI64 = AtomicI64::new(0);
static LOOKS: AtomicI64 = AtomicI64::new(0);

#[test]
fn idle_is_renewed_long_before_half_an_hour() {
    let server = Server::with_players();
    let fake = Fake::new();
    server.configure(fake.config(&server));
    let config = Config::read(server.data()).unwrap().receive.imap.unwrap();
    let store = server.store(World::REAL);
    let now = || {
        LOOKS.fetch_add(1, Ordering::SeqCst);
        (World::REAL.now)() + TimeDelta::minutes(AHEAD.load(Ordering::SeqCst))
    };
    let world = World { now, random: World::REAL.random };
    let node = NodeName("test".to_owned());
    let worker = Worker::start(config, None, store, node, world, Box::new(|| {})).unwrap();
    let mut talk = fake.opened();
    // The client reads the clock each time before it waits for a line.
    let looks_twice = |talk: &mut Talk, first: &str| {
        let looks = LOOKS.load(Ordering::SeqCst);
        for (line, later) in [(first, 1), ("* OK still here\r\n", 2)] {
            talk.say(line);
            wait_until("the client to listen", || (LOOKS.load(Ordering::SeqCst) >= looks + later).then_some(()));
        }
    };
    // The clock jumps by half a century during an IDLE, and is corrected during the next one.
    for minutes in [10, 10, 50 * 365 * 24 * 60, 0] {
        talk.reply("UID SEARCH UNDELETED", "* SEARCH\r\n", "OK");
        let tag = talk.command("IDLE");
        looks_twice(&mut talk, "+ waiting\r\n");
        if minutes == 0 {
            AHEAD.store(0, Ordering::SeqCst);
            looks_twice(&mut talk, "* OK still here\r\n");
        }
        AHEAD.fetch_add(minutes.max(10), Ordering::SeqCst);
        talk.say("* OK still here\r\n");
        assert_eq!(talk.hear(), "DONE");
        talk.say(&format!("{tag} OK done\r\n"));
    }
    talk.reply("UID SEARCH UNDELETED", "* SEARCH\r\n", "OK");
    talk.command("IDLE");
    worker.stop();
}

#[test]
fn a_server_that_refuses_idle_is_polled_each_minute() {
    let server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mut talk = fake.opened();
    talk.reply("UID SEARCH UNDELETED", "* SEARCH\r\n", "OK");
    talk.reply("IDLE", "", "NO");
    wait_until("a log line about polling", || serving.log().contains("polling every minute").then_some(()));
    // The client sleeps until its next poll, but a shutdown wakes it.
    serving.stop();
    assert_eq!(talk.hear(), "");
}

#[test]
fn a_refused_password_is_not_logged() {
    let server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mut talk = fake.accept();
    talk.say("* OK hello\r\n");
    talk.reply("CAPABILITY", CAPABILITIES, "OK");
    let tag = talk.command("LOGIN turnpost sesame");
    talk.say(&format!("{tag} NO [AUTHENTICATIONFAILED] \"sesame\" is\x1b[31m wrong\r\n"));
    let log = wait_until("a log line about the refused login", || {
        Some(serving.log()).filter(|log| log.contains("refuses the login"))
    });
    assert!(log.contains("***") && !log.contains("sesame") && !log.contains("\\u001b"), "{log}");
    let again: serde_json::Value =
        serde_json::from_str(log.lines().find(|line| line.contains("refuses the login")).unwrap()).unwrap();
    assert!(again["again_in_seconds"].as_u64().unwrap() >= 720, "the login is retried slowly: {again}");
    serving.stop();
}

#[test]
fn the_password_is_not_logged_at_any_level() {
    let all = "trace,imap_next=trace";
    for (at_first, later) in [(all, None), ("info", Some(all))] {
        let server = Server::with_players();
        let fake = Fake::new();
        let serving = Serving::logging(&server, &fake.config(&server), at_first);
        let mut talk = fake.accept();
        if let Some(level) = later {
            assert_eq!(server.shell(&format!("admin log-level {level}")).status, 0);
        }
        talk.say("* OK hello\r\n");
        talk.reply("CAPABILITY", CAPABILITIES, "OK");
        talk.command("LOGIN turnpost sesame");
        let log = serving.log();
        assert_eq!(log.contains("level of the log was changed"), later.is_some());
        assert!(!log.contains("sesame"), "{log}");
        serving.kill();
    }
}

#[test]
fn a_password_may_contain_any_characters() {
    let server = Server::with_players();
    for (password, told) in [("two words", "LOGIN turnpost \"two words\""), ("a\"b\\c", r#"LOGIN turnpost "a\"b\\c""#)]
    {
        let fake = Fake::new();
        let config = fake.config(&server);
        std::fs::write(server.data().join("imap-password"), password).unwrap();
        let serving = Serving::start(&server, &config);
        let mut talk = fake.accept();
        talk.say("* OK hello\r\n");
        talk.reply("CAPABILITY", CAPABILITIES, "OK");
        talk.command(told);
        serving.stop();
    }
    let fake = Fake::new();
    let config = fake.config(&server);
    std::fs::write(server.data().join("imap-password"), "sésame").unwrap();
    let serving = Serving::start(&server, &config);
    let mut talk = fake.accept();
    talk.say("* OK hello\r\n");
    talk.reply("CAPABILITY", CAPABILITIES, "OK");
    let tag = talk.command("LOGIN turnpost {7}");
    talk.say("+ go on\r\n");
    assert_eq!(talk.hear(), "sésame");
    talk.say(&format!("{tag} OK done\r\n"));
    talk.command("CAPABILITY");
    serving.stop();
}

#[test]
fn a_password_is_not_sent_to_a_server_that_does_not_accept_one() {
    let server = Server::with_players();
    for (greeting, capabilities, says) in [
        ("* PREAUTH welcome\r\n", "", "sent PREAUTH"),
        ("* BYE too many\r\n", "", "ends the session: too many"),
        ("* OK hello\r\n", "* CAPABILITY IMAP4rev1 LOGINDISABLED\r\n", "does not accept passwords without TLS"),
    ] {
        let fake = Fake::new();
        let serving = fake.serving(&server);
        let mut talk = fake.accept();
        talk.say(greeting);
        if !capabilities.is_empty() {
            talk.reply("CAPABILITY", capabilities, "OK");
        }
        assert_eq!(talk.hear(), "");
        wait_until(&format!("a log line with {says:?}"), || serving.log().contains(says).then_some(()));
        serving.stop();
    }
}

#[test]
fn without_starttls_no_password_is_sent() {
    let server = Server::with_players();
    let fake = Fake::new();
    let config = fake.config(&server).replace("\"none\"", "\"starttls\"");
    let serving = Serving::start(&server, &config);
    let mut talk = fake.accept();
    talk.say("* OK hello\r\n");
    talk.reply("STARTTLS", "", "NO");
    assert_eq!(talk.hear(), "");
    wait_until("a log line about STARTTLS", || serving.log().contains("refuses STARTTLS").then_some(()));
    serving.stop();
}

#[test]
fn a_silent_server_does_not_delay_the_shutdown() {
    let server = Server::with_players();
    let fake = Fake::new();
    let serving = fake.serving(&server);
    let mut talk = fake.opened();
    talk.command("UID SEARCH UNDELETED");
    serving.stop();
    // An IMAP server that never sends any data does not delay Turnpost's shutdown.
    let serving = fake.serving(&server);
    let talk = fake.accept();
    serving.stop();
    drop(talk);
}

#[test]
fn a_full_store_does_not_remove_mail() {
    let mut server = Server::with_players();
    let fake = Fake::new();
    refuse_mails(&server, "INSERT", "the disk is full");
    let serving = fake.serving(&server);
    let mail = challenge(&mut server);
    for full in [true, false] {
        let mut talk = fake.opened();
        talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
        let size = mail.len();
        talk.reply("UID FETCH 7 ", &format!("* 1 FETCH (UID 7 RFC822.SIZE {size})\r\n"), "OK");
        talk.reply("UID FETCH 7 ", &format!("* 1 FETCH (UID 7 BODY[]<0> {{{size}}}\r\n{mail})\r\n"), "OK");
        if full {
            assert_eq!(talk.hear(), "", "the client sends no command about a message that it did not store");
            accept_mails(&server);
        } else {
            talk.reply("UID STORE 7", "", "OK");
            talk.reply("UID MOVE 7", "", "OK");
            talk.command("IDLE");
        }
    }
    assert!(serving.stop().contains("the disk is full"));
    assert_eq!(inbox(&server), 1);
}
