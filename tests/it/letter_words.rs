//! The first words of letters, the words omitted for experienced players, and words instead of marks and drawings.

use crate::common::{Letter, Server, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Returns the text of a letter with its lines joined.
fn joined(letter: &Letter) -> String {
    letter.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_challenge_names_its_author_and_game_and_explains_the_answers() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "brique challenge alice bob", "");
    let told = joined(to(&letters, BOB));
    let begins = "alice challenges you to Brique (rated, 21 days a move). You play";
    assert!(told.starts_with(begins), "{told}");
    assert!(
        told.contains("It is alice's turn. To accept, play when it is your turn. To decline, reply with \"decline\".")
    );
    assert!(joined(to(&letters, ALICE)).starts_with("You challenge bob to Brique (rated, 21 days a move)."));
    let challenge = "marque challenge --unrated --private --totaltime=90 bob alice";
    let letters = server.mail(ALICE, challenge, "");
    let mine = joined(to(&letters, BOB));
    assert!(mine.starts_with("alice challenges you to Marque (private, not rated, 21 days a move, 90 days in all)."));
    let (first, board) = mine.split_once("_-+--").unwrap();
    assert!(first.contains("To accept, play: reply to this letter with your move, such as \""), "{mine}");
    assert!(first.contains("To decline, reply with \"decline\"."), "{mine}");
    assert!(!board.contains("undo") && !board.contains("propose"), "{mine}");
    // The reply that the letter suggests declines the challenge.
    let letters = reply(&mut server, BOB, to(&letters, BOB), "decline\n");
    assert!(to(&letters, ALICE).text().starts_with("bob declined board 2"), "{letters:#?}");
}

#[test]
fn a_letter_about_a_board_of_one_player_mentions_no_opponent() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice alice", "");
    let told = joined(to(&letters, ALICE));
    assert!(told.contains("you play against yourself") && told.contains("marque move 1 alice PASSWORD MOVE"), "{told}");
    assert!(!told.contains("opponent"), "{told}");
}

#[test]
fn a_letter_names_the_options_of_its_board() {
    let mut server = Server::with_players();
    for (challenge, terms) in [
        ("hex challenge -size=5 alice bob", "Hex (5 cells a side, rated, 21 days a move)."),
        ("pente challenge -size=13 --unrated alice bob", "Pente (13 cells a side, not rated, 21 days a move)."),
        ("marque challenge -opposite alice bob", "Marque (opposite bases, rated, 21 days a move)."),
    ] {
        let letters = server.mail(ALICE, challenge, "");
        let (hers, his) = (joined(to(&letters, ALICE)), joined(to(&letters, BOB)));
        assert!(hers.starts_with(&format!("You challenge bob to {terms}")), "{hers}");
        assert!(his.starts_with(&format!("alice challenges you to {terms}")), "{his}");
    }
    let letters = server.mail(ALICE, "hex move 1 alice wonderland c3", "");
    let told = joined(to(&letters, BOB));
    assert!(told.contains(" 5 cells a side, rated. "), "{told}");
    // A letter for blind readers also states the default size of the board.
    done(&server, "set bob builder mail=accessible");
    let letters = server.mail(BOB, "pente challenge alice bob", "");
    let told = joined(to(&letters, BOB));
    assert!(told.starts_with("You challenge alice to Pente (19 cells a side, rated, 21 days a move)."), "{told}");
    assert!(told.contains("Row 19 to Row 1 (a19 to s1): all empty."), "{told}");
}

#[test]
fn the_clock_of_a_letter_ends_with_the_time_for_all_moves() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge --forfeittime=21 --totaltime=5 alice bob", "");
    let clock = server.json("show 1")["boards"][0]["clock"].clone();
    let left = clock["left_days"].as_f64().unwrap();
    assert!((4.9..=5.0).contains(&left), "{clock}");
    let deadline = clock["deadline"].as_str().unwrap()[..16].replace('T', " ");
    let told = joined(to(&letters, ALICE));
    assert!(told.contains(&format!("Clock: you have until {deadline} UTC")), "{told}");
}

#[test]
fn chat_is_shown_before_other_text() {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "marque chat 1 alice wonderland", "Nice weather here.\n\nIs it with you?\n");
    let text = to(&letters, BOB).text();
    let begins = "alice says:\n  Nice weather here.\n\n  Is it with you?\n\nalice wrote this in the chat of board";
    assert!(text.starts_with(begins), "{text}");
    assert!(text.contains("\"chat\" on the first line"), "{text}");
    // In a letter with other news, the first lines show the beginning of the comment.
    let lines = "marque challenge alice bob\nmarque chat 1 alice wonderland --say=\"Shall we play faster?\"\n";
    let letters = server.mail(ALICE, "", lines);
    let told = joined(to(&letters, BOB));
    assert!(told.contains("Board 1: alice wrote \"Shall we play faster?\"."), "{told}");
    assert!(told.contains("alice challenges you on board 2."), "{told}");
}

