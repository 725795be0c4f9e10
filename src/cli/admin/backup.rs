//! Creates and restores backups.

use std::path::Path;

use serde_json::json;

use crate::backup::{self, Backup, BackupError, Contents, Proved};
use crate::cli::exit::{Exit, print, refused, tell};
use crate::serve::Instance;
use crate::world::World;

/// Creates a backup file and proves it.
pub(crate) fn make(instance: &mut Instance, file: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let Instance { data, config, world, store, .. } = instance;
    let Proved { made_at, bytes, contents, missing } = match (Backup { data, config, world: *world }).make(store, file)
    {
        Err(error) if error.is_damage() => return Ok(refused(error)),
        made => made?,
    };
    for missing in &missing {
        tell(format_args!("it is left out, because it is not there: {}", missing.display()));
    }
    let Contents { boards, entries } = contents;
    print(&match as_json {
        true => {
            let made = json!({ "file": file, "made at": made_at, "bytes": bytes, "boards": boards, "entries": entries,
                "missing": missing });
            format!("{made}\n")
        }
        false => format!("{}: {bytes} bytes; restored and checked: {}.\n", file.display(), counted(contents)),
    })?;
    Ok(Exit::Done)
}

/// Restores a backup as a new data directory.
pub(crate) fn restore(file: &Path, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let (manifest, contents) = match backup::restore(file, data, World::REAL) {
        Err(error @ BackupError::Exists(_)) => return Ok(refused(error)),
        Err(error) if error.is_damage() => {
            return Ok(refused(format_args!("{}: {error}\nNothing was restored.", file.display())));
        }
        restored => restored?,
    };
    if as_json {
        let Contents { boards, entries } = contents;
        let restored = json!({ "data": data, "made at": manifest.made_at, "boards": boards, "entries": entries,
            "files": manifest.files });
        print(&format!("{restored}\n"))?;
        return Ok(Exit::Done);
    }
    let made_at = manifest.made_at.format("%Y-%m-%dT%H:%M:%SZ");
    let elsewhere = manifest.files.iter().filter_map(|file| {
        let from = file.from.as_ref()?;
        Some(format!("{} was {}: copy it there, or name it in turnpost.toml.\n", file.name, from.display()))
    });
    let elsewhere: String = elsewhere.collect();
    print(&format!("{}: {}, as of {made_at}.\n{elsewhere}", data.display(), counted(contents)))?;
    Ok(Exit::Done)
}

fn counted(Contents { boards, entries }: Contents) -> String {
    let some = |count: u32, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    format!("{}, {}", some(boards, "board", "boards"), some(entries, "entry", "entries"))
}
