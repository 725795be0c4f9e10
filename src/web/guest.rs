//! Guests: playing against the computer without a password or an address.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::extract::Path;
use super::game_facts::game_facts;
use super::page::Page;
use super::page_request::{PageRequest, PostedForm, Requester, respond, respond_to_form, status};
use super::site::Site;
use crate::rules::{Game, catalogue};
use crate::service::{self, Rejection};

/// The computer player of a guest's first game.
const OPPONENT: &str = "robot1";

/// `GET /games/GAME/play`
pub(crate) async fn form(State(site): State<Arc<Site>>, requester: Requester, Path(name): Path<String>) -> Response {
    respond(site, requester, move |request| match game(request, &name) {
        Some(game) if request.player.is_some() => Ok(challenge_form(game)),
        Some(game) => form_page(request, game, "", None),
        None => request.not_found(),
    })
    .await
}

/// `POST /games/GAME/play`: signs up a guest and starts their first game.
pub(crate) async fn play(State(site): State<Arc<Site>>, Path(name): Path<String>, form: PostedForm) -> Response {
    respond_to_form(site, form, move |request, fields| {
        let Some(game) = game(request, &name) else { return request.not_found() };
        if request.player.is_some() {
            return Ok(challenge_form(game));
        }
        let (userid, client, now) = (fields.get("userid"), request.client.key(), request.now);
        let session = match request.write(|service, tx| service.sign_up_guest(tx, userid, client, now))? {
            Ok(session) => session,
            Err(rejection) => return form_page(request, game, userid, Some(rejection)),
        };
        request.player = request.read(|service, tx| service.session(tx, &session, now))?;
        let words = [game.name(), "challenge", userid, OPPONENT].map(str::to_owned);
        let path = match request.run_words(&words, None)? {
            Ok(service::Response::Challenged { board }) => format!("/boards/{}", board.number),
            _ => "/me".to_owned(),
        };
        request.logged_in(&session, &path)
    })
    .await
}

/// Finds a game that a computer player plays here.
fn game(request: &PageRequest<'_>, name: &str) -> Option<&'static dyn Game> {
    catalogue::find(name).filter(|_| request.site.config.policy.robots > 0)
}

fn challenge_form(game: &dyn Game) -> Page {
    Page::redirect(&format!("/games/{}/challenge?opponent={OPPONENT}", game.name()))
}

fn form_page(
    request: &PageRequest<'_>,
    game: &dyn Game,
    userid: &str,
    rejection: Option<Rejection>,
) -> anyhow::Result<Page> {
    let status = rejection.as_ref().map_or(StatusCode::OK, |rejection| status(rejection, StatusCode::CONFLICT));
    let error = rejection.map(|rejection| Serde(rejection.message));
    request.page_with(status, "guest", context! { game => game_facts(game), userid, error })
}
