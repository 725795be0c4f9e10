//! What PostgreSQL costs, and what several nodes on it bring: `cargo bench --features test-tools --bench nodes`.
//!
//! The real program serves, on a file of SQLite and on PostgreSQL by a local socket, with one, two and four nodes. Moves
//! reach the nodes in turn by LMTP as answers to letters, and letters with pictures leave by SMTP to a sink. The servers
//! take turns in each round; figures are medians of the rounds, and ratios are of figures of one round.

use std::time::{Duration, Instant};

use turnpost::command::MailForm;

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;

use by_mail::{Mail, Sink, answer, config, deliver, fill, wait};
use common::postgres::Database;
use common::serving::{Peer, Serving};
use common::{Letter, Server, done, mail};

/// How often each measurement is made; each round is the next ply of every board.
const ROUNDS: u32 = 5;
/// Moves that are mailed one after the other in a round.
const ALONE: usize = 40;
/// Moves that are mailed at once in a round.
const TOGETHER: usize = 160;
/// Those who mail them.
const SENDERS: usize = 16;

/// A database with the nodes at work on it.
struct AtWork {
    name: String,
    nodes: Vec<Server>,
    sink: Sink,
    mails: usize,
    rounds: Vec<Round>,
    _serving: Vec<Serving>,
}

/// What one round measured.
struct Round {
    /// From a mail to both letters of its turn, one mail at a time.
    turn: Duration,
    /// Letters handed over a second, many mails at once.
    letters: f64,
}

impl AtWork {
    fn start(name: &str, first: Server, nodes: usize) -> AtWork {
        let sink = Sink::start();
        fill(&first, ALONE + TOGETHER, "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA", MailForm::Html);
        let mut nodes: Vec<Server> = (1..nodes).map(|_| first.another_node()).collect();
        nodes.insert(0, first);
        let serving =
            nodes.iter().map(|node| Serving::logging(node, &config(node, &sink), "warn,turnpost::serve::server=info"));
        let serving = serving.collect();
        AtWork { name: name.to_owned(), nodes, sink, mails: 0, rounds: Vec::new(), _serving: serving }
    }

    /// The letters of the last ply to the players whose turn it is.
    fn letters(&self) -> Vec<Letter> {
        wait(|| self.sink.count() == 2 * (ALONE + TOGETHER));
        let letters: Vec<Letter> = self.sink.take().iter().map(|letter| mail::read(letter)).collect();
        let asks = |letter: &Letter| {
            letter.text().split_whitespace().collect::<Vec<_>>().join(" ").contains("It is your turn")
        };
        letters.into_iter().filter(asks).collect()
    }

    fn round(&mut self, ply: u32) {
        let text = format!("{}2", ["b", "d", "f", "h", "j"][ply as usize]);
        let letters = self.letters();
        let mails: Vec<Mail> =
            letters.iter().enumerate().map(|(n, letter)| answer(letter, &text, self.mails + n)).collect();
        self.mails += mails.len();
        assert_eq!(mails.len(), ALONE + TOGETHER);
        let mut peers = self.nodes.iter().map(|node| Peer::greeted(&node.data().join("lmtp.sock"))).collect::<Vec<_>>();
        let count = peers.len();
        let (alone, together) = mails.split_at(ALONE);
        let began = Instant::now();
        for (n, mail) in alone.iter().enumerate() {
            deliver(&mut peers[n % count], mail);
            wait(|| self.sink.count() == 2 * (n + 1));
        }
        let turn = began.elapsed() / ALONE as u32;
        let began = Instant::now();
        std::thread::scope(|scope| {
            for (n, share) in together.chunks(TOGETHER / SENDERS).enumerate() {
                let mut peer = Peer::greeted(&self.nodes[n % count].data().join("lmtp.sock"));
                scope.spawn(move || share.iter().for_each(|mail| deliver(&mut peer, mail)));
            }
        });
        wait(|| self.sink.count() == 2 * (ALONE + TOGETHER));
        self.rounds.push(Round { turn, letters: 2.0 * TOGETHER as f64 / began.elapsed().as_secs_f64() });
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() {
    let on_postgres = |nodes: usize| {
        let database = Database::set_up();
        database.make_durable();
        AtWork::start(&format!("PostgreSQL, nodes: {nodes}"), Server::on_postgres(database), nodes)
    };
    let mut all = vec![AtWork::start("SQLite", Server::new(), 1), on_postgres(1), on_postgres(2), on_postgres(4)];
    for ply in 0..ROUNDS {
        all.iter_mut().for_each(|at_work| at_work.round(ply));
    }
    let (sqlite, one) = (&all[0].rounds, &all[1].rounds);
    for AtWork { name, rounds, nodes, .. } in &all {
        let ratio = |of: &[Round], figure: fn(&Round) -> f64| {
            median(rounds.iter().zip(of).map(|(round, of)| figure(round) / figure(of)).collect())
        };
        println!(
            "{name:<22} a turn to its letters {:>6.1} ms, {:.2} x SQLite's; letters {:>5.0} a second, {:.2} x one node's",
            median(rounds.iter().map(|round| round.turn.as_secs_f64() * 1e3).collect()),
            ratio(sqlite, |round| round.turn.as_secs_f64()),
            median(rounds.iter().map(|round| round.letters).collect()),
            ratio(one, |round| round.letters),
        );
        assert!(done(&nodes[0], "admin check").contains("no difference"), "{name}");
    }
}
