//! Adds the rows of an export to the database.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::export::sealed_place;
use super::seal::Seal;
use super::tables::{Counts, is_known, is_sealed, moved};
use super::tables::{Fault, Read, fault};
use crate::message;
use crate::store::{Column, ColumnKind, StoreError, Stored, Table, Transaction};
use crate::text::{Message, unhex};

/// Checks rows against the schema, and adds them.
pub(crate) struct Loader {
    tables: BTreeMap<String, Table>,
    /// Decrypts the secrets of the export.
    pub(crate) seal: Option<Seal>,
    /// For each table to which others refer: the column to which they refer, and its values in the added rows.
    keys: BTreeMap<String, (String, HashSet<i64>)>,
    /// The number of added rows.
    pub(crate) counts: Counts,
}

impl Loader {
    pub(crate) fn new(tx: &Transaction<'_>, seal: Option<Seal>) -> Read<Loader> {
        let tables: BTreeMap<String, Table> = moved(tx)?.into_iter().map(|table| (table.name.clone(), table)).collect();
        let referred = tables.values().flat_map(|table| &table.columns).filter_map(|column| column.refers_to.clone());
        // Tables that are not exported are skipped: their rows are part of the schema.
        let referred = referred.filter(|(table, _)| tables.contains_key(table));
        let keys = referred.map(|(table, column)| (table, (column, HashSet::new()))).collect();
        Ok(Loader { tables, seal, keys, counts: Counts::default() })
    }

    /// Adds the row of a line.
    pub(crate) fn add(
        &mut self,
        tx: &mut Transaction<'_>,
        line: usize,
        name: &str,
        row: &Map<String, Value>,
    ) -> Read<()> {
        let Some(table) = self.tables.get(name) else { return fault(message!("import.no-table", table = name)) };
        if let Some(column) = row.keys().find(|column| table.column(column).is_none()) {
            return fault(message!("import.no-column", table = name, column));
        }
        let mut cells = Vec::with_capacity(row.len());
        for (place, column) in table.columns.iter().enumerate() {
            let in_column = |what| message!("import.column", table = name, column = &column.name, what);
            match row.get(&column.name) {
                Some(value) => match self.cell(table, place, line, row, value) {
                    Ok(cell) => cells.push((place, cell)),
                    Err(what) => return fault(in_column(what)),
                },
                None if column.is_required => return fault(in_column(message!("import.missing"))),
                None => {}
            }
        }
        if let Some((key, known)) = self.keys.get_mut(name) {
            known.extend(row.get(key).and_then(Value::as_i64));
        }
        for (place, cell) in &cells {
            let Column { name: column, refers_to: Some((other, key)), .. } = &table.columns[*place] else { continue };
            if let (Stored::Number(number), Some((_, known))) = (cell, self.keys.get(other))
                && !known.contains(number)
            {
                let what = message!("import.no-row", table = other, column = key, number = *number);
                return fault(message!("import.column", table = name, column, what));
            }
        }
        match tx.add_row(table, &cells) {
            Ok(()) => {
                self.counts.add(name, 1);
                Ok(())
            }
            Err(StoreError::Failed(why)) => fault(message!("import.refused", table = name, why)),
            Err(error) => Err(Fault::Store(error)),
        }
    }

    /// Records the key of a row that other code added, so that later rows can refer to it.
    pub(crate) fn know(&mut self, table: &str, key: i64) {
        if let Some((_, known)) = self.keys.get_mut(table) {
            known.insert(key);
        }
    }

    fn cell(
        &self,
        table: &Table,
        place: usize,
        line: usize,
        row: &Map<String, Value>,
        value: &Value,
    ) -> Result<Stored, Message> {
        let Column { name, kind, is_nullable, .. } = &table.columns[place];
        let cell = match (value, kind) {
            (Value::Null, _) if *is_nullable => Stored::Null,
            (Value::Null, _) => return Err(message!("import.null")),
            (Value::Bool(value), ColumnKind::Number | ColumnKind::Boolean) => Stored::Number((*value).into()),
            (Value::Number(number), ColumnKind::Number | ColumnKind::Boolean) => {
                let number = number.as_i64().filter(|number| *kind == ColumnKind::Number || (0..=1).contains(number));
                Stored::Number(number.ok_or_else(|| message!("import.no-number"))?)
            }
            (Value::String(text), ColumnKind::Text) => Stored::Text(text.clone()),
            (Value::String(digits), ColumnKind::Bytes) => {
                Stored::Bytes(unhex(digits).ok_or_else(|| message!("import.no-bytes"))?)
            }
            (Value::Object(_), ColumnKind::Text | ColumnKind::Bytes) if is_sealed(&table.name, name) => {
                let key = row.get(&table.columns[0].name).and_then(Value::as_i64).unwrap_or(0);
                let place = sealed_place(table, place, line, key);
                let plain = self.seal.as_ref().and_then(|seal| seal.open(&place, value["sealed"].as_str()?));
                let plain = plain.ok_or_else(|| message!("import.sealed"))?;
                match kind {
                    ColumnKind::Bytes => Stored::Bytes(plain),
                    _ => Stored::Text(String::from_utf8(plain).map_err(|_| message!("import.sealed"))?),
                }
            }
            (_, ColumnKind::Text) => return Err(message!("import.no-text")),
            (_, ColumnKind::Bytes) => return Err(message!("import.no-bytes")),
            _ => return Err(message!("import.no-number")),
        };
        match &cell {
            Stored::Text(text) if !is_known(&table.name, name, text) => {
                Err(message!("import.unknown", text = text.as_str()))
            }
            _ => Ok(cell),
        }
    }
}
