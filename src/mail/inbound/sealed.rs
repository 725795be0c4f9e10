//! Recognises text that is signed, encrypted, or packed (in Outlook's `winmail.dat`, or in base64 without a header).
//! Signed text is read without checking its signature. Encrypted text, packed text, and text inside its S/MIME
//! signature cannot be read, and an answer explains the reason to the sender.

use mailparse::ParsedMail;

use super::headers::{base64_decoded, is_base64_line};
use super::new_text::new_text;
use super::receive::MAX_MAIL;
use crate::message;
use crate::text::Message;

/// The lines around an inline-signed text (RFC 9580, 7).
const BEGIN_SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const BEGIN_SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";
const END_SIGNATURE: &str = "-----END PGP SIGNATURE-----";
/// The first line of an encrypted text.
const BEGIN_ENCRYPTED: &str = "-----BEGIN PGP MESSAGE-----";
/// The header fields of the armour, above the signed text.
const ARMOUR_HEADERS: &[&str] = &["Hash:", "Charset:", "Comment:", "Version:", "NotDashEscaped:"];
/// The maximum number of lines of a greeting above an encrypted text.
const GREETING_LINES: usize = 2;
/// The minimum number of characters of base64. A shorter text may be an ordinary word.
const SHORTEST_BASE64: usize = 8;
/// The maximum number of parts, measured by boundary lines.
pub(crate) const MAX_PARTS: usize = 50;
/// The maximum depth of nested parts, measured by boundaries: each level requires a `Content-Type` with another
/// boundary.
pub(crate) const MAX_DEPTH: usize = 20;

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
    if !lines().all(|line| is_base64_line(line.as_bytes())) || lines().map(str::len).sum::<usize>() < SHORTEST_BASE64 {
        return false;
    }
    let decoded = String::from_utf8(base64_decoded(text.as_bytes()));
    decoded.is_ok_and(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()))
}

/// Why the text of a message was not read. [`Unreadable::reason`] informs the administrator, [`Unreadable::message`]
/// the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The message is longer than [`MAX_MAIL`], and only its head was stored.
    TooLong,
    /// A subject is too long to be decoded.
    SubjectTooLong,
    /// There are several subjects (RFC 5322, 3.6, allows one).
    SeveralSubjects,
    /// A header field of a part is malformed.
    MalformedPartHeader(String),
    /// A header field of a part is too long to be decoded.
    PartHeaderTooLong,
    /// Multiparts are nested too deeply.
    TooDeep,
    /// There are too many parts.
    TooManyParts,
    /// The MIME structure is malformed.
    MalformedMail(String),
    /// The text cannot be decoded.
    MalformedText(String),
    /// The text is in an unknown character set.
    UnknownCharset(String),
    /// The text is encrypted.
    Encrypted,
    /// The text is inside its S/MIME signature.
    OpaquelySigned,
    /// The text is in Outlook's `winmail.dat`.
    Winmail,
    /// The text is base64 without a header that declares it.
    UnlabelledBase64,
}

impl Unreadable {
    /// Returns whether the text is encrypted, packed or inside its signature. In that case, a command in the
    /// subject is executed.
    pub(crate) fn is_of_text(&self) -> bool {
        matches!(
            self,
            Unreadable::Encrypted | Unreadable::OpaquelySigned | Unreadable::Winmail | Unreadable::UnlabelledBase64
        )
    }

    /// Returns the reason for the administrator.
    pub fn reason(&self) -> Message {
        match self {
            Unreadable::TooLong => message!("verdict.too-long", most = MAX_MAIL / 1_000_000),
            Unreadable::SubjectTooLong => message!("verdict.subject-too-long"),
            Unreadable::SeveralSubjects => message!("verdict.several-subjects"),
            Unreadable::MalformedPartHeader(error) => message!("verdict.malformed-part-header", error),
            Unreadable::PartHeaderTooLong => message!("verdict.part-header-too-long"),
            Unreadable::TooDeep => message!("verdict.too-deep", most = MAX_DEPTH),
            Unreadable::TooManyParts => message!("verdict.too-many-parts", most = MAX_PARTS),
            Unreadable::MalformedMail(error) => message!("verdict.malformed", error),
            Unreadable::MalformedText(error) => message!("verdict.malformed-text", error),
            Unreadable::UnknownCharset(charset) => message!("verdict.unknown-charset", charset),
            Unreadable::Encrypted => message!("verdict.encrypted"),
            Unreadable::OpaquelySigned => message!("verdict.opaquely-signed"),
            Unreadable::Winmail => message!("verdict.winmail"),
            Unreadable::UnlabelledBase64 => message!("verdict.unlabelled-base64"),
        }
    }

    /// Returns the explanation for the sender.
    pub fn message(&self) -> Message {
        match self {
            Unreadable::TooLong => message!("mail.too-long", most = MAX_MAIL / 1_000_000),
            Unreadable::SubjectTooLong => message!("mail.subject-too-long"),
            Unreadable::SeveralSubjects => message!("mail.several-subjects"),
            Unreadable::MalformedPartHeader(error) => message!("mail.malformed-part-header", error),
            Unreadable::PartHeaderTooLong => message!("mail.part-header-too-long"),
            Unreadable::TooDeep => message!("mail.too-deep", most = MAX_DEPTH),
            Unreadable::TooManyParts => message!("mail.too-many-parts", most = MAX_PARTS),
            Unreadable::MalformedMail(error) => message!("mail.malformed", error),
            Unreadable::MalformedText(error) => message!("mail.malformed-text", error),
            Unreadable::UnknownCharset(charset) => message!("mail.unknown-charset", charset),
            Unreadable::Encrypted => message!("mail.encrypted"),
            Unreadable::OpaquelySigned => message!("mail.opaquely-signed"),
            Unreadable::Winmail => message!("mail.winmail"),
            Unreadable::UnlabelledBase64 => message!("mail.unlabelled-base64"),
        }
    }
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
            "help", "f3", "password", "challenge", "resignation", "f3,f4", "Thanks\nf3", "unsubscribe",
            "marquemarquemarque", "",
        ] {
            assert!(!is_base64(text), "{text}");
        }
    }
}
