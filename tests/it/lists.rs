//! Paged lists, and a player's own boards in order of urgency.

use crate::common::inside::Inside;
use crate::common::serving::{Serving, http};
use crate::common::{Server, done, joined};
use chrono::{DateTime, TimeDelta, Utc};
use minijinja::context;
use minijinja::value::Serde;
use turnpost::compose::Composer;
use turnpost::numbers::BoardNumber;
use turnpost::rating::Rating;
use turnpost::service::{MyBoardRow, Origin, Response};
use turnpost::store::{
    BoardResult, BoardsOf, Channel, Cursor, NewBoard, NoResult, PlayerId, PlayerRef, Seat, Standing, Transaction,
};
use turnpost::world::World;

fn day(day: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_270_833, 0).unwrap() + TimeDelta::days(day)
}

fn board(game: &str, players: [PlayerId; 2], private: bool) -> NewBoard {
    NewBoard {
        number: None,
        game: game.to_owned(),
        options: String::new(),
        terms: if private { "--unrated --private" } else { "--unrated" }.parse().unwrap(),
        players,
        to_move: Seat::First,
        challenger: None,
        rematch_of: None,
        hash: "00".to_owned(),
        created_at: day(0),
    }
}

fn every(step: u32, nth: u32) -> bool {
    nth.is_multiple_of(step)
}

/// Creates 400 boards. Every third is a draw, every seventh is private, every eleventh is of another game, and every
/// thirteenth was declined.
fn many_boards(tx: &mut Transaction<'_>, alice: PlayerId, bob: PlayerId) {
    for nth in 1..=400 {
        let game = if every(11, nth) { "brique" } else { "marque" };
        let players = if every(5, nth) { [alice, alice] } else { [bob, alice] };
        let number = tx.add_board(&board(game, players, every(7, nth))).unwrap();
        if every(13, nth) {
            tx.end_without_result(number, NoResult::Declined, Some(alice), day(1)).unwrap();
        } else if every(3, nth) {
            let result = BoardResult { winner: None, reason: "draw".into(), ended_at: day(1) };
            tx.end_board(number, &result).unwrap();
        }
    }
}

/// Returns the numbers of the finished or unfinished boards that a visitor should see, newest first.
fn expected(over: bool, also: impl Fn(u32) -> bool) -> Vec<u32> {
    let listed = |nth: &u32| !every(13, *nth) && !every(7, *nth) && every(3, *nth) == over && also(*nth);
    (1..=400).rev().filter(listed).collect()
}

/// Starts a server whose database `fill` has filled.
fn serving(fill: impl FnOnce(&mut Transaction<'_>, PlayerId, PlayerId)) -> (Server, Serving) {
    let server = Server::with_players();
    let mut store = server.store(World::REAL);
    let mut tx = store.write().unwrap();
    let id = |tx: &Transaction<'_>, userid: &str| tx.player(userid).unwrap().unwrap().id;
    let (alice, bob) = (id(&tx, "alice"), id(&tx, "bob"));
    fill(&mut tx, alice, bob);
    tx.commit().unwrap();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    (server, serving)
}

fn page(serving: &Serving, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
    let (status, head, body) = http(&serving.web(), &request);
    assert_eq!(status, 200, "{path}: {head}");
    assert!(body.len() < 28_000, "{path}: {} octets", body.len());
    String::from_utf8(body).unwrap()
}

/// Returns the numbers that follow this text in links.
fn linked(page: &str, link: &str) -> Vec<u32> {
    let begin = format!("href=\"{link}");
    let ends = page.split(&begin).skip(1);
    ends.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
}

/// Returns the boards of a page, and of all pages that follow by links with this `rel`.
fn pages(serving: &Serving, path: &str, query: &str, rel: &str) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut text = page(serving, &format!("{path}{query}"));
    loop {
        found.push(linked(&text, "/boards/"));
        let Some(link) = text.split("href=\"").find(|rest| rest.contains(&format!("\" rel=\"{rel}\""))) else {
            return found;
        };
        let query = link.split('"').next().unwrap();
        text = page(serving, &format!("{path}{query}"));
        assert!(found.len() < 20, "{path}: the pages do not end");
    }
}

