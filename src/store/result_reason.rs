//! The reason for the end of a board: a code with a stored text.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// The prefix of an adjudication's stored text.
const ADJUDICATION: &str = "adjudication: ";

/// The reason for the end of a board. It is stored and serialized as a text: `resignation`, `formation`, `adjudication:
/// both agreed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ResultReason {
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// A player's time ran out.
    Time,
    /// The administrator decided; with the administrator's reason.
    Adjudication(String),
    /// The rules ended the game; with the game's code of the reason: `formation`, `repetition`.
    Rules(String),
}

impl fmt::Display for ResultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultReason::Resignation => f.write_str("resignation"),
            ResultReason::Agreement => f.write_str("agreement"),
            ResultReason::Time => f.write_str("time"),
            ResultReason::Adjudication(why) => write!(f, "{ADJUDICATION}{why}"),
            ResultReason::Rules(reason) => f.write_str(reason),
        }
    }
}

impl From<String> for ResultReason {
    fn from(text: String) -> ResultReason {
        match text.as_str() {
            "resignation" => ResultReason::Resignation,
            "agreement" => ResultReason::Agreement,
            "time" => ResultReason::Time,
            _ => match text.strip_prefix(ADJUDICATION) {
                Some(why) => ResultReason::Adjudication(why.to_owned()),
                None => ResultReason::Rules(text),
            },
        }
    }
}

impl From<&str> for ResultReason {
    fn from(text: &str) -> ResultReason {
        text.to_owned().into()
    }
}

impl From<ResultReason> for String {
    fn from(reason: ResultReason) -> String {
        reason.to_string()
    }
}

impl JsonSchema for ResultReason {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_read_back_from_its_text() {
        for text in ["resignation", "agreement", "time", "adjudication: both agreed", "formation", "no moves"] {
            assert_eq!(ResultReason::from(text).to_string(), text);
        }
    }
}
