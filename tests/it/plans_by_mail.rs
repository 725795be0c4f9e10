//! Plans that a player writes over several lines of a message, or that a mail program breaks. Uses the real binary.

use crate::common::{Letter, Server, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Starts a board on which alice has to move. Returns the letter to alice.
fn board() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

fn all_to(letters: &[Letter], address: &str) -> String {
    joined(&letters.iter().filter(|letter| letter.to() == address).map(Letter::text).collect::<String>())
}

#[test]
fn a_plan_may_have_several_lines() {
    for plan in [
        "if k4 then h2\nif k5 then h3\nelse stop",
        "if k4 then h2;\nk5 then h3;\n\nelse stop",
        "if:\n- k4 then h2\n- k5 then h3\n- else stop",
        "if k4 then h2; k5 then\nh3; else\nstop",
        "if k4 then h2\nelse if k5 then h3\nelse stop",
        "if k4 then h2\nif k5 then h3\nelse\nstop",
        "if \u{201c}k4 then h2; k5\nthen h3; else stop\u{201d}",
    ] {
        let (mut server, letter) = board();
        let letters = reply(&mut server, ALICE, &letter, &format!("f3\n{plan}\n\nGood luck!\n"));
        assert_eq!(server.hashes(1).len(), 1, "{plan}: {letters:?}");
        let told = all_to(&letters, ALICE);
        for branch in ["if bob plays k4: h2", "if bob plays k5: h3"] {
            assert!(told.contains(branch), "{plan}: no {branch:?} in {told}");
        }
        let told = all_to(&letters, BOB);
        assert!(told.contains("Good luck!") && !told.contains("then") && !told.contains("stop"), "{plan}: {told}");
        server.mail(BOB, "marque move 1 bob builder k5", "");
        assert_eq!(server.hashes(1).len(), 3, "{plan}");
    }
}

#[test]
fn a_whole_command_may_have_several_lines_too() {
    let (mut server, _) = board();
    let text =
        "marque move 1 alice wonderland f3\nmarque if 1 alice wonderland \"k4 then h2;\nk5 then h3\"\nelse stop\n";
    let letters = server.mail(ALICE, "", text);
    assert!(!all_to(&letters, BOB).contains("then"), "{letters:?}");
    let text = "marque if 1 alice wonderland k4 then h2;\nk5 then h3\nelse stop\n";
    let told = all_to(&server.mail(ALICE, "", text), ALICE);
    assert!(told.contains("if bob plays k4: h2") && told.contains("if bob plays k5: h3"), "{told}");
}

#[test]
fn a_mistyped_line_of_a_plan_is_explained_and_not_sent() {
    let (mut server, letter) = board();
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "if k4 then h2\nk5 the h3\n");
    let told = all_to(&letters, ALICE);
    assert!(told.contains("After a move of the opponent, write \"then\" or \"or\", not \"the\"."), "{told}");
    assert!(told.contains("Nothing was changed.") && all_to(&letters, BOB).is_empty(), "{letters:?}");
}
