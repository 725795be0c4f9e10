//! Games by mail through Exim and OpenSMTPD, with the configuration files in `deploy`.
//!
//! Installing their Debian packages would remove Postfix, so `deploy/install-test-tools` only unpacks them. Each server
//! runs in separate namespaces, in which its files and users are overlaid on those of the system. Its processes end
//! with the test. It listens on one loopback port and sends nothing to other machines. Usually only root can create
//! namespaces. For other users, the tests print a note and end.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::database::sql;
use crate::common::serving::{Post, Serving, free_port, wait_until};
use crate::common::{Server, TURNPOST};

/// The user id of Debian's `nobody`. In the namespace, turnpost and the players use it.
const NOBODY: u32 = 65_534;

/// A shell script that overlays the files of both packages on those of the system, and runs a program.
const NAMESPACE: &str = r#"
set -e
mount -t overlay overlay -o "lowerdir=$DIR/etc:/etc" /etc
mount -t overlay overlay -o "lowerdir=$TOOLS/opensmtpd/usr:$TOOLS/exim/usr:/usr" /usr
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /var/spool
mount -t tmpfs tmpfs /run
mkdir -p -m 711 /var/spool/smtpd /var/lib/opensmtpd/empty
exec "$@"
"#;

/// The parts of Exim's configuration that are not in `deploy/exim`.
const EXIM: &str = "
primary_hostname = mx.games.example
spool_directory = DIR/spool
log_file_path = DIR/spool/%s
pid_file_path = DIR/spool/exim.pid
daemon_smtp_ports = PORT
local_interfaces = 127.0.0.1
domainlist local_domains = games.example : players.example
acl_smtp_rcpt = rcpt
tls_advertise_hosts =
keep_environment =
begin acl
rcpt:
  require domains = +local_domains
  require verify = recipient
  accept
begin routers
ROUTER
players:
  driver = accept
  domains = players.example
  local_parts = alice : bob
  transport = players
begin transports
TRANSPORT
players:
  driver = appendfile
  directory = DIR/mail/$local_part_data
  maildir_format
  user = alice
begin retry
* * F,2h,1s
";

/// The parts of OpenSMTPD's configuration that are not in `deploy/opensmtpd`.
const OPENSMTPD: &str = r#"
listen on lo port PORT
TURNPOST
action "players" maildir "DIR/mail/%{user.username}"
match from any for domain "players.example" action "players"
"#;

fn tools() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("test-tools")
}

/// Returns whether this user can create namespaces and overlays.
fn can_run() -> bool {
    let overlay = "mount -t overlay overlay -o lowerdir=/etc:/usr /run";
    let made =
        Command::new("unshare").args(["--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", overlay]).status();
    let can = made.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: this user cannot create namespaces; root usually can");
    }
    can
}

/// A running mail server. Its processes are killed when this value is dropped.
struct MailServer {
    child: Child,
    dir: tempfile::TempDir,
    port: u16,
}

impl MailServer {
    /// Starts this command with these files in `/etc`. In the files, replaces `DIR` and `PORT` by a new directory and a
    /// free port.
    fn start(files: &[(&str, &str)], command: &[&str]) -> MailServer {
        let (dir, port) = (tempfile::tempdir().unwrap(), free_port());
        let path = |name: &str| dir.path().join(name);
        for name in ["", "etc", "etc/exim4", "spool", "mail"] {
            fs::create_dir_all(path(name)).unwrap();
            let mode = if name == "spool" || name == "mail" { 0o777 } else { 0o755 };
            fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
        }
        let (mut users, mut groups) =
            ["/etc/passwd", "/etc/group"].map(|file| fs::read_to_string(file).unwrap()).into();
        let own = [("turnpost", NOBODY), ("alice", NOBODY), ("bob", NOBODY)];
        for (name, id) in own.into_iter().chain([("Debian-exim", 64_101), ("opensmtpd", 64_102), ("opensmtpq", 64_103)])
        {
            users += &format!("{name}:x:{id}:{id}::/nonexistent:/bin/sh\n");
            groups += &format!("{name}:x:{id}:\n");
        }
        let place =
            |text: &str| text.replace("DIR", &dir.path().display().to_string()).replace("PORT", &port.to_string());
        let files = files.iter().map(|(name, text)| (*name, place(text)));
        for (name, text) in files.chain([("passwd", users), ("group", groups)]) {
            fs::write(path("etc").join(name), text).unwrap();
        }
        let log = File::create(path("log")).unwrap();
        let mut program = Command::new("unshare");
        program.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", NAMESPACE, "sh"]);
        program.args(command).env("DIR", dir.path()).env("TOOLS", tools());
        program.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = program.spawn().unwrap();
        let mut server = MailServer { child, dir, port };
        wait_until("the mail server to listen", || {
            let ended = server.child.try_wait().unwrap();
            assert!(ended.is_none(), "the mail server ended (deploy/install-test-tools unpacks it): {}", server.log());
            std::net::TcpStream::connect(("127.0.0.1", port)).ok()
        });
        server
    }

