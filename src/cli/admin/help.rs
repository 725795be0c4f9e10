//! Help for `turnpost admin`, grouped by task.

use clap::Command;
use textwrap::Options;

/// The subcommands, grouped by purpose.
const TASKS: &[(&str, &[&str])] = &[
    ("The server", &["overview", "check", "maintenance", "log-level", "authorize-mailbox", "acts"]),
    ("Players", &["search", "players", "player", "block", "unblock", "blocked", "limits", "ratings", "broadcast"]),
    ("Boards", &["boards", "board", "adjudicate", "reopen", "void", "comment", "analyse", "months"]),
    ("Clocks", &["clocks", "extend", "pause", "resume"]),
    ("Mail", &["inbox", "mail", "retry", "outbox", "letter", "bounces", "resend", "drop", "hold", "release"]),
    ("Backups and moving", &["backup", "restore", "restore-board", "export", "import", "move"]),
];

/// The width of a terminal, and of the column with the names.
const WIDTH: usize = 78;
const NAMES: usize = 22;

/// Groups the subcommands of `admin` by task.
pub(crate) fn by_task(admin: Command) -> Command {
    let mut list = String::new();
    for (task, names) in TASKS {
        list += &format!("{task}:\n");
        for name in *names {
            let about = admin.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let start = format!("{:<NAMES$}", format!("  {name}"));
            let indent = " ".repeat(NAMES);
            let options = Options::new(WIDTH).initial_indent(&start).subsequent_indent(&indent);
            list += &(textwrap::fill(&about.unwrap_or_default(), options) + "\n");
        }
        list.push('\n');
    }
    admin.help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Subcommand;

    use super::*;
    use crate::cli::admin::Task;

    #[test]
    fn each_subcommand_has_one_place() {
        let admin = Task::augment_subcommands(Command::new("admin"));
        let there: BTreeSet<&str> = admin.get_subcommands().map(Command::get_name).collect();
        let listed: Vec<&str> = TASKS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), there);
        assert_eq!(listed.len(), there.len());
    }
}
