//! The retention of mail and letters: `keep_messages` and `keep_letters` of the policy.

use chrono::{DateTime, TimeDelta, Utc};

use super::context::Service;
use crate::clock::Span;
use crate::store::{self, Transaction};

/// The number of messages or letters erased in one transaction.
const AT_A_TIME: u32 = 200;

impl Service<'_> {
    /// Erases a few expired messages and letters. Returns their number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_old(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<u32> {
        let kept = |days: u32| (days > 0).then(|| Span::last(TimeDelta::days(days.into()), now));
        let mails = kept(self.policy.keep_messages).map_or(Ok(0), |kept| tx.forget_mails(&kept, AT_A_TIME))?;
        let letters = kept(self.policy.keep_letters).map_or(Ok(0), |kept| tx.forget_letters(&kept, AT_A_TIME))?;
        Ok(mails + letters)
    }
}
