//! Every key of the configuration, with its meaning.

use serde::Serialize;

/// A key of the configuration.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Key {
    /// Its tables and its name, as `receive.idle`.
    pub path: &'static str,
    /// What counts without it, as it is written in TOML; none when there is no such value.
    pub default: Option<&'static str>,
    /// The form or the unit of its value.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn key(path: &'static str, default: Option<&'static str>, unit: &'static str, meaning: &'static str) -> Key {
    Key { path, default, unit, meaning }
}

/// Every key, by table. A test compares them with what is read.
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
        "Whether each letter has its own envelope sender, so that a bounce says which letter it is about.",
    ),
    key(
        "database",
        None,
        "address as \"postgresql://user@host/database\"",
        "A PostgreSQL database, used in place of turnpost.db in the data directory.",
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
        "How letters leave: as files in outgoing/ of the data directory, by a program, or to a mail server.",
    ),
    key("transport.command", Some("\"/usr/sbin/sendmail\""), "path", "The program (sendmail)."),
    key("transport.host", None, "host name", "The mail server (smtp)."),
    key("transport.port", None, "port", "Its port (smtp); by default 25, 587 or 465, as tls says."),
    key(
        "transport.tls",
        Some("\"starttls\""),
        "\"none\", \"starttls\" or \"wrapped\"",
        "How the connection is encrypted (smtp); none only for a server on this machine.",
    ),
    key("transport.user", None, "text", "The login name (smtp), if one is needed."),
    key(
        "transport.password_file",
        None,
        "file, relative to the data directory",
        "Its first line is the password (smtp); without it, the user logs in by [oauth].",
    ),
    key(
        "receive.lmtp",
        None,
        "\"unix:PATH\", a local address as \"127.0.0.1:2424\", or \"systemd\"",
        "Where serve listens for LMTP.",
    ),
    key("receive.sessions", Some("32"), "sessions", "The most LMTP sessions at a time."),
    key(
        "receive.idle",
        Some("300"),
        "seconds",
        "An LMTP session is closed, and turnpost mail ends, after this silence.",
    ),
    key("receive.maildir", None, "directory, relative to the data directory", "A Maildir whose new mails are taken."),
    key("receive.authserv_id", None, "host name", "Whose Authentication-Results are trusted; without it, nobody's."),
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
        "Who signs the server's certificate, in place of those that the system trusts.",
    ),
    key("receive.imap.user", None, "text", "The login name."),
    key(
        "receive.imap.password_file",
        None,
        "file, relative to the data directory",
        "Its first line is the password, read at each login; without it, the user logs in by [oauth].",
    ),
    key("receive.imap.mailbox", Some("\"INBOX\""), "mailbox", "The mailbox whose mails are taken; for turnpost alone."),
    key("receive.imap.folder", Some("\"Turnpost\""), "mailbox", "Where a mail is moved that was taken."),
    key("receive.imap.delete", Some("false"), "true or false", "Whether mails that were taken are deleted, not moved."),
    key(
        "oauth.provider",
        None,
        "\"google\" or \"microsoft\"",
        "Who gives access tokens for the mailbox, for users without a password_file; others by their endpoints.",
    ),
    key(
        "oauth.tenant",
        None,
        "identifier or domain",
        "The directory in which the client is registered (microsoft); by default common.",
    ),
    key("oauth.client_id", None, "text", "The identifier that the provider gave to your client."),
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
        "Where a mailbox is authorized by a code (RFC 8628), without a provider.",
    ),
    key(
        "oauth.authorization_endpoint",
        None,
        "https address",
        "Where a mailbox is authorized in the browser, without a provider.",
    ),
    key("oauth.token_endpoint", None, "https address", "Where tokens are given, without a provider."),
    key("oauth.scope", None, "words", "What is asked for there, without a provider: IMAP, SMTP and a refresh token."),
    key("web.listen", None, "address and port", "Where serve listens for HTTP: pages and API, for a proxy."),
    key("web.url", None, "http or https address", "The public address; links in letters begin with it."),
    key(
        "web.proxies",
        Some("[]"),
        "addresses or networks",
        "Proxies that are believed when they say for whom they ask.",
    ),
    key(
        "web.private_webhooks",
        Some("false"),
        "true or false",
        "Whether webhooks may use plain HTTP and lead into this network.",
    ),
    key(
        "backup.directory",
        None,
        "directory, relative to the data directory",
        "Where serve makes backups, if it does.",
    ),
    key("backup.every", Some("24"), "hours", "The time from one backup to the next."),
    key("backup.keep", Some("7"), "backups", "How many are kept."),
    key("metrics.listen", None, "address and port", "Where serve tells health and metrics: not for the public."),
    key(
        "metrics.stalled_after",
        Some("60"),
        "seconds",
        "After this time serve reports a worker that makes no progress although work waits.",
    ),
    key("robot.levels", Some("12"), "levels", "How many of ours can be challenged, from robot1 on; 0: none."),
    key("robot.seconds", Some("60"), "seconds", "How long one of ours thinks about a move at most."),
    key("robot.memory", Some("256"), "megabytes", "How much memory its search takes at most."),
    key(
        "robot.threads",
        None,
        "threads",
        "How many think at most about a move of robot12; else one for each processor.",
    ),
    key(
        "robot.engine.NAME.command",
        None,
        "list of words",
        "A program that speaks the Universal Game Interface and plays as robot-NAME; {game} and {options} are replaced.",
    ),
    key("robot.engine.NAME.games", None, "list of games", "The games that it plays."),
    key("robot.engine.NAME.seconds", Some("10"), "seconds", "How long it may think about a move."),
    key("robot.engine.NAME.memory", Some("1024"), "megabytes", "How much memory it may take."),
    key(
        "games.GAME.options",
        None,
        "options as a challenge has them, such as \"-opposite\"",
        "The options of a challenge that states none, for marque, brique or lazo; -y, -size=15 or -size=145 is built in.",
    ),
    key("policy.nagtime", Some("7"), "days", "Thinking time before the first reminder; 0: none."),
    key("policy.forfeittime", Some("21"), "days", "Thinking time on one move before the game is forfeited; 0: never."),
    key("policy.totaltime", Some("0"), "days", "Thinking time on all moves of a player; 0: no limit."),
    key("policy.vacation_days", Some("30"), "days", "Vacation that a player has each year."),
    key(
        "policy.unanswered",
        Some("20"),
        "challenges",
        "How many of a player's challenges may be unanswered at a time.",
    ),
    key("policy.letters_to_stranger", Some("5"), "letters a day", "To an address that no player has confirmed."),
    key(
        "policy.answers_to_stranger",
        Some("1"),
        "answers a day",
        "To an address that is no player's, apart from help pages and refusals.",
    ),
    key(
        "policy.letters_from_source",
        Some("20"),
        "letters a day",
        "To such addresses, because of one sender or client.",
    ),
    key(
        "policy.shortest_password",
        Some("8"),
        "characters",
        "The least length of a new password; passwords in use count as they are.",
    ),
    key(
        "policy.keep_mails",
        Some("0"),
        "days",
        "After so many days is erased who sent a mail, what it said and what became of it; 0: never.",
    ),
    key(
        "policy.keep_letters",
        Some("0"),
        "days",
        "After so many days, at least 30, a letter that was sent or given up is deleted; 0: never.",
    ),
    key(
        "policy.administrators",
        Some("[]"),
        "userids",
        "Players who may broadcast, see the pages below /admin, and are told of mails set aside.",
    ),
];

/// The tables whose tables have names of the administrator's, and what stands for such a name in the keys.
const NAMED: [(&str, &str); 2] = [("robot.engine.", "NAME"), ("games.", "GAME")];

/// The name in the keys for a name in a table.
pub(super) fn described<'a>(table: &str, name: &'a str) -> &'a str {
    NAMED.iter().find(|(named, _)| *named == table).map_or(name, |(_, described)| described)
}

/// The keys and tables directly in a table, whose path ends with a dot unless it is the whole.
pub(super) fn names_in(table: &str) -> impl Iterator<Item = &'static str> {
    let inside = KEYS.iter().filter_map(move |key| key.path.strip_prefix(table));
    inside.filter_map(|rest| rest.split('.').next())
}
