//! Checks that each acknowledged message gets one verdict, and that its copies change nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};

use super::order::{Order, Row};
use crate::mail::SentMail;
use turnpost::store::{InboxId, Transaction, VerdictKind};

/// The model of the inbox.
#[derive(Default)]
pub(crate) struct Mails {
    /// The index of the message in each row of the inbox.
    of_row: BTreeMap<i64, usize>,
    waiting: BTreeSet<i64>,
    verdicts: BTreeMap<i64, VerdictKind>,
    /// The verdict on each message's first copy.
    firsts: BTreeMap<usize, VerdictKind>,
    order: Order,
}

impl Mails {
    /// Finds the row in which the server has stored a message. There must be at most one row, and exactly one if the
    /// server acknowledged the message.
    pub(crate) fn stored(&mut self, tx: &Transaction<'_>, mail: usize, acknowledged: bool) -> anyhow::Result<()> {
        let last = self.of_row.last_key_value().map_or(0, |(row, _)| *row);
        let rows: Vec<i64> = tx.inbox(3)?.into_iter().map(|row| row.id.0).filter(|row| *row > last).collect();
        ensure!(rows.len() < 2, "one message was stored {} times", rows.len());
        ensure!(!acknowledged || rows.len() == 1, "a message was acknowledged but not stored");
        for row in rows {
            self.of_row.insert(row, mail);
            self.waiting.insert(row);
        }
        Ok(())
    }

    /// Reads the verdicts since the last call. Returns the messages that were carried out, and the authors of all
    /// messages with a verdict, except further copies.
    pub(crate) fn closed(
        &mut self,
        tx: &Transaction<'_>,
        mails: &[SentMail],
    ) -> anyhow::Result<(Vec<usize>, BTreeSet<Option<usize>>)> {
        let (Some(first), Some((last, _))) = (self.waiting.first(), self.of_row.last_key_value()) else {
            return Ok((Vec::new(), BTreeSet::new()));
        };
        let mut rows = tx.inbox(u32::try_from(last - first + 1)?)?;
        rows.reverse();
        let (mut done, mut closed) = (Vec::new(), Vec::new());
        for row in rows {
            let Some(verdict) = row.verdict.filter(|_| self.waiting.contains(&row.id.0)) else { continue };
            let mail = self.of_row[&row.id.0];
            self.waiting.remove(&row.id.0);
            self.verdicts.insert(row.id.0, verdict.kind);
            let summary = &mails[mail].summary;
            let first = self.firsts.get(&mail);
            match verdict.kind {
                VerdictKind::Poison => bail!("a message was quarantined: {summary}: {}", verdict.reason),
                VerdictKind::Repeated => ensure!(first.is_some(), "a first copy was marked a duplicate: {summary}"),
                kind => {
                    closed.push((row.id.0, mail));
                    ensure!(first.is_none(), "two copies of a message were treated as the first: {summary}");
                    self.firsts.insert(mail, kind);
                    if kind == VerdictKind::Done {
                        done.push(mail);
                    }
                }
            }
        }
        let waiting: Vec<Row> = self.waiting.iter().map(|row| (*row, self.of_row[row])).collect();
        self.order.closed(&closed, &waiting, mails)?;
        Ok((done, closed.iter().map(|(_, mail)| mails[*mail].author).collect()))
    }

    /// Checks the order of the messages that caused the notices of a step. `rows` are their rows in the inbox.
    pub(crate) fn acted(&mut self, rows: impl Iterator<Item = InboxId>, mails: &[SentMail]) -> anyhow::Result<()> {
        for InboxId(row) in rows {
            let mail = *self.of_row.get(&row).with_context(|| format!("the simulation did not send message {row}"))?;
            self.order.acted((row, mail), mails)?;
        }
        Ok(())
    }

    /// Returns the index of the message in a row of the inbox.
    pub(crate) fn of_row(&self, row: InboxId) -> Option<usize> {
        self.of_row.get(&row.0).copied()
    }

    pub(crate) fn has_verdict(&self, mail: usize) -> bool {
        self.firsts.contains_key(&mail)
    }

    /// Returns whether any message has no verdict yet.
    pub(crate) fn some_wait(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns whether a message was carried out.
    pub(crate) fn is_done(&self, mail: usize) -> bool {
        self.firsts.get(&mail) == Some(&VerdictKind::Done)
    }

    /// Checks that every row of the inbox is known and still has its first verdict.
    pub(crate) fn finish(&self, tx: &Transaction<'_>) -> anyhow::Result<()> {
        let rows = tx.inbox(u32::MAX)?;
        ensure!(
            rows.len() == self.of_row.len(),
            "the inbox must have {} rows, but has {}",
            self.of_row.len(),
            rows.len()
        );
        for row in rows {
            let kind = row.verdict.map(|verdict| verdict.kind);
            ensure!(kind == self.verdicts.get(&row.id.0).copied(), "the verdict of message {} has changed", row.id.0);
        }
        Ok(())
    }
}
