//! A quotation of our own letter never reaches the opponent, regardless of the mail program's quoting style.

use proptest::prelude::*;

use crate::common::database::sql;
use crate::common::{Letter, Server, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Languages, and the line that mail programs write above a quote in each.
const ATTRIBUTIONS: &[(&str, &str)] = &[
    ("English", "On Thu, Nov 26, 2026 at 1:05 PM, Turnpost<turnpost@localhost> wrote:"),
    ("German", "Am Do., 26. Nov. 2026 um 13:05 Uhr schrieb Turnpost <turnpost@localhost>:"),
    ("French", "Le jeu. 26 nov. 2026 à 13:05, Turnpost<turnpost@localhost> a écrit :"),
    ("Spanish", "El jue, 26 nov 2026 a las 13:05, Turnpost (<turnpost@localhost>) escribió:"),
    ("Portuguese", "Em qui., 26 de nov. de 2026 às 13:05, Turnpost <turnpost@localhost> escreveu:"),
    ("Italian", "Il gio 26 nov 2026, 13:05 Turnpost <turnpost@localhost> ha scritto:"),
    ("Dutch", "Op do 26 nov 2026 13:05 schreef Turnpost <turnpost@localhost>:"),
    ("Swedish", "Den tors 26 nov. 2026 kl 13:05 skrev Turnpost <turnpost@localhost>:"),
    ("Danish", "Den tor. 26. nov. 2026 kl. 13.05 skrev Turnpost <turnpost@localhost>:"),
    ("Norwegian", "tor. 26. nov. 2026 kl. 13:05 skrev Turnpost <turnpost@localhost>:"),
    ("Finnish", "to 26. marrask. 2026 klo 13.05 Turnpost <turnpost@localhost> kirjoitti:"),
    ("Icelandic", "Þann fim., 26. nóv. 2026 kl. 13:05 skrifaði Turnpost <turnpost@localhost>:"),
    ("Polish", "czw., 26 lis 2026, 13:05 użytkownik Turnpost <turnpost@localhost> napisał:"),
    ("Czech", "čt 26. 11. 2026 v 13:05 odesílatel Turnpost <turnpost@localhost> napsal:"),
    ("Slovak", "št 26. 11. 2026 o 13:05 Turnpost <turnpost@localhost> napísal(a):"),
    ("Hungarian", "Turnpost <turnpost@localhost> ezt írta (időpont: 2026. nov. 26., Cs, 13:05):"),
    ("Romanian", "În joi, 26 nov. 2026 la 13:05, Turnpost <turnpost@localhost> a scris:"),
    ("Russian", "чт, 26 нояб. 2026 г. в 13:05, Turnpost <turnpost@localhost>:"),
    ("Ukrainian", "чт, 26 лист. 2026 р. о 13:05 Turnpost <turnpost@localhost> пише:"),
    ("Belarusian", "чц, 26 ліс 2026 г. у 13:05, Turnpost <turnpost@localhost> піша:"),
    ("Bulgarian", "На чт, 26.11.2026 г. в 13:05 Turnpost <turnpost@localhost> написа:"),
    ("Serbian", "чет, 26. нов 2026. у 13:05 Turnpost <turnpost@localhost> је написао/ла:"),
    ("Macedonian", "На чет, 26 ное 2026 во 13:05 Turnpost <turnpost@localhost> напиша:"),
    ("Croatian", "čet, 26. stu 2026. u 13:05 Turnpost <turnpost@localhost> napisao je:"),
    ("Slovenian", "V čet., 26. nov. 2026 ob 13:05 je oseba Turnpost <turnpost@localhost> napisala:"),
    ("Greek", "Στις Πέμ 26 Νοε 2026 στις 1:05 μ.μ., ο χρήστης Turnpost <turnpost@localhost> έγραψε:"),
    ("Turkish", "Turnpost <turnpost@localhost>, 26 Kas 2026 Per, 13:05 tarihinde şunu yazdı:"),
    ("Japanese", "2026年11月26日(木) 13:05 Turnpost <turnpost@localhost>:"),
    ("Chinese", "Turnpost <turnpost@localhost> 于2026年11月26日周四 13:05写道："),
    ("Taiwanese", "Turnpost <turnpost@localhost> 於 2026年11月26日 週四 下午1:05寫道："),
    ("Korean", "2026년 11월 26일 (목) 오후 1:05, Turnpost <turnpost@localhost>님이 작성:"),
    ("Vietnamese", "Vào Th 5, 26 thg 11, 2026 vào lúc 13:05 Turnpost <turnpost@localhost> đã viết:"),
    ("Indonesian", "Pada tanggal Kam, 26 Nov 2026 pukul 13.05 Turnpost <turnpost@localhost> menulis:"),
    ("Malay", "Pada Kha, 26 Nov 2026 pada 13:05 Turnpost <turnpost@localhost> telah menulis:"),
    ("Filipino", "Noong Huw, Nob 26, 2026 nang 1:05 PM isinulat ni Turnpost <turnpost@localhost>:"),
    ("Thai", "เมื่อ พฤ. 26 พ.ย. 2026 เวลา 13:05 Turnpost <turnpost@localhost> เขียนว่า:"),
    ("Hindi", "गुरु, 26 नव॰ 2026 को 13:05 बजे Turnpost <turnpost@localhost> ने लिखा:"),
    ("Catalan", "Missatge de Turnpost <turnpost@localhost> del dia dj., 26 de nov. 2026 a les 13:05:"),
    ("Basque", "Turnpost <turnpost@localhost> igorleak hau idatzi zuen (2026 aza. 26, og. (13:05)):"),
    (
        "Hebrew",
        "\u{202b}בתאריך יום ה׳, 26 בנוב׳ 2026 ב-13:05 מאת \u{202a}Turnpost\u{202c}\u{200f} <\u{202a}turnpost@localhost\u{202c}\u{200f}>:\u{202c}",
    ),
    (
        "Arabic",
        "في الخميس، 26 نوفمبر 2026 في 1:05 م تمت كتابة ما يلي بواسطة \u{202a}Turnpost\u{202c}\u{200f} <\u{202a}turnpost@localhost\u{202c}\u{200f}>:",
    ),
    ("Persian", "در تاریخ پنجشنبه 26 نوامبر 2026،\u{200f} 13:05 Turnpost <turnpost@localhost> نوشت:"),
    ("Estonian", "Kuupäev N, 26. november 2026 kell 13:05 kirjutas Turnpost <turnpost@localhost>:"),
    ("Latvian", "Ceturtd., 2026. g. 26. nov., plkst. 13:05 — lietotājs Turnpost (<turnpost@localhost>) rakstīja:"),
    ("Lithuanian", "2026-11-26, kt, 13:05 Turnpost <turnpost@localhost> rašė:"),
];

/// Creates a server on which alice plays bob on a public board and carol on a private one. Returns alice's letter about
/// both boards.
fn two_boards() -> (Server, Letter) {
    let server = Server::with_players();
    for line in ["signup carol looking carol@example.org", "set carol looking mail=text"] {
        assert_eq!(server.shell(line).status, 0, "{line}");
    }
    letter_about_two(server)
}

fn letter_about_two(mut server: Server) -> (Server, Letter) {
    let letters =
        server.mail(ALICE, "", "marque challenge -any_2 alice bob\nbrique challenge -size=9 --private alice carol\n");
    let letter = to(&letters, ALICE).clone();
    assert!(letter.text().contains("Marque board 1") && letter.text().contains("Brique board 2"), "{letter:?}");
    (server, letter)
}

/// Creates a server with one board, and returns alice's letter about it.
fn one_board() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// Returns the HTML part as text: a line for each block and row.
fn shown(html: &str) -> String {
    let body = html.split_once("<body>").unwrap().1;
    let lined = body.replace("</tr>", "\n").replace("</p>", "\n\n").replace("</div>", "\n").replace("<br>", "\n");
    let mut text = String::new();
    for part in lined.split('<').map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)) {
        text.push_str(part);
    }
    text.replace("&amp;", "&").replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">")
}

