//! Accounts: signing up, authentication, addresses, settings, vacations, messages, leaving.

pub(crate) mod act;
pub(crate) mod addresses;
pub(crate) mod administered;
pub(crate) mod authenticate;
pub(crate) mod blocked;
pub(crate) mod blocks;
pub(crate) mod leave;
pub(crate) mod login;
pub(crate) mod password;
pub(crate) mod passwords;
pub(crate) mod reports;
pub(crate) mod signup;
