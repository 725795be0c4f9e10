//! Checks that the responses of the API conform to its OpenAPI document.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::Response;

/// A running `tests/data/openapi.py`. If the test tools are not installed, responses are not checked.
pub struct Truth {
    python: Option<Python>,
    operations: BTreeSet<String>,
    done: BTreeSet<String>,
    refused: BTreeSet<String>,
}

impl Truth {
    /// Starts the script with this OpenAPI document, which must be valid.
    pub fn start(document: &str) -> Truth {
        let parsed: Value = serde_json::from_str(document).unwrap();
        let items = parsed["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
        let operations: BTreeSet<String> =
            items.map(|operation| operation["operationId"].as_str().unwrap().to_owned()).collect();
        assert!(operations.len() > 10, "{operations:?}");
        let (done, refused) = (BTreeSet::new(), BTreeSet::new());
        let mut python = cfg!(feature = "test-tools").then(Python::start);
        if let Some(python) = &mut python {
            assert_eq!(python.ask(&parsed), "valid");
        }
        Truth { python, operations, done, refused }
    }

    /// Checks that the document allows this response.
    pub fn judge(&mut self, method: &str, path: &str, answer: &Response) {
        self.judge_as(method, path, answer.status, &answer.content_type(), &answer.body);
    }

    pub fn judge_as(&mut self, method: &str, path: &str, status: u16, kind: &str, body: &Value) {
        let Some(python) = &mut self.python else { return };
        let path = format!("/api/v1{path}");
        let asked = json!({ "method": method, "path": path, "status": status, "kind": kind, "body": body });
        let answer = python.ask(&asked);
        let Some(id) = answer.strip_prefix("valid ") else { panic!("{method} {path}: {answer}\n{body:#}") };
        if status < 300 { &mut self.done } else { &mut self.refused }.insert(id.to_owned());
    }

    /// Checks that the tests sent a successful and a refused request for every operation of the document, except for
    /// the operations in `but`.
    pub fn all_but(&self, but: &[&str]) {
        let all = self.operations.iter().map(String::as_str);
        let rest: Vec<&str> = all.filter(|id| !but.contains(id)).collect();
        assert_eq!(rest.len() + but.len(), self.operations.len(), "{but:?}");
        self.both(&rest);
    }

    /// Checks that the tests sent a successful and a refused request for each of these operations.
    pub fn both(&self, operations: &[&str]) {
        if self.python.is_none() {
            return;
        }
        let without = |set: &BTreeSet<String>| -> Vec<String> {
            operations.iter().filter(|id| !set.contains(**id)).map(|id| (*id).to_owned()).collect()
        };
        assert_eq!(without(&self.done), [""; 0], "operations without a successful request");
        assert_eq!(without(&self.refused), [""; 0], "operations without a refused request");
    }
}

struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn start() -> Python {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/openapi.py");
        let mut command = Command::new("python3");
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 runs");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Python { child, input, output }
    }

    fn ask(&mut self, line: &Value) -> String {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim().to_owned()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
