//! Moves a server to another machine as docs/run/install-upgrade.md describes, and checks that no data is lost.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::database::{octets, sql};
use crate::common::{Letter, Ran, Server, done, letter_to, to};

pub const ALICE: &str = "alice@example.org";
pub const BOB: &str = "bob@example.org";

/// Adds an API token and a webhook to the database.
pub fn add_programs(server: &Server) {
    let hash = octets(server, "thirty-two octets of some hash..");
    let programs = format!(
        "INSERT INTO tokens (hash, player, label, created_at) VALUES ({hash}, 1, 'bot', '2026-01-01T00:00:00Z'); \
         INSERT INTO webhooks (player, url, secret, created_at, failures) \
             VALUES (2, 'https://bot.example.org/turn', 'hush', '2026-01-01T00:00:00Z', 3)"
    );
    sql(server, &programs);
}

/// A stopped server with pending work, and two earlier messages.
pub struct Stopped {
    pub server: Server,
    /// The message that created board 1.
    pub challenge: String,
    /// Bob's letter about alice's move on board 1.
    pub letter: Letter,
}

/// Creates a server on which a message and a letter wait. They are not processed, because the test holds the lock of
/// `serve`.
pub fn stopped() -> Stopped {
    stopped_on(Server::with_players())
}

/// Like [`stopped`], but uses an existing server with players.
pub fn stopped_on(mut server: Server) -> Stopped {
    let challenge = server.compose(ALICE, "marque challenge alice bob", "");
    server.raw_mail(challenge.as_bytes());
    done(&server, "marque challenge alice bob");
    server.letters();
    done(&server, "marque move 1 alice wonderland f3");
    let letter = to(&server.letters(), BOB).clone();
    done(&server, "admin pause --reason Moving");
    let serving = File::create(server.data().join("serve.lock")).unwrap();
    serving.lock().unwrap();
    let mail = server.compose(ALICE, "marque move 2 alice wonderland f4", "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    done(&server, "message bob builder alice --say=Unsent");
    assert!(server.letters().is_empty());
    Stopped { server, challenge, letter }
}

/// Returns the paths of a file with a passphrase and of a file for an export.
fn files(server: &Server) -> (PathBuf, PathBuf) {
    let passphrase = server.data().join("passphrase");
    fs::write(&passphrase, "correct horse battery staple\n").unwrap();
    (passphrase, server.data().join("server.jsonl"))
}

fn import(export: &Path, rest: &str) -> (Server, Ran) {
    let new = Server::without_database();
    let ran = new.shell(&format!("admin import {} {rest}", export.display()));
    (new, ran)
}

/// Passes an already composed message to a server. Returns the letters that the server then sends.
pub fn mailed(server: &mut Server, mail: &str) -> Vec<Letter> {
    let ran = server.raw_mail(mail.as_bytes());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    server.letters()
}

#[test]
fn a_move_to_another_server_loses_nothing() {
    let Stopped { server: mut old, challenge, letter } = stopped();
    add_programs(&old);
    let programs = "SELECT t.hash, t.label, h.url, h.secret, h.failures FROM tokens t, webhooks h";
    let before = sql(&old, programs);
    let (passphrase, export) = files(&old);
    let with = format!("--passphrase-file {}", passphrase.display());
    assert_eq!(done(&old, &format!("admin export {with} --output {}", export.display())), "");

    let (mut new, ran) = import(&export, &with);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(sql(&new, programs), before);
    let acts = done(&new, "admin acts");
    assert_eq!(acts, done(&old, "admin acts"));
    assert!(acts.contains("pause") && acts.contains("Moving"), "{acts}");
    assert!(done(&new, "show 2").contains("Moving"), "the clocks are still stopped");
    done(&new, "admin check");
    done(&new, "tick");
    let letters = new.letters();
    // The new server has processed the waiting message and sent the waiting letter.
    assert!(
        letters.iter().any(|letter| letter.to() == BOB && letter.text().contains("alice played f4")),
        "{letters:?}"
    );
    assert!(letters.iter().any(|letter| letter.to() == ALICE && letter.text().contains("Unsent")), "{letters:?}");
    assert!(letters.iter().all(|other| other.id != letter.id), "Message-IDs are unique");
    assert_eq!(new.hashes(2).len(), 1);
    // The message that created board 1 does not create another board.
    assert!(mailed(&mut new, &challenge).is_empty());
    assert_eq!(new.json("admin boards").as_array().unwrap().len(), 2);
    // A player can still reply to a letter that the old server sent.
    let headers = json!({ "To": letter.reply_to() });
    let answer = old.compose_with("bob@elsewhere.example", &format!("Re: {}", letter.subject), "k1", &headers);
    let letters = mailed(&mut new, &answer);
    assert!(to(&letters, ALICE).text().contains("bob played k1"), "{letters:?}");
    assert_eq!(new.hashes(1).len(), 2);
    done(&new, "admin check");
    // Exporting and importing again changes no data.
    let body = |server: &Server| {
        let text = done(server, "admin export --without-key");
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let again = new.data().join("again.jsonl");
    done(&new, &format!("admin export --without-key --output {}", again.display()));
    let (third, ran) = import(&again, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(body(&third), body(&new));
}

#[test]
fn without_the_key_old_letters_cannot_be_answered() {
    let Stopped { server: mut old, letter, .. } = stopped();
    let (passphrase, export) = files(&old);
    done(&old, &format!("admin export --without-key --output {}", export.display()));
    let with = format!("--passphrase-file {}", passphrase.display());
    let (_, ran) = import(&export, &with);
    assert!(ran.status == 1 && ran.err.contains("without --passphrase-file"), "{ran:?}");
    let (mut new, ran) = import(&export, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    done(&new, "tick");
    assert_eq!((new.hashes(2).len(), new.letters().len()), (1, 3));
    let headers = json!({ "To": letter.reply_to() });
    let answer = old.compose_with(BOB, &format!("Re: {}", letter.subject), "k1", &headers);
    let letters = mailed(&mut new, &answer);
    assert!(letter_to(&letters, ALICE).is_none() && new.hashes(1).len() == 1, "{letters:?}");
}

#[test]
fn an_export_explains_the_handling_of_the_key() {
    let old = Server::with_players();
    let ran = old.shell("admin export");
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.contains("--passphrase-file FILE") && ran.err.contains("--without-key"), "{ran:?}");
    let (passphrase, _) = files(&old);
    let with = format!("--passphrase-file {}", passphrase.display());
    for line in [format!("admin export {with} --without-key"), format!("admin export alice {with}")] {
        assert_eq!(old.shell(&line).status, 2, "{line}");
    }
    fs::write(&passphrase, "\n").unwrap();
    let ran = old.shell(&format!("admin export {with}"));
    assert!(ran.status == 65 && ran.err.contains("is empty; write the passphrase"), "{ran:?}");
}

#[test]
fn only_the_passphrase_opens_the_secrets() {
    let Stopped { server: old, .. } = stopped();
    let (passphrase, export) = files(&old);
    let with = format!("--passphrase-file {}", passphrase.display());
    done(&old, &format!("admin export {with} --output {}", export.display()));
    let text = fs::read_to_string(&export).unwrap();
    let key = sql(&old, "SELECT reply_key FROM server");
    let key = key.strip_prefix("\\x").unwrap();
    let octets = data_encoding::HEXLOWER.decode(key.as_bytes()).unwrap();
    let base64 = data_encoding::BASE64_NOPAD.encode(&octets);
    assert!(octets.len() == 32 && !text.to_lowercase().contains(key) && !text.contains(&base64));
    // The waiting message contains a password, which must not be readable in the export.
    let wonderland = data_encoding::HEXLOWER.encode(b"wonderland");
    assert!(!text.contains("wonderland") && !text.contains(&wonderland));
    done(&old, &format!("admin export --without-key --output {}", export.display()));
    assert!(
        fs::read_to_string(&export).unwrap().contains(&wonderland),
        "an export without a passphrase is not encrypted"
    );
    fs::write(&export, &text).unwrap();

    let (new, ran) = import(&export, "");
    not_created(&ran, &new, "add --passphrase-file");
    let wrong = old.data().join("wrong");
    fs::write(&wrong, "correct horse battery stable").unwrap();
    let (new, ran) = import(&export, &format!("--passphrase-file {}", wrong.display()));
    not_created(&ran, &new, "line 1: this is not the passphrase");
    // The import refuses an export in which encrypted data was changed or moved to another row.
    let mail = text.lines().find(|line| line.contains("\"raw\":{")).unwrap();
    let sealed = mail.split("\"sealed\":\"").nth(1).unwrap().split('"').next().unwrap();
    let other = if sealed.starts_with('A') { "B" } else { "A" };
    let changed = mail.replace(sealed, &format!("{other}{}", &sealed[1..]));
    let number = mail.split("\"id\":").nth(1).unwrap().split(',').next().unwrap();
    let moved = mail.replacen(&format!("\"id\":{number}"), "\"id\":9", 1);
    for bad in [changed, moved] {
        fs::write(&export, text.replace(mail, &bad)).unwrap();
        let (new, ran) = import(&export, &with);
        not_created(&ran, &new, "sealed data cannot be opened");
    }
}

/// The export was written by the last version before the first release. It contains rows of each table in
/// the list below.
#[test]
fn an_export_of_a_program_before_the_first_release_is_imported() {
    let export = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/export-before-1.0.jsonl");
    let passphrase = tempfile::NamedTempFile::new().unwrap();
    fs::write(passphrase.path(), "correct horse battery staple\n").unwrap();
    let with = format!("--passphrase-file {}", passphrase.path().display());
    let (mut new, ran) = import(&export, &with);
    assert_eq!(ran.status, 0, "{ran:?}");
    for table in [
        "players", "addresses", "tokens", "vacations", "preferences", "acts", "challenges", "boards", "seats",
        "entries", "comments", "notes", "proposals", "followers", "standstills", "standings", "rating_changes",
        "puzzles", "puzzle_readers", "solved_puzzles", "webhooks", "inbox", "quarantine", "refusals", "mail_actions",
        "blocked_senders", "outbox", "deliveries", "muted_boards",
    ] {
        assert_ne!(sql(&new, &format!("SELECT count(*) FROM {table}")), "0", "{table}");
    }
    done(&new, "admin check");
    // The imported data equals the data in the export.
    let before = fs::read_to_string(&export).unwrap();
    let before: Vec<Value> = before.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| before.iter().map(|line| line[kind].clone()).find(|value| !value.is_null()).unwrap();
    let end = of("end");
    for (kind, table) in [
        ("players", "players"),
        ("offers", "challenges"),
        ("boards", "boards"),
        ("entries", "entries"),
        ("notices", "outbox"),
        ("mails", "inbox"),
        ("puzzles", "puzzles"),
    ] {
        assert_eq!(sql(&new, &format!("SELECT count(*) FROM {table}")), end[kind].to_string(), "{table}");
    }
    for line in before.iter().filter(|line| line["board"].is_object()) {
        let record = &line["board"]["record"];
        let (game, number) = (record["game"].as_str().unwrap(), &record["board"]);
        if record["no_result"].is_null() {
            let now: Value =
                serde_json::from_str(&done(&new, &format!("{game} history {number} --format=json"))).unwrap();
            for field in ["players", "limits", "result", "rated_as", "comments", "challenger", "created_at"] {
                assert_eq!(now[field], record[field], "board {number}: {field}");
            }
            let hashes = |record: &Value| -> Vec<Value> {
                record["entries"].as_array().unwrap().iter().map(|entry| entry["hash"].clone()).collect()
            };
            assert_eq!(hashes(&now), hashes(record));
        }
    }
    let raw = "SELECT count(*) FROM inbox WHERE raw IS NOT NULL AND verdict IS NULL";
    assert_eq!(sql(&new, raw), "1");
    // The current version exports and imports the data again. Both exports are equal.
    let again = new.data().join("again.jsonl");
    done(&new, &format!("admin export --without-key --output {}", again.display()));
    let (third, ran) = import(&again, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let body = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let text = fs::read_to_string(again).unwrap();
    assert_eq!(body(&done(&third, "admin export --without-key")), body(&text));
    // The exported server was paused, so all clocks are stopped until the administrator runs `admin resume`.
    done(&new, "admin resume");
    done(&new, "tick");
    assert!(new.letters().iter().any(|letter| letter.to() == ALICE));
    done(&new, "brique move 6 dave secret-dave-1 d5");
    assert!(to(&new.letters(), ALICE).text().contains("d5"));
}

#[test]
fn a_stored_resignation_in_an_export_before_the_first_release_is_a_prepared_reply() {
    let (new, ran) = import_changed(|line| {
        if line["board"]["record"]["board"] == 6 {
            line["board"]["state"]["seats"][0]["resigns"] = json!(true);
        }
    });
    assert_eq!(ran.status, 0, "{ran:?}");
    done(&new, "admin resume");
    done(&new, "brique move 6 dave secret-dave-1 d5");
    let record: Value = serde_json::from_str(&done(&new, "brique history 6 --format=json")).unwrap();
    let last = record["entries"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["text"], &last["via"]), (&json!("resign 1"), &json!("plan")));
    done(&new, "admin check");
}

#[test]
fn a_wrong_export_of_a_program_before_the_first_release_is_refused_with_its_line() {
    type Change = fn(&mut Value);
    let wrong: [(Change, &str); 8] = [
        (|line| change(line, "/board/record/format", json!("turnpost board 7")), "turnpost board 7"),
        (|line| change(line, "/board/record/entries/2/text", json!("f9")), "line 10: board 2, entry 3: its hash"),
        (|line| change(line, "/board/record/players/0", json!("nobody")), "there is no player \"nobody\""),
        (|line| change(line, "/board/record/rated_as", json!(null)), "changed no ratings"),
        (|line| change(line, "/outbox/kind", json!("advert")), "does not know \"advert\""),
        (|line| change(line, "/player/settings/zone", json!("Mars/North")), "does not know \"Mars/North\""),
        (|line| change(line, "/puzzle/ply", json!(8)), "brique puzzle 1 is invalid"),
        (|line| change(line, "/end/boards", json!(3)), "the export had 3 rows of boards, but the file contains 5"),
    ];
    for (change, message) in wrong {
        let (new, ran) = import_changed(change);
        not_created(&ran, &new, message);
    }
}

fn change(line: &mut Value, pointer: &str, value: Value) {
    if let Some(old) = line.pointer_mut(pointer) {
        *old = value;
    }
}

/// Changes the lines of an export from before the first release, and imports the result.
fn import_changed(change: impl Fn(&mut Value)) -> (Server, Ran) {
    let export = include_str!("../../data/export-before-1.0.jsonl");
    let changed = export.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        change(&mut line);
        format!("{line}\n")
    });
    let dir = tempfile::tempdir().unwrap();
    let (file, passphrase) = (dir.path().join("export.jsonl"), dir.path().join("passphrase"));
    fs::write(&file, changed.collect::<String>()).unwrap();
    fs::write(&passphrase, "correct horse battery staple\n").unwrap();
    import(&file, &format!("--passphrase-file {}", passphrase.display()))
}

#[test]
fn letters_about_quarantined_messages_are_imported_under_their_new_name() {
    let (new, ran) = import_changed(|line| {
        if line.pointer("/outbox/number") == Some(&json!(47)) {
            change(line, "/outbox/kind", json!("set-aside"));
        }
    });
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(sql(&new, "SELECT kind FROM outbox WHERE id = 47"), "quarantined");
}

#[test]
fn an_export_of_version_1_is_imported() {
    let export = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/export-1.jsonl");
    let (mut new, ran) = import(&export, "");
    assert!(ran.out.starts_with("3 players, 1 open challenge, 2 boards, 4 entries."), "{ran:?}");
    done(&new, "admin check");
    done(&new, "brique move 2 alice wonderland e5");
    assert!(to(&new.letters(), ALICE).text().contains("e5"));
}

#[test]
fn an_import_counts_only_challenges_that_are_still_open() {
    let old = Server::with_players();
    done(&old, "marque challenge alice anyone");
    done(&old, "marque accept 1 bob builder");
    done(&old, "brique challenge alice anyone");
    let export = old.data().join("export.jsonl");
    done(&old, &format!("admin export --without-key --output {}", export.display()));
    let (_, ran) = import(&export, "");
    assert!(ran.out.starts_with("2 players, 1 open challenge, 1 board, 0 entries."), "{ran:?}");
    let (_, ran) = import(&export, "--json");
    assert!(ran.out.contains("\"open challenges\":1"), "{ran:?}");
}

/// Checks that an import was refused for this reason, and created no database.
fn not_created(ran: &Ran, new: &Server, why: &str) {
    assert!(ran.status == 1 && ran.err.contains(why) && !ran.err.contains("a new server"), "{why}: {ran:?}");
    assert_eq!(fs::read_dir(new.data()).unwrap().count(), 0, "{why}: no files are created");
}

#[test]
fn an_import_of_a_file_that_is_not_an_export_creates_no_server() {
    let old = Server::with_players();
    let file = old.data().join("notes");
    for (text, why) in [("my notes\n", "line 1: "), ("", "the export was cut")] {
        fs::write(&file, text).unwrap();
        let (new, ran) = import(&file, "");
        not_created(&ran, &new, why);
    }
    done(&old, &format!("admin export alice --output {}", file.display()));
    let (new, ran) = import(&file, "");
    not_created(&ran, &new, "line 1: ");
    // The directory is still free for the right export.
    done(&old, &format!("admin export --without-key --output {}", file.display()));
    let ran = new.shell(&format!("admin import {}", file.display()));
    assert!(ran.status == 0 && ran.err.contains("a new server"), "{ran:?}");
}

/// A server without data would reject the mail of every player.
#[test]
fn an_import_that_fails_after_the_first_line_creates_no_server() {
    let old = Server::with_players();
    done(&old, "marque challenge alice bob");
    let file = old.data().join("export.jsonl");
    done(&old, &format!("admin export --without-key --output {}", file.display()));
    let whole = fs::read_to_string(&file).unwrap();
    let cut = whole.lines().count() - 1;
    fs::write(&file, whole.lines().take(cut).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let (new, ran) = import(&file, "");
    not_created(&ran, &new, "the export was cut");
    assert_eq!(new.shell("admin players").status, 66);
    // The next attempt with the whole export succeeds.
    fs::write(&file, whole).unwrap();
    let ran = new.shell(&format!("admin import {}", file.display()));
    assert!(ran.status == 0 && ran.err.contains("a new server"), "{ran:?}");
    assert_eq!(done(&new, "admin check"), "1 board, 0 entries, 0 rated: no difference.\n");
    let names = fs::read_dir(new.data()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let rests: Vec<String> = names.filter(|name| name.contains("new-")).collect();
    assert!(rests.is_empty(), "{rests:?}");
}

#[test]
fn a_file_of_another_kind_is_refused_by_its_name() {
    let old = Server::in_a_file().and_players();
    let file = old.data().join("backup.tar.gz");
    done(&old, &format!("admin backup {}", file.display()));
    let (new, ran) = import(&file, "");
    not_created(&ran, &new, "line 1: this is not an export of turnpost");
    assert!(ran.err.contains("To restore a backup, use turnpost admin restore"), "{ran:?}");
    let ran = Server::in_a_file().shell(&format!("admin import {}", file.display()));
    assert!(ran.status == 1 && ran.err.contains("line 1: this is not a line of an export"), "{ran:?}");
    let ran = old.shell(&format!("admin export --passphrase-file {}", file.display()));
    assert!(ran.status == 65 && ran.err.contains(&format!("cannot read {}: ", file.display())), "{ran:?}");
    // A directory can be opened, but not read.
    let directory = old.data().display();
    for (line, what) in [("admin import", "cannot import"), ("admin restore-board", "cannot read")] {
        let number = if what == "cannot read" { " 1" } else { "" };
        let ran = Server::in_a_file().shell(&format!("{line} {directory}{number}"));
        assert!(ran.status == 66 && ran.err.contains(&format!("{what} {directory}: ")), "{ran:?}");
        assert_eq!(ran.err.matches("Is a directory").count(), 1, "{ran:?}");
    }
    let other = old.data().join("notes");
    fs::write(&other, "a letter to my aunt").unwrap();
    let ran = old.shell(&format!("admin restore-board {} 1", other.display()));
    assert!(ran.status == 1 && ran.err.contains("notes does not contain board 1: name a backup"), "{ran:?}");
}

#[test]
fn an_import_of_a_missing_file_creates_no_server() {
    let server = Server::without_database();
    let ran = server.shell("admin import missing.jsonl");
    assert!(ran.status != 0 && ran.err.contains("cannot read missing.jsonl"), "{ran:?}");
    assert!(!ran.err.contains("a new server"), "{ran:?}");
    assert!(!server.data().join("turnpost.db").exists());
}

#[test]
fn a_server_is_not_moved_to_its_own_database() {
    let server = Server::with_players();
    let target = server.database().map_or_else(|| "file".to_owned(), |database| database.url());
    let ran = server.shell(&format!("admin move --to {target}"));
    assert!(ran.status == 1 && ran.err.contains("the server already uses"), "{ran:?}");
}
