//! What players' programs need beyond the command language: tokens in place of passwords, and boards as data.

pub(in crate::service) mod boards;
pub(in crate::service) mod tokens;
