//! Replies that contain a sentence, a mail gateway's warning or marks in addition to the move. The move is played, and
//! the sentences are sent as a comment. Uses the real binary.

use crate::common::{Letter, Server, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CAUTION: &str = "CAUTION: This email originated from outside of the organization. Do not click links or open \
                       attachments unless you recognize the sender and know the content is safe.";

fn board(challenge: &str) -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, challenge, "");
    (server, letters)
}

/// Replies to alice's first letter about a new board. Returns the number of plies, and the letters.
fn replied(challenge: &str, text: &str) -> (usize, Vec<Letter>) {
    let (mut server, letters) = board(challenge);
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), text);
    let plies = server.json("show 1")["boards"][0]["plies"].as_u64().unwrap() as usize;
    (plies, letters)
}

#[test]
fn a_move_on_a_separate_line_is_played_and_the_rest_is_the_comment() {
    for (text, comment) in [
        ("Thanks!\nf3\n", "Thanks!"),
        ("Sorry for the delay.\n\nf3\n", "Sorry for the delay."),
        ("My move:\nf3\n", "My move:"),
        ("Here is my move:\n\nf3\n\nSee you soon,\nAlice\n", "See you soon,"),
        ("Mein Zug:\nf3\n", "Mein Zug:"),
        ("Voici mon coup :\n\nf3\n\nBonne journée\n", "Bonne journ"),
        ("Hi Bob,\n\nhow was your holiday? I was ill.\n\nf3\n\nBest regards,\nAlice\n", "how was your holiday?"),
        ("It took me a while.\nI play f3.\nHave fun!\n", "It took me a while."),
        ("Well, well.\nBest,\nf3\n", "Well, well."),
        ("Thanks!\nf3\n\nf3\n", "Thanks!"),
        ("I looked at k4 for an hour, but\nf3\n", "I looked at k4 for an hour, but"),
    ] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", text);
        assert_eq!(plies, 1, "{text}: {letters:?}");
        let told = to(&letters, BOB).text();
        assert!(told.contains(comment), "{text}: {told}");
        assert!(!told.lines().any(|line| line.trim() == "f3"), "the move is not part of the comment: {told}");
    }
}

#[test]
fn a_proposal_is_not_suggested_in_a_game_without_draws() {
    for (challenge, suggested) in [("brique challenge alice bob", false), ("marque challenge alice bob", true)] {
        let (_, letters) = replied(challenge, "Remis?\n");
        let told = joined(to(&letters, ALICE).text());
        assert_eq!(told.contains("Did you mean \"propose\"?"), suggested, "{told}");
        assert_eq!(told.contains("Brique has no draws, so you cannot propose one."), !suggested, "{told}");
    }
}

#[test]
fn a_line_that_resigns_in_other_words_is_answered_with_a_question() {
    for said in ["I give up.", "Ich gebe auf", "J'abandonne", "J\u{2019}abandonne !", "abandonner", "Me rindo"] {
        let (_, letters) = replied("marque challenge alice bob", said);
        let told = joined(to(&letters, ALICE).text());
        assert!(told.contains("Did you mean \"resign\"?"), "{said}: {told}");
    }
}

#[test]
fn a_game_or_one_word_command_on_a_line_is_recognised() {
    for (challenge, text) in [
        ("brique challenge -size=5 alice bob", "A new game!\nb2"),
        ("tessella challenge alice bob", "A new game!\n\ne1 - e2\n"),
        ("lazo challenge -size=26 alice bob", "A new game!\nA1.\n"),
    ] {
        let (plies, letters) = replied(challenge, text);
        assert_eq!(plies, 1, "{challenge}: {letters:?}");
    }
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "I slipped, may I?\n\nUndo\n\nSorry!");
    let told = to(&letters, BOB).text();
    assert!(told.contains("I slipped, may I?") && told.contains("Sorry!"), "{told}");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "Of course.\naccept\n");
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 0, "{letters:?}");
    let letters =
        reply(&mut server, ALICE, to(&letters, ALICE), "You are too strong for me.\n\nresign\n\nWell played!");
    assert!(to(&letters, BOB).text().contains("You are too strong for me."), "{letters:?}");
    assert!(server.json("show 1")["boards"][0]["to_move"].is_null());
}

