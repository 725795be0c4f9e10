//! Moves a server from SQLite to PostgreSQL, and back.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::moving::{ALICE, BOB, Stopped, add_programs, mailed, stopped_on};
use crate::common::postgres::Database;
use crate::common::serving::{Serving, wait_until};
use crate::common::{Ran, Server, TURNPOST, done, to};

/// Returns a server's export without its first line, which contains the time of the export.
fn held(server: &Server) -> Vec<String> {
    done(server, "admin export --without-key").lines().skip(1).map(str::to_owned).collect()
}

/// Returns the command that moves a server to a database.
fn move_to(database: &Database) -> String {
    format!("admin move --to {}", database.url())
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_server_moves_to_postgresql_and_back_and_nothing_is_lost() {
    let Stopped { server: mut old, challenge, letter } = stopped_on(Server::in_a_file().and_players());
    add_programs(&old);
    let (before, database) = (held(&old), Database::empty());
    let told = done(&old, &move_to(&database));
    assert!(told.contains("2 boards") && told.contains("set `database` in turnpost.toml"), "{told}");
    let mail = old.compose(ALICE, "marque move 1 alice wonderland f5", "");
    let refused = old.raw_mail(mail.as_bytes());
    assert!(refused.status == 75 && refused.err.contains("has moved to postgresql://"), "{refused:?}");
    for ran in [old.shell("list"), old.shell("serve"), old.shell(&move_to(&database))] {
        assert!(ran.status == 78 && ran.err.contains("has moved to postgresql://"), "{ran:?}");
        assert!(ran.err.contains("set `database` in turnpost.toml to the address that you gave"), "{ran:?}");
    }

    let mut new = Server::on_postgres(database);
    assert_eq!(held(&new), before);
    done(&new, "tick");
    let letters = new.letters();
    assert!(
        letters.iter().any(|letter| letter.to() == BOB && letter.text().contains("alice played f4")),
        "{letters:?}"
    );
    assert!(letters.iter().any(|letter| letter.to() == ALICE && letter.text().contains("Unsent")), "{letters:?}");
    assert!(mailed(&mut new, &challenge).is_empty(), "a copy of the first challenge creates no board");
    let headers = json!({ "To": letter.reply_to() });
    let answer = old.compose_with("bob@elsewhere.example", &format!("Re: {}", letter.subject), "k1", &headers);
    assert!(to(&mailed(&mut new, &answer), ALICE).text().contains("bob played k1"));

    fs::copy(old.data().join("turnpost.db"), new.data().join("turnpost.db")).unwrap();
    let ran = new.shell("admin move --to file");
    assert!(ran.status == 1 && ran.err.contains("move it away first"), "{ran:?}");
    fs::remove_file(new.data().join("turnpost.db")).unwrap();
    let (before, hashes) = (held(&new), new.hashes(1));
    let words = ["--data", ".", "admin", "move", "--to", "file"];
    let ran: Ran = Command::new(TURNPOST).args(words).current_dir(new.data()).output().unwrap().into();
    assert!(ran.status == 0 && ran.out.contains("remove `database` from turnpost.toml"), "{ran:?}");
    let ran = new.shell("list");
    let there = format!("has moved to {}: this database is no longer used", new.data().join("turnpost.db").display());
    assert!(ran.status == 78 && ran.err.contains(&there) && ran.err.contains("remove `database`"), "{ran:?}");
    let ran = Server::in_a_file().and_players().shell(&move_to(new.database().unwrap()));
    assert!(ran.status == 1 && ran.err.contains("moved server: name an empty database, or empty this one"), "{ran:?}");
    fs::write(new.data().join("turnpost.toml"), "").unwrap();
    assert_eq!((held(&new), new.hashes(1)), (before, hashes));
    assert!(done(&new, "admin check").contains("no difference"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_move_prints_the_whole_new_address_without_the_password() {
    let (server, database) = (Server::in_a_file().and_players(), Database::empty());
    database.lines("CREATE SCHEMA ours");
    let url = format!("{}&sslmode=disable&options=-c%20search_path%3Dours", database.url());
    let told = done(&server, &format!("admin move --to {url}&password=s3cret"));
    assert!(told.contains("add the password, which is not shown here") && !told.contains("s3cret"), "{told}");
    let line = told.lines().find(|line| line.trim().starts_with("database = ")).expect("the new line is printed");
    let ran = server.shell("list");
    assert!(ran.status == 78 && ran.err.contains(&format!("has moved to {url}: ")), "{ran:?}");
    fs::write(server.data().join("turnpost.toml"), line).unwrap();
    assert!(done(&server, "list").contains("alice"));
    let ran = server.shell(&format!("admin move --to {url}"));
    assert!(ran.status == 1 && ran.err.contains("the server already uses"), "{ran:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_database_in_use_or_a_full_target_is_not_moved() {
    let (old, database) = (Server::in_a_file().and_players(), Database::set_up());
    let other = Server::on_postgres(database);
    let serving = Serving::start(&other, "");
    let moving = move_to(other.database().unwrap());
    let ran = old.shell(&moving);
    assert!(ran.status == 1 && ran.err.contains("is using the database; stop it first"), "{ran:?}");
    done(&other, "signup carol quartz8lamp carol@example.org");
    serving.stop();
    let ran = old.shell(&moving);
    assert!(ran.status == 1 && ran.err.contains("contains different data: nothing was moved"), "{ran:?}");

    let serving = Serving::start(&old, "");
    let ran = old.shell(&moving);
    assert!(ran.status == 75 && ran.err.contains("another turnpost serve is running"), "{ran:?}");
    serving.stop();
    for (to, words) in [("mysql://x/y", "postgresql://"), ("fiel", "`file`")] {
        let ran = old.shell(&format!("admin move --to {to}"));
        assert!(ran.status == 2 && ran.err.contains(words), "{ran:?}");
    }
    assert!(done(&old, "admin check").contains("no difference"), "the old server still works");
    assert!(done(&other, "list").contains("carol"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_killed_transfer_continues() {
    let Stopped { server: old, .. } = stopped_on(Server::in_a_file().and_players());
    let (before, database) = (held(&old), Database::empty());
    for tenths in 1..12 {
        let line = move_to(&database);
        let mut moving = old.program().args(line.split(' ')).stderr(Stdio::null()).spawn().unwrap();
        // The pauses vary, so that the transfer is killed at different steps.
        std::thread::sleep(Duration::from_millis(tenths * 40));
        let _ = moving.kill();
        moving.wait().unwrap();
    }
    let ran = old.shell(&move_to(&database));
    assert!(ran.status == 0 || ran.status == 78 && ran.err.contains("has moved to"), "{ran:?}");
    assert_eq!(held(&Server::on_postgres(database)), before);
    assert!(old.shell("list").err.contains("has moved to"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_transfer_killed_while_it_writes_continues() {
    const WAITING: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let Stopped { server: old, .. } = stopped_on(Server::in_a_file().and_players());
    let (before, database) = (held(&old), Database::set_up());
    let mut blocker = database.connected();
    blocker.batch_execute("BEGIN; LOCK TABLE outbox IN EXCLUSIVE MODE").unwrap();
    let line = move_to(&database);
    let mut moving = old.program().args(line.split(' ')).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the transfer to wait for the lock", || (database.lines(WAITING) != "0").then_some(()));
    moving.kill().unwrap();
    assert!(moving.wait().unwrap().signal().is_some(), "the transfer was running");
    blocker.batch_execute("ROLLBACK").unwrap();
    done(&old, &line);
    assert_eq!(held(&Server::on_postgres(database)), before);
}
