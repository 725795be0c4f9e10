//! Checks that the messages of a sender, and those about a board, are processed in order of arrival.

use std::collections::BTreeMap;

use anyhow::ensure;

use crate::mail::{Queue, SentMail};

/// A row of the inbox: its number, and the index of its message.
pub(crate) type Row = (i64, usize);

/// Checks the order in which messages are processed.
#[derive(Default)]
pub(crate) struct Order {
    /// The last message of each queue that had an effect.
    last: BTreeMap<Queue, Row>,
}

impl Order {
    /// Checks that no message got a verdict in this step while an earlier message of one of its queues is still
    /// waiting.
    pub(crate) fn closed(&self, closed: &[Row], waiting: &[Row], mails: &[SentMail]) -> anyhow::Result<()> {
        let mut first: BTreeMap<&Queue, Row> = BTreeMap::new();
        for row in waiting {
            for queue in &mails[row.1].queues {
                first.entry(queue).or_insert(*row);
            }
        }
        for row in closed {
            for queue in &mails[row.1].queues {
                let overtaken = first.get(queue).filter(|waiting| *waiting < row);
                ensure!(
                    overtaken.is_none(),
                    "{} got a verdict before {}, which arrived earlier in {queue}",
                    describe(*row, mails),
                    overtaken.map_or_else(String::new, |row| describe(*row, mails)),
                );
            }
        }
        Ok(())
    }

    /// Records that a message had an effect, and checks that no later message of its queues had an effect before it.
    pub(crate) fn acted(&mut self, row: Row, mails: &[SentMail]) -> anyhow::Result<()> {
        for queue in &mails[row.1].queues {
            let last = self.last.entry(queue.clone()).or_insert(row);
            let both = [row, *last].map(|row| describe(row, mails));
            ensure!(*last <= row, "{} took effect after {}, which arrived later in {queue}", both[0], both[1]);
            *last = row;
        }
        Ok(())
    }
}

fn describe((row, mail): Row, mails: &[SentMail]) -> String {
    format!("row {row} (mail {mail}, {})", mails[mail].summary)
}
