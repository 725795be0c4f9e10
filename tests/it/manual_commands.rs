//! Runs the commands of the manual that the other tests do not run. The program must understand each of them. A command
//! may fail because its server, board or letter does not exist.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{Server, done, reply, to};
use crate::documentation::{Shell, WITH_EVENTS, commands, lines_run, pages, root};

const ALICE: &str = "alice@example.org";

/// Replacements for placeholders, and for numbers and paths that exist only on a real server.
const VALUES: &[(&str, &str)] = &[
    ("USERID", "alice"),
    ("PASSWORD", "wonderland"),
    ("NEWPASSWORD", "looking-glass"),
    ("INVITATION", "abcdefgh"),
    ("CODE", "123456"),
    ("NAME", "spring"),
    ("GAME", "hex"),
    ("DEPTH", "1"),
    ("N", "1"),
    ("12", "1"),
    ("34", "1"),
    ("123", "1"),
    ("ID", "1"),
    ("NUMBER", "1"),
    ("MOVE", "f3"),
    ("FILE", "file"),
    ("DIR", "."),
    ("OLD", "."),
    ("NEW", "new"),
    ("COPY", "copy"),
    ("DATABASE", "file"),
    ("/var/lib/turnpost", "."),
];

/// Commands that do not end, or that wait for input.
const ENDLESS: &[&str] = &["serve", "demo", "mail", "quickstart"];

/// First words of commands that pages also show without the program's name.
const FIRST_WORDS: &[&str] = &[
    "admin", "all", "analyse", "block", "calendar", "change", "event", "events", "help", "join", "leave", "list",
    "marque", "message", "password", "puzzle", "report", "set", "show", "signoff", "signup", "unblock", "vacation",
];

/// The first line of exports in an old format. It looks like a command, but is not one.
const NO_COMMAND: &str = "turnpost export 1";

/// Returns the commands of a page that no other test runs, as shell lines. In pages for administrators, commands in the
/// first cells of tables lack `turnpost admin`.
fn commands_not_run(text: &str, is_for_administrators: bool) -> Vec<String> {
    let run = lines_run(text);
    let mut found = Vec::new();
    let (mut prose, mut head) = (String::new(), "");
    for (number, part) in text.split("\n```").enumerate() {
        // The parts at odd indices are inside code fences.
        for line in part.lines().filter(|_| number % 2 == 0) {
            if let Some(line) = line.strip_prefix("    ") {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                let as_user = line.find(" -- turnpost ").map(|at| &line[at + " -- ".len()..]);
                let command = as_user.unwrap_or(line);
                found.extend(as_command(command).filter(|_| !run.contains(&line)));
                continue;
            }
            prose.push_str(line);
            prose.push('\n');
            let first = line.strip_prefix("| ").and_then(|line| line.split(" | ").next());
            head = match first {
                Some(first) if head.is_empty() => first,
                Some(first) if head == "command" && is_for_administrators => {
                    let cells = code(first).filter(|span| !span.starts_with("turnpost"));
                    found.extend(cells.map(|span| format!("turnpost admin {span}")));
                    head
                }
                Some(_) => head,
                None => "",
            };
        }
    }
    found.extend(code(&prose).filter_map(|span| as_command(&span)));
    found
}

/// Returns these words as a shell line if they look like a command.
fn as_command(words: &str) -> Option<String> {
    let (first, _) = words.split_once(' ')?;
    if first == "turnpost" {
        return Some(words.to_owned());
    }
    FIRST_WORDS.contains(&first).then(|| format!("turnpost {words}"))
}

