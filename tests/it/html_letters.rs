//! The HTML part of letters: its content, the players who receive it, and letters that are sent again.

use crate::common::{Letter, Server, done, to};

#[test]
fn boards_are_pictures_in_the_html_part() {
    let mut server = Server::with_players_who_want_pictures();
    assert_eq!(server.shell("set bob builder mail=text").status, 0);
    server.mail("alice@example.org", "marque challenge -any_2 alice bob", "Less < more & \"more\"\n");
    let letters = server.mail("alice@example.org", "marque move 1 alice wonderland f3", "");
    let [to_alice, to_bob] = letters.as_slice() else { panic!("{letters:?}") };
    assert!(to_bob.html.is_none(), "bob wants plain text");
    let html = to_alice.html();
    let picture = &to_alice.pictures[0];
    // The picture has a size, and a description for readers who cannot see it.
    let words = "Marque board 1 after move 1. Last move: f3. Black to move. White on f3.";
    let size = "width=\"480\" height=\"443\" style=\"display: block; max-width: 100%; height: auto\"";
    assert!(html.contains(&format!("<img src=\"cid:{}\" alt=\"{words}\" {size}>", picture.cid)), "{html}");
    assert_eq!(picture.width, 600);
    for words in ["You played f3. It is bob's turn.", "Moves:", "1. f3"] {
        assert!(html.contains(words) && to_alice.text().contains(words), "no {words:?} in\n{html}");
    }
    assert!(!html.contains("+-------+"), "only the text part contains the drawing");
}

#[test]
fn the_words_of_a_picture_contain_everything_that_it_shows() {
    for (challenge, moves, words) in [
        ("amazons challenge alice bob", "d1-d3/d5", "; arrow on d5.\""),
        (
            "lazo challenge -size=26 alice bob",
            "a1 b1 b2 c1 c2 c3 a1 b1 b2 a1",
            " Black on a1, b2 and c2; White on b1, c1 and c3. Level 2: Black on a1 and b2; White on b1. \
             Level 3: White on a1.\"",
        ),
        ("twixt challenge -size=12 alice bob", "f2 b2 g4", " White on f2 and g4; Black on b2. Row 2: link f2-g4.\""),
        ("brique challenge -size=5 alice bob", "b4 a1 c3 e5 c4 e4 c2 e3 c1 e2 c5", ". Winning cells: c"),
    ] {
        let mut server = Server::with_players_who_want_pictures();
        done(&server, challenge);
        let game = challenge.split(' ').next().unwrap();
        for (ply, text) in moves.split(' ').enumerate() {
            let player = ["alice wonderland", "bob builder"][ply % 2];
            done(&server, &format!("{game} move 1 {player} {text}"));
        }
        server.letters();
        let shown = server.mail("bob@example.org", "show 1", "");
        let html = to(&shown, "bob@example.org").html();
        let alt =
            html.split_once("<img src=\"cid:").unwrap().1.split_once(" alt=").unwrap().1.split_once('>').unwrap().0;
        assert!(alt.contains(words), "{game}: {alt}");
    }
}

#[test]
fn answers_and_refusals_show_the_board_and_its_moves_too() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "tessella challenge alice bob", "");
    let refused = &server.mail("alice@example.org", "tessella move 1 alice wonderland e1-e9", "")[0];
    let html = refused.html();
    assert!(html.contains("write a capture as e1xe9") && !html.contains("class=\"drawing\""), "{html}");
    assert!(html.contains("alt=\"Tessella board 1 after move 0. "), "{html}");
    // 21 moves at the start, as in the perft table, and one link to another action.
    assert_eq!((html.matches("mailto:").count(), refused.pictures.len()), (21 + 1, 1));
    // A player who is not to move sees the board without links to moves.
    let shown = &server.mail("bob@example.org", "show 1", "")[0];
    assert!(shown.html().contains("<img src=\"cid:") && shown.html().matches("mailto:").count() == 1);
    assert_eq!(acts(shown), ["decline"]);
    // At most ten boards have pictures.
    assert_eq!(server.shell("set bob builder strangers=20").status, 0);
    for _ in 0..11 {
        server.mail("alice@example.org", "tessella challenge alice bob", "");
    }
    let many = &server.mail("bob@example.org", "show 2 3 4 5 6 7 8 9 10 11 12", "")[0];
    assert_eq!(many.pictures.len(), 10);
    assert!(many.html().contains("class=\"drawing\""));
    // The headings begin at the same level as in a letter about one board.
    assert!(many.html().contains(": ready-made answers</h2>") && !many.html().contains("<h3>"), "{}", many.html());
}

#[test]
fn players_texts_are_never_markup() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge alice bob", "<script>alert(1)</script> & <b>\n");
    let letters = server.mail("bob@example.org", "marque show 1", "");
    assert!(letters.iter().all(|letter| !letter.html().contains("<script>")));
    let letters = server.mail("alice@example.org", "marque chat 1 alice wonderland", "<img src=x>\n");
    for letter in letters {
        assert!(letter.html().contains("&lt;img src=x&gt;"), "{letter:?}");
    }
}

