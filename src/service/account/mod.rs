//! Accounts: signing up, authentication, addresses, settings, vacations, messages, leaving.

pub(in crate::service) mod act;
pub(in crate::service) mod addresses;
pub(in crate::service) mod administered;
pub(in crate::service) mod authenticate;
pub(in crate::service) mod blocked;
mod consent;
pub(in crate::service) mod erase;
mod hashing;
pub(in crate::service) mod lapse;
mod last_word;
pub(in crate::service) mod leave;
pub(in crate::service) mod limits;
pub(in crate::service) mod listed;
pub(in crate::service) mod login;
pub(in crate::service) mod merge;
pub(in crate::service) mod message;
pub(in crate::service) mod out_of_reach;
pub(in crate::service) mod password;
pub(in crate::service) mod passwords;
pub(in crate::service) mod profile;
mod reserved;
mod settings;
pub(in crate::service) mod signup;
pub(in crate::service) mod suspicious;
pub(in crate::service) mod tries;
pub(in crate::service) mod vacation;
mod weak_password;
