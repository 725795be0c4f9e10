//! The boards, verdicts and letters that result from mail, without times and numbers, which differ between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::common::TURNPOST;

/// The results of all mail of a test run.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// The entries in the boards' records and the boards' other events, one per line.
    pub boards: Vec<String>,
    /// The number of messages for each combination of verdict, sender, commands and reason. Copies of a message are not
    /// included.
    pub verdicts: BTreeMap<String, usize>,
    /// The number of notices for each combination of recipient, kind, board and state.
    pub notices: BTreeMap<String, usize>,
}

impl Outcome {
    /// Panics with the differences if the results are not equal.
    pub fn check(&self, expected: &Outcome, of: &str) {
        let lines = |outcome: &Outcome| -> BTreeSet<String> {
            let counted =
                outcome.verdicts.iter().chain(&outcome.notices).map(|(line, count)| format!("{count} x {line}"));
            outcome.boards.iter().cloned().chain(counted).collect()
        };
        let (found, wanted) = (lines(self), lines(expected));
        let more: Vec<&String> = found.difference(&wanted).collect();
        let less: Vec<&String> = wanted.difference(&found).collect();
        assert!(self == expected, "{of}: unexpected {more:#?}, missing {less:#?}");
    }
}

/// Runs an administrator's command that must succeed.
pub fn run(data: &Path, arguments: &[&str]) {
    let ran = program(data).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {ran:?}");
}

/// Passes a message to `turnpost mail`, which may be killed or fail. `running` receives the process ID.
pub fn hand_over(mut program: Command, mail: &str, running: impl FnOnce(u32)) -> ExitStatus {
    let mut child = program.arg("mail").stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    running(child.id());
    // Writing fails if the program was killed.
    let _ = child.stdin.take().unwrap().write_all(mail.as_bytes());
    child.wait().unwrap()
}

/// Returns a command that runs `turnpost` on a data directory.
pub fn program(data: &Path) -> Command {
    let mut program = Command::new(TURNPOST);
    program.arg("--data").arg(data).env_remove("TURNPOST_DATA").env_remove("TURNPOST_PASSWORD");
    program
}

/// Processes all waiting work, including letters whose next attempt is scheduled for later.
pub fn work_off(data: &Path) {
    for _ in 0..2 {
        let db = Connection::open(data.join("turnpost.db")).unwrap();
        db.execute_batch(
            "UPDATE outbox SET due_at = '2020-01-01T00:00:00Z' WHERE sent_at IS NULL AND due_at IS NOT NULL",
        )
        .unwrap();
        drop(db);
        run(data, &["tick"]);
    }
}

/// Processes all waiting work, and returns the results. Checks that the database is intact, that no message still waits
/// or was quarantined, and that each letter was delivered to the Maildir under exactly one Message-ID.
pub fn finished(data: &Path) -> Outcome {
    work_off(data);
    run(data, &["admin", "check"]);
    let db = Connection::open(data.join("turnpost.db")).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        let mut query = db.prepare(sql).unwrap();
        let columns = query.column_count();
        let rows = query.query_map([], |row| {
            let cells = (0..columns).map(|at| row.get::<_, Value>(at).map(shown));
            cells.collect::<rusqlite::Result<Vec<_>>>().map(|cells| cells.join(" "))
        });
        rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
    };
    let (outcome, letters) = outcome(&rows);
    check_letters(&[data], letters);
    outcome
}

/// Reads the results from the database. Also returns the number of sent letters. `rows` runs a query.
pub fn outcome(rows: &dyn Fn(&str) -> Vec<String>) -> (Outcome, usize) {
    assert_eq!(rows("SELECT id FROM inbox WHERE verdict IS NULL OR raw IS NOT NULL OR verdict = 'poison'"), [""; 0]);
    let twice = "SELECT identity FROM inbox WHERE verdict <> 'repeated' GROUP BY identity HAVING count(*) > 1";
    assert_eq!(rows(twice), [""; 0], "some messages were processed twice");
    let letters = rows("SELECT DISTINCT letter FROM outbox WHERE sent_at IS NOT NULL").len();
    let mut boards = rows("SELECT board, entry, kind, ply, seat, text FROM record ORDER BY board, entry");
    boards.extend(rows("SELECT board, event, player, what FROM board_story ORDER BY board, event, player, what"));
    let outcome = Outcome {
        boards,
        verdicts: counted(rows("SELECT verdict, sender, commands, reason FROM inbox WHERE verdict <> 'repeated'")),
        notices: counted(rows("SELECT player, address, kind, board, sent_at IS NOT NULL FROM outbox")),
    };
    (outcome, letters)
}

fn shown(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        Value::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn counted(lines: Vec<String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    lines.into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

/// Checks that these nodes have sent this many letters. A letter that was sent twice must have the same Message-ID both
/// times.
pub fn check_letters(nodes: &[&Path], letters: usize) {
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let directories = nodes.iter().filter_map(|data| std::fs::read_dir(data.join("outgoing/new")).ok());
    for file in directories.flatten() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(text.ends_with('\n'), "a truncated letter: {text}");
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let id = header("Message-ID: ").to_owned();
        let number = id.split('.').next().unwrap().to_owned();
        ids.entry(number).or_default().insert(id);
    }
    assert!(ids.values().all(|ids| ids.len() == 1), "letters with two Message-IDs: {ids:?}");
    assert_eq!(ids.len(), letters, "{ids:?}");
}
