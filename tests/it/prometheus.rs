//! The alert rules and the dashboard, in a real Prometheus that scrapes a real server.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::serving::{Serving, free_port, http, wait_until};
use crate::common::{Ran, Server, done};

fn program(name: &str) -> Command {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    Command::new(tools.join("test-tools/prometheus/usr/bin").join(name))
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs promtool, which must report no problem.
fn promtool(words: &[&str], file: &str) {
    let output = program("promtool").args(words).arg(here(file)).output();
    let ran: Ran = output.expect("promtool runs: deploy/install-test-tools unpacks it").into();
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("SUCCESS"), "{ran:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Prometheus: ./test runs it")]
fn each_alert_reports_its_problem_and_none_fires_without_one() {
    promtool(&["check", "rules"], "deploy/prometheus/turnpost.rules.yml");
    promtool(&["test", "rules"], "tests/data/alerts.yml");
    let names = |text: &str, before: &str| -> Vec<String> {
        let names = text.split(before).skip(1).map(|rest| rest.split([',', '\n', ' ']).next().unwrap().to_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        names
    };
    let rules = names(&fs::read_to_string(here("deploy/prometheus/turnpost.rules.yml")).unwrap(), "alert: ");
    let tried = names(&fs::read_to_string(here("tests/data/alerts.yml")).unwrap(), "alertname: ");
    assert_eq!(rules, tried, "each alert has a test");
}

/// A running Prometheus, killed when dropped.
struct Prometheus {
    child: Child,
    address: String,
}

impl Prometheus {
    /// Scrapes the metrics at this address every second, with our rules.
    fn reading(metrics: &str, dir: &Path) -> Prometheus {
        let rules = here("deploy/prometheus/turnpost.rules.yml");
        let config = format!(
            "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [{rules:?}]\nscrape_configs:\n  - \
             job_name: turnpost\n    static_configs: [{{ targets: [{metrics:?}] }}]\n"
        );
        fs::write(dir.join("prometheus.yml"), config).unwrap();
        let address = format!("127.0.0.1:{}", free_port());
        let mut command = program("prometheus");
        command.arg(format!("--config.file={}", dir.join("prometheus.yml").display()));
        command.arg(format!("--storage.tsdb.path={}", dir.join("data").display()));
        command.arg(format!("--web.listen-address={address}")).stdin(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("Prometheus runs: deploy/install-test-tools unpacks it");
        wait_until("Prometheus to listen", || TcpStream::connect(&address).ok());
        Prometheus { child, address }
    }

    /// Returns the answer to this path, or `None` while Prometheus is not ready.
    fn ask(&self, path: &str) -> Option<Value> {
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address);
        let (status, _, body) = http(&self.address, &request);
        let answer: Value = serde_json::from_slice(&body).ok()?;
        assert!(status == 503 || answer["status"] == "success", "{path}: {answer}");
        (status == 200).then(|| answer["data"].clone())
    }

    /// Returns the current series of an expression.
    fn query(&self, expression: &str) -> Vec<Value> {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair("query", expression).finish();
        let answer = wait_until(&format!("an answer to {expression}"), || self.ask(&format!("/api/v1/query?{query}")));
        answer["result"].as_array().unwrap().clone()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Prometheus: ./test runs it")]
fn a_real_prometheus_reads_the_metrics_and_draws_the_dashboard() {
    let server = Server::in_a_file().and_players();
    let serving = Serving::start(
        &server,
        "[metrics]\nlisten = \"127.0.0.1:0\"\n[web]\nlisten = \"127.0.0.1:0\"\n[backup]\ndirectory = \"backups\"\n",
    );
    done(&server, "marque challenge alice bob");
    let (_, _, page) = http(&serving.web(), "GET / HTTP/1.0\r\nHost: x\r\n\r\n");
    assert!(!page.is_empty());
    let (_, _, metrics) = http(&serving.metrics(), "GET /metrics HTTP/1.0\r\nHost: x\r\n\r\n");
    let mut check = program("promtool");
    let mut check = check.args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    check.stdin.take().unwrap().write_all(&metrics).unwrap();
    let checked = check.wait_with_output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));

    let dir = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::reading(&serving.metrics(), dir.path());
    wait_until("the first scrape", || prometheus.query("up == 1").pop());
    // A rate needs two scrapes. Until the second one, the server also makes and checks a backup.
    wait_until("the age of the backup", || prometheus.query("turnpost_backup_age_seconds").pop());
    wait_until("the second scrape", || prometheus.query("rate(turnpost_pages_total[1m])").pop());
    assert_eq!(prometheus.query("turnpost_players")[0]["value"][1], "2");
    let dashboard = fs::read_to_string(here("deploy/grafana/turnpost.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets: Vec<&Value> = panels.flat_map(|panel| panel["targets"].as_array().unwrap()).collect();
    assert!(targets.len() > 20, "{targets:?}");
    for target in targets {
        let expression = target["expr"].as_str().unwrap();
        let found = prometheus.query(expression);
        // Counters and histograms have no series until their first event.
        assert!(expression.contains("_total") || expression.contains("_bucket") || !found.is_empty(), "{expression}");
    }
    // Each rule was evaluated, and none is firing.
    let groups = wait_until("all rules to be evaluated", || {
        let groups = prometheus.ask("/api/v1/rules")?["groups"].as_array().unwrap().clone();
        let rules = groups[0]["rules"].as_array().unwrap();
        rules.iter().all(|rule| rule["health"] != "unknown").then_some(groups)
    });
    for rule in groups[0]["rules"].as_array().unwrap() {
        assert_eq!((&rule["health"], &rule["state"]), (&Value::from("ok"), &Value::from("inactive")), "{rule}");
    }
    drop(prometheus);
    serving.stop();
}
