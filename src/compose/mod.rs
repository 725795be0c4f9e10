//! Facts → words, by the templates: what a shell prints and what a letter says.

mod html;
mod letter;
mod messages;
mod section;
mod templates;

pub use html::{Html, Picture, picture};
pub use letter::{Letter, own_address};
pub use section::{At, Reply, ReplyEntry};

use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::command::MailForm;
use crate::service::{Rejection, Response};
use crate::store::{self, PlayerRef, Transaction};

use crate::text::Message;

use templates::Templates;

/// The templates, ready to be filled in.
pub struct Composer {
    templates: Templates,
}

/// For whom something is worded.
struct Reader {
    /// Empty for somebody who is no player; that is nobody's userid.
    userid: String,
    zone: String,
    /// How boards are shown.
    form: MailForm,
}

impl Reader {
    /// Somebody at a shell, or who is no player.
    fn nobody() -> Reader {
        Reader { userid: String::new(), zone: "UTC".to_owned(), form: MailForm::Text }
    }

    fn of(tx: &dyn Transaction, player: Option<&PlayerRef>) -> store::Result<Reader> {
        let Some(PlayerRef { id, userid }) = player else { return Ok(Reader::nobody()) };
        let Some(player) = tx.player_by_id(*id)? else { return Ok(Reader::nobody()) };
        Ok(Reader { userid: userid.clone(), zone: player.settings.zone, form: player.settings.mail })
    }

    /// Facts with the reader's own beside them.
    fn told(&self, facts: Value) -> Value {
        let Reader { userid, zone, form } = self;
        let accessible = *form == MailForm::Accessible;
        context! { ..facts, ..context! { reader => userid, zone, accessible } }
    }
}

impl Composer {
    /// The embedded templates, and over them those of a directory, file by file. Links begin with `url`, if the world
    /// reaches our pages.
    ///
    /// # Errors
    /// A template that does not parse, with its file and line.
    pub fn new(templates: Option<&Path>, url: Option<&str>) -> anyhow::Result<Composer> {
        Ok(Composer { templates: Templates::new(templates, url)? })
    }

    /// What a shell prints of an answer.
    ///
    /// # Errors
    /// A template that fails.
    pub fn answer(&self, answer: &Response) -> anyhow::Result<String> {
        self.answer_to(&Reader::nobody(), answer)
    }

    fn answer_to(&self, reader: &Reader, answer: &Response) -> anyhow::Result<String> {
        match answer {
            Response::Help { pages } => {
                let pages = pages.iter().map(|page| self.templates.help(page)).collect::<anyhow::Result<Vec<_>>>()?;
                Ok(pages.join("\n"))
            }
            Response::History { record, json: true, .. } => Ok(serde_json::to_string_pretty(record)? + "\n"),
            answer => self.templates.fill(&format!("answer/{}.txt", answer.name()), reader.told(Serde(answer).into())),
        }
    }

    /// A page of the web, by the name of its template.
    ///
    /// # Errors
    /// A template that fails.
    pub fn page(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}.html"), facts)
    }

    /// A file that pages refer to, by its name: the style sheet, the script.
    ///
    /// # Errors
    /// A template that fails; there is none of this name.
    pub fn file(&self, name: &str) -> anyhow::Result<String> {
        self.templates.fill(&format!("web/{name}"), context! {})
    }

    /// The words of a message.
    ///
    /// # Errors
    /// There is no such message, or a fact of it is missing.
    pub fn message(&self, message: &Message) -> anyhow::Result<String> {
        self.templates.words(message)
    }

    /// The codes of all messages that there are words for.
    pub fn message_codes(&self) -> impl Iterator<Item = &str> {
        self.templates.message_codes()
    }

    /// What a shell prints of a refusal.
    ///
    /// # Errors
    /// A template that fails.
    pub fn refused(&self, refused: &Rejection) -> anyhow::Result<String> {
        self.refused_to(&Reader::nobody(), refused)
    }

    fn refused_to(&self, reader: &Reader, refused: &Rejection) -> anyhow::Result<String> {
        let facts = context! { pointer => pointer(refused), ..Value::from(Serde(refused)) };
        self.templates.fill("answer/refused.txt", reader.told(facts))
    }
}

/// The line that points at the word at fault.
fn pointer(refused: &Rejection) -> Option<String> {
    let (at, length) = refused.at?;
    let before = refused.line.get(..at)?.chars().count();
    Some(format!("{}{}", " ".repeat(before), "^".repeat(length.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_its_template() {
        let composer = Composer::new(None, None).expect("the embedded templates");
        // A name that is none is refused with those that are.
        let names = serde_json::from_str::<Response>(r#"{"answer":""}"#).expect_err("no name").to_string();
        let names: Vec<&str> = names.split('`').skip(3).step_by(2).collect();
        assert!(names.len() > 30 && names.contains(&"signed-up"), "{names:?}");
        for name in names.into_iter().filter(|name| *name != "help") {
            assert!(composer.templates.has(&format!("answer/{name}.txt")), "answer/{name}.txt");
        }
    }
}
