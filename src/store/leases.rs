//! Leases: exclusive rights of nodes to pieces of work.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::{Texts, all, from_fields, one, params, run, run_later, stored_as};
use super::{OutboxId, PlayerId, Result, Transaction};
use crate::clock::TOLERATED;
use crate::numbers::BoardNumber;

/// The lifetime of a lease. If a node stops renewing its lease, another node can take the work after this time.
const TIME: TimeDelta = TimeDelta::seconds(20);

/// A piece of work that can be leased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Sending letters to a player, in order.
    LettersTo(PlayerId),
    /// Sending a letter to an address without a player.
    Letter(OutboxId),
    /// Calling a player's webhook.
    Webhook(PlayerId),
    /// Choosing a computer player's move.
    Robot(BoardNumber),
    /// Computing the analysis of a board.
    Analysis(BoardNumber),
    /// Fetching mail from the mailbox.
    Mailbox,
    /// On PostgreSQL, each node that runs `turnpost serve` has this lease, which shows that the node is running.
    Serving(NodeName),
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // The SQL statement for due letters builds these two texts too. Keep both the same.
            Work::LettersTo(PlayerId(id)) => write!(f, "letters to {id}"),
            Work::Letter(OutboxId(id)) => write!(f, "letter {id}"),
            Work::Webhook(PlayerId(id)) => write!(f, "webhook of {id}"),
            Work::Robot(board) => write!(f, "robot at {board}"),
            Work::Analysis(board) => write!(f, "analysis of {board}"),
            Work::Mailbox => f.write_str("mailbox"),
            Work::Serving(node) => write!(f, "serving {node}"),
        }
    }
}

/// The owner of a lease, and its end.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The node.
    pub node: NodeName,
    /// The end of the lease, unless it is renewed. After that, another node can take it.
    pub expires_at: DateTime<Utc>,
}

impl Lease {
    /// Returns the lease that a node takes or renews at `now`.
    pub fn of(node: &NodeName, now: DateTime<Utc>) -> Lease {
        Lease { node: node.clone(), expires_at: now + TIME }
    }
}

/// Returns the latest end that a lease can have at `now`. A later end was set by a node with a fast clock. Such a lease
/// is treated as expired, because the node may have died before its clock was corrected.
pub(crate) fn latest_end(now: DateTime<Utc>) -> DateTime<Utc> {
    now + TIME + TOLERATED
}

const TAKE: &str = " WHERE true \
     ON CONFLICT (work) DO UPDATE SET node = excluded.node, expires_at = excluded.expires_at \
     WHERE leases.node = excluded.node OR leases.expires_at <= ?4 OR leases.expires_at > ?5 RETURNING work";
pub(crate) const HAS: &str = "SELECT 1 FROM leases WHERE work = ?1 AND node = ?2";
const HAS_ANY: &str = "SELECT 1 FROM leases WHERE node = ?1 LIMIT 1";
pub(crate) const SERVING: &str = "SELECT node, expires_at FROM leases WHERE work >= 'serving ' AND work < 'serving!' \
     AND expires_at > ?1 AND expires_at <= ?2 ORDER BY node";

stored_as!(String: NodeName);
from_fields!(Lease { node, expires_at });

impl Transaction<'_> {
    /// Takes or renews a lease. Returns false if another node has a lease that has not expired at `now`. A lease that
    /// ends later than `latest_end` is treated as expired.
    pub fn take_lease(&mut self, work: &Work, lease: &Lease, now: DateTime<Utc>) -> Result<bool> {
        Ok(!self.take_leases(std::slice::from_ref(work), lease, now)?.is_empty())
    }

    /// Takes leases as [`Transaction::take_lease`] does, and returns the leased work.
    pub fn take_leases(&mut self, works: &[Work], lease: &Lease, now: DateTime<Utc>) -> Result<Vec<Work>> {
        let db = self.writable_queue()?;
        let Lease { node, expires_at } = lease;
        // Remove duplicates, because an SQL statement cannot change a row twice.
        let names: BTreeSet<String> = works.iter().map(Work::to_string).collect();
        let values = db.texts("?1");
        let sql = format!(
            "INSERT INTO leases (work, node, expires_at) \
             SELECT value, CAST(?2 AS TEXT), CAST(?3 AS TEXT) FROM ({values}) AS works{TAKE}"
        );
        let names = Texts(names.into_iter().collect());
        let params = params![names, node, expires_at, now, latest_end(now)];
        let taken: Vec<String> = all(db, &sql, params)?;
        Ok(works.iter().filter(|work| taken.contains(&work.to_string())).cloned().collect())
    }

    /// Returns whether this node has the lease. An expired lease still belongs to its node until another node takes it.
    pub fn has_lease(&self, work: &Work, node: &NodeName) -> Result<bool> {
        Ok(one::<()>(self.db(), HAS, params![work.to_string(), node])?.is_some())
    }

    /// Renews all leases of a node.
    pub fn renew_leases(&mut self, lease: &Lease) -> Result<()> {
        let sql = "UPDATE leases SET expires_at = ?2 WHERE node = ?1";
        run(self.writable_queue()?, sql, params![lease.node, lease.expires_at]).map(drop)
    }

    /// Releases this lease, if the node has it.
    pub fn release_lease(&mut self, work: &Work, node: &NodeName) -> Result<()> {
        let sql = "DELETE FROM leases WHERE work = ?1 AND node = ?2";
        run_later(self.writable_queue()?, sql, params![work.to_string(), node])
    }

    /// Returns whether a node has any lease.
    pub fn has_leases(&self, node: &NodeName) -> Result<bool> {
        Ok(one::<()>(self.db(), HAS_ANY, params![node])?.is_some())
    }

    /// Releases all leases of a node.
    pub fn release_leases(&mut self, node: &NodeName) -> Result<()> {
        run(self.writable()?, "DELETE FROM leases WHERE node = ?1", params![node]).map(drop)
    }

    /// Deletes leases that have expired at `now`, and those that end later than `latest_end`.
    pub fn forget_expired_leases(&mut self, now: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM leases WHERE expires_at <= ?1 OR expires_at > ?2";
        run(self.writable_queue()?, sql, params![now, latest_end(now)]).map(drop)
    }

    /// Lists the leases of [`Work::Serving`] at `now`, by node.
    pub fn serving_nodes(&self, now: DateTime<Utc>) -> Result<Vec<Lease>> {
        all(self.db(), SERVING, params![now, latest_end(now)])
    }
}

/// The name of a node: a process that works on a database. Names are never reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName(pub String);

impl Display for NodeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
