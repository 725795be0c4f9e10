//! The API, used over HTTP.

mod actions;
mod bots;
mod clients;
mod cors;
mod drawn;
mod events;
mod fuzzed;
mod problems;
pub(crate) mod streams;
mod truth;
mod webhooks;

use crate::common::Server;
use crate::common::serving::{Serving, http};
use serde_json::{Value, json};

use truth::Truth;

/// A server with its API. The responses that `call` returns are checked against the API's OpenAPI document.
struct Api {
    server: Server,
    serving: Serving,
    address: String,
    truth: Truth,
}

struct Response {
    status: u16,
    head: String,
    body: Value,
}

impl Response {
    fn message(&self) -> &str {
        self.body["detail"].as_str().unwrap_or_else(|| panic!("the response has no error message: {}", self.body))
    }

    fn content_type(&self) -> String {
        let head = self.head.to_lowercase();
        let value = head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap();
        value.split(';').next().unwrap().to_owned()
    }
}

impl Api {
    fn open() -> Api {
        Api::open_with("")
    }

    /// Starts a server with these lines in the table `[web]` of its configuration.
    fn open_with(web: &str) -> Api {
        let server = Server::with_players();
        let serving = Serving::start(&server, &format!("[web]\nlisten = \"127.0.0.1:0\"\n{web}"));
        let address = serving.web();
        let (status, _, document) = http(&address, &request("GET", "/openapi.json", "", None));
        assert_eq!(status, 200);
        let truth = Truth::start(std::str::from_utf8(&document).unwrap());
        Api { server, serving, address, truth }
    }

