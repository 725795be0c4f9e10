//! Account reports for administrators that are computed outside the store.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::service::account::limits::{Limit, LimitKind};
use crate::service::account::suspicious::{Seen, Suspicion, suspicious};
use crate::service::context::Service;
use crate::store::{self, ReportRow, Transaction};

/// Lists pairs of players who may be one person, with the evidence.
///
/// # Errors
/// If the store fails.
pub fn suspicion_rows(tx: &Transaction<'_>) -> store::Result<Vec<ReportRow>> {
    let rows = suspicious(tx)?.into_iter().map(|Suspicion { player, other, seen }| {
        let seen = match seen {
            Seen::Address(address) => format!("both used {address}"),
            Seen::Browser => "both logged in with the same browser".to_owned(),
            Seen::Lost { boards, of } => format!("{player} lost all {boards} rated boards to {other}, of {of} in all"),
        };
        ReportRow::of([("player", json!(player)), ("other", json!(other)), ("seen", json!(seen))])
    });
    Ok(rows.collect())
}

/// Lists blocked addresses and domains.
///
/// # Errors
/// If the store fails.
pub fn blocked_rows(tx: &Transaction<'_>) -> store::Result<Vec<ReportRow>> {
    let rows = tx.blocked_senders()?.into_iter().map(|blocked| {
        ReportRow::of([
            ("sender", json!(blocked.sender)),
            ("blocked", json!(blocked.blocked_at)),
            ("reason", json!(blocked.reason)),
        ])
    });
    Ok(rows.collect())
}

impl Service<'_> {
    /// Lists the limits in force for these names, or for everybody.
    ///
    /// # Errors
    /// If the store fails.
    pub fn limit_rows(
        &self,
        tx: &Transaction<'_>,
        names: Option<&[String]>,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<ReportRow>> {
        Ok(self.limits(tx, names, now)?.into_iter().map(limit_row).collect())
    }

    /// Lists the limits for these names that an administrator can lift. Limits on answers expire within the hour.
    ///
    /// # Errors
    /// If the store fails.
    pub fn liftable_rows(
        &self,
        tx: &Transaction<'_>,
        names: &[String],
        now: DateTime<Utc>,
    ) -> store::Result<Vec<ReportRow>> {
        let limits = self.limits(tx, Some(names), now)?.into_iter();
        Ok(limits.filter(|limit| limit.kind != LimitKind::Answers).map(limit_row).collect())
    }
}

fn limit_row(Limit { kind, source, of, count, until }: Limit) -> ReportRow {
    ReportRow::of([
        ("limited", json!(words(kind))),
        ("source", json!(source)),
        ("of", json!(of)),
        ("count", json!(count)),
        ("until", json!(until)),
    ])
}

fn words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Passwords => "passwords",
        LimitKind::Tries => "passwords and codes",
        LimitKind::LettersTo => "letters to an address",
        LimitKind::LettersFrom => "letters because of a source",
        LimitKind::PasswordRequests => "requests for passwords",
        LimitKind::PasswordLinks => "links for new passwords",
        LimitKind::LoginLinks => "links to log in",
        LimitKind::Challenges => "boards of a stranger",
        LimitKind::Messages => "messages to a player",
        LimitKind::Reports => "reports",
        LimitKind::Answers => "answers",
        LimitKind::Refusals => "answers to refused mail",
        LimitKind::Paused => "letters to a paused address",
    }
}
