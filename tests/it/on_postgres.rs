//! A server with a PostgreSQL database as users see it: setup, use and errors.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::certificates::certificates;
use crate::common::postgres::{Database, Encrypted};
use crate::common::serving::Serving;
use crate::common::{Server, done, to};

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn the_first_signup_sets_up_an_empty_database_and_no_other_command() {
    let mut server = Server::on_postgres(Database::empty());
    for line in ["list", "admin check", "serve", "mail", "tick", "marque move 1 alice wonderland f3"] {
        let ran = server.shell(line);
        let status = if line == "mail" { 75 } else { 66 };
        assert!(ran.status == status && ran.err.contains("is empty: restore it"), "{line}: {ran:?}");
    }
    assert_eq!(server.shell("help").status, 0, "the help needs no database");
    assert_eq!(server.shell("check-config").status, 0, "the configuration check accepts an empty database");
    assert_eq!(server.shell("signup root password22 root@example.org").status, 1, "the userid is reserved");
    assert_eq!(server.database().unwrap().lines("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");

    done(&server, "signup alice wonderland alice@example.org");
    done(&server, "signup bob builder bob@example.org");
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    assert!(to(&letters, "bob@example.org").text().contains("alice"), "{letters:?}");
    let letters = server.mail("alice@example.org", "marque move 1 alice wonderland f3", "");
    assert!(to(&letters, "bob@example.org").subject.contains("Board 1"), "{letters:?}");
    assert_eq!(server.hashes(1).len(), 1);
    assert!(done(&server, "admin check").contains("no difference"));
    let view = "SELECT board, whose_turn, last_move FROM games";
    assert_eq!(server.database().unwrap().lines(view), "1|bob|f3");
    assert!(!server.data().join("turnpost.db").exists());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn the_queries_of_the_manual_are_answered() {
    let server = Server::on_postgres(Database::set_up());
    let _serving = Serving::start(&server, "");
    let manual = include_str!("../../docs/run/postgresql.md");
    let queries = manual.split("```sql").nth(1).unwrap().split("```").next().unwrap();
    let statements: Vec<&str> = queries.split_inclusive(';').map(str::trim).filter(|text| !text.is_empty()).collect();
    assert_eq!(statements.len(), 5, "{queries}");
    let database = server.database().unwrap();
    let answers: Vec<String> = statements.iter().map(|statement| database.lines(statement)).collect();
    assert!(answers[0].contains("turnpost") && answers[3].lines().count() == 10, "{answers:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_server_reports_possible_losses_and_creates_no_backup() {
    let server = Server::on_postgres(Database::set_up());
    let serving = Serving::start(&server, "");
    done(&server, "signup alice wonderland alice@example.org");
    let log = serving.stop();
    assert!(log.contains("may lose acknowledged mail") && log.contains("fsync = off"), "{log}");

    let ran = server.shell("admin backup here.tar.gz");
    assert!(ran.status == 1 && ran.err.contains("pg_dump"), "{ran:?}");
    server.configure("[backup]\ndirectory = \"backups\"\n");
    let ran = server.shell("check-config");
    assert!(ran.status == 78 && ran.out.contains("pg_dump"), "{ran:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_database_in_another_encoding_is_refused() {
    let server = Server::on_postgres(Database::in_latin1());
    for (line, status) in [("list", 78), ("signup alice wonderland alice@example.org", 78), ("mail", 75)] {
        let ran = server.shell(line);
        assert!(ran.status == status && ran.err.contains("is not encoded in UTF-8: create another"), "{line}: {ran:?}");
    }
}

#[test]
fn an_unreachable_server_is_reported_without_its_password() {
    let server = Server::without_database();
    for (address, words) in [
        ("postgresql://turnpost:s3cret@127.0.0.1:1/games", "cannot be reached"),
        ("postgresql://turnpost:s3cret@/games?host=/nowhere", "cannot be reached"),
        ("postgresql://turnpost@127.0.0.1:1/games?password=s3cret", "cannot be reached"),
        ("postgresql://turnpost@127.0.0.1:1/games?pasword=s3cret", "pasword"),
        ("postgresql://turnpost:s3cret@/games", "it has no host"),
        ("postgresql://turnpost:s3cret@127.0.0.1/games?sslmode=s3cret", "sslmode"),
        ("postgresql://turnpost:s3cret@127.0.0.1:s3cret/games", "port"),
        ("postgresql:///games?host=/run&password=p@s3cret", "\"%40\""),
        ("mysql://turnpost:s3cret@127.0.0.1/games", "postgresql://"),
    ] {
        fs::write(server.data().join("turnpost.toml"), format!("database = \"{address}\"\n")).unwrap();
        // The status 75 means that another attempt may succeed: the database server may become available. An invalid
        // address remains invalid.
        let status = if words == "cannot be reached" { 75 } else { 78 };
        let signup = "signup alice wonderland alice@example.org";
        for (line, status) in [("check-config", 78), ("list", status), (signup, status), ("mail", 75)] {
            let ran = server.shell(line);
            let told = format!("{}{}", ran.out, ran.err);
            assert!(
                ran.status == status && told.contains(words) && !told.contains("s3cret"),
                "{address} {line}: {ran:?}"
            );
        }
    }
    assert!(!server.data().join("turnpost.db").exists(), "no SQLite file is created");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_connection_is_encrypted_and_its_certificate_names_the_server() {
    let [ours, others] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for dir in [&ours, &others] {
        certificates(dir.path());
        // PostgreSQL runs as another user, who must be able to read these files.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(dir.path().join("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let postgres = Encrypted::start(ours.path());
    let server = Server::without_database();
    let at = |host: &str, mode: &str| {
        let address = format!("postgresql://turnpost:s3cret@{host}:{}/postgres?sslmode={mode}", postgres.port);
        let config = format!("database = \"{address}\"\n[policy]\nshortest_password = 4\n");
        fs::write(server.data().join("turnpost.toml"), config).unwrap();
    };
    let trusting = |dir: &tempfile::TempDir| format!("verify-full&sslrootcert={}/ca.pem", dir.path().display());

    at("localhost", &trusting(&ours));
    done(&server, "signup alice wonderland alice@example.org");
    done(&server, "signup bob builder bob@example.org");
    done(&server, "marque challenge alice bob");
    at("127.0.0.1", "require");
    done(&server, "marque move 1 alice wonderland f3");
    at("localhost", "prefer");
    assert!(done(&server, "marque history 1").contains("f3"));

    // PostgreSQL requires TLS. turnpost verifies the authority and the host name of the certificate.
    for (host, mode, status, words) in [
        ("localhost", "disable".to_owned(), 77, "the database cannot be used: postgresql://"),
        ("localhost", trusting(&others), 75, "cannot be reached"),
        ("127.0.0.1", trusting(&ours), 75, "cannot be reached"),
    ] {
        at(host, &mode);
        let ran = server.shell("list");
        assert!(ran.status == status && ran.err.contains(words), "{host} {mode}: {ran:?}");
        assert!(!ran.err.contains("s3cret"), "{ran:?}");
    }
}
