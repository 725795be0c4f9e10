//! Tables, columns and rows in a generic form, for export and import.

use std::collections::BTreeMap;

use rusqlite::config::DbConfig;

use super::sql::{Cells, Db, FromCells, Param, Raw, Value, all, all_by, cell, keep_number, run, unexpected};
use super::{Result, StoreError, Transaction};
use crate::store::sqlite::failed;

/// A table and its columns, without generated columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// The table's name.
    pub name: String,
    /// The columns, in the order of the schema.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// The kind of the column's values.
    pub kind: ColumnKind,
    /// Whether the column can be NULL.
    pub is_nullable: bool,
    /// Whether a new row needs a value for the column.
    pub is_required: bool,
    /// The table and column to which this column refers.
    pub refers_to: Option<(String, String)>,
    /// The position in the primary key, from 1; 0 for a column outside the key.
    key: i64,
}

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers. On SQLite also booleans: 0 and 1.
    Number,
    /// A boolean.
    Boolean,
    /// A text column.
    Text,
    /// A column of bytes.
    Bytes,
    /// Floating-point numbers, which exports do not contain.
    Real,
}

/// A cell. A boolean is 0 or 1 on both databases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// NULL.
    Null,
    /// A whole number.
    Number(i64),
    /// A text, including times and names.
    Text(String),
    /// Bytes, such as a stored message.
    Bytes(Vec<u8>),
}

/// The number of rows that are in memory at the same time.
const PAGE: usize = 500;

const SQLITE_COLUMNS: &str = "SELECT t.name, c.name, lower(c.type), c.\"notnull\" <> 0, c.dflt_value IS NOT NULL, c.pk, \
     f.\"table\", f.\"to\" FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
     LEFT JOIN pragma_foreign_key_list(t.name) f ON f.\"from\" = c.name \
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid";
const POSTGRES_COLUMNS: &str = "SELECT t.relname, c.attname, format_type(c.atttypid, NULL), c.attnotnull, \
     c.atthasdef OR c.attidentity <> '', coalesce(array_position(k.conkey, c.attnum), 0), r.relname, a.attname \
     FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = '' \
     LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p' \
     LEFT JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f' AND f.conkey = ARRAY[c.attnum] \
     LEFT JOIN pg_class r ON r.oid = f.confrelid \
     LEFT JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = f.confkey[1] \
     WHERE t.relkind = 'r' AND t.relnamespace = quote_ident(current_schema())::regnamespace ORDER BY t.relname, c.attnum";

/// Switches the triggers of every table on or off.
const POSTGRES_TRIGGERS: &str = "DO $$ DECLARE t text; BEGIN \
     FOR t IN SELECT DISTINCT g.tgrelid::regclass FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid \
         WHERE NOT g.tgisinternal AND c.relnamespace = quote_ident(current_schema())::regnamespace \
     LOOP EXECUTE format('ALTER TABLE %s ENABLED TRIGGER USER', t); END LOOP; END $$";
/// Makes each identity column continue after the highest number in its table. SQLite does this by itself.
const POSTGRES_IDENTITIES: &str = "DO $$ DECLARE c record; BEGIN \
     FOR c IN SELECT a.attrelid::regclass AS t, a.attname AS n FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid \
         WHERE a.attidentity <> '' AND r.relnamespace = quote_ident(current_schema())::regnamespace \
     LOOP EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), max(%I)) FROM %s HAVING max(%I) IS NOT NULL', \
         c.t, c.n, c.n, c.t, c.n); END LOOP; END $$";

const SQLITE_LAST_NUMBERS: &str = "SELECT name, seq FROM sqlite_sequence WHERE seq > 0";
const POSTGRES_LAST_NUMBERS: &str = "SELECT name, last FROM last_numbers WHERE last > 0 UNION ALL \
     SELECT replace(sequencename::text, '_numbers', ''), last_value FROM pg_sequences \
     WHERE schemaname = current_schema() AND sequencename LIKE '%\\_numbers' AND last_value IS NOT NULL";