#[test]
fn instructions_are_one_line_after_the_third_letter_about_a_board() {
    let mut server = Server::with_players();
    let mut letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let mut told = vec![to(&letters, BOB).clone()];
    for (userid, password, text) in
        [("alice", "wonderland", "f3"), ("bob", "builder", "k1"), ("alice", "wonderland", "f4")]
    {
        letters =
            server.mail(&format!("{userid}@example.org"), &format!("marque move 1 {userid} {password} {text}"), "");
        told.push(to(&letters, BOB).clone());
    }
    let long = |letter: &Letter| letter.text().contains("marque move 1 bob PASSWORD MOVE");
    assert_eq!(told.iter().map(long).collect::<Vec<_>>(), [false, true, false, false]);
    assert!(joined(&told[2]).contains("with undo to ask for your last move back, with propose to offer a draw"));
    let last = told[3].text();
    let line = last.lines().find(|line| line.contains("help mail")).unwrap();
    assert!(line.starts_with("Reply with your move on the first line, for example ") && line.len() <= 72, "{last}");
    assert!(
        to(&letters, ALICE)
            .text()
            .contains("\nReply with chat and your text, queue MOVE or resign (\"help mail\" lists")
    );
    // A reply to the letter works. If the reply quotes the letter without quote marks, the quote is not sent as a
    // comment.
    let quoted = format!("k4\nGood luck.\n\n{last}");
    let letters = reply(&mut server, BOB, &told[3], &quoted);
    assert!(to(&letters, ALICE).text().contains("bob says:\n  Good luck.\n\n"), "{letters:#?}");
    assert_eq!(server.hashes(1).len(), 4);
}

#[test]
fn a_letter_offers_an_undo_only_while_no_proposal_is_open() {
    let mut server = Server::with_players();
    server.mail(ALICE, "hex challenge alice bob", "");
    let letters = server.mail(ALICE, "hex move 1 alice wonderland c3", "");
    let told = joined(to(&letters, ALICE));
    assert!(told.contains("reply to this letter with undo to ask for your last move back"), "{told}");
    let letters = server.mail(ALICE, "hex undo 1 alice wonderland", "");
    let told = joined(to(&letters, ALICE));
    assert!(told.contains("To withdraw it, reply to this letter with \"reject\"."), "{told}");
    assert!(told.contains("Until it is your turn, reply to this letter with chat"), "{told}");
    // bob's move cancels the proposal.
    let letters = server.mail(BOB, "hex move 1 bob builder b2", "");
    assert!(joined(to(&letters, ALICE)).contains("you can write resign or undo ("), "{letters:#?}");
    let letters = server.mail(BOB, "hex undo 1 bob builder", "");
    let told = joined(to(&letters, ALICE));
    assert!(told.starts_with("bob requests an undo") && told.contains("you can write resign (\"help mail\""), "{told}");
}

#[test]
fn options_and_in_accessible_letters_also_sides_are_words() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland mail=accessible");
    for (sender, line) in [
        (ALICE, "hex challenge -size=5 alice bob"),
        (ALICE, "hex challenge -size=5 alice anyone"),
        (ALICE, "hex move 1 alice wonderland a2"),
        (BOB, "hex move 1 bob builder swap"),
        (ALICE, "hex move 1 alice wonderland c3"),
    ] {
        server.mail(sender, line, "");
    }
    for (sender, begins, moves) in [
        (ALICE, "alice (White) against bob (Black), 3 moves.", ["1. Black a2 ", "2. Black swap ", "3. White c3 "]),
        (BOB, "alice (w) against bob (b), 3 moves.", ["1. b a2 ", "2. b swap ", "3. w c3 "]),
    ] {
        let told = joined(to(&server.mail(sender, "hex history 1", ""), sender));
        assert!(told.starts_with(&format!("Hex board 1 (5 cells a side): {begins}")), "{told}");
        assert!(moves.iter().all(|line| told.contains(line)), "{told}");
        let told = joined(to(&server.mail(sender, "hex show 1", ""), sender));
        assert!(told.starts_with("Hex board 1, after 3 moves.") && told.contains("5 cells a side, rated."), "{told}");
        let told = joined(to(&server.mail(sender, "hex games", ""), sender));
        assert!(told.contains("Hex (5 cells a side) against alice, who moves first; rated;"), "{told}");
    }
}

#[test]
fn help_in_accessible_letters_describes_its_diagrams() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland mail=accessible");
    for (game, drawn, described) in [
        ("amazons", "+---+---+", "Row 10: Black on d10 and g10;"),
        ("brique", "w---+---+", "White on e4;"),
        ("hex", "w-+-+-+", "all empty."),
        ("marque", "_-+-------+-_", "White on "),
        ("loa", "+---+---+", "Black on b8 to g8;"),
    ] {
        let subject = format!("help {game}");
        let told = joined(to(&server.mail(ALICE, &subject, ""), ALICE));
        assert!(told.contains(described), "{told}");
        assert!(!told.contains("-+") && !told.contains("+-"), "{told}");
        let told = joined(to(&server.mail(BOB, &subject, ""), BOB));
        assert!(told.contains(drawn) && !told.contains(described), "{told}");
    }
}
