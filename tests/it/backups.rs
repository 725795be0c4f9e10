//! Backups: a running server can be backed up, backups are verified and restored, damaged ones are refused, and a
//! schedule creates and deletes them.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta};
use flate2::read::GzDecoder;
use turnpost::backup::{Backup, BackupError, LastBackup, Schedule, ScheduleResult};
use turnpost::config::Config;
use turnpost::store::Store;
use turnpost::world::World;

use crate::common::database::sql;
use crate::common::serving::{Serving, wait_until};
use crate::common::{Ran, Server, TURNPOST, done};

/// Creates a server with a board in progress and a finished one.
fn played() -> Server {
    let server = Server::in_a_file().and_players();
    for line in [
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3 --say=Hello",
        "marque move 1 bob builder k4",
        "marque challenge bob alice",
        "marque resign 1 alice wonderland",
    ] {
        done(&server, line);
    }
    server
}

fn backup(server: &Server, file: &Path) -> Ran {
    server.program().args(["admin", "backup"]).arg(file).output().unwrap().into()
}

fn restore(server: &Server, file: &Path, data: &Path) -> Ran {
    server.program().args(["admin", "restore"]).arg(file).arg("--data").arg(data).output().unwrap().into()
}

/// Runs a command line with another data directory. Returns its output.
fn at(server: &Server, data: &Path, line: &str) -> String {
    let ran: Ran = server.program().args(line.split_whitespace()).arg("--data").arg(data).output().unwrap().into();
    assert_eq!(ran.status, 0, "{line}: {ran:?}");
    ran.out
}

/// Returns the sorted names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_backup_of_a_running_server_restores_everything() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let outside = place.path().join("outside-password");
    fs::write(&outside, "secret\n").unwrap();
    fs::create_dir_all(server.data().join("words/answer")).unwrap();
    fs::write(server.data().join("words/answer/withdrawn.txt"), "Gone.\n").unwrap();
    fs::write(server.data().join("words/notes.txt"), "not a template\n").unwrap();
    let config = format!(
        "templates = \"words\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n\
         user = \"turnpost\"\npassword_file = {outside:?}\n"
    );
    let serving = Serving::start(&server, &config);
    let config = fs::read_to_string(server.data().join("turnpost.toml")).unwrap();
    let (file, new) = (place.path().join("backup.tar.gz"), place.path().join("new"));
    let ran = backup(&server, &file);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.contains("restored and checked: 2 boards, 3 entries."), "{ran:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(place.path()), ["backup.tar.gz", "outside-password"], "no other files remain");
    // Changes after the backup are not part of it.
    done(&server, "marque challenge alice anyone");
    drop(serving);

    let ran = restore(&server, &file, &new);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    let kept = new.join("elsewhere").join(outside.strip_prefix("/").unwrap());
    assert!(ran.out.contains(&format!(" is a copy of {}: put it there", outside.display())), "{ran:?}");
    assert_eq!(fs::read_to_string(kept).unwrap(), "secret\n");
    assert_eq!(fs::read_to_string(new.join("turnpost.toml")).unwrap(), config);
    assert_eq!(fs::read_to_string(new.join("words/answer/withdrawn.txt")).unwrap(), "Gone.\n");
    assert_eq!(names(&new), ["elsewhere", "turnpost.db", "turnpost.toml", "words"]);
    assert_eq!(names(&new.join("words")), ["answer"]);
    assert_eq!(fs::metadata(&new).unwrap().permissions().mode() & 0o777, 0o700);
    for line in ["marque history 1", "admin players --json", "admin outbox --json"] {
        let [old, new] = [server.data(), &new].map(|data| at(&server, data, line));
        assert_eq!(old.replace("challenge alice anyone", ""), new, "{line}");
    }
    assert!(at(&server, &new, "admin check").contains("2 boards, 3 entries"));
    assert!(!at(&server, &new, "admin boards").contains("anyone"));
}

