//! Export and import.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::serve::Instance;
use crate::service::administration;
use crate::service::transfer::{self, TransferError};
use crate::store::Store;

/// Writes the whole server, or one player's data, to a file or standard output.
pub(super) fn export(instance: &mut Instance, userid: Option<&str>, output: Option<&Path>) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let tx = instance.store.read()?;
    if let Some(userid) = userid
        && administration::player(&*tx, userid)?.is_none()
    {
        return Ok(refused(TransferError::NoPlayer(userid.to_owned())));
    }
    let mut out: Box<dyn Write> = match output {
        Some(path) => {
            let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path);
            Box::new(BufWriter::new(file.with_context(|| format!("cannot write {}", path.display()))?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let done = match userid {
        Some(userid) => transfer::export_player(&*tx, userid, now, &mut out),
        None => transfer::export_server(&*tx, now, &mut out),
    };
    match done {
        // Whoever reads standard output went away (`| head`).
        Err(TransferError::Io(error)) if error.kind() == ErrorKind::BrokenPipe && output.is_none() => Ok(Exit::Done),
        done => {
            done?;
            Ok(Exit::Done)
        }
    }
}

/// Reads the export of a whole server into this empty one.
pub(super) fn import(instance: &mut Instance, file: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let lines: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(BufReader::new(std::io::stdin().lock()))
    } else {
        Box::new(BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
    };
    let mut tx = instance.store.write()?;
    match transfer::import(&mut *tx, instance.world, lines) {
        Ok(counts) => {
            tx.commit()?;
            instance.store.settle()?;
            let transfer::Counts { players, offers, boards, entries } = counts;
            let counted = format!("{players} players, {offers} open challenges, {boards} boards, {entries} entries.");
            print(&match as_json {
                true => {
                    let counted =
                        json!({ "players": players, "open challenges": offers, "boards": boards, "entries": entries });
                    format!("{counted}\n")
                }
                false => counted + "\n",
            })?;
            Ok(Exit::Done)
        }
        Err(error) => match error.message() {
            Some(message) => Ok(refused(instance.composer.message(&message)?)),
            None => Err(error.into()),
        },
    }
}