#[test]
fn paging_shows_each_board_once() {
    let (_server, serving) = serving(many_boards);
    let is_marque = |nth: u32| !every(11, nth);
    let lists = [
        ("/games/marque", expected(false, is_marque)),
        ("/games/marque/finished", expected(true, is_marque)),
        ("/games/brique", expected(false, |nth| every(11, nth))),
        ("/players/alice", expected(false, |_| true)),
        ("/players/alice/finished", expected(true, |_| true)),
        ("/players/bob", expected(false, |nth| !every(5, nth))),
    ];
    for (path, boards) in lists {
        let forth = pages(&serving, path, "", "next");
        assert_eq!(forth.concat(), boards, "{path}");
        let (last, full) = forth.split_last().unwrap();
        assert!(full.iter().all(|page| page.len() == 50) && last.len() <= 50, "{path}");
        // Paging backwards from the oldest board also shows each board once.
        let mut back = pages(&serving, path, "?after=0", "prev");
        back.reverse();
        assert_eq!(back.concat(), boards, "{path}");
    }
    for (path, boards) in [("?before=1", 50), ("?after=400", 50), ("?before=4294967295", 50), ("?after=9&before=3", 2)]
    {
        assert_eq!(linked(&page(&serving, &format!("/players/alice{path}")), "/boards/").len(), boards, "{path}");
    }
    assert!(page(&serving, "/players/alice").contains("Brique"), "the page names the game of each board");
    let nonsense = "GET /games/marque?before=x HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n";
    assert_eq!(http(&serving.web(), nonsense).0, 400);
}

#[test]
fn private_boards_are_visible_to_their_players() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    let [alice, bob, _] =
        ["alice", "bob", "carol"].map(|userid| inside.read(|tx| tx.player(userid).unwrap().unwrap().id));
    let mut tx = inside.store.write().unwrap();
    many_boards(&mut tx, alice, bob);
    tx.commit().unwrap();
    let service = inside.config.service(crate::common::inside::WORLD);
    let tx = inside.store.read().unwrap();
    let seen = |from: Origin| {
        let (mut boards, mut cursor) = (Vec::new(), Cursor::Newest);
        loop {
            let page = service.board_page(&tx, &from, BoardsOf::Game("marque"), true, cursor).unwrap();
            boards.extend(page.boards.iter().map(|row| row.number.0));
            let Some(older) = page.older else { return boards };
            cursor = Cursor::Before(older);
        }
    };
    let known = |userid: &str| Origin::Known { userid: userid.to_owned(), via: Channel::Web };
    let all: Vec<u32> = (1..=400).rev().filter(|nth| !every(13, *nth) && every(3, *nth) && !every(11, *nth)).collect();
    let without = |hidden: &dyn Fn(u32) -> bool| all.iter().copied().filter(|nth| !hidden(*nth)).collect::<Vec<_>>();
    assert_eq!(seen(Origin::Shell { password: None }), all);
    assert_eq!(seen(known("alice")), all, "alice sees all of alice's boards");
    assert_eq!(
        seen(known("bob")),
        without(&|nth| every(7, nth) && every(5, nth)),
        "bob does not see alice's private boards"
    );
    assert_eq!(seen(known("carol")), without(&|nth| every(7, nth)));
    assert_eq!(seen(Origin::Visitor), without(&|nth| every(7, nth)));
}

