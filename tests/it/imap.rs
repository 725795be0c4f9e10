//! The server takes its mail from a mailbox of a private Dovecot, over TLS with a test authority.
//!
//! Dovecot listens on two loopback ports, uses private directories, and runs as nobody or as the user who runs the
//! tests. The tests never touch the system's Dovecot.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::certificates::certificates;
use crate::common::database::{inbox, sql};
use crate::common::serving::{Serving, free_port, terminate, wait_until};
use crate::common::{Letter, Server};
use serde_json::{Value, json};

const CONFIG: &str = "
base_dir = DIR/run
state_dir = DIR/run
log_path = DIR/log
protocols = imap
listen = 127.0.0.1
default_internal_user = USER
default_internal_group = GROUP
default_login_user = USER
first_valid_uid = 1
mail_location = maildir:DIR/mail
ssl = required
ssl_cert = <DIR/cert.pem
ssl_key = <DIR/key.pem
auth_mechanisms = plain
auth_failure_delay = 0
passdb {
  driver = static
  args = password=sesame
}
userdb {
  driver = static
  args = uid=USER gid=GROUP home=DIR/mail
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = PLAIN
  }
  inet_listener imaps {
    port = WRAPPED
  }
}
";

/// Returns the ids and the names of the user and the group of Dovecot's process. If root runs the tests, this is
/// `nobody`, because Dovecot refuses to read mail as root.
fn who() -> (u32, u32, String, String) {
    let id = |flags: &[&str], user: &[&str]| {
        let output = Command::new("id").args(flags).args(user).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let user: &[&str] = if root { &["nobody"] } else { &[] };
    let number = |flag| id(&[flag], user).parse().unwrap();
    (number("-u"), number("-g"), id(&["-un"], user), id(&["-gn"], user))
}

/// A running Dovecot with a Python client; stopped when dropped.
pub(crate) struct Dovecot {
    dir: tempfile::TempDir,
    child: Child,
    plain: u16,
    wrapped: u16,
    python: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dovecot {
    /// Starts Dovecot with these additional lines of configuration.
    pub(crate) fn start(more: &str) -> Dovecot {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let (uid, gid, user, group) = who();
        let (plain, wrapped) = (free_port(), free_port());
        certificates(dir.path());
        for name in ["mail", "run"] {
            fs::create_dir(path(name)).unwrap();
        }
        let config = format!("{CONFIG}{more}\n")
            .replace("DIR", &dir.path().display().to_string())
            .replace("USER", &user)
            .replace("GROUP", &group)
            .replace("PLAIN", &plain.to_string())
            .replace("WRAPPED", &wrapped.to_string());
        fs::write(path("dovecot.conf"), config).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        for name in ["", "mail", "run", "key.pem"] {
            chown(path(name), Some(uid), Some(gid)).unwrap();
        }
        let child = launch(&path("dovecot.conf"), wrapped);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/imap.py");
        let mut python = Command::new("python3")
            .arg(script)
            .args([wrapped.to_string().into(), path("ca.pem").into_os_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs");
        let input = python.stdin.take().unwrap();
        let output = BufReader::new(python.stdout.take().unwrap());
        Dovecot { dir, child, plain, wrapped, python, input, output }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes the password file, and returns a configuration with which the server fetches mail from this Dovecot.
    fn config(&self, server: &Server, more: &str) -> String {
        fs::write(server.data().join("imap-password"), "sesame\n").unwrap();
        let ca = self.path("ca.pem");
        format!(
            "[receive.imap]\nhost = \"localhost\"\nuser = \"turnpost\"\npassword_file = \"imap-password\"\nca_file = \
             {ca:?}\n{more}\n"
        )
    }

    pub(crate) fn wrapped(&self, server: &Server, more: &str) -> String {
        self.config(server, &format!("port = {}\n{more}", self.wrapped))
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}\n{}", self.log()))
    }

    /// Puts a message into the mailbox.
    pub(crate) fn deliver(&mut self, mail: &str, flags: &str) {
        assert_eq!(self.ask(&json!({ "append": [mail], "flags": flags }))["ok"], true);
    }

    /// Returns the Message-IDs and flags in a folder.
    fn list(&mut self, folder: &str) -> Vec<(String, String)> {
        let answer = self.ask(&json!({ "list": folder }));
        let mails = answer["mails"].as_array().into_iter().flatten();
        mails.map(|mail| (mail["id"].as_str().unwrap().to_owned(), mail["flags"].to_string())).collect()
    }

    fn stop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            terminate(&self.child);
            let _ = self.child.wait();
        }
    }

    fn restart(&mut self) {
        self.stop();
        self.child = launch(&self.path("dovecot.conf"), self.wrapped);
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
        let _ = self.python.kill();
        let _ = self.python.wait();
        self.stop();
    }
}

fn launch(config: &Path, port: u16) -> Child {
    let mut command = Command::new("/usr/sbin/dovecot");
    command.arg("-F").arg("-c").arg(config).stdin(Stdio::null());
    let (uid, gid, ..) = who();
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(uid).gid(gid);
    }
    let child = command.spawn().expect("Dovecot runs: deploy/install-test-tools installs it");
    wait_until("Dovecot to listen", || TcpStream::connect(("127.0.0.1", port)).ok());
    child
}

/// Waits until the server has sent `count` new letters, and returns them.
fn letters(server: &mut Server, count: usize) -> Vec<Letter> {
    let mut letters = Vec::new();
    wait_until(&format!("{count} letters"), || {
        letters.extend(server.letters());
        (letters.len() >= count).then_some(())
    });
    assert_eq!(letters.len(), count, "{letters:?}");
    letters
}

fn verdicts(server: &Server) -> String {
    sql(server, "SELECT verdict FROM inbox ORDER BY id").replace('\n', " ")
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn a_game_is_played_through_a_mailbox() {
    let mut server = Server::with_players();
    let mut dovecot = Dovecot::start("");
    // The first message is already marked as read: somebody opened it on a phone before `serve` started.
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    dovecot.deliver(&mail, "\\Seen");
    let config = dovecot.wrapped(&server, "");
    let serving = Serving::start(&server, &config);
    let told = letters(&mut server, 2);
    wait_until("the mailbox to be empty", || dovecot.list("INBOX").is_empty().then_some(()));
    // From now on, IDLE announces each message: without it, the server checks for mail only every few minutes. No
    // address has an extension, so the server finds the board only by the Message-ID in `In-Reply-To`.
    let mut letter = told.into_iter().find(|letter| letter.to() == "alice@example.org").unwrap();
    for (player, other, text) in [("alice", "bob", "f3"), ("bob", "alice", "f4"), ("alice", "bob", "k1")] {
        let headers = json!({ "In-Reply-To": letter.id });
        let subject = format!("Re: {}", letter.subject);
        let mail = server.compose_with(&format!("{player}@example.org"), &subject, &format!("{text}\n"), &headers);
        dovecot.deliver(&mail, "");
        let told = letters(&mut server, 2);
        letter = told.into_iter().find(|letter| letter.to() == format!("{other}@example.org")).unwrap();
        assert!(letter.text().contains(text), "{}", letter.text());
    }
    let resigned = server.compose("bob@example.org", "marque resign 1 bob builder", "");
    dovecot.deliver(&resigned, "");
    letters(&mut server, 2);
    // A message of five million octets is not downloaded completely.
    let big = server.compose("alice@example.org", "marque games", &"It is a long story.\n".repeat(250_000));
    dovecot.deliver(&big, "");
    wait_until("the truncated message to be stored", || (inbox(&server) == 6).then_some(()));
    assert_eq!(sql(&server, "SELECT count(*) FROM inbox WHERE truncated"), "1");
    wait_until("the mailbox to be empty", || dovecot.list("INBOX").is_empty().then_some(()));
    let taken = dovecot.list("Turnpost");
    assert_eq!(taken.len(), 6, "{taken:?}");
    assert!(taken.iter().all(|(_, flags)| flags == "[\"\\\\Seen\"]"), "{taken:?}");
    // If messages are moved back into the inbox, the server recognizes them as duplicates and ignores them.
    let before = wait_until("six verdicts", || {
        Some(verdicts(&server)).filter(|all| all.split(' ').filter(|verdict| !verdict.is_empty()).count() == 6)
    });
    dovecot.ask(&json!({ "move": "Turnpost" }));
    wait_until("all duplicates to be stored", || (inbox(&server) == 12).then_some(()));
    wait_until("the mailbox to be empty again", || dovecot.list("INBOX").is_empty().then_some(()));
    let after = wait_until("twelve verdicts", || {
        Some(verdicts(&server)).filter(|all| all.split(' ').filter(|verdict| !verdict.is_empty()).count() == 12)
    });
    assert_eq!(after, format!("{before}{}", " repeated".repeat(6)));
    assert!(server.shell("admin board 1").out.contains("The hash chain is intact"));
    let log = serving.stop();
    assert_eq!(log.matches("connected by IMAP").count(), 1, "the server connects once: {log}");
    assert!(!log.contains("sesame") && !log.contains("builder"), "{log}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn the_client_reconnects_to_a_restarted_server() {
    let server = &mut Server::with_players();
    let mut dovecot = Dovecot::start("");
    let config = dovecot.wrapped(server, "");
    let serving = Serving::start(server, &config);
    wait_until("the client to connect", || serving.log().contains("connected by IMAP").then_some(()));
    dovecot.stop();
    wait_until("a log line about the interruption", || serving.log().contains("IMAP is interrupted").then_some(()));
    dovecot.restart();
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    dovecot.deliver(&mail, "");
    letters(server, 2);
    serving.stop();
    // While Dovecot is down, the server starts and stops without waiting for it.
    dovecot.stop();
    let serving = Serving::start(server, &config);
    wait_until("a log line about the failed connection", || {
        serving.log().contains("cannot connect to localhost").then_some(())
    });
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn a_server_with_starttls_and_without_move_is_supported() {
    let mut server = Server::with_players();
    let mut dovecot = Dovecot::start("imap_capability = IMAP4rev1 IDLE UIDPLUS");
    let config = dovecot.config(&server, &format!("port = {}\ntls = \"starttls\"", dovecot.plain));
    let serving = Serving::start(&server, &config);
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    dovecot.deliver(&mail, "");
    letters(&mut server, 2);
    wait_until("the mailbox to be empty", || dovecot.list("INBOX").is_empty().then_some(()));
    assert_eq!(dovecot.list("Turnpost").len(), 1);
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn without_uidplus_messages_deleted_by_others_remain() {
    let mut server = Server::with_players();
    let mut dovecot = Dovecot::start("imap_capability = IMAP4rev1 IDLE");
    let mail = server.compose("alice@example.org", "marque games", "");
    dovecot.deliver(&mail, "\\Deleted");
    let config = dovecot.wrapped(&server, "folder = \"Done\"");
    let serving = Serving::start(&server, &config);
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    dovecot.deliver(&mail, "");
    letters(&mut server, 2);
    let flags = wait_until("the message to be marked as deleted", || {
        let flags: Vec<String> = dovecot.list("INBOX").into_iter().map(|(_, flags)| flags).collect();
        flags.iter().all(|flags| flags.contains("Deleted")).then_some(flags)
    });
    assert_eq!(flags, ["[\"\\\\Deleted\"]", "[\"\\\\Deleted\",\"\\\\Seen\"]"]);
    assert_eq!((inbox(&server), dovecot.list("Done").len()), (1, 1));
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn messages_are_deleted_on_request() {
    let mut server = Server::with_players();
    let mut dovecot = Dovecot::start("");
    let compose = |_| server.compose("nobody@elsewhere.example", "Hello", "Nice weather.\n");
    let mails: Vec<String> = (0..300).map(compose).collect();
    assert_eq!(dovecot.ask(&json!({ "append": mails, "flags": "" }))["ok"], true);
    let config = dovecot.wrapped(&server, "delete = true");
    let serving = Serving::start(&server, &config);
    wait_until("all messages to be stored", || (inbox(&server) == 300).then_some(()));
    wait_until("all messages to be deleted", || dovecot.list("INBOX").is_empty().then_some(()));
    assert_eq!(dovecot.ask(&json!({ "list": "Turnpost" }))["mails"], Value::Null);
    assert_eq!(serving.kept(), [256, 44], "one transaction stores many messages");
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn required_actions_are_logged_once_and_other_work_continues() {
    let mut server = Server::with_players();
    let dovecot = Dovecot::start("");
    let good = dovecot.wrapped(&server, "");
    let without_authority = good.lines().filter(|line| !line.starts_with("ca_file")).collect::<Vec<_>>().join("\n");
    for (config, password, says) in [
        (good.clone(), "open", "refuses the login of \\\"turnpost\\\""),
        (format!("{good}mailbox = \"Players\"\n"), "sesame", "does not open the mailbox \\\"Players\\\""),
        (format!("{good}folder = \"a//b\"\n"), "sesame", "did not create the folder"),
        (without_authority, "sesame", "the certificate of localhost is refused"),
        (good.replace("\"localhost\"", "\"127.0.0.1\""), "sesame", "the certificate of 127.0.0.1 is refused"),
        (good.replace("imap-password", "nowhere"), "sesame", "cannot read the password_file"),
    ] {
        fs::write(server.data().join("imap-password"), format!("{password}\n")).unwrap();
        let serving = Serving::start(&server, &config);
        wait_until(&format!("an error with {says:?}"), || {
            serving.log().lines().any(|line| line.contains("ERROR") && line.contains(says)).then_some(())
        });
        server.mail("alice@example.org", "marque help", "");
        let before = sql(&server, "SELECT count(*) FROM inbox");
        wait_until("the message received by pipe to be processed", || {
            let done = sql(&server, "SELECT count(*) FROM inbox WHERE verdict IS NOT NULL");
            (done == before).then_some(())
        });
        let log = serving.stop();
        assert_eq!(log.matches("cannot fetch mail over IMAP").count(), 1, "{log}");
        assert!(!log.contains("sesame") && !log.contains("\"open\""), "{log}");
    }
}
