//! The routes of the API, and the dispatch of requests to endpoints.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use super::auth::token;
use super::endpoint::{Auth, Endpoint, Handler};
use super::error::ApiError;
use super::problem::Problem;
use super::request::{ApiRequest, Parameters};
use super::{board_events, cors, events, pictures, table};
use crate::message;
use crate::text::Message;
use crate::web::client::Client;
use crate::web::site::{Site, with_store};

/// Builds the routes of all endpoints.
pub(crate) fn router() -> Router<Arc<Site>> {
    let mut router = Router::new();
    for endpoint in table::endpoints() {
        let method = MethodFilter::try_from(endpoint.method.clone()).expect("the table has ordinary methods");
        let answer = move |State(site): State<Arc<Site>>, request: Request| async move {
            let answer = answer(endpoint, Arc::clone(&site), request).await;
            answer.unwrap_or_else(|error| error.into_response(&site))
        };
        router = router.route(endpoint.path, on(method, answer));
    }
    router.fallback(not_found).method_not_allowed_fallback(method_not_allowed).layer(middleware::from_fn(cors::share))
}

/// Answers requests for unknown paths.
pub(crate) async fn not_found(State(site): State<Arc<Site>>) -> Response {
    ApiError::not_there(message!("web.no-such-endpoint")).into_response(&site)
}

async fn method_not_allowed(State(site): State<Arc<Site>>) -> Response {
    ApiError::new(Problem::WrongMethod, message!("web.method-not-allowed")).into_response(&site)
}

async fn answer(endpoint: &'static Endpoint, site: Arc<Site>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let parameters = parameters(endpoint, &site, &mut parts).await?;
    if endpoint.auth == Auth::Required && parameters.token.is_none() {
        return Err(ApiError::unauthenticated(message!("web.token-needed-as-bearer")));
    }
    let handle = match &endpoint.handler {
        Handler::Json(handle) => handle,
        Handler::Events => return events::stream(site, parameters, &parts.headers).await,
        Handler::BoardEvents => return board_events::stream(site, parameters).await,
        Handler::Picture(format) => return pictures::picture(site, parameters, *format, &parts.headers).await,
    };
    let body = match endpoint.body {
        Some(_) => json_body(Request::from_parts(parts, body)).await?,
        None => Bytes::new(),
    };
    let handled = with_store(site, move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| handle(&mut request, &body)))
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
    let path = path.map_err(|error| ApiError::malformed(Message::verbatim(error.body_text())))?;
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

/// Parses the query string; the endpoint must know each parameter.
fn query(endpoint: &Endpoint, query: &str) -> Result<Vec<(String, String)>, ApiError> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !endpoint.query.iter().any(|parameter| parameter.name == name) {
            let known: Vec<String> = endpoint.query.iter().map(|parameter| parameter.name.to_owned()).collect();
            return Err(ApiError::malformed(message!("web.unknown-parameter", name = &*name, known)).about(&name));
        }
        if parameters.iter().any(|(other, _)| *other == name) {
            return Err(ApiError::malformed(message!("web.repeated-parameter", name = &*name)).about(&name));
        }
        parameters.push((name.into_owned(), value.into_owned()));
    }
    Ok(parameters)
}

/// Reads the body of a request. A body must have the content type of JSON, which pages of other sites cannot send
/// without a preflight request.
async fn json_body(request: Request) -> Result<Bytes, ApiError> {
    let is_json = is_json(request.headers());
    let body = Bytes::from_request(request, &()).await.map_err(|error| {
        let problem = match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLong,
            _ => Problem::Malformed,
        };
        ApiError::new(problem, Message::verbatim(error.body_text()))
    })?;
    if !is_json && !body.is_empty() {
        return Err(ApiError::new(Problem::NotJson, message!("web.body-not-json")));
    }
    Ok(body)
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
