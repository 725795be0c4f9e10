//! The web adapter: HTML pages for players and a JSON API for programs, over HTTP on loopback behind a TLS proxy.
//!
//! The server runs one event loop in a separate thread. Database work runs on a pool of blocking threads, with a small
//! pool of connections. The adapter delegates all changes to the service. Every page works without scripts; the only
//! script makes it faster.

mod admin;
mod api;
mod board;
mod board_actions;
mod board_events;
mod board_files;
mod challenge;
mod charts;
mod clicks;
mod client;
pub mod connections;
mod drawing;
mod events;
mod feeds;
mod hub;
mod layers;
mod lessons;
mod login;
mod page;
mod page_request;
mod pages;
mod player;
mod pool;
mod puzzles;
mod request_context;
mod routes;
mod server;
mod settings;
mod signup;
mod site;
mod webhooks;

pub use layers::require_one_host;
pub use server::Server;
pub use site::Host;
pub use site::Site;
pub use webhooks::Webhooks;
