//! Direct access to a server's database, either an SQLite file or PostgreSQL.

use std::path::Path;
use std::time::Duration;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection};

use super::Server;
use super::postgres::Database;

/// A connection that holds the database's write lock until it is dropped.
pub enum Writer {
    File { _connection: Connection },
    Postgres { _client: ::postgres::Client },
}

impl Writer {
    pub fn at_work(server: &Server) -> Writer {
        if let Some(database) = server.database() {
            let mut client = database.connected();
            client.batch_execute("BEGIN; LOCK TABLE writer IN EXCLUSIVE MODE").unwrap();
            return Writer::Postgres { _client: client };
        }
        let connection = file(server.data());
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        Writer::File { _connection: connection }
    }
}

fn file(data: &Path) -> Connection {
    let connection = Connection::open(data.join("turnpost.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(60)).unwrap();
    // Like the program's own connections, except that the data need not survive a crash of the machine.
    connection.execute_batch("PRAGMA secure_delete = ON; PRAGMA synchronous = OFF").unwrap();
    connection
}

/// Runs SQL statements. Returns the rows as lines, with `|` between the values. NULL is printed as an empty value, and
/// a blob as `\x` and hexadecimal digits.
pub fn sql(server: &Server, statements: &str) -> String {
    sql_on(server.database(), server.data(), statements)
}

/// Like [`sql`], but runs the statements in this PostgreSQL database or, without one, in the file in this directory.
pub fn sql_on(database: Option<&Database>, data: &Path, statements: &str) -> String {
    if let Some(database) = database {
        return database.lines(statements);
    }
    let connection = file(data);
    let mut batch = Batch::new(&connection, statements);
    let mut lines = Vec::new();
    while let Some(mut statement) = batch.next().unwrap_or_else(|error| panic!("{statements}: {error}")) {
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap_or_else(|error| panic!("{statements}: {error}")) {
            let text = |column| match row.get_ref(column).unwrap() {
                ValueRef::Null => String::new(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Blob(octets) => format!("\\x{}", data_encoding::HEXLOWER.encode(octets)),
                value => value.as_str().unwrap().to_owned(),
            };
            lines.push((0..columns).map(text).collect::<Vec<_>>().join("|"));
        }
    }
    lines.join("\n")
}

/// Returns an SQL expression for a blob with these bytes.
pub fn octets(server: &Server, text: &str) -> String {
    format!("CAST('{text}' AS {})", if server.database().is_some() { "bytea" } else { "blob" })
}

/// Runs statements that overwrite moves, which a trigger of the database normally prevents.
pub fn forge(server: &Server, statements: &str) {
    forge_on(server.database(), server.data(), statements);
}

/// Like [`forge`], but runs the statements in this PostgreSQL database or, without one, in the file in this directory.
pub fn forge_on(database: Option<&Database>, data: &Path, statements: &str) {
    let of = if database.is_some() { "ON moves" } else { "" };
    sql_on(database, data, &format!("DROP TRIGGER IF EXISTS entries_never_change {of}; {statements}"));
}

/// Makes every `INSERT` or every `UPDATE` of the `inbox` table fail. `event` is the name of the operation.
pub fn refuse_mails(server: &Server, event: &str, why: &str) {
    sql(server, &refusing(server, event, "inbox", why));
}

/// Returns the statements that make an operation on a table fail.
pub fn refusing(server: &Server, event: &str, table: &str, why: &str) -> String {
    match server.database() {
        Some(_) => format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{why}'; END $$; \
             CREATE TRIGGER refusing BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        ),
        None => format!("CREATE TRIGGER refusing BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, '{why}'); END"),
    }
}

/// Undoes [`refuse_mails`].
pub fn accept_mails(server: &Server) {
    sql(server, if server.database().is_some() { "DROP TRIGGER refusing ON inbox" } else { "DROP TRIGGER refusing" });
}

/// Returns whether the database contains this text anywhere, in upper or lower case. The text may contain only ASCII
/// letters, digits and dots.
pub fn keeps(server: &Server, words: &str) -> bool {
    let everything = match server.database() {
        // PostgreSQL writes bytes as hexadecimal digits.
        Some(database) => database.lines("SET xmlbinary TO hex; SELECT database_to_xml(true, true, '')").into_bytes(),
        None => ["turnpost.db", "turnpost.db-wal"]
            .into_iter()
            .flat_map(|file| std::fs::read(server.data().join(file)).unwrap_or_default())
            .collect(),
    };
    let has = |words: &[u8]| everything.windows(words.len()).any(|window| window.eq_ignore_ascii_case(words));
    assert!(has(b"players"), "the search finds text that the database contains");
    let digits: String = words.bytes().map(|byte| format!("{byte:02x}")).collect();
    has(words.as_bytes()) || server.database().is_some() && has(digits.as_bytes())
}

/// Returns the number of stored messages.
pub fn inbox(server: &Server) -> u64 {
    sql(server, "SELECT count(*) FROM inbox").parse().unwrap()
}
