//! Extractors for paths and queries. A page explains the fault in an invalid URL.

use std::sync::Arc;

use axum::extract::{self, FromRequestParts};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::page_request::{Requester, message_response};
use super::site::Site;
use crate::message;
use crate::text::Message;

/// The parameters of the path. A path that does not match their types belongs to no page.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Site>> for Path<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Path<T>, Response> {
        match extract::Path::from_request_parts(parts, site).await {
            Ok(extract::Path(parameters)) => Ok(Path(parameters)),
            Err(_) => Err(error_page(parts, site, StatusCode::NOT_FOUND, message!("web.no-such-page")).await),
        }
    }
}

/// The parameters of the query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Site>> for Query<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Query<T>, Response> {
        match extract::Query::from_request_parts(parts, site).await {
            Ok(extract::Query(parameters)) => Ok(Query(parameters)),
            Err(_) => Err(error_page(parts, site, StatusCode::BAD_REQUEST, message!("web.wrong-query")).await),
        }
    }
}

async fn error_page(parts: &mut Parts, site: &Arc<Site>, status: StatusCode, message: Message) -> Response {
    let Ok(requester) = Requester::from_request_parts(parts, site).await;
    message_response(requester, status, message).await
}
