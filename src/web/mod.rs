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
mod events;
mod exercise;
mod extract;
mod feeds;
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
