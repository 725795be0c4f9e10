//! Leases of work.

use chrono::{DateTime, Utc};

use super::{Session, Time, all, one, params, run};
use crate::store::leases::latest_end;
use crate::store::{Lease, Leases, NodeName, Result, ServingNode, Work};

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

impl<S: Session> Leases for S {
    fn take_lease(&mut self, work: &Work, lease: &Lease, now: DateTime<Utc>) -> Result<bool> {
        let Lease { node, expires_at } = lease;
        let params = params![work.to_string(), node.0, Time(*expires_at), Time(now), Time(latest_end(now))];
        Ok(run(self.writable_shared()?, TAKE, params)? > 0)
    }

    fn has_lease(&self, work: &Work, node: &NodeName) -> Result<bool> {
        Ok(one(self.db(), HAS, params![work.to_string(), node.0], |_| Ok(()))?.is_some())
    }

    fn renew_leases(&mut self, lease: &Lease) -> Result<()> {
        let db = self.writable_shared()?;
        let sql = format!("{RENEW}{})", db.skip_locked());
        run(db, &sql, params![lease.node.0, Time(lease.expires_at)])?;
        Ok(())
    }

    fn release_lease(&mut self, work: &Work, node: &NodeName) -> Result<()> {
        let sql = "DELETE FROM leases WHERE work = ?1 AND node = ?2";
        run(self.writable_shared()?, sql, params![work.to_string(), node.0])?;
        Ok(())
    }

    fn has_leases(&self, node: &NodeName) -> Result<bool> {
        Ok(one(self.db(), HAS_ANY, params![node.0], |_| Ok(()))?.is_some())
    }

    fn release_leases(&mut self, node: &NodeName) -> Result<()> {
        run(self.writable()?, "DELETE FROM leases WHERE node = ?1", params![node.0])?;
        Ok(())
    }

    fn forget_expired_leases(&mut self, now: DateTime<Utc>) -> Result<()> {
        let db = self.writable_shared()?;
        let sql = format!("{FORGET}{})", db.skip_locked());
        run(db, &sql, params![Time(now), Time(latest_end(now))])?;
        Ok(())
    }

    fn serving_nodes(&self, now: DateTime<Utc>) -> Result<Vec<ServingNode>> {
        all(self.db(), SERVING, params![Time(now), Time(latest_end(now))], |row| {
            Ok(ServingNode { node: NodeName(row.get(0)?), expires_at: row.get::<Time>(1)?.0 })
        })
    }
}
