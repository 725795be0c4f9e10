//! Lines with characters that keyboards and mail programs substitute, and typing errors for which only one correction
//! is possible.

use turnpost::command::{Command, GameCommand, Password, parse};

#[test]
fn typographic_characters_are_read_as_plain_ones() {
    for (line, shown) in [
        ("marque move 1 al s3cret \u{201c}f4\u{201d}", "marque move 1 al *** f4"),
        ("marque move 1 al s3cret f4.", "marque move 1 al *** f4"),
        ("marque move 1 al s3cret F4!", "marque move 1 al *** F4"),
        ("marque move 1 al s3cret (f4, e6)", "marque move 1 al *** f4,e6"),
        ("tessella move 1 al \u{2013} e1 \u{2013} e2", "tessella move 1 al - e1-e2"),
        ("tessella move 1 al s3cret e1\u{2212}e2", "tessella move 1 al *** e1-e2"),
        ("tessella move 1 a1 - e1 -e2", "tessella move 1 a1 - e1-e2"),
        ("tessella queue 1 al s3cret f2 \u{d7} c5", "tessella queue 1 al *** f2xc5"),
        ("\u{ff4d}\u{ff41}\u{ff52}\u{ff51}\u{ff55}\u{ff45} move \u{ff11} al s3cret f4", "marque move 1 al *** f4"),
        ("marque if 1 al s3cret \u{201c}k4 then h2; else stop\u{201d}", "marque if 1 al *** \"k4 then h2; else stop\""),
        ("marque challenge \u{2013}opposite al bob", "marque challenge -opposite al bob"),
        ("marque challenge \u{2014}opposite al bob", "marque challenge -opposite al bob"),
        ("marque challenge \u{2014}nagtime=5 \u{2013}unrated al bob", "marque challenge --nagtime=5 --unrated al bob"),
        (
            "marque challenge al bob --say=\u{201c}Good luck \u{2013} and fun\u{201d}",
            "marque challenge al bob --say=\"Good luck \u{2013} and fun\"",
        ),
        ("marque chat 1 al s3cret \u{2014}say=Hi", "marque chat 1 al *** --say=Hi"),
        ("marque help", "help marque"),
        ("Marque list", "list marque"),
        ("show board 1", "show 1"),
        ("marque history board 1", "marque history 1"),
        ("marque qboard 1 al s3cret f4", "marque queue 1 al *** f4"),
    ] {
        let read = parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!(read.shown, shown, "{line}");
    }
}

#[test]
fn passwords_are_not_normalized() {
    for password in
        ["\u{2013}secret", "\u{201c}secret\u{201d}", "\u{ff53}ecret", "se\u{2019}cret.", "(secret)", "board"]
    {
        let read =
            parse(&format!("marque resign 1 al {password}")).unwrap_or_else(|error| panic!("{password}: {error:?}"));
        let Command::Game { command: GameCommand::AtBoard { password: read, .. }, .. } = read.command else {
            panic!("{password}")
        };
        assert!(read == Password::Given(password.to_owned()), "{password}");
    }
}

#[test]
fn typing_errors_get_the_right_suggestion() {
    for (line, nearest) in [
        ("mvoe 1 al s3cret f4", "move"),
        ("delete 1 al s3cret", "decline"),
        ("delete al s3cret", "signoff"),
        ("marque delete 1 al s3cret", "decline"),
        ("marque draw 1 al s3cret", "propose"),
        ("marque signup al s3cret", "signup"),
        ("marque 12 al s3cret f3", "marque move 12 al password f3"),
        ("marque 12", "marque show 12"),
        ("marque challenge -nagtime 5 al bob", "--nagtime=5"),
        ("marque challenge --nagtime 5 al bob", "--nagtime=5"),
        ("brique challenge -size 9 al bob", "-size=9"),
        ("marque add al s3cret a@b.org", "change address"),
        ("add al s3cret a@b.org", "change address"),
        ("rules marque", "help"),
        ("marque games inactive", "all"),
        ("all show al inactive", "all"),
        ("sign up al s3cret", "signup"),
        ("marque challenge --opposite al bob", "-opposite"),
        ("brique challenge --size=9 al bob", "-size=9"),
        ("marque challenge -nagtime=5 al bob", "--nagtime=5"),
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.nearest.as_deref(), Some(nearest), "{line}");
        assert!(!format!("{error:?}").contains("s3cret"), "{line}");
    }
    let error = parse("mvoe 1 al s3cret f4").unwrap_err();
    assert!(error.is_command && error.usage.is_some_and(|usage| usage.starts_with("GAME move")));
    assert!(!parse("Mode 3 works fine here").unwrap_err().is_command);
}
