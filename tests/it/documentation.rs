//! Checks the documentation: its commands run, its pages exist, its links work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::database::sql;
use crate::common::{Ran, Server, TURNPOST};

/// The moves of the board in README's picture.
const PICTURED: &str = "s3 e2 q5,r3 k5,l3 f2 k2 p2,q3 d1 p1 p4,q6 e6,f4 e7 d3 k9 k4 h1 o2 l6 h2 s1 j2,k3 r4 t2 q4 j5,k8 s2 f3 q1 j3 d4 i3 n2 j4 l1";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The top-level pages of the project.
const AT_TOP: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

/// Collects the pages of a folder recursively.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// Returns the pages and their texts.
pub(crate) fn pages() -> Vec<(PathBuf, String)> {
    let mut pages: Vec<PathBuf> = AT_TOP.iter().map(|name| root().join(name)).collect();
    collect(&root().join("docs"), &mut pages);
    assert!(pages.len() > 20, "the test found too few pages: {pages:?}");
    pages.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A server, and a shell in which a test runs commands as a reader of the manual would.
pub(crate) struct Shell {
    pub(crate) server: Server,
    /// A home directory with the program in `.local/bin`.
    home: tempfile::TempDir,
}

impl Shell {
    pub(crate) fn new() -> Shell {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".local/bin")).unwrap();
        std::os::unix::fs::symlink(TURNPOST, home.path().join(".local/bin/turnpost")).unwrap();
        Shell { server: Server::without_database(), home }
    }

    /// Runs a line in the data directory.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let bin = self.home.path().join(".local/bin");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.server.data()).stdin(Stdio::null());
        shell.env("PATH", path).env("HOME", self.home.path()).env("TURNPOST_DATA", self.server.data());
        shell.env_remove("TURNPOST_PASSWORD").env_remove("COLUMNS").output().unwrap().into()
    }
}

/// Returns the commands of a block below a marker, without shell prompts.
pub(crate) fn commands(block: &str) -> impl Iterator<Item = &str> {
    let lines = block.lines().skip(1).skip_while(|line| line.is_empty());
    let lines = lines.map_while(|line| line.strip_prefix("    "));
    lines.map(|line| line.strip_prefix("$ ").unwrap_or(line))
}

/// Commands that create two players, a board of both on which bob is to move, and a board of bob against bob.
const WITH_PLAYERS: [&str; 5] = [
    "turnpost signup alice wonderland alice@example.org",
    "turnpost signup bob bricklayer bob@example.org",
    "turnpost marque challenge alice bob",
    "turnpost marque move 1 alice wonderland f3",
    "turnpost marque challenge bob bob",
];

/// Commands that create the players, a league, and a ladder in which both players take part.
pub(crate) const WITH_EVENTS: [&str; 7] = [
    "turnpost signup alice wonderland alice@example.org",
    "turnpost signup bob bricklayer bob@example.org",
    "turnpost event new spring hex --kind=league alice wonderland",
    "turnpost event new climb hex --kind=ladder alice wonderland",
    "turnpost join climb bob bricklayer",
    "turnpost join climb alice wonderland",
    "turnpost tick",
];

/// Commands that create the players, and the finished game of tests/data/marque.game, which contains the first puzzle.
const WITH_PUZZLES: [&str; 15] = [
    "turnpost signup alice wonderland alice@example.org",
    "turnpost signup bob bricklayer bob@example.org",
    "turnpost marque challenge -any_2 alice bob",
    "turnpost marque move 1 alice wonderland d1",
    "turnpost marque move 1 bob bricklayer a2",
    "turnpost marque move 1 alice wonderland a1",
    "turnpost marque move 1 bob bricklayer b1",
    "turnpost marque move 1 alice wonderland f1,e2",
    "turnpost marque move 1 bob bricklayer b2",
    "turnpost marque move 1 alice wonderland j2",
    "turnpost marque move 1 bob bricklayer d2",
    "turnpost marque move 1 alice wonderland k2,j1",
    "turnpost marque move 1 bob bricklayer u2",
    "turnpost marque move 1 alice wonderland h2",
    "turnpost tick",
];

