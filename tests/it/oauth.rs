//! Mail through a provider that requires OAuth instead of a password.

mod provider;
mod tokens;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use data_encoding::BASE64;
use turnpost::config::Config;
use turnpost::mail::oauth::DeviceFlow;

use crate::common::database::sql;
use crate::common::imap::{Fake, Talk};
use crate::common::serving::{Serving, free_port, wait_until};
use crate::common::{Ran, Server, done};
use crate::imap::Dovecot;
use provider::{Provider, SECRETS, Submission, field, shown};

/// A game server that sends letters through a mail server, to which it logs in with OAuth tokens.
struct Mailbox {
    server: Server,
    provider: Provider,
    submission: Submission,
}

impl Mailbox {
    /// Creates a server without an OAuth authorization.
    fn new() -> Mailbox {
        Mailbox::of(Server::with_players())
    }

    fn of(server: Server) -> Mailbox {
        let provider = Provider::start();
        let submission = Submission::start(&provider);
        let mailbox = Mailbox { server, provider, submission };
        mailbox.server.configure(mailbox.config());
        mailbox
    }

    fn authorized() -> Mailbox {
        Mailbox::new().and_authorized()
    }

    fn and_authorized(self) -> Mailbox {
        self.authorize();
        self
    }

    fn config(&self) -> String {
        self.submission.config() + &self.provider.config(&self.server, &["device"])
    }

    /// Returns the configuration, including the IMAP mailbox from which the server reads mail.
    fn config_with(&self, imap: &Fake) -> String {
        let mailbox = imap.config(&self.server).replace("\"turnpost\"", "\"turnpost@games.example\"");
        let without_password = mailbox.lines().filter(|line| !line.starts_with("password_file"));
        without_password.fold(self.config(), |config, line| config + line + "\n")
    }

    fn authorize(&self) -> String {
        let ran = self.server.shell("admin authorize-mailbox");
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
        ran.out
    }

    /// Runs `admin authorize-mailbox`, which must be refused with these words and store nothing.
    fn is_refused(&self, words: &str) {
        let ran = self.server.shell("admin authorize-mailbox");
        assert!(ran.status == 1 && ran.err.contains(words), "{words:?} is not in {ran:?}");
        assert!(!self.server.data().join("oauth.json").exists());
        tells_no_secret(&ran.out);
        tells_no_secret(&ran.err);
    }

    /// Sends a letter to bob. Returns the program's output.
    fn letter(&self) -> Ran {
        let ran = self.server.shell("message alice wonderland bob --say=hello");
        tells_no_secret(&ran.err);
        ran
    }
}

fn tells_no_secret(text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} is in {text}");
        assert!(
            !text.contains(
                &BASE64.encode(format!("user=turnpost@games.example\x01auth=Bearer {secret}").as_bytes())[..60]
            )
        );
    }
}

/// Returns the lines of a log that warn the administrator.
fn alarms(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains("ERROR")).collect()
}

/// The capabilities of an IMAP server that accepts OAuth tokens, without and with support for an initial response.
const CAPABILITIES: &str = "* CAPABILITY IMAP4rev1 IDLE MOVE UIDPLUS AUTH=XOAUTH2";
const WITH_FIRST_RESPONSE: &str = "* CAPABILITY IMAP4rev1 IDLE MOVE UIDPLUS AUTH=PLAIN AUTH=XOAUTH2 SASL-IR";

/// Greets the client and waits for its login. Returns the tag and the token of the login.
fn token(talk: &mut Talk, capabilities: &str) -> (String, String) {
    talk.say("* OK hello\r\n");
    talk.reply("CAPABILITY", &format!("{capabilities}\r\n"), "OK");
    let line = talk.hear();
    let (tag, command) = line.split_once(' ').unwrap();
    let response = match command.strip_prefix("AUTHENTICATE XOAUTH2").unwrap() {
        "" => {
            talk.say("+ \r\n");
            talk.hear()
        }
        first => first.trim_start().to_owned(),
    };
    let (user, token) = shown(&response);
    assert_eq!(user, "turnpost@games.example");
    (tag.to_owned(), token)
}

/// Accepts the login, and answers the client's commands until it searches for messages.
fn let_in(talk: &mut Talk, tag: &str, capabilities: &str) {
    talk.say(&format!("{tag} OK welcome\r\n"));
    talk.reply("CAPABILITY", &format!("{capabilities}\r\n"), "OK");
    talk.reply("SELECT INBOX", "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n", "OK [READ-WRITE]");
    talk.reply("STATUS Turnpost", "", "OK");
}

