//! The page for challenging a player, or anyone.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::extract::{Path, Query};
use super::game_facts::{game_facts, games_by_kind};
use super::page::Page;
use super::page_request::{Fields, PageRequest, PostedForm, Requester, respond, respond_to_form};
use super::site::Site;
use crate::command::{MOST_DAYS, MOST_TOTAL_DAYS, ServerOption};
use crate::message;
use crate::rules::{Game, Options, catalogue};
use crate::service;
use crate::text::Message;

/// The fields of the form, without those of the game's options with a value and of the options of a challenge.
const FIELDS: [&str; 5] = ["to", "opponent", "robot", "first", "option"];

/// The query of the page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChallengeQuery {
    /// The userid of the player to challenge.
    opponent: String,
}

/// `GET /games/GAME/challenge`
pub(crate) async fn form(
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

/// Makes the page of the form with these field values; `error` explains a rejection.
fn form_page<'a>(
    request: &PageRequest<'_>,
    status: StatusCode,
    game: &dyn Game,
    given: impl Fn(&'static str) -> &'a str,
    error: Option<Message>,
) -> anyhow::Result<Page> {
    let policy = &request.site.config.policy;
    let (nag, forfeit, total) = (policy.nagtime, policy.forfeittime, policy.totaltime);
    let terms = context! { nag, forfeit, total, most => MOST_DAYS, most_total => MOST_TOTAL_DAYS };
    let options = game.options().iter().filter(|option| option.value.is_some()).map(|option| option.name);
    let default = policy.options(game, &Options::default());
    let (aims, values_of) = (aims(game, &default), values_of(game, &default));
    let fields = FIELDS.into_iter().chain(ServerOption::OF_CHALLENGE.map(ServerOption::name)).chain(options);
    let values: BTreeMap<_, _> = fields.map(|name| (name, given(name))).collect();
    let facts = context! { game => game_facts(game), values => Serde(values), error => error.map(Serde), terms, aims,
    values_of, robots => policy.robots, kinds => games_by_kind() };
    request.page_with(status, "challenge", facts)
}

/// Returns the given options, or the built-in ones if there are none.
fn in_force(game: &dyn Game, options: &Options) -> Options {
    if options.is_empty() { Options::from_canonical(game.built_in()) } else { options.clone() }
}

/// Lists the options without a value. The default one comes first, with an empty name, because it needs no word in the
/// command.
fn aims(game: &dyn Game, default: &Options) -> Vec<Value> {
    let default = in_force(game, default);
    let is_default = |name: &str| default.iter().any(|(other, _)| other == name);
    let (first, others): (Vec<_>, Vec<_>) =
        game.options().iter().filter(|option| option.value.is_none()).partition(|option| is_default(option.name));
    let of = |name: &'static str, about: &Message| context! { name, about => Serde(about) };
    let first = first.into_iter().map(|option| of("", &option.about));
    first.chain(others.into_iter().map(|option| of(option.name, &option.about))).collect()
}

/// Lists the options with a value: the default and the alternatives.
fn values_of(game: &dyn Game, default: &Options) -> Vec<Value> {
    let default = in_force(game, default);
    let options = game.options().iter().filter(|option| option.value.is_some()).map(|option| {
        let default = default.iter().find(|(name, _)| *name == option.name).and_then(|(_, value)| value);
        let others = option.numbers.iter().map(ToString::to_string).filter(|number| Some(number.as_str()) != default);
        context! { name => option.name, default, others => others.collect::<Vec<_>>() }
    });
    options.collect()
}

/// `POST /games/GAME/challenge`
pub(crate) async fn challenge(State(site): State<Arc<Site>>, Path(name): Path<String>, form: PostedForm) -> Response {
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

/// Converts the form to the words of a command.
fn words(userid: &str, game: &dyn Game, fields: &Fields) -> Vec<String> {
    let mut words = vec![game.name().to_owned(), "challenge".to_owned()];
    for option in game.options() {
        // Options with a value have separate fields; the others share one field.
        match (&option.value, fields.some(option.name)) {
            (Some(_), Some(value)) => words.push(format!("-{}={value}", option.name)),
            (None, _) if fields.get("option") == option.name => words.push(format!("-{}", option.name)),
            _ => {}
        }
    }
    let opponent = opponent(fields);
    let by_invitation = fields.get("to") == "invitation" && opponent.is_none();
    for option in ServerOption::OF_CHALLENGE {
        let name = option.name();
        match fields.some(name) {
            _ if option == ServerOption::Say => {}
            Some(days) if !option.is_flag() => words.push(format!("--{name}={days}")),
            None if option != ServerOption::Private || !by_invitation => {}
            _ => words.push(format!("--{name}")),
        }
    }
    let opponent = opponent.unwrap_or_else(|| "anyone".to_owned());
    let (first, second) = match fields.get("first") {
        "no" => (opponent, userid.to_owned()),
        _ => (userid.to_owned(), opponent),
    };
    words.extend([first, second]);
    words
}

/// Returns the opponent in the form. Accepts "robot 1" for a computer player.
fn opponent(fields: &Fields) -> Option<String> {
    if fields.get("to") == "robot" {
        return Some(format!("robot{}", fields.get("robot")));
    }
    let typed = fields.some("opponent")?;
    let level = typed.strip_prefix("robot").map(str::trim).filter(|level| level.parse::<u8>().is_ok());
    Some(level.map_or(typed.clone(), |level| format!("robot{level}")))
}
