//! Export and import.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::cli::exit::{ErrorWith, Exit, not_printed, print, refused};
use crate::cli::patient_input::{Patience, PatientInput};
use crate::serve::Instance;
use crate::service::administration;
use crate::service::transfer::{self, Counts, Passphrase, TransferError};
use crate::store::Store;

/// The error for an export of the complete server that does not say whether to include the key.
pub(crate) const WITH_OR_WITHOUT_KEY: &str = "an export of the whole server needs either --passphrase-file FILE, whose \
     first line is the passphrase that seals the key of the server, or --without-key: then letters that were sent before \
     cannot be answered on the new server";

/// The maximum time in which an export must arrive on standard input.
const PATIENCE: Patience = Patience {
    silence: Duration::from_secs(10 * 60),
    whole: Duration::from_secs(24 * 60 * 60),
    advice: "Nothing is imported",
};

/// The contents of an export.
pub(crate) enum Exported {
    /// The data of the player of this userid.
    Player(String),
    /// The complete server, with its key encrypted by the passphrase in this file.
    WithKey(PathBuf),
    /// The complete server without its key.
    WithoutKey,
}

/// Writes the complete server, or one player's data, to a file or to standard output.
pub(crate) fn export(instance: &mut Instance, what: &Exported, output: Option<&Path>) -> anyhow::Result<Exit> {
    let world = instance.world;
    let now = (world.now)();
    let tx = instance.store.read()?;
    if let Exported::Player(userid) = what
        && administration::player(&tx, userid)?.is_none()
    {
        return Ok(refused(TransferError::NoPlayer(userid.clone())));
    }
    let passphrase = match what {
        Exported::WithKey(file) => Some(passphrase(file)?),
        Exported::Player(_) | Exported::WithoutKey => None,
    };
    let mut out: Box<dyn Write> = match output {
        Some(path) => {
            let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path);
            Box::new(BufWriter::new(file.with_context(|| format!("cannot write {}", path.display()))?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let done = match what {
        Exported::Player(userid) => transfer::export_player(&tx, userid, now, &mut out),
        Exported::WithKey(_) | Exported::WithoutKey => {
            transfer::export_server(&tx, world, passphrase.as_ref(), now, &mut out).map(drop)
        }
    };
    match done {
        // The reader of standard output has gone (`| head`).
        Err(TransferError::Io(error)) if error.kind() == ErrorKind::BrokenPipe && output.is_none() => Ok(Exit::Done),
        Err(TransferError::Io(error)) if output.is_none() => Err(not_printed(&error)),
        done => {
            done?;
            Ok(Exit::Done)
        }
    }
}

/// Reads the passphrase from the first line of a file.
fn passphrase(file: &Path) -> anyhow::Result<Passphrase> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let first = text.lines().next().unwrap_or_default();
    Passphrase::new(first).ok_or_else(|| {
        let why = format!("the first line of {} is empty; write the passphrase there", file.display());
        ErrorWith(Exit::Unusable, why).into()
    })
}

/// Imports the export of a complete server into this empty one.
pub(crate) fn import(
    instance: &mut Instance,
    file: &Path,
    passphrase_file: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let passphrase = passphrase_file.map(passphrase).transpose()?;
    let lines: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(BufReader::new(PatientInput::standard(PATIENCE)?))
    } else {
        Box::new(BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
    };
    let mut tx = instance.store.write()?;
    match transfer::import(&mut tx, instance.world, passphrase.as_ref(), lines) {
        Ok(counts) => {
            tx.commit()?;
            instance.store.settle()?;
            print(&match as_json {
                true => format!("{}\n", Value::Object(counted(&counts))),
                false => said(&counts, "\n") + "\n",
            })?;
            Ok(Exit::Done)
        }
        Err(error) => match error.message() {
            Some(message) => Ok(refused(instance.composer.message(&message)?)),
            None => Err(error.into()),
        },
    }
}

/// Returns the counts of an export for programs.
pub(crate) fn counted(counts: &Counts) -> Map<String, Value> {
    let names = ["players", "open challenges", "boards", "entries", "notices", "messages"];
    names.into_iter().map(str::to_owned).zip(of(counts).map(Value::from)).collect()
}

/// Returns the counts of an export as two sentences, with this text between them.
pub(crate) fn said(counts: &Counts, between: &str) -> String {
    let [players, challenges, boards, entries, notices, messages] = of(counts);
    format!(
        "{players} players, {challenges} open challenges, {boards} boards, {entries} entries.{between}\
         {notices} notices of letters, {messages} messages."
    )
}

fn of(counts: &Counts) -> [u64; 6] {
    ["players", "challenges", "boards", "entries", "outbox", "inbox"].map(|table| counts.of(table))
}
