//! The API for programs: JSON in and out, under `/api/v1`.
//!
//! One [table] lists the endpoints; the routes and the OpenAPI document are both made from it, so every endpoint is
//! documented. A program shows a token in place of a password, and cookies are ignored, so a page of another site can do
//! nothing here by a player's browser.

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

pub(super) use error::{incomplete, read_only, under_maintenance};
pub(super) use router::{not_found, router};
