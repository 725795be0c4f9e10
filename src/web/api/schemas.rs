//! Types of values in requests. Their schemas contain their limits.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::error::Problem;
use crate::clock::{Fischer, TimeControl};
use crate::command::{Flags, MOST_DAYS, MOST_TOTAL_DAYS, Terms};
use crate::rules::catalogue;

/// The pattern of a userid.
const USERID: &str = "^[A-Za-z][A-Za-z0-9_.-]{1,19}$";
/// The pattern of a board's options.
const OPTIONS: &str = "^(-[a-z0-9_]{1,20}(=[0-9]{1,5})?( -[a-z0-9_]{1,20}(=[0-9]{1,5})?)*)?$";

/// A userid in a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Userid(String);

impl Userid {
    /// Returns whether a text matches the pattern of a userid.
    pub(crate) fn fits(text: &str) -> bool {
        let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        (2..=20).contains(&text.len()) && letters && text.starts_with(|c: char| c.is_ascii_alphabetic())
    }
}

impl TryFrom<String> for Userid {
    type Error = String;

    fn try_from(text: String) -> Result<Userid, String> {
        match Userid::fits(&text) {
            true => Ok(Userid(text)),
            // Names of events have the form of userids.
            false => Err(format!(
                "{text:?} is not a name of 2 to 20 letters, digits, \"_\", \".\" or \"-\" that begins with a letter"
            )),
        }
    }
}

impl From<Userid> for String {
    fn from(userid: Userid) -> String {
        userid.0
    }
}

impl JsonSchema for Userid {
    fn schema_name() -> Cow<'static, str> {
        "Userid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "pattern": USERID, "minLength": 2, "maxLength": 20 })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// The thinking time of a new board, or of the boards of a new event.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ThinkingTime {
    /// Days of thinking before the first reminder; 0: no reminder, except one before a limit; `null`: the server's
    /// default.
    #[serde(default)]
    #[schemars(range(min = 0, max = MOST_DAYS))]
    nag_days: Option<u32>,
    /// Days of thinking on one move before a forfeit; 0: never; `null`: the server's default.
    #[serde(default)]
    #[schemars(range(min = 0, max = MOST_DAYS))]
    forfeit_days: Option<u32>,
    /// Days of thinking on all moves together; 0: unlimited, or 60 in an event; `null`: the server's default, or 60 in
    /// an event if the server has no default.
    #[serde(default)]
    #[schemars(range(min = 0, max = MOST_TOTAL_DAYS))]
    total_days: Option<u32>,
    /// A bank of thinking time that grows with each move, instead of `total_days`; `null` without one.
    #[serde(default)]
    fischer: Option<Fischer>,
}

impl ThinkingTime {
    /// Returns the options of a command with these times and flags.
    pub(crate) fn terms(&self, flags: Flags) -> Vec<String> {
        let time_control = TimeControl {
            nag: self.nag_days,
            forfeit: self.forfeit_days,
            total: self.total_days,
            fischer: self.fischer,
        };
        Terms { time_control, flags }.to_string().split_whitespace().map(str::to_owned).collect()
    }
}

/// The options of a board in a request: `-size=9`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct GameOptions(String);

impl GameOptions {
    /// Returns each option as a word of the command language.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}

impl TryFrom<String> for GameOptions {
    type Error = String;

    fn try_from(text: String) -> Result<GameOptions, String> {
        let is_option = |word: &str| {
            let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let name = name.strip_prefix('-').unwrap_or_default();
            let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            let is_number =
                |value: &str| (1..=5).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
            (1..=20).contains(&name.len()) && name.bytes().all(letters) && value.is_none_or(is_number)
        };
        match text.is_empty() || text.split(' ').all(is_option) {
            true => Ok(GameOptions(text)),
            false => Err(format!("{text:?} is not a list of options such as \"-size=9\"")),
        }
    }
}

impl JsonSchema for GameOptions {
    fn schema_name() -> Cow<'static, str> {
        "GameOptions".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        options()
    }

    fn inline_schema() -> bool {
        true
    }
}

/// Returns the schema of a board's options.
pub(crate) fn options() -> Schema {
    schemars::json_schema!({ "type": "string", "pattern": OPTIONS })
}

