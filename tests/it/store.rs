//! The store on a real file, at given times.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;
use turnpost::clock::Limits;
use turnpost::store::{self, *};
use turnpost::world::World;

mod boards;
mod changes;
mod letters;
mod lists;
mod players;
mod ratings;
mod record;
mod upgrade;

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_270_833, 0).unwrap() + TimeDelta::minutes(minute)
}

/// Alice and Bob, and board 1 between them, to which Alice challenged.
struct Instance {
    dir: tempfile::TempDir,
    path: PathBuf,
    store: Box<dyn Store>,
    alice: PlayerId,
    bob: PlayerId,
}

fn instance() -> Instance {
    let (dir, path) = file();
    let mut store = store::open(&path, World::REAL).unwrap();
    let mut l = store.write().unwrap();
    let alice = l.add_player("Alice", "$argon2$a", at(0)).unwrap();
    let bob = l.add_player("bob", "$argon2$b", at(0)).unwrap();
    assert_eq!(l.add_board(&board([alice, bob])).unwrap(), 1);
    l.commit().unwrap();
    Instance { dir, path, store, alice, bob }
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("turnpost.db");
    (dir, path)
}

fn named(id: PlayerId, userid: &str) -> PlayerRef {
    PlayerRef { id, userid: userid.into() }
}

/// A board to which the first of the two challenged.
fn board(players: [PlayerId; 2]) -> NewBoard {
    NewBoard {
        number: None,
        game: "marque".into(),
        options: String::new(),
        players,
        to_move: Seat::First,
        challenger: Some(players[0]),
        rated: true,
        private: false,
        limits: Limits { nag: 3, forfeit: 10, total: 30 },
        hash: "00".into(),
        created_at: at(1),
    }
}

fn entry(entry: u32, kind: EntryKind, ply: u32, seat: Option<Seat>) -> Entry {
    let (text, via, hash) = ("f3".into(), "mail".into(), format!("{entry:02}aa"));
    Entry { entry, kind, ply, seat, text, made_at: at(i64::from(entry) + 1), via, hash }
}

/// An entry of a record of moves only.
fn ply(ply: u32, seat: Seat) -> Entry {
    entry(ply, EntryKind::Move, ply, Some(seat))
}

fn result(winner: Option<Seat>, reason: &str) -> BoardResult {
    BoardResult { winner, reason: reason.into(), ended_at: at(90) }
}

fn verdict(kind: VerdictKind, identity: &str) -> Verdict {
    let (sender, identity) = (Some("a@example.org".into()), Some(identity.into()));
    Verdict { kind, sender, identity, commands: "move 1 f3".into(), reason: "obeyed".into() }
}

#[test]
fn dropped_without_commit_nothing_changes() {
    let (_dir, path) = file();
    let mut store = store::open(&path, World::REAL).unwrap();
    store.write().unwrap().add_player("carol", "x", at(0)).unwrap();
    assert!(store.read().unwrap().player("carol").unwrap().is_none());
    assert!(store.read().unwrap().add_player("carol", "x", at(0)).is_err(), "reading, nothing is written");
}

#[test]
fn a_mail_is_dealt_with_once() {
    let mut instance = instance();
    let mut l = instance.store.write().unwrap();
    let ids: Vec<_> = (0..3).map(|i| l.add_mail(b"raw\xff", i == 1, "pipe", at(i)).unwrap()).collect();
    assert_eq!(l.count_attempt(ids[0]).unwrap(), 1);
    let waiting = l.waiting_mail(2).unwrap();
    assert_eq!((waiting.len(), &waiting[0].raw[..], waiting[0].attempts), (2, &b"raw\xff"[..], 1));
    assert!(!waiting[0].truncated && waiting[1].truncated && waiting[1].received_at == at(1));
    l.close_mail(ids[0], &verdict(VerdictKind::Done, "<m@x>"), at(4)).unwrap();
    assert_eq!(l.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    assert!(l.close_mail(ids[1], &verdict(VerdictKind::Done, "<m@x>"), at(4)).is_err(), "one mail, one effect");
    l.close_mail(ids[1], &verdict(VerdictKind::Repeated, "<m@x>"), at(4)).unwrap();
    assert_eq!(l.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    assert!(
        l.close_mail(ids[0], &verdict(VerdictKind::Done, "<o@x>"), at(4)).is_err() && l.count_attempt(ids[0]).is_err()
    );
    let rows = l.inbox(9).unwrap();
    assert!(rows[0].verdict.is_none() && rows[1].verdict.as_ref().unwrap().kind == VerdictKind::Repeated);
}

#[test]
fn many_open_a_fresh_file_at_once() {
    for _ in 0..5 {
        let (_dir, path) = file();
        let name = |path: &Path| store::open(path, World::REAL).unwrap().read().unwrap().server_id().unwrap();
        let names: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| name(&path))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(names.iter().all(|name| *name == names[0]));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap()) & 0o777, 0o600);
    }
}

/// Mails of many lengths, so that the pages of the table are split and joined while secrets lie in them.
#[test]
fn a_closed_mail_leaves_no_trace() {
    let (dir, path) = file();
    let mut store = store::open(&path, World::REAL).unwrap();
    let mut ids = Vec::new();
    for n in 0..120_usize {
        let mut l = store.write().unwrap();
        let raw = format!("{}sesame-open-up{}", "x".repeat(n * 37 % 3000), "y".repeat(n * 911 % 9000));
        ids.push((n, l.add_mail(raw.as_bytes(), false, "pipe", at(0)).unwrap()));
        l.commit().unwrap();
        if n % 3 == 2 {
            let (n, id) = ids.remove(ids.len() / 2);
            let mut l = store.write().unwrap();
            l.close_mail(id, &verdict(VerdictKind::Done, &n.to_string()), at(1)).unwrap();
            l.commit().unwrap();
        }
    }
    let mut l = store.write().unwrap();
    for (n, id) in ids {
        l.close_mail(id, &verdict(VerdictKind::Done, &n.to_string()), at(1)).unwrap();
    }
    l.commit().unwrap();
    store.settle().unwrap();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let left = bytes.windows(14).filter(|w| w == b"sesame-open-up").count();
        assert_eq!(left, 0, "{}", path.display());
    }
}
