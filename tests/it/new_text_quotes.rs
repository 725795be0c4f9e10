//! Quotes in the styles of particular mail programs, and new text that resembles a quote.

use turnpost::mail::inbound::{find_commands, new_text, read};

/// A command that must not run when it is quoted.
const PLANTED: &str = "marque move 1 alice pw f3";

fn written(mail: &str) -> String {
    new_text(mail).text()
}

#[test]
fn a_command_above_an_attribution_runs() {
    for command in ["marque move 12 alice pw f3", "lazo move 12 alice pw f3", "list", "help"] {
        for attribution in [
            "Turnpost wrote:\n> old",
            "On 3 March 2026 at 14:05 Turnpost wrote:\n> old",
            "Turnpost <turnpost@example.org> wrote:\n> old",
            "2026 um 10:00:\n> old",
        ] {
            let mail = format!("{command}\n{attribution}\n");
            let found = find_commands(None, &mail);
            assert!(found.lines.len() == 1 && found.comment.is_none(), "{mail}: {found:?}");
        }
    }
    for line in ["marque move 12", "move f3#14", "mar 3", "set 12 f3", "lazo 12 f3,f4", "f3 2026"] {
        assert_eq!(written(&format!("{line}\nTurnpost wrote:\n> old\n")), line);
    }
}

#[test]
fn unfolded_lines_are_not_an_attribution() {
    for text in [
        "On reflection, f3 is bad.\nI play e4 now.",
        "On Monday I am away.\nThe club is closed, too.",
        "March 3 was fun.\nSo was the last game.",
    ] {
        assert_eq!(written(&format!("{text}\nBob wrote:\n> old\n")), text);
        assert_eq!(
            written(&format!("{text}\nOn Tue, 3 Mar 2026 at 14:05, Bob <bob@example.org> wrote:\n\nold\n")),
            text
        );
    }
}

#[test]
fn an_attribution_without_a_quote_a_date_or_an_address_does_not_end_the_text() {
    for text in [
        "As Kasparov wrote:\n\nTactics flow from a superior position.\n\nI agree.",
        "In 1984 Kasparov wrote:\nA bad plan is better than none.",
        "Wie Tarrasch schrieb:\n\nDer Fehler ist da.",
        "Comme Philidor a écrit :\nles pions sont l'âme du jeu.",
        "On the board somebody wrote:\n\nGood luck!",
        "My plan is as he said:\nf3 first.",
    ] {
        assert_eq!(written(text), text);
    }
    for attribution in [
        "On Tue, 3 Mar 2026 at 14:05, Bob wrote:",
        "Bob <bob@example.org> wrote:",
        "Am 3. März schrieb Bob:",
        "Le 3 mars, Bob a écrit :",
        "On Tue, 3/3/26, Bob wrote:",
    ] {
        assert_eq!(written(&format!("Fine.\n\n{attribution}\n\n{PLANTED}\n")), "Fine.", "{attribution}");
    }
}

#[test]
fn a_folded_attribution_is_recognised_completely() {
    for attribution in [
        "Turnpost <turnpost@example.org> schrieb am Di., 16. Aug.\n2016 um 10:00:",
        "Turnpost <turnpost@example.org>\nschrieb am Di., 16. Aug. 2016 um 10:00:",
        "Turnpost <turnpost@example.org> escribió el mar, 16 de ago. de\n2016 a las 10:00:",
        "Turnpost <turnpost@example.org> ezt írta (időpont: 2026. márc. 3.,\nK, 14:05):",
        "Turnpost <turnpost@example.org>, 3 Mar 2026 Sal, 14:05\ntarihinde şunu yazdı:",
        "On Tue, Mar 3, 2026 at 2:05 PM Somebody With Quite A Long Name via\nThe Group <group@example.org> wrote:",
        "On Tue, Mar 3, 2026 at 2:05 PM Turnpost <\nturnpost@example.org> wrote:",
        "In a message dated 3/3/2026 2:05:09 PM Eastern Standard Time,\nturnpost@example.org writes:",
        "Tue, 03 Mar 2026 14:05:09 +0100\nTurnpost <turnpost@example.org> wrote:",
        "El mar., 3 de marzo de 2026 2:05 p. m., Turnpost <\nturnpost@example.org> escribió:",
        "\"Turnpost\" <turnpost@example.org> wrote in message news:17@example.org...",
        "Turnpost at the Example Club\n<turnpost@example.org> hat am 03.03.2026\n14:05 geschrieben:",
        "2026/3/3 Turnpost\n<turnpost@example.org>",
        "On Nov 21, 2014,\nat 10:18,\nTurnpost <turnpost@example.org> wrote:",
        "Mar 3, 2026, 14:05 by turnpost@example.org:",
        "3. März 2026, 14:05 von turnpost@example.org:",
    ] {
        assert_eq!(written(&format!("Fine.\n{attribution}\n> old\n")), "Fine.", "{attribution}");
        assert_eq!(written(&format!("Fine.\n\n{attribution}\n\n> old\n>\n> older\n")), "Fine.", "{attribution}");
    }
    // A line that names a recipient is not an attribution.
    let mail = "Write to <bob@example.org>, will you?\nAlice wrote:\n> old\n";
    assert_eq!(written(mail), "Write to <bob@example.org>, will you?");
}

