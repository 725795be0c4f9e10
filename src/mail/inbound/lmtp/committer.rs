//! One thread that keeps mails: what is queued when it comes to look becomes one transaction. While the disk is busy
//! with one, the next mails gather; alone, a mail waits for nobody.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender};

use crate::mail::inbound::{BATCH, Taken, receive_all};
use crate::store::Store;
use crate::world::World;

/// A mail, and who waits to hear whether it is on disk.
pub(super) struct Queued {
    pub mail: Taken,
    pub tell: SyncSender<bool>,
}

/// Keeps mails until nobody is left who could send one; `wake` hears of each transaction.
pub(super) fn run(queue: &Receiver<Queued>, store: &mut dyn Store, world: World, wake: &dyn Fn()) {
    while let Ok(first) = queue.recv() {
        let mut octets = first.mail.len();
        let (mut mails, mut waiting) = (vec![first.mail], vec![first.tell]);
        while mails.len() < BATCH.0
            && octets < BATCH.1
            && let Ok(next) = queue.try_recv()
        {
            octets += next.mail.len();
            mails.push(next.mail);
            waiting.push(next.tell);
        }
        // A panic must not leave sessions without anybody who keeps their mails.
        let kept = catch_unwind(AssertUnwindSafe(|| receive_all(store, &mails, "lmtp", (world.now)())));
        let kept = match kept {
            Ok(Ok(())) => {
                tracing::info!(mails = mails.len(), octets, "mail kept");
                true
            }
            Ok(Err(error)) => {
                tracing::error!(mails = mails.len(), %error, "mail not kept; the sender is asked to try again");
                false
            }
            Err(_) => {
                tracing::error!(mails = mails.len(), "keeping mail panicked; the sender is asked to try again");
                false
            }
        };
        for tell in waiting {
            // A session that is gone needs no answer: its peer sends a second copy.
            let _ = tell.send(kept);
        }
        if kept {
            wake();
        }
    }
}
