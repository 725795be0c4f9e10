//! Data moved to another database, and data erased when a player leaves.

use turnpost::command::MailForm;
use turnpost::token::Key;

use super::*;

fn notice(address: &str, due_at: Option<DateTime<Utc>>) -> NewNotice {
    NewNotice {
        player: None,
        address: Some(address.into()),
        kind: "answer".into(),
        board: Some(BoardNumber(1)),
        entry: Some(EntryNumber(0)),
        facts: format!("{{\"text\":\"To {address}\"}}"),
        in_reply_to: Some("<a@x>".into()),
        domain: "x.example".into(),
        created_at: at(1),
        due_at,
    }
}

fn mail(id: i64, closed: Option<(VerdictKind, &str)>) -> KeptMail {
    let verdict = |(kind, identity): (VerdictKind, &str)| {
        let (sender, identity) = (Some("a@example.org".into()), Some(identity.to_owned()));
        (Verdict { kind, sender, identity, commands: "move".into(), reason: "done".into() }, at(3))
    };
    let raw = closed.is_none_or(|(kind, _)| kind == VerdictKind::Poison).then(|| b"raw\xff".to_vec());
    let refusals = if closed.is_some() { vec![("move".into(), "late".into())] } else { Vec::new() };
    let effect = |kind, item| MailEffect { kind, board: Some(BoardNumber(1)), item };
    let effects = match closed {
        Some((VerdictKind::Done, _)) => {
            vec![effect(EffectKind::Comment, 2), effect(EffectKind::Answer, 1), effect(EffectKind::Notice, 7)]
        }
        _ => Vec::new(),
    };
    KeptMail {
        id: InboxId(id),
        received_at: at(2),
        source: MailSource::Lmtp,
        truncated: true,
        attempts: 2,
        author: Some(PlayerId(1)),
        raw,
        closed: closed.map(verdict),
        refusals,
        effects,
    }
}

pub fn stored_messages_are_returned_by_number(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let sent = KeptNotice {
        id: OutboxId(7),
        notice: notice("a@example.org", None),
        held: false,
        letter: Some(OutboxId(9)),
        bound_at: Some(at(4)),
        attempts: 3,
        sent_at: Some(at(5)),
        error: Some("slow".into()),
        sent_as: Some(SentAs { form: MailForm::Html, zone: "Europe/Berlin".into() }),
        deliveries: vec![Delivery {
            address: "a@example.org".into(),
            state: DeliveryState::Bounced,
            at: at(6),
            error: Some("5.1.1".into()),
        }],
    };
    let leading = KeptNotice { id: OutboxId(9), deliveries: Vec::new(), ..sent.clone() };
    for kept in [&sent, &leading] {
        tx.restore_notice(kept).unwrap();
    }
    assert!(tx.restore_letter(OutboxId(7), OutboxId(8)).is_err(), "there is no letter 8");
    for notice in [7, 9] {
        tx.restore_letter(OutboxId(notice), OutboxId(9)).unwrap();
    }
    let back = tx.next_notice(OutboxId(0)).unwrap().unwrap();
    assert_eq!(format!("{back:?}"), format!("{sent:?}"));
    assert_eq!(tx.letter(OutboxId(9)).unwrap().len(), 2);
    assert!(tx.next_notice(OutboxId(9)).unwrap().is_none());

    // Effects of mail. There are other comments, so that the second one of board 1 has another id.
    let other = tx.add_board(&board([instance.bob, instance.alice])).unwrap();
    for board in [other, BoardNumber(1), BoardNumber(1)] {
        let (entry, player, text) = (EntryNumber(0), instance.alice, "hello".into());
        tx.add_comment(&Comment { board, entry, player, text, said_at: at(1) }).unwrap();
    }
    let proposals = [other, BoardNumber(1)].map(|board| KeptProposal {
        made: MadeProposal {
            board,
            entry: EntryNumber(0),
            proposal: Proposal { kind: ProposalKind::Draw, by: Seat::Second },
            via: Via::Web,
            made_at: at(1),
        },
        answer: Some((ProposalAnswer::Rejected, at(2))),
    });
    for kept in &proposals {
        tx.restore_proposal(kept).unwrap();
    }
    assert_eq!(tx.proposals(BoardNumber(1)).unwrap(), proposals[1..]);
    let mails = [mail(4, None), mail(6, Some((VerdictKind::Done, "one"))), mail(8, Some((VerdictKind::Poison, "two")))];
    for kept in &mails {
        tx.restore_mail(kept).unwrap();
    }
    let second = tx.restore_mail(&mail(9, Some((VerdictKind::Done, "one"))));
    assert!(matches!(second, Err(StoreError::SecondCopy(6))), "{second:?}");
    let mut last = InboxId(0);
    for kept in &mails {
        let back = tx.next_mail(last).unwrap().unwrap();
        assert_eq!(format!("{back:?}"), format!("{kept:?}"));
        last = back.id;
    }
    assert!(tx.next_mail(last).unwrap().is_none());
    assert_eq!(tx.waiting_after(InboxId(0), 9).unwrap().len(), 1);
    assert!(tx.put_mail_back(InboxId(8)).unwrap());
}

