//! Two bots play a game. They were written from the API's OpenAPI document only.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Api;

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python: ./test runs it")]
fn two_bots_play_a_game_to_its_end() {
    let mut api = Api::open();
    api.shell("marque challenge alice bob");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bot.py");
    let url = format!("http://{}/api/v1", api.address);
    let bot = |userid: &str, password: &str| {
        let mut command = Command::new("python3");
        command
            .arg(&script)
            .args([&url, userid, password, "1", "200"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs")
    };
    let bots = [bot("alice", "wonderland"), bot("bob", "builder")];
    let said = bots.map(|bot| {
        let output = bot.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    let board = api.done("GET", "/boards/1", "", None);
    assert!(board["plies"].as_u64().unwrap() > 20 && board["result"].is_object(), "{board}");
    for said in &said {
        assert_eq!(said["result"], board["result"], "{said}");
    }
    let played = said.iter().map(|said| said["played"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(played, board["plies"].as_u64().unwrap());
    assert_eq!(api.server.shell("admin check").status, 0);
}
