//! How a board ended, as a code with one stored text.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// What every adjudication's stored text begins with.
const ADJUDICATION: &str = "adjudication: ";

/// Why a board ended. Stored and serialized as its text: `resignation`, `formation`, `adjudication: both agreed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum EndReason {
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// A player's time ran out.
    Time,
    /// The administrator decided, for this reason.
    Adjudication(String),
    /// The rules ended it, for the reason that the game gives: `formation`, `repetition`.
    Rules(String),
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndReason::Resignation => f.write_str("resignation"),
            EndReason::Agreement => f.write_str("agreement"),
            EndReason::Time => f.write_str("time"),
            EndReason::Adjudication(why) => write!(f, "{ADJUDICATION}{why}"),
            EndReason::Rules(reason) => f.write_str(reason),
        }
    }
}

impl From<String> for EndReason {
    fn from(text: String) -> EndReason {
        match text.as_str() {
            "resignation" => EndReason::Resignation,
            "agreement" => EndReason::Agreement,
            "time" => EndReason::Time,
            _ => match text.strip_prefix(ADJUDICATION) {
                Some(why) => EndReason::Adjudication(why.to_owned()),
                None => EndReason::Rules(text),
            },
        }
    }
}

impl From<EndReason> for String {
    fn from(reason: EndReason) -> String {
        reason.to_string()
    }
}

impl JsonSchema for EndReason {
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
            assert_eq!(EndReason::from(text.to_owned()).to_string(), text);
        }
    }
}
