//! The command language as users see it: valid lines, invalid lines, and property tests with random lines.

mod errors;
mod plans;
mod proposals;
mod typed;

use proptest::prelude::*;
use turnpost::clock::TimeControl;
use turnpost::command::{
    AccountAction, BoardAction, Command, Flags, GameCommand, GamePreference, InvalidTerms, ParsedLine, Password,
    ReplyForm, Terms, VerbSpec, begins_command, parse, parse_words, verbs,
};
use turnpost::service::{HELP_PAGES, help_page_about};

use crate::common::{Server, done};

/// Valid command lines, each with the form in which it is displayed. `s3cret` and `n3wer` are passwords, which are
/// masked.
const GOOD: &[(&str, &str)] = &[
    ("signup alice s3cret a@b.org", "signup alice *** a@b.org"),
    ("confirm alice abc123", "confirm alice abc123"),
    ("change pass alice s3cret n3wer", "change password alice *** ***"),
    ("change address alice s3cret a@b.org c@d.org", "change address alice *** a@b.org c@d.org"),
    ("vacation alice s3cret", "vacation alice ***"),
    ("Vaca alice s3cret UNTIL 2026-12-24", "vacation alice *** until 2026-12-24"),
    ("vacation alice s3cret 2026-02-01", "vacation alice *** until 2026-02-01"),
    ("vacation alice - Off", "vacation alice - off"),
    ("set alice s3cret", "set alice ***"),
    ("set alice s3cret MAIL=Accessible rhythm=daily@18", "set alice *** mail=accessible rhythm=daily@18"),
    ("set alice - reminders=last zone=Europe/Berlin", "set alice - reminders=last zone=Europe/Berlin"),
    ("set alice s3cret weekend=sun,Sat", "set alice *** weekend=sat,sun"),
    ("signoff alice s3cret", "signoff alice ***"),
    ("signoff alice s3cret c0de", "signoff alice *** c0de"),
    ("message alice s3cret bob carl", "message alice *** bob carl"),
    ("mess alice s3cret bob --say=\"On my way\"", "message alice *** bob --say=\"On my way\""),
    ("broadcast root s3cret", "broadcast root ***"),
    ("help Commands", "help commands"),
    ("list Marque", "list marque"),
    ("show alice bob", "show alice bob"),
    ("show 123#7 --plain", "show 123#7 --plain"),
    ("all show alice", "all show alice next"),
    ("marque chal -Y alice bob --say=\"Good luck\"", "marque challenge -y alice bob --say=\"Good luck\""),
    ("marque challenge alice Anyone --unrated", "marque challenge --unrated alice anyone"),
    ("marque challenge anyone alice --private", "marque challenge --private anyone alice"),
    (
        "marque challenge alice --totaltime=90 bob -opposite --forfeittime=21 --nagtime=7",
        "marque challenge -opposite --nagtime=7 --forfeittime=21 --totaltime=90 alice bob",
    ),
    ("marque challenge --nagtime=9 --forfeittime=0 a.b al", "marque challenge --nagtime=9 --forfeittime=0 a.b al"),
    ("marque seek alice s3cret 3", "marque seek alice *** 3"),
    ("marque limit alice s3cret ALL", "marque limit alice *** all"),
    ("marque limit alice s3cret 0", "marque limit alice *** none"),
    ("marque limit alice s3cret 12", "marque limit alice *** 12"),
    ("Marque Board 123 alice ** s3cret f3#14", "marque move 123 alice *** f3#14"),
    ("marque move 1 al s3cret f3, f4", "marque move 1 al *** f3,f4"),
    ("marque move 1 al - f3 f4", "marque move 1 al - f3,f4"),
    ("marque move 1 al s3cret resign", "marque resign 1 al ***"),
    ("marque move 1 al s3cret Accept --say=yes", "marque accept 1 al *** --say=yes"),
    ("marque board 1 al s3cret confirm", "marque confirm 1 al ***"),
    ("brique move 1 al s3cret swap", "brique swap 1 al ***"),
    ("marque move 1 al s3cret chat", "marque move 1 al *** chat"),
    ("marque submit 1 al s3cret f3#2", "marque submit 1 al *** f3#2"),
    ("marque conf 1 al s3cret", "marque confirm 1 al ***"),
    ("marque qmove 1 al s3cret f3,f4", "marque queue 1 al *** f3,f4"),
    ("marque queue 1 al s3cret none", "marque queue 1 al *** off"),
    (
        "marque if 1 al s3cret \"k4 then h2; k5,k6 then resign; else stop\"",
        "marque if 1 al *** \"k4 then h2; k5,k6 then resign; else stop\"",
    ),
    (
        "marque if 1 al s3cret K4 or k5 , k6 then h2 then (a1 then b2;else c3;);",
        "marque if 1 al *** \"k4 or k5,k6 then h2 then (a1 then b2; else c3)\"",
    ),
    ("marque if 1 al s3cret Off", "marque if 1 al *** off"),
    ("marque propose 1 al s3cret", "marque propose 1 al ***"),
    ("marque undo 1 al s3cret", "marque undo 1 al ***"),
    ("marque reject 1 al s3cret", "marque reject 1 al ***"),
    ("marque decline 1 al s3cret", "marque decline 1 al ***"),
    ("marque chat 1 al s3cret --say=\"Well played\"", "marque chat 1 al *** --say=\"Well played\""),
    ("marque note 1 al s3cret", "marque note 1 al ***"),
    ("marque show alice next", "marque games alice next"),
    ("marque games", "marque games active"),
    ("marque history 3 --format=json", "marque history 3 --format=json"),
    ("marque prev new -any_2 f3 g4", "marque preview new -any_2 f3 g4"),
    ("marque preview 3#2 f3,f4 --plain", "marque preview 3#2 f3,f4 --plain"),
    ("marque ratings", "marque standings"),
    ("marque stand", "marque standings"),
    ("marque subscribe ALL al s3cret", "marque subscribe all al ***"),
    ("marque notify 7 al s3cret", "marque notify 7 al ***"),
    ("marque unsub 7 al s3cret", "marque unsubscribe 7 al ***"),
];

