//! The JSON API for programs, under `/api/v1`.
//!
//! A [table] lists the endpoints. The routes and the OpenAPI document are both generated from it, so every endpoint is
//! documented. Programs authenticate with a token, and the API ignores cookies, so pages of other sites cannot act for
//! the player whose browser shows them.

mod actions;
mod analysis;
mod auth;
mod board_events;
mod boards;
mod commands;
mod cors;
mod endpoint;
mod error;
mod events;
mod games;
mod me;
mod openapi;
mod pictures;
mod problem;
mod problems;
mod puzzles;
mod request;
mod router;
mod scene;
mod schemas;
mod table;
mod webhook;

pub(crate) use error::{incomplete, read_only, under_maintenance};
pub(crate) use router::{not_found, router};
