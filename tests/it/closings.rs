//! Closings such as *Best regards* below a text: a closing with a name belongs to the text, and a longer one is a
//! signature.

use turnpost::mail::inbound::{find_commands, new_text};

use crate::common::{Server, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
/// A command that must not run if it is below a closing.
const PLANTED: &str = "marque move 1 alice pw f3";

#[test]
fn a_closing_with_a_name_remains_in_the_text() {
    for closing in [
        "Best regards",
        "Best regards,\nAlice",
        "Best regards,\n\n//Alice",
        "Kind regards,\n\nAlice B. Woodward",
        "Viele Grüße\nAlice",
        "Cordialement,\n\nAlice Bois-Robert",
    ] {
        let letter = format!("Well played!\n\n{closing}");
        assert_eq!(new_text(&letter).text(), letter);
        for below in [
            "On Tue, Mar 3, 2026 at 2:05 PM, Turnpost wrote:\n> old",
            "-- \nAlice\nExample Road 7",
            "Sent from my iPhone",
            "______________\nalice@example.org\n+1 555 0123",
        ] {
            assert_eq!(new_text(&format!("{letter}\n\n{below}\n")).text(), letter, "{below}");
        }
        let found = find_commands(None, &format!("help\n{letter}\n"));
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some(letter.as_str())));
        // A closing directly below a command is ignored.
        let found = find_commands(None, &format!("help\n\n{closing}\n"));
        assert_eq!((found.lines.len(), found.comment), (1, None), "{closing}");
    }
}

#[test]
fn a_closing_above_more_than_a_name_begins_a_signature() {
    for signature in [
        "Regards,\nAlice Woodward\nHead of Sales",
        "Best regards\n\nAlice Woodward, Head of Sales",
        "Best regards,\nAlice\nalice@example.org",
        "Kind regards\n+1 555 0123",
        "Mit freundlichen Grüßen\nAlice Woodward\nBeispielweg 7\n12345 Beispielstadt",
    ] {
        assert_eq!(new_text(&format!("Well played!\n\n{signature}\n")).text(), "Well played!", "{signature}");
        let found = find_commands(None, &format!("help\nWell played!\n{signature}\n"));
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Well played!")), "{signature}");
    }
}

#[test]
fn lines_below_a_closing_are_not_commands() {
    for line in [PLANTED, "list", "help"] {
        let found = find_commands(None, &format!("help\n\nRegards,\n{line}\n"));
        assert_eq!(found.lines.len(), 1, "{line}");
        assert!(find_commands(None, &format!("Hello,\n\nBest regards,\n\n{line}\n")).lines.is_empty(), "{line}");
    }
}

#[test]
fn the_opponent_sees_a_closing_only_below_a_comment() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3\nGood luck!\n\nBest wishes,\nAlice W.\n");
    let told = to(&letters, BOB).text();
    assert!(told.contains("Good luck!") && told.contains("Best wishes,") && told.contains("Alice W."), "{told}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "f4\n\nBest regards\nBob Builder\n");
    let told = to(&letters, ALICE).text();
    assert!(told.contains("f4") && !told.contains("Builder") && !told.contains("Best regards"), "{told}");
}