fn read(line: &str) -> ParsedLine {
    parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"))
}

#[test]
fn valid_lines_have_their_canonical_form() {
    for (line, shown) in GOOD {
        assert_eq!(&read(line).shown, shown, "{line}");
        assert!(begins_command(line), "{line}");
    }
}

#[test]
fn a_displayed_command_parses_to_itself() {
    for (line, shown) in GOOD {
        let again = shown.replacen("***", "s3cret", 1).replacen("***", "n3wer", 1);
        let (first, second) = (read(line), read(&again));
        assert_eq!((&first.command, &first.say), (&second.command, &second.say), "{line}");
        assert_eq!(second.shown, first.shown);
    }
}

#[test]
fn terms_have_a_canonical_text() {
    let of = |line: &str| match read(line).command {
        Command::Game { command: GameCommand::Challenge { terms, .. }, .. } => terms,
        other => panic!("{other:?}"),
    };
    assert_eq!(of("marque challenge --private --nagtime=07 al bob").to_string(), "--nagtime=7 --private");
    let default = TimeControl { nag: 7, forfeit: 21, total: 0, fischer: None };
    let text = "--nagtime=7 --forfeittime=5 --totaltime=0 --unrated";
    let terms = of("marque challenge --unrated --forfeittime=5 al bob").or(default);
    assert_eq!((terms.to_string().as_str(), text.parse()), (text, Ok(terms)));
    let time_control = TimeControl { nag: 9, ..TimeControl::default() };
    assert_eq!("--nagtime=9".parse(), Ok(Terms { time_control, flags: Flags { rated: true, private: false } }));
    for text in ["unrated", "--unrated=1", "--nagtime", "--nagtime=x", "--nagtime=-1", "--say", "--plain", "--unknown"]
    {
        assert_eq!(text.parse::<Terms>(), Err(InvalidTerms), "{text}");
    }
}

