//! The thread that stores mails: all mails that are queued become one transaction. While the disk is busy with one
//! transaction, the next mails gather; a single mail is stored at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender};

use crate::mail::inbound::raw::RawMail;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, receive_all};
use crate::store::{MailSource, Store};
use crate::world::World;

/// A mail, and the session that waits to hear whether it is on disk.
pub(super) struct Queued {
    pub mail: RawMail,
    pub result: SyncSender<bool>,
}

/// Stores mails until no session is left that could queue one; `wake` is called after each transaction.
pub(super) fn run(queue: &Receiver<Queued>, store: &mut dyn Store, world: World, wake: &dyn Fn()) {
    while let Ok(first) = queue.recv() {
        let mut octets = first.mail.len();
        let (mut mails, mut waiting) = (vec![first.mail], vec![first.result]);
        while mails.len() < BATCH_MAILS
            && octets < BATCH_OCTETS
            && let Ok(next) = queue.try_recv()
        {
            octets += next.mail.len();
            mails.push(next.mail);
            waiting.push(next.result);
        }
        // A panic must not leave the sessions without this thread.
        let kept = catch_unwind(AssertUnwindSafe(|| receive_all(store, &mails, MailSource::Lmtp, (world.now)())));
        let kept = match kept {
            Ok(Ok(Numbers { first, last })) => {
                tracing::info!(mails = mails.len(), first, last, octets, "mail kept");
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
        for result in waiting {
            // A session that is gone needs no result: its peer sends the mail again.
            let _ = result.send(kept);
        }
        if kept {
            wake();
        }
    }
}