/// The markers of the blocks whose lines a test runs. Blocks with a marker `run` contain shell commands. Blocks with a
/// marker `say` contain lines of the command language, in which PASSWORD stands for alice's password, and NEWPASSWORD
/// for a new one. Each marker has the commands that prepare the server, and the word to put before each line.
const RUN: [(&str, &[&str], &str); 5] = [
    ("<!-- run -->", &[], ""),
    ("<!-- run with players -->", &WITH_PLAYERS, ""),
    ("<!-- say -->", &WITH_PLAYERS, "turnpost "),
    ("<!-- say with events -->", &WITH_EVENTS, "turnpost "),
    ("<!-- say with puzzles -->", &WITH_PUZZLES, "turnpost "),
];

/// Returns the lines of a page that tests run, as they are printed there.
pub(crate) fn lines_run(text: &str) -> Vec<&str> {
    let markers = RUN.iter().map(|(marker, ..)| *marker).chain(["<!-- mail -->", "<!-- refused -->"]);
    markers.flat_map(|marker| text.split(marker).skip(1)).flat_map(commands).collect()
}

#[test]
fn the_commands_of_the_pages_run() {
    let mut ran = 0;
    for (path, text) in pages() {
        for (marker, prepared, program) in RUN {
            for block in text.split(marker).skip(1) {
                let shell = Shell::new();
                let filled =
                    |line: &str| line.replace(" PASSWORD", " wonderland").replace(" NEWPASSWORD", " looking-glass");
                let said = commands(block).map(|line| format!("{program}{}", filled(line)));
                let lines: Vec<String> = prepared.iter().map(|&line| line.to_owned()).chain(said).collect();
                assert!(lines.len() > prepared.len(), "{}: {marker} has no commands", path.display());
                for line in &lines {
                    let output = shell.run(line);
                    assert_eq!(output.status, 0, "{}: {line}: {output:?}", path.display());
                }
                ran += lines.len() - prepared.len();
            }
        }
    }
    assert!(ran > 100, "only {ran} commands were found");
}

