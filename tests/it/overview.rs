//! `turnpost admin` without a subcommand: the state of the server on one screen.

use serde_json::json;

use crate::common::database::sql;
use crate::common::{Server, done};

#[test]
fn a_new_server_has_an_empty_report() {
    let server = Server::new();
    let shown = server.json("admin");
    assert_eq!((&shown["boards"], &shown["players"]), (&json!({}), &json!(0)));
    assert_eq!(shown["last_verified_backup"], json!({ "at": null, "file": null }));
    let screen = done(&server, "admin");
    assert!(screen.contains("last verified backup     none  → turnpost admin backup FILE\n"), "{screen}");
    assert_eq!(screen.matches('→').count(), 1, "{screen}");
}

#[test]
fn the_overview_shows_counts_and_the_next_commands() {
    // A server with PostgreSQL makes no backups.
    let server = Server::in_a_file().and_players();
    for line in [
        "marque challenge alice bob",
        "marque challenge alice bob",
        "brique challenge bob alice",
        "marque challenge alice anyone",
        "marque move 1 alice wonderland f3",
        "marque resign 1 bob builder",
    ] {
        done(&server, line);
    }
    let file = server.data().join("b.tar.gz");
    done(&server, &format!("admin backup {}", file.display()));
    let quiet = server.json("admin overview");
    assert_eq!(quiet["boards"], json!({ "brique": 1, "marque": 1 }));
    assert_eq!((&quiet["players"], &quiet["open_challenges"]), (&json!(2), &json!(1)));
    for queue in ["messages_waiting", "letters_due", "letters_retried"] {
        assert_eq!(quiet[queue], json!({ "count": 0, "oldest": null }), "{queue}");
    }
    assert_eq!(quiet["turns"]["count"], 2);
    assert_eq!(quiet["last_verified_backup"]["file"], json!(file));
    assert!(quiet["database_bytes"].as_u64().unwrap() > 100_000);
    assert_eq!(quiet["version"], env!("CARGO_PKG_VERSION"));
    let backup = std::fs::metadata(&file).unwrap().len();
    assert!(quiet["data_bytes"].as_u64().unwrap() >= quiet["database_bytes"].as_u64().unwrap() + backup, "{quiet}");
    std::fs::write(server.data().join("outgoing/new/long"), vec![b'x'; 5_000_000]).unwrap();
    let more = server.json("admin")["data_bytes"].as_u64().unwrap() - quiet["data_bytes"].as_u64().unwrap();
    assert!((5_000_000..6_000_000).contains(&more), "{more}");

    sql(
        &server,
        "INSERT INTO inbox (received_at, via, truncated, raw) VALUES ('2026-01-01T00:00:00Z', 'pipe', 0, x'00');
         UPDATE outbox SET sent_at = NULL, due_at = '2026-01-02T00:00:00Z' WHERE letter = 1;
         UPDATE outbox SET sent_at = NULL, due_at = '2999-01-02T00:00:00Z', error = 'busy' WHERE letter = 2;
         UPDATE outbox SET sent_at = NULL, due_at = NULL, error = 'never' WHERE letter = 3;
         UPDATE addresses SET paused_at = '2026-01-01T00:00:00Z', paused_why = 'gone' WHERE address = 'bob@example.org';
         UPDATE boards SET moved_at = '2026-01-03T00:00:00Z' WHERE number = 2",
    );
    let loud = server.json("admin");
    for (queue, oldest) in [("messages_waiting", "2026-01-01T00:00:00Z"), ("letters_due", "2026-01-02T00:00:00Z")] {
        assert_eq!(loud[queue], json!({ "count": 1, "oldest": oldest }), "{queue}");
    }
    assert_eq!((&loud["letters_retried"]["count"], &loud["letters_given_up"]), (&json!(1), &json!(1)));
    assert_eq!((&loud["turns"]["oldest"], &loud["addresses_paused"]), (&json!("2026-01-03T00:00:00Z"), &json!(1)));
    let screen = done(&server, "admin");
    for words in [
        "boards in progress       2 (brique 1, marque 1)\n",
        "messages waiting         1 (the oldest for ",
        "letters given up         1  → turnpost admin outbox --undelivered\n",
        "addresses paused         1  → turnpost admin players --paused\n",
        " ago)\n",
        "\ndata directory           ",
        "\ndatabase                 ",
    ] {
        assert!(screen.contains(words), "no {words:?} in {screen}");
    }
    assert!(screen.lines().count() <= 24 && screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
}

#[test]
fn the_administrator_holds_letters_and_drops_unwanted_ones() {
    let mut server = Server::with_players();
    server.letters();
    let said = done(&server, "admin hold");
    assert!(said.contains("If you release the letters within a day, the clocks count the time of the hold."), "{said}");
    done(&server, "marque challenge alice bob");
    done(&server, "brique challenge alice bob");
    done(&server, "tick");
    assert!(server.letters().is_empty(), "held letters are not sent");
    let held = server.json("admin");
    assert!(held["letters_held_at"].is_string(), "{held}");
    assert!(done(&server, "admin").contains("letters held             all, for "), "{}", done(&server, "admin"));
    let again = server.json("admin hold --json");
    assert_eq!(
        again["letters_held_at"], held["letters_held_at"],
        "a second hold does not change the time of the first"
    );

    let waiting = server.json("admin outbox --undelivered --json");
    let numbers: Vec<i64> = waiting.as_array().unwrap().iter().map(|row| row["letter"].as_i64().unwrap()).collect();
    assert_eq!(numbers.len(), 4, "{waiting}");
    let first = numbers.iter().min().unwrap();
    assert!(done(&server, &format!("admin drop {first}")).contains("dropped by the administrator"));
    let ran = server.shell(&format!("admin drop {first}"));
    let state = "its state is \"given up: dropped by the administrator\"";
    let why = format!("letter {first} is not waiting to be sent; {state}\n");
    assert!(ran.status == 1 && ran.err.ends_with(&why), "{ran:?}");

    assert_eq!(done(&server, "admin release"), "Letters are sent again.\n");
    let left = server.letters();
    assert_eq!(left.len(), 2, "alice receives a letter about one board, and bob one about both: {left:?}");
    assert_eq!(done(&server, "admin release"), "Letters were not held.\n");
    done(&server, &format!("admin resend {first}"));
    assert_eq!(server.letters().len(), 1);
    let nothing = done(&server, "admin resend --undelivered");
    assert!(nothing.starts_with("The server has not given up any letter."), "{nothing}");
}
