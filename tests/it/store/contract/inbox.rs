//! Incoming mail and its verdicts.

use super::*;

fn verdict(kind: VerdictKind, identity: &str) -> Verdict {
    let (sender, identity) = (Some("a@example.org".into()), Some(identity.into()));
    Verdict { kind, sender, identity, commands: "move 1 f3".into(), reason: "obeyed".into() }
}

pub fn a_message_is_processed_once(fresh: Fresh) {
    let mut instance = instance(fresh);
    let mut tx = instance.store.write().unwrap();
    let ids: Vec<_> = (0..3).map(|i| tx.add_mail(b"raw\xff", i == 1, MailSource::Pipe, at(i)).unwrap()).collect();
    assert_eq!(tx.count_attempt(ids[0]).unwrap(), 1);
    assert_eq!(tx.waiting_after(ids[1], 9).unwrap(), ids[2..]);
    assert_eq!(tx.waiting_after(InboxId(0), 2).unwrap(), ids[..2]);
    let waiting = tx.waiting_mail(&[ids[1], ids[0], InboxId(99)]).unwrap();
    assert_eq!((waiting.len(), &waiting[0].raw[..], waiting[0].attempts), (2, &b"raw\xff"[..], 1));
    assert!(!waiting[0].truncated && waiting[1].truncated && waiting[1].received_at == at(1));
    tx.close_mail(ids[0], &verdict(VerdictKind::Done, "<m@x>"), at(4)).unwrap();
    assert_eq!(tx.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    let second = tx.close_mail(ids[1], &verdict(VerdictKind::Done, "<m@x>"), at(4)).unwrap_err();
    assert!(matches!(second, StoreError::SecondCopy(first) if first == ids[0].0), "a second copy has no effect");
    tx.close_mail(ids[1], &verdict(VerdictKind::Repeated, "<m@x>"), at(4)).unwrap();
    assert_eq!(tx.mail_seen("<m@x>").unwrap(), Some(ids[0]));
    assert!(
        refuses(&mut tx, |tx| tx.close_mail(ids[0], &verdict(VerdictKind::Done, "<o@x>"), at(4)))
            && tx.count_attempt(ids[0]).is_err()
    );
    let poison = verdict(VerdictKind::Poison, "<p@x>");
    tx.quarantine_mail(ids[2], &poison, at(5)).unwrap();
    assert!(tx.waiting(ids[2]).unwrap().is_none() && refuses(&mut tx, |tx| tx.quarantine_mail(ids[0], &poison, at(5))));
    assert_eq!(tx.quarantined_mail(ids[2]).unwrap().as_deref(), Some(&b"raw\xff"[..]));
    assert!(
        tx.put_mail_back(ids[2]).unwrap() && !tx.put_mail_back(ids[2]).unwrap() && !tx.put_mail_back(ids[0]).unwrap()
    );
    let back = tx.waiting(ids[2]).unwrap().unwrap();
    assert_eq!((&back.raw[..], back.attempts, back.received_at), (&b"raw\xff"[..], 0, at(2)));
    let rows = tx.inbox(9).unwrap();
    assert!(rows[0].verdict.is_none() && rows[1].verdict.as_ref().unwrap().kind == VerdictKind::Repeated);
}