const COMMENTS: &str = "SELECT count(*) FROM comments";

/// Returns the last stored comment, or an empty string.
fn comment(server: &Server) -> String {
    sql(server, "SELECT coalesce((SELECT text FROM comments ORDER BY id DESC LIMIT 1), '')")
}

/// Returns the lines of a letter that a text contains, regardless of its line breaks.
fn lines_in<'a>(text: &str, letter: &'a str) -> Vec<&'a str> {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let text = plain(text);
    letter.lines().filter(|line| plain(line).len() > 12 && text.contains(&plain(line))).collect()
}

/// Sends a text above a quote of the answered letter, and checks that bob receives only that text.
fn says(server: &mut Server, letter: &Letter, quote: &str) {
    // Dates earlier comments to the past, because a player may write only 20 comments an hour on a board.
    sql(server, "UPDATE comments SET said_at = '2020-01-01T00:00:00Z'");
    let letters = reply(server, ALICE, letter, &format!("1 chat\nHi Bob, how are you today?\n{quote}"));
    assert_eq!(comment(server), "Hi Bob, how are you today?", "{quote}");
    assert!(!letters.is_empty());
}

#[test]
fn a_quote_on_the_line_of_the_attribution_is_recognised() {
    let (mut server, letter) = two_boards();
    for (language, attribution) in ATTRIBUTIONS {
        for between in ["   ", " "] {
            let quote = format!("\n \n  {attribution}{between}{}", letter.text());
            says(&mut server, &letter, &quote);
        }
        println!("{language}");
    }
}

