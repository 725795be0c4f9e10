//! Many concurrent programs in one data directory: each succeeds, and each request is carried out once.

use std::thread;

use crate::common::Server;

#[test]
fn simultaneous_commands_and_messages_take_effect_once() {
    let mut server = Server::with_players();
    assert_eq!(server.shell("set bob builder strangers=20").status, 0);
    assert_eq!(server.shell("set alice wonderland strangers=20").status, 0);
    let mails: Vec<String> =
        (0..6).map(|i| server.compose("alice@example.org", "marque challenge alice bob", &format!("{i}"))).collect();
    thread::scope(|scope| {
        for mail in &mails {
            let server = &server;
            scope.spawn(move || assert_eq!(server.raw_mail(mail.as_bytes()).status, 0));
        }
        for _ in 0..6 {
            let server = &server;
            scope.spawn(move || assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0));
        }
    });
    let games = server.json("marque games");
    assert_eq!(games["boards"].as_array().unwrap().len(), 12);
    // Twelve programs play the same move: one succeeds, and eleven are refused.
    let statuses: Vec<i32> = thread::scope(|scope| {
        let server = &server;
        let moves: Vec<_> = (0..12)
            .map(|_| {
                scope.spawn(move || {
                    let board = server.json("marque show 1");
                    let first = board["boards"][0]["seats"][0]["userid"].as_str().unwrap().to_owned();
                    let password = if first == "alice" { "wonderland" } else { "builder" };
                    server.shell(&format!("marque move 1 {first} {password} f3#1")).status
                })
            })
            .collect();
        moves.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [0, 1].contains(status)), "{statuses:?}");
    // After the last program ends, no work is waiting, and each player has been notified of each board.
    assert_eq!(server.shell("tick").status, 0);
    let told: usize =
        server.letters().iter().map(|letter| letter.text().replace('\n', " ").matches("You play ").count()).sum();
    assert_eq!(told, 24);
    assert_eq!(server.shell("admin check").status, 0);
    assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
}