    /// Starts Exim with one of the transports in `deploy/exim`. Replaces the first path of each pair by the second.
    fn exim(transport: &str, paths: &[(&str, &str)]) -> MailServer {
        let router = include_str!("../../deploy/exim/router").replace("turnpost_lmtp", transport);
        let mut config = EXIM.replace("ROUTER", &router);
        config = config.replace("TRANSPORT", include_str!("../../deploy/exim/transport"));
        for (from, to) in paths {
            config = config.replace(from, to);
        }
        MailServer::start(&[("exim4/exim4.conf", &config)], &["exim4", "-bdf", "-q1s"])
    }

    /// Starts OpenSMTPD, which passes mail to turnpost at this port.
    fn opensmtpd(lmtp: u16) -> MailServer {
        let lines = include_str!("../../deploy/opensmtpd/smtpd.conf").replace("2424", &lmtp.to_string());
        // Omits the part that sends letters to other machines.
        let lines = lines.split("# Letters to players").next().unwrap();
        MailServer::start(&[("smtpd.conf", &OPENSMTPD.replace("TURNPOST", lines))], &["smtpd", "-d"])
    }

    /// Returns the output of the mail server, and Exim's log.
    fn log(&self) -> String {
        let files = ["log", "spool/main"].map(|name| self.dir.path().join(name));
        files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// Returns a configuration of turnpost for use with this mail server.
    fn config(&self, receive: &str) -> String {
        format!(
            "address = \"turnpost@games.example\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\n\
             tls = \"none\"\n{receive}",
            self.port
        )
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
        // Killing the first process of the namespace ends all others. Exim loses --kill-child when it changes its user.
        let children = format!("/proc/{0}/task/{0}/children", self.child.id());
        let first = fs::read_to_string(children).unwrap_or_default();
        match first.trim().parse().ok().and_then(Pid::from_raw) {
            Some(first) => drop(kill_process(first, Signal::KILL)),
            None => drop(self.child.kill()),
        }
        let _ = self.child.wait();
    }
}

/// The game server, the mail server, and the Python program that sends and reads the players' mail.
struct Table {
    server: Server,
    mail: MailServer,
    post: Post,
}

impl Table {
    fn new(server: Server, mail: MailServer) -> Table {
        for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
            assert_eq!(server.shell(&format!("signup {userid} {password} {userid}@players.example")).status, 0);
        }
        Table { server, mail, post: Post::start() }
    }

    /// Sends a message with this envelope sender, and returns the refused recipients.
    fn send(&mut self, sender: &str, player: &str, to: &str, subject: &str, text: &str) -> Value {
        let mail = self.server.compose(&format!("{player}@players.example"), subject, text);
        let mail = mail.replace("turnpost@localhost", to);
        let request = json!({ "smtp": self.mail.port, "from": sender, "to": [to], "mails": [mail] });
        self.post.ask(&request)["refused"][0].clone()
    }

    /// Sends a player's command to the server, and waits until the reader receives a letter with these words.
    fn order(&mut self, player: &str, to: &str, command: &str, text: &str, reader: &str, words: &str) {
        let sender = format!("{player}@players.example");
        assert_eq!(self.send(&sender, player, to, command, text), json!({}));
        let maildir = self.mail.dir.path().join("mail").join(reader);
        wait_until(&format!("a letter to {reader} with {words:?}"), || {
            let letters = self.post.ask(&json!({ "maildir": maildir }));
            let found = letters["letters"].as_array().unwrap().iter().any(|letter| {
                letter["received"].as_u64().unwrap() > 0 && letter["text"].as_str().unwrap().contains(words)
            });
            found.then_some(())
        });
    }

