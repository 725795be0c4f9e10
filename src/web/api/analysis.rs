//! The analysis of a finished board.

use super::error::ApiError;
use super::request::ApiRequest;
use crate::command::{Command, ParsedLine};
use crate::service::{BoardAnalysis, Request, Response};

/// `GET /boards/N/analysis`
pub(crate) fn show(request: &mut ApiRequest<'_>) -> Result<BoardAnalysis, ApiError> {
    let board = request.parameters.board_number()?;
    let line = ParsedLine::of(Command::Analyse { board });
    let asked = Request { line, from: request.origin(), comment: None, client: Some(request.client), now: request.now };
    Ok(request.read(|service, tx| service.board_analysis(tx, &asked, board))??)
}

/// `POST /boards/N/analysis`
pub(crate) fn ask(request: &mut ApiRequest<'_>) -> Result<BoardAnalysis, ApiError> {
    let board = request.parameters.board_number()?;
    match request.run(ParsedLine::of(Command::Analyse { board }), None)? {
        Response::Analysed(known) => Ok(known),
        _ => Err(anyhow::anyhow!("unexpected answer to `analyse`").into()),
    }
}
