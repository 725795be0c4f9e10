//! Signed, encrypted and packed text. Signed text is read without checking its signature. Other text cannot be read,
//! and an answer explains the reason to the sender.

use mailparse::ParsedMail;

use super::base64;
use super::new_text::new_text;
use super::unreadable::Unreadable;

/// The lines around an inline-signed text (RFC 9580, 7).
const BEGIN_SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const BEGIN_SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";
const END_SIGNATURE: &str = "-----END PGP SIGNATURE-----";
/// The first line of an encrypted text.
const BEGIN_ENCRYPTED: &str = "-----BEGIN PGP MESSAGE-----";
/// The names of the armour's headers above the text.
const ARMOUR_HEADERS: &[&str] = &["Hash:", "Charset:", "Comment:", "Version:", "NotDashEscaped:"];
/// The most lines of a greeting above it.
const GREETING_LINES: usize = 2;
/// A shorter text may be a word that happens to be base64.
const SHORTEST_BASE64: usize = 8;

/// The position of a line in a signed text.
enum Place {
    Outside,
    Headers,
    Text,
    Signature,
}

/// Removes the armour of an inline signature.
pub(crate) fn without_armour(text: String) -> String {
    if !text.contains(BEGIN_SIGNED) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut place = Place::Outside;
    for line in text.lines() {
        if let Place::Headers = place
            && !ARMOUR_HEADERS.iter().any(|name| line.starts_with(name))
        {
            place = Place::Text;
            if line.trim().is_empty() {
                continue;
            }
        }
        place = match (place, line.trim_end()) {
            (Place::Outside, BEGIN_SIGNED) => Place::Headers,
            (Place::Text, BEGIN_SIGNATURE) => Place::Signature,
            (Place::Signature, END_SIGNATURE) => Place::Outside,
            (place @ (Place::Headers | Place::Signature), _) => place,
            (place @ Place::Outside, _) => {
                plain.push_str(line);
                plain.push('\n');
                place
            }
            (place @ Place::Text, _) => {
                plain.push_str(line.strip_prefix("- ").unwrap_or(line));
                plain.push('\n');
                place
            }
        };
    }
    plain
}

/// Returns why the text of a message cannot be read, if all of it is encrypted or packed. The footer of a mailing list
/// below an encrypted part is ignored.
pub(crate) fn sealed(mail: &ParsedMail<'_>, text: Option<&str>) -> Option<Unreadable> {
    match text {
        Some(text) if begins_encrypted(text) => Some(Unreadable::Encrypted),
        Some(text) if is_base64(text) => Some(Unreadable::UnlabelledBase64),
        Some(text) if new_text(text).text().is_empty() => {
            mail.parts().find_map(sealed_part).filter(|why| *why != Unreadable::Winmail)
        }
        Some(_) => None,
        None => mail.parts().find_map(sealed_part),
    }
}

/// Returns whether an encrypted text begins on one of the first lines, possibly below a greeting.
fn begins_encrypted(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(GREETING_LINES + 1);
    lines.any(|line| line == BEGIN_ENCRYPTED)
}

fn sealed_part(part: &ParsedMail<'_>) -> Option<Unreadable> {
    let param = |params: &std::collections::BTreeMap<String, String>, name: &str| {
        params.get(name).map(|value| value.to_ascii_lowercase()).unwrap_or_default()
    };
    let content = &part.ctype.params;
    let name = match param(content, "name") {
        name if name.is_empty() => param(&part.get_content_disposition().params, "filename"),
        name => name,
    };
    match part.ctype.mimetype.as_str() {
        "multipart/encrypted" | "application/pgp-encrypted" => Some(Unreadable::Encrypted),
        "application/pkcs7-mime" | "application/x-pkcs7-mime" => {
            let is_signed = param(content, "smime-type") == "signed-data";
            Some(if is_signed { Unreadable::OpaquelySigned } else { Unreadable::Encrypted })
        }
        "application/x-microsoft-rpmsg-message" => Some(Unreadable::Encrypted),
        "application/ms-tnef" | "application/vnd.ms-tnef" => Some(Unreadable::Winmail),
        _ if name == "winmail.dat" => Some(Unreadable::Winmail),
        _ if name == "smime.p7m" || name == "message.rpmsg" => Some(Unreadable::Encrypted),
        _ => None,
    }
}

/// Returns whether a text is base64 without the corresponding header.
fn is_base64(text: &str) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    if !lines().all(|line| base64::is_line(line.as_bytes())) || lines().map(str::len).sum::<usize>() < SHORTEST_BASE64 {
        return false;
    }
    let decoded = String::from_utf8(base64::decoded(text.as_bytes()));
    decoded.is_ok_and(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_base64() {
        for text in ["aGVscCBtYXJxdWU=", "ZjMKCkhp", "aGVs\ncCBt\nYXI="] {
            assert!(is_base64(text), "{text}");
        }
        for text in [
            "help",
            "f3",
            "password",
            "challenge",
            "resignation",
            "f3,f4",
            "Thanks\nf3",
            "unsubscribe",
            "marquemarquemarque",
            "",
        ] {
            assert!(!is_base64(text), "{text}");
        }
    }
}
