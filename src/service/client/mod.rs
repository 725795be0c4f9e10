//! Additional functions for players' programs: tokens instead of passwords, and boards as data.

pub(crate) mod boards;
pub(crate) mod tokens;
