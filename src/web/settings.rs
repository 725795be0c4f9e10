//! The settings page: letters, clocks, time zone, vacation, addresses, password, and tokens.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, status};
use crate::clock::Zone;
use crate::draw::Theme;
use crate::store::PlayerId;
use crate::{command, message, service};

/// `GET /settings`
pub(crate) fn form(request: &mut PageRequest<'_>) -> PageResult {
    settings_page(request, StatusCode::OK, &Fields::default(), context! {})
}

/// `POST /settings`: processes one of the page's forms.
pub(crate) fn change(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
    let Some(player) = request.player.as_ref().map(|player| player.id) else { return request.unsent_page(&fields) };
    match fields.get("do") {
        "token" => return make_token(request, player, &fields),
        "revoke" => return revoke_token(request, player, fields.get("id")),
        _ => {}
    }
    let Some(words) = words(request.userid(), &fields) else { return request.not_found() };
    match request.run_words(&words, None)? {
        Ok(service::Response::PasswordChanged { userid, .. }) => {
            let facts = context! { userid, done => true, error => () };
            Ok(request.logged_out(request.page("password-link", facts)?))
        }
        Ok(service::Response::SignedOff { .. }) => Ok(request.logged_out(Page::redirect("/"))),
        Ok(service::Response::Calendar { .. }) => Ok(Page::redirect("/settings#calendar")),
        Ok(answer @ service::Response::SignoffAsked { .. }) => {
            settings_page(request, StatusCode::OK, &fields, context! { leaving => Serde(answer) })
        }
        Ok(answer) => {
            let output = request.site.composer.answer(&answer)?;
            settings_page(request, StatusCode::OK, &fields, context! { output })
        }
        Err(rejection) => {
            let status = status(&rejection, StatusCode::CONFLICT);
            // The session already identifies the player, so only the password can be wrong.
            let error = match rejection.message == message!("service.wrong-password") {
                true => message!("web.wrong-current-password"),
                false => rejection.message,
            };
            settings_page(request, status, &fields, context! { error => Serde(error) })
        }
    }
}

/// Creates a token. The response is the only page that shows it.
fn make_token(request: &mut PageRequest<'_>, player: PlayerId, fields: &Fields) -> PageResult {
    let (now, label) = (request.now, fields.get("label"));
    match request.write(|service, tx| service.make_token(tx, player, label, now))? {
        Ok((new_token, _)) => settings_page(request, StatusCode::OK, fields, context! { new_token }),
        Err(rejection) => {
            settings_page(request, StatusCode::CONFLICT, fields, context! { error => Serde(rejection.message) })
        }
    }
}

fn revoke_token(request: &mut PageRequest<'_>, player: PlayerId, id: &str) -> PageResult {
    request.write(|service, tx| service.revoke_token(tx, player, id))?;
    Ok(Page::redirect("/settings"))
}

/// Converts a form to the words of a command.
fn words(userid: &str, fields: &Fields) -> Option<Vec<String>> {
    let words: Vec<String> = match fields.get("do") {
        "set" => {
            let set = command::SETTING_KEYS.into_iter().filter_map(|key| Some(format!("{key}={}", fields.some(key)?)));
            ["set", userid, "-"].map(str::to_owned).into_iter().chain(set).collect()
        }
        "password" => {
            ["change", "password", userid, fields.exact("password"), fields.exact("new")].map(str::to_owned).into()
        }
        "addresses" => {
            let head = ["change", "address", userid, fields.exact("password")].map(str::to_owned);
            head.into_iter().chain(fields.get("addresses").split_whitespace().map(str::to_owned)).collect()
        }
        "signoff" => {
            let words = ["signoff", userid, fields.exact("password")].map(str::to_owned);
            words.into_iter().chain(fields.some("code")).collect()
        }
        "calendar" => ["calendar", userid, "-", fields.get("to")].map(str::to_owned).into(),
        "unblock" => ["unblock", userid, "-", fields.get("other")].map(str::to_owned).into(),
        "vacation" if fields.get("until").is_empty() => ["vacation", userid, "-", "off"].map(str::to_owned).into(),
        "vacation" => ["vacation", userid, "-", "until", fields.get("until")].map(str::to_owned).into(),
        _ => return None,
    };
    Some(words)
}

/// Renders the page with the current settings and the result of the sent form. A refused form keeps its fields, except
/// passwords.
fn settings_page(request: &mut PageRequest<'_>, status: StatusCode, fields: &Fields, result: Value) -> PageResult {
    let Some(player) = request.player.clone() else { return Ok(Page::redirect("/login?next=/settings")) };
    let (player, addresses, tokens, blocked) = request.read(|service, tx| {
        let now = service.player(tx, player.id)?.unwrap_or(player);
        let (addresses, tokens) = (service.addresses(tx, now.id)?, service.tokens(tx, now.id)?);
        let blocked = service.blocked_by(tx, now.id)?;
        Ok((now, addresses, tokens, blocked))
    })?;
    // This response already uses the new settings, for example the theme.
    request.player = Some(player.clone());
    let addresses = addresses.into_iter().map(|row| {
        context! { address => row.address, confirmed => row.confirmed, paused => row.paused }
    });
    let addresses: Vec<Value> = addresses.collect();
    let vacation = match request.run_line(&format!("vacation {} -", player.userid), None)? {
        Ok(answer) => Value::from(Serde(answer)),
        Err(rejection) => return request.rejection_page(rejection),
    };
    let calendar = match request.run_line(&format!("calendar {} -", player.userid), None)? {
        Ok(answer) => Value::from(Serde(answer)),
        Err(rejection) => return request.rejection_page(rejection),
    };
    let none = context! { output => (), new_token => (), error => (), leaving => () };
    let (act, refused) = (fields.get("do"), status != StatusCode::OK);
    let typed = |name| if refused { fields.get(name) } else { "" };
    let typed = context! { until => typed("until"), addresses => typed("addresses"), label => typed("label") };
    let mut set = BTreeMap::from(player.settings.pairs());
    if refused && act == "set" {
        for (key, value) in &mut set {
            if let Some(chosen) = fields.some(key) {
                *value = chosen;
            }
        }
    }
    let zones = zones(&player.settings.zone);
    let themes = Theme::ALL.map(Theme::name);
    let facts = context! { act, typed, set, vacation, calendar, address => request.address(), addresses, blocked, tokens => Serde(tokens), themes, zones, ..none };
    request.page_with(status, "settings", context! { ..result, ..facts })
}

/// The regions of time zones that are named after places. Other zone names in the database are aliases, or belong
/// to no place.
const REGIONS: [&str; 10] =
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// Returns the regions, each with its time zones. Adds the chosen zone if it does not belong to a region,
/// unless it is UTC.
pub(crate) fn zones(chosen: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let region = |name: &'static str| name.split_once('/').map_or("", |(region, _)| region);
    let of = |wanted: &'static str| (wanted, Zone::names().filter(|name| region(name) == wanted).collect());
    let mut zones: Vec<_> = REGIONS.into_iter().map(of).collect();
    let other = Zone::names().find(|name| *name == chosen && *name != "UTC" && !REGIONS.contains(&region(name)));
    zones.extend(other.map(|name| ("", vec![name])));
    zones
}