#[test]
fn a_quote_without_marks_is_recognised_below_an_attribution_in_any_language() {
    let (mut server, letter) = two_boards();
    for (language, attribution) in ATTRIBUTIONS {
        says(&mut server, &letter, &format!("\n{attribution}\n\n{}", letter.text()));
        println!("{language}");
    }
    for head in [
        "________________________________\nFrá: Turnpost <turnpost@localhost>\nDagsett: fimmtudagur\nTil: alice\nEfni: Marque\n\n",
        "จาก: Turnpost <turnpost@localhost>\nส่ง: วันพฤหัสบดี\nถึง: alice\nเรื่อง: Marque\n\n",
        "\n\n\n",
    ] {
        says(&mut server, &letter, &format!("\n{head}{}", letter.text()));
    }
}

#[test]
fn the_html_part_is_recognised() {
    let server = Server::with_players_who_want_pictures();
    assert_eq!(server.shell("signup carol looking carol@example.org").status, 0);
    let (mut server, letter) = letter_about_two(server);
    let shown = shown(letter.html());
    assert!(shown.contains("ready-made answers"), "{shown}");
    for quote in [
        format!("On Thu, Nov 26, 2026, 1:05 PM Turnpost <turnpost@localhost> wrote: {shown}"),
        format!("{shown}\n"),
        // The quote lacks the hidden preview text, because some mail programs omit it.
        shown.split_once("\n\n").unwrap().1.to_owned(),
    ] {
        says(&mut server, &letter, &format!("\n{quote}"));
    }
}

/// Only the reply address shows which letter the player answers.
#[test]
fn a_letter_that_begins_with_few_words_is_recognised() {
    let (mut server, letter) = one_board();
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "f4");
    let letter = to(&letters, ALICE).clone();
    assert!(letter.text().starts_with("bob played f4"), "{letter:?}");
    let letters = reply(&mut server, ALICE, &letter, &format!("k1\n\nNice one.\n\n{}", letter.text()));
    assert_eq!(comment(&server), "Nice one.");
    assert!(to(&letters, BOB).text().contains("Nice one."));
}

#[test]
fn the_rest_of_a_wrapped_line_is_part_of_the_quote() {
    let (mut server, letter) = one_board();
    let mut quote = String::from("On Thu, Nov 26, 2026 at 1:05 PM Turnpost <turnpost@localhost> wrote:\n");
    for line in letter.text().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let is_prose = line.len() > 50 && line.starts_with(char::is_alphabetic);
        let (first, rest) = words.split_at(if is_prose { words.len() * 2 / 3 } else { words.len() });
        quote.push_str(&format!("> {}\n", first.join(" ")));
        if is_prose {
            quote.push_str(&format!("{}\n", rest.join(" ")));
        }
    }
    reply(&mut server, ALICE, &letter, &format!("f3\n\nHi Bob,\n{quote}\nWhat is new below it stays.\n"));
    assert_eq!(comment(&server), "Hi Bob,\n\nWhat is new below it stays.", "{quote}");
}

#[test]
fn a_comment_with_several_lines_of_the_letter_is_held_back() {
    let (mut server, letter) = one_board();
    let text = "f3\n\nClock: you have until 2026-12-17\nWell, I do not know.\nAnything you write below it is sent\nreally?\n\
                Reply to this letter with your\n";
    let letters = reply(&mut server, ALICE, &letter, text);
    assert_eq!((comment(&server).as_str(), server.hashes(1).len()), ("", 1));
    assert!(to(&letters, ALICE).text().contains("repeats lines of the letter"), "{letters:?}");
    assert!(!to(&letters, BOB).text().contains("Well, I do not know."), "{letters:?}");
}

#[test]
fn a_single_line_of_a_private_note_is_held_back() {
    let (mut server, letter) = one_board();
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let first = to(&letters, BOB).clone();
    let noted = reply(&mut server, BOB, &first, "note\nmy secret plan is h2 and then k6\n");
    let letters = reply(&mut server, BOB, &first, "f4");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "k1");
    let bobs = to(&letters, BOB).clone();
    assert!(bobs.text().contains("Your note:\n  my secret plan is h2 and then k6"), "{bobs:?}");
    for letter in [&bobs, to(&noted, BOB)] {
        for text in [
            "chat\nmy secret plan is h2 and then k6\n",
            "chat\nWell played\nYour note:\n  my secret plan is h2 and then k6\n",
            "message alice\nWell played\nYour note:\n  my secret plan is h2 and then k6\n",
        ] {
            let told = reply(&mut server, BOB, letter, text);
            assert!(told.iter().all(|letter| letter.to() == BOB), "{text}: {told:?}");
            assert!(to(&told, BOB).text().contains("repeats lines of the letter"), "{text}: {told:?}");
        }
    }
    // The line can be part of a new note.
    reply(&mut server, BOB, &bobs, "note\nmy secret plan is h2 and then k6\nor d4 first\n");
    assert_eq!(sql(&server, "SELECT text FROM notes"), "my secret plan is h2 and then k6\nor d4 first");
}