    fn play(&mut self) {
        let (own, extended) = ("turnpost@games.example", "turnpost+token-1@games.example");
        self.order("alice", own, "marque challenge alice bob", "A game?\n.\n..dots\n", "bob", "A game?\n  .\n  ..dots");
        self.order("alice", extended, "marque move 1 alice wonderland f3", "The first.\n", "bob", "The first.");
        self.order("bob", own, "marque move 1 bob builder f4", "The second.\n", "alice", "The second.");
        for to in ["carol@games.example", "turnposting@games.example", "carol@elsewhere.example"] {
            let refused = self.send("alice@players.example", "alice", to, "marque help", "");
            assert!(refused[to].is_array(), "{to}: {refused}");
        }
        // The mail server also passes on mail with an empty envelope sender, such as a bounce.
        assert_eq!(self.send("", "alice", own, "marque help", ""), json!({}));
        wait_until("the bounce to be ignored", || {
            let count = "SELECT count(*) FROM inbox WHERE reason LIKE '%envelope sender is empty%'";
            (sql(&self.server, count) == "1").then_some(())
        });
        assert!(self.server.shell("admin board 1").out.contains("The hash chain is intact"));
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Exim: ./test runs it")]
fn a_game_is_played_through_exim_by_lmtp() {
    if !can_run() {
        return;
    }
    let server = Server::new();
    // As described in the README, the socket gets the group of its directory.
    let run = tempfile::tempdir().unwrap();
    chown(run.path(), None, Some(NOBODY)).unwrap();
    fs::set_permissions(run.path(), Permissions::from_mode(0o2750)).unwrap();
    let socket = run.path().join("lmtp.sock").display().to_string();
    let mail = MailServer::exim("turnpost_lmtp", &[("/run/turnpost/lmtp.sock", &socket)]);
    let config = mail.config(&format!("[receive]\nlmtp = \"unix:{socket}\"\n"));
    let serving = Serving::start(&server, &config);
    let mut table = Table::new(server, mail);
    table.play();
    // While `serve` is stopped, Exim queues the mail.
    serving.stop();
    assert_eq!(
        table.send("bob@players.example", "bob", "turnpost@games.example", "chat 1 bob builder", "Hello?"),
        json!({})
    );
    wait_until("Exim to defer the message", || table.mail.log().contains("T=turnpost_lmtp defer").then_some(()));
    let serving = Serving::start(&table.server, &config);
    wait_until("the queued message to be stored", || {
        (sql(&table.server, "SELECT count(*) FROM inbox") == "5").then_some(())
    });
    assert!(!table.mail.log().contains(" ** "), "no message bounces: {}", table.mail.log());
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Exim: ./test runs it")]
fn a_game_is_played_through_exim_by_pipe() {
    if !can_run() {
        return;
    }
    let server = Server::in_a_file();
    for path in [server.data().to_owned(), server.data().join("turnpost.db")] {
        chown(path, Some(NOBODY), None).unwrap();
    }
    let data = server.data().display().to_string();
    let mail =
        MailServer::exim("turnpost_pipe", &[("/var/lib/turnpost", &data), ("/usr/local/bin/turnpost", TURNPOST)]);
    server.configure(mail.config(""));
    let mut table = Table::new(server, mail);
    for file in fs::read_dir(table.server.data()).unwrap() {
        chown(file.unwrap().path(), Some(NOBODY), None).unwrap();
    }
    table.play();
    assert!(table.mail.log().contains("T=turnpost_pipe"), "{}", table.mail.log());
    assert!(!table.mail.log().contains(" ** "), "no message bounces: {}", table.mail.log());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs OpenSMTPD: ./test runs it")]
fn a_game_is_played_through_opensmtpd() {
    if !can_run() {
        return;
    }
    let (server, lmtp) = (Server::new(), free_port());
    let mail = MailServer::opensmtpd(lmtp);
    let serving = Serving::start(&server, &mail.config(&format!("[receive]\nlmtp = \"127.0.0.1:{lmtp}\"\n")));
    let mut table = Table::new(server, mail);
    table.play();
    // While `serve` is stopped, OpenSMTPD queues the mail.
    serving.stop();
    assert_eq!(
        table.send("bob@players.example", "bob", "turnpost@games.example", "chat 1 bob builder", "Hello?"),
        json!({})
    );
    wait_until("OpenSMTPD to defer the message", || table.mail.log().contains("TempFail").then_some(()));
    assert!(!table.mail.log().contains("PermFail"), "no message bounces: {}", table.mail.log());
}
