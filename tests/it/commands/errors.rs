//! Errors of the command language: the word at fault, the suggestion, and a message for every error.

use crate::common::words;
use turnpost::command::{ParseError, Password, SETTING_KEYS, parse};
use turnpost::compose::Composer;
use turnpost::rules::catalogue;

/// Returns the word at which an error points.
fn at(error: &ParseError) -> Option<String> {
    error.at.map(|(at, n)| error.line[at..].chars().take(n).collect())
}

#[test]
fn invalid_lines_get_their_errors() {
    for (line, shown, word, nearest) in [
        ("marqe chalenge a b", "marqe chalenge a b", Some("marqe"), Some("marque")),
        ("marque chalenge a b", "marque chalenge a b", Some("chalenge"), Some("challenge")),
        ("marque standigns", "marque standigns", Some("standigns"), Some("standings")),
        ("marque challenge -oposite al bob", "marque challenge -oposite al bob", Some("-oposite"), Some("-opposite")),
        ("marque challenge -unrated al bob", "marque challenge -unrated al bob", Some("-unrated"), Some("--unrated")),
        ("marque challenge --nag=7 al bob", "marque challenge --nag=7 al bob", Some("--nag=7"), Some("--nagtime=7")),
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
        ("marque move x al s3cret f3", "marque move x al *** f3", Some("x"), None),
        ("marque move 1 al s3cret", "marque move 1 al ***", None, None),
        ("marque move 1 al f3", "marque move 1 al f3", None, None),
        ("marque move 1 al -s3cret f3", "marque move 1 al *** f3", Some("***"), None),
        ("marque move 1 al s3cret f3 please", "marque move 1 al *** f3 please", Some("please"), None),
        ("marque move 1 al s3cret resign#3", "marque move 1 al *** resign#3", Some("resign#3"), Some("resign")),
        ("marque queue 1 al s3cret f3#3", "marque queue 1 al *** f3#3", Some("f3#3"), Some("f3")),
        (
            "marque queue 1 al s3cret accept",
            "marque queue 1 al *** accept",
            Some("accept"),
            Some("marque accept 1 al password"),
        ),
        ("marque queue 1 al s3cret stop", "marque queue 1 al *** stop", Some("stop"), None),
        ("marque queue 1 al s3cret f3;f4", "marque queue 1 al *** f3;f4", Some("f3;f4"), None),
        (
            "marque submit 1 al s3cret undo",
            "marque submit 1 al *** undo",
            Some("undo"),
            Some("marque undo 1 al password"),
        ),
        ("marque resign 1 al s3cret now", "marque resign 1 al *** now", Some("now"), None),
        ("marque if 1 al s3cret", "marque if 1 al ***", None, None),
        ("marque if 1 al s3cret \"\"", "marque if 1 al *** \"\"", Some("\"\""), None),
        ("marque if 1 al s3cret k4 thn h2", "marque if 1 al *** k4 thn h2", Some("thn"), Some("then")),
        ("marque if 1 al s3cret k4 then", "marque if 1 al *** k4 then", Some("then"), None),
        ("marque if 1 al s3cret k4 then h2; k4 then h3", "marque if 1 al *** k4 then h2; k4 then h3", Some("k4"), None),
        (
            "marque if 1 al s3cret \"k4 then h2#3\"",
            "marque if 1 al *** \"k4 then h2#3\"",
            Some("\"k4 then h2#3\""),
            Some("k4 then h2"),
        ),
        ("marque seek al s3cret 101", "marque seek al *** 101", Some("101"), None),
        ("marque limit al s3cret alll", "marque limit al *** alll", Some("alll"), Some("all")),
        ("marque subscribe bob al s3cret", "marque subscribe bob al ***", Some("bob"), None),
        ("marque history 3 al bob", "marque history 3 al bob", Some("al"), None),
        ("move 12 al s3cret", "move 12 al ***", None, None),
        ("challenge al bob", "challenge al bob", Some("challenge"), None),
        ("confirm 12 al", "confirm 12 al", None, None),
        ("signup al abc\u{1}d", "signup al ***", Some("***"), None),
        ("change passwrd al", "change passwrd al", Some("passwrd"), Some("password")),
        ("change address al s3cret", "change address al ***", None, None),
        ("set al s3cret rythm=each", "set al *** rythm=each", Some("rythm=each"), Some("rhythm=each")),
        ("set al s3cret rhythm", "set al *** rhythm", Some("rhythm"), None),
        ("set al s3cret bundy mail=text", "set al *** bundy mail=text", Some("bundy"), None),
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
        ("vacation al s3cret until", "vacation al *** until", None, None),
        ("message al s3cret", "message al ***", None, None),
        ("message al s3cret bob,carl", "message al *** bob,carl", Some("bob,carl"), None),
        ("message al s3cret bob ca,rl", "message al *** bob ca,rl", Some("ca,rl"), None),
        ("change address al s3cret bundy a@b.org", "change address al *** bundy a@b.org", Some("bundy"), None),
        ("marque move 1 al s3cret bundy f3", "marque move 1 al *** bundy f3", Some("f3"), None),
        ("marque if 1 al s3cret bundy k4 then h2", "marque if 1 al *** bundy k4 then h2", Some("k4"), None),
        ("signoff al s3cret bundy x", "signoff al *** bundy x", Some("x"), None),
        ("broadcast al s3cret all", "broadcast al *** all", Some("all"), None),
    ] {
        let error = parse(line).expect_err(line);
        assert!(error.is_command, "{line}");
        let at = at(&error);
        assert_eq!((error.line.as_str(), at.as_deref(), error.nearest.as_deref()), (shown, word, nearest), "{line}");
    }
}