impl Column {
    fn is_key(&self) -> bool {
        self.key > 0
    }
}

impl Table {
    /// Returns the index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the indexes of the columns that order the rows: those of the primary key, or all.
    fn key(&self) -> Vec<usize> {
        let mut key: Vec<usize> = (0..self.columns.len()).filter(|place| self.columns[*place].is_key()).collect();
        key.sort_by_key(|place| self.columns[*place].key);
        if key.is_empty() { (0..self.columns.len()).collect() } else { key }
    }

    /// Returns the names of columns as a list for a statement.
    fn names(&self, places: impl IntoIterator<Item = usize>) -> String {
        let names: Vec<String> = places.into_iter().map(|place| format!("\"{}\"", self.columns[place].name)).collect();
        names.join(", ")
    }
}

impl Stored {
    fn of(raw: Raw<'_>) -> Result<Stored> {
        Ok(match raw {
            Raw::Null => Stored::Null,
            Raw::Bool(value) => Stored::Number(value.into()),
            Raw::Int(value) => Stored::Number(value),
            Raw::Text(text) => Stored::Text(text.into_owned()),
            Raw::Bytes(bytes) => Stored::Bytes(bytes.to_owned()),
            Raw::Real(_) => return Err(unexpected("a whole number, text or bytes")),
        })
    }

    fn value(&self, kind: ColumnKind) -> Value<'_> {
        match self {
            Stored::Null => Value::Null,
            Stored::Number(value) if kind == ColumnKind::Boolean => Value::Bool(*value != 0),
            Stored::Number(value) => Value::Int(*value),
            Stored::Text(text) => Value::Text(text.into()),
            Stored::Bytes(bytes) => Value::Bytes(bytes.into()),
        }
    }
}

impl FromCells for Column {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let (name, kind): (String, String) = cells.take()?;
        let [not_null, has_default]: [bool; 2] = cells.take()?;
        let (key, [other, other_column]): (i64, [Option<String>; 2]) = cells.take()?;
        let kind = match kind.as_str() {
            "integer" | "bigint" | "smallint" => ColumnKind::Number,
            "boolean" => ColumnKind::Boolean,
            "text" => ColumnKind::Text,
            "blob" | "bytea" => ColumnKind::Bytes,
            _ => ColumnKind::Real,
        };
        let (is_nullable, is_required) = (!not_null && key == 0, key > 0 || not_null && !has_default);
        Ok(Column { name, kind, is_nullable, is_required, refers_to: other.zip(other_column), key })
    }
}

fn placeholders(count: usize) -> String {
    (1..=count).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ")
}

