//! Health checks and metrics, parsed as Prometheus parses them, and the monitoring files in `deploy/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::database::{refuse_mails, sql};
use crate::common::serving::{Peer, Serving, http, wait_until};
use crate::common::{Server, done};
use turnpost::mail::inbound::receive;
use turnpost::store::MailSource;
use turnpost::world::World;

const CONFIG: &str = "[metrics]\nlisten = \"127.0.0.1:0\"\n[receive]\nlmtp = \"unix:lmtp.sock\"\n\
                      [web]\nlisten = \"127.0.0.1:0\"\n";

fn get(address: &str, path: &str) -> (u16, String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let (status, head, body) = http(address, &request);
    (status, head, String::from_utf8(body).unwrap())
}

/// The result of a scrape: the type of each metric, and the value of each sample.
#[derive(Default)]
struct Scrape {
    kinds: BTreeMap<String, String>,
    samples: BTreeMap<String, f64>,
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Parses version 0.0.4 of Prometheus's text format strictly.
fn parse(text: &str) -> Scrape {
    let mut scrape = Scrape::default();
    let mut helped = BTreeSet::new();
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("a HELP line has a text");
            assert!(is_name(name) && !words.is_empty() && helped.insert(name.to_owned()), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(scrape.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "a metric has two types: {line}");
        } else {
            let (sample, value) = line.rsplit_once(' ').expect(line);
            let name = sample.split('{').next().unwrap();
            let labels = sample[name.len()..].strip_prefix('{').map(|labels| labels.strip_suffix('}').expect(line));
            for label in labels.unwrap_or_default().split("\",").filter(|label| !label.is_empty()) {
                let (label, value) = label.split_once("=\"").expect(line);
                assert!(is_name(label) && !value.trim_end_matches('"').contains('"'), "{line}");
            }
            let family = ["_bucket", "_sum", "_count"].iter().filter_map(|end| name.strip_suffix(end));
            let family = family.chain([name]).find(|family| scrape.kinds.contains_key(*family));
            assert!(is_name(name) && family.is_some_and(|family| helped.contains(family)), "{line}");
            let value = value.parse().expect(line);
            assert!(scrape.samples.insert(sample.to_owned(), value).is_none(), "a sample occurs twice: {line}");
        }
    }
    scrape
}

impl Scrape {
    fn of(serving: &Serving) -> Scrape {
        let (status, head, body) = get(&serving.metrics(), "/metrics");
        assert_eq!(status, 200, "{body}");
        assert!(head.to_ascii_lowercase().contains("content-type: text/plain; version=0.0.4"), "{head}");
        parse(&body)
    }

    fn value(&self, sample: &str) -> f64 {
        *self.samples.get(sample).unwrap_or_else(|| panic!("no {sample} in {:#?}", self.samples))
    }
}