#[test]
fn a_resent_letter_with_pictures_is_identical() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let read = |server: &Server| {
        let dir = server.data().join("outgoing/new");
        let mut letters: Vec<_> = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
        letters.sort();
        letters.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    let first = read(&server);
    assert_eq!(server.shell("admin resend 1").status, 0);
    assert!(first.len() == 2 && first == read(&server));
}

#[test]
fn each_legal_move_is_one_click() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let letters = server.mail("alice@example.org", "marque move 1 alice wonderland f3", "");
    let [to_alice, to_bob] = letters.as_slice() else { panic!("{letters:?}") };
    assert_eq!(acts(to_alice), ["undo", "propose", "resign"], "it is not alice's turn");
    let links: Vec<(&str, &str)> = to_bob
        .html()
        .split("<a href=\"")
        .skip(1)
        .map(|link| link.split("</a>").next().unwrap().split_once("\">").unwrap())
        .collect();
    // 135 moves after f3, as the perft table says.
    assert_eq!(acts(to_bob), ["decline"], "bob has no move to take back and no proposal to answer");
    assert_eq!(links.len(), 135 + 1);
    // Decodes the link for f4 like a mail program.
    let (url, _) = links.iter().find(|(_, text)| *text == "f4").unwrap();
    let url = url.replace("&amp;", "&").replace("%2B", "+").replace("%20", " ");
    let (address, rest) = url.strip_prefix("mailto:").unwrap().split_once("?subject=").unwrap();
    let (subject, body) = rest.split_once("&body=").unwrap();
    let headers = serde_json::json!({ "To": address });
    server.mail_with("bob@example.org", subject, &format!("{body}\n"), &headers);
    assert_eq!(server.hashes(1).len(), 2, "{subject:?} to {address}");
}

/// Returns the texts of a letter's links to actions other than moves.
fn acts(letter: &Letter) -> Vec<&str> {
    let links = letter.html().split("</a>").filter_map(|text| text.rsplit_once("\">").map(|(_, word)| word));
    links.filter(|word| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

#[test]
fn answers_are_grouped_below_the_board_and_placed_on_it_if_they_fit() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    server.mail("alice@example.org", "brique challenge -size=5 alice bob", "");
    server.mail("alice@example.org", "brique challenge -size=19 alice bob", "");
    let mut letter = |line: &str| {
        let letters = server.mail("alice@example.org", line, "");
        letters.into_iter().find(|letter| letter.to() == "bob@example.org").unwrap()
    };
    let marque = letter("marque move 1 alice wonderland f3");
    let html = marque.html();
    let at = |words: &str| html.find(words).unwrap_or_else(|| panic!("no {words} in {html}"));
    // Each base has its cells, and below them its pairs. Cells outside bases are last.
    let order = ["<img", ">Base A</th>", ">d1</a>", "<br>", ">d1,d2</a>", ">Base B</th>", ">Squares</th>", "Aim:"];
    assert!(order.windows(2).all(|two| at(two[0]) < at(two[1])), "{html}");
    let small = letter("brique move 2 alice wonderland c3");
    assert_eq!(small.html().matches("<area ").count(), 24);
    let (_, area) =
        small.html().split_once("alt=\"c4\"").map(|(before, _)| before.rsplit_once("<area ").unwrap()).unwrap();
    assert!(area.starts_with("shape=circle coords=258,193,") && area.contains("body=c4\""), "{area}");
    let (address, _) = area.split_once("mailto:").unwrap().1.split_once("?body=c4").unwrap();
    let large = letter("brique move 3 alice wonderland c3");
    assert!(large.html().contains(">Write your move</a>") && large.html().matches("mailto:").count() < 8);
    let headers = serde_json::json!({ "To": address.replace("%2B", "+") });
    server.mail_with("bob@example.org", "", "c4\n", &headers);
    assert!(server.shell("show 2").out.contains("2. c4"));
}

#[test]
fn a_letter_fits_a_phone_that_drops_the_style_sheet() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "brique challenge -size=5 alice bob", "");
    let letters = server.mail("alice@example.org", "brique move 1 alice wonderland c3", "");
    let html = to(&letters, "bob@example.org").html();
    // The image map does not scale with the window. So it is hidden unless the style sheet, which can test the width of
    // the window, shows it.
    let (plain, map) = html.split_once("<div class=\"map\" style=\"display: none; mso-hide: all\">").unwrap();
    assert!(plain.contains("style=\"display: block; max-width: 100%; height: auto\"></p>"), "{html}");
    assert!(map.contains("usemap=") && !plain.contains("usemap="), "{html}");
}

