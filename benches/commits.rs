//! Measures the gain from committing several messages together: `cargo bench --bench commits`.
//!
//! Stores one message per transaction, and then many per transaction, over LMTP and directly in the store. Prints only
//! ratios, each the median of seven, because other programs use the machine, too.

use std::time::{Duration, Instant};

use turnpost::config::LmtpAddress;
use turnpost::mail::inbound::lmtp::{self, Settings};
use turnpost::mail::inbound::{RawMail, receive_all};
use turnpost::store::{self, MailSource};
use turnpost::world::World;

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::Server;
use common::database::inbox;
use common::serving::Peer;

/// Returns the messages stored per second, with this many simultaneous clients. Each client waits for the reply `250`.
fn mails_a_second(clients: usize) -> f64 {
    const MAILS: usize = 960;
    let server = Server::new();
    let store = store::open(server.data().join("turnpost.db"), World::REAL).unwrap();
    let settings = Settings {
        address: "turnpost@games.example".to_owned(),
        sessions: clients,
        idle: Duration::from_secs(60),
        world: World::REAL,
        wake: Box::new(|| ()),
    };
    let socket = server.data().join("lmtp.sock");
    let lmtp = lmtp::Server::start(&LmtpAddress::Unix(socket.clone()), settings, store).unwrap();
    let text = format!("Subject: Re: Marque Board 1 alice ** f3\r\n\r\n{}.\r\n", "> a board\r\n".repeat(300));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                let mut peer = Peer::greeted(&socket);
                for _ in 0..MAILS / clients {
                    peer.begin("turnpost@games.example");
                    peer.send(text.as_bytes());
                    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    lmtp.stop();
    assert_eq!(inbox(&server), MAILS as u64);
    MAILS as f64 / seconds
}

/// Returns the messages stored per second in transactions of this size, without LMTP.
fn kept_a_second(together: usize) -> f64 {
    const MAILS: usize = 512;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("turnpost.db");
    store::create(&path, World::REAL).unwrap();
    let mut store = store::open(&path, World::REAL).unwrap();
    let mails = vec![RawMail::whole(b"> a board\r\n".repeat(300)); together];
    let start = Instant::now();
    for _ in 0..MAILS / together {
        receive_all(&mut *store, &mails, MailSource::Lmtp, (World::REAL.now)()).unwrap();
    }
    MAILS as f64 / start.elapsed().as_secs_f64()
}

/// Returns the median of seven ratios of consecutive measurements, because other programs use the machine too.
fn ratio(together: impl Fn() -> f64, alone: impl Fn() -> f64) -> f64 {
    let mut ratios: Vec<f64> = (0..7).map(|_| together() / alone()).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[3]
}

fn main() {
    for clients in [4, 16, 32] {
        let saved = ratio(|| mails_a_second(clients), || mails_a_second(1));
        println!("{clients} clients at once: {saved:.1} times the mails of one");
    }
    for together in [4, 32, 256] {
        let saved = ratio(|| kept_a_second(together), || kept_a_second(1));
        println!("{together} mails a commit: {saved:.1} times the mails of one a commit");
    }
}
