//! Two players mail moves on many boards to three nodes on a PostgreSQL cluster, a primary and two synchronous
//! standbys, while primaries are killed and replaced, nodes are killed, and connections are cut. A script promotes the
//! standbys in the way Patroni does, because Patroni itself would also need an etcd cluster.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls, SimpleQueryMessage};

use super::kills::{Faults, Generator, by_lmtp, field, game_of, mail_all, serve};
use super::outcome::{Outcome, check_letters, outcome, run};
use super::{all, kills};
use crate::common::postgres::unprivileged_shell;
use crate::common::serving::wait_until;

/// The number of servers in a cluster.
const MEMBERS: usize = 3;
/// The number of nodes.
const NODES: usize = 3;
/// The maximum time in milliseconds until a node accepts a message.
const STALL: usize = 30_000;

/// Shell definitions that every script uses: paths, and a function that starts a server. The primary acknowledges a
/// commit after a standby has received it. The standbys are listed by name, because a base backup in progress also
/// receives the log but cannot be promoted. Files are not synced to disk, because only processes are killed.
const PRELUDE: &str = r#"
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
start() {
    mkdir -p "$dir/$1"
    "$bin/pg_ctl" -D "$dir/$1/data" -s -w -t 120 -l "$dir/$1/log" -o "-c listen_addresses= -c unix_socket_directories=$dir/$1 \
        -c fsync=off -c full_page_writes=off -c max_connections=200 -c wal_keep_size=256MB -c shared_buffers=64MB \
        -c synchronous_commit=on" start </dev/null >&2
}
copy() {
    until rm -rf "$dir/$1/data" 2>/dev/null; do sleep 0.1; done
    mkdir -p "$dir/$1"
    "$bin/pg_basebackup" -D "$dir/$1/data" -h "$dir/$2" -U turnpost -R -X stream -c fast --no-sync >&2
    echo "primary_conninfo = 'host=$dir/$2 user=turnpost application_name=server$1'" >> "$dir/$1/data/postgresql.auto.conf"
    rm -f "$dir/$1"/.s.PGSQL.*
    start "$1"
}
"#;

/// A PostgreSQL cluster, which is stopped and removed when dropped.
struct Cluster {
    dir: PathBuf,
    primary: usize,
}

impl Cluster {
    fn start() -> Cluster {
        let made = shell("", "umask 077; mktemp -d -p /tmp");
        let cluster = Cluster { dir: PathBuf::from(made), primary: 0 };
        cluster.run(
            r#"
            chmod 755 "$dir"
            mkdir "$dir/0"
            "$bin/initdb" -D "$dir/0/data" -U turnpost -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >&2
            echo "synchronous_standby_names = 'ANY 1 (server0, server1, server2)'" >> "$dir/0/data/postgresql.conf"
            "#,
        );
        // The standbys are started before the database is created, because every commit needs a standby.
        cluster.run("start 0; copy 1 0; copy 2 0");
        cluster.ask(0, "CREATE DATABASE games").expect("the primary has a standby");
        cluster.wait_for_standbys();
        cluster
    }

    /// Runs a script, and returns its output.
    fn run(&self, script: &str) -> String {
        shell(&format!("dir={}", self.dir.display()), script)
    }

    /// Returns a connection URL that lists the hosts of all servers, separated by this text.
    fn url(&self, between: &str) -> String {
        let hosts = (0..MEMBERS).map(|member| self.dir.join(member.to_string()).display().to_string());
        let hosts = hosts.collect::<Vec<_>>().join(between);
        format!("postgresql://turnpost@/games?host={hosts}&target_session_attrs=read-write")
    }

    /// Returns the connection URL for the test's own PostgreSQL client.
    fn driver_url(&self) -> String {
        self.url("&host=")
    }

    /// Runs a query on one server. Returns the rows, with blanks between the values.
    fn ask(&self, member: usize, sql: &str) -> Result<Vec<String>, postgres::Error> {
        let database = if sql.starts_with("CREATE DATABASE") { "postgres" } else { "games" };
        let address = format!("postgresql://turnpost@/{database}?host={}/{member}", self.dir.display());
        rows(&mut Client::connect(&address, NoTls)?, sql)
    }