#[test]
fn a_title_suggests_the_name_of_its_game() {
    for (line, word, name) in [
        ("lines-of-action challenge al bob", "lines-of-action", "loa"),
        ("LinesOfAction standings", "LinesOfAction", "loa"),
        ("lines of action", "lines", "loa"),
        ("list lines", "lines", "loa"),
        ("list TwixTPP", "TwixTPP", "twixt"),
        ("event new spring lines-of-action al s3cret", "lines-of-action", "loa"),
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!((at(&error).as_deref(), error.nearest.as_deref()), (Some(word), Some(name)), "{line}");
    }
}

#[test]
fn errors_suggest_the_correction() {
    for (line, says) in [
        ("brique challenge -size al bob", "5 to 19"),
        ("set al pw colour=red", &SETTING_KEYS.join(", ")[..]),
        ("set al pw rhythm=daily@24", "each, once or daily@HOUR, with an hour from 0 to 23"),
        ("set al pw weekend=", "none, or up to four of mon"),
        ("marque challenge --totaltime=4000 al bob", "from 0 to 3650"),
        ("marque if 1 al pw \"\"", "The plan is empty."),
        ("marque if 1 al pw \"k4 then h2 else stop\"", "\"then\" or \";\", not \"else\""),
        ("marque if 1 al pw resign then k4", "Expected a move, not \"resign\"."),
        ("message al pw", "userid of the recipient is missing"),
    ] {
        let error = parse(line).expect_err(line);
        let message = words(&error.message);
        assert!(message.contains(says), "{line}: {message}");
        assert!(error.usage.is_some(), "{line}");
    }
    let error = parse("challenge al bob").unwrap_err();
    let message = words(&error.message);
    assert!(catalogue::GAMES.iter().all(|game| message.contains(game.name())), "{message}");
}

