//! HTTPS requests to other servers. Access tokens (`mail::oauth`) and webhooks (`web`) share these settings.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::config::Config;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// Configures a client that trusts the system's certificate authorities and contacts only the given server: it follows
/// no redirects and uses no proxy. A request, including name resolution, ends within `timeout`. Unless `only` is set,
/// plain HTTP is allowed.
pub fn client(timeout: Duration, only: bool) -> Config {
    let trusted = rustls_native_certs::load_native_certs();
    let trusted = trusted.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::Specific(Arc::new(trusted.collect())))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .https_only(only)
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(timeout))
        .max_idle_connections(0)
        .user_agent(concat!("turnpost/", env!("CARGO_PKG_VERSION")))
        .build()
}
