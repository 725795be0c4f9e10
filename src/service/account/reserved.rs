//! Reserved userids, which players would confuse with the server or its administrators.

/// The reserved userids in lower case. They include the mailbox names of RFC 2142 that a person might choose.
const RESERVED: [&str; 20] = [
    "abuse",
    "admin",
    "administrator",
    "daemon",
    "hostmaster",
    "info",
    "mailer-daemon",
    "me",
    "moderator",
    "no-reply",
    "nobody",
    "noreply",
    "operator",
    "postmaster",
    "root",
    "security",
    "support",
    "system",
    "turnpost",
    "webmaster",
];

/// Returns whether a userid is reserved, or equals the first label of the server's domain.
pub(crate) fn is_reserved(userid: &str, domain: &str) -> bool {
    let mut names = RESERVED.into_iter().chain(domain.split('.').next());
    names.any(|name| name.eq_ignore_ascii_case(userid))
}
