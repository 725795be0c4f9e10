//! Pictures of boards. A private board requires a token of one of its players.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::boards;
use super::endpoint::PictureFormat;
use super::error::ApiError;
use super::problem::Problem;
use super::request::{ApiRequest, Parameters};
use crate::draw::png::WIDTH;
use crate::message;
use crate::web::board_files::tagged_file;
use crate::web::site::{Site, with_store};

/// `GET /boards/N/board.svg`, `GET /boards/N/board.png`
pub(crate) async fn picture(
    site: Arc<Site>,
    parameters: Parameters,
    format: PictureFormat,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let found = with_store(Arc::clone(&site), move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| boards::shown(&mut request)))
    });
    let board = found.await??;
    let drawing = Arc::clone(&site);
    let drawn = site.drawing.draw(move || {
        Ok(match format {
            PictureFormat::Svg => drawing.composer.svg(&board)?.into_bytes(),
            PictureFormat::Png => drawing.composer.png(&board, WIDTH)?.to_vec(),
        })
    });
    match drawn.await? {
        Some(file) => Ok(tagged_file(format.content_type(), &file, headers).into_response()),
        None => Err(ApiError::new(Problem::Busy, message!("web.server-busy"))),
    }
}