#[test]
fn both_players_can_propose_once_they_have_moved() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "tessella challenge alice bob", "");
    server.mail("alice@example.org", "tessella move 1 alice wonderland e1-e2", "");
    let letters = server.mail("bob@example.org", "tessella move 1 bob builder e9-e8", "");
    assert_eq!(acts(to(&letters, "alice@example.org")), ["resign", "propose", "undo"]);
    assert_eq!(acts(to(&letters, "bob@example.org")), ["undo", "propose", "resign"]);
}

#[test]
fn the_links_of_a_letter_without_a_picture_are_below_its_text() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let letters = server.mail("alice@example.org", "marque chat 1 alice wonderland", "Nice weather here.\n");
    let html = to(&letters, "bob@example.org").html();
    // The heading is the only one, so it has the highest level that letters use.
    let heading = html.find("<h2>Ready-made answers</h2>").unwrap_or_else(|| panic!("no heading in\n{html}"));
    assert!(html.find("Nice weather").unwrap() < heading, "{html}");
    let (_, preview) = html.split_once("hide: all\">").unwrap();
    assert!(preview.starts_with("alice says: Nice weather here."), "{preview}");
}

#[test]
fn moves_are_in_two_columns() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "marque challenge -any_2 alice bob", "");
    let mut letters = Vec::new();
    for (player, text) in [("alice", "f3"), ("bob", "e1"), ("alice", "f4")] {
        let password = if player == "alice" { "wonderland" } else { "builder" };
        letters =
            server.mail(&format!("{player}@example.org"), &format!("marque move 1 {player} {password} {text}"), "");
    }
    let letter = to(&letters, "bob@example.org");
    assert!(letter.text().contains("\nMoves:\n  1. f3    2. e1\n  3. f4\n"), "{}", letter.text());
    let rows = "<tr><td>1. f3</td><td>2. e1</td></tr>\n<tr><td>3. f4</td><td></td></tr>";
    assert!(letter.html().contains(rows), "{}", letter.html());
}

#[test]
fn the_letters_of_the_challenge_and_of_the_end_have_links_too() {
    let mut server = Server::with_players_who_want_pictures();
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    let [to_alice, to_bob] = letters.as_slice() else { panic!("{letters:?}") };
    assert_eq!((acts(to_alice), acts(to_bob)), (vec!["resign"], vec!["decline"]));
    let letters = server.mail("alice@example.org", "marque resign 1 alice wonderland", "");
    let [to_alice, to_bob] = letters.as_slice() else { panic!("{letters:?}") };
    assert_eq!((acts(to_alice), acts(to_bob)), (vec!["rematch"], vec!["rematch"]));
}

#[test]
fn a_proposal_is_answered_with_one_click_in_any_turn() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail("alice@example.org", "tessella challenge alice bob", "");
    let letters = server.mail("alice@example.org", "tessella propose 1 alice wonderland", "");
    let [to_alice, to_bob] = letters.as_slice() else { panic!("{letters:?}") };
    assert!(!to_alice.html().contains(">accept</a>"), "alice cannot accept their own proposal");
    let links: Vec<&str> =
        to_bob.html().split("<a href=\"").skip(1).map(|link| link.split('"').next().unwrap()).collect();
    assert_eq!(acts(to_bob), ["accept", "reject", "decline"], "it is alice's turn");
    let (address, _) = links[0].strip_prefix("mailto:").unwrap().split_once('?').unwrap();
    assert!(links[0].ends_with("body=accept"), "{}", links[0]);
    let headers = serde_json::json!({ "To": address.replace("%2B", "+") });
    server.mail_with("bob@example.org", "Re: Tessella Board 1 bob **", "accept\n", &headers);
    assert!(server.shell("show 1").out.contains("agreement"));
}

#[test]
fn a_letter_about_one_board_of_any_game_has_at_most_50_kb() {
    let mut server = Server::with_players_who_want_pictures();
    assert_eq!(server.shell("set bob builder strangers=20").status, 0);
    let games = [
        ("marque challenge alice bob", "f3"),
        ("brique challenge -size=19 alice bob", "c3"),
        ("brique challenge -size=13 alice bob", "c3"),
        ("tessella challenge alice bob", "e1-e2"),
        ("lazo challenge alice bob", "a1"),
    ];
    for (number, (challenge, text)) in (1..).zip(games) {
        server.mail("alice@example.org", challenge, "");
        let game = challenge.split(' ').next().unwrap();
        server.mail("alice@example.org", &format!("{game} move {number} alice wonderland {text}"), "");
    }
    let letters = std::fs::read_dir(server.data().join("outgoing/new")).unwrap();
    let sizes: Vec<u64> = letters.map(|letter| letter.unwrap().metadata().unwrap().len()).collect();
    assert!(sizes.len() >= 20 && sizes.iter().all(|size| *size <= 50_000), "{sizes:?}");
}