/// For most errors, a line that causes it, and the code of its message. The test adds longer lines.
const ERRORS: &[(&str, &str)] = &[
    ("signup al \"open", "open-quote"),
    ("", "missing-command"),
    ("marque", "missing-game-command"),
    ("change", "missing-second-word"),
    ("change name", "wrong-second-word"),
    ("marque mvoe", "no-game-command"),
    ("challenge al bob", "missing-game"),
    ("marqe move", "no-game"),
    ("hello there", "unknown-word"),
    ("signup", "missing-userid"),
    ("vacation until 2026-12-24", "missing-userid-and-password"),
    ("marque challenge", "missing-first-userid"),
    ("marque challenge al", "missing-second-userid"),
    ("message al pw", "missing-recipient"),
    ("unblock al pw", "missing-player"),
    ("calendar al pw soon", "not-a-calendar"),
    ("show", "missing-userid-or-board"),
    ("marque show", "missing-board-or-userid"),
    ("marque preview", "missing-board-or-new"),
    ("marque history", "missing-board"),
    ("signup al", "missing-password"),
    ("change password al", "missing-current-password"),
    ("change password al pw", "missing-new-password"),
    ("change address al pw", "missing-address"),
    ("confirm al", "missing-code"),
    ("vacation al pw until", "missing-day"),
    ("marque seek al pw", "missing-number"),
    ("marque move 1 al pw", "missing-move"),
    ("marque if 1 al pw", "missing-plan"),
    ("marque standings now", "surplus-word"),
    ("marque move 1 al pw f3 please", "surplus-after-move"),
    ("show 12 x", "not-a-board"),
    ("show 12#x", "no-ply-number"),
    ("signup 1x pw", "not-a-userid"),
    ("signup all pw", "reserved-word"),
    ("marque challenge anyone anyone", "nobody-challenges"),
    ("signup al s3cret here", "not-an-address"),
    ("confirm al \u{e9}", "not-a-code"),
    ("marque seek al pw many", "not-a-count"),
    ("marque limit al pw many", "not-a-limit"),
    ("all show al some", "not-a-filter"),
    ("help ../x", "not-a-topic"),
    ("puzzle marque f4", "not-a-puzzle"),
    ("join", "missing-event"),
    ("event new new hex al pw", "not-an-event"),
    ("event new spring", "missing-event-game"),
    ("event spring last", "not-an-edition"),
    ("vacation al pw soon", "not-a-vacation"),
    ("vacation al pw until soon", "not-a-day"),
    ("vacation al \"\"", "empty-password"),
    ("change password al \"\"", "empty-current-password"),
    ("change password al pw \"\"", "empty-new-password"),
    ("vacation al -pw", "password-place"),
    ("signup al abc\u{1}d", "password-control"),
    ("show 1 --json", "no-option"),
    ("marque challenge -any_9 al bob", "no-game-option"),
    ("marque show -y", "misplaced-game-option"),
    ("marque challenge --private --private al bob", "option-twice"),
    ("show 1 --plain=1", "option-without-value"),
    ("brique challenge -size al bob", "option-wants-value"),
    ("marque chat 1 al pw --say", "option-wants-text"),
    ("marque history 1 --format=pdf", "option-format"),
    ("marque challenge --nagtime=x al bob", "option-days"),
    ("event new spring hex --division=2 al pw", "option-players"),
    ("event new spring hex --kind=swiss al pw", "option-kind"),
    ("event new spring hex --twice --kind=cup al pw", "option-of-other-kind"),
    ("marque challenge --nagtime=9 --forfeittime=7 al bob", "late-reminder"),
    ("marque challenge --fischer=10 al bob", "option-fischer"),
    ("marque challenge --fischer=10/1/20 --totaltime=9 al bob", "two-limits"),
    ("set al pw colour=red", "not-a-setting"),
    ("set al pw mail=text mail=html", "setting-twice"),
    ("set al pw mail=pdf", "invalid-setting"),
    ("marque move 1 al pw \u{e9}", "not-a-move"),
    ("marque move 1 al pw f3#x", "no-move-number"),
    ("marque move 1 al pw #3", "number-without-move"),
    ("marque move 1 al pw resign#3", "verb-with-number"),
    ("marque submit 1 al pw resign", "verb-for-a-move"),
    ("marque queue 1 al pw f3#3", "queue-with-number"),
    ("marque if 1 al pw \"\"", "plan-empty"),
    ("marque if 1 al pw k4 then h2)", "plan-unopened"),
    ("marque if 1 al pw k4 then h2 then (k5 then h3", "plan-unclosed"),
    ("marque if 1 al pw k4 then h2 then ()", "plan-empty-parentheses"),
    ("marque if 1 al pw k4#3 then h2", "plan-number"),
    ("marque if 1 al pw k4 then else", "plan-wants-move"),
    ("marque if 1 al pw ;", "plan-wants-condition"),
    ("marque if 1 al pw k4 then h2 k5", "plan-after-reply"),
    ("marque if 1 al pw k4 h2", "plan-after-move"),
    ("marque if 1 al pw else h2; k4 then h3", "plan-after-else"),
    ("marque if 1 al pw k4 then stop then k5", "plan-after-end"),
    ("marque if 1 al pw k4 or k4 then h2", "plan-replied"),
    ("marque if 1 al pw k4 or", "plan-missing-move"),
    ("marque if 1 al pw k4", "plan-missing-then"),
    ("marque if 1 al pw k4 then", "plan-missing-reply"),
];

#[test]
fn every_error_is_reachable_and_has_a_message() {
    let mut lines: Vec<(String, &str)> = ERRORS.iter().map(|(line, code)| ((*line).to_owned(), *code)).collect();
    lines.push(("x".repeat(1_001), "long-line"));
    lines.push((format!("message al pw {}", "bob ".repeat(21)), "many-recipients"));
    let branches = (0..201).map(|i| format!("k{i} then h2")).collect::<Vec<_>>().join(";");
    lines.push((format!("marque if 1 al pw {branches}"), "plan-branches"));
    lines.push((format!("marque if 1 al pw {}", vec!["k4 then h2"; 31].join(" then ")), "plan-depth"));
    for (line, code) in &lines {
        let error = parse(line).expect_err(line);
        assert_eq!(error.message.code, format!("command.{code}"), "{line}: {error:?}");
        assert!(words(&error.message).ends_with('.'), "{line}: {}", words(&error.message));
    }
    let composer = Composer::new(None, None).unwrap();
    for code in composer.message_codes().filter_map(|code| code.strip_prefix("command.")) {
        // The lists of a setting's values occur only inside other messages. A password with a quote can only be an
        // argument in a shell, not part of a line.
        let elsewhere = code.starts_with("values-of-") || ["password-dash", "password-quote"].contains(&code);
        assert!(
            elsewhere || lines.iter().any(|(_, reached)| *reached == code),
            "no line causes the message command.{code}"
        );
    }
    for password in ["-pass", "pa\"ss"] {
        assert!(words(&Password::flaw(password).unwrap()).starts_with("A password cannot"));
    }
}

#[test]
fn a_message_has_at_most_twenty_recipients() {
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
