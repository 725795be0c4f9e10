//! Login and play over HTTP, in a browser without scripts.

use crate::common::database::keeps;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined};

struct Instance {
    server: Server,
    _serving: Serving,
    web: String,
}

impl Instance {
    fn open() -> Instance {
        let server = Server::with_players();
        let config = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n";
        let serving = Serving::start(&server, config);
        let web = serving.web();
        Instance { server, _serving: serving, web }
    }

    fn visitor(&self) -> Visitor {
        Visitor::new(&self.web)
    }

    fn alice(&self) -> Visitor {
        Visitor::logged_in(&self.web, "alice", "wonderland")
    }

    fn bob(&self) -> Visitor {
        Visitor::logged_in(&self.web, "bob", "builder")
    }

    fn shell(&self, line: &str) -> String {
        let ran = self.server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
        ran.out
    }

    /// Returns the link that contains these characters in a letter to a player.
    fn link(&mut self, to: &str, with: &str) -> String {
        let server = &mut self.server;
        wait_until("a letter with a link", || {
            let letter =
                server.letters().into_iter().find(|letter| letter.to() == to && letter.text().contains(with))?;
            let line = letter.text().lines().find(|line| line.contains(with))?.trim().to_owned();
            Some(line.strip_prefix("https://games.example").unwrap().to_owned())
        })
    }
}

#[test]
fn two_players_play_by_forms() {
    let instance = Instance::open();
    instance.shell("marque challenge alice bob");
    let (mut alice, mut bob) = (instance.alice(), instance.bob());
    let page = alice.get("/boards/1");
    assert!(page.text().contains("It is your turn.") && page.text().contains("href=\"?pick=f3\""), "{}", page.text());
    assert!(!bob.get("/boards/1").text().contains("It is your turn."));
    // A click shows the move without playing it.
    let page = alice.get("/boards/1?pick=f3");
    assert!(page.text().contains("Send f3"), "{}", page.text());
    let sent =
        alice.fill("/boards/1?pick=f3", &[("do", "move"), ("move", "f3"), ("ply", "1"), ("say", "<i>Hello</i>")]);
    assert_eq!((sent.status, sent.header("location")), (303, Some("/boards/1")), "{}", sent.text());
    // If the browser sends the form twice, the move is played once.
    let again = alice.fill("/boards/1", &[("do", "move"), ("move", "f3"), ("ply", "1")]);
    assert_eq!(again.status, 409);
    assert!(again.text().contains("It is bob&#x27;s turn."), "{}", again.text());
    let page = bob.get("/boards/1");
    assert!(page.text().contains("It is your turn.") && page.text().contains("&lt;i&gt;Hello"), "{}", page.text());
    // If a move is refused, the page shows the reason, and the form still contains the comment.
    let refused = bob.fill("/boards/1", &[("do", "move"), ("move", "f3"), ("ply", "2"), ("say", "I take \"that\"")]);
    assert_eq!(refused.status, 409);
    assert!(
        refused.text().contains("role=\"alert\"") && refused.text().contains("already taken"),
        "{}",
        refused.text()
    );
    assert!(refused.text().contains("I take &quot;that&quot;"), "{}", refused.text());
    assert_eq!(instance.server.json("marque show 1")["boards"][0]["plies"], 1);
    let typed = bob.get("/boards/1?pick=zz9");
    assert!(typed.text().contains("role=\"alert\""), "{}", typed.text());
    assert_eq!(bob.fill("/boards/1", &[("do", "move"), ("move", "k1"), ("ply", "2")]).status, 303);
    let record = instance.server.json("marque history 1")["record"].clone();
    let via: Vec<_> = record["entries"].as_array().unwrap().iter().map(|entry| &entry["via"]).collect();
    assert_eq!(via, ["web", "web"], "{record}");
    // Proposals, notes, comments and resignations also work.
    for (who, act, shows) in [(&mut bob, "propose", "bob proposes a draw"), (&mut alice, "reject", "")] {
        assert_eq!(who.fill("/boards/1", &[("do", act)]).status, 303, "{act}");
        assert!(instance.alice().get("/boards/1").text().contains(shows));
    }
    // An answer is refused if the proposal has changed since the page was loaded.
    assert_eq!(bob.fill("/boards/1", &[("do", "undo")]).status, 303);
    assert!(alice.get("/boards/1").text().contains("name=\"proposal\" value=\"undo\""));
    let second = bob.fill("/boards/1", &[("do", "abandon")]);
    assert!(second.text().contains("You have another open proposal; withdraw it first."), "{}", second.text());
    let stale = alice.fill("/boards/1", &[("do", "accept"), ("proposal", "draw")]);
    assert!(stale.text().contains("The open proposal is not the one"), "{}", stale.text());
    assert_eq!(instance.server.json("marque show 1")["boards"][0]["plies"], 2);
    assert_eq!(alice.fill("/boards/1", &[("do", "accept"), ("proposal", "undo")]).status, 303);
    assert_eq!(instance.server.json("marque show 1")["boards"][0]["plies"], 1);
    assert_eq!(alice.fill("/boards/1", &[("do", "note"), ("say", "Beware of k1")]).status, 303);
    assert!(alice.get("/boards/1").text().contains("Beware of k1"));
    assert!(!bob.get("/boards/1").text().contains("Beware of k1"));
    assert_eq!(alice.fill("/boards/1", &[("do", "note"), ("say", "")]).status, 303);
    assert!(!alice.get("/boards/1").text().contains("Beware of k1"));
    assert_eq!(bob.fill("/boards/1", &[("do", "chat"), ("say", "Thinking")]).status, 303);
    assert!(instance.visitor().get("/boards/1").text().contains("Thinking"));
    assert_eq!(bob.fill("/boards/1", &[("do", "resign")]).status, 303);
    assert!(instance.visitor().get("/boards/1").text().contains("alice has won: bob resigned"));
    let over = alice.fill("/boards/1", &[("do", "move"), ("move", "k2"), ("ply", "2")]);
    assert!(over.status == 409 && over.text().contains("has ended"), "{}", over.text());
}

