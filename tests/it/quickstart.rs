//! `turnpost quickstart`: creates a server from options or from answers to questions.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Ran, TURNPOST};

/// Returns a temporary directory, and the path of a directory in it that does not exist yet.
fn nowhere() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().canonicalize().unwrap().join("games");
    (dir, data)
}

/// Runs a command on a data directory, with these answers on standard input.
fn run(data: &Path, words: &[&str], answers: &str) -> Ran {
    let mut command = Command::new(TURNPOST);
    command.arg("--data").arg(data).args(words).env_remove("TURNPOST_DATA");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    // Writing fails if the program ends before it has read the answers.
    let _ = program.stdin.take().unwrap().write_all(answers.as_bytes());
    program.wait_with_output().unwrap().into()
}

fn read(data: &Path, file: &str) -> String {
    fs::read_to_string(data.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

const POSTFIX: [&str; 7] =
    ["quickstart", "--address", "play@club.example", "--mail", "postfix", "--url", "https://play.club.example"];

#[test]
fn a_server_behind_postfix_is_set_up_by_options() {
    let (_dir, data) = nowhere();
    let ran = run(&data, &POSTFIX, "");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    for words in [
        "MX   10 mail.club.example.",
        "\"v=spf1 mx -all\"",
        "turnpost._domainkey.club.example.",
        "_dmarc.club.example.",
        "a message to play@club.example with the subject: help",
        "https://play.club.example needs a proxy",
    ] {
        assert!(ran.out.contains(words), "no {words:?} in {}", ran.out);
    }
    assert!(ran.out.ends_with("makes backups by itself.\n"), "{}", ran.out);
    assert_eq!(read(&data, "setup/README"), ran.out);
    // The new configuration explains every key, and the program can read it.
    let configuration = read(&data, "turnpost.toml");
    let described = run(&data, &["describe-config", "--json"], "").out;
    let described: serde_json::Value = serde_json::from_str(&described).unwrap();
    for key in described.as_array().unwrap() {
        let meaning = key["meaning"].as_str().unwrap();
        assert!(configuration.contains(meaning), "{meaning}");
    }
    assert!(configuration.contains("\naddress = \"play@club.example\"\n"), "{configuration}");
    assert!(configuration.contains("\n# idle = 300\n"), "{configuration}");
    assert_eq!(run(&data, &["admin"], "").status, 0);
    // The files for other programs contain this server's name instead of examples.
    for file in ["main.cf", "master.cf", "turnpost-transport", "turnpost.service", "Caddyfile", "tmpfiles.conf"] {
        let text = read(&data, &format!("setup/{file}"));
        assert!(!text.contains("games.example"), "{file}: {text}");
    }
    assert!(read(&data, "setup/turnpost-transport").contains("\nplay@club.example  turnpost-lmtp:unix:/run/turnpost/"));
    assert!(read(&data, "setup/Caddyfile").contains("\nplay.club.example {"));
    let unit = read(&data, "setup/turnpost.service");
    assert!(unit.contains(&format!("ExecStart={TURNPOST} serve")), "{unit}");
    assert!(unit.contains(&format!("ReadWritePaths={} /run/turnpost\n", data.display())), "{unit}");
    assert!(
        unit.contains(&format!("TURNPOST_DATA={}\n", data.display())) && !unit.contains("StateDirectory="),
        "{unit}"
    );
}

/// Uses systemd's own checker.
#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs systemd-analyze: ./test runs it")]
fn the_systemd_unit_is_valid() {
    let (_dir, data) = nowhere();
    run(&data, &POSTFIX, "");
    let verified = Command::new("systemd-analyze").arg("verify").arg(data.join("setup/turnpost.service")).output();
    let ran: Ran = verified.expect("systemd-analyze runs: deploy/install-test-tools installs it").into();
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn a_server_with_a_mailbox_at_a_provider_is_set_up_by_answers() {
    let (_dir, data) = nowhere();
    let ran = run(&data, &["quickstart"], "me@mail.example\nprovider\nimap.mail.example\nsmtp.mail.example\n\n\n");
    assert_eq!(ran.status, 0, "{ran:?}");
    for question in
        ["mail address", "postfix (on this machine) or a provider [postfix]", "login name there [me@mail.example]"]
    {
        assert!(ran.err.contains(question), "no {question:?} in {}", ran.err);
    }
    assert!(ran.out.contains("imap-password      for imap.mail.example") && !ran.out.contains("MX"), "{}", ran.out);
    let configuration = read(&data, "turnpost.toml");
    for line in
        ["host = \"imap.mail.example\"", "user = \"me@mail.example\"", "[receive.imap]", "signed_senders = false"]
    {
        assert!(configuration.contains(&format!("\n{line}\n")), "no {line:?} in {configuration}");
    }
    assert!(!data.join("setup/main.cf").exists() && !data.join("setup/Caddyfile").exists());
    // Once the password files exist, the configuration is complete.
    for file in ["imap-password", "smtp-password"] {
        fs::write(data.join(file), "an app password\n").unwrap();
    }
    assert_eq!(run(&data, &["admin"], "").status, 0);
}

#[test]
fn missing_answers_select_the_defaults() {
    let (_dir, data) = nowhere();
    let hosts = ["--imap-host", "imap.mail.example", "--smtp-host", "smtp.mail.example"];
    let words = ["quickstart", "--address", "me@mail.example", "--mail", "provider"];
    let ran = run(&data, &[&words[..], &hosts].concat(), "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let configuration = read(&data, "turnpost.toml");
    assert!(configuration.contains("\nuser = \"me@mail.example\"\n"), "{configuration}");
    assert!(!data.join("setup/Caddyfile").exists(), "there are no pages");
}

#[test]
fn faulty_or_missing_answers_are_reported_and_create_nothing() {
    let (_dir, data) = nowhere();
    for (words, answers, told) in [
        (&["quickstart"][..], "", "use --address"),
        (&["quickstart"], "nobody\n", "\"nobody\" is not a mail address"),
        (&["quickstart", "--address", "a@b.example"], "pigeon\n", "\"pigeon\" is neither \"postfix\" nor \"provider\""),
        (&["quickstart", "--address", "a@b.example", "--mail", "provider"], "\n", "use --imap-host"),
        (
            &["quickstart", "--address", "a@b.example", "--mail", "postfix", "--url", "b.example"],
            "",
            "is not an address such as",
        ),
        (
            &["quickstart", "--address", "a@b.example", "--mail", "postfix", "--url", "https://b.example/sub"],
            "",
            "without a path",
        ),
        (
            &["quickstart", "--address", "a@b.example", "--mail", "postfix", "--url", "http://b.example"],
            "",
            "\"http://b.example\" is not encrypted; write an address that starts with https://",
        ),
    ] {
        let ran = run(&data, words, answers);
        assert!(ran.status != 0 && ran.err.contains(told), "{words:?}: {ran:?}");
        assert!(!data.join("turnpost.toml").exists() && !data.join("turnpost.db").exists(), "{words:?}");
    }
    assert_eq!(run(&data, &POSTFIX, "").status, 0);
    let before = read(&data, "turnpost.toml");
    let again = run(&data, &POSTFIX, "");
    assert!(again.status != 0 && again.err.contains("this server is already set up"), "{again:?}");
    assert_eq!(read(&data, "turnpost.toml"), before);
}

/// The Debian package installs a configuration that consists only of comments.
#[test]
fn a_configuration_of_only_comments_is_completed_in_place() {
    let (dir, data) = nowhere();
    let packaged = dir.path().join("packaged.toml");
    fs::create_dir(&data).unwrap();
    fs::write(&packaged, "# address = \"turnpost@localhost\"\n").unwrap();
    std::os::unix::fs::symlink(&packaged, data.join("turnpost.toml")).unwrap();
    assert_eq!(run(&data, &POSTFIX, "").status, 0);
    assert!(fs::read_to_string(&packaged).unwrap().contains("\naddress = \"play@club.example\"\n"));
    assert!(data.join("turnpost.toml").is_symlink());
    let again = run(&data, &POSTFIX, "");
    assert!(again.status != 0 && again.err.contains("this server is already set up"), "{again:?}");
}
