//! The command language, from outside: good lines, bad lines, and what no line may do.

use crate::common::words;
use proptest::prelude::*;
use turnpost::command::{
    AccountAction, BoardAction, Branch, Command, GameCommand, GamePreference, ParseError, ParsedLine, Password, Plan,
    Reply, ReplyForm, SETTING_KEYS, Terms, When, begins_command, parse, parse_words, verbs,
};
use turnpost::service::HELP_PAGES;

/// Good lines, and how they are shown; every password is `s3cret`, or the `n3wer` one.
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
    ("marque move 1 al s3cret swap", "marque move 1 al *** swap"),
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
fn good_lines() {
    for (line, shown) in GOOD {
        assert_eq!(&read(line).shown, shown, "{line}");
        assert!(begins_command(line), "{line}");
    }
}

#[test]
fn what_is_shown_is_the_same_command() {
    for (line, shown) in GOOD {
        let again = shown.replacen("***", "s3cret", 1).replacen("***", "n3wer", 1);
        let (first, second) = (read(line), read(&again));
        assert_eq!((&first.command, &first.say), (&second.command, &second.say), "{line}");
        assert_eq!(second.shown, first.shown);
    }
}

#[test]
fn what_good_lines_mean() {
    let verb = |line: &str| match read(line).command {
        Command::Game { command: verb, .. } => verb,
        other => panic!("{other:?}"),
    };
    let act = |line: &str| match verb(line) {
        GameCommand::AtBoard { action, .. } => action,
        other => panic!("{other:?}"),
    };
    let terms = Terms { nag: Some(7), forfeit: Some(21), total: Some(0), unrated: true, private: true };
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
        panic!("set is an account's")
    };
    assert_eq!(set.len(), 2);
}

/// The word that an error points at.
fn at(error: &ParseError) -> Option<String> {
    error.at.map(|(at, n)| error.line[at..].chars().take(n).collect())
}

