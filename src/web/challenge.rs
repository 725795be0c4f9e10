//! The page that challenges a player, or anyone.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::extract::{Path, Query};
use super::game_facts::game_facts;
use super::page::Page;
use super::page_request::{Fields, PageRequest, PostedForm, Requester, respond, respond_to_form};
use super::site::Site;
use crate::message;
use crate::rules::{Game, Options, catalogue};
use crate::service;
use crate::text::Message;

/// The fields of the form, besides those of options with a value.
const FIELDS: [&str; 11] =
    ["to", "opponent", "robot", "first", "option", "nagtime", "forfeittime", "totaltime", "unrated", "private", "say"];

/// The query of the page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ChallengeQuery {
    /// The userid of the player to challenge.
    opponent: String,
}

/// `GET /games/GAME/challenge`
pub(super) async fn form(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(name): Path<String>,
    Query(query): Query<ChallengeQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        if request.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/games/{name}/challenge")));
        }
        let opponent = query.opponent.as_str();
        let level = opponent.strip_prefix("robot").filter(|level| level.parse::<u8>().is_ok());
        let given = |name| match (name, level) {
            ("to", Some(_)) => "robot",
            ("to", None) if !opponent.is_empty() => "player",
            ("robot", Some(level)) => level,
            ("opponent", None) => opponent,
            _ => "",
        };
        form_page(request, StatusCode::OK, game, given, None)
    })
    .await
}

/// Makes the page of the form, filled in with the values that are given for its fields; `error` is why the challenge was
/// rejected.
fn form_page<'a>(
    request: &PageRequest<'_>,
    status: StatusCode,
    game: &dyn Game,
    given: impl Fn(&'static str) -> &'a str,
    error: Option<Message>,
) -> anyhow::Result<Page> {
    let policy = &request.site.config.policy;
    let terms = context! { nag => policy.nagtime, forfeit => policy.forfeittime, total => policy.totaltime };
    let options = game.options().iter().filter(|option| option.value.is_some()).map(|option| option.name);
    let aims = aims(game)?;
    let values: BTreeMap<_, _> = FIELDS.into_iter().chain(options).map(|name| (name, given(name))).collect();
    let facts = context! { game => game_facts(game), values => Serde(values), error => error.map(Serde), terms, aims,
    robots => policy.robots };
    request.page_with(status, "challenge", facts)
}

/// The aims to choose from, each with its option: that of a board without options first, each once.
fn aims(game: &dyn Game) -> anyhow::Result<Vec<Value>> {
    let flags = game.options().iter().filter(|option| option.value.is_none()).map(|option| option.name);
    let mut aims: Vec<(&str, Message)> = Vec::new();
    for name in std::iter::once("").chain(flags) {
        let options = if name.is_empty() { Vec::new() } else { vec![(name.to_owned(), None)] };
        let start = game.start(&Options::new(options));
        let aim = start.map_err(|refusal| anyhow::anyhow!("{} cannot begin: {}", game.name(), refusal.message))?.aim();
        if aims.iter().all(|(_, known)| *known != aim) {
            aims.push((name, aim));
        }
    }
    Ok(aims.into_iter().map(|(name, aim)| context! { name, aim => Serde(aim) }).collect())
}

/// `POST /games/GAME/challenge`
pub(super) async fn challenge(State(site): State<Arc<Site>>, Path(name): Path<String>, form: PostedForm) -> Response {
    respond_to_form(site, form, move |request, fields| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        if request.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/games/{name}/challenge")));
        }
        if fields.get("to") == "player" && fields.some("opponent").is_none() {
            let error = Some(message!("web.no-opponent"));
            return form_page(request, StatusCode::CONFLICT, game, |name| fields.get(name), error);
        }
        match request.run_words(&words(request.userid(), game, &fields), fields.some("say"))? {
            Ok(service::Response::Challenged { board }) => Ok(Page::redirect(&format!("/boards/{}", board.number))),
            Ok(service::Response::Offered { offer }) => Ok(Page::redirect(&format!("/boards/{}", offer.number))),
            Ok(_) => request.not_found(),
            Err(rejection) => {
                form_page(request, StatusCode::CONFLICT, game, |name| fields.get(name), Some(rejection.message))
            }
        }
    })
    .await
}

/// The words of the command that the form stands for.
fn words(userid: &str, game: &dyn Game, fields: &Fields) -> Vec<String> {
    let mut words = vec![game.name().to_owned(), "challenge".to_owned()];
    for option in game.options() {
        // An option with a value has a field of its own; the others share one field.
        match (&option.value, fields.some(option.name)) {
            (Some(_), Some(value)) => words.push(format!("-{}={value}", option.name)),
            (None, _) if fields.get("option") == option.name => words.push(format!("-{}", option.name)),
            _ => {}
        }
    }
    for name in ["nagtime", "forfeittime", "totaltime"] {
        words.extend(fields.some(name).map(|days| format!("--{name}={days}")));
    }
    let opponent = opponent(fields);
    let by_invitation = fields.get("to") == "invitation" && opponent.is_none();
    words.extend(fields.some("unrated").map(|_| "--unrated".to_owned()));
    words.extend(fields.some("private").or_else(|| by_invitation.then(String::new)).map(|_| "--private".to_owned()));
    let opponent = opponent.unwrap_or_else(|| "anyone".to_owned());
    let (first, second) = match fields.get("first") {
        "no" => (opponent, userid.to_owned()),
        _ => (userid.to_owned(), opponent),
    };
    words.extend([first, second]);
    words
}

/// The opponent that the form names. A computer player may be typed as "robot 1".
fn opponent(fields: &Fields) -> Option<String> {
    if fields.get("to") == "robot" {
        return Some(format!("robot{}", fields.get("robot")));
    }
    let typed = fields.some("opponent")?;
    let level = typed.strip_prefix("robot").map(str::trim).filter(|level| level.parse::<u8>().is_ok());
    Some(level.map_or(typed.clone(), |level| format!("robot{level}")))
}
