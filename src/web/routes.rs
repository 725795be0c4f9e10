//! The routes of the site.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{any, get};

use super::layers::require_one_host;
use super::page_request::{form, form_of, page, page_of};
use super::site::Site;
use super::{
    admin, api, board, board_actions, board_events, board_files, challenge, client, events, feeds, layers, lessons,
    login, page, pages, player, puzzles, settings, signup,
};

/// Builds all routes.
// Long, because it has one line for each route.
pub(crate) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", page(pages::home))
        .route("/style.css", get(page::file))
        .route("/script.js", get(page::file))
        .route("/icon.svg", get(page::file))
        .route("/favicon.ico", get(pages::favicon))
        .route("/apple-touch-icon.png", get(pages::touch_icon))
        .route("/robots.txt", get(pages::robots))
        .route("/.well-known/security.txt", get(pages::security))
        .route("/files/{hash}/{name}", get(page::file))
        .route("/help", get(pages::overview))
        .route("/help/{topic}", page_of(pages::help))
        .route("/learn", page(lessons::all))
        .route("/learn/{game}", page_of(lessons::first))
        .route("/learn/{game}/{number}", page_of(lessons::lesson))
        .route("/puzzles", page(puzzles::all))
        .route("/puzzles/{game}", page_of(puzzles::of_game).merge(form_of(puzzles::subscribe)))
        .route("/puzzles/{game}/{number}", page_of(puzzles::puzzle))
        .route("/puzzles/{game}/{number}/picture.svg", page_of(puzzles::picture))
        .route("/events", page(events::all))
        .route("/events/{name}", page_of(feeds::event).merge(form_of(events::act)))
        .route("/events/{name}/{edition}", page_of(events::edition))
        .route("/games", page_of(player::games))
        .route("/games/{game}", page_of(player::game))
        .route("/games/{game}/finished", page_of(player::game_over))
        .route("/games/{game}/standings", page_of(player::standings))
        .route("/games/{game}/challenge", page_of(challenge::form).merge(form_of(challenge::challenge)))
        .route("/games/{game}/play", page_of(login::guest_form).merge(form_of(login::play)))
        .route("/players", page_of(player::all))
        .route("/players/{userid}", page_of(feeds::player).merge(form_of(player::act)))
        .route("/players/{userid}/finished", page_of(player::player_over))
        .route("/games/{game}/picture.svg", page_of(board_files::sample))
        .route("/challenges", page_of(challenge::page))
        .route("/challenges/events", get(board_events::lobby))
        .route("/invite/{code}", page_of(challenge::invitation_page).merge(form_of(challenge::take)))
        .route("/me", page(player::my_boards).merge(form(player::confirm_again)))
        .route("/me/events", get(board_events::my_boards))
        .route("/boards/{number}", page_of(feeds::board).merge(form_of(board_actions::act)))
        .route("/boards/{number}/", get(board::without_slash))
        .route("/boards/{number}/{ply}", page_of(board::at_ply))
        .route("/boards/{number}/{ply}/", page_of(board::at_ply))
        .route("/boards/{number}/{ply}/{*line}", page_of(board::at_line))
        .route("/boards/{number}/board.svg", page_of(board_files::svg))
        .route("/boards/{number}/thumbnail.svg", page_of(board_files::thumbnail))
        .route("/boards/{number}/board.png", get(board_files::png))
        .route("/boards/{number}/record.json", page_of(board_files::record))
        .route("/boards/{number}/events", get(board_events::stream))
        .route("/login", page_of(login::form).merge(form(login::log_in)))
        .route("/login/{token}", page_of(login::link_form).merge(form_of(login::log_in_by_link)))
        .route("/password", page(login::password_form).merge(form(login::ask)))
        .route("/password/{code}", page_of(login::password_link_form).merge(form_of(login::set)))
        .route("/logout", form(login::log_out))
        .route("/signup", page_of(signup::form).merge(form(signup::sign_up)))
        .route("/confirm/{userid}/{code}", page_of(signup::confirm_form).merge(form_of(signup::confirm)))
        .route("/calendar/{name}", page_of(feeds::calendar))
        .route("/settings", page(settings::form).merge(form(settings::change)))
        .route("/command", page(pages::form).merge(form(pages::run)))
        .route("/unsubscribe/{token}", page_of(signup::unsubscribe_form).post(signup::unsubscribe))
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