#[test]
fn two_different_lines_need_confirmation() {
    for text in [
        "Thanks!\nf3\nf4\n",
        "Thanks!\n\nf3\n\nOr better:\n\nf4\n",
        "f3\n\nGood luck!\n\nf4\n",
        "Hm.\nf3\nresign\n",
        "f3\nGood game.\nresign\n",
        // Because of the exclamation mark, the second line may be addressed to the opponent. Without it, both lines
        // would be run as commands.
        "f3\nresign!\n",
        "f3\nResign!\nGood luck.\n",
        "f3\nundo!\n",
        "Not f3.\nresign\n",
    ] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", text);
        assert_eq!((plies, letters.len()), (0, 1), "{text}: {letters:?}");
        let told = to(&letters, ALICE).text().replace('\n', " ");
        assert!(
            told.contains("can mean more than one thing") && told.contains("Nothing was changed."),
            "{text}: {told}"
        );
    }
}

#[test]
fn a_line_in_or_below_a_quote_is_never_a_move() {
    for text in [
        "Thanks!\n\n> f3\n",
        "Thanks!\n\nOn Sat, 21 Nov 2026, Bob wrote:\n\nf3\n",
        "Thanks!\n\n-----Original Message-----\nFrom: Bob\nSent: today\nTo: Alice\nSubject: Marque\n\nf3\n",
        "Look at this:\n\n---------- Forwarded message ----------\nFrom: Bob <bob@example.org>\nSubject: Marque\n\nf3\n",
        "> It is your turn.\n\nThanks!\nf3\n",
        "Thanks!\n-- \nf3\n",
        "Thanks!\nend\nf3\n",
        "Thanks!\n\nAm 21.11.2026 um 12:00 schrieb Bob:\n\nf3\n",
    ] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", text);
        assert_eq!(plies, 0, "{text}: {letters:?}");
    }
}

#[test]
fn lines_for_boards_may_follow_a_sentence() {
    let mut server = Server::with_players();
    for _ in 0..2 {
        assert_eq!(server.shell("marque challenge -any_2 bob alice").status, 0);
    }
    server.letters();
    let letters = server.mail(BOB, "", "marque move 1 bob builder f3\nmarque move 2 bob builder f3\n");
    let letter = to(&letters, ALICE);
    let asked = reply(&mut server, ALICE, letter, "Thanks!\n1 f4\n1 k4\n");
    assert!(asked[0].text().replace('\n', " ").contains("more than one thing"), "{asked:?}");
    reply(&mut server, ALICE, letter, "Thanks!\n1 f4\n2 k4\n");
    assert_eq!((server.hashes(1).len(), server.hashes(2).len()), (2, 2));
}

#[test]
fn the_warning_of_a_gateway_is_not_a_comment() {
    for banner in [
        CAUTION,
        "[EXTERNAL EMAIL]",
        "You don't often get email from alice@example.org. Learn why this is important \
         <https://aka.ms/LearnAboutSenderIdentification>",
        "ACHTUNG: Diese E-Mail stammt von außerhalb der Organisation. Klicken Sie nicht auf Links.",
        "ATTENTION : Ce courriel provient de l’extérieur de l’organisation. Ne cliquez pas sur les liens.",
        "____________________\nCAUTION: This email originated from outside of the organization.\n____________________",
        "+------------------+\n| CAUTION: This email originated from outside of the organization. |\n+------------------+",
        "NOTICE: This email is from outside Example Inc. Do not click links. Verify the sender.",
    ] {
        for text in [format!("{banner}\n\nf3\n\nHi Bob\n"), format!("{banner}\nThanks!\nf3\n\nHi Bob\n")] {
            let (plies, letters) = replied("marque challenge -any_2 alice bob", &text);
            assert_eq!(plies, 1, "{text}: {letters:?}");
            let told = to(&letters, BOB).text();
            assert!(told.contains("Hi Bob"), "{text}: {told}");
            for word in ["click", "EXTERNAL", "often get", "Klicken", "cliquez", "CAUTION", "outside", "____"] {
                assert!(!told.contains(word), "{text}: {told}");
            }
        }
    }
    // An HTML message contains the warning in a table.
    let (mut server, letters) = board("marque challenge -any_2 alice bob");
    let html = format!(
        "<html><body><table><tr><td><b>{}</b></td></tr></table><div>f3</div><div><br></div><div>Hi Bob</div></body></html>",
        CAUTION.replace("CAUTION:", "<span style=\"color:red\">CAUTION:</span>")
    );
    let letters = reply_in_html(&mut server, to(&letters, ALICE), &html);
    let told = to(&letters, BOB).text();
    assert!(told.contains("Hi Bob") && !told.contains("CAUTION") && !told.contains("attachments"), "{told}");
    // The mail gateway's warning is also removed if a complete command is below it.
    let letters = server.mail(BOB, "", &format!("{CAUTION}\n\nmarque move 1 bob builder f4\nThanks!\n"));
    assert!(to(&letters, ALICE).text().contains("Thanks!"), "{letters:?}");
    assert!(!to(&letters, ALICE).text().contains("CAUTION"), "{letters:?}");
}

