//! Connections to a server, with their settings, prepared statements and the rows that a transaction has read.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use include_dir::{Dir, include_dir};
use tokio_postgres::{Row, Statement};

use super::client::failed;
use super::client::{ANSWER, Client};
use super::request::{Answer, Request};
use super::tls::Tls;
use super::url::PostgresUrl;
use crate::store::sql::{Param, Value};
use crate::store::{Result, StoreError, StoreFaults};

/// The settings of a connection. The application name contains the database version that this program supports. The
/// search path is limited to our schema. Lock timeouts are the same as on SQLite. The server ends abandoned
/// transactions, for example of a hanging machine, because other transactions wait for them. JIT compilation is off: it
/// would take longer than executing a statement. The server plans each statement only once, because no plan depends on
/// the parameters.
const SETTINGS: &str = "SELECT current_schema() IS NOT NULL, current_setting('server_encoding'), \
     set_config('search_path', quote_ident(current_schema()), false), \
     set_config('lock_timeout', '10s', false), \
     set_config('idle_in_transaction_session_timeout', '5min', false), \
     set_config('TimeZone', 'UTC', false), \
     set_config('client_min_messages', 'warning', false), \
     set_config('jit', 'off', false), pg_backend_pid(), \
     set_config('plan_cache_mode', 'force_generic_plan', false), \
     set_config('application_name', 'turnpost, version ' || $1, false)";

/// The ids of the server processes that serve this program's connections. Notifications from these processes are about
/// this program's own changes.
static OWN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

pub(crate) struct Db {
    // `None` while the connection is being closed.
    client: RefCell<Option<Client>>,
    statements: RefCell<HashMap<String, Statement>>,
    /// Requests of the transaction that will be sent together with its next request.
    queued: RefCell<Vec<Request>>,
    /// Rows that the transaction has read.
    known: RowCache,
    /// The id of the server process that serves this connection.
    process: i32,
    /// Whether a statement has failed in this transaction, after which PostgreSQL executes no others.
    failed: Cell<bool>,
    /// Decides which transactions, requests and commits fail, in the simulation.
    pub(crate) faults: Option<Arc<dyn StoreFaults>>,
}

impl Db {
    pub(crate) fn connect(url: &PostgresUrl) -> Result<Db> {
        let client = connect(url).map_err(|error| match error {
            StoreError::Unreachable(why) | StoreError::Failed(why) => StoreError::Unreachable(format!("{url}: {why}")),
            StoreError::Denied(why) => StoreError::Denied(format!("{url}: {why}")),
            StoreError::NoSuchDatabase(why) => StoreError::NoSuchDatabase(format!("{url}: {why}")),
            other => other,
        })?;
        let mut db = Db {
            client: RefCell::new(Some(client)),
            statements: RefCell::default(),
            queued: RefCell::default(),
            known: RowCache::default(),
            process: 0,
            failed: Cell::new(false),
            faults: None,
        };
        let settings = db.query(SETTINGS, &[known().to_string().value()?], false)?;
        let row = settings.first().ok_or_else(|| StoreError::Failed("PostgreSQL returned no settings".to_owned()))?;
        if !row.try_get::<_, bool>(0).unwrap_or(false) {
            return Err(StoreError::Denied(format!("{url} has no schema that this user may use")));
        }
        if row.try_get::<_, String>(1).ok().as_deref() != Some("UTF8") {
            return Err(StoreError::NotUtf8(url.to_string()));
        }
        db.process = row.try_get(8).map_err(|error| failed(&error))?;
        own().insert(db.process);
        Ok(db)
    }

