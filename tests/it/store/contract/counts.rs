//! The time of the oldest waiting work of each kind.

use super::*;

pub fn the_oldest_work_of_each_queue_is_found(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let oldest = |tx: &Transaction<'_>, robot: &str| tx.oldest_work(&[robot.to_owned(), "nobody".to_owned()]).unwrap();
    assert_eq!(oldest(&tx, "bob"), OldestWork::default());
    assert_eq!(oldest(&tx, "ALICE"), OldestWork { robot: Some(at(1)), ..OldestWork::default() });

    let mails = [3, 2].map(|minute| tx.add_mail(b"raw", false, MailSource::Pipe, at(minute)).unwrap());
    let clock = BoardClock { since: at(1), thinking_time: TimeDelta::zero(), reminded: 0, due_at: Some(at(4)) };
    tx.set_clock(BoardNumber(1), Some(&clock)).unwrap();
    for due in [Some(6), Some(5), None] {
        tx.add_notice(&letters::notice(bob, due)).unwrap();
    }
    let (url, secret) = ("https://bot.example.org/".into(), "th_x".into());
    tx.set_webhook(&Webhook { player: bob, url, secret, created_at: at(1), failures: 0, paused: None }).unwrap();
    for minute in [8, 7] {
        tx.add_webhook_call(bob, BoardNumber(1), EntryNumber(0), at(minute)).unwrap();
    }
    tx.add_board(&NewBoard { created_at: at(9), ..board([bob, alice]) }).unwrap();
    let asked = |asked_at: i64, analysis: Option<&str>| StoredAnalysis {
        board: BoardNumber(1),
        head: "5a".repeat(32),
        asked_at: at(asked_at),
        askers: Vec::new(),
        analysis: analysis.map(str::to_owned),
    };
    tx.put_analysis(&asked(10, None)).unwrap();
    let all = OldestWork {
        mail: Some(at(2)),
        clock: Some(at(4)),
        letter: Some(at(5)),
        webhook_call: Some(at(7)),
        robot: Some(at(9)),
    };
    assert_eq!(oldest(&tx, "bob"), all);
    assert_eq!(oldest(&tx, "carol").robot, Some(at(10)), "an analysis counts as robot work");

    let verdict = Verdict {
        kind: VerdictKind::Done,
        sender: None,
        identity: None,
        commands: String::new(),
        reason: String::new(),
    };
    tx.close_mail(mails[1], &verdict, at(11)).unwrap();
    tx.set_letters_held_at(Some(at(11))).unwrap();
    tx.put_analysis(&asked(10, Some("{}"))).unwrap();
    assert_eq!(oldest(&tx, "carol"), OldestWork { mail: Some(at(3)), letter: None, robot: None, ..all });
    tx.set_letters_held_at(None).unwrap();
    assert_eq!(oldest(&tx, "carol").letter, Some(at(5)));
}