/// Sends a reply to a letter as HTML, and returns the resulting letters.
fn reply_in_html(server: &mut Server, letter: &Letter, html: &str) -> Vec<Letter> {
    let mail = format!(
        "From: {ALICE}\nTo: {}\nMessage-ID: <html-{}@example.org>\nSubject: Re: Marque\nMIME-Version: 1.0\n\
         Content-Type: text/html; charset=utf-8\n\n{html}\n",
        letter.reply_to(),
        html.len()
    );
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    server.letters()
}

#[test]
fn the_footer_of_a_gateway_is_not_a_comment() {
    for footer in [
        CAUTION,
        "[EXTERNAL]",
        "*** EXTERNAL EMAIL ***",
        "This message was sent from outside the company. Please do not click links or open attachments unless you \n\
         recognize the source of this email and know the content is safe.",
        "This email has been scanned for viruses and malware by Mimecast.",
        "This email and any attachments are confidential and intended solely for the addressee.",
        "ACHTUNG: Diese E-Mail stammt von außerhalb der Organisation. Klicken Sie nicht auf Links.",
        "Diese E-Mail enthält vertrauliche Informationen. Bitte informieren Sie den Absender.",
        "ATTENTION : Ce courriel provient de l’extérieur de l’organisation. Ne cliquez pas sur les liens.",
        "Ce message et toutes les pièces jointes sont destinés à ses destinataires et sont confidentiels.",
        "PRECAUCIÓN: Este correo electrónico se originó fuera de la organización. No haga clic en enlaces.",
        "Este mensaje va dirigido, de manera exclusiva, a su destinatario y contiene información confidencial.",
        "ATTENZIONE: questa e-mail proviene dall'esterno. Non cliccare sui link.",
        "Questo messaggio è destinato esclusivamente al destinatario ed è riservato.",
        "LET OP: deze e-mail komt van buiten de organisatie. Klik niet op links.",
        "Dit bericht is vertrouwelijk en uitsluitend bestemd voor de geadresseerde.",
        "ATENÇÃO: Este e-mail veio de fora da organização. Não clique em links.",
        "VARNING: Detta e-postmeddelande kommer utanför organisationen. Klicka inte på länkar.",
        "ADVARSEL: Denne e-mail kommer fra uden for organisationen. Klik ikke på links.",
        "VAROITUS: Tämä sähköposti on organisaation ulkopuolelta. Älä avaa liitteitä.",
        "UWAGA: Ta wiadomość pochodzi spoza organizacji. Nie klikaj linków.",
        "UPOZORNĚNÍ: Tento e-mail přišel z adresy mimo organizaci. Neklikejte na odkazy.",
        "ВНИМАНИЕ: Это письмо от внешнего отправителя. Не открывайте вложения и ссылки.",
        "【注意】このメールは社外からのメールです。リンクをクリックしないでください。",
        "注意：此邮件来自外部发件人，请勿点击链接。",
    ] {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("f3\n\nHi Bob\n\n{footer}\n"));
        let html = format!("<div>f4</div><div>Hi Alice</div><hr><table><tr><td>{footer}</td></tr></table>");
        let told = to(&letters, BOB).text().to_owned();
        let words: Vec<&str> = footer.split_whitespace().collect();
        let is_passed_on =
            |text: &str| words.windows(3.min(words.len())).any(|part| joined(text).contains(&part.join(" ")));
        assert!(told.contains("Hi Bob") && !is_passed_on(&told), "{footer}: {told}");
        // The footer is also removed if it is below a quote or in HTML.
        let quoting = format!("f4\n\nHi Alice\n\n> It is your turn.\n\n{footer}\n");
        let letters = reply(&mut server, BOB, to(&letters, BOB), &quoting);
        let told = to(&letters, ALICE).text().to_owned();
        assert!(told.contains("Hi Alice") && !is_passed_on(&told), "{footer}: {told}");
        let letters =
            reply_in_html(&mut server, to(&letters, ALICE), &html.replace("f4", "k1").replace("Alice", "you"));
        let told = to(&letters, BOB).text();
        assert!(told.contains("Hi you") && !is_passed_on(told), "{footer}: {told}");
    }
}