/// Runs the command in each block with the marker `refused`. The block contains the expected error below the command.
#[test]
fn refused_commands_have_the_printed_answer() {
    let mut seen = 0;
    for (path, text) in pages() {
        for block in text.split("<!-- refused -->\n").skip(1) {
            let shell = Shell::new();
            for line in WITH_PLAYERS {
                assert_eq!(shell.run(line).status, 0, "{line}");
            }
            let lines = block.lines().map_while(|line| line.strip_prefix("    ").or(line.is_empty().then_some("")));
            let printed = lines.collect::<Vec<_>>().join("\n");
            let (command, answer) = printed.strip_prefix("$ ").and_then(|printed| printed.split_once('\n')).unwrap();
            let ran = shell.run(command);
            assert!(ran.status != 0, "{}: {command}: {ran:?}", path.display());
            assert_eq!(ran.err.trim_end(), answer.trim_end(), "{}: {command}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0, "no page shows a refused command");
}

/// Sends each block with the marker `mail` as a message from alice, with a text below its commands.
#[test]
fn the_commands_by_mail_are_carried_out() {
    let mut sent = 0;
    for (path, text) in pages() {
        for block in text.split("<!-- mail -->").skip(1) {
            let mut server = Server::with_players();
            let lines: Vec<&str> = commands(block).collect();
            let body = format!("{}\n\nHello\n", lines.join("\n").replace(" PASSWORD", " wonderland"));
            server.mail("alice@example.org", "turnpost", &body);
            assert_eq!(server.json("admin inbox --rows 1")[0]["verdict"], "done", "{}: {body}", path.display());
            sent += 1;
        }
    }
    assert!(sent > 1, "only {sent} messages were sent");
}

#[test]
fn the_described_views_exist() {
    let text = fs::read_to_string(root().join("docs/run/database.md")).unwrap();
    let server = Server::with_players();
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let queries =
        text.lines().filter_map(|line| Some(line.split_once("turnpost.db '")?.1.strip_suffix('\'')?.to_owned()));
    let views = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(view, _)| view));
    let queries: Vec<String> = queries.chain(views.map(|view| format!("SELECT * FROM {view}"))).collect();
    assert!(queries.len() > 10, "{queries:?}");
    for query in &queries {
        sql(&server, query);
    }
    let all = match server.database() {
        Some(_) => "SELECT viewname FROM pg_views WHERE schemaname = 'public'",
        None => "SELECT name FROM sqlite_master WHERE type = 'view'",
    };
    for view in sql(&server, all).lines() {
        assert!(text.contains(&format!("`{view}`")), "{view} is missing in docs/run/database.md");
    }
}

/// Returns the anchors that GitHub assigns to the headings of a page.
fn anchors(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let slug = |heading: &str| {
        let letters = heading.to_lowercase().replace(' ', "-");
        letters.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_to_files_and_their_headings() {
    for (path, text) in pages() {
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target}", path.display());
            assert!(
                anchor.is_empty() || anchors(&file).iter().any(|heading| heading == anchor),
                "{}: {target}",
                path.display()
            );
        }
    }
}

#[test]
fn the_files_that_the_pages_mention_exist() {
    let mut seen = 0;
    for (path, text) in pages() {
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "templates/", "benches/"].iter().any(|folder| name.starts_with(folder));
            let is_file = name.ends_with(".rs") && name.bytes().all(|c| c.is_ascii_lowercase() || b"_./".contains(&c));
            let may_be = (is_path && !name.contains([' ', '{', '*', 'N', 'G'])) || is_file;
            if may_be {
                let is_there = ["", "tests/it"].iter().any(|folder| root().join(folder).join(name).exists());
                assert!(is_there, "{}: {name}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "only {seen} file names were found");
}

#[test]
fn the_subcommands_that_the_pages_mention_exist() {
    let server = Server::without_database();
    let help = server.shell("admin --help").out + &server.shell("--help").out;
    let known: Vec<&str> = help.split_whitespace().collect();
    let mut seen = 0;
    for (path, text) in pages() {
        for (at, before) in text.match_indices("turnpost admin ") {
            let word: String =
                text[at + before.len()..].chars().take_while(|c| c.is_alphabetic() || *c == '-').collect();
            if !word.is_empty() && !word.starts_with('-') {
                assert!(known.contains(&word.as_str()), "{}: no turnpost admin {word}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "only {seen} subcommands were found");
}

#[test]
fn every_subcommand_is_in_the_manual() {
    let server = Server::without_database();
    let manual: String = pages().into_iter().map(|(_, text)| text).collect();
    let mut seen = 0;
    for (help, before) in [("--help", "turnpost "), ("admin --help", "admin ")] {
        for line in server.shell(help).out.lines() {
            let Some((word, _)) = line.strip_prefix("  ").and_then(|line| line.split_once("  ")) else { continue };
            let is_subcommand = !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
            if is_subcommand && !word.starts_with('-') {
                let is_there = [format!("{before}{word}"), format!("`{word}")].iter().any(|form| manual.contains(form));
                assert!(is_there, "no page mentions {before}{word}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "only {seen} subcommands were found");
}

#[test]
fn pages_and_their_lines_are_short() {
    for (path, text) in pages() {
        let limit = if path.ends_with("ARCHITECTURE.md") { 14_000 } else { 11_000 };
        assert!(text.len() <= limit, "{} has {} octets, more than {limit}", path.display(), text.len());
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            in_code ^= line.starts_with("```");
            let may_be_long = in_code || line.starts_with('|') || line.starts_with("    ") || line.contains("](");
            let columns = line.chars().count();
            assert!(may_be_long || columns <= 100, "{}:{}: the line has {columns} columns", path.display(), number + 1);
        }
    }
}

#[test]
fn the_picture_of_the_readme_is_drawn_by_the_program() {
    let server = Server::new();
    let drawn = server.shell(&format!("marque preview new {PICTURED} --svg"));
    assert_eq!(drawn.status, 0, "{drawn:?}");
    let kept = fs::read_to_string(root().join("docs/board.svg")).unwrap();
    assert!(drawn.out == kept, "docs/board.svg: turnpost marque preview new {PICTURED} --svg > docs/board.svg");
}

#[test]
fn the_letter_in_the_readme_equals_a_real_one() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let mut shell = Shell::new();
    for line in commands(text.split("<!-- run -->").nth(1).unwrap()) {
        assert_eq!(shell.run(line).status, 0, "{line}");
    }
    let letters = shell.server.letters();
    let letter = letters.iter().rfind(|letter| letter.to() == "alice@example.org").unwrap();
    let written = format!("From: {}\nSubject: {}\n{}", letter.name, letter.subject, letter.text());
    let shown = text.split("<!-- letter -->\n").nth(1).unwrap().lines();
    let shown = shown.map_while(|line| if line.is_empty() { Some(line) } else { line.strip_prefix("    ") });
    let mut rest = written.as_str();
    for line in shown.map(|line| line.trim_end_matches('…').trim_end()).filter(|line| !line.is_empty()) {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line:?} does not follow in\n{written}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines < 100, "README has {lines} lines; the manual belongs in docs/");
}
