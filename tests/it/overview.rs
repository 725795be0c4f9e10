//! `turnpost admin` alone: the state of the server on one screen.

use serde_json::json;

use crate::common::serving::sql;
use crate::common::{Server, done};

#[test]
fn a_new_server_has_nothing_to_tell() {
    let server = Server::new();
    let shown = server.json("admin");
    assert_eq!((&shown["boards"], &shown["players"]), (&json!({}), &json!(0)));
    assert_eq!(shown["last_proved_backup"], json!({ "at": null, "file": null }));
    let screen = done(&server, "admin");
    assert!(screen.contains("last proved backup       none  → turnpost admin backup FILE\n"), "{screen}");
    assert_eq!(screen.matches('→').count(), 1, "{screen}");
}

#[test]
fn the_screen_counts_what_is_there_and_says_where_to_look() {
    let server = Server::with_players();
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
    for queue in ["mails_waiting", "letters_due", "letters_retried"] {
        assert_eq!(quiet[queue], json!({ "count": 0, "oldest": null }), "{queue}");
    }
    assert_eq!(quiet["turns"]["count"], 2);
    assert_eq!(quiet["last_proved_backup"]["file"], json!(file));
    assert!(quiet["database_bytes"].as_u64().unwrap() > 100_000);
    assert_eq!(quiet["version"], env!("CARGO_PKG_VERSION"));

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
    for (queue, oldest) in [("mails_waiting", "2026-01-01T00:00:00Z"), ("letters_due", "2026-01-02T00:00:00Z")] {
        assert_eq!(loud[queue], json!({ "count": 1, "oldest": oldest }), "{queue}");
    }
    assert_eq!((&loud["letters_retried"]["count"], &loud["letters_given_up"]), (&json!(1), &json!(1)));
    assert_eq!((&loud["turns"]["oldest"], &loud["addresses_paused"]), (&json!("2026-01-03T00:00:00Z"), &json!(1)));
    let screen = done(&server, "admin");
    for words in [
        "boards in progress       2 (brique 1, marque 1)\n",
        "mails waiting            1 (the oldest for ",
        "letters given up         1  → turnpost admin outbox --undelivered\n",
        "addresses paused         1  → turnpost admin players --paused\n",
        " ago)\n",
    ] {
        assert!(screen.contains(words), "{words:?} in {screen}");
    }
    assert!(screen.lines().count() <= 24 && screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
}