#[test]
fn the_last_sentence_of_a_comment_is_not_a_footer() {
    for sentence in [
        "Attention, your base is weak.",
        "WARNING!",
        "I write this mail from outside the office, so be careful with links.",
        "Is it safe to attack from outside the base?",
        "This message comes from an outside table in the sun.",
        "This email is short, for the train is leaving.",
        "Achtung, ich komme von außerhalb der Stadt und habe selten E-Mail.",
        "Ce message vient de loin !",
    ] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", &format!("f3\n\nHi Bob\n\n{sentence}\n"));
        assert_eq!(plies, 1, "{sentence}: {letters:?}");
        let told = to(&letters, BOB).text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(sentence), "{sentence}: {told}");
    }
}

#[test]
fn marks_around_a_move_are_ignored() {
    for line in [
        "f3 \u{1f44d}",
        "\u{1f44d} f3",
        "f3\u{1f642}",
        "f3 :)",
        "f3 ;-)",
        "f3 <3",
        "*f3*",
        "**f3**",
        "_f3_",
        "`f3`",
        "f3\u{2026}",
        "f3...",
        "\u{bb}f3\u{ab}",
        "\u{201e}f3\u{201c}",
        "f\u{200c}3",
        "\u{200c}f3",
        "\u{fffc}f3",
        "\u{fffc} f3",
        "f3 thanks for the game!",
        "f3, thanks for the quick reply",
        "f3 merci pour la partie",
        "f3 - good luck!",
        "Let's play f3",
        "Let\u{2019}s go with f3!",
        "I think I'll play f3",
        "Sorry for the delay, f3",
        "Spielen wir f3",
        "Je vais jouer f3",
        "Vamos con f3",
        "Мой ход: f3",
        "-> f3",
        "=> f3",
        "<f3>",
        "f3,",
        "f3 haha",
        "f3, hi Bob!",
        "f3 ありがとう",
    ] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", &format!("{line}\n\nHi\n"));
        assert_eq!(plies, 1, "{line}: {letters:?}");
        assert!(to(&letters, BOB).text().contains("Hi"), "{line}: {letters:?}");
    }
    for (challenge, line) in [
        ("brique challenge -size=5 alice bob", "*b2* \u{1f600}"),
        ("tessella challenge alice bob", "`e1-e2` :)"),
        ("lazo challenge -size=26 alice bob", "Let's play a1"),
    ] {
        let (plies, letters) = replied(challenge, line);
        assert_eq!(plies, 1, "{challenge}: {letters:?}");
    }
    // Verbs are recognised with the same marks and polite words.
    for line in ["*resign*", "Resign :(", "I resign. Thanks for the game!", "resign, thanks for the game"] {
        let (mut server, letters) = board("marque challenge -any_2 alice bob");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
        let letters = reply(&mut server, BOB, to(&letters, BOB), line);
        assert!(server.json("show 1")["boards"][0]["to_move"].is_null(), "{line}: {letters:?}");
    }
    // If it is doubtful whether the line is a move, the server asks.
    for line in ["f3 ?", "f3\u{2753}", "f3 \u{1f44e}", "~~f3~~", "f3 thanks, or f4", "Sorry, not f3", "\u{1f914} f3"] {
        let (plies, letters) = replied("marque challenge -any_2 alice bob", line);
        assert_eq!((plies, letters.len()), (0, 1), "{line}: {letters:?}");
    }
}
