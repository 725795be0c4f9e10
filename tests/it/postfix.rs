//! Games by mail through a private Postfix, configured from `deploy/postfix`, by LMTP and by pipe.
//!
//! Postfix listens on one loopback port, uses private directories, knows two mailboxes and the server, and sends
//! nothing elsewhere. It never touches the system's Postfix. Only root can start Postfix; for other users, the tests
//! print a note and end.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::database::{accept_mails, refuse_mails};
use crate::common::serving::{Post, Serving, free_port, wait_until};
use crate::common::{Server, TURNPOST};
use serde_json::{Value, json};

const MAIN: &str = include_str!("../../deploy/postfix/main.cf");
const MASTER: &str = include_str!("../../deploy/postfix/master.cf");
const TRANSPORT: &str = include_str!("../../deploy/postfix/turnpost-transport");

/// Debian's `nobody`, who runs the pipe and owns the players' mailboxes.
const NOBODY: &str = "nobody";

/// The settings that the tests add to those of `deploy/postfix`. If Postfix tries a message again within a second, its
/// file may still be locked by the last attempt. Postfix then ignores the message until its next start.
const OURS: &str = "
compatibility_level = 3.6
queue_directory = DIR/queue
data_directory = DIR/data
mail_owner = postfix
setgid_group = postdrop
maillog_file = DIR/log
maillog_file_prefixes = DIR
myhostname = mx.games.example
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_relay_restrictions = reject_unauth_destination
queue_run_delay = 1s
minimal_backoff_time = 3s
maximal_backoff_time = 5s
transport_retry_time = 1s
default_transport = error:nothing leaves this machine
relay_transport = error:nothing leaves this machine
alias_maps =
alias_database =
virtual_mailbox_domains = players.example
virtual_mailbox_base = DIR/mail
virtual_mailbox_maps = texthash:DIR/etc/mailboxes
virtual_uid_maps = static:UID
virtual_gid_maps = static:UID
";
const SERVICES: &str = "
127.0.0.1:PORT inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
gone unix - n n - - pipe
  user=nobody argv=DIR/etc/gone
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

fn id(flag: &str, user: &str) -> u32 {
    let output = Command::new("id").args([flag, user]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap_or_else(|_| panic!("no user {user}"))
}

/// Returns whether Postfix can be started here.
fn can_run() -> bool {
    if !Path::new("/usr/sbin/postfix").exists() {
        assert!(Path::new("/usr/sbin/sendmail").exists(), "deploy/install-test-tools installs Postfix");
        eprintln!("skipped: another mail server is installed, which excludes Postfix");
        return false;
    }
    let root = fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0);
    if !root {
        eprintln!("skipped: only root can start Postfix");
    }
    root
}

/// A running Postfix; stopped when dropped.
struct Postfix {
    dir: tempfile::TempDir,
    port: u16,
}

impl Postfix {
    /// Starts Postfix with this line of `turnpost-transport`, and these replacements for the paths in `deploy/postfix`.
    fn start(kind: &str, paths: &[(&str, &str)]) -> Postfix {
        let dir = tempfile::tempdir().unwrap();
        let postfix = Postfix { dir, port: free_port() };
        let uid = id("-u", NOBODY);
        // The programs of Postfix do not run as root.
        fs::set_permissions(postfix.path(""), Permissions::from_mode(0o755)).unwrap();
        for (name, owner) in [("etc", 0), ("queue", 0), ("data", id("-u", "postfix")), ("mail", uid)] {
            fs::create_dir(postfix.path(name)).unwrap();
            chown(postfix.path(name), Some(owner), None).unwrap();
        }
        let line = TRANSPORT.lines().map(|line| line.trim_start_matches('#')).find(|line| line.contains(kind)).unwrap();
        let dir = postfix.path("").display().to_string();
        let dir = dir.trim_end_matches('/');
        for (name, text) in [
            ("main.cf", format!("{OURS}{MAIN}")),
            ("master.cf", format!("{SERVICES}{MASTER}")),
            ("turnpost-transport", format!("{line}\ngone@players.example gone:")),
            // EX_NOUSER: Postfix learns this only after it has accepted the message, so it can only report it by a
            // bounce.
            ("gone", "#!/bin/sh\nexit 67".to_owned()),
            ("mailboxes", "alice@players.example alice/\nbob@players.example bob/\n".to_owned()),
        ] {
            let mut text = text
                .replace("/etc/postfix", &format!("{dir}/etc"))
                .replace("DIR", dir)
                .replace("PORT", &postfix.port.to_string())
                .replace("UID", &uid.to_string())
                .replace("user=turnpost", &format!("user={NOBODY}"))
                .replace("/usr/local/bin/turnpost", TURNPOST);
            for (from, to) in paths {
                text = text.replace(from, to);
            }
            fs::write(postfix.path("etc").join(name), format!("{text}\n")).unwrap();
        }
        fs::set_permissions(postfix.path("etc/gone"), Permissions::from_mode(0o755)).unwrap();
        postfix.run("start");
        wait_until("Postfix to listen", || std::net::TcpStream::connect(("127.0.0.1", postfix.port)).ok());
        postfix
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, command: &str) {
        let ran = Command::new("/usr/sbin/postfix").arg("-c").arg(self.path("etc")).arg(command).output().unwrap();
        assert!(ran.status.success(), "postfix {command}: {ran:?}\n{}", self.log());
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
        // `postfix stop` waits until all its programs have ended.
        let _ = Command::new("/usr/sbin/postfix").arg("-c").arg(self.path("etc")).arg("stop").output();
    }
}