#[test]
fn a_turn_of_three_stones_is_picked_by_three_links() {
    let instance = Instance::open();
    instance.shell("catchup challenge -size=7 alice bob");
    let mut alice = instance.alice();
    assert!(alice.get("/boards/1").text().contains("Click a cell of the board"));
    instance.shell("catchup move 1 alice wonderland g7");
    assert!(instance.bob().get("/boards/1").text().contains("Click one to 2 cells of the board"));
    instance.shell("catchup move 1 bob builder a2 a1");
    let page = alice.get("/boards/1");
    assert!(page.text().contains("data-most=\"3\"") && page.text().contains("href=\"?pick=b1\""), "{}", page.text());
    assert!(page.body.len() < 60_000, "{} octets", page.body.len());
    // The picked cells are a complete move, and the next click adds a cell to it.
    for (pick, sends, next) in [("b1", "b1", "?pick=b1,c1"), ("c1,b1", "b1,c1", "?pick=b1,c1,d1")] {
        let page = alice.get(&format!("/boards/1?pick={pick}"));
        assert!(page.text().contains(&format!("Send {sends}")) && page.text().contains(next), "{}", page.text());
    }
    // A click on a picked cell removes it from the turn.
    let page = alice.get("/boards/1?pick=b1,c1,d1");
    assert!(page.text().contains("Send b1,c1,d1") && page.text().contains("href=\"?pick=b1,d1\""), "{}", page.text());
    let sent = alice.fill("/boards/1?pick=b1,c1,d1", &[("do", "move"), ("move", "b1,c1,d1"), ("ply", "3")]);
    assert_eq!(sent.status, 303, "{}", sent.text());
    assert_eq!(instance.server.json("catchup show 1")["boards"][0]["moves"][2]["text"], "b1,c1,d1");
}

