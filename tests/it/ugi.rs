//! `turnpost ugi` as a match runner uses it, with commands on standard input.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use turnpost::rules::{Seat, catalogue};

use crate::common::TURNPOST;

/// A running engine, stopped when dropped.
struct Engine {
    child: Child,
    /// `None` once the input is closed.
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(game: &str) -> Engine {
        let mut command = Command::new(TURNPOST);
        let mut child =
            command.arg("ugi").args(game.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()).lines());
        Engine { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        self.output.next().expect("the engine is running").unwrap()
    }

    /// Returns the rest of the first line that starts with this word.
    fn until(&mut self, word: &str) -> String {
        loop {
            if let Some(rest) = self.line().strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.line()
    }

    fn best(&mut self, go: &str) -> String {
        self.send(go);
        self.until("bestmove")
    }

    /// Sends `quit`, and checks that no output follows and the program ends cleanly.
    fn quit(mut self) {
        self.send("quit");
        assert!(self.output.next().is_none());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_engine_identifies_itself_and_knows_the_rules() {
    let mut engine = Engine::start("marque -any_2");
    assert_eq!(engine.ask("ugi"), format!("id name turnpost {} (marque)", env!("CARGO_PKG_VERSION")));
    assert!(engine.line().starts_with("id author "));
    assert_eq!(engine.line(), "option name Level type spin default 6 min 1 max 12");
    assert!(engine.line().starts_with("option name Seed "));
    assert_eq!(engine.line(), "option name Threads type spin default 1 min 1 max 64");
    assert_eq!(engine.line(), "ugiok");
    assert_eq!(engine.ask("isready"), "readyok");
    for (line, answer) in [
        ("position startpos\nquery p1turn", "response true"),
        ("query gameover", "response false"),
        ("query result", "response none"),
        ("position startpos moves f3\nquery p1turn", "response false"),
        ("setoption name Level value 3\nisready", "readyok"),
        ("uginewgame\nquery p1turn", "response true"),
    ] {
        assert_eq!(engine.ask(line), answer, "{line}");
    }
    engine.quit();
}

#[test]
fn two_engines_play_every_game_to_its_end() {
    for game in ["marque -any_2", "brique -size=5", "tessella", "lazo -size=26"] {
        let mut engines = [Engine::start(game), Engine::start(game)];
        engines[1].send("setoption name Level value 1");
        let mut moves: Vec<String> = Vec::new();
        let result = loop {
            let position = format!("position startpos moves {}", moves.join(" "));
            let position = if moves.is_empty() { "position startpos" } else { &position };
            engines.iter_mut().for_each(|engine| engine.send(position));
            // The game passes over a player who cannot move, so the players do not always alternate.
            let first = engines[0].ask("query p1turn") == "response true";
            let engine = &mut engines[usize::from(!first)];
            let result = engine.ask("query result");
            if result != "response none" {
                assert_eq!(engine.ask("query gameover"), "response true");
                assert_eq!(engine.best("go"), "none");
                break result;
            }
            assert!(moves.len() < 400, "{game}: {moves:?}");
            moves.push(engine.best("go nodes 40"));
        };
        let (name, options) = game.split_once(' ').unwrap_or((game, ""));
        let options = turnpost::rules::Options::from_canonical(options);
        let mut play = catalogue::find(name).unwrap().start(&options).unwrap();
        moves.iter().for_each(|text| drop(play.play(text).unwrap()));
        let winner = match play.outcome().unwrap().winner {
            Some(Seat::First) => "p1win",
            Some(Seat::Second) => "p2win",
            None => "draw",
        };
        assert_eq!(result, format!("response {winner}"), "{game}: {moves:?}");
        engines.into_iter().for_each(Engine::quit);
    }
}

#[test]
fn a_search_ends_at_its_limits_or_on_request() {
    let mut engine = Engine::start("brique -size=9");
    engine.send("position startpos moves e5 swap");
    engine.send("go nodes 300");
    let info = engine.until("info");
    assert!(info.starts_with("nodes 300 winrate 0."), "{info}");
    let best = engine.until("bestmove");
    assert!(info.ends_with(&format!(" pv {best}")) || info.contains(&format!(" pv {best} ")), "{info}: {best}");
    assert_eq!(engine.best("go nodes 300"), best, "the same seed results in the same move");
    // While the engine searches for a move, it still answers commands.
    engine.send("go infinite");
    assert_eq!(engine.ask("isready"), "readyok");
    assert_eq!(engine.ask("query p1turn"), "response true");
    engine.send("stop");
    assert!(!engine.until("bestmove").is_empty());
    assert!(!engine.best("go movetime 1").is_empty());
    assert!(!engine.best("go p1time 1000 p2time 1000 p1inc 10 p2inc 10").is_empty());
    // The end of input is equivalent to `quit`.
    engine.send("go infinite");
    engine.input = None;
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn unknown_commands_are_reported_and_change_nothing() {
    let mut engine = Engine::start("tessella");
    engine.send("position startpos moves c3-c4");
    for (line, says) in [
        ("position startpos moves c3-c4 z9-z8", "move 2, z9-z8: "),
        ("position fen 8/8", "tessella has no FEN"),
        ("position", "a position is startpos"),
        ("go depth 3", "depth"),
        ("go movetime soon", "soon"),
        ("setoption name Level value 13", "from 1 to 12, not 13"),
        ("setoption name Hash value 64", "no option Hash"),
        ("query score", "score is not a query"),
        ("sing", "sing is not valid here"),
    ] {
        let answer = engine.ask(line);
        assert!(answer.starts_with("info string ") && answer.contains(says), "{line}: {answer}");
        assert_eq!(engine.ask("query p1turn"), "response false", "{line}");
    }
    engine.quit();
    for (words, says) in [("chess", "chess"), ("marque -any_9", "any_9")] {
        let output = Command::new(TURNPOST).arg("ugi").args(words.split(' ')).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && told.contains(says), "{words}: {told}");
    }
}