pub fn numbers_and_keys_go_on_in_another_database(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    tx.restore_player(PlayerId(12), "carol", "x", at(0)).unwrap();
    assert!(refuses(&mut tx, |tx| tx.restore_player(PlayerId(12), "dora", "x", at(0))), "the number is taken");
    let last = LastNumbers { players: 20, notices: 30, mails: 40, links: 50, changes: 60, calls: 70 };
    tx.set_last_numbers(&last).unwrap();
    assert_eq!(tx.last_numbers().unwrap(), last);
    // They never decrease.
    tx.set_last_numbers(&LastNumbers::default()).unwrap();
    assert_eq!(tx.last_numbers().unwrap(), last);
    assert_eq!(tx.add_player("dora", "x", at(0)).unwrap(), PlayerId(21));
    assert_eq!(tx.add_notice(&notice("a@example.org", Some(at(9)))).unwrap(), OutboxId(31));
    assert_eq!(tx.add_mail(b"raw", false, MailSource::Pipe, at(0)).unwrap(), InboxId(41));

    let before = tx.reply_key().unwrap();
    tx.set_keys("feed", None).unwrap();
    assert_eq!((tx.server_id().unwrap().as_str(), tx.reply_key().unwrap().expose()), ("feed", before.expose()));
    tx.set_keys("cafe", Some(&Key::new([7; 32]))).unwrap();
    assert_eq!((tx.server_id().unwrap().as_str(), tx.reply_key().unwrap().expose()), ("cafe", &[7; 32]));

    tx.add_address(instance.bob, "b@example.org", Some("sesame"), at(3)).unwrap();
    let awaited = AwaitedCode { address: "b@example.org".into(), code: "sesame".into(), added_at: at(3) };
    assert_eq!(tx.awaited_codes(instance.bob).unwrap(), [awaited]);
    tx.set_turn_letter(instance.bob, BoardNumber(1), EntryNumber(4)).unwrap();
    assert_eq!(tx.turn_letters(instance.bob).unwrap(), [(BoardNumber(1), EntryNumber(4))]);
}

pub fn an_address_is_erased_when_nothing_is_under_way(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let before = tx.add_mail(b"raw", false, MailSource::Pipe, at(0)).unwrap();
    let letter = tx.add_notice(&notice("Old@example.org", Some(at(1)))).unwrap();
    tx.bind_letter(&[letter], at(1)).unwrap();
    tx.add_left_address("old@example.org", at(2)).unwrap();
    let later = tx.add_mail(b"raw", false, MailSource::Pipe, at(3)).unwrap();
    assert!(tx.left_addresses(9).unwrap().is_empty(), "a letter is due, and a mail waits");
    tx.erase_address("old@example.org", "gone").unwrap();
    assert_eq!(tx.letter(letter).unwrap()[0].address.as_deref(), Some("Old@example.org"), "it is still to be sent");
    let error = Some("old@example.org: no such user".into());
    let bounced = Delivery { address: "old@example.org".into(), state: DeliveryState::Refused, at: at(4), error };
    tx.set_delivery(letter, &bounced).unwrap();
    tx.letter_failed(letter, "<OLD@example.org>: no such user", None).unwrap();
    assert!(tx.left_addresses(9).unwrap().is_empty(), "a mail waits");
    let verdict = |identity: &str| {
        let (sender, identity) = (Some("OLD@example.org".into()), Some(identity.to_owned()));
        let (commands, reason) = ("show old@example.org".into(), "old@example.org is none".into());
        Verdict { kind: VerdictKind::Refused, sender, identity, commands, reason }
    };
    tx.close_mail(before, &verdict("one"), at(4)).unwrap();
    assert_eq!(tx.left_addresses(9).unwrap(), ["old@example.org"]);

    tx.erase_address("old@example.org", "gone").unwrap();
    tx.change_texts("OLD@example.org", &|text| text.to_lowercase().replace("old@example.org", "gone")).unwrap();
    tx.remove_left_address("OLD@example.org").unwrap();
    assert!(tx.left_addresses(9).unwrap().is_empty());
    let told = &tx.letter(letter).unwrap()[0];
    assert_eq!((told.address.as_deref(), told.error.as_deref()), (Some("gone"), Some("<gone>: no such user")));
    assert!(tx.deliveries(letter).unwrap().is_empty());
    let rows = tx.inbox(9).unwrap();
    let closed = rows.iter().find(|row| row.id == before).unwrap().verdict.as_ref().unwrap();
    assert_eq!(
        (&closed.sender, closed.commands.as_str(), closed.reason.as_str()),
        (&None, "show gone", "gone is none")
    );
    assert_eq!(tx.mail_seen("one").unwrap(), Some(before), "a second copy is still known");
    assert!(tx.waiting(later).unwrap().is_some());
}
