//! The players alice and bob. They are signed up once in each run of the tests, and each server gets a copy of the
//! resulting data, because signing up takes longer than the rest of most tests.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use rusqlite::Connection;
use turnpost::world::World;

use super::Server;
use super::postgres::Database;

/// The players' passwords and their hashes. The hashes have the cheapest possible parameters, because most tests check
/// passwords.
const PASSWORDS: [(&str, &str, &str); 2] = [
    (
        "alice",
        "wonderland",
        "$argon2id$v=19$m=8,t=1,p=1$dHVybnBvc3QtdGVzdHM$xjae/A7IjKW17dzFzUhNfhAJgzGvzu1rG6gL2+O3MfI",
    ),
    ("bob", "builder", "$argon2id$v=19$m=8,t=1,p=1$dHVybnBvc3QtdGVzdHM$O2sAyLby3YenYQbajxoWZzmA3aJW8QmVrX6h0pukf5o"),
];

/// A copy of a file from a data directory.
struct Copied {
    name: OsString,
    permissions: Permissions,
    octets: Vec<u8>,
}

/// The data directory of a server with the players, without the configuration file.
static FILES: LazyLock<Vec<Copied>> = LazyLock::new(|| {
    let server = Server::in_a_file();
    sign_up(&server);
    let entries = fs::read_dir(server.data()).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_name() != "turnpost.toml").map(|entry| Copied {
        name: entry.file_name(),
        permissions: entry.metadata().unwrap().permissions(),
        octets: fs::read(entry.path()).unwrap(),
    });
    files.collect()
});

/// A PostgreSQL database with the players.
static TEMPLATE: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let server = Server::on_postgres(Database::set_up());
    sign_up(&server);
    server.database.expect("the server uses PostgreSQL")
});

/// Signs up the players, and disables the HTML part of their letters.
fn sign_up(server: &Server) {
    for (userid, password, _) in PASSWORDS {
        for line in
            [format!("signup {userid} {password} {userid}@example.org"), format!("set {userid} {password} mail=text")]
        {
            super::done(server, &line);
        }
    }
    let mut store = server.store(World::REAL);
    let mut tx = store.write().unwrap();
    for (userid, _, hash) in PASSWORDS {
        let player = tx.player(userid).unwrap().unwrap();
        tx.set_password(player.id, hash).unwrap();
    }
    tx.commit().unwrap();
}

/// Writes the data directory of a server with the players to this path.
pub fn copy_to(data: &Path) {
    for Copied { name, permissions, octets } in FILES.iter() {
        let file = data.join(name);
        fs::write(&file, octets).unwrap();
        fs::set_permissions(file, permissions.clone()).unwrap();
    }
    // Each server needs its own keys.
    let connection = Connection::open(data.join("turnpost.db")).unwrap();
    let keys = "UPDATE server SET server_id = lower(hex(randomblob(5))), reply_key = randomblob(32)";
    connection.execute_batch(&format!("PRAGMA synchronous = OFF; {keys}")).unwrap();
}

/// Creates a PostgreSQL database with the players.
pub fn database() -> Database {
    TEMPLATE.copy()
}
