//! The routes of the site.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{any, get, post};

use super::one_host::require_one_host;
use super::site::Site;
use super::{
    admin, api, board, board_actions, board_events, board_files, body, challenge, client, command_line, compression,
    events, feeds, files, guest, help, invitation, lessons, list_events, lists, lobby, login, maintenance, pages, password,
    player, puzzles, read_only, settings, signup, unsubscribe, well_known,
};

/// Builds all routes.
pub(crate) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/style.css", get(files::file))
        .route("/script.js", get(files::file))
        .route("/icon.svg", get(files::file))
        .route("/favicon.ico", get(well_known::favicon))
        .route("/apple-touch-icon.png", get(well_known::touch_icon))
        .route("/robots.txt", get(well_known::robots))
        .route("/.well-known/security.txt", get(well_known::security))
        .route("/files/{hash}/{name}", get(files::file))
        .route("/help", get(help::overview))
        .route("/help/{topic}", get(help::help))
        .route("/learn", get(lessons::all))
        .route("/learn/{game}", get(lessons::first))
        .route("/learn/{game}/{number}", get(lessons::lesson))
        .route("/puzzles", get(puzzles::all))
        .route("/puzzles/{game}", get(puzzles::of_game).post(puzzles::subscribe))
        .route("/puzzles/{game}/{number}", get(puzzles::puzzle))
        .route("/puzzles/{game}/{number}/picture.svg", get(puzzles::picture))
        .route("/events", get(events::all))
        .route("/events/{name}", get(events::event).post(events::join))
        .route("/events/{name}/{edition}", get(events::edition))
        .route("/games", get(lists::games))
        .route("/games/{game}", get(lists::game))
        .route("/games/{game}/finished", get(lists::game_over))
        .route("/games/{game}/standings", get(player::standings))
        .route("/games/{game}/challenge", get(challenge::form).post(challenge::challenge))
        .route("/games/{game}/play", get(guest::form).post(guest::play))
        .route("/players", get(player::all))
        .route("/players/{userid}", get(feeds::player).post(player::act))
        .route("/players/{userid}/finished", get(player::player_over))
        .route("/games/{game}/picture.svg", get(board_files::sample))
        .route("/challenges", get(lobby::page))
        .route("/challenges/events", get(list_events::lobby))
        .route("/invite/{code}", get(invitation::page).post(invitation::take))
        .route("/me", get(lists::my_boards).post(lists::confirm_again))
        .route("/me/events", get(list_events::my_boards))
        .route("/boards/{number}", get(feeds::board).post(board_actions::act))
        .route("/boards/{number}/", get(board::without_slash))
        .route("/boards/{number}/{ply}", get(board::at_ply))
        .route("/boards/{number}/{ply}/{*line}", get(board::at_line))
        .route("/boards/{number}/board.svg", get(board_files::svg))
        .route("/boards/{number}/thumbnail.svg", get(board_files::thumbnail))
        .route("/boards/{number}/board.png", get(board_files::png))
        .route("/boards/{number}/record.json", get(board_files::record))
        .route("/boards/{number}/events", get(board_events::stream))
        .route("/login", get(login::form).post(login::log_in))
        .route("/login/{token}", get(login::link_form).post(login::log_in_by_link))
        .route("/password", get(password::form).post(password::ask))
        .route("/password/{code}", get(password::link_form).post(password::set))
        .route("/logout", post(login::log_out))
        .route("/signup", get(signup::form).post(signup::sign_up))
        .route("/confirm/{userid}/{code}", get(signup::confirm_form).post(signup::confirm))
        .route("/calendar/{name}", get(feeds::calendar))
        .route("/settings", get(settings::form).post(settings::change))
        .route("/command", get(command_line::form).post(command_line::run))
        .route("/unsubscribe/{token}", get(unsubscribe::form).post(unsubscribe::unsubscribe))
        .merge(admin::router())
        .nest("/api/v1", api::router())
        .route("/api/v1/", any(api::not_found))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(DefaultBodyLimit::max(body::MAX_BODY))
        .layer(middleware::from_fn_with_state(site.clone(), body::read_whole))
        .layer(middleware::from_fn_with_state(site.clone(), read_only::refuse))
        .layer(middleware::from_fn_with_state(site.clone(), maintenance::refuse))
        .layer(middleware::from_fn(compression::compress))
        .layer(middleware::from_fn(require_one_host))
        .layer(middleware::from_fn_with_state(site.clone(), client::log))
        .with_state(site)
}