/// Tables and rows in a generic form.
impl Transaction<'_> {
    /// Lists the tables of the database by name.
    pub fn tables(&self) -> Result<Vec<Table>> {
        let db = self.db();
        let mut tables: Vec<Table> = Vec::new();
        for (name, column) in all::<(String, Column)>(db, db.by_dialect(SQLITE_COLUMNS, POSTGRES_COLUMNS), &[])? {
            match tables.last_mut().filter(|table| table.name == name) {
                Some(table) => table.columns.push(column),
                None => tables.push(Table { name, columns: vec![column] }),
            }
        }
        Ok(tables)
    }

    /// Calls `each` for the rows of a table in the order of its key. Rows that refer to other rows of the same table
    /// come last.
    ///
    /// # Errors
    /// If the store fails, or `each` returns an error.
    pub fn each_row<E: From<StoreError>>(
        &self,
        table: &Table,
        mut each: impl FnMut(&[Stored]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let (all_names, key) = (table.names(0..table.columns.len()), table.key());
        let key_names = table.names(key.iter().copied());
        let own =
            table.columns.iter().find(|column| column.refers_to.as_ref().is_some_and(|(of, _)| *of == table.name));
        let parts = match own.map(|column| &column.name) {
            Some(own) => {
                vec![format!("(\"{own}\" IS NULL OR \"{own}\" = {key_names})"), format!("\"{own}\" <> {key_names}")]
            }
            None => vec!["true".to_owned()],
        };
        for part in parts {
            let mut last: Vec<Stored> = Vec::new();
            loop {
                let after = match last.len() {
                    0 => String::new(),
                    count => format!(" AND ({key_names}) > ({})", placeholders(count)),
                };
                let sql = format!(
                    "SELECT {all_names} FROM \"{}\" WHERE {part}{after} ORDER BY {key_names} LIMIT {PAGE}",
                    table.name
                );
                let params: Vec<Value<'_>> = last.iter().map(|cell| cell.value(ColumnKind::Number)).collect();
                let params: Vec<&dyn Param> = params.iter().map(|value| value as &dyn Param).collect();
                let mut rows = all_by(self.db(), &sql, &params, |row| {
                    (0..table.columns.len())
                        .map(|place| row.raw(place).and_then(Stored::of))
                        .collect::<Result<Vec<_>>>()
                })?;
                rows.iter().try_for_each(|row| each(row))?;
                if rows.len() < PAGE {
                    break;
                }
                let row = rows.pop().unwrap_or_default();
                last = key.iter().map(|place| row[*place].clone()).collect();
            }
        }
        Ok(())
    }

    /// Returns whether a table has rows.
    pub fn has_rows(&self, table: &Table) -> Result<bool> {
        cell(self.db(), &format!("SELECT EXISTS (SELECT 1 FROM \"{}\")", table.name), &[])
    }

    /// Adds a row with these cells, each with the index of its column. Other columns get their defaults.
    pub fn add_row(&mut self, table: &Table, row: &[(usize, Stored)]) -> Result<()> {
        let db = self.writable()?;
        let (names, places) = (table.names(row.iter().map(|(place, _)| *place)), placeholders(row.len()));
        // Without this clause, an identity column would reject the given number.
        let own_numbers = db.by_dialect("", "OVERRIDING SYSTEM VALUE ");
        let sql = format!("INSERT INTO \"{}\" ({names}) {own_numbers}VALUES ({places})", table.name);
        let values: Vec<Value<'_>> = row.iter().map(|(place, cell)| cell.value(table.columns[*place].kind)).collect();
        let params: Vec<&dyn Param> = values.iter().map(|value| value as &dyn Param).collect();
        run(db, &sql, &params).map(drop)
    }

    /// Runs `work` without triggers, because imported rows already contain the effects of the triggers.
    ///
    /// # Errors
    /// If the store fails, or `work` returns an error.
    pub fn without_triggers<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.set_triggers(false)?;
        let done = work(self);
        // After an error on PostgreSQL, this call also fails, and the transaction is rolled back.
        let enabled = self.set_triggers(true);
        let done = done?;
        enabled?;
        Ok(done)
    }

    fn set_triggers(&mut self, enabled: bool) -> Result<()> {
        match self.writable()? {
            Db::Sqlite(db) => {
                db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled).map(drop).map_err(failed)
            }
            db @ Db::Postgres(_) => {
                let word = if enabled { "ENABLE" } else { "DISABLE" };
                run(db, &POSTGRES_TRIGGERS.replace("ENABLED", word), &[]).map(drop)
            }
        }
    }

    /// Returns the highest number ever used in each table whose numbers are never reused.
    pub fn last_numbers(&self) -> Result<BTreeMap<String, i64>> {
        let sql = self.db().by_dialect(SQLITE_LAST_NUMBERS, POSTGRES_LAST_NUMBERS);
        Ok(all(self.db(), sql, &[])?.into_iter().collect())
    }

    /// Makes new numbers higher than these, and higher than all numbers in the tables.
    pub fn set_last_numbers(&mut self, numbers: &BTreeMap<String, i64>) -> Result<()> {
        let db = self.writable()?;
        numbers.iter().try_for_each(|(table, last)| keep_number(db, table, *last))?;
        if let Db::Postgres(_) = db {
            run(db, POSTGRES_IDENTITIES, &[])?;
        }
        Ok(())
    }
}
