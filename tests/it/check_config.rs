//! `turnpost check-config` and `turnpost describe-config`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use crate::common::serving::free_port;
use crate::common::{Ran, Server, done};

fn check(server: &Server, config: &str) -> Ran {
    fs::write(server.data().join("turnpost.toml"), config).unwrap();
    server.shell("check-config")
}

/// Checks a configuration. Exactly one problem must be reported, at this line and with these words.
fn finds(server: &Server, config: &str, line: usize, words: &str) {
    let ran = check(server, config);
    let told = format!("{}: line {line}: ", server.data().join("turnpost.toml").display());
    assert_eq!((ran.status, ran.out.lines().count(), ran.err.as_str()), (78, 1, ""), "{config}{ran:?}");
    assert!(ran.out.starts_with(&told) && ran.out.contains(words), "{config}{words:?} is not in {ran:?}");
}

/// Starts a server for one client. It sends the greeting, and then the answer to each of the client's lines. Returns
/// the port, and a thread that returns the client's lines.
fn greeter(greeting: &'static str, answer: &'static str) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        write!(stream, "{greeting}\r\n").unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        lines.inspect(|_| drop(write!(stream, "{answer}\r\n"))).collect()
    });
    (port, thread)
}

#[test]
fn a_valid_configuration_exits_with_0() {
    let server = Server::new();
    fs::remove_file(server.data().join("turnpost.toml")).unwrap();
    let ran = server.shell("check-config");
    assert!(ran.status == 0 && ran.out.contains("there is no such file: all defaults apply"), "{ran:?}");
    let ran = check(&server, "address = \"games@example.org\"\n[backup]\ndirectory = \"new/backups\"\n");
    assert!(ran.status == 0 && ran.out.contains("no fault was found"), "{ran:?}");
    assert_eq!(server.json("check-config")["problems"], serde_json::json!([]));
}

#[test]
fn all_faults_are_reported_together_with_their_lines_and_the_nearest_keys() {
    let server = Server::new();
    let ran = check(
        &server,
        "adress = \"a@example.org\"\ntemplates = \"nowhere\"\n\n[recieve]\nidle = 1\n[backup]\nkeep = 0\n",
    );
    let lines: Vec<&str> = ran.out.lines().map(|line| line.split_once("turnpost.toml: ").unwrap().1).collect();
    assert_eq!((ran.status, lines.len()), (78, 4), "{ran:?}");
    assert_eq!(lines[0], "line 1: unknown key `adress`; did you mean `address`?");
    assert!(
        lines[1].starts_with("line 2: the directory of templates ") && lines[1].contains("cannot be read"),
        "{ran:?}"
    );
    assert_eq!(
        lines[2..],
        ["line 4: unknown key `recieve`; did you mean `receive`?", "line 7: backup.keep must be from 1 to 100000"]
    );
    let ran = server.shell("--json check-config");
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.status, told["problems"][3]["line"].as_u64()), (78, Some(7)), "{ran:?}");
    // Every command refuses to run. `mail` exits with status 75, so that the mail server retries.
    for (line, status) in [("tick", 78), ("serve", 78), ("list", 78), ("mail", 75)] {
        let ran = server.shell(line);
        assert!(
            ran.status == status && ran.err.contains("line 1: unknown key `adress`; did you mean `address`?"),
            "{line}: {ran:?}"
        );
    }
}

#[test]
fn a_wrong_value_is_reported_with_the_right_form() {
    let server = Server::new();
    for (config, line, words) in [
        ("[policy]\nnagtime = \"seven\"\n", 2, "policy.nagtime: \"seven\" is not valid; write a whole number"),
        ("[policy]\nnagtime = -1\n", 2, "policy.nagtime: -1 is not valid; write a whole number from 0 to 3650"),
        ("[receive]\nidle = \"long\"\n", 2, "receive.idle: \"long\" is not valid; write a whole number from 1"),
        ("[policy]\ntotaltime = 4294967295\n", 2, "policy.totaltime must be from 0 to 3650"),
        ("[robot]\nlevels = 300\n", 2, "robot.levels: 300 is not valid; write a whole number from 0 to 255"),
        ("signed_senders = \"yes\"\n", 1, "signed_senders: \"yes\" is not valid; write true or false"),
        ("[web]\nlisten = \"8080\"\n", 2, "web.listen: \"8080\" is not an address with a port; write one such as"),
        ("[metrics]\nlisten = \"localhost\"\n", 2, "metrics.listen: \"localhost\" is not an address with a port"),
    ] {
        finds(&server, config, line, words);
    }
}