#[test]
fn replies_are_prepared_from_moves_that_were_tried() {
    let instance = Instance::open();
    instance.shell("marque challenge alice bob");
    instance.shell("marque move 1 alice wonderland f3");
    let (mut alice, mut bob) = (instance.alice(), instance.bob());
    // A click that completes a move leads to the page of the position after it.
    let step = alice.get("/boards/1?pick=k1");
    assert_eq!((step.status, step.header("location")), (303, Some("/boards/1/1/k1")));
    let page = alice.get("/boards/1/1/k1/k4");
    assert!(page.text().contains("Prepare these replies"), "{}", page.text());
    let line = page.hidden("line").unwrap().to_owned();
    assert_eq!(line, "k1 k4");
    assert!(
        !bob.get("/boards/1/1/k1/k4").text().contains("Prepare these replies"),
        "a player cannot prepare replies before their own move"
    );
    assert_eq!(alice.fill("/boards/1", &[("do", "prepare"), ("line", &line)]).status, 303);
    // A second prepared line is added to the plan, and does not replace the first.
    assert_eq!(alice.fill("/boards/1", &[("do", "prepare"), ("line", "k10 k7")]).status, 303);
    let plan = alice.get("/boards/1");
    assert!(plan.text().contains("k1 then k4; k10 then k7"), "{}", plan.text());
    assert!(!bob.get("/boards/1").text().contains("k10 then k7"), "the opponent cannot see prepared replies");
    assert_eq!(bob.fill("/boards/1", &[("do", "move"), ("move", "k10"), ("ply", "2")]).status, 303);
    let moves = instance.server.json("marque show 1")["boards"][0]["moves"].clone();
    let texts: Vec<_> = moves.as_array().unwrap().iter().map(|mv| &mv["text"]).collect();
    assert_eq!(texts, ["f3", "k10", "k7"]);
    // One form sends both a move and the prepared replies to the opponent's next moves.
    let page = bob.get("/boards/1/3/a1/b1/a2");
    let line = page.hidden("line").unwrap().to_owned();
    let both = [("do", "move-and-prepare"), ("ply", "4"), ("line", line.as_str())];
    assert_eq!(bob.fill("/boards/1", &both).status, 303);
    let page = bob.get("/boards/1");
    assert!(page.text().contains("b1 then a2"), "{}", page.text());
    // An empty field removes the plan.
    assert_eq!(bob.fill("/boards/1", &[("do", "if"), ("plan", "")]).status, 303);
    assert!(!bob.get("/boards/1").text().contains("b1 then a2"));
    let wrong = bob.fill("/boards/1", &[("do", "if"), ("plan", "b1 thn a2")]);
    assert!(wrong.status == 409 && wrong.text().contains("role=\"alert\""), "{}", wrong.text());
    assert_eq!(bob.fill("/boards/1", &[("do", "queue"), ("move", "a2")]).status, 303);
    assert!(bob.get("/boards/1").text().contains("anything else: a2"));
    for path in ["/boards/1/1/zz", "/boards/1/99", "/boards/1/1/k1/k1", "/boards/9/1/k1"] {
        assert_eq!(bob.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_form_is_valid_only_from_a_page_of_its_session() {
    let instance = Instance::open();
    instance.shell("marque challenge alice bob");
    let mut alice = instance.alice();
    let mv = [("do", "move"), ("move", "f3"), ("ply", "1")];
    assert_eq!(alice.send("/boards/1", &mv).status, 403, "a form without the session's secret is refused");
    let of_another = instance.bob().get("/boards/1").hidden("csrf").unwrap().to_owned();
    let stolen = [("do", "move"), ("move", "f3"), ("ply", "1"), ("csrf", of_another.as_str())];
    assert_eq!(alice.send("/boards/1", &stolen).status, 403);
    let csrf = alice.get("/boards/1").hidden("csrf").unwrap().to_owned();
    let right = [("do", "move"), ("move", "f3"), ("ply", "1"), ("csrf", csrf.as_str())];
    for headers in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(alice.send_with("/boards/1", &right, headers).status, 403, "{headers}");
        let login = [("userid", "alice"), ("password", "wonderland")];
        assert_eq!(instance.visitor().send_with("/login", &login, headers).status, 403, "{headers}");
    }
    assert_eq!(instance.server.json("marque show 1")["boards"][0]["plies"], 0);
    assert_eq!(alice.send("/boards/1", &right).status, 303);
    // A visitor cannot play.
    let nobody = instance.visitor().send("/boards/1", &mv);
    assert_eq!(nobody.status, 403);
    assert!(nobody.text().contains("your session has ended"), "{}", nobody.text());
    let cookie = instance.alice();
    let head = instance.visitor().send("/login", &[("userid", "alice"), ("password", "wonderland")]).head;
    assert!(head.contains("HttpOnly; SameSite=Lax; Secure"), "{head}");
    assert!(cookie.cookie.unwrap().len() > 40);
}

#[test]
fn a_session_ends() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let mut elsewhere = instance.alice();
    let kept = alice.cookie.clone();
    assert_eq!(alice.fill("/settings", &[("do", "set"), ("zone", "Europe/Berlin")]).status, 200);
    let csrf = alice.get("/settings").hidden("csrf").unwrap().to_owned();
    assert_eq!(alice.send("/logout", &[("csrf", &csrf)]).status, 303);
    assert_eq!(alice.cookie, None);
    alice.cookie = kept;
    assert_eq!(alice.get("/settings").header("location"), Some("/login?next=/settings"));
    // A session alone does not permit changes of the password or the addresses.
    for (fields, says) in [
        (vec![("do", "password"), ("password", "-"), ("new", "stolen")], "requires the password"),
        (vec![("do", "password"), ("password", "wrong"), ("new", "stolen")], "The current password is wrong."),
        (vec![("do", "addresses"), ("password", "-"), ("addresses", "m@example.org")], "requires the password"),
    ] {
        let page = elsewhere.fill("/settings", &fields);
        assert!(page.status == 409 && page.text().contains(says), "{fields:?}: {}", page.text());
    }
    let changed = [("do", "password"), ("password", "wonderland"), ("new", "looking-glass")];
    let page = elsewhere.fill("/settings", &changed);
    assert!(page.status == 200 && page.text().contains("alice is logged out in every browser"), "{}", page.text());
    assert!(page.text().contains(">Log in</a>") && !page.text().contains("Log out"), "{}", page.text());
    assert_eq!(elsewhere.get("/settings").status, 303, "a new password ends every session");
    assert_eq!(instance.visitor().send("/login", &[("userid", "alice"), ("password", "wonderland")]).status, 403);
    Visitor::logged_in(&instance.web, "alice", "looking-glass");
    let cookie = instance.bob().cookie.unwrap();
    assert!(
        !keeps(&instance.server, cookie.split('=').nth(1).unwrap()),
        "the server stores only the hash of a session"
    );
}

#[test]
fn a_command_that_ends_the_session_logs_out() {
    let instance = Instance::open();
    let (mut alice, mut bob) = (instance.alice(), instance.bob());
    let logs_out = |visitor: &mut Visitor, line: &str, says: &str| {
        let page = visitor.fill("/command", &[("line", line)]);
        assert!(page.status == 200 && joined(page.text()).contains(says), "{line}: {}", page.text());
        let out = page.text().contains(">Log in</a>");
        assert_eq!(out, !page.text().contains("Log out"), "{line}: {}", page.text());
        assert_eq!(out, visitor.get("/settings").status == 303, "{line}");
        out
    };
    let line = "change password alice wonderland looking-glass";
    assert!(!logs_out(&mut bob, line, "alice is logged out in every browser"));
    assert_eq!(alice.get("/settings").status, 303, "another visitor has changed the password");
    let mut alice = Visitor::logged_in(&instance.web, "alice", "looking-glass");
    assert!(logs_out(&mut alice, "change password alice looking-glass wonderland", "and API tokens no longer work."));
    let asked = bob.fill("/command", &[("line", "signoff bob builder")]);
    let line = asked.text().lines().find(|line| line.contains("signoff bob PASSWORD ")).unwrap().trim();
    assert!(logs_out(&mut bob, &line.replace("PASSWORD", "builder"), "bob has left this server."));
}

#[test]
fn a_link_by_mail_logs_in_once() {
    let mut instance = Instance::open();
    for who in ["bob", "BOB@example.org", "nobody", "nobody@example.org"] {
        let page = instance.visitor().send("/login", &[("by", "letter"), ("userid", who)]);
        assert!(page.status == 200 && page.text().contains("If there is such a player"), "{}", page.text());
    }
    let link = instance.link("bob@example.org", "/login/");
    let outbox = instance.shell("admin outbox");
    assert!(!outbox.contains(link.trim_start_matches("/login/")), "{outbox}");
    let mut bob = instance.visitor();
    assert!(bob.get(&link).text().contains("Log in as bob?"));
    assert!(bob.get(&link).text().contains("Log in as bob?"), "viewing the link does not use it up");
    assert_eq!(bob.send(&link, &[]).header("location"), Some("/me"));
    assert!(bob.get("/settings").text().contains("Settings for bob"));
    let mut second = instance.visitor();
    assert!(second.get(&link).text().contains("no longer works"));
    assert_eq!(second.send(&link, &[]).status, 404);
    // Letters about a board contain its address.
    instance.shell("marque challenge alice bob");
    let server = &mut instance.server;
    wait_until("a letter with a link to the board", || {
        let letters = server.letters();
        letters.iter().any(|letter| letter.text().contains("https://games.example/boards/1\n")).then_some(())
    });
    assert_eq!(second.send("/login/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &[]).status, 404);
}

#[test]
fn a_new_player_signs_up_and_confirms_an_address() {
    let mut instance = Instance::open();
    let mut carol = instance.visitor();
    for (fields, says) in [
        ([("userid", "alice"), ("password", "secret"), ("address", "c@example.org")], "taken"),
        ([("userid", "carol"), ("password", "abc"), ("address", "c@example.org")], "at least 4"),
        ([("userid", "carol"), ("password", "secret"), ("address", "c@example org")], "mail address"),
        ([("userid", "carol"), ("password", "secret"), ("address", "")], "Please fill in"),
        ([("userid", "c a"), ("password", "secret"), ("address", "c@example.org")], "userid"),
    ] {
        let page = carol.send("/signup", &fields);
        assert!(page.status == 409 && page.text().contains(says), "{fields:?}: {}", page.text());
    }
    let fields = [("userid", "carol"), ("password", "se cret"), ("address", "carol@example.org")];
    assert_eq!(carol.send("/signup", &fields).header("location"), Some("/me"));
    assert!(carol.get("/settings").text().contains("not confirmed yet"));
    let link = instance.link("carol@example.org", "/confirm/");
    assert!(carol.get(&link).text().contains("to this address?"));
    let csrf = carol.get("/settings").hidden("csrf").unwrap().to_owned();
    assert!(carol.send(&link, &[("csrf", &csrf)]).text().contains("sent to carol@example.org"));
    // The link works once. Later, and with an invented code, the page does not ask again.
    for page in [
        instance.visitor().send(&link, &[]),
        carol.get(&link),
        instance.visitor().get("/confirm/carol/invented"),
        instance.visitor().get("/confirm/nobody/invented"),
    ] {
        assert!(page.status == 404 && page.text().contains("is already confirmed"), "{}", page.text());
        assert!(!page.text().contains("to this address?"), "{}", page.text());
    }
    let code = link.rsplit('/').next().unwrap();
    let refused = instance.server.shell(&format!("confirm carol {code}"));
    assert!(refused.status == 1 && joined(&refused.err).contains("is already confirmed"), "{}", refused.err);
    assert!(!carol.get("/settings").text().contains("not confirmed yet"));
    Visitor::logged_in(&instance.web, "carol", "se cret");
}

#[test]
fn private_boards_are_shown_to_their_players_only() {
    let instance = Instance::open();
    instance.shell("signup carol secret carol@example.org");
    instance.shell("marque challenge --private alice bob");
    instance.shell("marque move 1 alice wonderland f3 --say=psst");
    let mut carol = Visitor::logged_in(&instance.web, "carol", "secret");
    for path in ["/boards/1", "/boards/1/1", "/boards/1/1/k1", "/boards/1/board.svg", "/boards/1/record.json"] {
        assert_eq!(instance.bob().get(path).status, 200, "{path}");
        for other in [&mut instance.visitor(), &mut carol] {
            let page = other.get(path);
            assert!(page.status == 404 && !page.text().contains("psst"), "{path}: {}", page.text());
        }
    }
    // A letter's link leads a player through the login to the board.
    let page = instance.visitor().get("/boards/1").text().replace("&#x2f;", "/");
    assert_eq!(page.matches("href=\"/login?next=/boards/1\">Log in<").count(), 2, "{page}");
    assert!(!page.contains("href=\"/login\""), "{page}");
    let fields = [("userid", "bob"), ("password", "builder"), ("next", "/boards/1")];
    assert_eq!(instance.visitor().send("/login", &fields).header("location"), Some("/boards/1"));
    instance.shell("marque challenge bob alice");
    let page = instance.visitor().get("/boards/2/0").text().replace("&#x2f;", "/");
    assert!(page.contains("href=\"/login?next=/boards/2/0\">Log in<"), "{page}");
    let page = carol.fill("/help/mail", &[]);
    assert_eq!(page.status, 405);
    let csrf = carol.get("/settings").hidden("csrf").unwrap().to_owned();
    let page = carol.send("/boards/1", &[("csrf", &csrf), ("do", "chat"), ("say", "I see you")]);
    assert!(page.status == 404 && !page.text().contains("psst"), "{}", page.text());
}

#[test]
fn a_client_with_too_many_attempts_waits() {
    let instance = Instance::open();
    let mut visitor = instance.visitor();
    for i in 0..30 {
        let page = visitor.send("/login", &[("userid", &format!("player{i}")), ("password", "guess")]);
        assert_eq!(page.status, 403, "{i}");
    }
    let page = visitor.send("/login", &[("userid", "alice"), ("password", "wonderland")]);
    assert!(page.status == 429 && page.text().contains("Too many attempts"), "{}", page.text());
    assert_eq!(visitor.send("/login", &[("by", "letter"), ("userid", "alice")]).status, 429);
    let fields = [("userid", "carol"), ("password", "secret"), ("address", "c@example.org")];
    assert!(visitor.send("/signup", &fields).text().contains("Too many attempts"));
}

#[test]
fn all_forms_and_typed_commands_work() {
    let instance = Instance::open();
    let (mut alice, mut bob) = (instance.alice(), instance.bob());
    let form = "/games/marque/challenge";
    let made = alice.fill(
        form,
        &[
            ("opponent", "bob"),
            ("first", "no"),
            ("option", "opposite"),
            ("nagtime", "3"),
            ("unrated", "1"),
            ("say", "Well?"),
        ],
    );
    assert_eq!(made.header("location"), Some("/boards/1"), "{}", made.text());
    let board = instance.server.json("marque show 1")["boards"][0].clone();
    assert_eq!(
        (&board["options"], &board["to_move"], &board["rated"]),
        (&"-opposite".into(), &"bob".into(), &false.into())
    );
    for (card, more, opponent) in [("robot", ("robot", "2"), "robot2"), ("player", ("opponent", "robot 1"), "robot1")] {
        let made = alice.fill(form, &[("to", card), more]);
        let board = made.header("location").unwrap().rsplit('/').next().unwrap().to_owned();
        assert!(done(&instance.server, &format!("show {board}")).contains(opponent), "{card}");
    }
    let wrong = alice.fill(form, &[("opponent", "bbo")]);
    assert!(wrong.status == 409 && wrong.text().contains("There is no player"), "{}", wrong.text());
    let sized = alice.fill("/games/brique/challenge", &[("opponent", ""), ("size", "5")]);
    assert_eq!(sized.header("location"), Some("/boards/4"));
    assert!(bob.get("/boards/4").text().contains(">Accept</button>"));
    assert!(alice.get("/boards/4").text().contains("Withdraw"));
    assert_eq!(bob.fill("/boards/4", &[("do", "accept")]).status, 303);
    assert!(alice.get("/boards/4").text().contains("It is your turn."));
    let page = alice.fill("/settings", &[("do", "set"), ("rhythm", "daily@8"), ("zone", "Europe/Berlin")]);
    assert!(page.text().contains("<option value=\"daily@8\" selected>"), "{}", page.text());
    let page = alice.fill("/settings", &[("do", "set"), ("zone", "Europe/Berln")]);
    assert!(page.status == 409 && page.text().contains("Berln"), "{}", page.text());
    let page = alice.fill("/settings", &[("do", "token"), ("label", "my bot")]);
    let token = page.text().split_whitespace().find(|word| word.starts_with("tp_")).unwrap().to_owned();
    assert!(!alice.get("/settings").text().contains(&token), "the token is shown once");
    let id = alice.get("/settings").hidden("id").unwrap().to_owned();
    assert_eq!(bob.fill("/settings", &[("do", "revoke"), ("id", &id)]).status, 303);
    assert!(alice.get("/settings").text().contains("my bot"), "bob cannot revoke alice's token");
    assert_eq!(alice.fill("/settings", &[("do", "revoke"), ("id", &id)]).status, 303);
    assert!(!alice.get("/settings").text().contains("my bot"));
    let page = alice.fill("/settings", &[("do", "vacation"), ("until", "2001-01-01")]);
    assert!(page.status == 409, "{}", page.text());
    let page = alice.fill("/command", &[("line", "marque seek alice - 2")]);
    assert!(page.status == 200 && page.text().contains("role=\"status\""), "{}", page.text());
    assert!(alice.get("/games/marque/standings").text().contains("alice</a> (2)"));
    let page = alice.fill("/command", &[("line", "marque sek alice wonderland 2")]);
    assert!(page.status == 409 && page.text().contains("seek"), "{}", page.text());
    assert!(!page.text().contains("wonderland"), "{}", page.text());
    let page = instance.visitor().send("/command", &[("line", "marque seek alice - 3")]);
    assert_eq!(page.status, 409, "{}", page.text());
}
