//! The transport that calls a sendmail program.

use std::path::Path;
use std::process::{Command, Stdio};

use super::send_error::{SendError, one_line};
use crate::child;
use crate::world::Deadline;

/// Hands a letter to the program. Every failure is temporary because the exit status is unreliable: EX_NOUSER may be a
/// temporary fault of the directory.
pub(crate) fn send(
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
