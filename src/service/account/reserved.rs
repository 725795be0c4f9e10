//! Userids that players would take for the server or for its administrators.

/// The reserved userids, in lower case. Those of RFC 2142 are among them.
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

/// Returns whether nobody can sign up with a userid: it is reserved, or the first label of the server's domain.
pub(in crate::service) fn is_reserved(userid: &str, domain: &str) -> bool {
    let mut names = RESERVED.into_iter().chain(domain.split('.').next());
    names.any(|name| name.eq_ignore_ascii_case(userid))
}