    fn call(&mut self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Response {
        let body = body.map(|body| ("application/json", body.to_string()));
        let (status, head, raw) = http(&self.address, &request(method, path, token, body));
        let body = serde_json::from_slice(&raw).unwrap_or_else(|_| panic!("{method} {path}: {head}\n{raw:?}"));
        let answer = Response { status, head, body };
        self.truth.judge(method, path, &answer);
        answer
    }

    fn get(&mut self, path: &str, token: &str) -> Response {
        self.call("GET", path, token, None)
    }

    /// Sends a request, checks that it succeeds, and returns the body of the response.
    fn done(&mut self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Value {
        let answer = self.call(method, path, token, body);
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.body);
        answer.body
    }

    /// Sends a request, checks that the error message contains these words, and returns the status.
    fn refused(&mut self, method: &str, path: &str, token: &str, body: Option<&Value>, says: &str) -> u16 {
        let answer = self.call(method, path, token, body);
        assert!(answer.status >= 400 && answer.message().contains(says), "{method} {path}: {}", answer.body);
        answer.status
    }

    fn token(&mut self, userid: &str, password: &str) -> String {
        let body = json!({ "userid": userid, "password": password, "label": "a test" });
        self.done("POST", "/tokens", "", Some(&body))["token"].as_str().unwrap().to_owned()
    }

    fn play(&mut self, token: &str, mv: &str) -> Response {
        self.call("POST", "/boards/1/moves", token, Some(&json!({ "move": mv })))
    }

    fn shell(&self, line: &str) {
        let ran = self.server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
    }
}

/// Formats a request to the API. If the token is empty, the request has no `Authorization` header. The body is a pair
/// of its content type and its text.
pub(crate) fn request(method: &str, path: &str, token: &str, body: Option<(&str, String)>) -> String {
    let mut request = format!("{method} /api/v1{path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n");
    if !token.is_empty() {
        request += &format!("Authorization: Bearer {token}\r\n");
    }
    match body {
        Some((kind, body)) => {
            request + &format!("Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        }
        None => request + "\r\n",
    }
}

#[test]
fn every_endpoint_answers_as_documented() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("marque challenge alice bob");
    api.shell("brique challenge --private alice bob");
    api.shell("tessella challenge alice anyone");

    let me = api.done("GET", "/me", &alice, None);
    assert_eq!((&me["userid"], &me["settings"]["mail"]), (&json!("alice"), &json!("text")), "{me}");
    assert_eq!(me["addresses"], json!([{ "address": "alice@example.org", "confirmed": true, "paused": null }]));
    let games = api.done("GET", "/games", "", None);
    assert_eq!(games["games"].as_array().unwrap().len(), turnpost::rules::catalogue::GAMES.len());
    assert_eq!(games["terms"]["forfeit_days"], json!({ "least": 0, "most": 365, "default": 21 }));
    let boards = api.done("GET", "/games/marque/boards", "", None);
    assert_eq!((&boards["boards"][0]["number"], &boards["next"]), (&json!(1), &Value::Null));
    assert_eq!(
        api.done("GET", "/games/brique/boards", &alice, None)["boards"],
        json!([]),
        "private boards are not listed"
    );
    assert_eq!(api.done("GET", "/games/tessella/boards?after=0", "", None)["offers"][0]["number"], 3);
    assert_eq!(api.done("GET", "/games/marque/standings", "", None)["standings"], json!([]));
    assert_eq!(api.done("GET", "/players/ALICE", "", None)["active"], 2);

    let legal = api.done("GET", "/boards/1/legal", "", None);
    assert!(legal["moves"].as_array().unwrap().contains(&json!("f3")) && legal["to_move"] == "alice", "{legal}");
    assert_eq!(legal["sets"], Value::Null);
    let tried = api.done("GET", "/boards/1/preview?moves=f3%20f4", "", None);
    assert_eq!((&tried["plies"], &tried["pieces"]["f4"]), (&json!(2), &json!("x")));
    let first = json!({ "move": "f3", "ply": 1, "say": "Good luck" });
    let moved = api.done("POST", "/boards/1/moves", &alice, Some(&first));
    assert_eq!(
        (&moved["plies"], &moved["to_move"], &moved["pieces"]),
        (&json!(1), &json!("bob"), &json!({ "f3": "o" }))
    );
    assert_eq!(moved["comments"][0]["text"], "Good luck");
    api.done("POST", "/boards/1/moves", &bob, Some(&json!({ "move": "f4" })));
    let then = api.done("GET", "/boards/1?ply=1&drawing=1", "", None);
    assert!(then["drawing"].as_str().unwrap().contains('o') && then["sentences"].is_string(), "{then}");
    let now = api.done("GET", "/boards/1", "", None);
    assert_eq!((&now["plies"], &now["clock"]["userid"], &now["drawing"]), (&json!(2), &json!("alice"), &Value::Null));
    assert!(now["change"].as_i64() > moved["change"].as_i64(), "{now}");
    assert_eq!(api.done("GET", "/boards/2", &alice, None)["private"], true);

    let numbers = |list: &Value| -> Vec<u64> {
        list["boards"].as_array().unwrap().iter().map(|board| board["number"].as_u64().unwrap()).collect()
    };
    // Both boards await alice. They may have begun within the same second, so their order is undefined.
    let mut waiting = numbers(&api.done("GET", "/me/boards", &alice, None));
    waiting.sort_unstable();
    assert_eq!(waiting, [1, 2]);
    assert_eq!(numbers(&api.done("GET", "/me/boards?which=next", &bob, None)), [0_u64; 0]);
    assert_eq!(numbers(&api.done("GET", "/me/boards?which=all&after=1", &bob, None)), [2]);

    // The API accepts any line of the command language.
    let line = json!({ "line": "marque propose 1 alice -" });
    assert_eq!(api.done("POST", "/commands", &alice, Some(&line))["answer"], "proposed");
    assert_eq!(api.done("GET", "/boards/1", "", None)["proposal"]["by"], "alice");
    let line = json!({ "line": "marque chat 1 bob -", "say": "No draw yet" });
    assert_eq!(api.done("POST", "/commands", &bob, Some(&line))["answer"], "chatted");
    for line in ["list", "show alice", "marque history 1 --format=json", "marque standings", "help", "show 3 1"] {
        api.done("POST", "/commands", "", Some(&json!({ "line": line })));
    }
    for line in [
        "set alice -",
        "vacation alice -",
        "marque seek alice - 1",
        "marque limit alice - 5",
        "signoff alice wonderland",
    ] {
        api.done("POST", "/commands", &alice, Some(&json!({ "line": line })));
    }
    let resigned = api.done("POST", "/commands", &alice, Some(&json!({ "line": "marque resign 1 alice -" })));
    assert_eq!((&resigned["answer"], &resigned["board"]["result"]["winner"]), (&json!("resigned"), &json!("bob")));
    assert_eq!(api.done("GET", "/boards/1/legal", "", None)["moves"], json!([]));
    assert_eq!(api.done("GET", "/boards/1/analysis", "", None)["waits"], json!(false));
    api.done("POST", "/boards/1/analysis", &alice, None);
    let tokens = api.done("GET", "/me/tokens", &alice, None);
    let id = tokens["tokens"][0]["id"].as_str().unwrap().to_owned();
    assert!(tokens["tokens"][0]["used_at"].is_string(), "{tokens}");
    api.done("GET", "/openapi.json", "", None);

    let url = json!({ "url": "https://bot.example.org/turn" });
    assert!(api.done("PUT", "/me/webhook", &alice, Some(&url))["secret"].as_str().unwrap().starts_with("whsec_"));
    let hook = api.done("GET", "/me/webhook", &alice, None);
    assert!(hook["url"] == url["url"] && hook["secret"].is_null() && hook["paused_at"].is_null(), "{hook}");
    assert_eq!(api.done("DELETE", "/me/webhook", &alice, None)["removed"], url["url"]);

    // Errors name the mistake and the remedy.
    for (method, path, body, says, status) in [
        (
            "POST",
            "/tokens",
            json!({ "userid": "alice", "password": "x", "label": "y" }),
            "this userid and this password",
            401,
        ),
        (
            "POST",
            "/tokens",
            json!({ "userid": "alice", "password": "wonderland", "label": " " }),
            "`label` is blank",
            400,
        ),
        ("POST", "/tokens", json!({ "userid": "alice" }), "missing field `password`", 400),
        ("POST", "/boards/1/moves", json!({ "move": "f5" }), "has ended", 409),
        ("POST", "/boards/2/moves", json!({ "move": "q99" }), "the columns are a to o", 409),
        ("POST", "/boards/2/moves", json!({ "move": "a1", "ply": 7 }), "", 409),
        ("POST", "/boards/2/moves", json!({ "move": "resign" }), "is not a move", 409),
        ("POST", "/boards/2/moves", json!({ "move": "a1 --say=x b" }), "", 409),
        ("POST", "/boards/2/moves", json!({ "move": "" }), "`move` has 0 characters; the minimum is 1", 400),
        ("POST", "/boards/2/chat", json!({ "say": "" }), "`say` has 0 characters", 400),
        ("POST", "/commands", json!({ "line": "" }), "`line` has 0 characters", 400),
        (
            "POST",
            "/tokens",
            json!({ "userid": "alice", "password": "wonderland", "label": "x".repeat(500) }),
            "`label` has 500 characters; the maximum is 60",
            400,
        ),
        ("POST", "/boards/2/moves", json!({ "mvoe": "a1" }), "unknown field `mvoe`", 400),
        ("POST", "/boards/3/moves", json!({ "move": "a1" }), "open challenge", 404),
        ("POST", "/boards/9/moves", json!({ "move": "a1" }), "no board 9", 404),
        ("POST", "/commands", json!({ "line": "marque mvoe 2 alice - a1" }), "no command", 409),
        ("POST", "/commands", json!({ "line": "marque move 2 bob - a1" }), "replaces a password", 401),
        ("POST", "/commands", json!({ "line": "marque move 2 bob wrong a1" }), "this password", 401),
        ("POST", "/commands", json!({ "line": "change password alice - other" }), "Write out", 401),
        ("POST", "/commands", json!({ "line": "show 1\nshow 2" }), "one line", 400),
        ("POST", "/commands", json!({ "line": "show nobody" }), "no player", 404),
        ("POST", "/commands", json!({ "line": "marque decline 1 alice -" }), "has ended", 409),
        ("PUT", "/me/webhook", json!({ "url": "http://bot.example.org/" }), "must begin with https://", 409),
        ("PUT", "/me/webhook", json!({ "url": "https://10.0.0.1/" }), "not a public address", 409),
        ("PUT", "/me/webhook", json!({ "url": "https://bot.example.org:99999/" }), "", 409),
        ("PUT", "/me/webhook", json!({ "url": 7 }), "invalid type", 400),
        ("PUT", "/me/webhook", json!({ "url": "ftp://bot.example.org/" }), "must begin with https://", 400),
        ("PUT", "/me/webhook", json!({ "url": "" }), "is not an address", 400),
        ("POST", "/games/marque/boards", json!({ "nag_days": 366 }), "`nag_days` is 366; the maximum is 365", 400),
        ("POST", "/commands", json!([]), "expected an object", 400),
        ("POST", "/commands", json!(["list", null]), "expected an object", 400),
        ("POST", "/boards/2/resign", json!(["Bye"]), "expected an object", 400),
        ("PUT", "/me/webhook", json!(["https://bot.example.org/turn"]), "expected an object", 400),
        ("POST", "/games/marque/boards", json!({ "fischer": [10, 1, 20] }), "`fischer` is an array", 400),
        (
            "POST",
            "/games/marque/boards",
            json!({ "fischer": { "start": 10, "plus": 1, "cap": 366 } }),
            "`cap` is 366; the maximum is 365",
            400,
        ),
    ] {
        assert_eq!(api.refused(method, path, &alice, Some(&body), says), status, "{method} {path} {body}");
    }
    for (method, path, says, status) in [
        ("GET", "/me", "token is unknown", 401),
        ("GET", "/me/tokens", "token is unknown", 401),
        ("GET", "/me/boards", "token is unknown", 401),
        ("DELETE", "/me/tokens/00000000", "token is unknown", 401),
        ("GET", "/me/events", "token is unknown", 401),
        ("GET", "/games", "token is unknown", 401),
        ("GET", "/openapi.json", "token is unknown", 401),
    ] {
        assert_eq!(api.refused(method, path, "tp_nobodys", None, says), status, "{method} {path}");
    }
    assert_eq!(api.refused("GET", "/me/events", "", None, "requires a token"), 401);
    assert_eq!(
        api.refused("POST", "/commands", "", Some(&json!({ "line": "marque resign 2 alice wonderland" })), "token"),
        401
    );
    for (path, says, status) in [
        ("/me/boards?which=some", "\"next\", \"active\" or \"all\"", 400),
        ("/me/boards?after=3", "which=all", 409),
        ("/me/boards?wich=all", "no parameter \"wich\" here; these are valid: which, after", 400),
        ("/games?all=1", "takes no parameters", 400),
        ("/games/chess/boards", "there are marque", 404),
        ("/games/chess/standings", "no game", 404),
        ("/players/nobody", "no player", 404),
        ("/players/1%20all", "no player", 404),
        ("/boards/x", "not a board's number", 400),
        ("/boards/9", "no board 9", 404),
        ("/boards/3", "open challenge", 404),
        ("/boards/1?ply=99", "2 moves.", 404),
        ("/boards/1?ply=x", "ply must be a number", 400),
        ("/boards/1?drawing=2", "must be 0 or 1", 400),
        ("/boards/1?ply=1&ply=2", "is repeated", 400),
        ("/puzzles/marque/1", "no Marque puzzle 1", 404),
        ("/puzzles/marque/0", "not the number of a puzzle", 400),
        ("/boards/9/legal", "no board 9", 404),
        ("/boards/9/analysis", "no board 9", 404),
        ("/boards/1/preview?moves=q99", "row q has q1 to q7", 409),
        ("/boards/1/preview?ply=1&moves=f3", "", 409),
        ("/me/events?after=x", "after must be a number", 400),
        ("/me/events?after=-1", "after must be a number", 400),
    ] {
        assert_eq!(api.refused("GET", path, &alice, None, says), status, "{path}");
    }
    for (method, path, says) in [
        ("DELETE", "/me/tokens/00000000", "no token"),
        ("GET", "/me/webhook", "not have a webhook"),
        ("DELETE", "/me/webhook", "not have a webhook"),
    ] {
        assert_eq!(api.refused(method, path, &alice, None, says), 404, "{method} {path}");
    }
    assert_eq!(api.refused("POST", "/boards/9/analysis", &alice, None, "no board 9"), 404);
    assert_eq!(api.refused("GET", "/boards/2", "", None, "private"), 403);
    assert_eq!(api.refused("GET", "/boards/2/legal", "", None, "private"), 403);
    assert_eq!(api.refused("GET", "/boards/2/preview?moves=a1", "", None, "private"), 403);
    api.done("DELETE", &format!("/me/tokens/{id}"), &alice, None);
    assert_eq!(api.get("/me", &alice).status, 401, "a revoked token is refused");
    // Other tests cover these operations: those of streams, actions, events, pictures, problems and puzzles.
    api.truth.all_but(&[
        "accept", "acceptProposal", "boardEvents", "challenge", "challengeInEvent", "chat", "decline", "edition",
        "event", "events", "gameScene", "joinEvent", "leaveEvent", "myEvents", "newEvent", "offer", "png", "problem",
        "propose", "puzzle", "puzzles", "rejectProposal", "rematch", "resign", "scene", "svg",
    ]);
}

#[test]
fn lists_have_parts_with_the_most_urgent_rows_first() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    for terms in ["", "--forfeittime=9", "--nagtime=0 --forfeittime=0", "--forfeittime=5"] {
        api.shell(&format!("marque challenge {terms} alice bob"));
    }
    api.shell("marque challenge --forfeittime=3 bob alice");
    let numbers = |list: &Value| -> Vec<u64> {
        list["boards"].as_array().unwrap().iter().map(|board| board["number"].as_u64().unwrap()).collect()
    };
    let list = api.done("GET", "/me/boards", &alice, None);
    assert_eq!(
        numbers(&list),
        [4, 2, 1, 3, 5],
        "alice's turns by deadline, then those without a deadline, then boards awaiting bob"
    );
    assert_eq!(list["boards"][0]["opponent"], "bob");
    // Adds many boards directly to the database.
    let many = "WITH RECURSIVE n (n) AS (SELECT 6 UNION ALL SELECT n + 1 FROM n WHERE n < 250)";
    let boards = "INSERT INTO boards (number, game, options, terms, to_move, genesis, head, created_at, moved_at) \
         SELECT n, 'marque', '', iif(n = 7, '--private', ''), 1, genesis, head, created_at, moved_at FROM n JOIN boards ON number = 1";
    let seats = "INSERT INTO seats (board, seat, player) SELECT n, seat, player FROM n JOIN seats ON board = 1";
    crate::common::database::sql(&api.server, &format!("BEGIN; {many} {boards}; {many} {seats}; COMMIT"));
    for (path, token, all) in [("/me/boards?which=all", &alice, 250), ("/games/marque/boards?", &String::new(), 249)] {
        let (mut seen, mut parts, mut after) = (Vec::new(), 0, String::new());
        loop {
            let part = api.done("GET", &format!("{path}{after}"), token, None);
            seen.extend(numbers(&part));
            parts += 1;
            let Some(next) = part["next"].as_u64() else { break };
            after = format!("{}after={next}", if path.ends_with('?') { "" } else { "&" });
        }
        assert!(seen.is_sorted() && seen.len() == all && parts == 3, "{path}: {parts} parts, {seen:?}");
    }
}

#[test]
fn unknown_requests_get_an_error_in_json() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    let too_long = json!({ "line": "list", "say": "x".repeat(65_536) });
    assert_eq!(api.refused("POST", "/commands", &alice, Some(&too_long), "the limit is 64 KB"), 413);
    assert_eq!(api.refused("GET", "/players/%FF", &alice, None, "not UTF-8"), 400);
    let raw = |method: &str, path: &str, body: Option<(&str, String)>| {
        let (status, head, body) = http(&api.address, &request(method, path, &alice, body));
        let body: Value = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{method} {path}: {head}"));
        assert!(body["detail"].is_string() && body["status"] == status, "{body}");
        assert!(head.to_lowercase().contains("content-type: application/problem+json"), "{head}");
        (status, head.to_lowercase())
    };
    for path in ["", "/", "/nowhere", "/boards", "/boards/1/2/3", "/me/"] {
        assert_eq!(raw("GET", path, None).0, 404, "{path}");
    }
    let (status, head) = raw("PUT", "/boards/1", None);
    assert!(status == 405 && head.contains("allow: get"), "{head}");
    assert_eq!(raw("OPTIONS", "/me", None).0, 405);
    let line = r#"{"line":"list"}"#.to_owned();
    assert_eq!(raw("POST", "/commands", Some(("text/plain", line.clone()))).0, 415);
    assert_eq!(raw("POST", "/commands", Some(("application/x-www-form-urlencoded", line.clone()))).0, 415);
    assert_eq!(raw("POST", "/commands", Some(("application/json", "\u{0}".to_owned()))).0, 400);
    let twice = r#"{"line":"list","line":"help"}"#.to_owned();
    assert_eq!(raw("POST", "/commands", Some(("application/json", twice))).0, 400);
    // Scripts of other sites cannot read responses. Cookies and other authorization schemes are ignored.
    for header in ["Origin: https://evil.example", "Cookie: session=abc; token=tp_abc"] {
        let request = format!("GET /api/v1/me HTTP/1.1\r\nHost: x\r\n{header}\r\nConnection: close\r\n\r\n");
        let (status, head, _) = http(&api.address, &request);
        assert!(status == 401 && !head.to_lowercase().contains("access-control"), "{head}");
        assert!(head.to_lowercase().contains("www-authenticate: bearer"), "{head}");
    }
    let basic = "GET /api/v1/games HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\nConnection: close\r\n\r\n";
    assert_eq!(http(&api.address, basic).0, 401);
}