#[test]
fn standings_are_shown_a_page_at_a_time() {
    let (_server, serving) = serving(|tx, alice, _| {
        for nth in 1..=120 {
            let userid = format!("player{nth}");
            let id = if nth == 77 { alice } else { tx.add_player(&userid, "", day(0)).unwrap() };
            let rating = Rating { rating: f64::from(2_000 - nth), deviation: 80.0, volatility: 0.06 };
            let (game, player) = ("lazo".to_owned(), PlayerRef { id, userid });
            tx.set_standing(&Standing { game, player, rating, wins: 9, losses: 9, draws: 0 }).unwrap();
            if nth == 10 {
                tx.leave(id, day(1)).unwrap();
            }
        }
    });
    let ranks = |query: &str| {
        let text = page(&serving, &format!("/games/lazo/standings{query}"));
        let rows = text.split("<tr><td class=\"number\">").skip(1);
        let rows: Vec<String> = rows
            .map(|row| {
                let rank = row.split('<').next().unwrap();
                let userid = row.split("/players/").nth(1).unwrap().split('"').next().unwrap();
                format!("{rank} {userid}")
            })
            .collect();
        (rows, linked(&text, "?from="))
    };
    let (rows, links) = ranks("");
    assert_eq!((rows.len(), rows[0].as_str(), rows[8].as_str()), (50, "1 player1", "9 player9"));
    assert_eq!((rows[9].as_str(), links), ("10 player11", vec![51]), "a player who has left has no rank");
    let (rows, links) = ranks("?from=51");
    assert_eq!((rows.len(), rows[25].as_str(), links), (50, "76 alice", vec![1, 101]));
    let (rows, links) = ranks("?from=101");
    assert_eq!((rows.len(), rows[18].as_str(), links), (19, "119 player120", vec![51]));
    assert_eq!(ranks("?from=0").1, [51]);
    assert!(page(&serving, "/games/lazo/standings?from=500").contains("There are no players at rank 500"));
}

#[test]
fn standings_by_command_show_the_best_1000() {
    let (server, _serving) = serving(|tx, _, _| {
        for nth in 1..=1_003 {
            let userid = format!("player{nth}");
            let id = tx.add_player(&userid, "", day(0)).unwrap();
            let rating = Rating { rating: f64::from(3_000 - nth), deviation: 80.0, volatility: 0.06 };
            let (game, player) = ("lazo".to_owned(), PlayerRef { id, userid });
            tx.set_standing(&Standing { game, player, rating, wins: 9, losses: 9, draws: 0 }).unwrap();
        }
    });
    let out = done(&server, "lazo standings");
    assert!(out.starts_with("Lazo: 1003 players have a rating; these are the best 1000.\n"), "{out}");
    assert!(out.contains("\n   1  player1 ") && out.contains("\n1000  player1000 "), "{out}");
    assert!(!out.contains("player1001"), "{out}");
    let found = server.json("lazo standings");
    assert_eq!((found["rows"].as_array().unwrap().len(), &found["more"]), (1_000, &serde_json::json!(3)));
}

