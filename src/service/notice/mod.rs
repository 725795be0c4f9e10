//! Notices: their recipients, their timing, and the addresses where players are reachable.

pub(crate) mod answer;
pub(crate) mod facts;
pub(crate) mod kind;
pub(crate) mod letter;
pub(crate) mod notices;
pub(crate) mod reach;
pub(crate) mod unsubscribe;
pub(crate) mod webhooks;