#[test]
fn valid_lines_have_the_expected_meaning() {
    let verb = |line: &str| match read(line).command {
        Command::Game { command: verb, .. } => verb,
        other => panic!("{other:?}"),
    };
    let act = |line: &str| match verb(line) {
        GameCommand::AtBoard { action, .. } => action,
        other => panic!("{other:?}"),
    };
    let time_control = TimeControl { nag: Some(7), forfeit: Some(21), total: Some(0), fischer: None };
    let terms = Terms { time_control, flags: Flags { rated: false, private: true } };
    let line = "marque challenge --nagtime=7 --forfeittime=21 --totaltime=0 --unrated --private al bob";
    assert!(matches!(verb(line), GameCommand::Challenge { terms: read, .. } if read == terms));
    assert!(matches!(
        verb("marque limit al pw none"),
        GameCommand::Preference { preference: GamePreference::Limit(Some(0)), .. }
    ));
    assert!(matches!(
        verb("marque limit al pw all"),
        GameCommand::Preference { preference: GamePreference::Limit(None), .. }
    ));
    assert_eq!(act("marque move 1 al pw Propose"), BoardAction::Propose);
    assert_eq!(act("marque queue 1 al pw off"), BoardAction::Queue(None));
    assert_eq!(act("marque if 1 al pw none"), BoardAction::If(None));
    let Command::Account { action: AccountAction::Set(set), .. } = read("set al pw mail=text weekend=none").command
    else {
        panic!("`set` is not an account command")
    };
    assert_eq!(set.len(), 2);
}

#[test]
fn lines_of_letters_are_not_commands() {
    for line in [
        "Hello there",
        "move along please",
        "All the best",
        "All shows are cancelled this week.",
        "Set up the board as you like",
        "Set theory is fun",
        "Set",
        "Message received, thanks!",
        "Message me when you are back",
        "Message from my boss: \"late again",
        "If you play f3 I will resign",
        "If 3 pieces remain, I think it is a draw",
        "Change of plan, sorry",
        "Change is good",
        "Change password, they said; so I did",
        "Vacation was great",
        "Vacation plans changed twice, alas",
        "List of moves so far",
        "List my games",
        "Show me the board, please",
        "Show must go on!",
        "Help me",
        "Help is what I need here",
        "Confirm that you got this",
        "Confirm or deny",
        "Signup was easy",
        "Broadcast of the match is at nine",
        "Note 3 things in my last letter",
        "Accept 2 of them",
        "Queue here",
        "Undo it",
        "Chat later?",
        "Marque is a fine game",
        "Marque and I are friends",
        "Seek and you shall find",
        "Limit the time to a week",
        "Resign? Never!",
        "Notify me",
        "Standings look good",
    ] {
        assert!(!begins_command(line), "{line}");
    }
    let long = format!("Message received. {}", "We are all well and play a lot. ".repeat(60));
    assert!(!begins_command(&long));
    // Mistyped commands are recognized as commands.
    for line in [
        "set al s3cret rythm=each",
        "message al s3cret",
        "vacation al s3cret til 2026-12-24",
        "signoff al s3cret c0de x",
        "if 12 al s3cret k4 then",
        "marque mvoe 1 al s3cret f3",
        "message al s3cret bob --say=\"open",
        "list marqe",
        "show 12 x#y",
    ] {
        assert!(parse(line).is_err() && begins_command(line), "{line}");
    }
}

/// Returns the usage lines of `help commands`.
fn help_lines() -> Vec<&'static str> {
    let help = include_str!("../../templates/help/commands.txt");
    let (commands, _) =
        help.split_once("\nBoards of all games share one numbering").expect("the explanations begin with this line");
    commands.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' ')).collect()
}

#[test]
fn help_has_a_line_for_every_verb() {
    let forms: Vec<&str> = verbs().flat_map(|spec| spec.usage.split(" | ")).collect();
    for form in &forms {
        assert!(help_lines().contains(form), "help/commands.txt lacks {form}");
    }
    for line in help_lines() {
        assert!(forms.contains(&line), "help/commands.txt has {line}, which no verb has");
    }
    let help = include_str!("../../templates/help/commands.txt");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for spec in verbs() {
        for synonym in spec.synonyms {
            let means = format!("{synonym} means {}", spec.name);
            assert!(help.contains(&means), "help/commands.txt does not say that {means}");
        }
        for option in spec.options {
            let option = format!("--{}", option.name());
            assert!(help.contains(&option), "help/commands.txt does not explain {option}");
        }
    }
}