#[test]
fn a_damaged_backup_is_refused_with_the_place_of_the_damage() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let (file, new) = (place.path().join("backup.tar.gz"), place.path().join("new"));
    assert_eq!(backup(&server, &file).status, 0);
    let sound = fs::read(&file).unwrap();
    assert_eq!(restore(&server, &file, &new).status, 0);
    let database = || fs::read(new.join("turnpost.db")).unwrap();
    let restored = database();
    fs::remove_dir_all(&new).unwrap();
    let plain = |file: &[u8]| {
        let mut plain = Vec::new();
        GzDecoder::new(file).read_to_end(&mut plain).map(|_| plain)
    };
    let backed_up = plain(&sound).unwrap();
    let flips = (0..24).map(|nth| {
        let mut bytes = sound.clone();
        // Skips the gzip header, which contains a time and other ignored data.
        let at = 10 + (sound.len() - 11) * nth / 23;
        bytes[at] ^= 1 << (nth % 8);
        (format!("byte {at} flipped"), bytes)
    });
    let cuts = (1..8).map(|nth| (format!("cut after {nth}/8"), sound[..sound.len() * nth / 8].to_vec()));
    for (what, bytes) in flips.chain(cuts) {
        fs::write(&file, &bytes).unwrap();
        let ran = restore(&server, &file, &new);
        // A flipped bit may have no effect: in a run of zeros, gzip can copy the same bytes from another distance.
        if plain(&bytes).is_ok_and(|plain| plain == backed_up) {
            assert!(ran.status == 0 && database() == restored, "{what}: {ran:?}");
            fs::remove_dir_all(&new).unwrap();
            continue;
        }
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{what}: {ran:?}");
        let places = [
            "turnpost.db, after ", "turnpost.db: ", "turnpost.toml: ", "manifest.json: ", "the end: ",
            "is not a backup", "between ",
        ];
        assert!(places.iter().any(|place| ran.err.contains(place)), "{what}: {ran:?}");
        assert_eq!(names(place.path()), ["backup.tar.gz"], "{what}: no files are created");
    }
}

/// Runs a command line while a small disk is mounted at this directory, in a separate namespace.
fn on_small_disk(disk: &Path, kilobytes: u64, line: &str) -> Ran {
    let mount = "mount -t tmpfs -o size=$1k tmpfs \"$2\" && shift 2 && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", mount, "sh", &kilobytes.to_string()]).arg(disk).arg(TURNPOST);
    command.args(line.split(' ')).env_remove("TURNPOST_DATA").output().unwrap().into()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs root: ./test runs it")]
fn a_full_disk_is_named_and_is_no_damage() {
    if !Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this user cannot create namespaces; root usually can");
        return;
    }
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let (file, new, disk) = (place.path().join("backup.tar.gz"), place.path().join("new"), place.path().join("disk"));
    fs::create_dir(&disk).unwrap();
    assert_eq!(backup(&server, &file).status, 0);
    assert_eq!(restore(&server, &file, &new).status, 0);
    let kilobytes = fs::metadata(new.join("turnpost.db")).unwrap().len() / 1024;
    // The larger disk has space for the database, but not for the files that SQLite needs to open it.
    for kilobytes in [kilobytes / 2, kilobytes + 16] {
        let line = format!("admin restore {} --data {}", file.display(), disk.join("new").display());
        let ran = on_small_disk(&disk, kilobytes, &line);
        assert!(ran.status == 75 && !ran.err.contains("damaged"), "{kilobytes}: {ran:?}");
        assert!(ran.err.contains(&disk.join("new.scratch-").display().to_string()), "{kilobytes}: {ran:?}");
    }
    let line = format!("admin backup {} --data {}", disk.join("full.tar.gz").display(), server.data().display());
    let ran = on_small_disk(&disk, kilobytes / 2, &line);
    assert!(ran.status == 75 && ran.err.contains("full.tar.gz") && ran.err.contains("disk is full"), "{ran:?}");
}

#[test]
fn a_backup_is_restored_into_a_new_directory_only() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let file = place.path().join("backup.tar.gz");
    assert_eq!(backup(&server, &file).status, 0);
    let before = fs::read(server.data().join("turnpost.db")).unwrap();
    let ran = restore(&server, &file, server.data());
    assert!(ran.status == 1 && ran.err.contains("already exists"), "{ran:?}");
    assert_eq!(fs::read(server.data().join("turnpost.db")).unwrap(), before);
    let empty = place.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(restore(&server, &file, &empty).status, 0);
    let other = place.path().join("other");
    fs::write(&other, "a letter to my aunt").unwrap();
    let ran = restore(&server, &other, &place.path().join("new"));
    assert!(ran.status == 1 && ran.err.contains("other is not a backup of turnpost; "), "{ran:?}");
}

#[test]
fn the_files_of_a_killed_restore_are_removed_by_the_next_one() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let file = place.path().join("backup.tar.gz");
    assert_eq!(backup(&server, &file).status, 0);
    let make = |name: &str| {
        fs::create_dir(place.path().join(name)).unwrap();
        fs::write(place.path().join(name).join("turnpost.db"), "hashes of passwords").unwrap();
        fs::File::open(place.path().join(name)).unwrap()
    };
    make("new.scratch-27161");
    // Another restore is running.
    let running = make("new.scratch-27162");
    running.lock().unwrap();
    for other in ["new.scratch-old", "newer.scratch-27161"] {
        make(other);
    }
    assert_eq!(restore(&server, &file, &place.path().join("new")).status, 0);
    let expected = ["backup.tar.gz", "new", "new.scratch-27162", "new.scratch-old", "newer.scratch-27161"];
    assert_eq!(names(place.path()), expected);
}