#[test]
fn a_token_is_valid_until_it_is_revoked_or_the_password_changes() {
    let mut api = Api::open();
    let (first, second) = (api.token("alice", "wonderland"), api.token("Alice", "wonderland"));
    assert!(first.starts_with("tp_") && first.len() == 43 && first != second);
    let stored = crate::common::database::sql(&api.server, "SELECT count(*) FROM tokens WHERE length(hash) = 32");
    assert_eq!(stored, "2");
    for entry in std::fs::read_dir(api.server.data()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        assert!(!bytes.windows(first.len()).any(|window| window == first.as_bytes()), "{}", path.display());
    }
    let ids: Vec<String> = api.done("GET", "/me/tokens", &second, None)["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|token| token["id"].as_str().unwrap().to_owned())
        .collect();
    let bob = api.token("bob", "builder");
    assert_eq!(api.refused("DELETE", &format!("/me/tokens/{}", ids[0]), &bob, None, "no token"), 404);
    for id in &ids {
        let (one, other) = (api.get("/me", &first).status, api.get("/me", &second).status);
        assert!(one == 200 || other == 200);
        let with = if one == 200 { &first } else { &second };
        api.done("DELETE", &format!("/me/tokens/{id}"), with, None);
    }
    assert_eq!((api.get("/me", &first).status, api.get("/me", &second).status), (401, 401));
    let third = api.token("alice", "wonderland");
    api.shell("change password alice wonderland lookingglass");
    assert_eq!(api.get("/me", &third).status, 401);
    assert_eq!(api.get("/me", &bob).status, 200);
    // The tokens of a player who signs off are removed.
    let asked = api.done("POST", "/commands", &bob, Some(&json!({ "line": "signoff bob builder" })));
    let line = format!("signoff bob builder {}", asked["code"].as_str().unwrap());
    api.done("POST", "/commands", &bob, Some(&json!({ "line": line })));
    assert_eq!(api.get("/me", &bob).status, 401);
    // After ten wrong passwords in requests for tokens, the right one is refused, too.
    let wrong = json!({ "userid": "alice", "password": "wonderland", "label": "x" });
    for _ in 0..10 {
        assert_eq!(api.refused("POST", "/tokens", "", Some(&wrong), "this password"), 401);
    }
    let right = json!({ "userid": "alice", "password": "lookingglass", "label": "x" });
    let answer = api.call("POST", "/tokens", "", Some(&right));
    assert!(answer.status == 429 && answer.head.to_lowercase().contains("retry-after: 3600"), "{}", answer.head);
    api.shell("signup carol walrus22 carol@example.org");
    (0..20).for_each(|_| drop(api.token("carol", "walrus22")));
    let one_more = json!({ "userid": "carol", "password": "walrus22", "label": "x" });
    assert_eq!(api.refused("POST", "/tokens", "", Some(&one_more), "at most 20 tokens"), 409);
}

#[test]
fn a_busy_database_is_reported_after_a_limited_wait() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    api.shell("marque challenge alice bob");
    assert_eq!(api.get("/me", &alice).status, 200);
    let writer = crate::common::database::Writer::at_work(&api.server);
    assert_eq!(api.get("/boards/1", "").status, 200, "readers do not wait for the writer");
    let answer = api.play(&alice, "f3");
    assert!(answer.status == 503 && answer.head.to_lowercase().contains("retry-after: "), "{}", answer.head);
    drop(writer);
    assert_eq!(api.play(&alice, "f3").status, 200);
}

#[test]
fn a_move_is_recorded_and_its_letters_are_sent() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    api.shell("marque challenge alice bob");
    assert_eq!(api.play(&alice, "f3").status, 200);
    crate::common::serving::wait_until("a letter to bob about the move", || {
        api.server
            .letters()
            .iter()
            .any(|letter| letter.to() == "bob@example.org" && letter.text().contains("f3"))
            .then_some(())
    });
    assert_eq!(crate::common::database::sql(&api.server, "SELECT via FROM game_moves"), "api");
    let stale = api.call("POST", "/boards/1/moves", &alice, Some(&json!({ "move": "f4", "ply": 2 })));
    assert_eq!(stale.status, 409, "{}", stale.body);
    assert_eq!(api.server.shell("admin check").status, 0);
    assert!(!api.serving.log().contains("ERROR"), "{}", api.serving.log());
}
