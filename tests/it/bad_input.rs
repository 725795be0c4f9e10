//! Bad input gets a clear answer and changes nothing. Nonsense from strangers is not answered.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::common::database::sql;
use crate::common::serving::Serving;
use crate::common::{Ran, Server, TURNPOST, joined};

fn started() -> Server {
    let mut server = Server::with_players();
    assert_eq!(server.mail("alice@example.org", "marque challenge alice bob", "").len(), 2);
    server
}

/// Sends a command line by mail, and runs it in a shell. Checks that every answer contains all of these words, and that
/// the board does not change.
fn refused(server: &mut Server, line: &str, says: &[&str]) {
    let before = server.json("marque show 1");
    for (how, subject, text) in [("subject", line, ""), ("body", "hello", line)] {
        // After three refused messages in a row, the server answers only one refused message a day.
        sql(server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let letters = server.mail("alice@example.org", subject, &format!("{text}\n"));
        assert_eq!(letters.len(), 1, "{line} in the {how}: {letters:#?}");
        for word in says {
            assert!(letters[0].text().contains(word), "{line}: no {word:?} in\n{}", letters[0].text());
        }
        assert!(!letters[0].text().contains("wonderland"), "{}", letters[0].text());
    }
    let ran = server.shell(line);
    assert!(matches!(ran.status, 1 | 2), "{ran:?}");
    for word in says {
        assert!(ran.err.contains(word), "{line}: no {word:?} in\n{}", ran.err);
    }
    assert_eq!(server.json("marque show 1"), before);
}

#[test]
fn a_wrong_word_is_named_and_the_nearest_right_one_proposed() {
    let mut server = started();
    let table: &[(&str, &[&str])] = &[
        ("marqe challenge alice bob", &["marqe", "\"marque\""]),
        ("marque chalenge alice bob", &["chalenge", "challenge"]),
        ("marque challenge -oposite alice bob", &["oposite", "-opposite"]),
        ("marque challenge -any_2 -any_3 alice bob", &["any_3"]),
        ("marque challenge alice bobb", &["no player with this name", "alice ***", "\"bob\""]),
        ("marque move 99 alice wonderland f3", &["There is no board 99."]),
        ("marque move 1 alice wonderland z9", &["z9"]),
        ("marque move 1 alice wonderland f3#7", &["move 7", "move 1"]),
        ("marque move 1 bob builder f3", &["It is alice's turn."]),
    ];
    for (line, says) in table {
        refused(&mut server, line, says);
    }
}

#[test]
fn a_wrong_password_and_an_unknown_userid_get_the_same_answer() {
    let mut server = started();
    let answer = |server: &mut Server, userid: &str| {
        let line = format!("marque move 1 {userid} wrong-one f3");
        let from = format!("stranger-to-{userid}@example.net");
        let letters = server.mail(&from, &line, "");
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].to(), from);
        letters[0].text().replace(userid, "USERID").replace(&"^".repeat(userid.len()), "^")
    };
    let known = answer(&mut server, "alice");
    assert!(known.contains("No player has this userid and this password."), "{known}");
    assert_eq!(known, answer(&mut server, "nobody"));
}

#[test]
fn nonsense_from_strangers_is_not_answered() {
    let mut server = started();
    for (subject, text) in [("", ""), ("Buy now", "Cheap things.\n"), ("marqe chalenge x y", "")] {
        assert!(server.mail("stranger@example.net", subject, text).is_empty(), "{subject:?}");
    }
    let rubbish: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(server.raw_mail(&rubbish).status, 0);
    assert!(server.letters().is_empty());
}

#[test]
fn unreadable_messages_of_players_are_answered() {
    let mut server = started();
    let before = server.json("marque show 1");
    let head = "From: alice@example.org\r\nMessage-ID: <x1@example.org>\r\n";
    let two = format!(
        "{head}Subject: marque move 1 alice wonderland f3\r\nSubject: marque move 1 alice wonderland f4\r\n\r\n"
    );
    assert_eq!(server.raw_mail(two.as_bytes()).status, 0);
    let letters = server.letters();
    assert_eq!(letters.len(), 1, "{letters:#?}");
    assert!(letters[0].text().contains("more than one subject"), "{}", letters[0].text());

    let head = head.replace("x1", "x2");
    let big =
        format!("{head}Subject: marque move 1 alice wonderland f3\r\n\r\n{}", "A line of text.\r\n".repeat(600_000));
    assert!(big.len() > 10_000_000);
    assert_eq!(server.raw_mail(big.as_bytes()).status, 0);
    let letters = server.letters();
    assert_eq!(letters.len(), 1, "{letters:#?}");
    assert!(letters[0].text().contains("1 MB"), "{}", letters[0].text());

    let none = format!("{}Subject: hello\r\n", head.replace("x2", "x3"));
    assert_eq!(server.raw_mail(none.as_bytes()).status, 0);
    let letters = server.letters();
    assert_eq!(letters.len(), 1, "{letters:#?}");
    assert!(letters[0].text().contains("This message contains no command"), "{}", letters[0].text());
    assert_eq!(server.json("marque show 1"), before);
}