/// Returns the code spans of a text. A span may contain line breaks.
pub(crate) fn code(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Replaces the placeholders of a command, and removes its comment.
fn filled(command: &str) -> String {
    let command = command.split(" # ").next().unwrap().trim();
    let value = |word: &str| match VALUES.iter().find(|(name, _)| *name == word) {
        Some((_, value)) => (*value).to_owned(),
        None => {
            let is_name = !word.is_empty() && word.bytes().all(|c| c.is_ascii_uppercase());
            assert!(!is_name, "{command}: VALUES contains no value for {word}");
            word.replace("db.example.org", "127.0.0.1:1")
        }
    };
    command.split(' ').map(value).collect::<Vec<_>>().join(" ")
}

/// A server on which the commands are tried.
struct Trial {
    shell: Shell,
    /// The output of `turnpost help commands`.
    help: String,
    /// The output of `turnpost --help`.
    own: String,
}

impl Trial {
    /// Prepares players, events and a board.
    fn new() -> Trial {
        let shell = Shell::new();
        for line in WITH_EVENTS.iter().chain(&["turnpost marque challenge alice bob"]) {
            assert_eq!(shell.run(line).status, 0, "{line}");
        }
        let help = shell.run("turnpost help commands").out;
        let own = shell.run("turnpost --help").out;
        Trial { shell, help, own }
    }

    /// Runs a command, and returns whether it succeeds. Returns an error if the program does not understand it.
    fn run(&self, command: &str) -> Result<bool, String> {
        let line = filled(command);
        let words = line.strip_prefix("turnpost ").unwrap();
        let (words, is_cut) = words.strip_suffix(" …").map_or((words, false), |words| (words, true));
        let without_data = words.strip_prefix("--data ").and_then(|rest| rest.split_once(' ')).map(|(_, rest)| rest);
        let first = without_data.unwrap_or(words).split(' ').next().unwrap();
        let is_own = self.own.contains(&format!("\n  {first} "));
        let is_name = words.split(' ').all(|word| word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-'));
        let help = || self.shell.run(&format!("turnpost {words} --help"));
        let ran = match () {
            () if is_own && (is_cut || ENDLESS.contains(&first)) => help(),
            () if is_cut => return if self.is_verb(words) { Ok(true) } else { Err(line) },
            () => self.shell.run(&line),
        };
        match ran.status {
            1 if first == "help" => Err(format!("{line}: {ran:?}")),
            // With these statuses, the program has understood the command. It may still fail, because a file, board or
            // server is missing here.
            0 | 1 | 65 | 66 | 75 | 77 | 78 => Ok(ran.status == 0),
            // Status 2 is fine if the manual shows only the name of a command, without its arguments.
            2 if is_name && (if is_own { help().status == 0 } else { self.is_verb(words) }) => Ok(true),
            2 if !is_own && is_done_in_a_reply(words) => Ok(true),
            _ => Err(format!("{line}: {ran:?}")),
        }
    }

    /// Returns whether a line of the command language can begin with these words.
    fn is_verb(&self, words: &str) -> bool {
        let words = words.replacen("marque", "GAME", 1);
        let verb: Vec<&str> = words.split(' ').take(2).collect();
        self.help.contains(&verb.join(" "))
    }
}

/// Returns whether the server carries out this line if alice replies with it to a letter about a board or an event.
fn is_done_in_a_reply(line: &str) -> bool {
    let mut server = Server::with_players();
    for line in [
        "event new spring hex --kind=league alice wonderland",
        "event new climb hex --kind=ladder alice wonderland",
        "join climb bob builder",
        "join climb alice wonderland",
        "tick",
    ] {
        done(&server, line);
    }
    server.letters();
    ["marque challenge alice bob", "event climb", "join spring alice wonderland"].iter().any(|subject| {
        let letter = to(&server.mail(ALICE, subject, ""), ALICE).clone();
        reply(&mut server, ALICE, &letter, &format!("{line}\n\nHello\n"));
        server.json("admin inbox --rows 1")[0]["verdict"] == "done"
    })
}

#[test]
fn the_program_understands_every_command_of_the_manual() {
    let trial = Trial::new();
    let mut results: BTreeMap<String, Result<bool, String>> = BTreeMap::new();
    let mut pages = pages();
    pages.sort();
    for (path, text) in pages {
        let commands = commands_not_run(&text, path.parent().unwrap().ends_with("docs/run"));
        for command in commands.into_iter().filter(|command| command != NO_COMMAND) {
            let run = || trial.run(&command).map_err(|error| format!("{}: {error}", path.display()));
            results.entry(command.clone()).or_insert_with(run);
        }
    }
    let errors: Vec<_> = results.values().filter_map(|result| result.as_ref().err()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // The commands that fail name a message, backup or server that does not exist here.
    let succeeded = results.values().filter(|result| **result == Ok(true)).count();
    assert!(results.len() > 80 && succeeded > results.len() / 2, "{succeeded} of {results:#?}");
}

#[test]
fn a_wrong_command_of_the_manual_would_be_noticed() {
    let trial = Trial::new();
    for command in [
        "turnpost admin bord 12",
        "turnpost admin inbox --quarantine",
        "turnpost admin extend 12",
        "turnpost --data DIR serve --readonly",
        "turnpost admin payer …",
        "turnpost marque subscibe …",
        "turnpost marque mvoe 1 alice PASSWORD f3",
        "turnpost set alice PASSWORD mial=text",
        "turnpost help spirng",
    ] {
        assert!(trial.run(command).is_err(), "{command}");
    }
}

/// Returns the code spans and indented lines of all pages.
fn development() -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in pages() {
        let spans = code(&text);
        let lines = text.lines().filter_map(|line| line.strip_prefix("    ")).map(|line| line.trim().to_owned());
        found.extend(spans.chain(lines).map(|line| line.split("  ").next().unwrap().to_owned()));
    }
    found
}

#[test]
fn the_benches_tests_and_features_in_commands_of_the_manual_exist() {
    let sources: Vec<(String, String)> = fs::read_dir(root().join("tests/it"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect();
    let is_test = |filter: &str| {
        let name = filter.trim_end_matches("::");
        sources.iter().any(|(file, text)| file == name || text.lines().any(|line| is_test_named(line, name)))
    };
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let is_there = |path: String| root().join(path).exists();
    let mut seen = 0;
    for command in development() {
        let words: Vec<&str> = command.split_whitespace().skip_while(|word| word.contains('=')).collect();
        let is_cargo = words.first() == Some(&"cargo");
        for (word, next) in words.iter().zip(words.iter().skip(1)).filter(|_| is_cargo) {
            let exists = match *word {
                "--bench" => {
                    *next == "NAME" || is_there(format!("benches/{next}.rs")) || is_there(format!("benches/{next}"))
                }
                "--test" => is_there(format!("tests/{next}")),
                "--features" => manifest.contains(&format!("\n{next} = [")),
                "-p" => is_there(format!("{}/Cargo.toml", next.trim_start_matches("turnpost-"))),
                "it" => next.starts_with('-') || is_test(next),
                "--" | "--nocapture" => *next == "--nocapture" || !command.contains("--test it") || is_test(next),
                _ => continue,
            };
            assert!(exists, "{command}: {next}");
            seen += 1;
        }
        let first = words.first().copied().unwrap_or_default();
        if words.len() > 1 && first == "./test" && words[1] != "#" {
            assert!(is_test(words[1]), "{command}");
        }
        if ["./test", ".ci/", "sim/planted/run", "fuzz/run", "deploy/"].iter().any(|folder| first.starts_with(folder)) {
            assert!(is_there(first.to_owned()), "{command}");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} commands were found");
}

/// Returns whether a line begins a test or a module whose name contains these words.
fn is_test_named(line: &str, words: &str) -> bool {
    let name = line.trim().strip_prefix("fn ").or_else(|| line.trim().strip_prefix("mod "));
    name.is_some_and(|name| name.split(['(', ' ']).next().unwrap().contains(words))
}

#[test]
fn commands_are_found_in_blocks_and_in_code() {
    let page = "<!-- run -->\n    $ turnpost tick\n\nThen `turnpost\nadmin` and `help mail`:\n\n    runuser -u a -- turnpost admin check\n\n| command | effect |\n| --- | --- |\n| `hold` | holds |\n";
    let found = commands_not_run(page, true);
    assert_eq!(found, ["turnpost admin check", "turnpost admin hold", "turnpost admin", "turnpost help mail"]);
    assert_eq!(commands("\n    $ turnpost tick\n").collect::<Vec<_>>(), ["turnpost tick"]);
}
