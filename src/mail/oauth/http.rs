//! Requests to the provider: by TLS, bounded in time and size.

use std::sync::Arc;
use std::time::Duration;

use form_urlencoded::Serializer;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// The longest time of a request, name resolution included.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most octets of an answer; a token has a few thousand.
const MAX_ANSWER: u64 = 256 * 1024;

/// The HTTP client.
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    /// A client that trusts the authorities of the system.
    pub(super) fn new() -> Client {
        let trusted = rustls_native_certs::load_native_certs();
        let trusted = trusted.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::Specific(Arc::new(trusted.collect())))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            // What is sent is for the endpoint that the configuration names, and for nobody else.
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(TIMEOUT))
            .max_idle_connections(0)
            .user_agent(concat!("turnpost/", env!("CARGO_PKG_VERSION")))
            .build();
        Client { agent: Agent::new_with_config(config) }
    }

    /// Posts a form; returns the status and the body.
    pub(super) fn post(&self, address: &str, form: &[(&str, &str)]) -> Result<(u16, String), String> {
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.agent.post(address).header("Content-Type", "application/x-www-form-urlencoded");
        let request = request.header("Accept", "application/json");
        let mut answer = request.send(&body).map_err(|error| error.to_string())?;
        let read = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string();
        Ok((answer.status().as_u16(), read.map_err(|error| error.to_string())?))
    }
}
