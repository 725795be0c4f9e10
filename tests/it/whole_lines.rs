//! Both parts of a letter contain players' texts completely, including links, long words, and languages without spaces
//! between words.

use crate::common::{Letter, Server, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Plays a move of alice with this comment, and returns bob's letter about it.
fn letter_to_bob(comment: &str) -> Letter {
    let mut server = Server::with_players_who_want_pictures();
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", comment);
    to(&letters, BOB).clone()
}

/// Returns the HTML part without `<br>`, and with `&amp;` decoded.
fn words(letter: &Letter) -> String {
    letter.html().replace("<br>", "").replace("&amp;", "&")
}

#[test]
fn a_link_longer_than_a_line_can_be_followed_from_both_parts() {
    let link = format!("https://example.org/analysis?position={}&variant=marque-y", "a1b2c3d4e5".repeat(10));
    let letter = letter_to_bob(&format!("See {link} for the line.\n"));
    assert!(letter.text().contains(&link), "{}", letter.text());
    assert!(words(&letter).contains(&format!("<p>alice says:\nSee {link} for the line.</p>")), "{}", letter.html());
}

#[test]
fn a_word_longer_than_a_line_is_one_word_in_both_parts() {
    let word = "Rindfleischetikettierungs".repeat(5);
    let letter = letter_to_bob(&format!("So ein Wort: {word}!\n"));
    assert!(letter.text().contains(&format!("{word}!")) && words(&letter).contains(&format!("So ein Wort: {word}!")));
}

#[test]
fn a_hyphen_at_a_line_end_adds_no_space_to_the_other_part() {
    let sentence = "A well-known and long-standing opening of the north-western and south-eastern schools \
                    is this one-of-a-kind move-for-move imitation.";
    let letter = letter_to_bob(&format!("{sentence}\n"));
    assert!(words(&letter).contains(sentence), "{}", letter.html());
}

#[test]
fn japanese_and_chinese_get_no_spaces() {
    for comment in [
        "いい手ですね。このあたりの形はとても難しいので、次の一手をゆっくり考えてから、またお返事します。どうぞよろしくお願いいたします。",
        "这一步下得很好，我没有想到你会走这里。下一步我需要仔细考虑一下，等我想清楚了再给你回信，祝你周末愉快，谢谢你的耐心等待。",
        "https://ja.wikipedia.org/wiki/囲碁の歴史とその発展について（読んでみてください）。この手はそこにある定石と同じで、とてもおもしろいと思いました。",
    ] {
        let letter = letter_to_bob(&format!("{comment}\n"));
        assert!(words(&letter).contains(comment), "{}", letter.html());
        let whole = letter.text().replace("\n  ", "");
        assert!(whole.contains(comment), "{}", letter.text());
        let lines = letter.text().lines().filter(|line| !line.is_ascii());
        assert!(lines.clone().count() > 1 && lines.clone().all(|line| columns(line) <= 72), "{}", letter.text());
    }
}

/// Returns the width of a line in columns. Every non-ASCII letter takes two.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[test]
fn prose_has_72_columns_so_that_it_can_be_quoted() {
    let mut server = Server::with_players();
    let mut letters = server.mail(ALICE, "marque challenge alice bob", &"A comment of many words. ".repeat(20));
    for line in [
        "marque propose 1 alice wonderland",
        "show 1",
        "help mail",
        "help marque",
        "message alice wonderland bob --say=\"What a long message this is, and how many lines of a window it needs!\"",
    ] {
        letters.extend(server.mail(ALICE, line, ""));
    }
    assert!(letters.len() > 6, "{letters:#?}");
    for letter in letters {
        // Lines with commands, drawings or tables are skipped, because they are not prose.
        let prose = letter.text().lines().filter(|line| !line.contains("  ") && !line.contains("--"));
        let too_wide: Vec<&str> = prose.filter(|line| line.chars().count() > 72).collect();
        assert!(too_wide.is_empty(), "{too_wide:#?}");
    }
}

#[test]
fn separate_lines_stay_separate() {
    let letter = letter_to_bob("One.\nTwo.\n\nThree.\n");
    assert!(letter.text().contains("alice says:\n  One.\n  Two.\n\n  Three.\n"), "{}", letter.text());
    assert!(letter.html().contains("<p>alice says:<br>\nOne.<br>\nTwo.</p>\n<p>Three.</p>"), "{}", letter.html());
}
