//! Requests to the provider, over TLS and with limits for time and size.

use std::time::Duration;

use form_urlencoded::Serializer;
use ureq::Agent;

use crate::https;

/// The longest time of a request, including name resolution.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest response in octets; a token has a few thousand.
const MAX_ANSWER: u64 = 256 * 1024;

pub(crate) struct Client {
    agent: Agent,
}

impl Client {
    /// Creates a client that trusts the system's certificate authorities.
    pub(crate) fn new() -> Client {
        // The administrator chose the scheme when they configured the endpoint.
        let config = https::client(TIMEOUT, false);
        Client { agent: Agent::new_with_config(config) }
    }

    /// Posts a form; returns the status and the body.
    pub(crate) fn post(&self, address: &str, form: &[(&str, &str)]) -> Result<(u16, String), String> {
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.agent.post(address).header("Content-Type", "application/x-www-form-urlencoded");
        let request = request.header("Accept", "application/json");
        let mut answer = request.send(&body).map_err(|error| error.to_string())?;
        let read = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string();
        Ok((answer.status().as_u16(), read.map_err(|error| error.to_string())?))
    }
}
