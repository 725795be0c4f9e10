//! If a worker makes no progress while work is waiting, `/ready` reports this, and `serve` logs it.

use serde_json::Value;

use crate::common::database::{Writer, accept_mails, refuse_mails, refusing, sql};
use crate::common::serving::{Serving, http, wait_until};
use crate::common::{Server, done};
use turnpost::mail::inbound::receive;
use turnpost::store::MailSource;
use turnpost::world::World;

/// Stalled workers are reported after three seconds, instead of a minute.
const CONFIG: &str = "[metrics]\nlisten = \"127.0.0.1:0\"\nstalled_after = 3\n[web]\nlisten = \"127.0.0.1:0\"\n\
                      [robot]\nseconds = 0.01\n";
const LONG_AGO: &str = "2026-01-01T00:00:00Z";

/// A clock, a letter, a webhook call and a computer player's answer to a proposal, all overdue.
const DUE: &str = "BEGIN; \
    UPDATE boards SET clock_due_at = '2026-01-01T00:00:00Z' WHERE number = 1; \
    UPDATE outbox SET sent_at = NULL, due_at = '2026-01-01T00:00:00Z' WHERE letter = 1; \
    DELETE FROM webhook_calls; \
    INSERT INTO webhook_calls (player, board, entry, created_at, due_at) \
        SELECT player, 1, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM webhooks; \
    UPDATE boards SET proposal = 'draw', proposed_by = 1, moved_at = '2026-01-01T00:00:00Z' WHERE number = 2; \
    COMMIT";

/// The query that counts the waiting work of each worker.
const WAITING: &str = "SELECT (SELECT count(*) FROM inbox WHERE verdict IS NULL), \
    (SELECT count(*) FROM boards WHERE clock_due_at < '2026-02-01T00:00:00Z'), \
    (SELECT count(DISTINCT letter) FROM outbox WHERE due_at < '2026-02-01T00:00:00Z'), \
    (SELECT count(*) FROM webhook_calls), (SELECT count(*) FROM boards WHERE proposal IS NOT NULL)";

fn get(serving: &Serving, path: &str) -> (u16, String) {
    let address = serving.metrics();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let (status, _, body) = http(&address, &request);
    (status, String::from_utf8(body).unwrap())
}

/// Returns the workers that `/ready` names.
fn stalled(serving: &Serving) -> Vec<String> {
    let (status, why) = get(serving, "/ready");
    let workers =
        why.lines().filter_map(|line| line.strip_prefix("the worker for ")?.split_once(" has made no progress since "));
    let workers: Vec<String> = workers.map(|(worker, _)| worker.to_owned()).collect();
    assert_eq!(status == 503, !workers.is_empty(), "{why}");
    workers
}

/// Returns the workers in log entries with this text, in order.
fn logged(serving: &Serving, message: &str) -> Vec<String> {
    let log = serving.log();
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut workers: Vec<String> = entries
        .filter(|entry| entry["message"] == message)
        .map(|entry| {
            assert!(entry["since"].as_str().is_some_and(|since| since.ends_with('Z')), "{entry}");
            entry["worker"].as_str().unwrap().to_owned()
        })
        .collect();
    workers.sort();
    workers
}