#[test]
fn bad_lines() {
    for (line, shown, word, nearest) in [
        ("marqe chalenge a b", "marqe …", Some("marqe"), Some("marque")),
        ("marque chalenge a b", "marque chalenge …", Some("chalenge"), Some("challenge")),
        ("marque standigns", "marque standigns", Some("standigns"), Some("standings")),
        ("marque challenge -oposite al bob", "marque challenge -oposite al bob", Some("-oposite"), Some("-opposite")),
        ("marque challenge -unrated al bob", "marque challenge -unrated al bob", Some("-unrated"), Some("--unrated")),
        ("marque challenge --nag=7 al bob", "marque challenge --nag=7 al bob", Some("--nag=7"), Some("--nagtime")),
        ("marque challenge al anyone bob", "marque challenge al anyone bob", Some("bob"), None),
        ("marque challenge anyone anyone", "marque challenge anyone anyone", Some("anyone"), None),
        ("marque challenge --nagtime=400 al bob", "marque challenge --nagtime=400 al bob", Some("--nagtime=400"), None),
        ("marque challenge --nagtime al bob", "marque challenge --nagtime al bob", Some("--nagtime"), None),
        (
            "marque challenge al bob --nagtime=7 --forfeittime=7",
            "marque challenge al bob --nagtime=7 --forfeittime=7",
            Some("--nagtime=7"),
            Some("--nagtime=3"),
        ),
        (
            "marque challenge --unrated al bob --unrated",
            "marque challenge --unrated al bob --unrated",
            Some("--unrated"),
            None,
        ),
        (
            "marque challenge --private=yes al bob",
            "marque challenge --private=yes al bob",
            Some("--private=yes"),
            Some("--private"),
        ),
        ("marque move x al s3cret f3", "marque move x …", Some("x"), None),
        ("marque move 1 al s3cret", "marque move 1 *** ***", None, None),
        ("marque move 1 s3cret", "marque move 1 ***", None, None),
        ("marque move 1 al -s3cret f3", "marque move 1 al *** …", Some("***"), None),
        ("marque move 1 al s3cret f3 please", "marque move 1 al *** *** please", Some("please"), None),
        ("marque move 1 al s3cret resign#3", "marque move 1 al *** resign#3", Some("resign#3"), Some("resign")),
        ("marque queue 1 al s3cret f3#3", "marque queue 1 al *** f3#3", Some("f3#3"), Some("f3")),
        ("marque queue 1 al s3cret accept", "marque queue 1 al *** accept", Some("accept"), Some("accept")),
        ("marque queue 1 al s3cret stop", "marque queue 1 al *** stop", Some("stop"), None),
        ("marque queue 1 al s3cret f3;f4", "marque queue 1 al *** f3;f4", Some("f3;f4"), None),
        ("marque submit 1 al s3cret undo", "marque submit 1 al *** undo", Some("undo"), Some("undo")),
        ("marque resign 1 al bundy s3cret", "marque resign 1 al *** ***", Some("***"), None),
        ("marque if 1 al s3cret", "marque if 1 *** ***", None, None),
        ("marque if 1 al s3cret \"\"", "marque if 1 al *** \"\"", Some("\"\""), None),
        ("marque if 1 al s3cret k4 thn h2", "marque if 1 al *** k4 thn h2", Some("thn"), Some("then")),
        ("marque if 1 al s3cret k4 then", "marque if 1 al *** k4 then", Some("then"), None),
        ("marque if 1 al s3cret k4 then h2; k4 then h3", "marque if 1 al *** k4 then h2; k4 then h3", Some("k4"), None),
        (
            "marque if 1 al s3cret \"k4 then h2#3\"",
            "marque if 1 al *** \"k4 then h2#3\"",
            Some("\"k4 then h2#3\""),
            Some("h2"),
        ),
        ("marque seek al s3cret 101", "marque seek al *** ***", Some("***"), None),
        ("marque limit al s3cret alll", "marque limit al *** alll", Some("alll"), Some("all")),
        ("marque subscribe bob al s3cret", "marque subscribe bob …", Some("bob"), None),
        ("marque history 3 al s3cret", "marque history 3 al …", Some("al"), None),
        ("move 12 al s3cret f3", "move …", Some("move"), None),
        ("qmove 12 al s3cret f3", "qmove …", Some("qmove"), None),
        ("confirm 12 al s3cret", "confirm 12 …", Some("12"), None),
        ("signup al abc", "signup al ***", Some("***"), None),
        ("change passwrd al s3cret n3wer", "change passwrd …", Some("passwrd"), Some("password")),
        ("change address al s3cret", "change address *** ***", None, None),
        ("set al s3cret rythm=each", "set al *** rythm=each", Some("rythm=each"), Some("rhythm=each")),
        ("set al s3cret rhythm", "set al *** rhythm", Some("rhythm"), Some("rhythm=")),
        ("set al bundy s3cret mail=text", "set al *** *** …", Some("***"), None),
        ("set al s3cret mail=pdf", "set al *** mail=pdf", Some("mail=pdf"), None),
        ("set al s3cret mail=text Mail=text", "set al *** mail=text Mail=text", Some("Mail=text"), None),
        ("set al s3cret zone=Mars/$", "set al *** zone=Mars/$", Some("zone=Mars/$"), None),
        (
            "set al s3cret weekend=mon,tue,wed,thu,fri",
            "set al *** weekend=mon,tue,wed,thu,fri",
            Some("weekend=mon,tue,wed,thu,fri"),
            None,
        ),
        ("vacation al s3cret untill 2026-12-24", "vacation al *** untill 2026-12-24", Some("untill"), Some("until")),
        ("vacation al s3cret until 24.12.", "vacation al *** until 24.12.", Some("24.12."), None),
        ("vacation al s3cret 2026-13-01", "vacation al *** 2026-13-01", Some("2026-13-01"), None),
        ("vacation al s3cret until", "vacation *** *** ***", None, None),
        ("message al s3cret", "message *** ***", None, None),
        ("message al s3cret bob,carl", "message al *** ***", Some("***"), None),
        ("message al s3cret bob ca,rl", "message al *** bob ca,rl", Some("ca,rl"), None),
        ("change address al bundy s3cret a@b.org", "change address al *** *** …", Some("***"), None),
        ("marque move 1 al bundy s3cret f3", "marque move 1 al *** *** f3", Some("f3"), None),
        ("marque if 1 al bundy s3cret k4 then h2", "marque if 1 al *** *** k4 then h2", Some("k4"), None),
        ("signoff al bundy s3cret x", "signoff al *** *** x", Some("x"), None),
        ("broadcast al s3cret all", "broadcast al *** ***", Some("***"), None),
    ] {
        let error = parse(line).expect_err(line);
        assert!(error.is_command, "{line}");
        let at = at(&error);
        assert_eq!((error.line.as_str(), at.as_deref(), error.nearest.as_deref()), (shown, word, nearest), "{line}");
    }
}

