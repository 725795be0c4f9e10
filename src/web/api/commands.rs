//! Lines of the command language.

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
pub(super) struct NewLine {
    /// The line, as in a mail: `marque resign 12 alice -`. A `-` in the place of the password stands for the password of
    /// the token's player.
    #[schemars(length(min = 1), regex(pattern = r"^[^\n]*$"))]
    line: String,
    /// The text that goes with it: a comment, a message, a note.
    say: Option<String>,
}

/// `POST /commands`
pub(super) fn run(request: &mut ApiRequest<'_>, new: NewLine) -> Result<Response, ApiError> {
    if new.line.contains('\n') {
        return Err(ApiError::malformed(message!("web.one-line")));
    }
    let line = request.understood(command::parse(&new.line))?;
    if request.player.is_none() && line.command.changes() {
        return Err(ApiError::unauthenticated(message!("web.token-needed-to-change")));
    }
    // Somebody who finds a token must not lock its player out with it.
    if let Command::ChangePassword { current: Password::FromContext, .. } = line.command {
        return Err(ApiError::unauthenticated(message!("web.password-needed-to-change-it")));
    }
    let response = request.run(line, new.say)?;
    Ok(request.site.composer.response_for_program(response)?)
}
