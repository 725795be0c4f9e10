//! Accounts: signing up, settings, and who asks.

pub(in crate::service) mod identity;
pub(in crate::service) mod login;
pub(in crate::service) mod profile;
pub(in crate::service) mod settings;
pub(in crate::service) mod signup;
