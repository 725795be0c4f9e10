//! The descriptions of the problem types, at their URIs.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::problem::Problem;
use super::request::ApiRequest;
use crate::message;

/// A problem type.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProblemKind {
    /// The URI of this description, which is the `type` of such problems.
    #[serde(rename = "type")]
    kind: String,
    /// A one-sentence summary.
    title: &'static str,
    /// The HTTP status of the responses.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// The reason code, which is the `reason` of such problems.
    reason: Problem,
    /// Advice for the client.
    remedy: &'static str,
}

/// `GET /problems/REASON`
pub(crate) fn describe(request: &mut ApiRequest<'_>) -> Result<ProblemKind, ApiError> {
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