    /// Executes statements without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<()> {
        self.batch_within(sql, ANSWER)
    }

    /// Executes statements without parameters, with the timeout `most`.
    pub(crate) fn batch_within(&self, sql: &str, most: Duration) -> Result<()> {
        self.ask(Request::batch(sql), most).map(drop)
    }

    pub(crate) fn commit(&self) -> Result<()> {
        if self.faults.as_ref().is_some_and(|faults| faults.fails_to_commit()) {
            return Err(interrupted());
        }
        self.send_all(self.queued.take(), vec![Request::batch("COMMIT")], ANSWER).map(drop)
    }

    /// Executes statements without parameters together with the next request.
    pub(crate) fn batch_later(&self, sql: &str) {
        self.queued.borrow_mut().push(Request::batch(sql));
    }

    /// Executes a statement and returns its rows. If `last` is true, the rows stay in the cache until
    /// [`Db::forget_lasting_rows`].
    pub(crate) fn query(&self, sql: &str, values: &[Value<'_>], last: bool) -> Result<Arc<Vec<Row>>> {
        if let Some(rows) = self.known.get(sql, values) {
            return Ok(rows);
        }
        let request = self.prepared(sql, values)?;
        if self.known.is_reading_ahead() {
            return Err(self.known.read_later(sql, values, last, request));
        }
        if !sql.starts_with("SELECT") {
            self.known.forget();
        }
        let rows = Arc::new(self.ask(request, ANSWER)?.rows);
        if last {
            self.known.insert(text(sql, values), last, Arc::clone(&rows));
        }
        Ok(rows)
    }

    /// Executes a statement and returns the number of changed rows.
    pub(crate) fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        self.known.forget();
        Ok(self.ask(self.prepared(sql, values)?, ANSWER)?.count)
    }

    /// Executes a statement together with the next request, which fails with the error `otherwise` if the statement
    /// changes no row. The server raises this error, so that a commit can be sent in the same round trip.
    pub(crate) fn execute_later(&self, sql: &str, values: &[Value<'_>], otherwise: Option<&str>) -> Result<()> {
        self.known.forget();
        let request = match otherwise {
            None => self.prepared(sql, values)?,
            Some(otherwise) => {
                let mut values = values.to_vec();
                values.push(Value::Text(otherwise.into()));
                let last = values.len();
                let sql =
                    format!("WITH changed AS ({sql} RETURNING 1) SELECT require_rows(count(*), ${last}) FROM changed");
                self.prepared(&sql, &values)?
            }
        };
        self.queued.borrow_mut().push(request);
        Ok(())
    }

    /// Calls `asks`, and reads the rows of all its queries in one round trip. The queries themselves return errors in
    /// `asks`; the next query with the same statement returns the cached rows.
    pub(crate) fn read_ahead(&self, asks: impl FnOnce()) -> Result<()> {
        let (rows, requests) = self.known.ahead(asks);
        if requests.is_empty() {
            return Ok(());
        }
        let answers = self.send(requests, ANSWER)?;
        self.known.keep_all(rows, answers);
        Ok(())
    }

    /// Removes the last queued batch with this text, and all requests after it, from the queue. If the batch was
    /// already sent, removes all requests from the queue and returns false.
    pub(crate) fn forget_queued(&self, batch: &str) -> bool {
        let mut queued = self.queued.borrow_mut();
        let at = queued.iter().rposition(|request| request.is_batch(batch));
        queued.truncate(at.unwrap_or(0));
        at.is_some()
    }

    /// Returns whether the queue contains only this batch.
    pub(crate) fn has_only_queued(&self, batch: &str) -> bool {
        matches!(&self.queued.borrow()[..], [request] if request.is_batch(batch))
    }

    /// Discards the unsent requests and cached rows of the last transaction.
    pub(crate) fn clear(&self) {
        self.queued.borrow_mut().clear();
        self.known.clear();
        self.forget_failure();
    }

    /// Clears the row cache, because any row may have changed.
    pub(crate) fn forget_lasting_rows(&self) {
        self.known.forget_all();
    }

    /// Waits at most for the time `most` for a notification of another program's commit; returns whether one arrived.
    pub(crate) fn wait_for_others(&self, most: Duration) -> Result<bool> {
        self.with(|client| {
            let first = client.notification(most)?;
            let mut is_others = first.is_some_and(|first| !own().contains(&first.process_id()));
            // Read all notifications that have already arrived.
            while let Some(next) = client.notification(Duration::ZERO)? {
                is_others |= !own().contains(&next.process_id());
            }
            match client.is_closed() {
                true => Err(StoreError::Unreachable("the connection is closed".to_owned())),
                false => Ok(is_others),
            }
        })
    }

    /// Returns whether a statement has failed since the last reset.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.get()
    }

    /// Resets the failure after the transaction was rolled back, completely or to its savepoint.
    pub(crate) fn forget_failure(&self) {
        self.failed.set(false);
    }

    /// Checks whether the server has closed the connection since it was last used.
    pub(crate) fn detect_close(&self) {
        self.client.borrow_mut().iter_mut().for_each(Client::detect_close);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.borrow().as_ref().is_none_or(Client::is_closed)
    }

    fn prepared(&self, sql: &str, values: &[Value<'_>]) -> Result<Request> {
        let known = self.statements.borrow().get(sql).cloned();
        let statement = match known {
            Some(statement) => statement,
            None => {
                let statement = self.with(|client| client.prepare(sql))?;
                self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
                statement
            }
        };
        Request::statement(statement, values)
    }

    fn ask(&self, request: Request, most: Duration) -> Result<Answer> {
        let mut answers = self.send(vec![request], most)?;
        answers.pop().ok_or_else(|| StoreError::Failed("a request has no answer".to_owned()))
    }

    /// Sends requests after the queued ones, and returns their answers.
    fn send(&self, requests: Vec<Request>, most: Duration) -> Result<Vec<Answer>> {
        let queued = self.queued.take();
        if self.faults.as_ref().is_some_and(|faults| faults.fails_in_statement()) {
            self.failed.set(true);
            return Err(interrupted());
        }
        self.send_all(queued, requests, most)
    }

    fn send_all(&self, mut all: Vec<Request>, requests: Vec<Request>, most: Duration) -> Result<Vec<Answer>> {
        let first = all.len();
        all.extend(requests);
        let mut answers = self.with(|client| client.send(&all, most))?;
        Ok(answers.split_off(first))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let mut client = self.client.borrow_mut();
        let client = client.as_mut().ok_or_else(|| StoreError::Unreachable("the connection is closed".to_owned()))?;
        act(client).inspect_err(|_| self.failed.set(true))
    }
}