#[test]
fn errors_say_what_would_be_right() {
    for (line, says) in [
        ("confirm 12 al pw", "marque, brique, tessella or lazo"),
        ("brique challenge -size al bob", "5 to 19"),
        ("set al pw colour=red", &SETTING_KEYS.join(", ")[..]),
        ("set al pw rhythm=daily@24", "each, once or daily@HOUR, with an hour from 0 to 23"),
        ("set al pw weekend=", "none, or up to four of mon"),
        ("marque challenge --totaltime=4000 al bob", "from 0 to 3650"),
        ("marque if 1 al pw \"\"", "The plan is empty."),
        ("marque if 1 al pw \"k4 then h2 else stop\"", "\"then\" or \";\", not by \"else\""),
        ("marque if 1 al pw resign then k4", "A move should stand here, not \"resign\"."),
        ("message al pw", "userid to write to is missing"),
    ] {
        let error = parse(line).expect_err(line);
        let message = words(&error.message);
        assert!(message.contains(says), "{line}: {message}");
        assert!(error.usage.is_some(), "{line}");
    }
    let error = parse("move 12 al pw f3").unwrap_err();
    let message = words(&error.message);
    assert!(message.contains("marque, brique, tessella or lazo"), "{message}");
}

#[test]
fn a_message_goes_to_twenty_at_most() {
    let line = |n: usize| (0..n).fold("message al pw".to_owned(), |line, i| format!("{line} u{i}"));
    assert!(parse(&line(20)).is_ok());
    assert_eq!(at(&parse(&line(21)).unwrap_err()).as_deref(), Some("u20"));
}

#[test]
fn only_a_plan_may_be_long() {
    let plan = (0..150).map(|i| format!("k{i} then h{i}")).collect::<Vec<_>>().join("; ");
    assert!(plan.len() > 1_000);
    assert!(parse(&format!("marque if 1 al pw {plan}")).is_ok());
    let error = parse(&format!("marque if 1 al pw {plan} {}", " then x".repeat(800))).unwrap_err();
    assert_eq!(
        (error.line.as_str(), words(&error.message).as_str()),
        ("marque …", "The line is longer than 4000 characters.")
    );
    assert!(parse(&format!("message al pw bob --say=\"{}\"", "x".repeat(1_000))).is_err());
}

#[test]
fn lines_of_letters_are_no_commands() {
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
    // What cannot be read, but was meant.
    for line in [
        "set al s3cret rythm=each",
        "message al s3cret",
        "vacation al s3cret til 2026-12-24",
        "signoff al s3cret c0de x",
        "if 12 al s3cret k4 then h2",
        "marque mvoe 1 al s3cret f3",
        "message al s3cret bob --say=\"open",
        "list marqe",
        "show 12 x#y",
    ] {
        assert!(parse(line).is_err() && begins_command(line), "{line}");
    }
}

/// The lines of `help commands` that are a command's usage.
fn help_lines() -> Vec<&'static str> {
    let commands = include_str!("../../templates/help/commands.txt").split("Case matters").next().unwrap();
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
        assert!(own > 0, "no example of {} is written with its own name", spec.name);
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
fn only_verbs_that_stand_alone_stand_in_the_place_of_a_move() {
    let action = |line: String| match read(&line).command {
        Command::Game { command: GameCommand::AtBoard { action, .. }, .. } => action,
        other => panic!("{line}: {other:?}"),
    };
    let help = include_str!("../../templates/help/commands.txt");
    let in_place = &help[help.find("propose offers a draw").unwrap()..help.find("A move clears").unwrap()];
    for spec in verbs().filter(|spec| spec.usage.starts_with(&format!("GAME {} board userid", spec.name))) {
        let read = action(format!("marque move 1 al - {}", spec.name));
        if spec.reply == ReplyForm::Alone {
            assert_eq!(read, action(format!("marque {} 1 al -", spec.name)));
            assert!(in_place.contains(spec.name), "help/commands.txt does not say that {} is", spec.name);
        } else {
            assert_eq!(read, BoardAction::Move { text: spec.name.to_owned(), ply: None });
        }
    }
}

