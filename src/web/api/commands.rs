//! The endpoint for the command language.

use schemars::JsonSchema;
use serde::Deserialize;

use super::error::ApiError;
use super::request::ApiRequest;
use crate::command::{self, Command, Password};
use crate::message;
use crate::service::Response;

/// A line to run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLine {
    /// The line, as in a message: `marque resign 12 alice -`. Write `-` as the password; the token authenticates the
    /// player.
    #[schemars(length(min = 1), regex(pattern = r"^[^\n]*$"))]
    line: String,
    /// The text that accompanies the line: a comment, a message or a note.
    say: Option<String>,
}

/// `POST /commands`
pub(crate) fn run(request: &mut ApiRequest<'_>, new: NewLine) -> Result<Response, ApiError> {
    if new.line.contains('\n') {
        return Err(ApiError::malformed(message!("web.one-line")));
    }
    let line = request.understood(command::parse(&new.line))?;
    if request.player.is_none() && line.command.changes() {
        return Err(ApiError::unauthenticated(message!("web.token-needed-to-change")));
    }
    // A stolen token must not be enough to lock out its player.
    if let Command::ChangePassword { current: Password::FromContext, .. } = line.command {
        return Err(ApiError::unauthenticated(message!("web.password-needed-to-change-it")));
    }
    let response = request.run(line, new.say)?;
    Ok(request.site.composer.response_for_program(response)?)
}
