//! The history of messages, proposals and settings that administrators can read.

use turnpost::command::{MailForm, Settings, ZoneName};

use super::*;

const ALL: ReportPage = ReportPage { skip: 0, most: 99 };

/// Returns the values in a column of a report, as JSON.
fn column(tx: &Transaction<'_>, report: &Report<'_>, name: &str) -> Vec<String> {
    let rows = tx.report(report, ALL).unwrap();
    rows.iter().map(|row| cell(row, name)).collect()
}

/// Returns a row's value in a column, as JSON.
fn cell(row: &ReportRow, name: &str) -> String {
    row.0.iter().find(|(column, _)| column == name).unwrap().1.to_string()
}

fn notice(player: PlayerId) -> NewNotice {
    NewNotice {
        player: Some(player),
        address: None,
        kind: "move".into(),
        board: Some(BoardNumber(1)),
        entry: Some(EntryNumber(1)),
        facts: "{}".into(),
        in_reply_to: None,
        domain: "example.org".into(),
        created_at: at(5),
        due_at: Some(at(5)),
    }
}

fn proposal(tx: &mut Transaction<'_>, by: Seat) {
    let proposal = Proposal { kind: ProposalKind::Draw, by };
    let (board, entry) = (BoardNumber(1), tx.board(BoardNumber(1)).unwrap().unwrap().entries);
    tx.add_proposal(&MadeProposal { board, entry, proposal, via: Channel::Mail, made_at: at(3) }).unwrap();
}

pub fn effects_of_a_message_are_found_until_it_is_closed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let mail = tx.add_mail(b"raw", false, MailSource::Pipe, at(1)).unwrap();
    tx.add_notice(&notice(alice)).unwrap();
    tx.begin_mail(mail);
    tx.set_mail_author(mail, bob).unwrap();
    tx.add_refusal(mail, "move 1 bob *** z9", "no such cell").unwrap();
    assert_eq!(tx.add_board(&board([alice, bob])).unwrap(), BoardNumber(2));
    proposal(&mut tx, Seat::Second);
    tx.answer_proposal(BoardNumber(1), ProposalAnswer::Withdrawn, at(4)).unwrap();
    tx.add_notice(&notice(alice)).unwrap();
    let verdict = Verdict {
        kind: VerdictKind::Done,
        sender: Some("b@example.org".into()),
        identity: None,
        commands: String::new(),
        reason: "read.".into(),
    };
    tx.close_mail(mail, &verdict, at(4)).unwrap();
    tx.add_notice(&notice(bob)).unwrap();
    let actions = column(&tx, &Report::MailActions(mail), "action");
    assert_eq!(actions, [r#""refused""#, r#""board""#, r#""proposal""#, r#""withdrawn""#, r#""letter""#]);
    let row = tx
        .report(&Report::Inbox { from: Some("BOB"), on: None, refused: true, quarantined: false }, ALL)
        .unwrap()
        .remove(0);
    assert_eq!(cell(&row, "reason"), r#""read. move 1 bob *** z9: no such cell""#);
    assert!(
        tx.report(&Report::Inbox { from: Some("alice"), on: None, refused: false, quarantined: true }, ALL)
            .unwrap()
            .is_empty()
    );
    let part = ReportPage { skip: 1, most: 1 };
    let letters = Report::Letters { to: None, undelivered: true };
    assert_eq!(cell(&tx.report(&letters, part).unwrap()[0], "mail"), "1");
    assert_eq!(column(&tx, &letters, "mail"), ["null", "1", "null"]);
}

pub fn a_proposal_has_one_answer(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let story = |tx: &Transaction<'_>| column(tx, &Report::Story(BoardNumber(1)), "event");
    tx.answer_proposal(BoardNumber(1), ProposalAnswer::Rejected, at(4)).unwrap();
    assert_eq!(story(&tx), [r#""challenge""#], "there is no proposal to answer");
    proposal(&mut tx, Seat::First);
    assert!(column(&tx, &Report::Story(BoardNumber(1)), "what").contains(&r#""draw, open""#.to_owned()));
    tx.answer_proposal(BoardNumber(1), ProposalAnswer::Rejected, at(4)).unwrap();
    tx.answer_proposal(BoardNumber(1), ProposalAnswer::Accepted, at(5)).unwrap();
    let events = story(&tx);
    assert!(
        events.contains(&r#""rejected""#.to_owned()) && !events.contains(&r#""accepted""#.to_owned()),
        "{events:?}"
    );
    let rejected = events.iter().position(|event| event == r#""rejected""#).unwrap();
    assert_eq!(column(&tx, &Report::Story(BoardNumber(1)), "player")[rejected], r#""bob""#);
    // A move ends an open proposal.
    proposal(&mut tx, Seat::First);
    append(&mut tx, 1, &entry(1, EntryKind::Move, 1, Some(Seat::First)), Some(Seat::Second)).unwrap();
    tx.answer_proposal(BoardNumber(1), ProposalAnswer::Accepted, at(9)).unwrap();
    let what = column(&tx, &Report::Story(BoardNumber(1)), "what");
    assert!(what.contains(&r#""draw, lapsed""#.to_owned()), "{what:?}");
    assert!(!story(&tx).contains(&r#""accepted""#.to_owned()));
}

pub fn the_settings_when_a_letter_was_sent_are_stored(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let letter = tx.add_notice(&notice(alice)).unwrap();
    tx.bind_letters(&[&[letter]], at(1)).unwrap();
    assert_eq!(tx.sent_as(letter).unwrap(), None);
    let settings = tx.player_by_id(alice).unwrap().unwrap().settings;
    let then = Settings { mail: MailForm::Text, zone: ZoneName("Asia/Tokyo".into()), ..settings.clone() };
    tx.set_settings(alice, &then).unwrap();
    tx.letters_sent(&[letter], at(6)).unwrap();
    tx.set_settings(alice, &settings).unwrap();
    assert_eq!(tx.sent_as(letter).unwrap(), Some(then));
    assert!(tx.resend(letter, at(7)).unwrap());
    assert_eq!(tx.sent_as(letter).unwrap(), None, "the letter is sent again with the current settings");
}