#[test]
fn an_authorized_mailbox_receives_and_sends_mail() {
    let mut mailbox = Mailbox::new();
    mailbox.provider.state().answers.extend([(400, "authorization_pending"), (400, "authorization_pending")]);
    let told = mailbox.authorize();
    assert!(told.contains("https://provider.example/device\n") && told.contains("WDJB-MJHT\n"), "{told}");
    assert!(told.contains("within 15 minutes") && told.contains("check-config"), "{told}");
    tells_no_secret(&told);
    assert_eq!(mailbox.provider.asked("device_code"), 3);
    let file = mailbox.server.data().join("oauth.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&file).unwrap().contains("refresh-secret-1"));
    let ran = mailbox.server.shell("check-config");
    assert!(ran.status == 0 && ran.out.contains("no fault was found"), "{ran:?}");

    let imap = Fake::new();
    let serving = Serving::logging(&mailbox.server, &mailbox.config_with(&imap), "debug");
    let mut talk = imap.accept();
    let (tag, shown) = token(&mut talk, WITH_FIRST_RESPONSE);
    assert!(mailbox.provider.takes("turnpost@games.example", &shown), "{shown}");
    let_in(&mut talk, &tag, WITH_FIRST_RESPONSE);
    talk.reply("UID SEARCH UNDELETED", "* SEARCH 7\r\n", "OK");
    let mail = mailbox.server.compose("alice@example.org", "marque challenge alice bob", "");
    talk.give(7, &mail);
    talk.reply("UID MOVE 7 Turnpost", "", "OK");
    wait_until("letters to both players", || {
        (mailbox.submission.taken() == ["alice@example.org", "bob@example.org"]).then_some(())
    });
    let log = serving.stop();
    tells_no_secret(&log);
    assert!(log.contains("letter sent") && log.contains("connected by IMAP"), "{log}");
    for line in ["admin", "admin outbox", "admin inbox", "admin export --without-key"] {
        tells_no_secret(&done(&mailbox.server, line));
    }
}

#[test]
fn a_browser_authorizes_providers_without_device_codes() {
    let mailbox = Mailbox::new();
    let config = mailbox.submission.config() + &mailbox.provider.config(&mailbox.server, &["authorization"]);
    mailbox.server.configure(config);
    let mut asked = Vec::new();
    for (pasted, says) in [
        ("http://localhost/?code=browser-secret&state=another", "belongs to another authorization"),
        (
            "http://localhost/?error=access_denied&state=STATE",
            "the request was denied on the provider's page (access_denied)",
        ),
        ("http://localhost/?state=STATE", "this address contains no code"),
        ("browser-secret", "this is not the address"),
        ("", "this is not the address"),
        ("http://localhost/?state=STATE&code=old", "the provider refuses this code"),
    ] {
        let (ran, address) = in_browser(&mailbox, pasted);
        assert!(ran.status == 1 && ran.err.contains(says), "{pasted}: {ran:?}");
        assert!(!mailbox.server.data().join("oauth.json").exists(), "{pasted}");
        tells_no_secret(&(ran.out + &ran.err));
        asked.push((value(&address, "state"), value(&address, "code_challenge")));
    }
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 6, "each request has a separate state and challenge");
    let (ran, address) = in_browser(&mailbox, "http://localhost/?state=STATE&iss=x&code=browser-secret&scope=mail#_=_");
    assert_eq!(ran.status, 0, "{ran:?}");
    for (name, expected) in [
        ("response_type", "code"),
        ("client_id", "turnpost-client"),
        ("redirect_uri", "http://localhost"),
        ("scope", "mail offline_access"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(value(&address, name), expected, "{address}");
    }
    mailbox.letter();
    assert_eq!(mailbox.submission.taken(), ["bob@example.org"]);
}

/// Returns the value of a parameter in a URL.
fn value(address: &str, name: &str) -> String {
    let query = address.split_once('?').unwrap().1;
    let fields = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    field(&fields, name).unwrap_or_default().to_owned()
}

/// Runs `admin authorize-mailbox --in-browser` and pastes this address, in which `STATE` is replaced by the request's
/// state. Also returns the URL to open in the browser.
fn in_browser(mailbox: &Mailbox, pasted: &str) -> (Ran, String) {
    let mut program = mailbox.server.program();
    program.args(["admin", "authorize-mailbox", "--in-browser"]);
    let mut child: Child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut address = String::new();
    while !address.starts_with("http") {
        address.clear();
        assert!(out.read_line(&mut address).unwrap() > 0);
    }
    mailbox.provider.state().challenge = value(address.trim_end(), "code_challenge");
    let pasted = pasted.replace("STATE", &value(address.trim_end(), "state"));
    writeln!(child.stdin.take().unwrap(), "{pasted}").unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let mut ran = Ran::from(child.wait_with_output().unwrap());
    ran.out = rest;
    (ran, address.trim_end().to_owned())
}

#[test]
fn authorization_failures_are_explained() {
    let mailbox = Mailbox::new();
    for (answer, words) in [
        ((400, "access_denied"), "the request was denied on the provider's page"),
        ((400, "authorization_declined"), "the request was denied on the provider's page"),
        ((400, "expired_token"), "the code expired before it was entered: run the command again"),
        ((401, "invalid_client"), "are provider, tenant, client_id and client_secret_file of [oauth] right?"),
        ((400, "invalid_scope"), "the provider issued no access token (invalid_scope"),
    ] {
        mailbox.provider.state().answers.extend([(400, "authorization_pending"), answer]);
        mailbox.is_refused(words);
    }
    fs::remove_file(mailbox.server.data().join("client")).unwrap();
    mailbox.is_refused("cannot read the client_secret_file");
    let ran = mailbox.server.shell("admin authorize-mailbox --in-browser");
    assert!(ran.status == 1 && ran.err.contains("cannot read the client_secret_file"), "{ran:?}");
    mailbox.server.configure(mailbox.config());
    let ran = mailbox.server.shell("admin authorize-mailbox --in-browser");
    assert!(ran.status == 1 && ran.err.contains("without --in-browser"), "{ran:?}");
    // If the provider cannot be reached, the exit status says that another attempt may succeed.
    let port = format!(":{}/", mailbox.provider.port);
    mailbox.server.configure(mailbox.config().replace(&port, &format!(":{}/", free_port())));
    let ran = mailbox.server.shell("admin authorize-mailbox");
    assert!(ran.status == 75 && ran.err.contains("the provider of access tokens: "), "{ran:?}");
    mailbox.server.configure("");
    mailbox.is_refused("there is no [oauth] in turnpost.toml");
}

#[test]
fn a_provider_limits_the_rate_of_requests() {
    let mailbox = Mailbox::new();
    let config = Config::read(mailbox.server.data()).unwrap().oauth.unwrap();
    mailbox.provider.state().answers.extend([
        (400, "authorization_pending"),
        (400, "slow_down"),
        (400, "authorization_pending"),
        (400, "slow_down"),
        (503, "temporarily_unavailable"),
    ]);
    let mut waits = Vec::new();
    let flow = DeviceFlow::begin(&config).unwrap().unwrap();
    flow.finish(&mut |time: Duration| waits.push(time.as_secs())).unwrap();
    assert_eq!(waits, [0, 0, 5, 5, 10, 20]);
}

#[test]
fn letters_wait_until_the_mailbox_is_authorized_again() {
    let mailbox = Mailbox::authorized();
    let serving = Serving::start(&mailbox.server, &mailbox.config());
    mailbox.letter();
    wait_until("the first letter to be sent", || serving.log().contains("letter sent").then_some(()));
    // The owner of the mailbox revokes the authorization.
    (mailbox.provider.state().grant, mailbox.provider.state().first_valid) = (None, 100);
    serving.stop();
    let serving = Serving::start(&mailbox.server, &mailbox.config());
    for _ in 0..3 {
        mailbox.letter();
    }
    wait_until("a log line about the waiting letters", || serving.log().contains("all letters wait").then_some(()));
    let log = serving.log();
    let told = alarms(&log);
    assert!(told.len() == 1 && told[0].contains("no longer authorized"), "{log}");
    assert!(told[0].contains("run `turnpost admin authorize-mailbox`"), "{log}");
    // The server has not tried to send the letters, so they have no errors.
    let waiting = "SELECT attempts, coalesce(error, '-') FROM outbox WHERE sent_at IS NULL";
    assert_eq!(sql(&mailbox.server, waiting), "0|-\n0|-\n0|-");
    assert_eq!(done(&mailbox.server, "admin players --paused"), "Nothing.\n");
    // `tick` does not try to send them either.
    let log = serving.stop();
    tells_no_secret(&log);
    assert!(!log.contains("letter not sent") && !log.contains("given up"), "{log}");
    done(&mailbox.server, "tick");
    assert_eq!(sql(&mailbox.server, waiting), "0|-\n0|-\n0|-");

    let serving = Serving::start(&mailbox.server, &mailbox.config());
    mailbox.provider.state().first_valid = 1;
    mailbox.authorize();
    // Notices that waited together form one letter.
    wait_until("all letters to be sent", || {
        (done(&mailbox.server, "admin outbox --undelivered") == "Nothing.\n").then_some(())
    });
    let log = serving.stop();
    tells_no_secret(&log);
    assert!(alarms(&log).is_empty() && mailbox.submission.taken().len() > 1, "{log}");
}

#[test]
fn mail_is_fetched_again_after_the_mailbox_was_authorized() {
    let mailbox = Mailbox::new();
    let imap = Fake::new();
    let serving = Serving::start(&mailbox.server, &mailbox.config_with(&imap));
    wait_until("an error about fetching mail", || serving.log().contains("cannot fetch mail over IMAP").then_some(()));
    assert!(serving.log().contains("not authorized yet: run `turnpost admin authorize-mailbox`"), "{}", serving.log());
    mailbox.authorize();
    // The token is refused as expired, and the next one is accepted.
    let mut talk = imap.accept();
    let (tag, first) = token(&mut talk, CAPABILITIES);
    talk.say(&format!("+ {}\r\n", BASE64.encode(br#"{"status":"400"}"#)));
    assert_eq!(talk.hear(), "");
    talk.say(&format!("{tag} NO [AUTHENTICATIONFAILED] expired: {first}\r\n"));
    let mut talk = imap.accept();
    let (tag, second) = token(&mut talk, WITH_FIRST_RESPONSE);
    assert_ne!(first, second);
    let_in(&mut talk, &tag, WITH_FIRST_RESPONSE);
    talk.reply("UID SEARCH UNDELETED", "* SEARCH\r\n", "OK");
    talk.command("IDLE");
    let log = serving.stop();
    tells_no_secret(&log);
    assert_eq!(alarms(&log).len(), 1, "{log}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Dovecot: ./test runs it")]
fn a_real_mail_server_accepts_the_tokens_of_the_provider() {
    for mechanism in ["xoauth2", "oauthbearer"] {
        let mut mailbox = Mailbox::authorized();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::set_permissions(elsewhere.path(), Permissions::from_mode(0o755)).unwrap();
        let file = elsewhere.path().join("oauth2.conf");
        let address = format!("http://127.0.0.1:{}/tokeninfo?access_token=", mailbox.provider.port);
        fs::write(&file, format!("tokeninfo_url = {address}\nusername_attribute = user\n")).unwrap();
        let mut dovecot = Dovecot::start(&format!(
            "auth_mechanisms = plain {mechanism}\npassdb {{\n  driver = oauth2\n  mechanisms = {mechanism}\n  args = {}\n}}",
            file.display()
        ));
        let mail = mailbox.server.compose("alice@example.org", "marque challenge alice bob", "");
        dovecot.deliver(&mail, "");
        let imap = dovecot.wrapped(&mailbox.server, "").replace("\"turnpost\"", "\"turnpost@games.example\"");
        let imap: Vec<&str> = imap.lines().filter(|line| !line.starts_with("password_file")).collect();
        // The provider invalidates the first token before it expires.
        mailbox.provider.state().first_valid = 3;
        let serving = Serving::start(&mailbox.server, &(mailbox.config() + &imap.join("\n")));
        wait_until("letters to both players", || (mailbox.submission.taken().len() == 2).then_some(()));
        let log = serving.stop();
        assert!(log.contains("connected by IMAP") && alarms(&log).is_empty(), "{log}{}", dovecot.log());
        tells_no_secret(&log);
    }
}

#[test]
fn a_refused_token_is_reported_with_the_reason() {
    let mailbox = Mailbox::authorized();
    let imap = Fake::new();
    let serving = Serving::start(&mailbox.server, &mailbox.config_with(&imap));
    for _ in 0..2 {
        let mut talk = imap.accept();
        let (tag, shown) = token(&mut talk, WITH_FIRST_RESPONSE);
        let response = BASE64.encode(format!("user=turnpost@games.example\x01auth=Bearer {shown}\x01\x01").as_bytes());
        // The IMAP server repeats the token in its challenge, and then sends another challenge.
        talk.say(&format!("+ {}\r\n", BASE64.encode(format!("no {shown}").as_bytes())));
        assert_eq!(talk.hear(), "");
        talk.say("+ \r\n");
        assert_eq!(talk.hear(), "*");
        talk.say(&format!("{tag} NO not {response}\r\n"));
    }
    let log = wait_until("an error about fetching mail", || {
        Some(serving.log()).filter(|log| log.contains("cannot fetch mail over IMAP"))
    });
    assert!(log.contains("refuses the access token for") && log.contains("not *** (no ***)"), "{log}");
    assert_eq!(alarms(&log).len(), 1, "{log}");
    tells_no_secret(&serving.stop());
    // This IMAP server supports only the standard mechanism, OAUTHBEARER.
    let serving = Serving::start(&mailbox.server, &mailbox.config_with(&imap));
    let mut talk = imap.accept();
    talk.say("* OK hello\r\n");
    talk.reply("CAPABILITY", "* CAPABILITY IMAP4rev1 AUTH=OAUTHBEARER SASL-IR\r\n", "OK");
    let line = talk.hear();
    let response = line.split_once("AUTHENTICATE OAUTHBEARER ").unwrap().1;
    let response = String::from_utf8(BASE64.decode(response.as_bytes()).unwrap()).unwrap();
    assert!(response.starts_with("n,a=turnpost@games.example,\x01auth=Bearer access-secret-"), "{response:?}");
    talk.say(&format!("+ {}\r\n", BASE64.encode(br#"{"status":"invalid_token"}"#)));
    assert_eq!(BASE64.decode(talk.hear().as_bytes()).unwrap(), b"\x01");
    serving.stop();
}

#[test]
fn a_silent_provider_delays_letters_and_loses_none() {
    let mailbox = Mailbox::authorized();
    mailbox.provider.state().answers.extend([(503, ""), (503, "")]);
    let ran = mailbox.letter();
    assert!(
        ran.err.contains("the provider of access tokens: status 503") && alarms(&ran.err).is_empty(),
        "{}",
        ran.err
    );
    assert!(done(&mailbox.server, "admin outbox --undelivered").contains("due again"));
    assert_eq!(done(&mailbox.server, "admin players --paused"), "Nothing.\n");
    mailbox.provider.state().answers.clear();
    done(&mailbox.server, "admin resend 1");
    assert!(mailbox.submission.taken().contains(&"bob@example.org".to_owned()));
}

#[test]
fn check_config_requests_a_token() {
    let mailbox = Mailbox::new();
    let line = mailbox.config().lines().position(|line| line == "[oauth]").unwrap() + 1;
    let finds = |words: &str| {
        let ran = mailbox.server.shell("check-config");
        let told = format!("line {line}: {words}");
        assert!(
            ran.status == 78 && ran.out.lines().count() == 1 && ran.out.contains(&told),
            "{told:?} is not in {ran:?}"
        );
        tells_no_secret(&ran.out);
    };
    fs::write(mailbox.server.data().join("turnpost.toml"), mailbox.config()).unwrap();
    finds("the mailbox is not authorized yet: run `turnpost admin authorize-mailbox`");
    fs::write(mailbox.server.data().join("oauth.json"), "refresh-secret-1").unwrap();
    let ran = mailbox.server.shell("check-config");
    assert!(ran.status == 78 && ran.out.contains("oauth.json is damaged: run"), "{ran:?}");
    mailbox.authorize();
    mailbox.provider.state().answers.push_back((400, "invalid_grant"));
    finds("the mailbox is no longer authorized (invalid_grant: says *** ***): run");
    mailbox.provider.state().answers.push_back((500, "server_error"));
    finds("the provider of access tokens: server_error");
    assert_eq!(mailbox.server.shell("check-config").status, 0);
}

#[test]
fn a_backup_holds_the_refresh_token() {
    let mailbox = Mailbox::of(Server::in_a_file().and_players()).and_authorized();
    let elsewhere = tempfile::tempdir().unwrap();
    let (file, restored) = (elsewhere.path().join("backup"), Server::without_database());
    done(&mailbox.server, &format!("admin backup {}", file.display()));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    done(&restored, &format!("admin restore {}", file.display()));
    let token = restored.data().join("oauth.json");
    assert_eq!(
        fs::read_to_string(&token).unwrap(),
        fs::read_to_string(mailbox.server.data().join("oauth.json")).unwrap()
    );
    assert_eq!(fs::metadata(&token).unwrap().permissions().mode() & 0o777, 0o600);
    done(&restored, "message alice wonderland bob --say=hello");
    assert_eq!(mailbox.submission.taken(), ["bob@example.org"]);
}
