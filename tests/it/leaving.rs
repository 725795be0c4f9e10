//! No address of a former player remains in the database's file or its write-ahead log.

use serde_json::json;

use crate::common::database::{keeps, octets, sql};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Letter, Server, done, letter_to, reply, to};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@example.org";
const CAROL: &str = "carol@example.org";
/// The hosts of alice's three addresses: alice receives letters at the first, sends from the second, and has not
/// confirmed the third.
const HOSTS: [&str; 3] = ["home.example", "work.example", "new.example"];

/// Creates a server that has stored alice's addresses in every place where it can store an address.
fn full_of_addresses() -> Server {
    full_of_addresses_on(Server::new())
}

fn full_of_addresses_on(mut server: Server) -> Server {
    for (userid, password, address) in
        [("alice", "wonderland", ALICE), ("bob", "builder", BOB), ("carol", "sesame", CAROL)]
    {
        done(&server, &format!("signup {userid} {password} {address}"));
        done(&server, &format!("set {userid} {password} mail=text"));
    }
    let letters = server.mail(ALICE, "marque challenge alice bob", "A game? Write to alice@home.example!");
    // Alice moves from another address, with a reply token and then with the password.
    let headers = json!({ "To": to(&letters, ALICE).reply_to() });
    let text = "f3\n\nHello from work. <alice@work.example>";
    assert_eq!(server.mail_with("alice@work.example", "Re: your turn", text, &headers).len(), 2);
    done(&server, "marque move 1 bob builder k1");
    server.mail("Alice@Work.example", "marque move 1 alice wonderland f4", "");
    server.mail(ALICE, "marque chat 1 alice wonderland", "ALICE@HOME.EXAMPLE is where you reach me");
    server.mail(ALICE, "message alice wonderland bob", "Mine is alice@home.example.");
    let letters = server.mail(BOB, "message bob builder alice", "Not alice@home.example?");
    reply(&mut server, ALICE, to(&letters, ALICE), "It is alice@home.example indeed.");
    // Messages that are refused or ignored, or contain a wrong password.
    server.mail(ALICE, "show alice@home.example", "");
    server.mail(ALICE, "set alice wrong zone=UTC", "");
    server.mail(ALICE, "Lunch?", "At noon.");
    server.mail(ALICE, "change address alice wonderland alice@home.example alice@new.example", "");
    done(&server, "marque note 1 bob builder --say=alice@home.example");
    server.mail(ALICE, "marque challenge alice anyone", "Or by alice@home.example");
    server.mail("mallory@example.net", "signup mallory sesame", "");
    // A quarantined message.
    server.raw_mail(b"From: alice@home.example\n\nThis crashes the program.\n");
    let mail = octets(&server, "From: Alice <Alice@home.example>");
    sql(
        &server,
        &format!(
            "INSERT INTO quarantine (mail, raw) SELECT max(id), {mail} FROM inbox;
             UPDATE inbox SET verdict = 'poison', sender = NULL WHERE id = (SELECT max(id) FROM inbox)"
        ),
    );
    server.letters();
    server
}

/// Returns the database and the files of the data directory that contain one of alice's hosts.
fn places_with_addresses(server: &Server) -> Vec<String> {
    let mut found: Vec<String> =
        HOSTS.iter().filter(|host| keeps(server, host)).map(|host| format!("{host} in the database")).collect();
    for file in std::fs::read_dir(server.data()).unwrap().map(|file| file.unwrap().path()) {
        let is_database = file.file_name().unwrap().to_string_lossy().starts_with("turnpost.db");
        if !file.is_file() || is_database || file.ends_with("serve.log") {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).to_lowercase();
        found.extend(HOSTS.iter().filter(|host| text.contains(**host)).map(|host| format!("{host} in {file:?}")));
    }
    found
}

/// Checks the data that remain after alice has left: records, and data of other players.
fn the_rest_stays(server: &Server, shown_as: &str) {
    let history = done(server, "marque history 1");
    assert!(history.contains(shown_as) && history.contains("f4"), "{history}");
    let record = done(server, "marque history 1 --format=json");
    assert!(record.contains("(removed address) is where you reach me"), "{record}");
    assert!(sql(server, "SELECT address FROM addresses").contains(BOB));
    assert_eq!(sql(server, "SELECT count(*) FROM departed_addresses"), "0");
    done(server, "admin check");
    let lists = ["admin inbox", "admin outbox", "admin mail 1", "admin letter 4"].map(|line| server.shell(line).out);
    assert!(lists.iter().all(|list| HOSTS.iter().all(|host| !list.contains(host))), "{lists:?}");
}

fn code(letters: &[Letter]) -> String {
    let line = to(letters, ALICE).text().lines().find(|line| line.contains("signoff alice")).unwrap();
    line.split_whitespace().last().unwrap().to_owned()
}

#[test]
fn a_player_who_signs_off_by_mail_leaves_no_address() {
    let mut server = full_of_addresses();
    assert_eq!(places_with_addresses(&server).len(), 3, "the test finds the places with addresses");
    let code = code(&server.mail(ALICE, "signoff alice wonderland", ""));
    let letters = server.mail(ALICE, &format!("signoff alice wonderland {code}"), "-- \nalice@home.example");
    assert!(to(&letters, ALICE).text().contains("alice"), "alice is notified: {letters:?}");
    assert!(to(&letters, BOB).text().contains("alice resigned"), "{letters:?}");
    assert_eq!(places_with_addresses(&server), Vec::<String>::new());
    the_rest_stays(&server, "alice");
    // A later message from this address stores the address again, as that of a stranger.
    server.mail(ALICE, "help", "");
    assert_eq!(places_with_addresses(&server).len(), 1);
}

#[test]
fn a_player_who_signs_off_while_serve_runs_leaves_no_address() {
    let mut server = full_of_addresses();
    let code = code(&server.mail(ALICE, "signoff alice wonderland", ""));
    let mail = server.compose("alice@work.example", &format!("signoff alice wonderland {code}"), "");
    let serving = Serving::start(&server, "");
    server.raw_mail(mail.as_bytes());
    let mut letters = Vec::new();
    wait_until("letters to both players", || {
        letters.extend(server.letters());
        let told = |address| letter_to(&letters, address).is_some();
        (told("alice@work.example") && told(BOB)).then_some(())
    });
    wait_until("the addresses to be erased", || places_with_addresses(&server).is_empty().then_some(()));
    serving.stop();
    the_rest_stays(&server, "alice");
}

#[test]
fn a_removed_player_leaves_no_address() {
    let server = full_of_addresses();
    done(&server, "admin player remove alice --yes");
    assert_eq!(places_with_addresses(&server), Vec::<String>::new());
    the_rest_stays(&server, "former player 1");
}
