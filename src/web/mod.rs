//! The web adapter: pages for players and JSON for programs, over HTTP on loopback, behind a proxy that speaks TLS.
//!
//! The server has a thread of its own with one event loop; whatever needs the database runs on a thread beside it, over one
//! of a few pooled connections. The adapter changes nothing itself: it asks the service. Every page works without a
//! script; the one script makes it faster.

mod admin;
mod api;
mod board;
mod board_actions;
mod board_events;
mod board_files;
mod body;
mod challenge;
mod charts;
mod clicks;
mod client;
mod command_line;
mod compression;
pub mod connections;
mod drawing;
mod event_stream;
mod exercise;
mod extract;
mod files;
mod game_facts;
mod guest;
mod help;
mod host;
mod hub;
mod hub_reader;
mod invitation;
mod lessons;
mod list_events;
mod lists;
mod lobby;
mod login;
mod maintenance;
mod one_host;
mod page;
mod page_request;
mod pages;
mod password;
mod player;
mod pool;
mod puzzles;
mod read_only;
mod request_context;
mod routes;
mod server;
mod settings;
mod signup;
mod site;
mod unsubscribe;
mod webhooks;
mod well_known;
mod zones;

pub use host::Host;
pub use one_host::require_one_host;
pub use server::Server;
pub use site::Site;
pub use webhooks::Webhooks;
