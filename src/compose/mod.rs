//! Facts → words, by the templates: what a shell prints and what a letter says.

mod letter;
mod templates;

pub use letter::{Letter, Reply, ReplyEntry};

use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::desk::{Answer, Refused};

use templates::Templates;

/// The templates, ready to be filled in.
pub struct Composer {
    templates: Templates,
}

impl Composer {
    /// The embedded templates, and over them those of a directory, file by file.
    ///
    /// # Errors
    /// A template that does not parse, with its file and line.
    pub fn new(templates: Option<&Path>) -> anyhow::Result<Composer> {
        Ok(Composer { templates: Templates::new(templates)? })
    }

    /// What a shell prints of an answer.
    ///
    /// # Errors
    /// A template that fails.
    pub fn answer(&self, answer: &Answer) -> anyhow::Result<String> {
        match answer {
            Answer::Help { pages } => {
                let pages = pages.iter().map(|page| self.templates.help(page)).collect::<anyhow::Result<Vec<_>>>()?;
                Ok(pages.join("\n"))
            }
            Answer::History { record, json: true, .. } => Ok(serde_json::to_string_pretty(record)? + "\n"),
            answer => self.templates.fill(&format!("answer/{}.txt", answer.name()), Serde(answer).into()),
        }
    }

    /// What a shell prints of a refusal.
    ///
    /// # Errors
    /// A template that fails.
    pub fn refused(&self, refused: &Refused) -> anyhow::Result<String> {
        self.templates
            .fill("answer/refused.txt", context! { pointer => pointer(refused), ..Value::from(Serde(refused)) })
    }
}

/// The line that points at the word at fault.
fn pointer(refused: &Refused) -> Option<String> {
    let (at, length) = refused.at?;
    let before = refused.line.get(..at)?.chars().count();
    Some(format!("{}{}", " ".repeat(before), "^".repeat(length.max(1))))
}