#[test]
fn a_backup_to_a_directory_is_refused_and_deletes_nothing() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let inner = place.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("letter"), "to my aunt").unwrap();
    for file in [".", "./", "..", "../inner", "../inner/..", "/"] {
        let mut program = server.program();
        let ran: Ran = program.args(["admin", "backup", file]).current_dir(&inner).output().unwrap().into();
        assert!(ran.status != 0 && ran.err.contains("directory"), "{file}: {ran:?}");
        assert_eq!((names(place.path()), names(&inner)), (vec!["inner".to_owned()], vec!["letter".to_owned()]));
    }
    let missing = place.path().join("missing");
    let ran = backup(&server, &missing.join("backup.tar.gz"));
    assert!(ran.status != 0 && ran.err.contains(&format!("{}: No such file", missing.display())), "{ran:?}");
    // A backup may be restored into an empty directory, even into the current one.
    let (file, new) = (place.path().join("backup.tar.gz"), place.path().join("new"));
    assert_eq!(backup(&server, &file).status, 0);
    fs::create_dir(&new).unwrap();
    let mut program = server.program();
    let ran: Ran =
        program.args(["admin", "restore"]).arg(&file).args(["--data", "."]).current_dir(&new).output().unwrap().into();
    assert!(ran.status == 0 && new.join("turnpost.db").exists(), "{ran:?}");
}

#[test]
fn an_unproved_backup_does_not_replace_a_proved_one() {
    let (server, place) = (played(), tempfile::tempdir().unwrap());
    let file = place.path().join("backup.tar.gz");
    assert_eq!(backup(&server, &file).status, 0);
    let (verified, remembered) = (fs::read(&file).unwrap(), LastBackup::read(server.data()));
    sql(&server, "UPDATE boards SET plies = 99 WHERE number = 2");
    let ran = backup(&server, &file);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{ran:?}");
    assert!(ran.err.contains("could not be verified; it remains as") && ran.err.contains("Board 2"), "{ran:?}");
    assert_eq!(names(place.path()), ["backup.tar.gz", "backup.tar.gz.failed"]);
    assert!(fs::read(&file).unwrap() == verified && LastBackup::read(server.data()) == remembered);
    let ran = restore(&server, &place.path().join("backup.tar.gz.failed"), &place.path().join("new"));
    assert!(ran.status == 1 && ran.err.contains("Board 2"), "{ran:?}");
}

static NOW: AtomicI64 = AtomicI64::new(1_800_000_000);

fn pass(time: TimeDelta) {
    NOW.fetch_add(time.num_seconds(), Ordering::Relaxed);
}

const WORLD: World =
    World { now: || DateTime::from_timestamp(NOW.load(Ordering::Relaxed), 0).unwrap(), random: |bytes| bytes.fill(7) };

/// A server whose backup schedule runs in this process, with the time in [`NOW`].
struct Scheduled {
    server: Server,
    config: Config,
    store: Box<dyn Store>,
    schedule: Schedule,
}

impl Scheduled {
    fn new(every: u32, keep: u32) -> Scheduled {
        let server = played();
        let text = format!("[backup]\ndirectory = \"backups\"\nevery = {every}\nkeep = {keep}\n");
        fs::write(server.data().join("turnpost.toml"), text).unwrap();
        let config = Config::read(server.data()).unwrap();
        let store = server.store(WORLD);
        Scheduled { server, config, store, schedule: Schedule::default() }
    }

    fn run(&mut self) -> ScheduleResult {
        let backup = Backup { data: self.server.data(), config: &self.config, world: WORLD };
        self.schedule.run(backup, &mut *self.store).unwrap()
    }

    fn directory(&self) -> PathBuf {
        self.server.data().join("backups")
    }

    /// Creates a backup while the clock shows the year 2081.
    fn run_in_2081(&mut self) {
        let right = NOW.swap(3_513_000_000, Ordering::Relaxed);
        assert!(self.run().made.unwrap().is_ok());
        NOW.store(right, Ordering::Relaxed);
    }

    /// Runs the schedule every hour for two days, while no backup can be created. Returns the hour of each warning, and
    /// the age in hours that it reports for the last backup.
    fn alarms(&mut self) -> Vec<(i32, i64)> {
        let mut alarms = Vec::new();
        for hour in 1..=48 {
            pass(TimeDelta::hours(1));
            let result = self.run();
            assert!(matches!(result.made, Some(Err(_))), "a failed backup is retried every hour");
            alarms.extend(result.old.map(|age| (hour, age.num_hours())));
        }
        alarms
    }
}