#[test]
fn text_on_the_line_of_an_attribution_is_new() {
    for attribution in [
        "On Tue, Mar 3, 2026 at 2:05 PM, Turnpost wrote:",
        "On 3 March 2026 at 14:05, Turnpost <turnpost@example.org> wrote:",
        "Le 3 mars 2026 à 14:05, Turnpost <turnpost@example.org> a écrit :",
        "El mar., 3 de marzo de 2026 2:05 p. m., Turnpost escribió:",
    ] {
        for (mail, new) in
            [("help ", "help"), ("help---", "help"), ("Well played!\nIt was fun. ", "Well played!\nIt was fun.")]
        {
            for quote in ["\n> old\n", "\n\n> old\n", &format!("\n\n{PLANTED}\nold\n")] {
                assert_eq!(written(&format!("{mail}{attribution}{quote}")), new, "{attribution}{quote}");
            }
        }
        assert_eq!(find_commands(None, &format!("help {attribution}\n\n{PLANTED}\n")).lines.len(), 1, "{attribution}");
        let quoted = format!("> {PLANTED} {attribution}\n> > old\n");
        assert!(find_commands(None, &quoted).lines.is_empty(), "{attribution}");
    }
    // Attributions in which the author or other words precede the date.
    for attribution in [
        "Bob On The Hill <bob@example.org> wrote on 3 March 2026 14:05:",
        "<bob@example.org> On Tue, 3 Mar 2026 14:05 wrote:",
        "---- On Tue, 03 Mar 2026 14:05:09 +0100 Turnpost wrote:",
        "On Nov 21, 2025, at 10:18, On Point Turnpost <turnpost@example.org> wrote:",
        "Turnpost hat am 03.03.2026 14:05 geschrieben:",
    ] {
        assert_eq!(written(&format!("Fine.\n\n{attribution}\n> old\n")), "Fine.", "{attribution}");
    }
}

#[test]
fn a_quote_on_the_line_of_its_attribution_is_cut() {
    for attribution in [
        "On 03/03/2026 at 2:05 PM, \"Turnpost\"  wrote:",
        "On Tue, Mar 3, 2026 2:05 PM, turnpost@example.org wrote:",
        "Le 3 mars 2026 à 14:05, Turnpost a écrit :",
    ] {
        for quote in [
            format!("Board 7\n\n{PLANTED}\nold\n"),
            format!("{PLANTED}\n{PLANTED}\n"),
            format!("> {PLANTED}\nold\n"),
            format!("> old\n\n{PLANTED}\n"),
        ] {
            assert_eq!(written(&format!("Fine.\n\n{attribution}{quote}")), "Fine.", "{attribution}{quote}");
            assert!(find_commands(None, &format!("{attribution}{quote}")).lines.is_empty(), "{attribution}{quote}");
        }
    }
    for text in ["On Tuesday 3 March at 14:05 Bob wrote: good game!", "On Sunday 3:f4 was my idea", "wrote:nothing"] {
        assert_eq!(written(&format!("{text}\nSo it was.")), format!("{text}\nSo it was."));
    }
}

#[test]
fn text_directly_below_a_quote_is_new() {
    let quote = "> Board 7 is waiting for you: it has been your turn for two days and some\n> hours, and there are five \
                 days left on your clock. Good luck, and have fun.\n";
    for line in ["f3", "help", "I play f3.", "marque move 7 bob pw f3"] {
        let found = new_text(&format!("{quote}> See you.\n{line}\n")).text();
        assert_eq!(found, line);
        // The quote ends with a complete sentence, so the line below is not the rest of a wrapped line.
        assert_eq!(written(&format!("{quote}{line}\n")), line);
    }
    let between = "> Do you want to play a second board with me?\nYes.\n> And when?\nToday.\n> Good.\n";
    assert_eq!(written(between), "Yes.\n\nToday.");
    // Another quoted line is longer than the last one and the answer together, so the answer is not the rest of a
    // wrapped line.
    let wide = "> This line is longer than the one above the answer, and nothing has broken it";
    assert_eq!(
        written(&format!("{wide}\n> A line of some length, which is shorter than the other one\nYes.\n")),
        "Yes."
    );
    // The first word of the second line would not have fitted into the first line, so the line was wrapped.
    let broken = "> Response with the next line, and do not forget the password in front of";
    assert_eq!(written(&format!("{broken}\n{PLANTED}\n")), "");
    assert_eq!(written(&format!("{broken}.\n{PLANTED}\n> it.\n")), "");
}

