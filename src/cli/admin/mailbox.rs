//! Authorizes the server to use a mailbox, by OAuth 2.0.

use std::io::stdin;
use std::path::Path;
use std::thread;

use anyhow::Context;
use serde_json::json;

use crate::cli::exit::{Exit, refused, report, say};
use crate::config::{Config, OAuth};
use crate::mail::oauth::{BrowserFlow, DeviceFlow, OAuthError};
use crate::mail::outbound::Relay;
use crate::serve::{Instance, NoDatabase};
use crate::world::World;

/// Lets the administrator authorize the mailbox, stores the refresh token, and sends the waiting letters.
pub(crate) fn authorize(data: &Path, in_browser: bool, as_json: bool) -> anyhow::Result<Exit> {
    let config = Config::read(data)?;
    let Some(oauth) = &config.oauth else {
        return Err(refused("there is no [oauth] in turnpost.toml; a mailbox with a password needs no authorization"));
    };
    if let Err(error) = grant(oauth, in_browser, as_json) {
        return match error.downcast::<OAuthError>()? {
            OAuthError::Permanent(why) => Err(refused(why)),
            temporary @ OAuthError::Temporary(_) => Err(temporary.into()),
        };
    }
    let file = oauth.grant_file.display();
    say(as_json, json!({ "authorized": oauth.grant_file }), || {
        format!("The mailbox is authorized: {file} contains the refresh token. `turnpost check-config` tests it.\n")
    })?;
    Relay::forget(data)?;
    match Instance::open(data, World::REAL) {
        Ok(mut instance) => instance.process_or_wake()?,
        // The server has no database yet, so no letters are waiting.
        Err(error) if error.is::<NoDatabase>() => {}
        Err(error) => return Err(error),
    }
    Ok(Exit::Done)
}

/// Obtains a refresh token. Uses a code that the administrator enters on another device or, if that is impossible or
/// unwanted, the address of a browser redirect.
fn grant(oauth: &OAuth, in_browser: bool, as_json: bool) -> anyhow::Result<()> {
    let device = if in_browser { None } else { DeviceFlow::begin(oauth)? };
    if let Some(flow) = device {
        let minutes = flow.lifetime.as_secs().div_ceil(60);
        say(as_json, json!({ "open": flow.address, "code": flow.user_code }), || {
            format!(
                "Open this address in any browser, log in to the mailbox, and enter the code within {minutes} minutes:\n\n    \
                 {}\n    {}\n\nWaiting …\n",
                flow.address, flow.user_code
            )
        })?;
        return Ok(flow.finish(&mut thread::sleep)?);
    }
    let Some(flow) = BrowserFlow::begin(oauth, World::REAL)? else {
        let why = "[oauth] has no authorization_endpoint: run the command without --in-browser";
        return Err(OAuthError::Permanent(why.to_owned()).into());
    };
    say(as_json, json!({ "open": flow.address }), || {
        format!(
            "Open this address in any browser, log in to the mailbox, and allow the requested access:\n\n{}\n\nThe browser is \
             then sent to an address that begins with http://localhost/?, and cannot show it. This is expected.\n",
            flow.address
        )
    })?;
    report("Copy that address from the browser, and paste it here:");
    let mut pasted = String::new();
    stdin().read_line(&mut pasted).context("cannot read the pasted text")?;
    Ok(flow.finish(&pasted)?)
}