/// Returns the error that a statement returns if the simulation injects a fault.
fn interrupted() -> StoreError {
    StoreError::Failed("interrupted".to_owned())
}

/// Connects to the first host that responds in time.
fn connect(url: &PostgresUrl) -> Result<Client> {
    let tls = Tls::of(&url.certificates)?;
    let mut connected = Err(StoreError::Failed("the URL of the database has no host".to_owned()));
    for (config, most) in url.attempts() {
        connected = Client::connect(&config, tls.clone(), most);
        if connected.is_ok() {
            break;
        }
    }
    connected
}

fn own() -> MutexGuard<'static, BTreeSet<i32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Db {
    /// Closes the connection. This waits for the network, so a thread that runs an event loop must not do it.
    fn drop(&mut self) {
        own().remove(&self.process);
        self.statements.borrow_mut().clear();
        if tokio::runtime::Handle::try_current().is_ok()
            && let Some(client) = self.client.borrow_mut().take()
        {
            std::thread::spawn(move || drop(client));
        }
    }
}

/// The maximum number of cached results. There is a limit because a reader may iterate over all boards in one
/// transaction.
const MOST: usize = 1_000;

/// The rows that statements of a transaction have returned.
#[derive(Default)]
pub(crate) struct RowCache {
    known: RefCell<HashMap<String, Known>>,
    /// The statements collected so far for reading ahead; `None` if none are being collected.
    ahead: RefCell<Option<Vec<(Ahead, Request)>>>,
}

struct Known {
    rows: Arc<Vec<Row>>,
    /// Whether the rows stay in the cache after a write, because most writes do not change them.
    last: bool,
}

/// A statement to read ahead, and whether its rows stay in the cache after a write.
pub(crate) type Ahead = (String, bool);

fn text(sql: &str, values: &[Value<'_>]) -> String {
    format!("{sql} {values:?}")
}

impl RowCache {
    pub(crate) fn get(&self, sql: &str, values: &[Value<'_>]) -> Option<Arc<Vec<Row>>> {
        let known = self.known.borrow();
        if known.is_empty() { None } else { known.get(&text(sql, values)).map(|known| Arc::clone(&known.rows)) }
    }

    fn insert(&self, statement: String, last: bool, rows: Arc<Vec<Row>>) {
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(statement, Known { rows, last });
    }

    pub(crate) fn is_reading_ahead(&self) -> bool {
        self.ahead.borrow().is_some()
    }

    /// Adds a statement to those to read ahead, and returns the error that its caller gets.
    pub(crate) fn read_later(&self, sql: &str, values: &[Value<'_>], last: bool, request: Request) -> StoreError {
        let statement = text(sql, values);
        let mut all = self.ahead.borrow_mut();
        let all = all.get_or_insert_default();
        if all.iter().all(|((known, _), _)| *known != statement) {
            all.push(((statement, last), request));
        }
        StoreError::Failed("it is read ahead".to_owned())
    }

    /// Collects the statements that `asks` would execute.
    pub(crate) fn ahead(&self, asks: impl FnOnce()) -> (Vec<Ahead>, Vec<Request>) {
        *self.ahead.borrow_mut() = Some(Vec::new());
        asks();
        self.ahead.take().into_iter().flatten().unzip()
    }

    pub(crate) fn keep_all(&self, ahead: Vec<Ahead>, answers: Vec<Answer>) {
        for ((statement, last), answer) in ahead.into_iter().zip(answers) {
            self.insert(statement, last, Arc::new(answer.rows));
        }
    }

    /// Removes the rows that a write may have changed.
    pub(crate) fn forget(&self) {
        self.known.borrow_mut().retain(|_, known| known.last);
    }

    pub(crate) fn forget_all(&self) {
        self.known.borrow_mut().clear();
    }

    /// Removes all rows. Also removes collected statements, which remain if a panic interrupted reading ahead.
    pub(crate) fn clear(&self) {
        self.forget_all();
        self.ahead.take();
    }
}

pub(crate) static MIGRATIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/migrations/postgres");

/// Returns the version of a fully migrated database.
pub(crate) fn known() -> u32 {
    u32::try_from(MIGRATIONS.entries().len()).unwrap_or(u32::MAX)
}