/// The game server, Postfix, and the Python program that sends and reads the players' mail.
struct Table {
    server: Server,
    postfix: Postfix,
    post: Post,
    seen: usize,
}

impl Table {
    fn send(&mut self, player: &str, to: &str, subject: &str, text: &str) {
        let from = format!("{player}@players.example");
        let mail = self.server.compose(&from, subject, text).replace("turnpost@localhost", to);
        let request = json!({ "smtp": self.postfix.port, "from": from, "to": [to], "mails": [mail] });
        assert_eq!(self.post.ask(&request)["refused"], json!([{}]));
    }

    fn letters(&mut self, player: &str) -> Vec<Value> {
        let maildir = self.postfix.path("mail").join(player);
        self.post.ask(&json!({ "maildir": maildir }))["letters"].as_array().unwrap().clone()
    }

    /// Waits for a player's letter whose text contains these words.
    fn letter(&mut self, player: &str, words: &str) -> Value {
        let letter = wait_until(&format!("a letter to {player} with {words:?}"), || {
            self.letters(player).into_iter().find(|letter| letter["text"].as_str().unwrap().contains(words))
        });
        assert!(letter["received"].as_u64().unwrap() > 0, "the letter passed through Postfix: {letter:#}");
        self.seen += 1;
        letter
    }

    /// Signs up two players, who play a game until its end.
    fn play(&mut self) {
        for (player, password) in [("alice", "wonderland"), ("bob", "builder")] {
            self.send(player, "turnpost@games.example", &format!("signup {player} {password}"), "");
            let asked = self.letter(player, &format!("confirm {player} "));
            let reply_to = asked["reply_to"].as_str().unwrap().split(['<', '>']).nth(1).unwrap().to_owned();
            self.send(player, &reply_to, "Re: Confirm your address", "");
            self.letter(player, "are now sent to");
        }
        self.send("alice", "turnpost@games.example", "marque challenge alice bob", "A game?\n.\n..dots\n");
        let letter = self.letter("bob", "alice says:");
        assert!(letter["text"].as_str().unwrap().contains("A game?\n  .\n  ..dots"), "{letter:#}");
        for (number, (player, other, text)) in
            [("alice", "bob", "f3"), ("bob", "alice", "f4"), ("alice", "bob", "k1"), ("bob", "alice", "k2")]
                .into_iter()
                .enumerate()
        {
            let password = if player == "alice" { "wonderland" } else { "builder" };
            // Half of the addresses have an extension, as in replies to letters with tokens.
            let to = ["turnpost@games.example", "turnpost+token-1@games.example"][number % 2];
            let line = format!("marque move 1 {player} {password} {text}");
            self.send(player, to, &line, &format!("This is move {number}.\n"));
            self.letter(other, &format!("This is move {number}."));
        }
        self.send("alice", "turnpost@games.example", "marque move 1 alice wonderland resign", "");
        self.letter("bob", "you have won (resignation)");
        self.letter("alice", "(resignation)");
        // Mail to unknown recipients or other domains is refused during SMTP.
        for to in ["carol@games.example", "carol@elsewhere.example"] {
            let mail = json!({ "smtp": self.postfix.port, "from": "a@players.example", "to": [to], "mails": ["a: b"] });
            let refused = self.post.ask(&mail);
            assert!(refused["refused"][0][to].is_array(), "{refused}");
        }
        // Both transports also pass on mail with an empty envelope sender, such as a bounce.
        let mail = self.server.compose("alice@players.example", "marque help", "");
        let request =
            json!({ "smtp": self.postfix.port, "from": "", "to": ["turnpost@games.example"], "mails": [mail] });
        assert_eq!(self.post.ask(&request)["refused"], json!([{}]));
        wait_until("the bounce to be ignored", || {
            self.server.shell("admin inbox").out.contains("envelope sender is empty").then_some(())
        });
        assert!(self.server.shell("admin board 1").out.contains("The hash chain is intact"));
        assert!(!self.postfix.log().contains("status=bounced"), "{}", self.postfix.log());
        assert!(self.seen > 10);
    }

