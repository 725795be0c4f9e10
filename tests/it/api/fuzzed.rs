//! Runs schemathesis, which derives valid and invalid requests from the API's OpenAPI document and checks that each
//! response conforms to the document.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::Api;
use crate::common::Ran;

/// Returns the path at which `deploy/install-test-tools` installs schemathesis.
fn schemathesis() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("test-tools/schemathesis/bin/schemathesis")
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs schemathesis: ./test runs it")]
fn schemathesis_finds_no_faults() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    for (game, opponent) in [("marque", json!("bob")), ("brique", json!("bob")), ("lazo", json!(null))] {
        let body = json!({ "opponent": opponent, "say": "Hello" });
        api.done("POST", &format!("/games/{game}/boards"), &alice, Some(&body));
    }
    let mut command = Command::new(schemathesis());
    command.arg("--config-file").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/schemathesis.toml"));
    command.args(["run", &format!("http://{}/api/v1/openapi.json", api.address)]);
    // With a fixed seed, every run sends the same requests.
    command.args(["--seed", "1", "--max-examples", "10", "--phases", "coverage,fuzzing,stateful", "--no-color"]);
    command.current_dir(api.server.data()).env("TURNPOST_TOKEN", &alice);
    let ran: Ran = command.output().expect("schemathesis runs: deploy/install-test-tools installs it").into();
    assert_eq!(ran.status, 0, "{}\n{}", ran.out, ran.err);
    assert!(!api.serving.log().contains("ERROR"), "{}", api.serving.log());
    assert_eq!(api.server.shell("admin check").status, 0);
}