#[test]
fn a_long_list_by_command_is_cut_with_a_note() {
    let (server, _serving) = serving(|tx, alice, bob| {
        for nth in 1..=1_002 {
            tx.add_player(&format!("player{nth}"), "", day(0)).unwrap();
            tx.add_board(&board("marque", [alice, bob], nth == 2)).unwrap();
        }
        tx.end_board(BoardNumber(1), &BoardResult { winner: None, reason: "draw".into(), ended_at: day(1) }).unwrap();
        tx.add_board(&board("brique", [alice, bob], false)).unwrap();
    });
    let found = server.json("marque games");
    let numbers = |found: &serde_json::Value| -> Vec<u64> {
        found["boards"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
    };
    assert_eq!((numbers(&found), found["more"].as_bool()), ((3..=1_002).collect(), Some(true)));
    for line in ["marque games all", "marque games bob all", "all show bob all"] {
        let found = server.json(line);
        let last = if line.starts_with("all") { 1_003 } else { 1_002 };
        assert_eq!((numbers(&found), found["more"].as_bool()), ((last - 999..=last).collect(), Some(true)), "{line}");
    }
    let out = done(&server, "marque games bob");
    assert!(out.starts_with("1000 boards of Marque; older boards are not listed.\n"), "{out}");
    let out = done(&server, "brique games");
    assert!(out.starts_with("1 board of Brique.\n"), "{out}");
    let out = done(&server, "list");
    let games = turnpost::rules::catalogue::GAMES.len();
    let begin = format!("{games} games, more than 1000 players; the first 1000 are listed.\n");
    assert!(out.starts_with(&begin), "{out}");
    assert!(out.contains("\nalice ") && out.contains("player100 ") && !out.contains("player999"), "{out}");
}

#[test]
fn boards_awaiting_the_player_come_first() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let it = &mut inside;
    it.say("bob", "set bob - strangers=20");
    let challenge = |it: &mut Inside, rest: &str| match it.say("alice", &format!("marque challenge {rest}")) {
        Response::Challenged { board } => board.number,
        other => panic!("{other:?}"),
    };
    let slow = challenge(it, "alice bob --forfeittime=20");
    let never = challenge(it, "alice bob --nagtime=0 --forfeittime=0");
    let fast = challenge(it, "alice bob --nagtime=1 --forfeittime=2 --private");
    let theirs = challenge(it, "bob alice --forfeittime=5");
    let other = challenge(it, "bob alice --nagtime=1 --forfeittime=3");
    let finished = challenge(it, "bob alice");
    it.say("bob", &format!("marque resign {finished} bob -"));
    it.say("alice", &format!("marque submit {slow} alice - f3"));
    it.say("alice", &format!("marque queue {theirs} alice - k4"));
    it.say("alice", &format!("marque queue {other} alice - k4"));
    it.say("bob", &format!("marque move {theirs} bob - f3"));
    it.say("alice", &format!("marque move {fast} alice - f3"));
    it.say("bob", &format!("marque move {fast} bob - f4"));
    it.say("bob", &format!("marque propose {fast} bob -"));
    let mine = |it: &mut Inside, userid: &str| -> Vec<MyBoardRow> {
        let (service, now) = (it.config.service(crate::common::inside::WORLD), it.now());
        let tx = it.store.read().unwrap();
        let player = tx.player(userid).unwrap().unwrap().id;
        service.my_boards(&tx, player, now).unwrap()
    };
    let rows = mine(it, "alice");
    let numbers: Vec<BoardNumber> = rows.iter().map(|row| row.board.number).collect();
    assert_eq!(numbers, [fast, slow, never, other, theirs]);
    let turns: Vec<bool> = rows.iter().map(|row| row.your_turn).collect();
    assert_eq!(turns, [true, true, true, false, false]);
    assert!(rows.iter().all(|row| row.opponent == "bob"));
    assert_eq!(rows[0].proposal.as_ref().unwrap().by, "bob");
    assert_eq!(rows[1].submitted.as_deref(), Some("f3"));
    assert!(rows[0].private && !rows[1].private && rows[3].prepared && !rows[4].prepared);
    assert!(rows[2].clock.as_ref().is_none_or(|clock| clock.deadline.is_none()));
    let bobs: Vec<BoardNumber> = mine(it, "bob").iter().map(|row| row.board.number).collect();
    assert_eq!(bobs[0], other);

    // Renders the table of these boards in another time zone.
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("web")).unwrap();
    let template = "{% import \"web/list.html\" as list %}{{ list.mine(rows, zone=\"Asia/Tokyo\") }}";
    std::fs::write(dir.path().join("web/home.html"), template).unwrap();
    let composer = Composer::new(Some(dir.path()), None).unwrap();
    let table = composer.page("home", context! { rows => Serde(rows), theme => "wood" }).unwrap();
    for words in [
        "<strong>Your turn</strong>, <time datetime=\"2027-01-03T09:00:00Z\" title=\"until 2027-01-03 18:00 JST\">2 days left",
        "bob proposes a draw.",
        "f3 awaits your confirmation.",
        "<strong>Your turn</strong> since <time datetime=\"2027-01-01T09:00:00Z\" title=\"2027-01-01 18:00 JST\">2027-01-01 18:00 JST</time>",
        "title=\"until 2027-01-04 18:00 JST\"",
        "You have prepared a reply.",
        "Private",
    ] {
        assert!(table.contains(words), "no {words:?} in {table}");
    }
}

#[test]
fn a_list_of_games_shows_the_words_of_commands() {
    let server = Server::with_players();
    let listed = |line: &str| joined(&done(&server, line));
    let all = listed("list");
    assert!(all.contains("Lines of Action (loa; Claude Soucie, 1969)"), "{all}");
    assert!(all.contains("TwixT (Alex Randolph, 1961)") && all.contains("marque challenge USERID robot1"), "{all}");
    let one = listed("list loa");
    assert!(one.contains("loa challenge USERID robot1") && !one.contains("marque"), "{one}");
    let ran = server.shell("help lines");
    assert!(joined(&ran.err).contains("Did you mean \"loa\"?"), "{ran:?}");
}
