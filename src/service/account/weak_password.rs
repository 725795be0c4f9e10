//! Rules for new passwords. Existing passwords remain valid.

use crate::message;
use crate::service::policy::Policy;
use crate::text::Message;

/// The passwords that attackers try first, in lower case, one per line. All have at least eight characters, because
/// shorter ones are refused anyway.
const COMMON: &str = include_str!("common_passwords.txt");

/// Explains why a password is not acceptable for the player; `None` if it is.
pub(crate) fn weakness(policy: &Policy, userid: &str, password: &str) -> Option<Message> {
    let (least, lower) = (policy.shortest_password, password.to_lowercase());
    match password {
        _ if password.chars().count() < least as usize => Some(message!("service.password-short", least)),
        _ if lower == userid.to_lowercase() => Some(message!("service.password-is-userid")),
        _ if COMMON.lines().any(|common| common == lower) => Some(message!("service.password-common")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_guesses_are_not_passwords() {
        let policy = Policy::default();
        let refused = |userid, password| weakness(&policy, userid, password).map(|message| message.to_string());
        for (userid, password, why) in [
            ("alice", "", "password-short"),
            ("alice", "1234567", "password-short"),
            ("alice", "\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}\u{fc}\u{e4}", "password-short"),
            ("wonderland", "WonderLand", "password-is-userid"),
            ("alice", "12345678", "password-common"),
            ("alice", "PassWord123", "password-common"),
        ] {
            let refused = refused(userid, password).unwrap_or_default();
            assert!(refused.contains(why), "{password}: {refused}");
        }
        for password in ["wonderland", "12345679", "correct horse", "\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}"]
        {
            assert_eq!(refused("alice", password), None, "{password}");
        }
    }

    #[test]
    fn the_common_passwords_can_be_found() {
        assert!(COMMON.lines().count() > 400);
        for line in COMMON.lines() {
            assert!(line == line.to_lowercase() && line.chars().count() >= 8, "{line}");
        }
    }
}
