//! Invitations: private open challenges, which anyone with the link can accept.

use crate::common::database::keeps;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, to};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n";

/// Creates a server on which alice has made a private open challenge, number 1. Also returns the path of the invitation
/// page.
fn invited() -> (Server, Serving, String) {
    let server = Server::with_players();
    done(&server, "signup carol passwords22 carol@example.org");
    server.configure(CONFIG);
    let made = done(&server, "marque challenge --private alice anyone --say=Dare");
    let link = made.lines().find_map(|line| line.trim().strip_prefix("https://games.example/invite/"));
    let path = format!("/invite/{}", link.unwrap_or_else(|| panic!("no link in {made}")));
    let serving = Serving::start(&server, CONFIG);
    (server, serving, path)
}

/// Unescapes slashes in HTML.
fn plain(html: &str) -> String {
    html.replace("&#x2f;", "/")
}

/// Returns the players of board 1, if it exists.
fn players(server: &Server) -> Vec<String> {
    let ran = server.shell("--json show 1");
    let shown: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
    let seats = shown["boards"][0]["seats"].as_array().cloned().unwrap_or_default();
    seats.iter().map(|seat| seat["userid"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_first_visitor_of_the_link_can_accept() {
    let (server, serving, path) = invited();
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.get(&path);
    assert!(page.status == 200 && page.text().contains("alice invites you"), "{}", page.text());
    assert!(page.text().contains("Dare") && page.text().contains(">Accept</button>"));
    assert!(players(&server).is_empty(), "viewing an invitation creates no player");
    let taken = bob.fill(&path, &[]);
    assert_eq!((taken.status, taken.header("location")), (303, Some("/boards/1")));
    assert_eq!(players(&server), ["alice", "bob"]);
    // The page now redirects both players to the board, and says to others that the invitation has been accepted.
    assert_eq!(bob.get(&path).header("location"), Some("/boards/1"));
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert_eq!(alice.get(&path).header("location"), Some("/boards/1"));
    let mut carol = Visitor::logged_in(&serving.web(), "carol", "passwords22");
    assert!(carol.get(&path).text().contains("This invitation has already been accepted"));
    let late = carol.fill(&path, &[]);
    assert!(late.text().contains("has already been accepted"), "{}", late.text());
    assert_eq!(players(&server), ["alice", "bob"]);
    assert_eq!(carol.get("/boards/1").status, 404, "the board is private");
}

#[test]
fn login_and_signup_return_a_stranger_to_the_invitation() {
    let (server, serving, path) = invited();
    let mut stranger = Visitor::new(&serving.web());
    let page = stranger.get(&path);
    let (_, main) = page.text().split_once("<main").unwrap();
    assert!(main.contains("alice invites you") && !main.contains("<button"), "{main}");
    let (login, signup) = (format!("/login?next={path}"), format!("/signup?next={path}"));
    let text = plain(page.text());
    assert!(text.contains(&format!("href=\"{login}\"")) && text.contains(&format!("href=\"{signup}\"")), "{text}");
    let unsent = stranger.send(&path, &[]);
    assert!(unsent.status == 403 && plain(unsent.text()).contains(&login), "{}", unsent.text());
    assert_eq!(stranger.get(&signup).hidden("next").map(plain), Some(path.clone()));
    let fields = [("userid", "dave"), ("password", "passwords44"), ("address", "dave@example.org"), ("next", &path)];
    let signed_up = stranger.send("/signup", &fields);
    assert_eq!((signed_up.status, signed_up.header("location")), (303, Some(path.as_str())));
    assert_eq!(stranger.fill(&path, &[]).header("location"), Some("/boards/1"));
    assert_eq!(players(&server), ["alice", "dave"]);
    // Redirects to other sites are refused.
    assert_eq!(
        Visitor::new(&serving.web()).get("/signup?next=//evil.example").hidden("next").map(plain),
        Some("/me".to_owned())
    );
}

#[test]
fn an_invitation_is_hidden_without_its_link() {
    let (server, serving, path) = invited();
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert_eq!(bob.get("/boards/1").status, 404);
    for list in ["/challenges", "/", "/games/marque"] {
        assert!(!bob.get(list).text().contains("/boards/1\""), "{list}");
    }
    assert!(!done(&server, "marque games bob").contains("Dare"));
    let refused = bob.fill("/boards/1", &[("do", "accept")]);
    assert_ne!(refused.status, 303, "{}", refused.text());
    for code in ["", " aaaa", &path["/invite/".len()..path.len() - 1]] {
        let ran = server.shell(&format!("marque accept 1 bob builder {code}"));
        assert_eq!(ran.status, 1, "{code}: {ran:?}");
    }
    assert_eq!(bob.get(&format!("{path}a")).status, 404);
    assert!(players(&server).is_empty());
    // The page of the challenge shows its link to the challenger, who withdraws the challenge.
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert!(alice.get("/challenges").text().contains("Withdraw"));
    assert!(plain(alice.get("/boards/1").text()).contains(&format!("https://games.example{path}")));
    assert_eq!(alice.get(&path).header("location"), Some("/boards/1"), "the challenger is redirected to the board");
    assert_eq!(alice.fill("/boards/1", &[("do", "decline")]).status, 303);
    let page = bob.get(&path);
    assert!(page.text().contains("This invitation was withdrawn"), "{}", page.text());
}

#[test]
fn forms_and_mail_create_invitations_and_mail_accepts_them() {
    let (mut server, serving, _) = invited();
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let made = alice.fill("/games/lazo/challenge", &[("to", "invitation"), ("first", "no")]);
    assert_eq!(made.header("location"), Some("/boards/2"));
    assert!(plain(alice.get("/boards/2").text()).contains("https://games.example/invite/"));
    drop(serving);
    server.letters();
    let letters = server.mail("alice@example.org", "brique challenge --private alice anyone", "");
    let text = to(&letters, "alice@example.org").text().to_owned();
    assert!(text.contains("\nhttps://games.example/invite/"), "{text}");
    let code = text.split_once("/invite/").unwrap().1.split_whitespace().next().unwrap();
    assert!(!keeps(&server, code), "the signed code is not stored");
    let line = text.lines().find(|line| line.contains("brique accept 3 USERID PASSWORD")).unwrap();
    let line = line.replace("USERID PASSWORD", "bob builder");
    server.mail("bob@example.org", &line, "");
    assert_eq!(server.json("show 3")["boards"][0]["seats"][1]["userid"], "bob");
}
