//! A Maildir into which another program delivers.

use std::fs;
use std::path::PathBuf;

use crate::common::Server;
use crate::common::database::{Writer, inbox};
use crate::common::serving::{Serving, wait_until};
use turnpost::mail::inbound::maildir::Maildir;
use turnpost::store::{self, InboxId, InboxMail, Store};
use turnpost::world::World;

fn names(dir: PathBuf) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn delivered_mail_is_processed_while_serve_runs() {
    let mut server = Server::with_players();
    let maildir = server.data().join("Mail");
    let serving = Serving::start(&server, "[receive]\nmaildir = \"Mail\"\n");
    wait_until("a log line about the missing Maildir", || {
        serving.log().contains("the Maildir does not exist yet").then_some(())
    });
    for dir in ["tmp", "cur", "new"] {
        fs::create_dir_all(maildir.join(dir)).unwrap();
    }
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    let deliver = |name: &str| {
        fs::write(maildir.join("tmp").join(name), &mail).unwrap();
        fs::rename(maildir.join("tmp").join(name), maildir.join("new").join(name)).unwrap();
    };
    deliver("1.a.host");
    let outgoing = server.data().join("outgoing/new");
    wait_until("letters to both players", || (outgoing.exists() && names(outgoing.clone()).len() == 2).then_some(()));
    wait_until("the message to be moved to cur", || (names(maildir.join("cur")) == ["1.a.host:2,S"]).then_some(()));
    // If a process is killed between the commit and the move to `cur`, the message is read twice. The duplicate is
    // ignored.
    deliver("2.a.host:2,");
    wait_until("the duplicate to be moved to cur", || (names(maildir.join("cur")).len() == 2).then_some(()));
    assert_eq!(names(maildir.join("cur")), ["1.a.host:2,S", "2.a.host:2,S"]);
    wait_until("the duplicate to be recognised", || server.shell("admin inbox").out.contains("repeated").then_some(()));
    serving.stop();
    assert_eq!(server.json("marque games")["boards"].as_array().unwrap().len(), 1);
}

/// Returns the stored messages that have not been processed yet.
fn waiting(store: &mut dyn Store) -> Vec<InboxMail> {
    let tx = store.read().unwrap();
    tx.waiting_mail(&tx.waiting_after(InboxId(0), 1_000).unwrap()).unwrap()
}

/// Polls once, and returns the number of messages stored so far.
fn poll(maildir: &mut Maildir, store: &mut dyn Store) -> usize {
    maildir.poll(store, World::REAL).unwrap();
    waiting(store).len()
}

#[test]
fn unreadable_files_are_skipped_without_blocking_others() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store::in_memory(World::REAL).unwrap();
    let new = dir.path().join("Mail/new");
    let mut maildir = Maildir::new(dir.path().join("Mail"));
    assert_eq!(poll(&mut maildir, &mut *store), 0);
    fs::create_dir_all(&new).unwrap();
    fs::write(dir.path().join("secret"), "not a mail").unwrap();
    std::os::unix::fs::symlink(dir.path().join("secret"), new.join("1.link")).unwrap();
    fs::create_dir(new.join("2.directory")).unwrap();
    fs::write(new.join("3.empty"), "").unwrap();
    fs::write(new.join(".hidden"), "Subject: x\n").unwrap();
    fs::write(new.join("4.good"), "Subject: x\n").unwrap();
    fs::write(new.join("5.huge"), "Subject: x\n".repeat(200_000)).unwrap();
    for _ in 0..2 {
        assert_eq!(poll(&mut maildir, &mut *store), 2);
        assert_eq!(names(dir.path().join("Mail/cur")), ["4.good:2,S", "5.huge:2,S"]);
        assert_eq!(names(new.clone()), [".hidden", "1.link", "2.directory", "3.empty"]);
    }
    let mails = waiting(&mut *store);
    assert_eq!(mails.iter().map(|mail| mail.truncated).collect::<Vec<_>>(), [false, true]);
    // An empty file is skipped. Once it has content, it is read.
    fs::write(new.join("3.empty"), "Subject: late\n").unwrap();
    assert_eq!(poll(&mut maildir, &mut *store), 3);
}

#[test]
fn a_message_that_cannot_be_moved_is_stored_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store::in_memory(World::REAL).unwrap();
    let (new, cur) = (dir.path().join("Mail/new"), dir.path().join("Mail/cur"));
    fs::create_dir_all(&new).unwrap();
    fs::write(&cur, "in the way").unwrap();
    for name in 0..600 {
        fs::write(new.join(format!("{name}")), format!("Subject: {name}\n")).unwrap();
    }
    let mut maildir = Maildir::new(dir.path().join("Mail"));
    for _ in 0..3 {
        assert_eq!(poll(&mut maildir, &mut *store), 600);
    }
    fs::remove_file(&cur).unwrap();
    assert_eq!(poll(&mut maildir, &mut *store), 600);
    assert_eq!((names(new).len(), names(cur).len()), (0, 600));
}

#[test]
fn a_missing_maildir_does_not_delay_other_work() {
    let mut server = Server::with_players();
    fs::create_dir(server.data().join("Mail")).unwrap();
    fs::write(server.data().join("Mail/new"), "a file").unwrap();
    let serving = Serving::start(&server, "[receive]\nmaildir = \"Mail\"\n");
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let outgoing = server.data().join("outgoing/new");
    wait_until("letters to both players", || (outgoing.exists() && names(outgoing.clone()).len() == 2).then_some(()));
    assert!(serving.stop().contains("Mail/new"), "the log names the unusable directory");
}

#[test]
fn a_busy_store_does_not_remove_mail() {
    // Uses SQLite. With PostgreSQL, a server must register in the database when it starts, and the writer would block
    // this.
    let server = Server::in_a_file().and_players();
    let new = server.data().join("Mail/new");
    fs::create_dir_all(&new).unwrap();
    fs::write(new.join("1"), "From: nobody@example.org\n\nhello\n").unwrap();
    let writer = Writer::at_work(&server);
    let serving = Serving::start(&server, "[receive]\nmaildir = \"Mail\"\n");
    serving.kill();
    drop(writer);
    assert_eq!((inbox(&server), names(new.clone()).len()), (0, 1));
    let serving = Serving::start(&server, "[receive]\nmaildir = \"Mail\"\n");
    wait_until("the message to be stored and moved", || {
        (inbox(&server) == 1 && names(new.clone()).is_empty()).then_some(())
    });
    serving.stop();
}
