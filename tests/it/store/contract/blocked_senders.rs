//! Blocked addresses and domains.

use super::*;

pub fn a_sender_is_blocked_until_it_is_unblocked(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let blocked = |sender: &str, minute: i64, reason: &str| BlockedSender {
        sender: sender.to_owned(),
        blocked_at: at(minute),
        reason: reason.to_owned(),
    };
    for block in [blocked("b@x.example", 1, ""), blocked("@x.example", 2, "floods"), blocked("b@x.example", 3, "rude")]
    {
        tx.block_sender(&block).unwrap();
    }
    let both = [blocked("@x.example", 2, "floods"), blocked("b@x.example", 3, "rude")];
    assert_eq!(tx.blocked_senders().unwrap(), both);
    let among = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        tx.blocked_among(&names).unwrap()
    };
    assert_eq!(among(&["a@x.example", "@x.example", "@example"]), both[..1]);
    assert_eq!((among(&["a@y.example", "@y.example"]), among(&[])), (Vec::new(), Vec::new()));
    assert_eq!([tx.unblock_sender("@x.example").unwrap(), tx.unblock_sender("@x.example").unwrap()], [true, false]);
    assert_eq!(tx.blocked_senders().unwrap(), both[1..]);
}
