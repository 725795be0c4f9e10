//! Default options of a game, which the administrator sets in the configuration.

use serde_json::{Value, json};
use turnpost::rules::{Options, catalogue};

use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Server, done, words};

const ALICE: &str = "alice@example.org";
const CONFIG: &str = "[games.marque]\noptions = \"-opposite\"\n[games.brique]\noptions = \"-size=9\"\n\
                      [web]\nlisten = \"127.0.0.1:0\"\n";

fn options(server: &Server, board: u32) -> String {
    server.json(&format!("show {board}"))["boards"][0]["options"].as_str().unwrap().to_owned()
}

#[test]
fn every_way_to_challenge_uses_the_default_options() {
    let mut server = Server::with_players();
    server.configure(CONFIG);
    done(&server, "marque challenge alice bob");
    server.mail(ALICE, "", "marque challenge alice bob");
    server.mail(ALICE, "", "brique challenge alice anyone");
    done(&server, "brique accept 3 bob builder");
    assert_eq!([1, 2, 3].map(|board| options(&server, board)), ["-opposite", "-opposite", "-size=9"]);
    let shown = done(&server, "show 1");
    assert!(shown.contains("Aim: Occupy two opposite bases"), "{shown}");
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    for (board, fields) in [
        (4, [("to", "robot"), ("robot", "1")]),
        (5, [("to", "invitation"), ("robot", "")]),
        (6, [("to", "anyone"), ("robot", "")]),
    ] {
        let made = alice.fill("/games/marque/challenge", &fields);
        assert_eq!(made.header("location"), Some(&*format!("/boards/{board}")), "{}", made.text());
        let page = alice.get(&format!("/boards/{board}"));
        assert!(page.text().contains("opposite bases"), "{}", page.text());
    }
    let post = |path: &str, token: &str, body: &Value| {
        let body = body.to_string();
        let request = format!(
            "POST /api/v1{path} HTTP/1.1\r\nHost: games.example\r\n{token}Content-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let (status, _, answer) = http(&serving.web(), &request);
        let answer = String::from_utf8(answer).unwrap();
        assert_eq!(status, 201, "{path}: {answer}");
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let login = json!({ "userid": "alice", "password": "wonderland", "label": "a program" });
    let token = post("/tokens", "", &login)["token"].as_str().unwrap().to_owned();
    let token = format!("Authorization: Bearer {token}\r\n");
    let made = post("/games/marque/boards", &token, &json!({ "opponent": "bob" }));
    assert_eq!(made["board"]["options"], "-opposite", "{made}");
}

#[test]
fn an_option_of_the_challenge_overrides_the_default() {
    let server = Server::with_players();
    server.configure(CONFIG);
    for line in [
        "marque challenge -any_3 alice bob",
        "marque challenge -y alice bob",
        "brique challenge -size=15 alice bob",
        "lazo challenge alice bob",
    ] {
        done(&server, line);
    }
    assert_eq!([1, 2, 3, 4].map(|board| options(&server, board)), ["-any_3", "-y", "-size=15", ""]);
    // A board without options is the same as one with the options that the game declares as built-in.
    for game in catalogue::GAMES {
        let begun = |options: &str| {
            let play = game.start(&Options::from_canonical(options)).unwrap();
            (words(&play.aim()), play.scene().cells.len())
        };
        assert_eq!(begun(game.built_in()), begun(""), "{}", game.name());
        assert_eq!(game.built_in().is_empty(), game.options().is_empty(), "{}", game.name());
    }
}

#[test]
fn help_and_the_form_show_the_default() {
    let server = Server::with_players();
    server.configure(CONFIG);
    let said = "On this server, a challenge without options is played with -opposite (opposite bases). \
                For the game's usual options, challenge with -y.";
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined(&done(&server, "help marque")).ends_with(said));
    assert!(joined(&done(&server, "list")).contains("-opposite -y; default: -opposite"));
    assert!(done(&server, "marque preview new f3").contains("Aim: Occupy two opposite bases"));
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let help = alice.get("/help/marque");
    assert!(
        help.text().contains("a challenge without options is played with <code>-opposite</code>"),
        "{}",
        help.text()
    );
    let form = alice.get("/games/marque/challenge");
    let first = form.text().split_once("<select name=\"option\">").unwrap().1.split_once("</option>").unwrap().0;
    assert!(
        first.contains("value=\"\"") && first.contains("Two opposite bases") && first.ends_with("(the default here)")
    );
    assert!(form.text().contains("<option value=\"y\">Three bases, no two adjacent"), "{}", form.text());
    let form = alice.get("/games/brique/challenge");
    assert!(form.text().contains("<option value=\"\">9 squares a side (the default here)"), "{}", form.text());
    assert!(form.text().contains("<option value=\"15\">15 squares a side"), "{}", form.text());
    let made = alice.fill("/games/marque/challenge", &[("to", "anyone"), ("option", "y")]);
    let page = alice.get(made.header("location").unwrap());
    assert!(page.text().contains("three bases, no two adjacent"), "{}", page.text());
}

#[test]
fn a_program_without_options_plays_without_the_default_ones() {
    let server = Server::with_players();
    server.configure(
        "[games.brique]\noptions = \"-size=9\"\n[robot.engine.hex]\ncommand = [\"hex\"]\ngames = [\"brique\"]\n",
    );
    done(&server, "brique challenge alice robot-hex");
    done(&server, "brique challenge alice robot1");
    assert_eq!([1, 2].map(|board| options(&server, board)), ["", "-size=9"]);
}

#[test]
fn wrong_defaults_are_refused_with_the_correction() {
    let server = Server::with_players();
    for (config, said) in [
        (
            "[games.marque]\noptions = \"-oposite\"\n",
            "line 2: [games.marque]: options = \"-oposite\" is not a set of options of Marque; choose one of -any_2, -any_3, -any_4, \
             -non_adj_2, -opposite, -y",
        ),
        (
            "[games.marque]\noptions = \"-y -opposite\"\n",
            "options = \"-y -opposite\" is not a set of options of Marque",
        ),
        ("[games.lazo]\noptions = \"-size=9\"\n", "choose one of -size=145, -size=57, -size=26"),
        ("[games.tessella]\noptions = \"-size=9\"\n", "is not a set of options of Tessella; it has none"),
        ("[games.marque]\noptions = \"f3\"\n", "\"f3\" is not a set of options of Marque"),
        ("[games.chess]\noptions = \"\"\n", "there is no game \"chess\"; there are marque, brique, tessella, lazo"),
        ("[games.marque]\noption = \"-y\"\n", "unknown key `option` in [games.GAME]; did you mean `options`?"),
    ] {
        server.configure(config);
        let ran = server.shell("check-config");
        assert!(ran.status == 78 && ran.out.contains(said), "{config}: {ran:?}");
        let ran = server.shell("marque challenge alice bob");
        assert!(ran.status == 78 && ran.err.contains(said), "{config}: {ran:?}");
    }
}
