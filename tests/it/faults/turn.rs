//! A server on which it is alice's turn, and the message with alice's move.

use std::path::Path;

use super::outcome::run;
use crate::common::Server;

/// The message with alice's move.
pub const MAIL: &str =
    "From: alice@example.org\nMessage-ID: <1@alice>\nSubject: marque move 1 alice wonderland f3\n\nGood luck!\n";

/// Creates a server with its database in a file. It is alice's turn, and no letter is waiting.
pub fn before_a_turn() -> Server {
    let server = Server::in_a_file().and_players();
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    std::fs::remove_dir_all(server.data().join("outgoing")).unwrap();
    // Deletes the letters about the challenge, because the tests do not copy the Maildir to which they were delivered.
    let db = rusqlite::Connection::open(server.data().join("turnpost.db")).unwrap();
    db.execute_batch("DELETE FROM deliveries; DELETE FROM outbox").unwrap();
    drop(db);
    run(server.data(), &["tick"]);
    server
}

/// Copies the files of a directory.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
}
