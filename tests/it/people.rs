//! Each message of the collection `people/` is handled as its README requires. The tests are skipped unless `CORPORA`
//! names its parent folder.

use std::path::{Path, PathBuf};

use crate::common::database::sql;
use crate::common::{Letter, Server, done, letter_to, to};

const ALICE: &str = "alice@players.example";
const BOB: &str = "bob@players.example";
const CAROL: &str = "carol@players.example";

/// Returns the collection's folder if `CORPORA` is set.
fn people() -> Option<PathBuf> {
    let folder = std::env::var_os("CORPORA").map(|folder| Path::new(&folder).join("people"));
    if folder.is_none() {
        eprintln!("skipped: CORPORA names no folder");
    }
    folder
}

/// Returns the files whose names begin with this text.
fn files(begins: &str) -> Vec<PathBuf> {
    let Some(folder) = people() else { return Vec::new() };
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with(begins)).collect();
    files.sort();
    assert!(!files.is_empty(), "no {begins}");
    files
}

/// Returns a message of the collection with its recipient and ids replaced, so that it replies to this letter.
fn answer(file: &Path, letter: &Letter) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap();
    let end = bytes.windows(2).position(|two| two == b"\n\n").or(bytes.windows(4).position(|four| four == b"\r\n\r\n"));
    let (head, body) = bytes.split_at(end.expect("an empty line follows the headers"));
    let mut mail = Vec::new();
    let mut is_replaced = false;
    for line in String::from_utf8(head.to_vec()).unwrap().lines() {
        if !line.starts_with([' ', '\t']) {
            let value = match line.split(':').next().unwrap_or_default() {
                "To" => letter.reply_to(),
                "In-Reply-To" | "References" => &letter.id,
                _ => "",
            };
            is_replaced = !value.is_empty();
            if is_replaced {
                mail.extend(format!("{}: {value}\n", line.split(':').next().unwrap()).bytes());
            }
        }
        if !is_replaced {
            mail.extend(format!("{line}\n").bytes());
        }
    }
    mail.extend(body.strip_prefix(b"\n").or(body.strip_prefix(b"\r\n")).unwrap());
    mail
}

/// Creates the server that the collection's README describes, and returns alice's letter about board 1.
fn board() -> (Server, Letter) {
    let mut server = Server::new();
    done(&server, "signup alice wonderland alice@players.example");
    done(&server, "signup bob bricklayer bob@players.example");
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// Sends a message of the collection in answer to alice's letter about board 1. Returns the resulting letters.
fn answered(file: &Path) -> (Server, Vec<Letter>) {
    let (mut server, letter) = board();
    let mail = answer(file, &letter);
    let ran = server.raw_mail(&mail);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}: {ran:?}", file.display());
    let letters = server.letters();
    (server, letters)
}

/// Returns the last comment, or an empty string.
fn comment(server: &Server) -> String {
    sql(server, "SELECT coalesce((SELECT text FROM comments ORDER BY id DESC LIMIT 1), '')")
}

#[test]
fn a_move_is_played_with_its_comment() {
    for (begins, said) in [
        ("300-above-german", "Mein Zug:"),
        ("300-above-here", "Here is my move:"),
        ("300-above-sorry", "Sorry for the delay."),
        ("96-", "Hi"),
        ("53-", "Hi"),
        ("160-", "Hi"),
        ("148-", "Hi"),
        ("154-", "Hi"),
        ("26-", "こんにちは"),
        ("03-", "Hi"),
        ("yahoo-mobile-text", "Hi"),
        ("attribution-", ""),
    ] {
        for file in files(begins) {
            let (server, letters) = answered(&file);
            assert_eq!(server.hashes(1).len(), 1, "{}: {letters:#?}", file.display());
            assert_eq!(comment(&server), said, "{}", file.display());
        }
    }
}