    /// Sends a letter to a player whose mailbox no longer exists. Postfix accepts the letter, and then returns it to
    /// its envelope sender. The server pauses the player's address.
    fn write_to_somebody_gone(&self) {
        assert_eq!(self.server.shell("signup dave secret gone@players.example").status, 0);
        assert_eq!(self.server.shell("marque challenge dave bob").status, 0);
        let players = wait_until("the address to be paused", || {
            Some(self.server.shell("admin players").out).filter(|players| players.contains("(paused"))
        });
        let dave = players.lines().find(|line| line.contains("gone@players.example")).unwrap();
        assert!(dave.contains("paused") && players.matches("(paused").count() == 1, "{players}");
        assert_eq!(self.server.json("admin clocks --json")[0]["out of reach"], true);
    }
}

fn config(port: u16, more: &str) -> String {
    format!(
        "address = \"turnpost@games.example\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {port}\n\
         tls = \"none\"\n{more}"
    )
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Postfix: ./test runs it")]
fn a_game_is_played_by_lmtp() {
    if !can_run() {
        return;
    }
    let server = Server::new();
    // As described in the README, the socket gets the group of its directory.
    let run = tempfile::tempdir().unwrap();
    chown(run.path(), None, Some(id("-g", "postfix"))).unwrap();
    fs::set_permissions(run.path(), Permissions::from_mode(0o2750)).unwrap();
    let socket = run.path().join("lmtp.sock").display().to_string();
    let postfix = Postfix::start("turnpost-lmtp:unix:", &[("/run/turnpost/lmtp.sock", &socket)]);
    let config = config(postfix.port, &format!("[receive]\nlmtp = \"unix:{socket}\"\n"));
    let serving = Serving::start(&server, &config);
    let mut table = Table { server, postfix, post: Post::start(), seen: 0 };
    table.play();
    assert!(table.postfix.log().contains("status=sent (250 2.0.0 Stored.)"), "{}", table.postfix.log());
    // While `serve` is stopped, and while the store fails, Postfix queues the mail.
    serving.stop();
    refuse_mails(&table.server, "INSERT", "the disk is full");
    table.send("bob", "turnpost@games.example", "marque history 1", "");
    let deferred = |table: &Table, why: &str| {
        wait_until(&format!("a log line with {why:?}"), || {
            table.postfix.log().lines().any(|line| line.contains("deferred") && line.contains(why)).then_some(())
        });
    };
    deferred(&table, "lmtp.sock");
    let serving = Serving::start(&table.server, &config);
    deferred(&table, "451 4.3.0");
    let before = table.letters("bob").len();
    accept_mails(&table.server);
    wait_until("an answer to bob", || (table.letters("bob").len() == before + 1).then_some(()));
    assert!(!table.postfix.log().contains("status=bounced"), "{}", table.postfix.log());
    table.write_to_somebody_gone();
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Postfix: ./test runs it")]
fn a_game_is_played_by_pipe() {
    if !can_run() {
        return;
    }
    let server = Server::in_a_file();
    for path in [server.data().to_owned(), server.data().join("turnpost.db")] {
        chown(path, Some(id("-u", NOBODY)), None).unwrap();
    }
    let data = server.data().display().to_string();
    let postfix = Postfix::start("turnpost-pipe:", &[("/var/lib/turnpost", &data)]);
    server.configure(config(postfix.port, ""));
    let mut table = Table { server, postfix, post: Post::start(), seen: 0 };
    table.play();
    assert!(table.postfix.log().contains("relay=turnpost-pipe"), "{}", table.postfix.log());
    table.write_to_somebody_gone();
}