    /// Waits for a primary, and runs a query on it. Returns the rows.
    fn rows(&self, sql: &str) -> Vec<String> {
        wait_until("an answer from the primary", || {
            Client::connect(&self.driver_url(), NoTls).and_then(|mut client| rows(&mut client, sql)).ok()
        })
    }

    /// Kills the primary. The standby that has more of the primary's log is promoted, and the old primary becomes a
    /// standby.
    fn fail_over(&mut self) {
        let killed = self.primary;
        // Suspends the main process first, so that it cannot start another process, which would survive it. Some of the
        // listed processes may have ended by themselves.
        let at_once = format!(
            "main=$(head -n 1 \"$dir/{killed}/data/postmaster.pid\"); kill -STOP $main; others=$(pgrep -P $main); \
             kill -9 $main; kill -9 $others 2>/dev/null || true"
        );
        self.run(&at_once);
        let received = "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')";
        let standbys = (0..MEMBERS).filter(|member| *member != killed);
        let (_, promoted) = standbys
            .map(|member| (self.ask(member, received).unwrap()[0].parse::<u64>().unwrap(), member))
            .max()
            .expect("a standby exists");
        let other = MEMBERS - killed - promoted;
        self.run(&format!("\"$bin/pg_ctl\" -D \"$dir/{promoted}/data\" -s -w promote >&2"));
        let follow = format!(
            "ALTER SYSTEM SET primary_conninfo = 'host={}/{promoted} user=turnpost application_name=server{other}'",
            self.dir.display()
        );
        self.ask(other, &follow).unwrap();
        self.ask(other, "SELECT pg_reload_conf()").unwrap();
        self.run(&format!("copy {killed} {promoted}"));
        self.primary = promoted;
        self.wait_for_standbys();
    }

    /// Waits until both standbys receive the primary's log. A standby that does not receive it cannot be promoted.
    fn wait_for_standbys(&self) {
        let streaming = "SELECT count(*) FROM pg_stat_replication \
             WHERE state = 'streaming' AND application_name LIKE 'server%'";
        wait_until("both standbys to receive the log", || {
            (self.ask(self.primary, streaming).unwrap() == ["2"]).then_some(())
        });
    }

    /// Closes all database connections of all nodes, even in the middle of a transaction.
    fn cut(&self) {
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'turnpost,%'";
        self.ask(self.primary, cut).unwrap();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.run(
            r#"
            for member in 0 1 2; do
                "$bin/pg_ctl" -D "$dir/$member/data" -s -m immediate stop </dev/null >&2 || true
            done
            rm -rf "$dir"
            "#,
        );
    }
}

/// Runs a script after these variable definitions, and returns its output.
fn shell(settings: &str, script: &str) -> String {
    let mut shell = unprivileged_shell();
    shell.arg("-c").arg(format!("{settings}\n{PRELUDE}\n{script}")).current_dir("/").stdin(Stdio::null());
    let ran = shell.stderr(Stdio::piped()).output().expect("sh and setpriv run");
    assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim_end().to_owned()
}

/// Runs a query. Returns the rows in the format that `outcome` expects.
fn rows(client: &mut Client, sql: &str) -> Result<Vec<String>, postgres::Error> {
    let cell = |cell: Option<&str>| match cell {
        None => "Null".to_owned(),
        Some("t") => "1".to_owned(),
        Some("f") => "0".to_owned(),
        Some(text) => text.to_owned(),
    };
    let answers = client.simple_query(sql)?;
    let lines = answers.iter().filter_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| cell(row.get(at))).collect::<Vec<_>>().join(" ")),
        _ => None,
    });
    Ok(lines.collect())
}

/// Creates the data directories of the nodes, and this many boards without moves.
fn nodes(cluster: &Cluster, boards: usize) -> Vec<tempfile::TempDir> {
    let nodes: Vec<_> = (0..NODES).map(|_| tempfile::tempdir().unwrap()).collect();
    for node in &nodes {
        let config = format!(
            "database = \"{}\"\n{}[policy]\nunanswered = 100000\nshortest_password = 4\n",
            cluster.url(","),
            kills::CONFIG
        );
        std::fs::write(node.path().join("turnpost.toml"), config).unwrap();
    }
    let first = nodes[0].path();
    for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
        run(first, &["signup", userid, password, &format!("{userid}@example.org")]);
        run(first, &["set", userid, password, "mail=text"]);
    }
    for board in 1..=boards {
        let (game, text) = game_of(board);
        let options = field(text, "options:");
        let options = options.split_whitespace();
        run(first, &[game, "challenge"].into_iter().chain(options).chain(["alice", "bob"]).collect::<Vec<_>>());
    }
    nodes
}