#[test]
fn files_and_servers_in_the_configuration_are_checked() {
    let server = Server::new();
    let data = server.data();
    fs::create_dir_all(data.join("words/answer")).unwrap();
    fs::write(data.join("words/answer/moved.txt"), "{% if %}").unwrap();
    fs::create_dir(data.join("misplaced")).unwrap();
    fs::write(data.join("misplaced/README.md"), "My words").unwrap();
    fs::write(data.join("misplaced/moved.txt"), "Moved").unwrap();
    fs::write(data.join("empty"), "\n").unwrap();
    fs::write(data.join("password"), "secret\n").unwrap();
    let smtp = "[transport]\nkind = \"smtp\"\ntls = \"none\"\nhost = \"127.0.0.1\"\n";
    let user = "user = \"turnpost\"\npassword_file = ";
    let imap = "[receive.imap]\nhost = \"127.0.0.1\"\ntls = \"none\"\nuser = \"u\"\npassword_file = \"password\"\n";
    let port = free_port();
    for (config, line, words) in [
        ("templates = \"words\"\n".to_owned(), 1, "moved.txt"),
        ("templates = \"misplaced\"\n".to_owned(), 1, "misplaced/moved.txt replaces nothing"),
        ("[receive]\nmaildir = \"nowhere\"\n".to_owned(), 2, "there is no directory"),
        ("[receive]\nlmtp = \"unix:nowhere/lmtp.sock\"\n".to_owned(), 2, "there is no directory"),
        ("[backup]\ndirectory = \"password/backups\"\n".to_owned(), 2, "is not a directory"),
        ("[transport]\nkind = \"sendmail\"\ncommand = \"/etc/passwd\"\n".to_owned(), 3, "/etc/passwd is not a program"),
        (format!("{smtp}{user}\"nowhere\"\n"), 6, "cannot read"),
        (format!("{smtp}{user}\"empty\"\n"), 6, "is empty; write the password there"),
        (format!("{smtp}port = {port}\n"), 4, "the mail server did not send a greeting"),
        (format!("{imap}port = {port}\n"), 2, "the mailbox's server did not send a greeting: cannot connect"),
        (format!("{imap}ca_file = \"nowhere\"\n"), 6, "cannot read"),
    ] {
        finds(&server, &config, line, words);
    }
    let (port, _thread) = greeter("554 not you", "221 bye");
    finds(&server, &format!("{smtp}port = {port}\n"), 4, "not you");
    let (port, _thread) = greeter("220 this is SMTP", "");
    finds(&server, &format!("{imap}port = {port}\n"), 2, "did not send an IMAP greeting");
}

#[test]
fn a_directory_of_templates_can_contain_other_files() {
    let server = Server::new();
    let words = server.data().join("words");
    fs::create_dir(&words).unwrap();
    fs::write(words.join("LICENSE.txt"), "Copy these words.").unwrap();
    let ran = check(&server, "templates = \"words\"\n");
    assert!(ran.status == 0 && ran.out.contains("no fault was found"), "{ran:?}");
}

#[test]
fn connections_are_checked_without_a_login() {
    let server = Server::new();
    fs::write(server.data().join("password"), "secret\n").unwrap();
    let (smtp, to_smtp) = greeter("220 mail.example", "250 AUTH PLAIN LOGIN");
    let (imap, to_imap) = greeter("* OK ready", "* BAD");
    let login = "user = \"turnpost\"\npassword_file = \"password\"\n";
    let config = format!(
        "[transport]\nkind = \"smtp\"\ntls = \"none\"\nhost = \"127.0.0.1\"\nport = {smtp}\n{login}\
         [receive.imap]\nhost = \"127.0.0.1\"\ntls = \"none\"\nport = {imap}\n{login}"
    );
    let ran = check(&server, &config);
    assert_eq!(ran.status, 0, "{ran:?}");
    let said: Vec<String> = to_smtp.join().unwrap();
    assert!(said.len() == 2 && said[0].starts_with("EHLO ") && said[1] == "QUIT", "{said:?}");
    assert_eq!(to_imap.join().unwrap(), Vec::<String>::new());
}

#[test]
fn every_key_is_described() {
    let server = Server::without_database();
    let text = done(&server, "describe-config");
    for words in
        ["address: mail address; default \"turnpost@localhost\"\n", "[receive.imap]\n", "idle: seconds; default 300\n"]
    {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    let keys = server.json("describe-config");
    assert_eq!(keys[0]["path"], "address");
    assert!(keys.as_array().unwrap().iter().any(|key| key["path"] == "policy.nagtime" && key["unit"] == "days"));
}
