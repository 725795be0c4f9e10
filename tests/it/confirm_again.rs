//! On their own page, players can request the confirmation letter for their address again.

use crate::common::Server;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n\
                      [policy]\nletters_to_stranger = 2\n";

#[test]
fn the_letter_is_sent_again_until_the_limit_and_the_address_can_be_changed() {
    let mut server = Server::new();
    let serving = Serving::start(&server, CONFIG);
    let mut nia = Visitor::new(&serving.web());
    let fields = [("userid", "nia"), ("password", "correct horse"), ("address", "nia@example.org")];
    assert_eq!(nia.send("/signup", &fields).status, 303);
    let mut letter = || {
        wait_until("a letter to nia", || {
            let letter = server.letters().into_iter().find(|letter| letter.to() == "nia@example.org")?;
            let link = letter.text().lines().find(|line| line.contains("/confirm/nia/"))?.trim().to_owned();
            Some(link)
        })
    };
    let first = letter();
    let page = nia.get("/me");
    assert!(page.text().contains("We have sent a letter to nia@example.org."), "{}", page.text());
    assert!(page.text().contains(">Send again<") && page.text().contains("href=\"/settings#addresses\""));
    let again = nia.fill("/me", &[]);
    assert_eq!(again.status, 200);
    assert!(again.text().contains("We have sent the letter to nia@example.org again."), "{}", again.text());
    // Both letters contain the same link.
    assert_eq!(letter(), first);
    let refused = nia.fill("/me", &[]);
    assert_eq!(refused.status, 429);
    assert!(refused.text().contains("role=\"alert\"") && refused.text().contains("Too many letters"));
    let path = first.strip_prefix("https://games.example").unwrap();
    // The link does not reveal the address to visitors.
    let page = Visitor::new(&serving.web()).send(path, &[]);
    assert!(page.text().contains("Letters to nia are now sent to this address."), "{}", page.text());
    assert!(!page.text().contains("nia@example.org"), "{}", page.text());
    assert!(!nia.get("/me").text().contains("Send again"));
    // The server still accepts the form after the confirmation, but not from visitors.
    assert_eq!(nia.fill("/me", &[]).status, 200);
    assert_eq!(Visitor::new(&serving.web()).send("/me", &[]).status, 403);
}
