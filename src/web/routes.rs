//! The routes of the site.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{any, get, post};

use super::layers::require_one_host;
use super::site::Site;
use super::{
    admin, api, board, board_actions, board_events, board_files, challenge, client, events, feeds, layers, lessons,
    login, page, pages, player, puzzles, settings, signup,
};

/// Builds all routes.
pub(crate) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/style.css", get(page::file))
        .route("/script.js", get(page::file))
        .route("/icon.svg", get(page::file))
        .route("/favicon.ico", get(pages::favicon))
        .route("/apple-touch-icon.png", get(pages::touch_icon))
        .route("/robots.txt", get(pages::robots))
        .route("/.well-known/security.txt", get(pages::security))
        .route("/files/{hash}/{name}", get(page::file))
        .route("/help", get(pages::overview))
        .route("/help/{topic}", get(pages::help))
        .route("/learn", get(lessons::all))
        .route("/learn/{game}", get(lessons::first))
        .route("/learn/{game}/{number}", get(lessons::lesson))
        .route("/puzzles", get(puzzles::all))
        .route("/puzzles/{game}", get(puzzles::of_game).post(puzzles::subscribe))
        .route("/puzzles/{game}/{number}", get(puzzles::puzzle))
        .route("/puzzles/{game}/{number}/picture.svg", get(puzzles::picture))
        .route("/events", get(events::all))
        .route("/events/{name}", get(feeds::event).post(events::act))
        .route("/events/{name}/{edition}", get(events::edition))
        .route("/games", get(player::games))
        .route("/games/{game}", get(player::game))
        .route("/games/{game}/finished", get(player::game_over))
        .route("/games/{game}/standings", get(player::standings))
        .route("/games/{game}/challenge", get(challenge::form).post(challenge::challenge))
        .route("/games/{game}/play", get(login::guest_form).post(login::play))
        .route("/players", get(player::all))
        .route("/players/{userid}", get(feeds::player).post(player::act))
        .route("/players/{userid}/finished", get(player::player_over))
        .route("/games/{game}/picture.svg", get(board_files::sample))
        .route("/challenges", get(challenge::page))
        .route("/challenges/events", get(board_events::lobby))
        .route("/invite/{code}", get(challenge::invitation_page).post(challenge::take))
        .route("/me", get(player::my_boards).post(player::confirm_again))
        .route("/me/events", get(board_events::my_boards))
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
        .route("/password", get(login::password_form).post(login::ask))
        .route("/password/{code}", get(login::password_link_form).post(login::set))
        .route("/logout", post(login::log_out))
        .route("/signup", get(signup::form).post(signup::sign_up))
        .route("/confirm/{userid}/{code}", get(signup::confirm_form).post(signup::confirm))
        .route("/calendar/{name}", get(feeds::calendar))
        .route("/settings", get(settings::form).post(settings::change))
        .route("/command", get(pages::form).post(pages::run))
        .route("/unsubscribe/{token}", get(signup::unsubscribe_form).post(signup::unsubscribe))
        .merge(admin::router())
        .nest("/api/v1", api::router())
        .route("/api/v1/", any(api::not_found))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(DefaultBodyLimit::max(layers::MAX_BODY))
        .layer(middleware::from_fn_with_state(site.clone(), layers::read_whole))
        .layer(middleware::from_fn_with_state(site.clone(), layers::refuse_changes))
        .layer(middleware::from_fn_with_state(site.clone(), layers::refuse))
        .layer(middleware::from_fn(layers::compress))
        .layer(middleware::from_fn(require_one_host))
        .layer(middleware::from_fn_with_state(site.clone(), client::log))
        .with_state(site)
}
