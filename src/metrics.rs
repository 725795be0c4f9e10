//! Metrics of this process for Prometheus. They start at zero when the process starts. No decision depends on them.

use std::sync::LazyLock;

use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{Histogram, HistogramOpts, IntCounterVec, Opts, Registry};

use crate::rules::catalogue;

/// The upper bounds, in seconds, of the histogram's buckets. Mail is timestamped to the second.
const SECONDS: [f64; 9] = [1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0];

static PROCESS: LazyLock<Process> = LazyLock::new(Process::new);

/// The result of an attempt to send a letter.
#[derive(Clone, Copy, Debug)]
pub enum LetterResult {
    /// The transport accepted the letter.
    Sent,
    /// Sending will be retried.
    Failed,
    /// Sending will not be retried.
    GivenUp,
}

/// Why a login was refused.
#[derive(Clone, Copy, Debug)]
pub enum RefusedLogin {
    /// The password is wrong, or the userid is unknown.
    WrongPassword,
    /// Too many wrong passwords preceded this one.
    TooOften,
}

struct Process {
    registry: Registry,
    turns: IntCounterVec,
    mails: IntCounterVec,
    latency: Histogram,
    letters: IntCounterVec,
    logins: IntCounterVec,
    pages: IntCounterVec,
    engines: IntCounterVec,
}

impl Process {
    fn new() -> Process {
        let counter =
            |name, help, labels: &[&str]| IntCounterVec::new(Opts::new(name, help), labels).expect("it is valid");
        let latency = HistogramOpts::new(
            "turnpost_mail_latency_seconds",
            "Time from a message's arrival to its verdict, in whole seconds.",
        );
        let process = Process {
            registry: Registry::new(),
            turns: counter("turnpost_turns_total", "Played moves.", &["game"]),
            mails: counter("turnpost_messages_total", "Processed messages, by verdict.", &["verdict"]),
            latency: Histogram::with_opts(latency.buckets(SECONDS.to_vec())).expect("it is valid"),
            letters: counter("turnpost_letters_total", "Attempts to send a letter, by result.", &["result"]),
            logins: counter("turnpost_logins_refused_total", "Refused passwords.", &["reason"]),
            engines: counter(
                "turnpost_engine_failures_total",
                "Moves that a computer player's program failed to provide.",
                &["robot"],
            ),
            pages: counter("turnpost_pages_total", "HTTP responses, by route and status.", &["route", "status"]),
        };
        // Create each counter with the value zero, so that the first event is visible as an increase.
        for game in catalogue::GAMES {
            process.turns.with_label_values(&[game.name()]);
        }
        for verdict in ["done", "refused", "repeated", "ignored", "poison"] {
            process.mails.with_label_values(&[verdict]);
        }
        for result in [LetterResult::Sent, LetterResult::Failed, LetterResult::GivenUp] {
            process.letters.with_label_values(&[result.label()]);
        }
        for reason in [RefusedLogin::WrongPassword, RefusedLogin::TooOften] {
            process.logins.with_label_values(&[reason.label()]);
        }
        process.register(&process.turns).register(&process.mails).register(&process.latency);
        process.register(&process.letters).register(&process.logins).register(&process.pages);
        process.register(&process.engines);
        process
    }

    fn register<C: Collector + Clone + 'static>(&self, collector: &C) -> &Process {
        self.registry.register(Box::new(collector.clone())).expect("each name is unique");
        self
    }
}

impl LetterResult {
    fn label(self) -> &'static str {
        match self {
            LetterResult::Sent => "sent",
            LetterResult::Failed => "failed",
            LetterResult::GivenUp => "given_up",
        }
    }
}

impl RefusedLogin {
    fn label(self) -> &'static str {
        match self {
            RefusedLogin::WrongPassword => "wrong_password",
            RefusedLogin::TooOften => "too_often",
        }
    }
}

/// Counts a committed move.
pub fn count_turn(game: &str) {
    PROCESS.turns.with_label_values(&[game]).inc();
}

/// Counts a processed message, and records the seconds from its arrival to its verdict.
pub fn count_mail(verdict: &str, seconds: i64) {
    PROCESS.mails.with_label_values(&[verdict]).inc();
    PROCESS.latency.observe(seconds.max(0) as f64);
}

/// Counts an attempt to send a letter.
pub fn count_letter(result: LetterResult) {
    PROCESS.letters.with_label_values(&[result.label()]).inc();
}

/// Counts a refused attempt to log in.
pub fn count_refused_login(why: RefusedLogin) {
    PROCESS.logins.with_label_values(&[why.label()]).inc();
}

/// Counts an HTTP response. The route is a pattern, which limits the number of labels.
pub fn count_page(route: &str, status: u16) {
    PROCESS.pages.with_label_values(&[route, &status.to_string()]).inc();
}

/// Counts a move that a computer player's program failed to provide.
pub fn count_engine_failure(robot: &str) {
    PROCESS.engines.with_label_values(&[robot]).inc();
}

/// Returns all metrics of this process.
pub fn gather() -> Vec<MetricFamily> {
    PROCESS.registry.gather()
}
