//! A server inside the test's process. The test sets the time, passes commands to the server, and triggers the
//! processing of clocks and mail. Letters are written to a Maildir.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::command::{MailForm, Settings, parse};
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::{InboxContext, InboxWorker};
use turnpost::mail::outbound::{OutboxContext, SendError, Transport, process_outbox};
use turnpost::numbers::BoardNumber;
use turnpost::service::{ClockResult, Origin, Rejection, Request, Response, Service};
use turnpost::store::{self, Channel, Location, NodeName, PlayerId, Store, Transaction};
use turnpost::token::Key;
use turnpost::world::World;

use super::database::forge_on;
use super::postgres;

thread_local! {
    static NOW: Cell<DateTime<Utc>> = const { Cell::new(DateTime::UNIX_EPOCH) };
    static RANDOM: Cell<u64> = const { Cell::new(1) };
}

/// The test's clock, and reproducible random numbers.
pub const WORLD: World = World {
    now: || NOW.get(),
    random: |bytes| {
        for byte in bytes {
            RANDOM.set(RANDOM.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
            *byte = (RANDOM.get() >> 56) as u8;
        }
    },
};

/// A server in this process.
pub struct Inside {
    pub dir: tempfile::TempDir,
    /// The PostgreSQL database; `None` if the database is a file.
    database: Option<postgres::Database>,
    pub store: Box<dyn Store>,
    pub config: Config,
    pub composer: Composer,
    transport: Transport,
}

/// The hash of `secret` with the cheapest possible parameters, because a season has hundreds of players.
const SECRET: &str = "$argon2id$v=19$m=8,t=1,p=1$dHVybnBvc3QtdGVzdHM$bw9mlq1D8IwOnFlD802JlfMaWrDpjzIuxGYJ6KrwKaU";

/// Processes the waiting mail, including the password checks.
pub fn process_inbox(store: &mut dyn Store, inbox: &InboxContext<'_>) {
    let mut worker = InboxWorker::new(Arc::new(|| ()));
    while worker.process(store, inbox, &mut |_| {}).unwrap() > 0 || worker.wait(Duration::from_secs(60)) {}
}

impl Inside {
    /// Creates an empty server. Its time is the morning of 1 January 2027, a Friday.
    pub fn new() -> Inside {
        Inside::in_dir(tempfile::tempdir().unwrap())
    }

    /// Creates a server with its files in memory, if the system supports that, so that the disk is not a bottleneck.
    pub fn in_memory() -> Inside {
        Inside::in_dir(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    /// Creates a server with an empty database at this location (by default, in a temporary file) and with fixed keys.
    pub fn at(location: Option<Location>) -> Inside {
        let dir = tempfile::tempdir().unwrap();
        let location = location.unwrap_or_else(|| dir.path().join("turnpost.db").into());
        store::create(&location, World::REAL).unwrap();
        let mut inside = Inside::on(location, None, dir);
        let mut tx = inside.store.write().unwrap();
        tx.set_keys("5e12e75e12", Some(&Key::new([7; 32]))).unwrap();
        tx.commit().unwrap();
        inside
    }

    fn in_dir(dir: tempfile::TempDir) -> Inside {
        let database = postgres::is_wanted().then(postgres::Database::set_up);
        if let Some(database) = &database {
            std::fs::write(dir.path().join("turnpost.toml"), database.configuration()).unwrap();
        }
        let location = Inside::location_in(dir.path(), database.as_ref());
        store::create(&location, World::REAL).unwrap();
        Inside::on(location, database, dir)
    }

    fn on(location: Location, database: Option<postgres::Database>, dir: tempfile::TempDir) -> Inside {
        let store = store::open(location, World::REAL).unwrap();
        let transport = Transport::Maildir(dir.path().join("outgoing"));
        NOW.set("2027-01-01T09:00:00Z".parse().unwrap());
        let mut config = Config::default();
        config.policy.shortest_password = 4;
        Inside { store, config, composer: Composer::new(None, None).unwrap(), transport, dir, database }
    }

    /// Creates a server with these players, each with a confirmed address.
    pub fn with_players(userids: &[&str]) -> Inside {
        let mut inside = Inside::new();
        for userid in userids {
            inside.add_player(userid);
        }
        inside
    }

    /// Adds a player with the password `secret`. The player gets letters without pictures, which would take long to
    /// draw.
    pub fn add_player(&mut self, userid: &str) -> PlayerId {
        let mut tx = self.store.write().unwrap();
        let player = tx.add_player(userid, SECRET, NOW.get()).unwrap();
        tx.add_address(player, &format!("{userid}@example.org"), None, NOW.get()).unwrap();
        tx.set_settings(player, &Settings { mail: MailForm::Text, ..Settings::default() }).unwrap();
        tx.commit().unwrap();
        player
    }

    /// Runs statements that overwrite moves.
    pub fn forge(&self, statements: &str) {
        forge_on(self.database.as_ref(), self.dir.path(), statements);
    }

    /// Returns the location of the server's database.
    pub fn location(&self) -> Location {
        Inside::location_in(self.dir.path(), self.database.as_ref())
    }

    fn location_in(dir: &Path, database: Option<&postgres::Database>) -> Location {
        database.map_or_else(|| dir.join("turnpost.db").into(), postgres::Database::location)
    }

    pub fn now(&self) -> DateTime<Utc> {
        NOW.get()
    }

    pub fn set_now(&self, now: DateTime<Utc>) {
        NOW.set(now);
    }

    pub fn pass(&self, time: TimeDelta) {
        NOW.set(NOW.get() + time);
    }

    pub fn service(&self) -> Service<'_> {
        self.config.service(WORLD)
    }

    /// Runs a command line as a player, as if it came through the API.
    pub fn try_say(&mut self, userid: &str, line: &str, comment: Option<&str>) -> Result<Response, Rejection> {
        self.ask(Origin::Known { userid: userid.to_owned(), via: Channel::Api }, line, comment)
    }

    /// Runs a command line as if the administrator had typed it in a shell. It must succeed.
    pub fn say_as_shell(&mut self, line: &str) -> Response {
        let answer = self.ask(Origin::Shell { password: None }, line, None);
        answer.unwrap_or_else(|refused| panic!("{line}: {refused:?}"))
    }

    fn ask(&mut self, from: Origin, line: &str, comment: Option<&str>) -> Result<Response, Rejection> {
        let line = parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let request = Request { line, from, comment: comment.map(str::to_owned), client: None, now: NOW.get() };
        let service = self.config.service(WORLD);
        service.run(&mut *self.store, &request).unwrap()
    }

    /// Like [`Inside::try_say`], for a line that must succeed.
    pub fn say(&mut self, userid: &str, line: &str) -> Response {
        self.try_say(userid, line, None).unwrap_or_else(|refused| panic!("{line}: {refused:?}"))
    }

    /// Returns a board as text, as a player sees it.
    pub fn shown(&mut self, userid: &str, board: u32) -> String {
        let shown = self.say(userid, &format!("show {board}"));
        self.composer.answer(&shown).unwrap()
    }

    /// Runs a line that must be refused, and returns the error message.
    pub fn refused(&mut self, userid: &str, line: &str) -> String {
        match self.try_say(userid, line, None) {
            Err(refused) => self.composer.message(&refused.message).unwrap(),
            Ok(answer) => panic!("{line} was not refused: {answer:?}"),
        }
    }

    /// Processes all due clocks, and then all due events.
    pub fn tick(&mut self) -> Vec<(BoardNumber, ClockResult)> {
        let mut done = Vec::new();
        loop {
            match self.try_tick().unwrap() {
                ticked if ticked.is_empty() => return done,
                ticked => done.extend(ticked),
            }
        }
    }

    /// Processes the due clocks or, if no clock is due, the due events.
    pub fn try_tick(&mut self) -> turnpost::store::Result<Vec<(BoardNumber, ClockResult)>> {
        let service = self.config.service(WORLD);
        let mut tx = self.store.write()?;
        let done = service.tick(&mut tx, NOW.get(), 1_000)?;
        tx.commit()?;
        Ok(done)
    }

    /// Processes the waiting mail, including the password checks.
    pub fn process_inbox(&mut self) {
        let Inside { store, composer, config, .. } = self;
        let (service, now) = (config.service(WORLD), NOW.get());
        let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
        process_inbox(&mut **store, &inbox);
    }

    /// Sends due letters. Returns the number of each sent notice, and the Message-ID of its letter.
    pub fn send_due(&mut self) -> Vec<(i64, String)> {
        let Inside { store, composer, transport, config, .. } = self;
        let mut sent = Vec::new();
        let node = &NodeName("test".to_owned());
        let node = Some(node);
        let outbox = OutboxContext { composer, transport, config, node, until: None, world: WORLD };
        process_outbox(&mut **store, &mut [], &outbox, &|| false, &mut |report| {
            // A player who has left the server has no address, so sending a letter to them fails permanently.
            let no_address =
                matches!(&report.result, Err(SendError::Permanent(why)) if why.starts_with("no confirmed address"));
            if !no_address {
                assert_eq!(report.result, Ok(()), "{report:?}");
                sent.push((report.notice.id.0, report.notice.message_id.clone()));
            }
        })
        .unwrap();
        sent
    }

    /// Sends due letters. Returns their texts, by recipient.
    pub fn letters(&mut self) -> BTreeMap<String, Vec<String>> {
        self.send_due();
        let mut letters: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut files: Vec<PathBuf> = match std::fs::read_dir(self.dir.path().join("outgoing/new")) {
            Ok(files) => files.map(|file| file.unwrap().path()).collect(),
            Err(_) => Vec::new(),
        };
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(file).unwrap();
            let to = text.lines().find_map(|line| line.strip_prefix("To: ")).unwrap().to_owned();
            letters.entry(to).or_default().push(plain(&text));
        }
        letters
    }

    pub fn read<T>(&mut self, look: impl FnOnce(&Transaction<'_>) -> T) -> T {
        look(&self.store.read().unwrap())
    }
}

/// Returns a letter's headers and its text part.
fn plain(letter: &str) -> String {
    let (head, body) = letter.split_once("\n\n").unwrap();
    let Some((_, boundary)) = head.split_once("multipart/alternative;\n boundary=\"") else { return letter.to_owned() };
    let boundary = format!("--{}", boundary.split('"').next().unwrap());
    let part = body.split(&boundary).nth(1).unwrap().trim_start();
    let (part_head, text) = part.split_once("\n\n").unwrap();
    format!("{head}\n{part_head}\n\n{}", text.strip_suffix('\n').unwrap())
}
