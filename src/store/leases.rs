//! Leases: which node does a piece of work that several must not do at a time.

use std::fmt::{self, Display, Formatter};

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::{Time, all, one, params, run};
use super::{NodeName, OutboxId, PlayerId, Result, Transaction};
use crate::clock::TOLERATED;
use crate::numbers::BoardNumber;

/// How long a lease lasts unless it is renewed: after that, the work of a node that is gone is done by another.
const TIME: TimeDelta = TimeDelta::seconds(20);

/// A piece of work that is leased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Sending letters to a player, which leave in order.
    LettersTo(PlayerId),
    /// Sending a letter to an address that is no player's.
    Letter(OutboxId),
    /// Calling a player's webhook.
    Webhook(PlayerId),
    /// Choosing a computer player's move.
    Robot(BoardNumber),
    /// Making the analysis of a board.
    Analysis(BoardNumber),
    /// Taking mails from the mailbox at a mail server.
    Mailbox,
    /// Nothing in particular: the node, a `turnpost serve`, says that it is there.
    Serving(NodeName),
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // Both stores compare these two with what they make of a row.
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

/// Who leases, and how long.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The node.
    pub node: NodeName,
    /// The end, unless it is renewed. Then another node may do the work.
    pub expires_at: DateTime<Utc>,
}

impl Lease {
    /// The lease that a node takes or renews at `now`.
    pub fn of(node: &NodeName, now: DateTime<Utc>) -> Lease {
        Lease { node: node.clone(), expires_at: now + TIME }
    }
}

/// Returns the latest end of a lease that a node has at `now`. One that ends later was taken by a node whose clock was ahead,
/// and has expired: that node may have died before its clock was corrected.
pub(super) fn latest_end(now: DateTime<Utc>) -> DateTime<Utc> {
    now + TIME + TOLERATED
}

/// A node that says it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServingNode {
    /// Its name.
    pub node: NodeName,
    /// Until when it is believed.
    pub expires_at: DateTime<Utc>,
}

const TAKE: &str = "INSERT INTO leases (work, node, expires_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (work) DO UPDATE SET node = excluded.node, expires_at = excluded.expires_at \
     WHERE leases.node = excluded.node OR leases.expires_at <= ?4 OR leases.expires_at > ?5";
/// Those that another transaction is changing are given back or taken just now; to wait for them could be for ever.
const RENEW: &str = "UPDATE leases SET expires_at = ?2 WHERE work IN (SELECT work FROM leases WHERE node = ?1";
const FORGET: &str =
    "DELETE FROM leases WHERE work IN (SELECT work FROM leases WHERE expires_at <= ?1 OR expires_at > ?2";
pub(super) const HAS: &str = "SELECT 1 FROM leases WHERE work = ?1 AND node = ?2";
const HAS_ANY: &str = "SELECT 1 FROM leases WHERE node = ?1 LIMIT 1";
pub(super) const SERVING: &str = "SELECT node, expires_at FROM leases WHERE work >= 'serving ' AND work < 'serving!' \
     AND expires_at > ?1 AND expires_at <= ?2 ORDER BY node";

/// Leases of work.
///
/// Needs: of two transactions that take the lease of the same work at the same time, one gets it.
impl Transaction<'_> {
    /// Takes the lease of this work, or renews it; false when another node has it, and it has not expired at `now`. A lease that
    /// ends later than any that was taken at `now` has expired, too: a clock was ahead.
    pub fn take_lease(&mut self, work: &Work, lease: &Lease, now: DateTime<Utc>) -> Result<bool> {
        let Lease { node, expires_at } = lease;
        let params = params![work.to_string(), node.0, Time(*expires_at), Time(now), Time(latest_end(now))];
        Ok(run(self.writable_shared()?, TAKE, params)? > 0)
    }

    /// Whether this node has the lease. One that has expired, and that nobody else has taken, is still its own.
    pub fn has_lease(&self, work: &Work, node: &NodeName) -> Result<bool> {
        Ok(one(self.db(), HAS, params![work.to_string(), node.0], |_| Ok(()))?.is_some())
    }

    /// Renews the leases that a node has.
    pub fn renew_leases(&mut self, lease: &Lease) -> Result<()> {
        let db = self.writable_shared()?;
        let sql = format!("{RENEW}{})", db.skip_locked());
        run(db, &sql, params![lease.node.0, Time(lease.expires_at)])?;
        Ok(())
    }

    /// Gives back the lease of this work, if this node has it.
    pub fn release_lease(&mut self, work: &Work, node: &NodeName) -> Result<()> {
        let sql = "DELETE FROM leases WHERE work = ?1 AND node = ?2";
        run(self.writable_shared()?, sql, params![work.to_string(), node.0])?;
        Ok(())
    }

    /// Whether a node has any lease.
    pub fn has_leases(&self, node: &NodeName) -> Result<bool> {
        Ok(one(self.db(), HAS_ANY, params![node.0], |_| Ok(()))?.is_some())
    }

    /// Gives back every lease that a node has.
    pub fn release_leases(&mut self, node: &NodeName) -> Result<()> {
        run(self.writable()?, "DELETE FROM leases WHERE node = ?1", params![node.0])?;
        Ok(())
    }

    /// Removes what expired before `now`.
    pub fn forget_expired_leases(&mut self, now: DateTime<Utc>) -> Result<()> {
        let db = self.writable_shared()?;
        let sql = format!("{FORGET}{})", db.skip_locked());
        run(db, &sql, params![Time(now), Time(latest_end(now))])?;
        Ok(())
    }

    /// Lists the nodes that are there at `now`, by name.
    pub fn serving_nodes(&self, now: DateTime<Utc>) -> Result<Vec<ServingNode>> {
        all(self.db(), SERVING, params![Time(now), Time(latest_end(now))], |row| {
            Ok(ServingNode { node: NodeName(row.get(0)?), expires_at: row.get::<Time>(1)?.0 })
        })
    }
}