/// Returns the seconds without progress of a worker, from the metrics.
fn seconds(serving: &Serving, worker: &str) -> u64 {
    let (_, metrics) = get(serving, "/metrics");
    let sample = format!("turnpost_worker_stalled_seconds{{worker=\"{worker}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&sample)).unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

fn add_mail(server: &Server, from: &str) {
    let mail = format!("From: {from}\nTo: turnpost@localhost\n\nhello\n");
    receive(&mut *server.store(World::REAL), mail.as_bytes(), MailSource::Pipe, LONG_AGO.parse().unwrap()).unwrap();
}

const STALLED: &str = "a worker makes no progress although work is waiting";
const RECOVERED: &str = "a worker is no longer stalled";

#[test]
fn every_blocked_worker_is_reported_until_it_continues() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque challenge alice robot1");
    sql(
        &server,
        "INSERT INTO webhooks (player, url, secret, created_at, failures) \
         SELECT id, 'https://bot.example/', 'whsec_c2VjcmV0', '2026-01-01T00:00:00Z', 0 FROM players WHERE userid = 'bob'",
    );
    let serving = Serving::start(&server, CONFIG);
    assert_eq!(get(&serving, "/ready"), (200, "ready\n".to_owned()));
    // A worker may finish its work before the writer blocks the database. In this case, all workers get new work.
    let writer = wait_until("every worker to wait for a writer", || {
        add_mail(&server, "stranger@example.net");
        sql(&server, DUE);
        let writer = Writer::at_work(&server);
        let waiting = sql(&server, WAITING);
        (waiting.split('|').all(|count| count != "0")).then_some(writer)
    });
    let mut expected = vec!["clocks", "computer players", "letters", "mail", "webhooks"];
    if server.database().is_some() {
        expected.insert(2, "leases");
    }
    wait_until("all workers to be reported", || {
        let mut workers = stalled(&serving);
        workers.sort();
        (workers == expected).then_some(())
    });
    // Each worker is logged only once while it is stalled. (On a busy machine, a worker may have been logged before the
    // test blocked it.)
    let reported = logged(&serving, STALLED);
    assert!(expected.iter().all(|worker| reported.iter().any(|of| of == worker)), "{}", serving.log());
    let before = seconds(&serving, "mail");
    wait_until("three more seconds of delay", || (seconds(&serving, "mail") > before + 3).then_some(()));
    assert_eq!(logged(&serving, STALLED), reported);

    drop(writer);
    wait_until("the server to be ready again", || (get(&serving, "/ready").0 == 200).then_some(()));
    wait_until("every worker to be reported as recovered", || {
        (logged(&serving, RECOVERED) == logged(&serving, STALLED)).then_some(())
    });
    wait_until("all work to be done", || (sql(&server, WAITING) == "0|0|0|0|0").then_some(()));
    wait_until("every delay to be zero", || expected.iter().all(|worker| seconds(&serving, worker) == 0).then_some(()));
    serving.stop();
}

#[test]
fn repeatedly_deferred_mail_is_reported_and_held_letters_are_not() {
    let server = Server::with_players();
    done(&server, "admin hold");
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    refuse_mails(&server, "UPDATE", "stuck");
    add_mail(&server, "stranger@example.net");
    wait_until("the delayed mail to be reported", || {
        let workers = stalled(&serving);
        // Held letters, which have waited longer, are not reported.
        assert!(workers.iter().all(|worker| worker == "mail"), "{workers:?}");
        (!workers.is_empty()).then_some(())
    });
    let (_, why) = get(&serving, "/ready");
    assert!(why.ends_with(": the processing of incoming mail has waited since 2026-01-01T00:00:00Z\n"), "{why}");
    accept_mails(&server);
    // The first message is retried after a minute, and blocks its sender's mail. Another sender's mail is processed
    // now.
    add_mail(&server, "another@example.net");
    wait_until("the mail worker to recover", || logged(&serving, RECOVERED).contains(&"mail".to_owned()).then_some(()));
}

#[test]
fn mail_that_cannot_be_stored_is_reported() {
    let server = Server::with_players();
    let maildir = server.data().join("incoming");
    std::fs::create_dir_all(maildir.join("new")).unwrap();
    let config = format!("{CONFIG}[receive]\nmaildir = {:?}\n", maildir.to_str().unwrap());
    let serving = Serving::start(&server, &config);
    done(&server, "admin maintenance on Updating");
    refuse_mails(&server, "INSERT", "the disk is full");
    std::fs::write(maildir.join("new/1"), "From: alice@example.org\nSubject: show alice\n\n").unwrap();
    wait_until("the mail worker to be logged", || (logged(&serving, STALLED) == ["mail"]).then_some(()));
    done(&server, "admin maintenance off");
    wait_until("the mail worker to be reported", || (stalled(&serving) == ["mail"]).then_some(()));
    assert!(seconds(&serving, "mail") > 0);
    accept_mails(&server);
    wait_until("the server to be ready again", || (get(&serving, "/ready").0 == 200).then_some(()));
    assert!(!maildir.join("new/1").exists(), "the message is stored");
    serving.stop();
}

#[test]
fn a_failing_clock_is_not_reported_as_stalled_mail() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    let refusing = refusing(&server, "UPDATE", "boards", "stuck");
    sql(&server, &format!("BEGIN; UPDATE boards SET clock_due_at = '{LONG_AGO}'; {refusing}; COMMIT"));
    let workers = wait_until("a worker to be reported", || Some(stalled(&serving)).filter(|found| !found.is_empty()));
    assert_eq!(workers, ["clocks"]);
    serving.stop();
}
