//! The permissions of `outgoing/`.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Makes `outgoing/` and its letters readable only by their owner. Older versions created them readable by others.
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
                // A reader has taken the file.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                closed => closed?,
            }
        }
    }
    Ok(())
}
