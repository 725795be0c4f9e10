//! Every configuration key with its meaning, and the commented configuration file generated from the keys.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

/// A configuration key.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Key {
    /// The names of the tables and of the key, as in `receive.idle`.
    pub path: &'static str,
    /// The default in TOML, if there is one.
    pub default: Option<&'static str>,
    /// The form or the unit of the value.
    pub unit: &'static str,
    /// A description for the administrator.
    pub meaning: &'static str,
}

impl Key {
    /// Returns the table and the name of the key.
    fn place(&self) -> (&'static str, &'static str) {
        self.path.rsplit_once('.').unwrap_or(("", self.path))
    }
}

const fn key(path: &'static str, default: Option<&'static str>, unit: &'static str, meaning: &'static str) -> Key {
    Key { path, default, unit, meaning }
}

/// Every key, by table. A test compares them with the keys that the parser reads.
pub const KEYS: &[Key] = &[
    key(
        "address",
        Some("\"turnpost@localhost\""),
        "mail address",
        "From of every letter; Message-IDs end with its domain.",
    ),
    key(
        "signed_senders",
        Some("true"),
        "true or false",
        "Whether each letter has its own envelope sender, so that a bounce identifies the letter.",
    ),
    key(
        "database",
        None,
        "address such as \"postgresql://user@host/database\"",
        "A PostgreSQL database, used instead of turnpost.db in the data directory.",
    ),
    key(
        "templates",
        None,
        "directory, relative to the data directory",
        "Its files override the embedded templates, one by one.",
    ),
    key(
        "transport.kind",
        Some("\"maildir\""),
        "\"maildir\", \"sendmail\" or \"smtp\"",
        "How letters are sent: as files in outgoing/ of the data directory, with a program, or to a mail server.",
    ),
    key("transport.command", Some("\"/usr/sbin/sendmail\""), "path", "The program (sendmail)."),
    key("transport.host", None, "host name", "The mail server (smtp)."),
    key("transport.port", None, "port", "Its port (smtp); by default 25, 587 or 465, depending on tls."),
    key(
        "transport.tls",
        Some("\"starttls\""),
        "\"none\", \"starttls\" or \"wrapped\"",
        "How the connection is encrypted (smtp); none only for a server on this machine.",
    ),
    key("transport.user", None, "text", "The login name (smtp), if required."),
    key(
        "transport.password_file",
        None,
        "file, relative to the data directory",
        "Its first line is the password (smtp); without it, the user logs in by [oauth].",
    ),
    key(
        "receive.lmtp",
        None,
        "\"unix:PATH\", a local address such as \"127.0.0.1:2424\", or \"systemd\"",
        "Where serve listens for LMTP.",
    ),
    key("receive.sessions", Some("32"), "sessions", "The maximum number of simultaneous LMTP sessions."),
    key(
        "receive.idle",
        Some("300"),
        "seconds",
        "An LMTP session is closed, and turnpost mail ends, after this silence.",
    ),
    key(
        "receive.maildir",
        None,
        "directory, relative to the data directory",
        "A Maildir from which new mail is taken.",
    ),
    key(
        "receive.authserv_id",
        None,
        "host name",
        "The server whose Authentication-Results are trusted; by default none.",
    ),
    key("receive.imap.host", None, "host name", "The IMAP server; its certificate must be for this name."),
    key("receive.imap.port", None, "port", "Its port; by default 993, or 143 where tls is not \"wrapped\"."),
    key(
        "receive.imap.tls",
        Some("\"wrapped\""),
        "\"none\", \"starttls\" or \"wrapped\"",
        "How the connection is encrypted; none only for a server on this machine.",
    ),
    key(
        "receive.imap.ca_file",
        None,
        "file (PEM), relative to the data directory",
        "Authorities for the server's certificate, instead of those that the system trusts.",
    ),
    key("receive.imap.user", None, "text", "The login name."),
    key(
        "receive.imap.password_file",
        None,
        "file, relative to the data directory",
        "Its first line is the password, read at each login; without it, the user logs in by [oauth].",
    ),
    key(
        "receive.imap.mailbox",
        Some("\"INBOX\""),
        "mailbox",
        "The mailbox from which mail is taken; only for turnpost.",
    ),
    key("receive.imap.folder", Some("\"Turnpost\""), "mailbox", "The mailbox for processed mail."),
    key("receive.imap.delete", Some("false"), "true or false", "Whether processed mail is deleted instead of moved."),
    key(
        "oauth.provider",
        None,
        "\"google\" or \"microsoft\"",
        "The issuer of access tokens for users without a password_file; configure other issuers by their endpoints.",
    ),
    key(
        "oauth.tenant",
        None,
        "identifier or domain",
        "The directory in which the client is registered (microsoft); by default common.",
    ),
    key("oauth.client_id", None, "text", "The identifier of your client, from the provider."),
    key(
        "oauth.client_secret_file",
        None,
        "file, relative to the data directory",
        "Its first line is the client's secret, if it has one (google: always).",
    ),
    key(
        "oauth.device_endpoint",
        None,
        "https address",
        "For another provider: the endpoint that authorizes a mailbox by a code (RFC 8628).",
    ),
    key(
        "oauth.authorization_endpoint",
        None,
        "https address",
        "For another provider: the endpoint that authorizes a mailbox in the browser.",
    ),
    key("oauth.token_endpoint", None, "https address", "For another provider: the endpoint for tokens."),
    key("oauth.scope", None, "words", "For another provider: the requested scope, for IMAP, SMTP and a refresh token."),
    key("web.listen", None, "address and port", "Where serve listens for HTTP requests, usually from a proxy."),
    key("web.url", None, "http or https address", "The public address; links in letters begin with it."),
    key("web.proxies", Some("[]"), "addresses or networks", "Proxies whose headers about their clients are trusted."),
    key(
        "web.private_webhooks",
        Some("false"),
        "true or false",
        "Whether webhooks may use plain HTTP and private addresses.",
    ),
    key(
        "backup.directory",
        None,
        "directory, relative to the data directory",
        "Where serve creates backups, if enabled.",
    ),
    key("backup.every", Some("24"), "hours", "The time from one backup to the next."),
    key("backup.keep", Some("7"), "backups", "The number of backups to retain."),
    key(
        "metrics.listen",
        None,
        "address and port",
        "Where serve provides health checks and metrics; not for the public.",
    ),
    key(
        "metrics.stalled_after",
        Some("60"),
        "seconds",
        "After this time, serve reports a worker without progress although work is waiting.",
    ),
    key("robot.levels", Some("12"), "levels", "The number of built-in computer players, from robot1; 0: none."),
    key("robot.seconds", Some("60"), "seconds", "The maximum time of a built-in computer player for a move."),
    key("robot.memory", Some("256"), "megabytes", "The maximum memory for a search of a built-in computer player."),
    key(
        "robot.threads",
        None,
        "threads",
        "The maximum number for a move of robot12; by default one for each processor.",
    ),
    key(
        "robot.engine.NAME.command",
        None,
        "list of words",
        "A program that speaks the Universal Game Interface and plays as robot-NAME; {game} and {options} are replaced.",
    ),
    key("robot.engine.NAME.games", None, "list of games", "The games that it plays."),
    key("robot.engine.NAME.seconds", Some("10"), "seconds", "The maximum time for a move."),
    key("robot.engine.NAME.memory", Some("1024"), "megabytes", "The maximum memory."),
    key(
        "games.GAME.options",
        None,
        "options in the form of a challenge, such as \"-opposite\"",
        "The default options of a challenge, for games with options; -y in marque or -size=15 in brique is built in.",
    ),
    key("events.players", Some("false"), "true or false", "Whether every player may create leagues, cups and ladders."),
    key("policy.nagtime", Some("7"), "days", "Thinking time before the first reminder; 0: none."),
    key("policy.forfeittime", Some("21"), "days", "Thinking time for one move before the game is forfeited; 0: never."),
    key("policy.totaltime", Some("0"), "days", "Thinking time for all moves of a player; 0: no limit."),
    key("policy.vacation_days", Some("30"), "days", "A player's vacation in each year."),
    key("policy.unanswered", Some("20"), "challenges", "The maximum number of a player's unanswered challenges."),
    key(
        "policy.letters_to_stranger",
        Some("5"),
        "letters a day",
        "The maximum number to an address that no player has confirmed.",
    ),
    key(
        "policy.answers_to_stranger",
        Some("1"),
        "answers a day",
        "The maximum number to an address that no player has, apart from help pages and refusals.",
    ),
    key(
        "policy.letters_from_source",
        Some("20"),
        "letters a day",
        "The maximum number that one sender or client can cause to unconfirmed addresses.",
    ),
    key(
        "policy.shortest_password",
        Some("8"),
        "characters",
        "The minimum length of a new password; existing passwords remain valid.",
    ),
    key(
        "policy.keep_messages",
        Some("0"),
        "days",
        "After this time, a message's sender, commands and reasons are erased; 0: never.",
    ),
    key(
        "policy.keep_letters",
        Some("0"),
        "days",
        "After this time, at least 30 days, a letter that was sent or given up is deleted; 0: never.",
    ),
    key(
        "policy.administrators",
        Some("[]"),
        "userids",
        "Players who may broadcast, see the pages below /admin, and are notified of quarantined mail.",
    ),
];

