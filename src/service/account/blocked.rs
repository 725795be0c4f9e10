//! Addresses and domains blocked by the administrator, and reserved userids.

use lettre::Address;

use crate::store::{self, BlockedSender, Player, PlayerId, Transaction};

/// The prefix that marks an address whose owner refuses confirmation letters. A valid address cannot start with it.
const NO_CONFIRMATION: &str = "confirm:";

/// Returns a blockable name in its stored form: an address, a domain such as `@example.org`, or `confirm:` and an
/// address whose owner refuses confirmation letters.
pub fn sender_name(word: &str) -> Option<String> {
    let address = match word.get(..NO_CONFIRMATION.len()) {
        Some(begin) if begin.eq_ignore_ascii_case(NO_CONFIRMATION) => word[NO_CONFIRMATION.len()..].to_owned(),
        _ if word.starts_with('@') => format!("x{word}"),
        _ => word.to_owned(),
    };
    address.parse::<Address>().is_ok().then(|| word.to_lowercase())
}

/// Returns the block that applies to an address: its own, or that of its domain or of a parent domain.
///
/// # Errors
/// If the store fails.
pub fn block_of(tx: &Transaction<'_>, address: &str) -> store::Result<Option<BlockedSender>> {
    Ok(tx.blocked_among(&names(address))?.pop())
}

/// Returns the name that blocks confirmation letters to an address.
pub(crate) fn confirmations_of(address: &str) -> String {
    format!("{NO_CONFIRMATION}{}", address.to_lowercase())
}

/// Returns whether the owner of an address refuses confirmation letters.
pub(crate) fn wants_no_confirmation(tx: &Transaction<'_>, address: &str) -> store::Result<bool> {
    Ok(!tx.blocked_among(&[confirmations_of(address)])?.is_empty())
}

/// Lists the names under which an address can be blocked.
fn names(address: &str) -> Vec<String> {
    let address = address.to_lowercase();
    let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
    let above = domain.match_indices('.').map(|(dot, _)| &domain[dot + 1..]);
    let domains: Vec<String> = std::iter::once(domain).chain(above).map(|domain| format!("@{domain}")).collect();
    [vec![address], domains].concat()
}

/// Returns whether no letter can reach a player: the administrator blocked the player or all their confirmed
/// addresses.
pub(crate) fn gets_no_letters(tx: &Transaction<'_>, player: &Player) -> store::Result<bool> {
    if player.blocked_at.is_some() {
        return Ok(true);
    }
    let mut addresses = tx.addresses(player.id)?.into_iter().filter(|known| known.confirmed_at.is_some()).peekable();
    let any = addresses.peek().is_some();
    for known in addresses {
        if block_of(tx, &known.address)?.is_none() {
            return Ok(false);
        }
    }
    Ok(any)
}

/// Unblocks a sender. Returns `false` if it was not blocked.
///
/// # Errors
/// If the store fails.
pub fn unblock_sender(tx: &mut Transaction<'_>, sender: &str) -> store::Result<bool> {
    tx.unblock_sender(sender)
}

/// Blocks a sender. Returns the userids of the players with an address that this blocks.
///
/// # Errors
/// If the store fails.
pub fn block_sender(tx: &mut Transaction<'_>, blocked: &BlockedSender) -> store::Result<Vec<String>> {
    tx.block_sender(blocked)?;
    let has_it = |player: PlayerId| -> store::Result<bool> {
        let known = tx.addresses(player)?;
        Ok(known.iter().any(|known| names(&known.address).contains(&blocked.sender)))
    };
    let mut userids = Vec::new();
    for player in tx.players()? {
        if has_it(player.id)? {
            userids.push(player.userid);
        }
    }
    Ok(userids)
}

/// The reserved userids in lower case. They include the mailbox names of RFC 2142 that a person might choose, and
/// `draw`, which results show instead of a winner.
const RESERVED: [&str; 21] = [
    "abuse", "admin", "administrator", "daemon", "draw", "hostmaster", "info", "mailer-daemon", "me", "moderator",
    "no-reply", "nobody", "noreply", "operator", "postmaster", "root", "security", "support", "system", "turnpost",
    "webmaster",
];

/// Returns whether a userid is reserved, or equals the first label of the server's domain.
pub(crate) fn is_reserved(userid: &str, domain: &str) -> bool {
    let mut names = RESERVED.into_iter().chain(domain.split('.').next());
    names.any(|name| name.eq_ignore_ascii_case(userid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_domains_can_be_blocked() {
        assert_eq!(sender_name("Ann@Example.org").as_deref(), Some("ann@example.org"));
        assert_eq!(sender_name("@Example.org").as_deref(), Some("@example.org"));
        assert_eq!(sender_name("Confirm:Ann@Example.org"), Some(confirmations_of("ann@example.org")));
        for wrong in [
            "", "confirm:", "confirm:@example.org", "other:ann@example.org", "@", "ann", "ann@", "@a b",
            "@@example.org", "a@b@c",
        ] {
            assert_eq!(sender_name(wrong), None, "{wrong}");
        }
        assert_eq!(names("A@mail.example.org"), ["a@mail.example.org", "@mail.example.org", "@example.org", "@org"]);
    }
}
