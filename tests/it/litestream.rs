//! While `serve` runs, litestream copies each change of the database. The copy can be restored as of any time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use crate::common::serving::{Serving, terminate, wait_until};
use crate::common::{Server, TURNPOST, done};

fn litestream() -> Command {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    Command::new(tools.join("test-tools/litestream/bin/litestream"))
}

/// A running litestream, stopped when dropped.
struct Replicating(Child);

impl Drop for Replicating {
    fn drop(&mut self) {
        terminate(&self.0);
        let _ = self.0.wait();
    }
}

/// A directory with litestream's copy of a database, and with the versions that the test restores from it.
struct Copy {
    dir: tempfile::TempDir,
}

impl Copy {
    fn address(&self) -> String {
        format!("file://{}", self.dir.path().join("copy").display())
    }

    /// Starts litestream, which copies the server's database and its later changes.
    fn of(server: &Server) -> (Copy, Replicating) {
        let copy = Copy { dir: tempfile::tempdir().unwrap() };
        let log = File::create(copy.dir.path().join("log")).unwrap();
        let mut command = litestream();
        command.arg("replicate").arg(server.data().join("turnpost.db")).arg(copy.address());
        let child = command.stdout(log.try_clone().unwrap()).stderr(log).spawn();
        (copy, Replicating(child.expect("litestream runs: deploy/install-test-tools installs it")))
    }

    /// Returns the number of plies on board 1 after a restore with these options. The restored server must be sound.
    fn plies(&self, options: &[&str]) -> Option<u64> {
        let data = tempfile::tempdir_in(self.dir.path()).unwrap();
        let mut command = litestream();
        command.arg("restore").args(options).arg("-o").arg(data.path().join("turnpost.db")).arg(self.address());
        // At first, there is nothing to restore.
        if !command.output().unwrap().status.success() {
            return None;
        }
        let run = |words: &[&str]| {
            let ran = Command::new(TURNPOST).arg("--data").arg(data.path()).args(words).output().unwrap();
            assert!(ran.status.success(), "{ran:?}");
            ran.stdout
        };
        run(&["admin", "check"]);
        let history: serde_json::Value = serde_json::from_slice(&run(&["--json", "marque", "history", "1"])).unwrap();
        Some(history["board"]["moves"].as_array().unwrap().len() as u64)
    }

    /// Returns the time just after the newest file of the copy. litestream sets each file's time to the time of the
    /// change that it contains, in whole milliseconds.
    fn newest(&self) -> DateTime<Utc> {
        let written = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        let files = fs::read_dir(self.dir.path().join("copy/ltx/0")).unwrap().map(|file| file.unwrap().path());
        DateTime::from(files.map(|path| written(&path)).max().unwrap()) + TimeDelta::milliseconds(1)
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs litestream: ./test runs it")]
fn a_server_is_restored_as_of_a_moment() {
    let server = Server::in_a_file().and_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, "");
    let (copy, _replicating) = Copy::of(&server);
    done(&server, "marque move 1 alice wonderland f3");
    wait_until("a copy of the first move", || (copy.plies(&[]) == Some(1)).then_some(()));
    let moment = copy.newest().to_rfc3339_opts(SecondsFormat::Millis, true);
    done(&server, "marque move 1 bob builder k4");
    wait_until("a copy of the second move", || (copy.plies(&[]) == Some(2)).then_some(()));
    assert_eq!(copy.plies(&["-timestamp", &moment]), Some(1), "the copy as of {moment} has one ply");
    // When the server is killed, some data is only in the database's log. litestream copies it, too.
    serving.kill();
    done(&server, "marque move 1 alice wonderland f4");
    wait_until("a copy of the third move", || (copy.plies(&[]) == Some(3)).then_some(()));
}