#[test]
fn text_about_another_board_does_not_reach_the_opponent() {
    for file in files("yahoo-android-digest") {
        let (mut server, _) = board();
        done(&server, "signup carol sesame99 carol@players.example");
        server.letters();
        let lines = "marque challenge alice bob\nbrique challenge -size=9 --private alice carol\n";
        let letters = server.mail(ALICE, "", lines);
        let letter = letters.iter().find(|letter| letter.to() == ALICE && letter.text().contains("Brique")).unwrap();
        assert_eq!(server.raw_mail(&answer(&file, letter)).status, 0);
        for letter in server.letters().iter().filter(|letter| letter.to() == BOB) {
            assert!(!letter.text().contains("Brique") && !letter.text().contains("carol"), "{}", letter.text());
        }
        assert!(!comment(&server).contains("Brique"), "{}", comment(&server));
    }
}

#[test]
fn a_link_reaches_the_opponent_unbroken() {
    for file in files("290") {
        let mail = std::fs::read_to_string(&file).unwrap();
        let link = mail.split_whitespace().find(|word| word.starts_with("https://example.org/analysis")).unwrap();
        let (_, letters) = answered(&file);
        let told = to(&letters, BOB);
        assert!(told.text().contains(link) && told.html().replace("&amp;", "&").contains(link), "{told:?}");
    }
}

#[test]
fn a_copy_under_another_id_causes_no_error() {
    for file in files("280c") {
        let (mut server, letter) = board();
        let copy = String::from_utf8(answer(&file, &letter)).unwrap();
        let (_, id) = copy.split_once("Message-ID: <").expect("the message has a Message-ID");
        let first = copy.replace(id.split('>').next().unwrap(), "first@players.example");
        for mail in [first, copy] {
            assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
        }
        assert_eq!(server.hashes(1).len(), 1);
        for letter in server.letters() {
            assert!(!letter.subject.contains("not done") && !letter.text().contains("has changed"), "{letter:?}");
        }
    }
}

#[test]
fn a_reaction_and_a_calendar_are_not_answered() {
    for begins in ["64-", "66-", "69-"] {
        for file in files(begins) {
            let (server, letters) = answered(&file);
            assert_eq!((letters.len(), server.hashes(1).len()), (0, 0), "{}", file.display());
            assert_eq!(
                sql(&server, "SELECT count(*) FROM rate_limits WHERE what = 'refusal'"),
                "0",
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn unreadable_input_is_answered_with_the_reason() {
    for (begins, reason) in [("52-", "is encrypted"), ("55-", "winmail.dat")] {
        for file in files(begins) {
            let (server, letters) = answered(&file);
            let told = to(&letters, ALICE).text().replace('\n', " ");
            assert!(told.contains(reason) && told.contains("plain text"), "{}: {told}", file.display());
            assert_eq!(server.hashes(1).len(), 0);
        }
    }
}

#[test]
fn replies_without_a_confirmation_do_not_confirm_the_address() {
    for begins in ["202-", "203-", "207-"] {
        for file in files(begins) {
            let (mut server, _) = board();
            let letters = server.mail(CAROL, "signup carol sesame99", "");
            let mail = String::from_utf8(answer(&file, to(&letters, CAROL))).unwrap();
            let from = mail.lines().find(|line| line.starts_with("From: ")).unwrap().to_owned();
            assert_eq!(server.raw_mail(mail.replace(&from, &format!("From: {CAROL}")).as_bytes()).status, 0);
            let confirmed = "SELECT count(*) FROM addresses WHERE address LIKE 'carol%' AND confirmed_at IS NOT NULL";
            assert_eq!(sql(&server, confirmed), "0", "{}", file.display());
        }
    }
}

#[test]
fn a_stranger_with_a_token_cannot_end_a_game() {
    for file in files("316") {
        let (server, letters) = answered(&file);
        assert!(server.json("show 1")["boards"][0]["result"].is_null(), "{letters:?}");
        assert!(letter_to(&letters, BOB).is_none() && letter_to(&letters, ALICE).is_some(), "{letters:?}");
    }
}
