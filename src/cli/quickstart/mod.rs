//! `turnpost quickstart`: a new data directory with its configuration, and the files for the programs around it.

mod answers;
mod files;
mod options;

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::{bail, ensure};

use super::exit::{Exit, print};
use crate::config::Config;
use crate::serve::Instance;
use crate::world::World;
use answers::Answers;
pub(super) use options::Quickstart;

impl Quickstart {
    /// Asks for what is missing, writes the files and prints what to do next.
    pub(in crate::cli) fn run(self, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
        let configuration = data.join("turnpost.toml");
        ensure!(!configuration.exists(), "{} is there: this server is set up", configuration.display());
        let mut lines = io::stdin().lock().lines();
        let answers = Answers::ask(self, &mut || Ok(lines.next().transpose()?))?;
        let text = files::configuration(&answers);
        if let Some(problem) = Config::parse(&text, data).1.first() {
            bail!("{}", problem.what);
        }
        Instance::create(data, World::REAL)?;
        let steps = files::write(&answers, &text, &data.canonicalize()?)?;
        print(&if as_json { format!("{}\n", serde_json::json!({ "configuration": configuration })) } else { steps })?;
        Ok(Exit::Done)
    }
}
