//! Players' programs: tokens and webhooks.

pub(in crate::service) mod tokens;