#[test]
fn marks_of_quotes_are_recognised() {
    for quote in [
        "| old\n|\n| marque move 1 alice pw f3",
        "C> old\nC>\nC> marque move 1 alice pw f3",
        "TP>> old\nTP>\nTP>> marque move 1 alice pw f3",
        ">old\n>\n>marque move 1 alice pw f3",
    ] {
        assert_eq!(written(&format!("{quote}\n\nFine.\n")), "Fine.", "{quote}");
        assert_eq!(written(&format!("Fine.\n\n{quote}\n")), "Fine.", "{quote}");
        assert!(find_commands(None, quote).lines.is_empty(), "{quote}");
    }
    for text in ["a>b is the score", "|x| is the distance", "f3 -> f4", ">:("] {
        assert_eq!(written(text), text);
    }
}

#[test]
fn headers_of_quoted_messages_are_recognised() {
    for head in [
        // Lotus Notes 5, 6 and later.
        "                    Turnpost\n                    <turnpost@exa        To:     Alice\n                    \
         mple.org>            cc:\n                                         Subject:     Marque Board 7\n                    \
         03/03/2026\n",
        "                      Turnpost\n                                               To:       Alice\n                      \
         03/03/26 14:05           cc:\n                                               Subject:  Marque Board 7\n",
        "Turnpost <turnpost@example.org>\n03/03/2026 02:05 PM\n\nTo\nAlice\ncc\n\nSubject\nMarque Board 7\n",
        "Turnpost/Server/Example\n03.03.2026 14:05\n\nAn\nAlice\nKopie\n\nThema\n\nBetreff\nMarque Board 7\n",
        "To:\tAlice\ncc:\t(bcc: Bob)\nSubject:\tMarque Board 7\n",
        "-----Turnpost wrote: -----\n\nTo: Alice\nFrom: Turnpost\n",
        // cc:Mail, GroupWise.
        "______________________________ Reply Separator _________________________________\nSubject: Marque Board 7\n\
         Author:  Turnpost at Internet\nDate:    3/3/26 2:05 PM\n",
        ">>> Turnpost <turnpost@example.org> 03/03/26 2:05 PM >>>\n",
        "<<< Turnpost <turnpost@example.org>  3/ 3  2:05p >>>\n",
        // Proton Mail, eM Client, Samsung.
        "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐\n",
        "------ Original Message ------\nFrom \"Turnpost\" <turnpost@example.org>\nTo \"Alice\" <alice@example.org>\n",
        "-------- Original message --------From: Turnpost <turnpost@example.org> Date: 3/3/26  14:05  (GMT+01:00)\n",
        "##- Please type your reply above this line -##\n",
    ] {
        assert_eq!(written(&format!("Fine.\n\n{head}\n{PLANTED}\nold\n")), "Fine.", "{head}");
        assert_eq!(written(&format!("Fine\n\n{head}\n{PLANTED}\nold\n")), "Fine", "{head}");
        assert!(find_commands(None, &format!("{head}\n{PLANTED}\n")).lines.is_empty(), "{head}");
    }
    for text in ["To win:\nf3 and then e4.", "Subject to change: f3.", "To\nplay f3 is good in 2026.\n\nSubject"] {
        assert_eq!(written(text), text);
    }
}

#[test]
fn new_text_may_follow_the_headers_of_a_marked_quote() {
    let head = "-----Original Message-----\nFrom: Turnpost\nSent: Tuesday, March 3, 2026 2:05 PM\nTo: Alice\n\
                Subject: Marque Board 7\n\n";
    let mail = format!("{head}> It is your turn.\n>\n> Turnpost\n\nGood morning,\n\nf3\n");
    assert_eq!(written(&mail), "Good morning,\n\nf3");
    assert_eq!(written(&format!("Fine.\n\n{mail}")), "Fine.\n\nGood morning,\n\nf3");
    // A complete command below such a quote does not run, because it may be part of an older quoted message.
    assert!(find_commands(None, &format!("{head}> It is your turn.\n\n{PLANTED}\n")).lines.is_empty());
    assert_eq!(written(&format!("{head}It is your turn.\n\n> old\n\n{PLANTED}\n")), "");
}

