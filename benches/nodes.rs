//! Measures the cost of PostgreSQL, and the gain from several nodes: `cargo bench --features test-tools --bench
//! nodes`.
//!
//! The bench runs the real program with an SQLite file and with PostgreSQL over a local socket, with one,
//! two and four nodes. Moves reach the nodes in turn by LMTP as replies to letters, and letters with
//! pictures are sent by SMTP to a sink. Event streams of the last node report the moves that all nodes have
//! received. The servers take turns in each round. Figures are medians of the rounds, except the maximum
//! delay of a stream. Ratios compare figures of the same round.
//!
//! One node can saturate a small machine. So the bench, if run as root, also compares nodes that are limited to a tenth
//! of a processor each, as on separate machines.

use std::io::BufReader;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use turnpost::command::MailForm;

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;
mod event_streams;
mod share;

use by_mail::{Mail, Sink, answer, config, deliver, fill, wait};
use common::postgres::Database;
use common::serving::{Peer, Serving};
use common::{Letter, Server, done, mail};
use event_streams::{hear, wait_at_board};
use share::Share;

/// The number of rounds. Each round plays the next ply of every board.
const ROUNDS: u32 = 5;
/// The number of moves mailed one after the other in a round.
const ALONE: usize = 40;
/// The number of moves mailed simultaneously in a round.
const TOGETHER: usize = 160;
/// The number of senders of these moves.
const SENDERS: usize = 16;

/// In each round, the bench listens to the event streams of this many boards.
const HEARD: usize = 10;
/// The percentage of a processor for a node on a slow machine.
const SLOW: u32 = 10;

/// A database with its running nodes.
struct AtWork {
    name: String,
    nodes: Vec<Server>,
    sink: Sink,
    mails: usize,
    rounds: Vec<Round>,
    serving: Vec<Serving>,
    _shares: Vec<Share>,
}

/// The measurements of one round.
struct Round {
    /// The time from a message to both letters of its turn, one message at a time.
    turn: Duration,
    /// The letters sent per second, with many simultaneous messages.
    letters: f64,
    /// The maximum time from a node's acknowledgement of a move until the last node reports the move in an
    /// event stream.
    heard: Duration,
}

impl AtWork {
    /// Starts nodes, each limited to its share of a processor. Without shares, the nodes are not limited.
    fn start(name: &str, first: Server, nodes: usize, shares: Vec<Share>) -> AtWork {
        let sink = Sink::start();
        fill(&first, ALONE + TOGETHER, "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA", MailForm::Html);
        let mut nodes: Vec<Server> = (1..nodes).map(|_| first.another_node()).collect();
        nodes.insert(0, first);
        let serve = |node| {
            let config = config(node, &sink) + "[web]\nlisten = \"127.0.0.1:0\"\n";
            Serving::logging(node, &config, "warn,turnpost::serve::server=info,turnpost::web=info")
        };
        let serving: Vec<Serving> = nodes.iter().map(serve).collect();
        shares.iter().zip(&serving).for_each(|(share, serving)| share.give_to(&serving.child));
        AtWork { name: name.to_owned(), nodes, sink, mails: 0, rounds: Vec::new(), serving, _shares: shares }
    }

    /// Returns the letters about the last ply to the players whose turn it is.
    fn letters(&self) -> Vec<Letter> {
        wait(|| self.sink.count() == 2 * (ALONE + TOGETHER));
        let letters: Vec<Letter> = self.sink.take().iter().map(|letter| mail::read(letter)).collect();
        let asks = |letter: &Letter| {
            letter.text().split_whitespace().collect::<Vec<_>>().join(" ").contains("It is your turn")
        };
        letters.into_iter().filter(asks).collect()
    }

    /// Opens an event stream at the last node, for the board that a letter is about.
    fn stream(&self, letter: &Letter) -> BufReader<TcpStream> {
        let mut words = letter.subject.split(' ').skip_while(|word| *word != "Board");
        let board = words.nth(1).and_then(|number| number.parse().ok()).expect("the subject names the board");
        wait_at_board(TcpStream::connect(self.serving[self.serving.len() - 1].web()).unwrap(), board)
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
        let mut streams: Vec<_> = letters[..HEARD].iter().map(|letter| self.stream(letter)).collect();
        let mut heard = Duration::ZERO;
        let began = Instant::now();
        for (n, mail) in alone.iter().enumerate() {
            deliver(&mut peers[n % count], mail);
            if let Some(stream) = streams.get_mut(n) {
                let acknowledged = Instant::now();
                hear(stream, "event: change");
                heard = heard.max(acknowledged.elapsed());
            }
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
        let letters = 2.0 * TOGETHER as f64 / began.elapsed().as_secs_f64();
        self.rounds.push(Round { turn, letters, heard });
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Measures the servers in turn, and prints the figures. Each ratio compares a server with a baseline server. `turns`
/// is the index of the baseline for turns, and `letters` that of the baseline for letters.
fn measure(mut all: Vec<AtWork>, turns: usize, letters: usize) {
    for ply in 0..ROUNDS {
        all.iter_mut().for_each(|at_work| at_work.round(ply));
    }
    for AtWork { name, rounds, nodes, .. } in &all {
        let ratio = |of: usize, figure: fn(&Round) -> f64| {
            median(rounds.iter().zip(&all[of].rounds).map(|(round, of)| figure(round) / figure(of)).collect())
        };
        let heard = rounds.iter().map(|round| round.heard).max().unwrap_or_default();
        println!(
            "{name:<22} a turn to its letters {:>6.1} ms, {:.2} x {}'s; letters {:>5.0} a second, {:.2} x {}'s; \
             an event stream after {:.0} ms at most",
            median(rounds.iter().map(|round| round.turn.as_secs_f64() * 1e3).collect()),
            ratio(turns, |round| round.turn.as_secs_f64()),
            all[turns].name,
            median(rounds.iter().map(|round| round.letters).collect()),
            ratio(letters, |round| round.letters),
            all[letters].name,
            heard.as_secs_f64() * 1e3,
        );
        assert!(done(&nodes[0], "admin check").contains("no difference"), "{name}");
    }
}

fn main() {
    let on_postgres = |nodes: usize, shares: Vec<Share>| {
        let database = Database::set_up();
        database.make_durable();
        let how = if shares.is_empty() { "" } else { "slow " };
        AtWork::start(&format!("PostgreSQL, {nodes} {how}nodes"), Server::on_postgres(database), nodes, shares)
    };
    let sqlite = AtWork::start("SQLite", Server::new(), 1, Vec::new());
    let nodes = [1, 2, 4];
    measure([sqlite].into_iter().chain(nodes.map(|nodes| on_postgres(nodes, Vec::new()))).collect(), 0, 1);
    let share = |node: usize| Share::of(&node.to_string(), SLOW);
    let shares: Option<Vec<Share>> = (0..nodes.iter().sum()).map(share).collect();
    match shares {
        Some(mut shares) => {
            let slow = nodes.map(|nodes| on_postgres(nodes, shares.split_off(shares.len() - nodes)));
            measure(slow.into(), 0, 0);
        }
        None => println!("nodes with a part of a processor: not measured, control groups cannot be made"),
    }
}