#[test]
fn failures_before_a_message_is_stored_exit_75() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a-file");
    fs::write(&file, "").unwrap();
    for data in [file, "/proc/nowhere".into()] {
        let status = Command::new(TURNPOST)
            .arg("--data")
            .arg(data)
            .arg("mail")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(75));
    }
    let status = Command::new(TURNPOST).args(["mail", "--nonsense"]).stderr(Stdio::null()).status();
    assert_eq!(status.unwrap().code(), Some(75));
}

#[test]
fn no_password_remains_anywhere() {
    let mut server = started();
    server.mail("alice@example.org", "marque move 1 alice wonderland f3", "");
    server.mail("alice@example.org", "marque mvoe 1 alice wonderland f3", "");
    server.mail("bob@example.org", "hello", "marque move 1 bob builder f3\n");
    server.shell("admin resend 1");
    let mut files = vec![server.data().to_path_buf()];
    let mut read = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            read += 1;
            for password in ["wonderland", "builder"] {
                let found = bytes.windows(password.len()).any(|window| window == password.as_bytes());
                assert!(!found, "{password} is stored in {}", path.display());
            }
        }
    }
    assert!(read > 5);
}

/// Mail servers retry on status 75, so permanent errors have other statuses.
#[test]
fn permanent_errors_have_their_own_statuses() {
    let server = Server::with_players();
    for (line, status) in [
        ("serve --nonsense", 2),
        ("admin nonsense", 2),
        ("admin mail mail", 2),
        ("admin letter mail", 2),
        ("completions mail", 2),
        ("admin import /nowhere", 66),
        ("admin export --passphrase-file /nowhere", 66),
    ] {
        let ran = server.shell(line);
        assert_eq!(ran.status, status, "{line}: {ran:?}");
    }
}

/// Root may access every file, so the test runs the program as the user `nobody`. Only root can do that, so the test
/// checks nothing if another user runs it.
#[test]
fn missing_permissions_are_reported() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let server = Server::in_a_file().and_players();
    let public = |mode| fs::set_permissions(server.data(), fs::Permissions::from_mode(mode)).unwrap();
    let ran = |line: &str| -> Ran {
        let mut nobody = Command::new("setpriv");
        nobody.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(TURNPOST);
        nobody.arg("--data").arg(server.data()).args(line.split(' ')).stdin(Stdio::null()).output().unwrap().into()
    };
    for mode in [0o700, 0o755] {
        public(mode);
        for (line, status) in [("list", 77), ("tick", 77), ("mail", 75)] {
            let ran = ran(line);
            assert_eq!(ran.status, status, "{mode:o} {line}: {ran:?}");
        }
    }
    fs::set_permissions(server.data().join("turnpost.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let refused = ran("list");
    assert_eq!(refused.status, 77, "{refused:?}");
    // While `serve` runs, the database has a log, and an index of the log.
    let serving = Serving::start(&server, "");
    for (name, mode) in [("turnpost.db-wal", 0o644), ("turnpost.db-shm", 0o600)] {
        fs::set_permissions(server.data().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for line in ["admin", "list", "tick"] {
        let refused = ran(line);
        assert_eq!(refused.status, 77, "{line}: {refused:?}");
        assert!(refused.err.contains("turnpost.db-shm cannot be opened: Permission denied"), "{line}: {refused:?}");
    }
    serving.stop();
}

#[test]
fn a_wrong_option_or_number_is_answered_with_the_right_form() {
    let server = Server::with_players();
    for (line, words) in [
        ("hex challenge -foo alice bob", "Hex has no option \"-foo\". It has -size=N."),
        ("tessella challenge -foo alice bob", "Tessella has no option \"-foo\". It takes no options."),
        ("events --foo", "It takes no options."),
        ("admin board x", "write a whole number, such as 12"),
        ("admin board 9", "there is no board 9; `turnpost admin boards` lists them"),
    ] {
        let ran = server.shell(line);
        assert!(ran.status != 0 && joined(&ran.err).contains(words), "{line}: {ran:?}");
    }
}
