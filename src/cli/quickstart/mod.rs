//! `turnpost quickstart`: creates a data directory with its configuration, and the files for related programs.

mod answers;
mod files;
mod options;

use std::fs;
use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

use anyhow::Context;

use super::exit::{Exit, not_understood, print, refused};
use crate::config::Config;
use crate::serve::Instance;
use crate::world::World;
use answers::Answers;
pub(crate) use options::Quickstart;

/// Returns whether a configuration with a key exists. A package installs one that consists of comments.
fn is_set_up(configuration: &Path) -> anyhow::Result<bool> {
    let text = match fs::read_to_string(configuration) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        text => text.with_context(|| format!("cannot read {}", configuration.display()))?,
    };
    Ok(text.parse::<toml::Table>().map_or(true, |table| !table.is_empty()))
}

impl Quickstart {
    /// Asks for missing options, writes the files and prints the next steps.
    pub(crate) fn run(self, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
        let configuration = data.join("turnpost.toml");
        if is_set_up(&configuration)? {
            return Ok(refused(format_args!("{} is there: this server is set up", configuration.display())));
        }
        let mut lines = io::stdin().lock().lines();
        let answers = Answers::ask(self, &mut || Ok(lines.next().transpose()?))?;
        let text = files::configuration(&answers);
        if let Some(problem) = Config::parse(&text, data).1.first() {
            return Ok(not_understood(&problem.what));
        }
        Instance::create(data, World::REAL)?;
        let steps = files::write(&answers, &text, &data.canonicalize()?)?;
        print(&if as_json { format!("{}\n", serde_json::json!({ "configuration": configuration })) } else { steps })?;
        Ok(Exit::Done)
    }
}
