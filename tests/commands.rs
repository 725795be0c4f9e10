//! The command language, from outside: good lines, bad lines, and what no line may do.

use proptest::prelude::*;
use turnpost::command::{Password, begins_command, parse, usages};

#[test]
fn good_lines() {
    for (line, shown) in [
        ("Marque Board 123 alice ** s3cret f3#14", "marque move 123 alice *** f3#14"),
        ("marque move 1 al s3cret f3, f4", "marque move 1 al *** f3,f4"),
        ("marque move 1 al - f3 f4", "marque move 1 al - f3,f4"),
        ("marque move 1 al s3cret resign", "marque resign 1 al ***"),
        ("marque chal -Y alice bob --say=\"Good luck\"", "marque challenge -y alice bob --say=\"Good luck\""),
        ("marque show alice next", "marque games alice next"),
        ("show 123#7 --plain", "show 123#7 --plain"),
        ("all show alice", "all show alice next"),
        ("marque prev new -any_2 f3 g4", "marque preview new -any_2 f3 g4"),
        ("signup alice s3cret a@b.org", "signup alice *** a@b.org"),
        ("change pass alice old n3wer", "change password alice *** ***"),
        ("marque history 3 --format=json", "marque history 3 --format=json"),
    ] {
        assert_eq!(parse(line).map(|line| line.shown).map_err(|e| e.message), Ok(shown.to_owned()), "{line}");
    }
}

#[test]
fn bad_lines() {
    for (line, shown, word, nearest) in [
        ("marqe chalenge a b", "marqe …", Some("marqe"), Some("marque")),
        ("marque chalenge a b", "marque chalenge …", Some("chalenge"), Some("challenge")),
        ("marque challenge -oposite al bob", "marque challenge -oposite al bob", Some("-oposite"), Some("-opposite")),
        ("marque move x al s3cret f3", "marque move x …", Some("x"), None),
        ("marque move 1 al s3cret", "marque move 1 al ***", None, None),
        ("marque move 1 al -s3cret f3", "marque move 1 al *** …", Some("***"), None),
        ("marque move 1 al s3cret f3 please", "marque move 1 al *** f3 please", Some("please"), None),
        ("move 12 al s3cret f3", "move …", Some("move"), Some("marque move")),
        ("signup al abc", "signup al ***", Some("***"), None),
    ] {
        let error = parse(line).unwrap_err();
        assert!(error.is_command, "{line}");
        let at = error.at.map(|(at, n)| error.line[at..].chars().take(n).collect::<String>());
        assert_eq!((error.line.as_str(), at.as_deref(), error.nearest.as_deref()), (shown, word, nearest), "{line}");
    }
    assert!(["Hello there", "move along please", "All the best"].iter().all(|line| !begins_command(line)));
}

#[test]
fn help_names_every_command() {
    let help = include_str!("../templates/help/commands.txt");
    for usage in usages() {
        usage.text.split(" | ").for_each(|part| assert!(help.contains(part), "{part}"));
    }
}

proptest! {
    #[test]
    fn never_panics(line in "(marque |signup |change )?\\PC*") {
        let _ = parse(&line);
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
