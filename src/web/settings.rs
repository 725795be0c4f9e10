//! What a player sets about himself.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::visit::{Fields, Posted, Visit, Visitor};
use super::{Page, Site, at_desk, at_desk_with};
use crate::command;
use crate::service::Rejection;

/// `GET /settings`
pub(super) async fn form(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| page(visit, StatusCode::OK, context! {})).await
}

/// `POST /settings`: one of the page's forms.
pub(super) async fn change(State(site): State<Arc<Site>>, posted: Posted) -> Response {
    at_desk_with(site, posted, |visit, fields| {
        if visit.player.is_none() {
            return Ok(Page::redirect("/login?next=/settings"));
        }
        match fields.get("do") {
            "token" => return make_token(visit, fields.get("label")),
            "revoke" => return revoke_token(visit, fields.get("id")),
            _ => {}
        }
        let Some(words) = words(visit.userid(), &fields) else { return visit.nowhere() };
        let done = match command::parse_words(&words) {
            Ok(line) => visit.request(line, None)?,
            Err(error) => Err(Rejection::from(error)),
        };
        let password = fields.get("do") == "password";
        match done {
            // Every session has ended with the old password, this one too.
            Ok(_) if password => Ok(Page::redirect("/login?next=/settings").with("Set-Cookie", visit.cookie(None))),
            Ok(answer) => page(visit, StatusCode::OK, context! { told => visit.site.composer.answer(&answer)? }),
            Err(refused) => page(
                visit,
                StatusCode::CONFLICT,
                context! { refused => visit.site.composer.message(&refused.message)? },
            ),
        }
    })
    .await
}

/// The token is shown once, on the page that answers.
fn make_token(visit: &mut Visit<'_>, label: &str) -> anyhow::Result<Page> {
    let Some(player) = &visit.player else { return visit.nowhere() };
    let mut tx = visit.store.write()?;
    let made = visit.site.config.service(visit.site.world).make_token(&mut *tx, player.id, label, visit.now)?;
    tx.commit()?;
    match made {
        Ok((token, _)) => {
            let told = format!("Keep it now, it is not shown again:\n\n    {token}");
            page(visit, StatusCode::OK, context! { told })
        }
        Err(refused) => {
            page(visit, StatusCode::CONFLICT, context! { refused => visit.site.composer.message(&refused.message)? })
        }
    }
}

fn revoke_token(visit: &mut Visit<'_>, id: &str) -> anyhow::Result<Page> {
    let Some(player) = &visit.player else { return visit.nowhere() };
    let mut tx = visit.store.write()?;
    visit.site.config.service(visit.site.world).revoke_token(&mut *tx, player.id, id)?;
    tx.commit()?;
    Ok(Page::redirect("/settings"))
}

/// The line of the command language that a form stands for.
fn words(userid: &str, fields: &Fields) -> Option<Vec<String>> {
    let words: Vec<String> = match fields.get("do") {
        "set" => {
            let set = command::SETTING_KEYS.iter().filter_map(|key| Some(format!("{key}={}", fields.some(key)?)));
            ["set", userid, "-"].map(str::to_owned).into_iter().chain(set).collect()
        }
        "password" => {
            ["change", "password", userid, fields.exact("password"), fields.exact("new")].map(str::to_owned).into()
        }
        "addresses" => {
            let head = ["change", "address", userid, fields.exact("password")].map(str::to_owned);
            head.into_iter().chain(fields.get("addresses").split_whitespace().map(str::to_owned)).collect()
        }
        "vacation" if fields.get("until").is_empty() => ["vacation", userid, "-", "off"].map(str::to_owned).into(),
        "vacation" => ["vacation", userid, "-", "until", fields.get("until")].map(str::to_owned).into(),
        _ => return None,
    };
    Some(words)
}

fn page(visit: &mut Visit<'_>, status: StatusCode, told: Value) -> anyhow::Result<Page> {
    let Some(player) = visit.player.clone() else { return Ok(Page::redirect("/login?next=/settings")) };
    let tx = visit.store.read()?;
    // As he is now that something was changed.
    let player = tx.player_by_id(player.id)?.unwrap_or(player);
    let addresses = tx.addresses(player.id)?;
    let tokens = visit.site.config.service(visit.site.world).tokens(&*tx, player.id)?;
    drop(tx);
    let addresses: Vec<Value> = addresses
        .iter()
        .map(|known| {
            let (confirmed, paused) = (known.confirmed_at.is_some(), known.paused.as_ref().map(|(_, why)| why));
            context! { address => known.address.clone(), confirmed, paused }
        })
        .collect();
    let set: BTreeMap<String, String> =
        visit.site.config.service(visit.site.world).settings(&player).into_iter().collect();
    let vacation = match visit.ask(&format!("vacation {} -", player.userid))? {
        Ok(answer) => Value::from(Serde(answer)),
        Err(refused) => return visit.refusal(&refused),
    };
    let facts = context! { told => (), refused => (), set, vacation, addresses, tokens => Serde(tokens) };
    visit.page_with(status, "settings", context! { ..told, ..facts })
}