#[test]
fn a_line_that_is_repeated_on_purpose_is_passed_on() {
    let (mut server, letter) = one_board();
    let letters = reply(
        &mut server,
        ALICE,
        &letter,
        "f3\nGood luck and have a lot of fun with this game, which I like more than any other one!\n",
    );
    let bobs = to(&letters, BOB).clone();
    for said in [
        "Good luck and have a lot of fun with this game, which I like more than any other one!",
        "You wrote: Good luck and have a lot of fun with this game, which I like more than any other one!\nI will.",
        "What does \"three bases no two of which are adjacent\" mean? Please tell me.",
    ] {
        reply(&mut server, BOB, &bobs, &format!("chat\n{said}\n"));
        assert_eq!(comment(&server), said);
    }
}

#[derive(Clone, Debug)]
struct Quoting {
    /// The index in [`ATTRIBUTIONS`] of the line above the quote.
    attribution: Option<usize>,
    /// The first quoted line of the letter.
    first: usize,
    entities: bool,
    on_its_line: bool,
    width: usize,
    mark: &'static str,
    blank_lines: bool,
    upper: bool,
}

fn quoting() -> impl Strategy<Value = Quoting> {
    let mark = prop::sample::select(vec!["", "", "> ", ">", "| ", "* ", "    ", "\u{a0}", "- ", "AB> "]);
    let attribution = prop::option::of(0..ATTRIBUTIONS.len());
    let form = (any::<bool>(), any::<bool>(), any::<bool>());
    (attribution, any::<bool>(), 40..200_usize, mark, form, prop_oneof![Just(0), 0..60_usize]).prop_map(
        |(attribution, on_its_line, width, mark, (blank_lines, upper, entities), first)| Quoting {
            attribution,
            first,
            entities,
            on_its_line,
            width,
            mark,
            blank_lines,
            upper,
        },
    )
}

impl Quoting {
    /// Quotes the letter in this style.
    fn quote(&self, letter: &str) -> String {
        let quoted: String = letter.split_inclusive('\n').skip(self.first).collect();
        let quoted = if self.entities { quoted.replace('"', "&quot;").replace('<', "&lt;") } else { quoted };
        let mut lines = Vec::new();
        for paragraph in quoted.split("\n\n") {
            let words = paragraph.split_whitespace();
            let mut line = String::new();
            for word in words {
                if !line.is_empty() && line.len() + 1 + word.len() > self.width {
                    lines.push(std::mem::take(&mut line));
                }
                line = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            }
            lines.push(line);
            if self.blank_lines {
                lines.push(String::new());
            }
        }
        let quote: String = lines.iter().map(|line| format!("{}{line}\n", self.mark)).collect();
        let quote = if self.upper { quote.to_uppercase() } else { quote };
        let attribution = self.attribution.map_or("", |of| ATTRIBUTIONS[of].1);
        format!("{attribution}{}{quote}", if self.on_its_line { " " } else { "\n" })
    }
}

#[test]
fn no_quoting_style_sends_two_lines_of_the_letter_to_the_opponent() {
    let (server, letter) = two_boards();
    let server = std::cell::RefCell::new(server);
    let config = ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(said in "[a-z]{2,8}( [a-z]{2,8}){0,4}", quoting in quoting())| {
        let mut server = server.borrow_mut();
        let before = sql(&server, COMMENTS);
        let text = format!("1 chat\n{said}\n\n{}", quoting.quote(letter.text()));
        reply(&mut server, ALICE, &letter, &text);
        // If the server has not stored a comment, it has held back the text, and bob has received nothing.
        let told = if sql(&server, COMMENTS) == before { String::new() } else { comment(&server) };
        let mut passed_on = lines_in(&told, letter.text());
        // Counts each line once, because some lines occur once for each board in the letter.
        passed_on.sort_unstable();
        passed_on.dedup();
        prop_assert!(passed_on.len() < 2, "{told}");
        prop_assert!(told.is_empty() || told.starts_with(&said), "{told}");
    });
}