/// Processes all remaining work, and returns the results of the mail.
fn finished_on(cluster: &Cluster, nodes: &[tempfile::TempDir]) -> Outcome {
    for _ in 0..2 {
        cluster.rows("UPDATE outbox SET due_at = '2020-01-01T00:00:00Z' WHERE sent_at IS NULL AND due_at IS NOT NULL");
        // `tick` releases the leases of the killed node that used the same directory.
        for node in nodes {
            run(node.path(), &["tick"]);
        }
    }
    run(nodes[0].path(), &["admin", "check"]);
    let (outcome, letters) = outcome(&|sql| cluster.rows(sql));
    let directories: Vec<&Path> = nodes.iter().map(tempfile::TempDir::path).collect();
    check_letters(&directories, letters);
    outcome
}

/// The running nodes.
struct Serving<'a> {
    nodes: &'a [tempfile::TempDir],
    children: Mutex<Vec<Child>>,
}

impl Serving<'_> {
    /// Delivers a message to random nodes until one of them accepts it.
    fn deliver(&self, mail: &str, generator: &mut Generator) {
        let taken =
            || by_lmtp(self.nodes[generator.below(NODES as u64) as usize].path(), mail).unwrap_or(false).then_some(());
        wait_until("a node to accept the message", taken);
    }

    /// Restarts nodes that could not start because the database was unavailable, as systemd would.
    fn start_again(&self) {
        for (child, node) in self.children.lock().unwrap().iter_mut().zip(self.nodes) {
            if let Some(ended) = child.try_wait().unwrap() {
                assert_eq!(ended.code(), Some(75), "a node ends by itself only with status 75");
                *child = serve(node.path());
            }
        }
    }

    /// Kills and restarts a node.
    fn kill(&self, generator: &mut Generator) {
        let node = generator.below(NODES as u64) as usize;
        let mut children = self.children.lock().unwrap();
        children[node].kill().unwrap();
        children[node].wait().unwrap();
        children[node] = serve(self.nodes[node].path());
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        for child in self.children.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn no_fault_of_a_cluster_loses_or_repeats_a_message() {
    let (boards, faults) = if all() { (640, 50) } else { (4, 2) };
    let expected = kills::calm(boards);

    let mut cluster = Cluster::start();
    let nodes = nodes(&cluster, boards);
    let children = Mutex::new(nodes.iter().map(|node| serve(node.path())).collect());
    let serving = Serving { nodes: &nodes, children };
    let url = cluster.driver_url();
    let entries = |board: usize| {
        let sql = format!("SELECT count(*) FROM entries WHERE board = {board}");
        let read = Client::connect(&url, NoTls).and_then(|mut client| rows(&mut client, &sql));
        // While there is no primary, the number cannot be read.
        read.map_or(0, |rows| rows[0].parse().unwrap())
    };
    let (longest, mut nth) = (AtomicUsize::new(0), 0);
    let deliver = |mail: &str, generator: &mut Generator| {
        let began = Instant::now();
        serving.deliver(mail, generator);
        longest.fetch_max(began.elapsed().as_millis() as usize, Ordering::Relaxed);
    };
    let mut fault = |generator: &mut Generator| {
        serving.start_again();
        match nth % 3 {
            0 => serving.kill(generator),
            1 => cluster.cut(),
            _ => cluster.fail_over(),
        }
        nth += 1;
        // The random pause makes the faults hit different moments.
        std::thread::sleep(Duration::from_millis(generator.below(1_000)));
    };
    let done = mail_all(boards, deliver, entries, Some(Faults { happen: &mut fault, at_least: 3 * faults }));
    serving.start_again();
    drop(serving);
    let longest = longest.into_inner();
    if all() {
        eprintln!("\n{done} faults; the longest delivery of a message took {longest} ms");
    }
    assert!(longest < STALL, "a message was accepted only after {longest} ms");
    finished_on(&cluster, &nodes).check(&expected, &format!("{done} faults"));
}
