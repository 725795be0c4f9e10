//! The documentation does what it says: its commands run, its views exist, its links lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::database::sql;
use crate::common::{Ran, Server};

/// The moves of the board that README shows.
const PICTURED: &str = "s3 e2 q5,r3 k5,l3 f2 k2 p2,q3 d1 p1 p4,q6 e6,f4 e7 d3 k9 k4 h1 o2 l6 h2 s1 j2,k3 r4 t2 q4 j5,k8 s2 f3 q1 j3 d4 i3 n2 j4 l1";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages, and their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let at_top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    let pages = at_top.iter().map(|name| root().join(name)).chain(docs);
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The words of a command line, "quoted" ones together.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('"').enumerate();
    let mut words: Vec<String> = Vec::new();
    let mut joined = false;
    for (i, piece) in pieces {
        if i % 2 == 1 {
            match words.last_mut().filter(|_| joined) {
                Some(last) => last.push_str(piece),
                None => words.push(piece.to_owned()),
            }
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
            joined = !piece.is_empty() && !piece.ends_with(' ');
        }
    }
    words
}

#[test]
fn the_commands_of_the_pages_run() {
    let mut ran = 0;
    for (path, text) in pages() {
        for block in text.split("<!-- run -->").skip(1) {
            let server = Server::without_database();
            let lines = block.lines().skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix("    $ "));
            for line in lines {
                let words = words(line.strip_prefix("turnpost ").expect("a command of the program"));
                let output = server.program().args(&words).current_dir(server.data()).output().unwrap();
                let output = Ran::from(output);
                assert_eq!(output.status, 0, "{}: {line}: {output:?}", path.display());
                ran += 1;
            }
        }
    }
    assert!(ran > 25, "{ran} commands were found");
}

#[test]
fn the_views_that_are_described_are_there() {
    let text = fs::read_to_string(root().join("docs/database.md")).unwrap();
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
        assert!(text.contains(&format!("`{view}`")), "{view} is missing in docs/database.md");
    }
}

#[test]
fn links_lead_to_files() {
    for (path, text) in pages() {
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', '#']).next().unwrap();
            let file = path.parent().unwrap().join(target);
            assert!(target.is_empty() || target.contains("://") || file.exists(), "{}: {target}", path.display());
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
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 120, "{lines} lines: the manual is in docs/");
}