#[test]
fn every_verb_is_read_and_written_back() {
    for spec in verbs() {
        let mut own = 0;
        assert!(!spec.examples.is_empty(), "{} has no example", spec.name);
        for example in spec.examples {
            let line = read(example);
            let again = read(&line.shown.replace("***", "s3cret"));
            assert_eq!((&again.command, &again.say), (&line.command, &line.say), "{example}");
            assert_eq!(again.shown, line.shown, "{example}");
            let shown = if spec.is_of_game() { line.shown.split_once(' ').unwrap().1 } else { &line.shown };
            own += u32::from(shown == spec.name || shown.starts_with(&format!("{} ", spec.name)));
        }
        assert!(own > 0, "no example of {} uses its own name", spec.name);
        for synonym in spec.synonyms {
            let typed = spec.examples[0].replacen(spec.name, synonym, 1);
            assert_eq!(read(&typed).command, read(spec.examples[0]).command, "{typed}");
        }
    }
}

#[test]
fn no_two_verbs_share_a_name() {
    let mut names: Vec<(bool, &str)> =
        verbs().flat_map(|spec| spec.names().map(|name| (spec.is_of_game(), name))).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn only_verbs_without_arguments_can_replace_a_move() {
    let action = |line: String| match read(&line).command {
        Command::Game { command: GameCommand::AtBoard { action, .. }, .. } => action,
        other => panic!("{line}: {other:?}"),
    };
    let help = include_str!("../../templates/help/commands.txt");
    let in_place = &help[help.find("propose offers a draw").unwrap()..help.find("of the move. ").unwrap()];
    for spec in verbs().filter(|spec| spec.usage.starts_with(&format!("GAME {} board userid", spec.name))) {
        let read = action(format!("marque move 1 al - {}", spec.name));
        if spec.reply == ReplyForm::Alone {
            assert_eq!(read, action(format!("marque {} 1 al -", spec.name)));
            assert!(
                in_place.contains(spec.name),
                "help/commands.txt does not list {} among the verbs that can replace a move",
                spec.name
            );
        } else {
            assert_eq!(read, BoardAction::Move { text: spec.name.to_owned(), ply: None });
        }
    }
}

#[test]
fn every_help_page_exists_and_fits_its_columns() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/help");
    let overview = std::fs::read_to_string(dir.join("overview.txt")).unwrap();
    for page in HELP_PAGES {
        let text = std::fs::read_to_string(dir.join(format!("{page}.txt"))).unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 78), "{page}");
        assert!(*page == "overview" || overview.contains(&format!("help {page}")), "{page}");
    }
}

#[test]
fn every_verb_has_a_help_page_that_mentions_it() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/help");
    for spec in verbs() {
        for word in spec.name.split(' ') {
            let page = help_page_about(word).unwrap_or_else(|| panic!("no help page is about {word}"));
            let text = std::fs::read_to_string(dir.join(format!("{page}.txt"))).unwrap();
            assert!(text.contains(word), "help {word} shows the page {page}, which does not mention it");
        }
    }
    assert!(verbs().flat_map(VerbSpec::names).all(|name| help_page_about(name.split(' ').next().unwrap()).is_some()));
    for (verb, page) in [("vacation", "clocks"), ("report", "block"), ("challenge", "commands"), ("queue", "plans")] {
        assert_eq!(help_page_about(verb), Some(page));
    }
    let server = Server::new();
    assert!(done(&server, "help vacation").contains("CLOCKS - how long a move may take"));
    assert!(server.shell("help vacaton").err.contains("Did you mean \"vacation\"?"));
}

/// Returns the examples on a help page: indented lines that start like a command.
fn examples(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix("  ")).map(str::trim).filter(|line| begins_command(line))
}

#[test]
fn the_examples_of_the_help_can_be_read() {
    let mut read = 0;
    for page in [
        include_str!("../../templates/help/plans.txt"),
        include_str!("../../templates/help/clocks.txt"),
        include_str!("../../templates/help/settings.txt"),
        include_str!("../../templates/help/ratings.txt"),
    ] {
        for line in examples(page) {
            assert!(parse(line).is_ok(), "{line}");
            read += 1;
        }
    }
    assert!(read >= 10, "{read}");
}

