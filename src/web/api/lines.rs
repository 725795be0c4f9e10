//! Any line of the command language.

use schemars::JsonSchema;
use serde::Deserialize;

use super::call::Call;
use super::trouble::Trouble;
use crate::command::{self, Command, Password};
use crate::service::{Rejection, Response};

/// A line to be obeyed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLine {
    /// As it would be typed in a mail: `marque resign 12 alice -`. A `-` in the place of the password stands for that of
    /// the token's player.
    line: String,
    /// What is said with it: a comment, a message, a note.
    say: Option<String>,
}

pub(super) fn obey(call: &mut Call<'_>, new: NewLine) -> Result<Response, Trouble> {
    if new.line.contains('\n') {
        return Err(Trouble::not_understood("One line at a time."));
    }
    let line = command::parse(&new.line).map_err(Rejection::from)?;
    if call.player.is_none() && line.command.changes() {
        return Err(Trouble::unknown("Without a token, only what changes nothing is answered."));
    }
    // Whoever finds a token must not lock its player out with it.
    if let Command::ChangePassword { current: Password::FromContext, .. } = line.command {
        return Err(Trouble::unknown("The present password must be written out to be changed; a token is not enough."));
    }
    let response = call.answer(line, new.say)?;
    Ok(call.site.composer.response_for_program(response)?)
}
