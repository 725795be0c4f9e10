//! The guide to adding a game: the code that it shows is identical to the project's code, and it names all files of
//! its example game.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Server, done};

/// A fenced code block of the guide, with the path of the file that it shows.
struct Block<'a> {
    kind: &'a str,
    path: &'a str,
    text: &'a str,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn guide() -> String {
    fs::read_to_string(root().join("docs/develop/adding-a-game.md")).unwrap()
}

fn blocks(guide: &str) -> Vec<Block<'_>> {
    let fenced = guide.split("\n```").skip(1).step_by(2);
    let block = |fenced| -> Option<Block<'_>> {
        let (info, text) = str::split_once(fenced, '\n')?;
        let (kind, path) = info.split_once(' ')?;
        Some(Block { kind, path, text })
    };
    fenced.filter_map(block).collect()
}

/// Returns the files below a directory that have the name of the game, with any extension.
fn files_of_game(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match () {
            () if path.is_dir() => files_of_game(&path),
            () if path.file_stem().is_some_and(|stem| stem == "y") => vec![path],
            () => Vec::new(),
        })
        .collect()
}

#[test]
fn the_guide_shows_the_files_of_the_project() {
    let guide = guide();
    let blocks = blocks(&guide);
    assert_eq!(blocks.len(), 9, "the guide shows nine files");
    for Block { kind, path, text } in blocks {
        let file = fs::read_to_string(root().join(path)).unwrap();
        let shown: Vec<&str> = match kind {
            "diff" => text.lines().map(|line| line.strip_prefix('+').unwrap()).collect(),
            "rust" => vec![file.trim_end()],
            _ => vec![text],
        };
        for part in shown {
            assert_eq!(file.matches(&format!("{part}\n")).count(), 1, "{path} contains this once:\n{part}");
        }
        assert!(kind != "rust" || file.trim_end() == text, "{path} differs from the file in the guide");
    }
}

#[test]
fn the_guide_names_every_file_of_its_game() {
    let guide = guide();
    let files: Vec<PathBuf> = ["src", "templates", "tests/data", "tests/it"]
        .iter()
        .flat_map(|part| files_of_game(&root().join(part)))
        .collect();
    assert!(files.len() >= 7, "{files:?}");
    for file in files {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap();
        let shown = guide.contains(name) || name == "tests/it/reference/y.rs";
        assert!(shown, "the guide does not name {name}");
    }
    assert!(guide.contains("`tests/it/reference/`"));
}

#[test]
fn the_commands_of_the_guide_work() {
    let server = Server::with_players();
    assert_eq!(done(&server, "perft y 3 -size=5").trim(), (15 * (14 * 13 + 14)).to_string());
    done(&server, "y challenge alice bob");
    done(&server, "y move 1 alice wonderland f3");
    assert!(server.shell("y move 1 bob builder f3").err.contains("Cell f3 is already taken by Black."));
}