/// Tables whose subtables the administrator names, each with the placeholder for such a name in `KEYS`.
const NAMED: [(&str, &str); 2] = [("robot.engine.", "NAME"), ("games.", "GAME")];

/// Former keys, with their new names in the same table.
const RENAMED: [(&str, &str); 1] = [("policy.keep_mails", "keep_messages")];

/// Returns the new name of a former key.
pub(crate) fn new_name(table: &str, name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| old.strip_prefix(table) == Some(name)).map(|(_, new)| *new)
}

/// Returns the placeholder for a name that the administrator chose, or the name itself in other tables.
pub(crate) fn described<'a>(table: &str, name: &'a str) -> &'a str {
    NAMED.iter().find(|(named, _)| *named == table).map_or(name, |(_, described)| described)
}

/// Returns the keys and tables directly in a table. `table` is a path that ends with a dot, or is empty for the root.
pub(crate) fn names_in(table: &str) -> impl Iterator<Item = &'static str> {
    let inside = KEYS.iter().filter_map(move |key| key.path.strip_prefix(table));
    inside.filter_map(|rest| rest.split('.').next())
}

/// Returns the paths of the tables that have a key of this name. The path of the root is empty.
pub(crate) fn tables_with(name: &str) -> impl Iterator<Item = &'static str> {
    let places = KEYS.iter().map(Key::place);
    places.filter_map(move |(table, key)| (key == name).then_some(table))
}

/// Returns a TOML configuration with every key. Keys in `set` have their values; the others are commented out with
/// their defaults. The meaning of each key is above it.
pub fn commented(set: &BTreeMap<&str, toml::Value>) -> String {
    let mut text = String::from("# The configuration of turnpost. Keys that are commented out have their defaults.\n");
    let mut last = "";
    for key in KEYS {
        let (table, name) = key.place();
        if table != last {
            let is_used = set.keys().any(|path| path.rsplit_once('.').is_some_and(|(of, _)| of == table));
            let _ = writeln!(text, "\n{}[{table}]", if is_used { "" } else { "# " });
            last = table;
        }
        let _ = writeln!(text, "\n# {} ({})", key.meaning, key.unit);
        let _ = match (set.get(key.path), key.default) {
            (Some(value), _) => writeln!(text, "{name} = {value}"),
            (None, Some(default)) => writeln!(text, "# {name} = {default}"),
            (None, None) => writeln!(text, "# {name} ="),
        };
    }
    text
}