/// Returns the schema of a parameter in a path.
pub(crate) fn in_path(name: &str) -> Value {
    match name {
        "number" | "edition" => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        "game" => {
            json!({ "type": "string", "enum": catalogue::GAMES.iter().map(|game| game.name()).collect::<Vec<_>>() })
        }
        // Names of events have the form of userids.
        "userid" | "name" => json!({ "type": "string", "pattern": USERID }),
        "reason" => json!({ "type": "string", "enum": Problem::EACH.map(Problem::name) }),
        // The remaining parameter is a token's id.
        _ => json!({ "type": "string", "pattern": "^[0-9a-f]{8}$" }),
    }
}

/// The members of a body, which must be an object with distinct names. Serde would also read the fields of a struct
/// from an array.
pub(crate) struct Members(pub(crate) Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.contains_key(&name) {
                return Err(de::Error::custom(format!("duplicate field `{name}`")));
            }
            members.insert(name, with_whole_numbers(value));
        }
        Ok(Members(members))
    }
}

/// Converts whole numbers in a body to integers: `7.0` is an integer too (JSON Schema, Core 4.2.3).
fn with_whole_numbers(body: Value) -> Value {
    match body {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= MOST_EXACT as f64 => {
                Value::from(float as i64)
            }
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(with_whole_numbers).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect(),
        other => other,
    }
}

/// Describes the first member of a body that Serde accepts, but the schema of the body does not: an array, a text that
/// is too short or too long, or a number out of range.
pub(crate) fn mistake(schema: &Schema, members: &Map<String, Value>) -> Option<String> {
    mistake_in(schema.as_value(), schema.as_value(), members)
}

/// Finds a mistake in the members of an object with this schema, which is a part of the schema `root`.
fn mistake_in(root: &Value, schema: &Value, members: &Map<String, Value>) -> Option<String> {
    members.iter().find_map(|(name, value)| {
        let schema = schema.get("properties").and_then(|all| all.get(name)).map(|member| resolved(root, member));
        let limit = |key: &str| schema?.get(key)?.as_u64();
        let (size, shown, [least, most]) = match value {
            Value::String(text) => {
                let length = text.chars().count() as u64;
                (length, format!("has {length} characters"), ["minLength", "maxLength"])
            }
            Value::Number(number) => (number.as_u64()?, format!("is {number}"), ["minimum", "maximum"]),
            Value::Object(inner) => return mistake_in(root, schema?, inner),
            // No body contains an array, but Serde also reads the fields of a struct from one.
            Value::Array(_) => return Some(format!("`{name}` is an array, but must be an object")),
            _ => return None,
        };
        let too_small = limit(least).filter(|least| size < *least);
        let too_large = limit(most).filter(|most| size > *most);
        too_small
            .map(|least| format!("`{name}` {shown}; the minimum is {least}"))
            .or_else(|| too_large.map(|most| format!("`{name}` {shown}; the maximum is {most}")))
    })
}

/// Returns the schema to which the schema of an object refers. An optional object refers to it in an alternative.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = schema.pointer("/anyOf/0").unwrap_or(schema);
    let path = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    path.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

/// Adds to each integer the limits of its Rust type.
pub(crate) fn bound_integers(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let bounds = match object.get("format").and_then(Value::as_str) {
        Some("uint8") => (0, u64::from(u8::MAX)),
        Some("uint16") => (0, u64::from(u16::MAX)),
        Some("uint32") => (0, u64::from(u32::MAX)),
        // Every client can represent these numbers exactly (RFC 8259, section 6).
        Some("uint" | "uint64") => (0, MOST_EXACT),
        Some("int64") => (-(MOST_EXACT as i64), MOST_EXACT),
        _ => return,
    };
    bound(object, "minimum", json!(bounds.0));
    bound(object, "maximum", json!(bounds.1));
    // Remove the format, because names such as `uint32` are specific to Rust.
    object.remove("format");
}

/// A double represents all integers up to this one exactly.
const MOST_EXACT: u64 = (1 << 53) - 1;

/// The number of a change in a request.
pub(crate) struct ChangeNumber(pub(crate) i64);

impl FromStr for ChangeNumber {
    type Err = ();

    fn from_str(text: &str) -> Result<ChangeNumber, ()> {
        let number = text.parse::<u64>().ok().filter(|number| *number <= MOST_EXACT);
        number.map(|number| ChangeNumber(number as i64)).ok_or(())
    }
}

/// Returns the schema of a change number.
pub(crate) fn change_number() -> Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": MOST_EXACT })
}

fn bound(object: &mut Map<String, Value>, name: &str, value: Value) {
    object.entry(name).or_insert(value);
}