/// This single test checks the whole schedule, because parallel tests would share the time in [`NOW`].
#[test]
fn a_schedule_creates_backups_retains_the_newest_and_reports_an_old_one() {
    let mut scheduled = Scheduled::new(6, 2);
    let directory = scheduled.directory();
    // The schedule ignores the administrator's own files in its directory.
    fs::create_dir(&directory).unwrap();
    let own = ["turnpost-before-the-upgrade-to-2.tar.gz", "turnpost-zzz.tar.gz", "turnpost-own.tar.gz.unfinished"];
    own.iter().for_each(|name| fs::write(directory.join(name), "").unwrap());
    let mut made = Vec::new();
    for _ in 0..4 {
        let (file, _) = scheduled.run().made.expect("a backup is due").unwrap();
        made.push(file.file_name().unwrap().to_str().unwrap().to_owned());
        assert!(scheduled.run().made.is_none(), "no backup is due immediately after the last one");
        pass(TimeDelta::hours(6) - TimeDelta::seconds(1));
        assert!(scheduled.run().made.is_none(), "no backup is due before six hours have passed");
        pass(TimeDelta::seconds(1));
    }
    assert!(own.iter().all(|name| fs::remove_file(directory.join(name)).is_ok()));
    assert_eq!(names(&directory), made[2..], "the two newest backups remain");
    // After a restart, the server continues the schedule, and removes incomplete files.
    fs::create_dir(directory.join("turnpost-20200101T000000Z.tar.gz.unfinished.scratch-1")).unwrap();
    scheduled.schedule = Schedule::default();
    assert!(scheduled.run().made.unwrap().is_ok());
    assert_eq!(names(&directory).len(), 2);
    assert_eq!(LastBackup::read(scheduled.server.data()).verified_at, Some((WORLD.now)()));

    // When the schedule deletes old backups, it does not treat a backup dated 2081 as the newest one.
    pass(TimeDelta::hours(6));
    scheduled.run_in_2081();
    let (file, _) = scheduled.run().made.expect("a backup is due despite the one from 2081").unwrap();
    let kept = names(&directory);
    assert_eq!((kept.len(), directory.join(&kept[1])), (2, file));

    // From now on, backups fail.
    fs::remove_dir_all(&directory).unwrap();
    fs::write(&directory, "").unwrap();
    pass(TimeDelta::hours(6));
    assert!(matches!(scheduled.run().made, Some(Err(BackupError::File { .. }))));
    assert!(scheduled.run().made.is_none(), "a failed backup is not retried immediately");
    // The server warns when the last backup is older than three intervals (18 hours), and then once a day.
    assert_eq!(scheduled.alarms(), [(13, 19), (37, 43)]);
    fs::remove_file(&directory).unwrap();
    pass(TimeDelta::hours(1));
    let result = scheduled.run();
    assert!(result.made.unwrap().is_ok() && result.old.is_none());

    // The age of a backup dated 2081 is counted from the time at which the server detects the wrong date.
    scheduled.run_in_2081();
    fs::remove_dir_all(&directory).unwrap();
    fs::write(&directory, "").unwrap();
    assert!(matches!(scheduled.run().made, Some(Err(_))));
    assert_eq!(scheduled.alarms(), [(19, 19), (43, 43)]);
    fs::remove_file(&directory).unwrap();
    pass(TimeDelta::hours(1));
    assert!(scheduled.run().made.unwrap().is_ok());

    // Failed backups do not accumulate.
    sql(&scheduled.server, "UPDATE boards SET plies = 99 WHERE number = 2");
    for _ in 0..3 {
        pass(TimeDelta::hours(6));
        assert!(matches!(scheduled.run().made, Some(Err(BackupError::Unverified { .. }))));
    }
    let failed = names(&directory).iter().filter(|name| name.ends_with(".failed")).count();
    assert_eq!((failed, names(&directory).len()), (1, 2));
}

#[test]
fn a_server_creates_backups() {
    let server = played();
    let serving = Serving::start(&server, "[backup]\ndirectory = \"backups\"\n");
    wait_until("a verified backup", || serving.log().contains("backup created and verified").then_some(()));
    let log = serving.stop();
    assert!(!log.contains("ERROR"), "{log}");
    let made = names(&server.data().join("backups"));
    assert!(made.len() == 1 && made[0].starts_with("turnpost-") && made[0].ends_with("Z.tar.gz"), "{made:?}");
}
