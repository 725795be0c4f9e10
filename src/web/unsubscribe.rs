//! Stopping letters by the link that they carry.
//!
//! A mail program posts to it, without asking anybody (RFC 8058); a person who follows it is asked first, since programs
//! that look for harm follow every link in a mail, too.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use super::visit::{Visit, Visitor};
use super::{Page, Site, at_desk};
use crate::token::Unsubscribe;

/// `GET`: asks.
pub(super) async fn ask(State(site): State<Arc<Site>>, visitor: Visitor, Path(token): Path<String>) -> Response {
    at_desk(site, visitor, move |visit| {
        let tx = visit.store.read()?;
        let unsubscribe = Unsubscribe::verify(&token, &tx.reply_key()?);
        drop(tx);
        let facts = context! { done => false, followed => unsubscribe.map(|unsubscribe| unsubscribe.followed) };
        page(visit, unsubscribe.is_some(), facts)
    })
    .await
}

/// `POST`: does it, whoever sends it and whatever the body says: the link is all that a mail program has.
pub(super) async fn stop(State(site): State<Arc<Site>>, visitor: Visitor, Path(token): Path<String>) -> Response {
    at_desk(site, visitor, move |visit| {
        let mut tx = visit.store.write()?;
        let unsubscribe = Unsubscribe::verify(&token, &tx.reply_key()?);
        let done = match unsubscribe {
            Some(unsubscribe) => visit.site.config.service(visit.site.world).unsubscribe(&mut *tx, unsubscribe)?,
            None => None,
        };
        tx.commit()?;
        if let Some((player, _)) = &done {
            tracing::info!(userid = player.userid, "letters stopped by a link");
        }
        let facts = context! {
            done => done.is_some(),
            userid => done.as_ref().map(|(player, _)| player.userid.clone()),
            followed => unsubscribe.map(|unsubscribe| unsubscribe.followed),
        };
        page(visit, done.is_some(), facts)
    })
    .await
}

fn page(visit: &Visit<'_>, known: bool, facts: minijinja::Value) -> anyhow::Result<Page> {
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    visit.page_with(status, "unsubscribe", context! { known, ..facts })
}
