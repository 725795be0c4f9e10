//! Notices: whom to tell what, and by which way.

pub(in crate::service) mod notices;
pub(in crate::service) mod reach;
pub(in crate::service) mod unsubscribe;
pub(in crate::service) mod webhooks;
