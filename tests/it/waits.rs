//! No program waits for another without a limit: `turnpost mail` ends even if another process holds a lock or hangs.
//! Its status is 0 if its message is stored, and 75 if it is not.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::common::database::{Writer, sql};
use crate::common::postgres::Database;
use crate::common::serving::{Peer, Serving, wait_until};
use crate::common::{Ran, Server, done};

/// A running program, killed when dropped.
struct Running(Child);

impl Running {
    fn start(mut program: Command) -> Running {
        Running(program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Starts `turnpost mail` with a message.
    fn mail(server: &Server, mail: &str) -> Running {
        let mut program = server.program();
        program.arg("mail").stdin(Stdio::piped());
        let mut running = Running::start(program);
        running.0.stdin.take().unwrap().write_all(mail.as_bytes()).unwrap();
        running
    }

    /// Waits until the program ends.
    fn end(mut self) -> Ran {
        let status = wait_until("the program to exit", || self.0.try_wait().unwrap());
        let (mut out, mut err) = (String::new(), String::new());
        self.0.stdout.take().map(|mut pipe| pipe.read_to_string(&mut out).unwrap());
        self.0.stderr.take().map(|mut pipe| pipe.read_to_string(&mut err).unwrap());
        Ran { status: status.code().expect("the program ends without a signal"), out, err }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens a lock file of a server.
fn lock_file(data: &Path, name: &str) -> File {
    OpenOptions::new().create(true).truncate(false).write(true).open(data.join(name)).unwrap()
}

/// Returns `Some` if a program holds this lock, according to `/proc/locks`. An attempt to take the lock could disturb
/// the program.
fn holds(server: &Server, program: &Child, name: &str) -> Option<()> {
    let inode = lock_file(server.data(), name).metadata().unwrap().ino();
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let (process, file) = (format!(" {} ", program.id()), format!(":{inode} "));
    locks.lines().any(|lock| lock.contains("FLOCK") && lock.contains(&process) && lock.contains(&file)).then_some(())
}

/// Returns the numbers of stored and of waiting messages.
fn mails(server: &Server) -> String {
    sql(server, "SELECT count(*), sum(CASE WHEN verdict IS NULL THEN 1 ELSE 0 END) FROM inbox")
}

/// Returns the numbers of all and of waiting notices.
fn notices(server: &Server) -> String {
    sql(server, "SELECT count(*), sum(CASE WHEN sent_at IS NULL THEN 1 ELSE 0 END) FROM outbox")
}

#[test]
fn a_message_is_stored_while_any_lock_is_held() {
    for name in ["serve.lock", "start.lock", "work.lock", "send.lock", "analyse.lock"] {
        let mut server = Server::with_players();
        let lock = lock_file(server.data(), name);
        lock.lock().unwrap();
        let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
        let ran = Running::mail(&server, &mail).end();
        assert_eq!(ran.status, 0, "{name}: {ran:?}");
        assert!(mails(&server).starts_with("1|"), "{name}");
        // A command in the shell does not wait for the lock either.
        done(&server, "message alice wonderland bob --say=Hello");
        drop(lock);
        // After the lock is released, the next program processes the message.
        assert_eq!(server.shell("tick").status, 0);
        assert_eq!(mails(&server), "1|0", "{name}");
        assert_eq!(notices(&server), "3|0", "{name}");
    }
}

#[test]
fn mail_that_arrives_while_a_command_runs_is_processed_by_that_command() {
    let server = Server::in_a_file().and_players();
    done(&server, "marque challenge alice bob");
    let mut programs = Vec::new();
    // Most of these programs end without processing mail, because another one holds the lock.
    for number in 0..20 {
        let mail = format!("From: bob@example.org\nMessage-ID: <{number}@x>\nSubject: show 1\n\n");
        programs.push(Running::mail(&server, &mail));
    }
    for program in programs {
        assert_eq!(program.end().status, 0);
    }
    assert_eq!(mails(&server), "20|0", "all messages are processed");
    assert_eq!(notices(&server), "22|0");
}

#[test]
fn a_stopped_command_that_holds_locks_does_not_delay_others() {
    let mut server = Server::in_a_file().and_players();
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(Running::mail(&server, &mail).end().status, 0);
    // Makes a clock due, so that `tick` waits for the database while it holds `work.lock`.
    let now = "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z' WHERE number > 0";
    sql(&server, now);
    let mut tick = server.program();
    tick.arg("tick");
    let writer = Writer::at_work(&server);
    let stopped = Running::start(tick);
    wait_until("the command to hold work.lock", || holds(&server, &stopped.0, "work.lock"));
    stopped.signal(Signal::STOP);
    drop(writer);
    let mail = server.compose("bob@example.org", "show 1", "");
    let ran = Running::mail(&server, &mail).end();
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(mails(&server), "2|1", "the message is stored");
    assert_eq!(server.shell("tick").status, 0);
    stopped.signal(Signal::CONT);
    assert_eq!(stopped.end().status, 0);
    assert_eq!(mails(&server), "2|0", "the stopped command checks for mail again");
}

#[test]
fn a_locked_database_causes_a_temporary_failure() {
    let mut server = Server::in_a_file().and_players();
    let mail = server.compose("alice@example.org", "show 1", "");
    let writer = Writer::at_work(&server);
    let ran = Running::mail(&server, &mail).end();
    assert_eq!(ran.status, 75, "{ran:?}");
    drop(writer);
    assert_eq!(sql(&server, "SELECT count(*) FROM inbox"), "0");
}

#[test]
fn a_hanging_server_does_not_delay_mail() {
    let mut server = Server::with_players();
    let serving = Serving::start(&server, "");
    let process = Pid::from_child(&serving.child);
    kill_process(process, Signal::STOP).unwrap();
    // Fills the stopped server's socket, so that it accepts no more messages.
    let socket = UnixDatagram::unbound().unwrap();
    socket.set_nonblocking(true).unwrap();
    while socket.send_to(b"!", server.data().join("serve.sock")).is_ok() {}
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(Running::mail(&server, &mail).end().status, 0);
    done(&server, "message alice wonderland bob --say=Hello");
    kill_process(process, Signal::CONT).unwrap();
    wait_until("three letters", || (notices(&server) == "3|0").then_some(()));
    serving.stop();
}

#[test]
fn an_incomplete_message_is_not_stored() {
    let server = Server::in_a_file().and_players();
    server.configure("[receive]\nidle = 1\n");
    let mut program = server.program();
    program.arg("mail").stdin(Stdio::piped());
    let mut running = Running::start(program);
    // The pipe stays open until the end of this test.
    let mut pipe = running.0.stdin.take().unwrap();
    pipe.write_all(b"From: alice@example.org\nSubject: marque challenge alice bob\n\n").unwrap();
    let ran = running.end();
    assert_eq!(ran.status, 75, "{ran:?}");
    assert!(
        ran.err.contains("standard input does not end: no input arrived for 1 seconds. The message was not stored"),
        "{ran:?}"
    );
    assert_eq!(sql(&server, "SELECT count(*) FROM inbox"), "0");
    drop(pipe);
}

#[test]
fn a_server_names_the_process_that_prevents_its_start() {
    let server = Server::in_a_file();
    let lock = lock_file(server.data(), "serve.lock");
    let own = format!("process {} (it", std::process::id());
    // This process holds the lock, as a server or a transfer to another database would.
    lock.lock().unwrap();
    let ran = server.shell("serve");
    assert!(ran.status == 75 && ran.err.contains("another turnpost serve is running"), "{ran:?}");
    assert!(ran.err.contains(&own), "{own}: {ran:?}");
    lock.unlock().unwrap();
    // This process holds a shared lock, like a one-shot command that does not end.
    lock.lock_shared().unwrap();
    let mut program = server.program();
    program.arg("serve");
    let ran = Running::start(program).end();
    assert!(ran.status == 75 && ran.err.contains("serve.lock and has not ended within"), "{ran:?}");
    assert!(ran.err.contains(&own), "{own}: {ran:?}");
}

#[test]
fn a_server_that_waits_to_start_takes_over_the_work_of_a_command() {
    let mut server = Server::with_players();
    let at_work = lock_file(server.data(), "serve.lock");
    at_work.lock_shared().unwrap();
    server.configure("");
    let mut program = server.program();
    program.args(["serve"]);
    let starting = Running::start(program);
    wait_until("the server to hold start.lock", || holds(&server, &starting.0, "start.lock"));
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(Running::mail(&server, &mail).end().status, 0);
    assert_eq!(mails(&server), "1|1");
    drop(at_work);
    wait_until("the server to process the message", || (mails(&server) == "1|0").then_some(()));
    starting.signal(Signal::TERM);
    assert_eq!(starting.end().status, 0);
}

/// Starts a server that accepts connections and hangs. Returns its port.
fn hanging() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[test]
fn a_hanging_database_server_causes_a_temporary_failure() {
    let server = Server::without_database();
    let (_listener, port) = hanging();
    server.configure(format!("database = \"postgresql://turnpost@127.0.0.1:{port}/games?connect_timeout=1\"\n"));
    let ran = Running::mail(&server, "From: alice@example.org\n\n").end();
    assert!(ran.status == 75 && ran.err.contains("PostgreSQL did not answer within 2 seconds"), "{ran:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_hanging_database_server_is_skipped() {
    let server = Server::on_postgres(Database::set_up());
    let (database, (_listener, port)) = (server.database().unwrap(), hanging());
    let socket = database.socket();
    let hosts = format!("host=127.0.0.1,{}&port={port},5432", socket.parent().unwrap().display());
    let url = format!("postgresql://turnpost@/{}?{hosts}&connect_timeout=1", database.name);
    std::fs::write(server.data().join("turnpost.toml"), format!("database = \"{url}\"\n")).unwrap();
    let ran = Running::mail(&server, "From: alice@example.org\n\n").end();
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(mails(&server), "1|0");
}

#[test]
fn a_hanging_log_collector_does_not_stop_a_server() {
    let mut server = Server::with_players();
    server.configure("address = \"turnpost@games.example\"\n[receive]\nlmtp = \"unix:lmtp.sock\"\n");
    let (mut reader, mut log) = UnixStream::pair().unwrap();
    // Fills the log's socket, so that the program cannot write to it.
    log.set_nonblocking(true).unwrap();
    while log.write(b"old line\n").is_ok() {}
    log.set_nonblocking(false).unwrap();
    let mut program = server.program();
    program.arg("serve").env("TURNPOST_LOG", "info").stderr(OwnedFd::from(log));
    let serving = Running(program.spawn().unwrap());
    let socket = server.data().join("lmtp.sock");
    wait_until("the server to listen", || UnixStream::connect(&socket).ok());
    let mut post = |id: &str| {
        let mail = server.compose_with("alice@example.org", "show 1", "", &json!({ "Message-ID": id }));
        let mut peer = Peer::greeted(&socket);
        peer.begin("turnpost@games.example");
        peer.send(mail.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
        assert!(peer.say("\r\n.").starts_with("250 "), "the message is stored");
    };
    post("<1@x>");
    // The test now reads the log, like a log collector that has recovered.
    reader.set_nonblocking(true).unwrap();
    let mut text = Vec::new();
    let mut drain = || {
        let _ = reader.read_to_end(&mut text);
        String::from_utf8_lossy(&text).contains("lines of the log are lost").then_some(())
    };
    let mut last = 1;
    wait_until("a log line about lost lines", || {
        drain().or_else(|| {
            last += 1;
            post(&format!("<{last}@x>"));
            drain()
        })
    });
    serving.signal(Signal::TERM);
    assert_eq!(serving.end().status, 0);
}

/// The main loop of the server does not see the signal while it waits for the database.
#[test]
fn a_server_that_waits_for_a_locked_database_stops_on_request() {
    let mut server = Server::with_players();
    let mut serving = Serving::start(&server, "");
    let process = Pid::from_child(&serving.child);
    kill_process(process, Signal::STOP).unwrap();
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(Running::mail(&server, &mail).end().status, 0);
    let _writer = Writer::at_work(&server);
    kill_process(process, Signal::CONT).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    let status = wait_until("the server to stop", || serving.child.try_wait().unwrap());
    assert!(status.success(), "{}", serving.log());
}
