//! Transports on this machine: a Maildir, a sendmail program, and the simulation's mail server.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::letter::{PreparedLetter, SendError, SentLetter, one_line};
use crate::child;
use crate::text;
use crate::world::Deadline;

/// Writes each letter to a Maildir, in one file even if it has several recipients.
pub(crate) fn write_to_maildir(dir: &Path, letters: &[Arc<PreparedLetter>]) -> Vec<SentLetter> {
    let files: Vec<_> = letters.iter().map(|letter| (&letter.mail[..], file_name(letter))).collect();
    let delivered = deliver(dir, &files);
    let sent = |(letter, delivered): (&Arc<PreparedLetter>, io::Result<()>)| {
        let delivered = delivered.map_err(|error| SendError::Temporary(format!("{}: {error}", dir.display())));
        let results = letter.recipients.iter().map(|to| to.envelope().and_then(|_| delivered.clone())).collect();
        (Arc::clone(letter), results)
    };
    letters.iter().zip(delivered).map(sent).collect()
}

/// Writes files, given as their contents and names, into a Maildir. Each `Ok` means that the file is on disk.
fn deliver(dir: &Path, files: &[(&[u8], String)]) -> Vec<io::Result<()>> {
    let (tmp, new) = (dir.join("tmp"), dir.join("new"));
    // Write all files before the first wait for the disk, so that one flush can cover them all.
    let written: Vec<_> = files.iter().map(|(mail, name)| write(dir, &tmp.join(name), mail)).collect();
    let rename = |name: &str| with_directories(dir, || fs::rename(tmp.join(name), new.join(name)));
    let deliver = |((_, name), file): (&(_, String), io::Result<File>)| file?.sync_all().and_then(|()| rename(name));
    let delivered: Vec<io::Result<()>> = files.iter().zip(written).map(deliver).collect();
    if delivered.iter().all(Result::is_err) {
        return delivered;
    }
    // A new name is durable once its directory is synced.
    match File::open(&new).and_then(|new| new.sync_all()) {
        Ok(()) => delivered,
        Err(error) => files.iter().map(|_| Err(io::Error::new(error.kind(), error.to_string()))).collect(),
    }
}

/// Writes a letter to a file in `tmp`.
fn write(dir: &Path, path: &Path, mail: &[u8]) -> io::Result<File> {
    // Only the owner may read the file: letters contain reply tokens and login codes.
    let open = || OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let mut file = with_directories(dir, open)?;
    // Files in a Maildir have LF line ends.
    file.write_all(String::from_utf8_lossy(mail).replace("\r\n", "\n").as_bytes())?;
    Ok(file)
}

/// Runs an action; if a directory of the Maildir is missing, creates the directories and runs the action again.
fn with_directories<T>(dir: &Path, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match act() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            for each in ["tmp", "cur", "new"] {
                DirBuilder::new().recursive(true).mode(0o700).create(dir.join(each))?;
            }
            act()
        }
        done => done,
    }
}

/// Names a letter's file by its Message-ID without the token, so that a letter sent again after a crash replaces the
/// first copy.
fn file_name(letter: &PreparedLetter) -> String {
    let message_id = &letter.notices[0].message_id;
    let hash = text::hex(&Sha256::digest(message_id)[..6]);
    let readable: String = message_id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' })
        .take(80)
        .collect();
    // Maildir readers skip names that begin with a dot.
    format!("{}.{hash}", readable.trim_matches(['_', '.']))
}

/// Makes `outgoing/` and its letters readable only by their owner. Older versions of the server created them readable
/// by others.
pub fn close_outgoing(data: &Path) {
    let outgoing = data.join("outgoing");
    if let Err(error) = fs::symlink_metadata(&outgoing).and_then(|metadata| close(&outgoing, &metadata))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, directory = %outgoing.display(), "others may be able to read letters");
    }
}

fn close(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let mode = match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => 0o700,
        (_, true) => 0o600,
        // Symbolic links are not followed.
        _ => return Ok(()),
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            match entry.metadata().and_then(|metadata| close(&entry.path(), &metadata)) {
                // Another program that reads the Maildir has moved the file.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                closed => closed?,
            }
        }
    }
    Ok(())
}

/// Hands a letter to a sendmail program. Every failure is temporary, because the exit status is unreliable: EX_NOUSER
/// may mean that the user database is temporarily unavailable.
pub(crate) fn call_sendmail(
    command: &Path,
    mail: &[u8],
    sender: &str,
    address: &str,
    deadline: Deadline,
) -> Result<(), SendError> {
    let mut program = Command::new(command);
    program.args(["-i", "-f", sender, "--", address]).stderr(Stdio::piped());
    let failed = |why: String| SendError::Temporary(format!("{}: {why}", command.display()));
    let ended = child::run(&mut program, mail, &|| deadline.left()).map_err(|error| failed(error.to_string()))?;
    if ended.was_late {
        return Err(SendError::Hung(format!("{} took too long", command.display())));
    }
    if !ended.status.success() {
        let said = one_line(&String::from_utf8_lossy(&ended.err));
        let why = if said.is_empty() { ended.status.to_string() } else { said };
        return Err(failed(why));
    }
    if !ended.took_all {
        return Err(SendError::Temporary(format!("{} did not read the letter", command.display())));
    }
    Ok(())
}

/// A mail server in this process. A separate thread hands it one letter at a time.
pub trait LocalServer: Send + Sync {
    /// Accepts a message for one address, with this envelope sender.
    ///
    /// # Errors
    /// The message was refused, temporarily or permanently; or it was accepted, and the reply was lost.
    fn take(&self, mail: &[u8], sender: &str, address: &str) -> Result<(), SendError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> (&'static [u8], String) {
        (b"Subject: hello\r\n\r\nhello\r\n", name.to_owned())
    }

    #[test]
    fn letters_are_delivered_together_and_missing_directories_are_created() {
        let data = tempfile::tempdir().unwrap();
        let dir = data.path().join("outgoing");
        for missing in ["cur", "new", "tmp"] {
            let _ = fs::remove_dir_all(dir.join(missing));
            let delivered = deliver(&dir, &[file("1"), file("2")]);
            assert!(delivered.iter().all(Result::is_ok), "{delivered:?}");
            assert_eq!(fs::read_dir(dir.join("new")).unwrap().count(), 2);
        }
    }

    #[test]
    fn an_unwritable_letter_does_not_delay_others() {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir_all(data.path().join("tmp/1")).unwrap();
        let delivered = deliver(data.path(), &[file("1"), file("2")]);
        assert_eq!(delivered.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
    }
}
