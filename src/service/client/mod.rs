//! Additional functions for players' programs: tokens instead of passwords, and boards as data.

pub(in crate::service) mod boards;
pub(in crate::service) mod tokens;
