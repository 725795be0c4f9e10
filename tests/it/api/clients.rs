//! Runs the example clients in `docs/clients` as players would.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;

use super::Api;
use crate::common::Ran;
use crate::common::serving::wait_until;

/// A player who uses one of the clients.
struct Player {
    interpreter: &'static str,
    script: PathBuf,
    url: String,
    token: String,
}

impl Player {
    fn new(api: &Api, (interpreter, name): (&'static str, &str), userid: &str, password: &str) -> Player {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clients").join(name);
        let url = format!("http://{}/api/v1", api.address);
        let mut player = Player { interpreter, script, url, token: String::new() };
        player.token = player.says(&["token", userid, password]);
        assert!(player.token.starts_with("tp_"), "{}", player.token);
        player
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.interpreter);
        command.arg(&self.script).args(words).env("TURNPOST_URL", &self.url).env("TURNPOST_TOKEN", &self.token);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        let output = self.command(words).output();
        output.unwrap_or_else(|_| panic!("{} runs: deploy/install-test-tools installs it", self.interpreter)).into()
    }

    /// Returns the client's output for a command that must succeed.
    fn says(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.status, 0, "{words:?}: {}", ran.err);
        ran.out.trim().to_owned()
    }
}

/// A client that follows events. It is killed when dropped.
struct Following {
    child: Child,
    changes: Receiver<Value>,
}

impl Following {
    fn start(player: &Player) -> Following {
        let mut child = player.command(&["follow"]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (said, changes) = mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = said.send(serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}")));
            }
        });
        Following { child, changes }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets two players use every function of a client.
fn play(client: (&'static str, &str)) {
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clients").join(client.1));
    assert!(source.unwrap().lines().count() <= 100, "a client has at most 100 lines");
    let api = Api::open();
    let alice = Player::new(&api, client, "alice", "wonderland");
    let bob = Player::new(&api, client, "bob", "builder");
    assert_eq!(alice.says(&["challenge", "marque", "bob"]), "1");
    assert_eq!(alice.says(&["challenge", "tessella"]), "2");
    assert_eq!(bob.says(&["accept", "2"]), "2: 0 plies, alice to move");
    assert_eq!(alice.says(&["chat", "1", "Good luck"]), "1: 0 plies, alice to move");
    let following = Following::start(&bob);
    // Changes are reported only while the stream is open, so the first event shows that the stream is open.
    wait_until("the client to report a change", || {
        alice.says(&["chat", "1", "Are you there?"]);
        following.changes.try_recv().ok()
    });
    assert_eq!(alice.says(&["move", "1", "f3"]), "1: 1 plies, bob to move");
    let mut changes = std::iter::from_fn(|| following.changes.recv_timeout(Duration::from_secs(60)).ok());
    let change = changes.find(|change| change["plies"] == 1).expect("the client reports the move");
    assert!(change["board"] == 1 && change["your_turn"] == true, "{change}");
    assert_eq!(
        bob.says(&["boards"]),
        "1: marque against alice, 1 plies, your turn\n2: tessella against alice, 0 plies, alice's turn"
    );
    let shown = bob.says(&["show", "1"]);
    assert!(shown.contains(" f2 ") && !shown.contains(" f3 "), "a stone replaces the name of its cell: {shown}");
    let refused = bob.run(&["move", "1", "z9"]);
    assert!(refused.status == 1 && refused.err.contains("no such cell"), "{}", refused.err);
    let refused = alice.run(&["show", "9"]);
    assert!(refused.status == 1 && refused.err.contains("no board 9"), "{}", refused.err);
    assert_eq!(alice.run(&["hepl"]).status, 1);
    assert_eq!(api.server.shell("admin check").status, 0);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python: ./test runs it")]
fn the_client_in_python_plays() {
    play(("python3", "turnpost.py"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Node: ./test runs it")]
fn the_client_in_javascript_plays() {
    play(("node", "turnpost.mjs"));
}