#[test]
fn every_page_of_the_help_is_there_and_is_narrow() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/help");
    let overview = std::fs::read_to_string(dir.join("overview.txt")).unwrap();
    for page in HELP_PAGES {
        let text = std::fs::read_to_string(dir.join(format!("{page}.txt"))).unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 78), "{page}");
        assert!(*page == "overview" || overview.contains(&format!("help {page}")), "{page}");
    }
}

/// The lines of a page's examples: indented, and beginning as a command.
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

fn plan_error(text: &str) -> (String, String) {
    let error = text.parse::<Plan>().expect_err(text);
    (error.word, words(&error.message))
}

#[test]
fn plans_that_are_wrong() {
    for (text, word, says) in [
        ("", "", "The plan is empty."),
        (" ", "", "The plan is empty."),
        (";", ";", "should stand here"),
        ("k4", "k4", "missing at the end"),
        ("k4 then h2;; k5 then h3", ";", "should stand here"),
        ("k4 then resign then k5 then h3", "then", "Nothing may follow"),
        ("k4 then stop then (k5 then h3)", "then", "Nothing may follow"),
        ("else h2; k4 then h3", "k4", "Nothing may follow \"else\""),
        ("else h2; else h3", "else", "Nothing may follow \"else\""),
        ("k4 or k4 then h2", "k4", "has a reply already"),
        ("k4,k5 then h2; K4, k5 then h3", "k4,k5", "has a reply already"),
        ("k4 then h2 then (k5 then h3; k5 then h4)", "k5", "has a reply already"),
        ("k4 then h2 then ()", ")", "is empty"),
        ("k4 then h2 then (k5 then h3", "(", "not closed"),
        ("k4 then h2)", ")", "closes nothing"),
        ("k4 then (k5 then h3)", "(", "A move should stand here"),
        ("k4 then or", "or", "A move should stand here"),
        ("k5, then h2", "k5,", "is not a move"),
        ("k4 then -x", "-x", "is not a move"),
        ("k4#3 then h2", "k4#3", "no number"),
        ("k4 then h\u{e9}", "h\u{e9}", "is not a move"),
        ("k4 then \"h2\"", "\"h2\"", "is not a move"),
    ] {
        let (at, message) = plan_error(text);
        assert_eq!(at, word, "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn plans_have_limits() {
    let branches = |n: usize| (0..n).map(|i| format!("k{i} then h2")).collect::<Vec<_>>().join(";");
    assert!(branches(200).parse::<Plan>().is_ok());
    assert_eq!(plan_error(&branches(201)).0, "k200");
    let chain = |n: usize| vec!["k4 then h2"; n].join(" then ");
    assert!(chain(30).parse::<Plan>().is_ok());
    assert!(plan_error(&chain(31)).1.contains("30 replies"));
    assert!(plan_error(&chain(100_000)).1.contains("30 replies"));
    let deep = "k4 then h2 then (".repeat(100_000);
    assert!(plan_error(&deep).1.contains("30 replies"));
}

#[test]
fn the_same_move_may_be_answered_again_after_a_reply() {
    let plan: Plan = "k4 then h2 then (k4 then h3; k5 then h4); k5 then h6".parse().unwrap();
    assert_eq!(plan.to_string(), "k4 then h2 then (k4 then h3; k5 then h4); k5 then h6");
    assert_eq!(plan.branches[0].next.branches.len(), 2);
}

fn move_text() -> impl Strategy<Value = String> {
    "[a-u][0-9]{1,2}(,[a-u][0-9]{1,2})?|swap|resigned|[!-&'*+.-:<-@\\[-~][!\\$-'*-:<-@\\[-~]{0,4}[!\\$-'*+.-:<-@\\[-~]"
        .prop_filter("no move text", |text| {
            !["then", "or", "else", "stop", "resign"].contains(&text.as_str())
                && !text.starts_with(['-', ','])
                && !text.contains(['#', '"', ';', '(', ')'])
        })
        .prop_map(|text| text.to_lowercase())
}

/// Any plan that the grammar has: alternatives that differ, `else` last, nothing after `resign` and `stop`.
fn plan() -> impl Strategy<Value = Plan> {
    let reply = prop_oneof![move_text().prop_map(Reply::Move), Just(Reply::Resign), Just(Reply::Stop)];
    Just(Plan::default()).prop_recursive(5, 40, 4, move |inner| {
        let branch = (proptest::collection::vec(move_text(), 1..4), reply.clone(), inner.clone());
        let otherwise = proptest::option::of((reply.clone(), inner));
        (proptest::collection::vec(branch, 1..5), otherwise).prop_map(|(branches, otherwise)| {
            let mut named = Vec::new();
            let mut plan = Plan::default();
            for (mut moves, reply, next) in branches {
                moves.retain(|text| {
                    let new = !named.contains(text);
                    named.push(text.clone());
                    new
                });
                if !moves.is_empty() {
                    plan.branches.push(Branch { when: When::Moves(moves), reply, next });
                }
            }
            plan.branches.extend(otherwise.map(|(reply, next)| Branch { when: When::Else, reply, next }));
            for branch in plan.branches.iter_mut().filter(|branch| !matches!(branch.reply, Reply::Move(_))) {
                branch.next = Plan::default();
            }
            plan
        })
    })
}

/// The words of a line with its password in the place of each that the usage's text calls one.
fn with_password(text: &str, password: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "GAME" => "marque".to_owned(),
        "password" | "current" | "new" => password.to_owned(),
        "board" | "board|all" => "12".to_owned(),
        "userid" => "alice".to_owned(),
        "n" | "n|all|none" => "3".to_owned(),
        "move[#ply]" | "move|off" => "f3".to_owned(),
        "\"plan\"|off" => "k4 then h2".to_owned(),
        "address..." => "a@b.org".to_owned(),
        "to..." => "bob".to_owned(),
        word => word.to_owned(),
    };
    // What may be left out is; a word that is the command's own is never called so.
    let own = text.split(' ').take_while(|word| *word != "userid" && !word.starts_with("board")).count();
    let words = text.split(" [").next().unwrap_or_default().split(' ').enumerate();
    words.map(|(i, text)| if i < own && text != "GAME" { text.to_owned() } else { word(text) }).collect()
}

/// Ways to write a line wrong that leave the password no word but its own.
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
            // Whoever leaves out a word, too: the line then ends at the password, one place too early.
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
    fn never_panics(line in "(marque |signup |change |set |vacation |message |marque if 1 al pw |marque move 1 al pw )?\\PC*") {
        let _ = (parse(&line), begins_command(&line));
    }

    #[test]
    fn never_panics_on_plans(text in "((k4|k5,|,|then|or|else|stop|resign|;|\\(|\\)|\\PC) ?){0,20}") {
        if let Ok(plan) = text.parse::<Plan>() {
            prop_assert_eq!(plan.to_string().parse::<Plan>(), Ok(plan));
        }
    }

    #[test]
    fn a_plan_is_what_it_prints(plan in plan()) {
        prop_assume!(!plan.branches.is_empty());
        let text = plan.to_string();
        prop_assert_eq!(text.parse::<Plan>(), Ok(plan), "{}", text);
        let line = parse(&format!("marque if 1 al - \"{text}\"")).unwrap();
        let again = parse(&line.shown).unwrap();
        prop_assert_eq!(line.command, again.command);
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
                    // A password in another word's place is that word, if the line can be read so.
                    let shifted = [9, 11].contains(&how);
                    prop_assert!(!debug.contains(&password) || (shifted && read.is_ok()), "{words:?}: {debug}");
                }
            }
            lines += 1;
        }
        prop_assert!(lines >= 25);
    }
}
