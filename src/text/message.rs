//! Messages: sentences for a reader, stored as a code and the facts in the sentences.
//!
//! The words are in `templates/messages/`. A language is therefore a directory of templates, and no code matches
//! English text. `crate::message!` creates a message, and `compose` renders it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The code of a message that contains its words and has no template.
const VERBATIM: &str = "verbatim";

/// One or two sentences for a reader: their code, and the facts in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Message {
    /// The code: `service.no-such-player` is the key `no-such-player` of `templates/messages/service.toml`.
    pub code: Cow<'static, str>,
    /// The facts, by their names in the template.
    pub facts: BTreeMap<Cow<'static, str>, Fact>,
}

/// One fact of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact {
    /// A condition that the sentence depends on.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A name, a word or a text with its original spelling.
    Text(String),
    /// Several names, words or texts.
    List(Vec<String>),
    /// A nested message.
    Message(Box<Message>),
}

/// A message as stored. A verbatim message is stored as its words. Notices of earlier versions contain words too,
/// instead of a code.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Words(String),
    Coded {
        code: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        facts: BTreeMap<String, Fact>,
    },
}

impl From<Message> for Stored {
    fn from(message: Message) -> Stored {
        if let Some(words) = message.words() {
            return Stored::Words(words.to_owned());
        }
        let facts = message.facts.into_iter().map(|(name, fact)| (name.into_owned(), fact)).collect();
        Stored::Coded { code: message.code.into_owned(), facts }
    }
}

impl From<Stored> for Message {
    fn from(stored: Stored) -> Message {
        match stored {
            Stored::Words(words) => Message::verbatim(words),
            Stored::Coded { code, facts } => Message {
                code: code.into(),
                facts: facts.into_iter().map(|(name, fact)| (name.into(), fact)).collect(),
            },
        }
    }
}

impl Message {
    /// Creates a message without facts.
    pub const fn new(code: &'static str) -> Message {
        Message { code: Cow::Borrowed(code), facts: BTreeMap::new() }
    }

    /// Creates a message of words without a template.
    pub fn verbatim(words: impl Into<String>) -> Message {
        Message::new(VERBATIM).with("words", words.into())
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> Message {
        self.facts.insert(Cow::Borrowed(name), fact.into());
        self
    }

    /// Returns the words of a verbatim message, which needs no template.
    pub fn words(&self) -> Option<&str> {
        match self.facts.get("words") {
            Some(Fact::Text(words)) if self.code == VERBATIM => Some(words),
            _ => None,
        }
    }
}

/// Implements the JSON schema of a type as for the type that represents it in the API.
macro_rules! schema {
    ($type:ty, $shown:ty) => {
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$shown as schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$shown as schemars::JsonSchema>::json_schema(generator)
            }

            fn inline_schema() -> bool {
                true
            }
        }
    };
}
pub(crate) use schema as schema_as;

// The API returns a message as a string: its words.
schema_as!(Message, String);

/// Writes the code and the facts, or the words of a verbatim message, for a log or a panic. `compose` renders messages
/// for readers.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = self.words() {
            return f.write_str(words);
        }
        write!(f, "{}", self.code)?;
        for (name, fact) in &self.facts {
            write!(f, " {name}={fact}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Flag(flag) => write!(f, "{flag}"),
            Fact::Number(number) => write!(f, "{number}"),
            Fact::Text(text) => write!(f, "{text:?}"),
            Fact::List(list) => write!(f, "{list:?}"),
            Fact::Message(message) => write!(f, "({message})"),
        }
    }
}

macro_rules! fact_from_number {
    ($($number:ty),*) => {
        $(impl From<$number> for Fact {
            fn from(number: $number) -> Fact {
                Fact::Number(i64::try_from(number).unwrap_or(i64::MAX))
            }
        })*
    };
}
fact_from_number!(u8, u16, u32, u64, usize, i32, i64);

impl From<bool> for Fact {
    fn from(flag: bool) -> Fact {
        Fact::Flag(flag)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Fact {
        Fact::Text(text.to_owned())
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Fact {
        Fact::Text(text)
    }
}

impl From<&String> for Fact {
    fn from(text: &String) -> Fact {
        Fact::Text(text.clone())
    }
}

impl From<char> for Fact {
    fn from(character: char) -> Fact {
        Fact::Text(character.to_string())
    }
}

impl From<Vec<String>> for Fact {
    fn from(list: Vec<String>) -> Fact {
        Fact::List(list)
    }
}

impl From<Message> for Fact {
    fn from(message: Message) -> Fact {
        Fact::Message(Box::new(message))
    }
}

/// Creates a [`Message`]: `message!("service.no-such-player", userid)`, `message!("command.not-a-move", word =
/// &text)`.
#[macro_export]
macro_rules! message {
    ($code:literal $(, $name:ident $(= $fact:expr)?)* $(,)?) => {
        $crate::text::Message::new($code)$(.with(stringify!($name), $crate::message!(@fact $name $(= $fact)?)))*
    };
    (@fact $name:ident = $fact:expr) => { $fact };
    (@fact $name:ident) => { $name };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_stored_and_read_back() {
        let players = vec!["alice".to_owned(), "bob".to_owned()];
        let message = message!("service.not-yours", board = 3_u32, players, private = true);
        let json = serde_json::to_string(&message).expect("the message can be written as JSON");
        assert_eq!(serde_json::from_str::<Message>(&json).expect("a written message can be read"), message);
        let earlier = serde_json::from_str::<Message>("\"There is no board 3.\"").expect("a plain string is a message");
        assert_eq!(earlier.words(), Some("There is no board 3."));
    }
}