#[test]
fn sentences_that_begin_like_a_disclaimer_remain() {
    for text in [
        "Este mensaje es para Bob: buena partida.",
        "Dit bericht is een test.\nf3",
        "Это письмо для проверки.",
        "Questo messaggio è solo una prova.",
        "This message is a test.",
        "This email may contain a move: f3.",
        "Tämä viesti on testi.",
        "Bu mesaj bir deneme.",
        "Mailing list or not, I like this game.",
        "Denne e-post er en test.",
        "此邮件只是测试。",
    ] {
        assert_eq!(written(text), text);
    }
    for notice in [
        "Este mensaje y sus archivos adjuntos son confidenciales.",
        "Dit bericht kan vertrouwelijke informatie bevatten.",
        "Это сообщение содержит конфиденциальную информацию.",
        "Questo messaggio è riservato al destinatario.",
        "This message is intended for the addressee.",
        "To unsubscribe from this group, write to group-off@example.org.",
        "Esta mensagem foi verificada em https://example.org/",
    ] {
        assert_eq!(written(&format!("Fine.\n\n{notice}\n{PLANTED}\n")), "Fine.", "{notice}");
    }
    assert_eq!(written("Von meinem Zug bin ich überzeugt."), "Von meinem Zug bin ich überzeugt.");
    assert_eq!(written("Code:\n  // Sent from my mailer\n  f3();"), "Code:\n  // Sent from my mailer\n  f3();");
}

/// Returns the text of an HTML message.
fn read_html(body: &str) -> String {
    let mail = format!("From: a@example.org\nContent-Type: text/html; charset=utf-8\n\n{body}");
    read(mail.as_bytes(), "turnpost@example.org").expect("the message is readable").text
}

#[test]
fn quotes_of_html_programs_are_recognised() {
    for quote in [
        "<div id=\"ydp123yahoo_quoted_4567\" class=\"ydp123yahoo_quoted\"><div>X</div></div>",
        "<div class=\"ydpf00yahoo_quoted\">X</div>",
        "<div name=\"quote\" style=\"margin:10px; border-left:2px solid #C3D9E5;\"><div>X</div></div>",
        "<div style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><p>X</p></div>",
        "<div class=\"moz-cite-prefix\">Le 3 mars, une formule inconnue :<br></div><blockquote type=\"cite\">X</blockquote>",
        "<p id=\"reply-intro\">On 2026-03-03 14:05, Turnpost wrote:</p><blockquote>X</blockquote>",
        "<div class=\"ms-outlook-mobile-reference-message skipProofing\"><div>X</div></div>",
    ] {
        let quote = quote.replace('X', &format!("{PLANTED}<br>{PLANTED}"));
        assert!(find_commands(None, &read_html(&quote)).lines.is_empty(), "{quote}");
        assert_eq!(written(&read_html(&format!("<div>Fine.</div>{quote}"))), "Fine.", "{quote}");
        let below = read_html(&format!("{quote}<p>help</p>"));
        assert_eq!(find_commands(None, &below).lines.len(), 1, "{quote}: {below}");
    }
    let rest = read_html(&format!("<div>help</div><div id=\"m_-12divRplyFwdMsg\"></div><div>{PLANTED}</div>"));
    assert_eq!(written(&rest), "help");
    for signature in ["<div id=composer_signature>X</div>", "<div class=\"protonmail_signature_block\">X</div>"] {
        assert_eq!(read_html(&format!("<div>help</div>{signature}")).trim(), "help");
    }
}

#[test]
fn the_rest_of_an_attribution_in_html_is_recognised() {
    for attribution in [
        "2026-03-03 17:21 GMT+01:00 Bob Builder",
        "On Tue, 3 Mar 2026 at 11:16 Bob Builder\n\n<\nmailto:Bob Builder <bob@example.org>\n> wrote:",
    ] {
        assert_eq!(written(&format!("f4\n\n{attribution}\n\n{PLANTED}\n")), "f4", "{attribution}");
    }
    let date = "We meet:\n2026-03-03 17:21 GMT+01:00\nin the club.";
    assert_eq!(written(date), date);
}

#[test]
fn the_character_of_a_mail_tracker_is_not_text() {
    assert_eq!(written("f4\n\nGood luck!\n\nᐧ\n"), "f4\n\nGood luck!");
}
