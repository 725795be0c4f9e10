//! The routes of the API, and how a request becomes a call of its endpoint.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use super::auth::{authenticate, token};
use super::endpoint::{Auth, Endpoint, Handler};
use super::error::ApiError;
use super::request::{ApiRequest, Parameters};
use super::{events, table};
use crate::message;
use crate::service::Via;
use crate::text::Message;
use crate::web::client::Client;
use crate::web::request_context::RequestContext;
use crate::web::site::{Site, with_store};

/// The routes of all endpoints in the table.
pub(in crate::web) fn router() -> Router<Arc<Site>> {
    let mut router = Router::new();
    for endpoint in table::endpoints() {
        let method = MethodFilter::try_from(endpoint.method.clone()).expect("the table has ordinary methods");
        let answer = move |State(site): State<Arc<Site>>, request: Request| async move {
            let answer = answer(endpoint, Arc::clone(&site), request).await;
            answer.unwrap_or_else(|error| error.into_response(&site))
        };
        router = router.route(endpoint.path, on(method, answer));
    }
    router.fallback(not_found).method_not_allowed_fallback(method_not_allowed)
}

/// Answers a path without an endpoint.
pub(in crate::web) async fn not_found(State(site): State<Arc<Site>>) -> Response {
    ApiError::not_found(message!("web.no-such-endpoint")).into_response(&site)
}

async fn method_not_allowed(State(site): State<Arc<Site>>) -> Response {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message!("web.method-not-allowed")).into_response(&site)
}

async fn answer(endpoint: &'static Endpoint, site: Arc<Site>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let parameters = parameters(endpoint, &site, &mut parts).await?;
    if endpoint.auth == Auth::Required && parameters.token.is_none() {
        return Err(ApiError::unauthorized(message!("web.token-needed-as-bearer")));
    }
    let handle = match &endpoint.handler {
        Handler::Json(handle) => handle,
        Handler::Events => return events::stream(site, parameters, &parts.headers).await,
    };
    let body = match endpoint.body {
        Some(_) => json_body(Request::from_parts(parts, body)).await?,
        None => Bytes::new(),
    };
    let handled = with_store(site, move |site, store| {
        let answer = authenticate(site, store, &parameters).and_then(|player| {
            let context = {
                let (client, now) = (parameters.client.key(), parameters.now);
                RequestContext { site, store, player, via: Via::Api, client, now }
            };
            handle(&mut ApiRequest { context, parameters: &parameters }, &body)
        });
        Ok(answer)
    });
    let body = handled.await??;
    let headers = [
        (CONTENT_TYPE.as_str(), "application/json"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    Ok((endpoint.status, headers, body).into_response())
}

async fn parameters(endpoint: &Endpoint, site: &Arc<Site>, parts: &mut Parts) -> Result<Parameters, ApiError> {
    let path = RawPathParams::from_request_parts(parts, &()).await;
    let path = path.map_err(|error| ApiError::new(error.status(), Message::verbatim(error.body_text())))?;
    let client = match Client::from_request_parts(parts, site).await {
        Ok(client) => client,
        Err(never) => match never {},
    };
    Ok(Parameters {
        client,
        path: path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        query: query(endpoint, parts.uri.query().unwrap_or_default())?,
        token: token(&parts.headers)?,
        now: site.now(),
    })
}

/// The parameters after the `?`, each of which the endpoint must know.
fn query(endpoint: &Endpoint, query: &str) -> Result<Vec<(String, String)>, ApiError> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !endpoint.query.iter().any(|parameter| parameter.name == name) {
            let known: Vec<String> = endpoint.query.iter().map(|parameter| parameter.name.to_owned()).collect();
            return Err(ApiError::bad_request(message!("web.unknown-parameter", name = &*name, known)));
        }
        if parameters.iter().any(|(other, _)| *other == name) {
            return Err(ApiError::bad_request(message!("web.repeated-parameter", name = &*name)));
        }
        parameters.push((name.into_owned(), value.into_owned()));
    }
    Ok(parameters)
}

/// The body of a request, which must say that it is JSON: a page of another site cannot send that without a preflight
/// request.
async fn json_body(request: Request) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) {
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message!("web.body-not-json")));
    }
    let body = Bytes::from_request(request, &()).await;
    body.map_err(|error| ApiError::new(error.status(), Message::verbatim(error.body_text())))
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
