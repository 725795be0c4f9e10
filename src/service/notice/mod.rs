//! Notices: their recipients, their timing, and the addresses where players are reachable.

pub(in crate::service) mod answer;
pub(in crate::service) mod facts;
pub(in crate::service) mod kind;
pub(in crate::service) mod letter;
pub(in crate::service) mod notices;
pub(in crate::service) mod reach;
pub(in crate::service) mod rhythm;
pub(in crate::service) mod strangers;
pub(in crate::service) mod unsubscribe;
pub(in crate::service) mod webhooks;
