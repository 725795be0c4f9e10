//! Recognises machine mail: bounces, reports, receipts, reactions, answers to invitations, vacation replies,
//! mailing-list mail, and this server's own mail.
//!
//! Machine mail is never answered (RFC 3834, section 2), because two machines would answer each other without end. Most
//! of it is marked in the headers. The rest is recognised by its sender or by the first sentence of the text. A subject
//! is enough only if a person would never write it. Relays also add some of the marks to people's mail. These marks are
//! ignored if the message contains a command.

use mailparse::{DispositionType, MailHeader, MailHeaderMap, ParsedMail};

use super::commands::find_commands;
use super::headers::{first, message_id};
use super::reply::begins_reply;
use super::words;
use crate::message;
use crate::text::Message;

/// A part of the link below a Gmail reaction, identical in every language.
const GMAIL_REACTION: &str = "emojireactionemail";
/// How many of the first lines may report a reaction, and the maximum number of characters of each.
const REACTION_LINES: usize = 3;
const REACTION_WIDTH: usize = 120;

/// Returns why a message is machine mail; `None` for a person's message. `text` is its readable text.
pub(crate) fn reason(
    headers: &[MailHeader<'_>],
    sender: Option<&str>,
    own_address: &str,
    text: &str,
) -> Option<Message> {
    let certain =
        || by_header(headers).or_else(|| by_sender(headers, sender, own_address)).or_else(|| by_text(headers, text));
    certain().or_else(|| doubtful(headers, text).filter(|_| !holds_command(headers, text)))
}

/// Returns whether a mail server reports on the delivery of another message, according to its sender, subject or first
/// words.
pub(crate) fn reports_delivery(headers: &[MailHeader<'_>], sender: Option<&str>, text: &str) -> bool {
    let local = sender.and_then(local_part).map(joined).unwrap_or_default();
    ["mailerdaemon", "postmaster", "maildaemon", "mdaemon"].iter().any(|name| local.starts_with(name))
        || has_telling_name(headers)
        || begins_report(&subject(headers), text)
}

/// Returns whether a message contains a command, or begins like an answer to a letter.
fn holds_command(headers: &[MailHeader<'_>], text: &str) -> bool {
    find_commands(first(headers, "subject").as_deref(), text).has_command() || begins_reply(text)
}

/// Returns the value of a header field before its parameters and comments, in lower case.
fn word(headers: &[MailHeader<'_>], name: &str) -> Option<String> {
    first(headers, name).map(|value| value.split([';', '(']).next().unwrap_or_default().trim().to_lowercase())
}

fn by_header(headers: &[MailHeader<'_>]) -> Option<Message> {
    if word(headers, "auto-submitted").is_some_and(|value| value != "no") {
        return Some(message!("verdict.auto-submitted"));
    }
    if first(headers, "return-path").is_some_and(|value| value.split_whitespace().collect::<String>() == "<>") {
        return Some(message!("verdict.empty-envelope-sender"));
    }
    if word(headers, "precedence")
        .is_some_and(|value| matches!(value.as_str(), "bulk" | "junk" | "list" | "auto_reply" | "auto-reply"))
    {
        return Some(message!("verdict.precedence"));
    }
    if WORDS.headers.iter().any(|name| headers.get_first_header(name).is_some()) {
        return Some(message!("verdict.telling-header"));
    }
    if word(headers, "x-mailer").is_some_and(|value| value.contains("vacation") || value.contains("autorespon"))
        || word(headers, "x-post-messageclass").is_some_and(|value| value.starts_with('9'))
        || word(headers, "delivered-to").is_some_and(|value| value == "autoresponder")
    {
        return Some(message!("verdict.automatic-answer"));
    }
    if word(headers, "content-class").is_some_and(|value| value == "urn:content-classes:calendarmessage") {
        return Some(message!("verdict.calendar-answer"));
    }
    let content = first(headers, "content-type").map(|value| mailparse::parse_content_type(&value))?;
    let is_report = is_report(&content.mimetype) || content.params.contains_key("report-type");
    is_report.then(|| message!("verdict.report"))
}

/// Returns why a message is machine mail, if this MIME part shows that.
pub(crate) fn by_part(part: &ParsedMail<'_>) -> Option<Message> {
    let disposition = part.get_content_disposition().disposition;
    match part.ctype.mimetype.as_str() {
        report if is_report(report) => Some(message!("verdict.report")),
        // RFC 9078, and Gmail's variant.
        "text/vnd.google.email-reaction+json" => Some(message!("verdict.reaction")),
        _ if disposition == DispositionType::Extension("reaction".to_owned()) => Some(message!("verdict.reaction")),
        "text/calendar" | "application/ics" if answers_invitation(part) => Some(message!("verdict.calendar-answer")),
        _ => None,
    }
}

/// Returns whether a calendar part answers an invitation (RFC 5546, 1.4).
fn answers_invitation(part: &ParsedMail<'_>) -> bool {
    let is_answer = |method: &str| matches!(method, "reply" | "counter" | "refresh" | "declinecounter");
    if let Some(method) = part.ctype.params.get("method") {
        return is_answer(&method.to_lowercase());
    }
    let body = part.get_body().unwrap_or_default();
    let mut methods = body.lines().filter_map(|line| line.split_once(':')).filter(|(name, _)| *name == "METHOD");
    methods.any(|(_, method)| is_answer(&method.trim().to_lowercase()))
}

/// Returns whether a part of this MIME type is a report.
fn is_report(mimetype: &str) -> bool {
    matches!(
        mimetype,
        "multipart/report"
            | "message/delivery-status"
            | "message/disposition-notification"
            | "message/feedback-report"
            | "message/global-delivery-status"
    )
}

fn by_sender(headers: &[MailHeader<'_>], sender: Option<&str>, own_address: &str) -> Option<Message> {
    let path = first(headers, "return-path").unwrap_or_default().trim().trim_matches(['<', '>']).to_lowercase();
    let from = sender.unwrap_or_default();
    if is_ours(from, own_address) || is_ours(&path, own_address) {
        return Some(message!("verdict.own-address"));
    }
    let own_domain = own_address.rsplit_once('@').map_or("", |(_, domain)| domain);
    if message_id(headers).is_some_and(|id| is_our_id(&id, own_domain)) {
        return Some(message!("verdict.own-mail"));
    }
    // A sender without a readable address may still have a recognisable name.
    if is_machine(from) || has_telling_name(headers) {
        return Some(message!("verdict.machine-sender"));
    }
    let service = local_part(&path).is_some_and(|local| WORDS.services.contains(&local));
    (service && !from.is_empty() && from != path).then(|| message!("verdict.program"))
}

fn has_telling_name(headers: &[MailHeader<'_>]) -> bool {
    let name = first(headers, "from").unwrap_or_default().to_lowercase();
    ["mailer-daemon", "mailer daemon", "mail delivery s", "mail administrator", "system administrator"]
        .iter()
        .chain(&["microsoftexchange329e"])
        .any(|words| name.contains(words))
}

fn local_part(address: &str) -> Option<&str> {
    address.rsplit_once('@').map(|(local, _)| local).filter(|local| !local.is_empty())
}

/// Returns whether an address is ours, with or without an extension after `+` or `=`.
fn is_ours(address: &str, own_address: &str) -> bool {
    let own_address = own_address.to_lowercase();
    let (Some((local, domain)), Some((own, own_domain))) = (address.rsplit_once('@'), own_address.rsplit_once('@'))
    else {
        return false;
    };
    domain == own_domain && local.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', '=']))
}

/// Returns whether an ID has the form `<number.server@our domain>`, where the server is ten hex digits, or
/// `<number.server.token@our domain>`.
fn is_our_id(id: &str, own_domain: &str) -> bool {
    let Some((local, domain)) = id.trim_matches(['<', '>']).rsplit_once('@') else { return false };
    let mut parts = local.split('.');
    let (number, server) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let alphanumeric = |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    domain.eq_ignore_ascii_case(own_domain)
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && server.len() == 10
        && server.bytes().all(|byte| byte.is_ascii_hexdigit())
        && parts.next().is_none_or(alphanumeric)
        && parts.next().is_none()
}

/// Removes separators from a local part, so that `post_master` and `no.reply` are recognised as names of machines.
fn joined(local: &str) -> String {
    local.chars().filter(|c| !matches!(c, '-' | '_' | '.')).collect()
}

fn is_machine(address: &str) -> bool {
    let Some(local) = local_part(address) else {
        return matches!(joined(address).as_str(), "mailerdaemon" | "postmaster");
    };
    let ends = (1..=local.len())
        .filter(|&at| local.is_char_boundary(at) && !local[at..].starts_with(|c: char| c.is_ascii_alphanumeric()));
    let mut beginnings = ends.map(|at| joined(&local[..at]));
    beginnings.any(|name| WORDS.senders.contains(&name.as_str()))
        || ["noreply", "no-reply", "donotreply", "do-not-reply"].iter().any(|name| local.contains(name))
        || ["-bounces", "-bounce", "-daemon", "-errors"].iter().any(|end| local.ends_with(end))
        || local.contains("-bounces+")
        || local.starts_with("owner-")
        || local.starts_with("prvs=bounce")
}

/// Returns whether a relay has replaced the envelope sender, as some relays do with people's mail to receive its
/// bounces: `bounces+17-ab-alice=example.org@`.
fn is_relay(path: &str) -> bool {
    local_part(path).is_some_and(|local| local.starts_with("bounce") || local.starts_with("prvs=bounce"))
}

/// Returns the subject in lower case, like the word lists.
fn subject(headers: &[MailHeader<'_>]) -> String {
    first(headers, "subject").unwrap_or_default().trim().to_lowercase()
}

/// Returns the first `most` characters of a text.
fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Normalizes a text for comparison with the word lists: lower case, straight apostrophes.
fn in_form_of_tables(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

fn begins_report(subject: &str, text: &str) -> bool {
    let words: Vec<&str> = beginning(text, 3000).split_whitespace().take(40).collect();
    let begin = in_form_of_tables(&words.join(" "));
    WORDS.report_subjects.iter().any(|words| subject.starts_with(words))
        || WORDS.reports.iter().any(|words| begin.starts_with(words))
}

fn by_text(headers: &[MailHeader<'_>], text: &str) -> Option<Message> {
    let subject = subject(headers);
    if begins_report(&subject, text) {
        return Some(message!("verdict.reports"));
    }
    if text.contains(GMAIL_REACTION) {
        return Some(message!("verdict.reaction"));
    }
    is_marked(&subject, &WORDS.automatic_subjects).then(|| message!("verdict.automatic-subject"))
}

/// Returns whether a subject is marked as automatic: `Automatic reply: Marque Board 7`, or `[Auto-Reply] Marque Board
/// 7`.
fn is_marked(subject: &str, marks: &[&str]) -> bool {
    let subject = subject.trim_start_matches(['[', '(']);
    let mut rests = marks.iter().filter_map(|words| subject.strip_prefix(words));
    rests.any(|rest| rest.trim_start().starts_with([':', '：', ']', ')']))
}

/// Returns whether the first lines of a text report a reaction. Some programs send this text without a reaction part.
fn tells_reaction(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(REACTION_LINES);
    let mut short = lines.filter(|line| line.chars().count() <= REACTION_WIDTH).map(in_form_of_tables);
    short.any(|line| WORDS.reactions.iter().any(|words| line.contains(words)))
}

/// Returns why a message looks like machine mail, although it may be from a person.
fn doubtful(headers: &[MailHeader<'_>], text: &str) -> Option<Message> {
    if WORDS.doubtful_headers.iter().any(|name| headers.get_first_header(name).is_some()) {
        return Some(message!("verdict.doubtful-header"));
    }
    let path = first(headers, "return-path").unwrap_or_default().trim().trim_matches(['<', '>']).to_lowercase();
    if is_machine(&path) && !is_relay(&path) {
        return Some(message!("verdict.machine-envelope-sender"));
    }
    let subject = subject(headers);
    let forwarded = ["fwd:", "fw:", "wg:", "tr:", "rv:", "i:"].iter().find_map(|prefix| subject.strip_prefix(prefix));
    if forwarded.is_some_and(|subject| begins_report(subject.trim_start(), ""))
        || WORDS.report_words.iter().any(|words| subject.contains(words))
    {
        return Some(message!("verdict.report-subject"));
    }
    if is_marked(&subject, &WORDS.receipt_subjects) {
        return Some(message!("verdict.receipt"));
    }
    if is_marked(&subject, &WORDS.calendar_subjects) {
        return Some(message!("verdict.calendar-answer"));
    }
    if tells_reaction(text) {
        return Some(message!("verdict.reaction"));
    }
    let away = WORDS.away_subjects.iter().any(|words| subject.starts_with(words));
    let evidence = || {
        let start = in_form_of_tables(beginning(text, 3000));
        headers.get_first_header("x-auto-response-suppress").is_some()
            || WORDS.away_texts.iter().any(|words| start.contains(words))
    };
    (away && evidence()).then(|| message!("verdict.away"))
}

words::define! {
    static WORDS: Words = "words/machine.txt" {
        /// Header fields that a person's message never contains.
        headers,
        /// Header fields of machine mail that a person's message may also contain.
        doubtful_headers,
        /// The beginnings of machines' addresses.
        senders,
        /// The local parts of addresses from which services send mail.
        services,
        /// The first words of reports about a message.
        reports,
        /// The beginnings of the subjects of reports.
        report_subjects,
        /// Words in the subjects of reports that a person may also use.
        report_words,
        /// The beginnings of the subjects of automatic answers.
        automatic_subjects,
        /// The beginnings of the subjects of receipts.
        receipt_subjects,
        /// The beginnings of the subjects of answers to invitations.
        calendar_subjects,
        /// Phrases that report a reaction to a message.
        reactions,
        /// The beginnings of the subjects of vacation replies.
        away_subjects,
        /// The phrases of vacation replies.
        away_texts,
    }
}