/// Returns the words of a command with this usage. The password replaces each placeholder for a password.
fn with_password(text: &str, password: &str) -> Vec<String> {
    let word = |word: &str| match word {
        // The verb `swap` does not exist in Marque. All others do.
        "GAME" if text.contains("swap") => "brique".to_owned(),
        "GAME" => "marque".to_owned(),
        "password" | "current" | "new" => password.to_owned(),
        "board" | "board|all" | "board|all|puzzles" => "12".to_owned(),
        "userid" => "alice".to_owned(),
        "n" | "n|all|none" => "3".to_owned(),
        "move[#ply]" | "move|off" => "f3".to_owned(),
        "\"plan\"|off" => "k4 then h2".to_owned(),
        "address..." => "a@b.org".to_owned(),
        "to..." => "bob".to_owned(),
        word => word.to_owned(),
    };
    // Keeps the words of the verb itself, which stand before the userid or the board, and omits optional words.
    let own = text.split(' ').take_while(|word| *word != "userid" && !word.starts_with("board")).count();
    let words = text.split(" [").next().unwrap_or_default().split(' ').enumerate();
    words.map(|(i, text)| if i < own && text != "GAME" { text.to_owned() } else { word(text) }).collect()
}

/// The number of variants of a line that `mangled` returns, including the unchanged line. In all of them, the password
/// is in a separate word.
const MANGLED: usize = 13;
fn mangled(words: &[String], how: usize, place: usize, junk: &str) -> Vec<String> {
    let mut words = words.to_vec();
    match how {
        0 => {}
        1 => words.push(junk.to_owned()),
        2 => words.truncate(place + 1),
        3 => words.insert(0, "the".to_owned()),
        4 => words[0].push('x'),
        5 => words[1].push_str("xx"),
        6 => words.insert(place, "--nonsense=1".to_owned()),
        7 => words[place] = format!("-{}", words[place]),
        8 => words.insert(1, "b!d".to_owned()),
        9 => {
            // Removes the word before the password, and all words after it.
            words.truncate(place + 1);
            words.remove(place - 1);
        }
        10 => words.push("x".repeat(4_100)),
        11 => words.insert(place, "bundy".to_owned()),
        _ => words.push("--say=\"open".to_owned()),
    }
    words
}

proptest! {
    #[test]
    fn no_line_makes_the_parser_panic(line in "(marque |signup |change |set |vacation |message |marque if 1 al pw |marque move 1 al pw )?\\PC*") {
        let _ = (parse(&line), begins_command(&line));
    }

    #[test]
    fn passwords_stay_hidden(password in "Z[a-z]{5,9}Q", rest in "[ -~]{0,30}") {
        let line = format!("marque move 12 alice {password} {rest}");
        match parse(&line) {
            Ok(read) => {
                let debug = format!("{read:?}");
                prop_assert!(!debug.contains(&password));
                prop_assert_eq!(parse(&read.shown.replacen("***", &password, 1)).unwrap().command, read.command);
            }
            Err(error) => {
                let debug = format!("{error:?}");
                prop_assert!(!debug.contains(&password));
            }
        }
        prop_assert_eq!(Password::flaw(&password), None);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn passwords_stay_hidden_in_every_command(password in "Z[a-z]{5,9}Q", junk in "[!-~]{1,12}") {
        let mut lines = 0;
        for usage in verbs().map(|spec| spec.usage).filter(|usage| usage.contains(" password")) {
            let words = with_password(usage, &password);
            let Some(place) = words.iter().position(|word| *word == password) else { continue };
            let read = parse_words(&words);
            prop_assert!(read.is_ok(), "{words:?}: {read:?}");
            for how in 0..MANGLED {
                let words = mangled(&words, how, place, &junk);
                for read in [parse_words(&words), parse(&words.join(" "))] {
                    let debug = format!("{read:?}");
                    // If the password has moved to the position of another word, and the line is still valid, the
                    // program cannot know that this word is a password.
                    let shifted = [9, 11].contains(&how);
                    prop_assert!(!debug.contains(&password) || (shifted && read.is_ok()), "{words:?}: {debug}");
                }
            }
            lines += 1;
        }
        prop_assert!(lines >= 25);
    }
}
