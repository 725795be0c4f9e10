//! The descriptions of the kinds of problems, at the addresses that problems have as their `type`.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::problem::Problem;
use super::request::ApiRequest;
use crate::message;

/// A kind of problem.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProblemKind {
    /// Its address, which problems of this kind have as their `type`.
    #[serde(rename = "type")]
    kind: String,
    /// What it is.
    title: &'static str,
    /// The status of responses that report it.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// The word that problems of this kind have as their `reason`.
    reason: Problem,
    /// What a program can do about it.
    remedy: &'static str,
}

/// `GET /problems/REASON`
pub(super) fn describe(request: &mut ApiRequest<'_>) -> Result<ProblemKind, ApiError> {
    let reason = request.parameters.in_path("reason");
    let Some(problem) = Problem::EACH.into_iter().find(|problem| problem.name() == reason) else {
        return Err(ApiError::not_there(message!("web.no-such-problem", reason)).about(reason));
    };
    Ok(ProblemKind {
        kind: problem.uri(),
        title: problem.title(),
        status: problem.status().as_u16(),
        reason: problem,
        remedy: problem.remedy(),
    })
}
