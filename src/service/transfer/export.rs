//! Writes the export of a server, and a short summary of its content.

use std::collections::BTreeMap;
use std::io::{self, Write};

use chrono::{DateTime, Utc};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::seal::{Passphrase, Place, Seal};
use super::tables::{Counts, is_sealed, moved};
use super::{FORMAT, Result, TransferError};
use crate::store::{Stored, Table, Transaction};
use crate::text::hex;
use crate::world::World;

/// The first line of an export.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) format: String,
    /// The scope of the export: `server` or `player`.
    pub(crate) of: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) userid: Option<String>,
    /// The version of the program that wrote the export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<String>,
    pub(crate) exported_at: DateTime<Utc>,
    /// The data of a complete server; `None` in the export of a player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<ServerHead>,
}

/// Data of a server that the exported tables do not contain.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerHead {
    pub(crate) server_id: String,
    /// The last assigned number of each table that never reuses numbers.
    pub(crate) last_numbers: BTreeMap<String, i64>,
    /// When a process last checked the players' clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clocks_seen_at: Option<DateTime<Utc>>,
    /// The key of the instance, if the export contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sealed: Option<SealHead>,
}

/// The key of the instance, encrypted with a passphrase.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SealHead {
    /// The salt for deriving a key from the passphrase, in hexadecimal digits.
    pub(crate) salt: String,
    pub(crate) key: Sealed,
}

/// An encrypted secret.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    /// The encrypted secret in base64.
    pub(crate) sealed: String,
}

/// Exports everything that another machine needs to continue the server. With a passphrase, this includes the key of
/// the instance and encrypted secrets.
///
/// # Errors
/// If the store or writing fails.
pub fn export_server(
    tx: &Transaction<'_>,
    world: World,
    passphrase: Option<&Passphrase>,
    now: DateTime<Utc>,
    out: &mut dyn Write,
) -> Result<Counts> {
    let (seal, salt) = passphrase.map(|passphrase| Seal::draw(passphrase, world)).unzip();
    let sealed = match (&seal, salt) {
        (Some(seal), Some(salt)) => {
            let sealed = seal.seal(&Place::KEY, tx.reply_key()?.expose());
            Some(SealHead { salt: hex(&salt), key: Sealed { sealed } })
        }
        _ => None,
    };
    let (server_id, last_numbers) = (tx.server_id()?, tx.last_numbers()?);
    let server = ServerHead { server_id, last_numbers, clocks_seen_at: tx.clocks_seen_at()?, sealed };
    let program = Some(env!("CARGO_PKG_VERSION").to_owned());
    write_line(out, &Head { program, server: Some(server), ..head("server", None, now) })?;
    let (mut counts, mut line) = (Counts::default(), 1);
    for table in moved(tx)? {
        tx.each_row(&table, |row| {
            line += 1;
            counts.add(&table.name, 1);
            write_line(out, &RowLine { table: &table, row, seal: seal.as_ref(), line })
        })?;
    }
    write_line(out, &json!({ "end": counts }))?;
    out.flush()?;
    Ok(counts)
}

pub(crate) fn head(of: &str, userid: Option<String>, exported_at: DateTime<Utc>) -> Head {
    Head { format: FORMAT.to_owned(), of: of.to_owned(), userid, program: None, exported_at, server: None }
}

pub(crate) fn write_line(out: &mut dyn Write, what: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, what).map_err(std::io::Error::from)?;
    Ok::<(), TransferError>(out.write_all(b"\n")?)
}

/// The line of a row: the name of its table, then its columns in the order of the schema. Bytes are written as
/// hexadecimal digits.
struct RowLine<'a> {
    table: &'a Table,
    row: &'a [Stored],
    seal: Option<&'a Seal>,
    line: usize,
}

impl Serialize for RowLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.row.len() + 1))?;
        map.serialize_entry("table", &self.table.name)?;
        for (place, (column, cell)) in self.table.columns.iter().zip(self.row).enumerate() {
            let secret = self.seal.filter(|_| is_sealed(&self.table.name, &column.name));
            let sealed = |seal: &Seal, plain| {
                let key = if let Some(Stored::Number(key)) = self.row.first() { *key } else { 0 };
                json!({ "sealed": seal.seal(&sealed_place(self.table, place, self.line, key), plain) })
            };
            let value = match (cell, secret) {
                (Stored::Null, _) => Value::Null,
                // Numbers are not encrypted.
                (Stored::Number(number), _) => (*number).into(),
                (Stored::Text(plain), Some(seal)) => sealed(seal, plain.as_bytes()),
                (Stored::Bytes(plain), Some(seal)) => sealed(seal, plain),
                (Stored::Text(text), None) => text.as_str().into(),
                (Stored::Bytes(bytes), None) => hex(bytes).into(),
            };
            map.serialize_entry(&column.name, &value)?;
        }
        map.end()
    }
}

/// Returns the place of an encrypted cell in the row with this key.
pub(crate) fn sealed_place(table: &Table, column: usize, line: usize, key: i64) -> Place {
    Place::column(column, line, format!("{}.{} {key}", table.name, table.columns[column].name))
}

/// A summary of a server's content. Two servers with equal fingerprints have the same content.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    /// The number of rows.
    pub counts: Counts,
    /// The SHA-256 of the server's id, its key and its export. Omits the first line of the export, whose numbers may be
    /// higher after an import.
    pub digest: [u8; 32],
}

/// Computes the fingerprint of a server. `progress` receives the number of exported lines since the last call.
///
/// # Errors
/// If the store fails.
pub fn fingerprint(
    tx: &Transaction<'_>,
    world: World,
    now: DateTime<Utc>,
    progress: &dyn Fn(u64),
) -> Result<Fingerprint> {
    let digest = Sha256::new().chain_update(tx.server_id()?).chain_update(tx.reply_key()?.expose());
    let mut digest = Digesting { digest, is_head: true, progress };
    let counts = export_server(tx, world, None, now, &mut digest)?;
    Ok(Fingerprint { counts, digest: digest.digest.finalize().into() })
}

/// Returns the number of line ends in these bytes.
pub fn lines_in(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

struct Digesting<'a> {
    digest: Sha256,
    is_head: bool,
    progress: &'a dyn Fn(u64),
}

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut body = bytes;
        if self.is_head
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
        {
            (self.is_head, body) = (false, &bytes[end..]);
        }
        if !self.is_head {
            self.digest.update(body);
        }
        (self.progress)(lines_in(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
