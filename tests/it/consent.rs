//! Only the owner of an address can confirm that a player uses it. Only a few words confirm an address. After a
//! refusal, the server sends no further confirmation letters to it.

use serde_json::json;

use crate::common::database::sql;
use crate::common::{Letter, Server, done, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const CAROL: &str = "carol@players.example";

/// Creates a server on which carol has signed up. Also returns the letter that asks carol to confirm the address.
fn asked() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(CAROL, "signup carol sesame99", "");
    let letter = to(&letters, CAROL).clone();
    (server, letter)
}

/// Joins the lines of a text.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_confirmed(server: &Server, address: &str) -> bool {
    let confirmed = format!("SELECT count(*) FROM addresses WHERE address = '{address}' AND confirmed_at IS NOT NULL");
    sql(server, &confirmed) == "1"
}

/// Returns the reason for the verdict on the newest message.
fn reason(server: &Server) -> String {
    server.json("admin inbox --rows 1")[0]["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_letter_explains_how_to_agree_or_refuse() {
    let (_, letter) = asked();
    assert_eq!(letter.subject, "Confirm your address for carol");
    let told = letter.text();
    assert!(told.contains("with:\n\n    yes\n"), "{told}");
    assert!(told.contains("confirm carol ") && told.contains("reply with \"stop\""), "{told}");
    let html = letter.html();
    let address = letter.reply_to().split(['<', '>']).nth(1).unwrap().replace('+', "%2B");
    for said in ["yes", "stop"] {
        assert!(html.contains(&format!("mailto:{address}?subject={said}&amp;body={said}")), "{address}: {html}");
    }
    let id = letter.id.split('.').nth(2).unwrap();
    assert!(!address.contains(id.split('@').next().unwrap()), "the Message-ID contains no token: {letter:?}");
}

#[test]
fn an_empty_reply_and_a_few_words_confirm() {
    for text in [
        "",
        "yes",
        "OK",
        "Confirm.",
        "Ja, bitte",
        "oui",
        "はい",
        "yes\n\nSee you there.\n\n> Somebody, most likely you",
    ] {
        let (mut server, letter) = asked();
        let letters = reply(&mut server, CAROL, &letter, text);
        assert!(to(&letters, CAROL).text().contains("are now sent to carol@players.example"), "{text}: {letters:?}");
        assert!(is_confirmed(&server, CAROL), "{text}");
    }
    // The address is also confirmed by a reply that refers only to the letter's Message-ID, by the links of the HTML
    // part, and by the command `confirm`.
    for way in 0..4 {
        let (mut server, letter) = asked();
        let line = letter.text().lines().find(|line| line.contains("confirm carol ")).unwrap().trim();
        let subject = "Re: Confirm your address for carol";
        let (subject, text, headers) = match way {
            0 => (subject, "Yes!", json!({ "In-Reply-To": letter.id })),
            1 => ("yes", "yes", json!({ "To": letter.reply_to() })),
            2 => (subject, line, json!({ "To": letter.reply_to() })),
            _ => (line, "Good morning", json!({})),
        };
        server.mail_with(CAROL, subject, text, &headers);
        assert!(is_confirmed(&server, CAROL), "{subject}: {text}");
    }
}

#[test]
fn other_replies_do_not_confirm_and_are_answered_once() {
    for (subject, text) in [
        (
            "AW: Confirm your address for carol",
            "Vielen Dank für Ihre Nachricht. Ich bin bis 7. Dezember nicht im Büro.",
        ),
        ("Re: Confirm your address for carol", "Thank you for contacting Example Inc. A ticket has been created."),
        ("Re: Confirm your address for carol", "Yes, I am away until Monday and read no mail."),
        ("Fwd: Confirm your address for carol", ""),
        ("Re: Confirm your address for carol", "\u{1f44e}"),
        ("Re: Confirm your address for carol", "Who is carol?"),
        // An automatic receipt from a help desk.
        (
            "Re: Confirm your address for carol",
            "##- Please type your reply above this line -##\n\nYour request (7) has been received.",
        ),
        ("[Ticket #7] Confirm your address for carol", ""),
        ("Re: [#7] Confirm your address for carol", ""),
        ("Re: Confirm your address for carol (ticket 7)", ""),
    ] {
        let (mut server, letter) = asked();
        let headers = json!({ "To": letter.reply_to(), "In-Reply-To": letter.id });
        let letters = server.mail_with(CAROL, subject, text, &headers);
        let [again] = letters.as_slice() else { panic!("{text}: {letters:?}") };
        assert!(again.text().starts_with("Your reply contained neither yes nor stop"), "{}", again.text());
        assert!(server.mail_with(CAROL, subject, &format!("{text}\nAgain."), &headers).is_empty(), "{text}");
        let headers = json!({ "To": again.reply_to(), "In-Reply-To": again.id });
        assert!(server.mail_with(CAROL, subject, text, &headers).is_empty(), "{text}");
        assert!(!is_confirmed(&server, CAROL), "{text}");
        // After these replies, "yes" still confirms the address.
        server.mail_with(CAROL, "Re: Confirm your address for carol", "yes", &headers);
        assert!(is_confirmed(&server, CAROL), "{text}");
    }
}

#[test]
fn letters_of_an_earlier_version_can_be_answered() {
    let (mut server, letter) = asked();
    let line = letter.text().lines().find(|line| line.contains("confirm carol ")).unwrap().trim().to_owned();
    let subject = format!("Re: Turnpost {line}");
    let letters = server.mail(CAROL, &subject, "I am out of the office until Monday.");
    assert!(to(&letters, CAROL).text().starts_with("Your reply contained neither"), "{letters:?}");
    assert!(!is_confirmed(&server, CAROL));
    server.mail(CAROL, &subject, "");
    assert!(is_confirmed(&server, CAROL));
}

#[test]
fn a_refusal_stops_confirmation_letters() {
    for text in
        ["This was not me!", "STOP", "unsubscribe", "No, thanks.", "Das war ich nicht", "I never signed up here."]
    {
        let (mut server, letter) = asked();
        let letters = reply(&mut server, CAROL, &letter, text);
        let [answer] = letters.as_slice() else { panic!("{text}: {letters:?}") };
        let told = flat(answer.text());
        assert!(told.contains("no more letters will ask you to confirm this address"), "{told}");
        assert!(!is_confirmed(&server, CAROL), "{text}");
        assert!(reply(&mut server, CAROL, &letter, text).is_empty(), "{text}: only the first reply is answered");
        // After the refusal, neither players nor the administrator can cause another confirmation letter to this
        // address.
        let letters = server.mail("eve@elsewhere.example", "signup dora sesame99 carol@players.example", "");
        assert!(letter_to(&letters, CAROL).is_none(), "{letters:?}");
        let told = flat(to(&letters, "eve@elsewhere.example").text());
        assert!(told.contains("does not want letters that ask for confirmation"), "{told}");
        let change = "change address alice wonderland alice@example.org carol@players.example";
        let letters = server.mail(ALICE, change, "");
        assert!(letter_to(&letters, CAROL).is_none(), "{letters:?}");
        assert_eq!(server.shell("admin player address bob carol@players.example").status, 1);
        assert!(server.letters().is_empty());
    }
}

#[test]
fn a_refusal_does_not_stop_other_letters_and_can_be_taken_back() {
    // After refusing, carol can still confirm the address, by replying "yes" to the letter about the refusal.
    let (mut server, letter) = asked();
    let refused = reply(&mut server, CAROL, &letter, "stop");
    assert_eq!(server.mail(CAROL, "help", "").len(), 1, "mail from the address is still answered");
    let letters = reply(&mut server, CAROL, to(&refused, CAROL), "yes");
    assert!(to(&letters, CAROL).text().contains("are now sent to"), "{letters:?}");
    assert_eq!(done(&server, "admin blocked"), "Nothing.\n");
    // The administrator can remove the refusal with `admin unblock`.
    let (mut server, letter) = asked();
    reply(&mut server, CAROL, &letter, "stop");
    assert!(done(&server, "admin blocked").contains("confirm:carol@players.example"));
    done(&server, "admin unblock confirm:carol@players.example");
    let letters = server.mail("eve@elsewhere.example", "signup dora sesame99 carol@players.example", "");
    assert_eq!(to(&letters, CAROL).subject, "Confirm your address for dora");
}

#[test]
fn the_owner_of_an_address_in_use_can_refuse_too() {
    let mut server = Server::with_players();
    let letters = server.mail("eve@elsewhere.example", "signup dora sesame99 alice@example.org", "");
    let letter = to(&letters, ALICE).clone();
    assert!(letter.text().contains("reply with \"stop\""), "{}", letter.text());
    let letters = reply(&mut server, ALICE, &letter, "stop");
    assert!(to(&letters, ALICE).text().contains("no more letters will ask you"), "{letters:?}");
    let letters = server.mail("eve@elsewhere.example", "signup emil sesame99 alice@example.org", "");
    assert!(letter_to(&letters, ALICE).is_none(), "{letters:?}");
    assert!(letter_to(&server.mail(ALICE, "marque challenge alice bob", ""), ALICE).is_some());
}

#[test]
fn a_new_address_of_a_player_is_confirmed_in_the_same_way() {
    const WORK: &str = "alice@work.example";
    let change = format!("change address alice wonderland {ALICE} {WORK}");
    for (text, confirms) in [("I am out of the office.", false), ("Not me!", false), ("", true), ("ok", true)] {
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, &change, "");
        let letter = to(&letters, WORK).clone();
        assert_eq!(letter.subject, "Confirm your address for alice");
        reply(&mut server, WORK, &letter, text);
        assert_eq!(is_confirmed(&server, WORK), confirms, "{text}");
    }
}

#[test]
fn an_answer_from_a_confirmed_address_is_an_ordinary_message() {
    let (mut server, letter) = asked();
    reply(&mut server, CAROL, &letter, "yes");
    let letters = reply(&mut server, CAROL, &letter, "marque challenge carol bob");
    assert_eq!(letters.len(), 2, "{letters:?}");
    let letters = reply(&mut server, CAROL, &letter, "Thanks, that was easy!");
    assert!(letters.iter().all(|letter| !letter.text().contains("neither yes nor stop")), "{letters:?}");
    assert!(is_confirmed(&server, CAROL));
}

#[test]
fn a_reply_without_the_token_does_not_confirm_an_address() {
    let (mut server, _) = asked();
    for headers in [json!({}), json!({ "In-Reply-To": "<3.0123456789@localhost>" })] {
        assert!(server.mail_with(CAROL, "Re: Confirm your address for carol", "yes", &headers).is_empty());
        assert!(!is_confirmed(&server, CAROL));
        assert_eq!(reason(&server), "Its sender is unknown, and it contains no command.");
    }
}