/// Starts a server with a board.
fn serving() -> (Server, Serving) {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

fn mail(server: &mut Server, from: &str, text: &str) {
    let mail = server.compose(from, "A mail", text);
    let mut peer = Peer::greeted(&server.data().join("lmtp.sock"));
    peer.begin("turnpost@localhost");
    peer.send(mail.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
    assert!(peer.say("\r\n.").starts_with("250 "));
}

#[test]
fn a_turn_is_in_the_metrics() {
    let (mut server, serving) = serving();
    let before = Scrape::of(&serving);
    let zero = ["turnpost_turns_total{game=\"marque\"}", "turnpost_messages_total{verdict=\"done\"}"];
    assert!(zero.iter().all(|sample| before.value(sample) == 0.0), "the counters start at zero");
    mail(&mut server, "alice@example.org", "marque move 1 alice wonderland f3\n");
    mail(&mut server, "bob@example.org", "marque move 1 bob wrong k4\n");
    let after = wait_until("two verdicts and two letters in the metrics", || {
        let scrape = Scrape::of(&serving);
        let verdicts = scrape.value("turnpost_mail_latency_seconds_count");
        let letters = scrape.value("turnpost_letters_total{result=\"sent\"}");
        (verdicts >= 2.0 && letters >= 2.0).then_some(scrape)
    });
    for (sample, value) in [
        ("turnpost_turns_total{game=\"marque\"}", 1.0),
        ("turnpost_turns_total{game=\"brique\"}", 0.0),
        ("turnpost_messages_total{verdict=\"done\"}", 1.0),
        ("turnpost_messages_total{verdict=\"refused\"}", 1.0),
        ("turnpost_mail_latency_seconds_bucket{le=\"+Inf\"}", 2.0),
        ("turnpost_logins_refused_total{reason=\"wrong_password\"}", 1.0),
        ("turnpost_letters_total{result=\"given_up\"}", 0.0),
        ("turnpost_boards_in_progress{game=\"marque\"}", 1.0),
        ("turnpost_players", 2.0),
        ("turnpost_messages_waiting", 0.0),
        ("turnpost_messages_waiting_oldest_seconds", 0.0),
        ("turnpost_database_readable", 1.0),
    ] {
        assert_eq!(after.value(sample), value, "{sample}");
    }
    assert!(after.value("process_resident_memory_bytes") > 1e6 && after.value("turnpost_database_bytes") > 1e5);
    assert!(after.value("turnpost_data_bytes") > 1e3);

    let page = |path| get(&serving.web(), path).0;
    assert_eq!((page("/boards/1"), page("/boards/77"), page("/metrics"), page("/health")), (200, 404, 404, 404));
    let pages = Scrape::of(&serving);
    for (route, status, count) in [("/boards/{number}", 200, 1.0), ("/boards/{number}", 404, 1.0), ("-", 404, 2.0)] {
        let sample = format!("turnpost_pages_total{{route=\"{route}\",status=\"{status}\"}}");
        assert_eq!(pages.value(&sample), count, "{sample}");
    }
}

#[test]
fn a_letter_about_several_boards_is_counted_once() {
    let (mut server, serving) = serving();
    server.letters();
    let lines = "marque challenge alice bob\nbrique challenge alice bob\nhex challenge alice bob\n";
    mail(&mut server, "alice@example.org", lines);
    let counted = wait_until("a letter to each player in the metrics", || {
        let letters = Scrape::of(&serving).value("turnpost_letters_total{result=\"sent\"}");
        (letters >= 2.0).then_some(letters)
    });
    assert_eq!((counted, server.letters().len()), (2.0, 2));
}

#[test]
fn a_server_is_ready_while_its_database_answers_and_no_mail_waits() {
    let (server, serving) = serving();
    let at = |path| get(&serving.metrics(), path);
    assert_eq!((at("/health").0, at("/ready").0, at("/").0), (200, 200, 404));
    // Renames the table `inbox`, so that `/ready` cannot read the database.
    sql(&server, "ALTER TABLE inbox RENAME TO kept_inbox");
    let (status, _, why) = at("/ready");
    assert!(status == 503 && why.contains("database"), "{why}");
    assert_eq!(at("/health").0, 200, "the process is healthy");
    assert_eq!(Scrape::of(&serving).value("turnpost_database_readable"), 0.0);
    sql(&server, "ALTER TABLE kept_inbox RENAME TO inbox");
    wait_until("the server to be ready again", || (at("/ready").0 == 200).then_some(()));
}

/// Starts a server, and waits for its first backup.
fn backed_up() -> (Server, Serving) {
    let server = Server::in_a_file().and_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, &format!("{CONFIG}[backup]\ndirectory = \"backups\"\n"));
    wait_until("a verified backup", || serving.log().contains("backup created and verified").then_some(()));
    (server, serving)
}

#[test]
fn the_age_of_the_last_backup_is_in_the_metrics() {
    let (_server, serving) = backed_up();
    let scrape = Scrape::of(&serving);
    assert_eq!(scrape.value("turnpost_backup_interval_seconds"), 86_400.0);
    assert!(scrape.value("turnpost_backup_age_seconds") < 3_600.0);
}

#[test]
fn the_age_of_an_old_message_is_in_the_metrics() {
    let (server, serving) = serving();
    refuse_mails(&server, "UPDATE", "stuck");
    let old = "2026-01-01T00:00:00Z".parse().unwrap();
    receive(&mut *server.store(World::REAL), &b"From: a@b.example\n\n"[..], MailSource::Pipe, old).unwrap();
    assert!(Scrape::of(&serving).value("turnpost_messages_waiting_oldest_seconds") > 60.0);
}

/// Returns the names of metrics in a text, without the suffixes of histograms.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = words.filter(|word| word.starts_with("turnpost_") || word.starts_with("process_"));
    ours.map(|word| word.trim_end_matches("_bucket").to_owned()).collect()
}

#[test]
fn the_rules_dashboard_and_manual_name_existing_metrics() {
    let (_server, serving) = backed_up();
    assert_eq!(get(&serving.web(), "/").0, 200);
    let known: BTreeSet<String> = Scrape::of(&serving).kinds.into_keys().collect();
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let rules = names(&read("deploy/prometheus/turnpost.rules.yml"));
    let dashboard = read("deploy/grafana/turnpost.json");
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let targets = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let shown: BTreeSet<String> = targets.flat_map(|target| names(target["expr"].as_str().unwrap())).collect();
    assert!(rules.len() > 10 && shown.len() > 15, "the test finds the rules and panels: {rules:?} {shown:?}");
    for used in rules.iter().chain(&shown) {
        assert!(known.contains(used), "the metric {used} does not exist");
    }
    let manual = read("docs/run/monitoring.md");
    for name in &known {
        let short = name.trim_end_matches("_oldest_seconds");
        assert!(manual.contains(&format!("`{short}")), "docs/run/monitoring.md does not describe {name}");
    }
}
