//! The JSON API for programs, under `/api/v1`.
//!
//! A [table] lists the endpoints. The routes and the OpenAPI document are both generated from it, so every endpoint is
//! documented. Programs authenticate with a token, and the API ignores cookies, so pages of other sites cannot act for
//! the player whose browser shows them.

mod actions;
mod boards;
mod changes;
mod endpoint;
mod error;
mod events;
mod games;
mod me;
mod openapi;
mod request;
mod scene;
mod schemas;
mod table;

pub(crate) use error::{incomplete, read_only, under_maintenance};
pub(crate) use table::{not_found, router};
