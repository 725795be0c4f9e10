//! The text of a message that was set aside, in a form that is safe to show.

use crate::command::{Shown, mask};
use crate::store::{self, InboxId, Transaction};
use crate::text;
use crate::token;

use super::shown::{is_in, names};

/// The maximum number of lines shown.
const MAX_LINES: usize = 200;
/// Header fields that do not contain passwords.
const PLAIN_FIELDS: &[&str] =
    &["from", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding", "auto-submitted"];

/// Returns the lines of a message that was set aside, with every word masked that may be a password; `None` if it was
/// not set aside.
///
/// # Errors
/// If the store fails.
pub fn masked_mail(tx: &Transaction<'_>, mail: InboxId) -> store::Result<Option<Vec<String>>> {
    let Some(raw) = tx.mail_set_aside(mail)? else { return Ok(None) };
    let raw = String::from_utf8_lossy(&raw);
    let key = tx.reply_key()?;
    let mut in_headers = true;
    let mut masked = Vec::new();
    for line in raw.lines().take(MAX_LINES) {
        in_headers &= !line.is_empty();
        let line = text::line(line);
        let line = token::redacted(&line, &key).unwrap_or(line);
        let names = names(tx, &line)?;
        let field = line.split_once(':').filter(|_| in_headers);
        masked.push(match field {
            Some((name, _)) if PLAIN_FIELDS.contains(&name.to_ascii_lowercase().as_str()) => line,
            Some((name, value)) if !name.contains(char::is_whitespace) => {
                format!("{name}: {}", mask(value, None, Shown::Kept, &|word| is_in(&names, word)).line)
            }
            _ => mask(&line, None, Shown::Kept, &|word| is_in(&names, word)).line,
        });
    }
    Ok(Some(masked))
}
