//! A private PostgreSQL server for the tests, and its databases. It listens on a socket in a temporary directory and
//! starts on first use. When the test process ends or is killed, the pipe to the shell that started the server is
//! closed. The shell then stops the server and removes its directory.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls, SimpleQueryMessage};
use turnpost::store::{self, Location};
use turnpost::world::World;

/// Starts a server that does not sync to disk, because test data need not survive a crash of the machine. Its default
/// collation differs from the order of code points, to detect statements that rely on that order. The first argument is
/// additional configuration. If a second argument names a directory with a certificate, the server also accepts
/// encrypted TCP connections with a password.
const SCRIPT: &str = r#"
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
dir=$(mktemp -d -p /tmp)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
"$bin/initdb" -D "$dir/data" -U turnpost -A trust -E UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en \
    --no-sync --no-instructions >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
cat >>"$dir/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$dir'
fsync = off
full_page_writes = off
max_connections = 300
shared_buffers = 64MB
max_wal_senders = 0
wal_level = minimal
autovacuum = off
jit = off
synchronous_commit = off
$1
END
if [ $# -gt 1 ]; then
    install -m 600 "$2/key.pem" "$dir/data/server.key"
    install -m 600 "$2/cert.pem" "$dir/data/server.crt"
    printf 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n' >"$dir/data/pg_hba.conf"
fi
"$bin/pg_ctl" -D "$dir/data" -s -w -l "$dir/log" start </dev/null || { cat "$dir/log" >&2; exit 1; }
echo "$dir"
cat >/dev/null
"$bin/pg_ctl" -D "$dir/data" -s -m immediate stop </dev/null
"#;

/// A running PostgreSQL server.
struct Cluster {
    /// The directory of the server's socket.
    socket: String,
    /// The shell that started the server. It stops the server when its standard input is closed.
    _guard: Child,
}

static SERVER: LazyLock<Cluster> =
    LazyLock::new(|| Cluster::start(&[""]).expect("PostgreSQL runs: deploy/install-test-tools installs it"));

impl Cluster {
    /// Runs [`SCRIPT`] with these arguments. Returns `None` if the server does not start.
    fn start(arguments: &[&str]) -> Option<Cluster> {
        let mut shell = unprivileged_shell();
        // In a separate process group, the server does not receive Ctrl-C. It stops when the test process ends.
        shell.args(["-c", SCRIPT, "sh"]).args(arguments).current_dir("/").process_group(0);
        let mut guard = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh and setpriv run");
        let mut socket = String::new();
        BufReader::new(guard.stdout.take().unwrap()).read_line(&mut socket).unwrap();
        (!socket.is_empty()).then(|| Cluster { socket: socket.trim_end().to_owned(), _guard: guard })
    }
}

/// A PostgreSQL server that accepts encrypted connections at a port of 127.0.0.1. The user is `turnpost`, and the
/// password is `s3cret`.
pub struct Encrypted {
    pub port: u16,
    _cluster: Cluster,
}

impl Encrypted {
    /// Starts a server with the key and the certificate in this directory.
    pub fn start(certificates: &Path) -> Encrypted {
        // Another program may take the free port before this server does, so try several times.
        let (port, cluster) = (0..10)
            .find_map(|_| {
                let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
                let settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\nssl = on");
                Some((port, Cluster::start(&[&settings, certificates.to_str().unwrap()])?))
            })
            .expect("a port is free");
        let url = format!("postgresql://turnpost@/postgres?host={}&port={port}", cluster.socket);
        Client::connect(&url, NoTls).unwrap().batch_execute("ALTER ROLE turnpost PASSWORD 's3cret'").unwrap();
        Encrypted { port, _cluster: cluster }
    }
}

/// Returns a command that runs `sh` as another user if the tests run as root, because PostgreSQL refuses to run as
/// root.
pub fn unprivileged_shell() -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new("sh");
    }
    let mut shell = Command::new("setpriv");
    shell.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh"]);
    shell
}

/// A database with tables, which is set up once and copied for each test.
static TEMPLATE: LazyLock<Database> = LazyLock::new(|| {
    let database = Database::empty();
    assert!(store::create(database.location(), World::REAL).unwrap());
    database
});

/// Returns whether the tests run with PostgreSQL, because of `TURNPOST_TEST_STORE=postgres`.
pub fn is_wanted() -> bool {
    static WANTED: LazyLock<bool> = LazyLock::new(|| match std::env::var("TURNPOST_TEST_STORE") {
        Ok(store) if store == "postgres" => true,
        Ok(store) => panic!("TURNPOST_TEST_STORE must be postgres or not set, but is {store}"),
        Err(_) => false,
    });
    *WANTED
}

/// A database on the tests' server, removed when dropped.
pub struct Database {
    pub name: String,
}

impl Database {
    /// Creates a database without tables.
    pub fn empty() -> Database {
        Database::made_by("TEMPLATE template0")
    }

    /// Creates a database without tables, in an encoding that turnpost refuses.
    pub fn in_latin1() -> Database {
        Database::made_by("TEMPLATE template0 ENCODING LATIN1 LOCALE_PROVIDER libc LOCALE 'C'")
    }

    /// Creates a database with tables, without players.
    pub fn set_up() -> Database {
        TEMPLATE.copy()
    }

    /// Copies the database. No connection to it may be open.
    pub fn copy(&self) -> Database {
        let database = Database::made_by(&format!("TEMPLATE {}", self.name));
        // Each turnpost server needs its own keys.
        database.lines(
            "UPDATE server SET server_id = substr(md5(random()::text), 1, 10), reply_key = sha256(random()::text::bytea)",
        );
        database
    }

    fn made_by(how: &str) -> Database {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        connected("postgres").batch_execute(&format!("CREATE DATABASE {name} {how}")).unwrap();
        Database { name }
    }

    /// Returns the address of the database.
    pub fn url(&self) -> String {
        format!("postgresql://turnpost@/{}?host={}", self.name, SERVER.socket)
    }

    /// Returns the socket of the database's server.
    pub fn socket(&self) -> PathBuf {
        Path::new(&SERVER.socket).join(".s.PGSQL.5432")
    }

    /// Returns the line of a configuration file that selects this database.
    pub fn configuration(&self) -> String {
        format!("database = \"{}\"\n", self.url())
    }

    /// Returns the address of the database for the store.
    pub fn location(&self) -> Location {
        Location::Postgres(self.url().parse().unwrap())
    }

    /// Runs SQL statements. Returns the rows as lines, with `|` between the values. NULL is printed as an empty value.
    pub fn lines(&self, statements: &str) -> String {
        let answers =
            self.connected().simple_query(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
        let lines = answers.iter().filter_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => {
                let cells = (0..row.len()).map(|column| row.get(column).unwrap_or_default());
                Some(cells.collect::<Vec<_>>().join("|"))
            }
            _ => None,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Makes the server sync to disk, so that data would survive a crash of the machine.
    pub fn make_durable(&self) {
        for setting in ["fsync = on", "full_page_writes = on", "synchronous_commit = on"] {
            self.connected().batch_execute(&format!("ALTER SYSTEM SET {setting}")).unwrap();
        }
        self.lines("SELECT pg_reload_conf()");
    }

    /// Opens a connection without turnpost's store.
    pub fn connected(&self) -> Client {
        connected(&self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        connected("postgres").batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).unwrap();
    }
}

fn connected(database: &str) -> Client {
    Client::connect(&format!("postgresql://turnpost@/{database}?host={}", SERVER.socket), NoTls).unwrap()
}
