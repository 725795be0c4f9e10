//! OAuth 2.0 for the mailbox: the issuer of its access tokens, and the registered client.

use std::net::IpAddr;
use std::path::PathBuf;

use axum::http::Uri;
use serde::Deserialize;

/// The issuer of the access tokens for the mailbox, and the client registered with it. The server logs in with these
/// tokens if no password file is configured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuth {
    /// The provider, unless the endpoints are configured.
    provider: Option<Provider>,
    /// The Microsoft directory in which the client is registered.
    tenant: Option<String>,
    /// The client's identifier, issued by the provider.
    #[serde(default)]
    pub client_id: String,
    /// A file whose first line is the client's secret, if it has one; relative to the data directory.
    pub client_secret_file: Option<PathBuf>,
    device_endpoint: Option<Endpoint>,
    authorization_endpoint: Option<Endpoint>,
    token_endpoint: Option<Endpoint>,
    scope: Option<String>,
    /// The file in the data directory that contains the refresh token.
    #[serde(skip)]
    pub grant_file: PathBuf,
}

/// A provider with known endpoints.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Provider {
    Google,
    Microsoft,
}

/// The address of an endpoint: https, or http to this machine.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
struct Endpoint(String);

impl TryFrom<String> for Endpoint {
    type Error = String;

    fn try_from(text: String) -> Result<Endpoint, String> {
        let uri = text.parse::<Uri>().ok();
        match uri.as_ref().and_then(|uri| Some((uri.scheme_str()?, uri.host()?))) {
            Some(("https", _)) => Ok(Endpoint(text)),
            Some(("http", host)) if is_this_machine(host) => Ok(Endpoint(text)),
            Some(("http", _)) => Err(format!("{text:?} would send secrets unencrypted; it must begin with https")),
            _ => Err(format!("{text:?} is not an address such as \"https://login.example.org/token\"")),
        }
    }
}

pub(crate) fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The endpoints of a provider, and the parameters of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The endpoint of the device authorization grant (RFC 8628), if this grant allows access to mail.
    pub device: Option<String>,
    /// The endpoint of the authorization code grant (RFC 6749, 4.1), if supported.
    pub authorization: Option<String>,
    /// The token endpoint.
    pub token: String,
    /// The scope: read the mailbox, send mail, and get a refresh token.
    pub scope: String,
    /// Additional parameters of the request in the browser, so that the provider issues a refresh token.
    pub parameters: &'static [(&'static str, &'static str)],
}

impl OAuth {
    /// Returns the configured endpoints, or those of the provider.
    pub fn endpoints(&self) -> Endpoints {
        let given = |endpoint: &Option<Endpoint>| endpoint.as_ref().map(|Endpoint(address)| address.clone());
        match self.provider {
            // Google's device authorization grant does not allow mail scopes.
            Some(Provider::Google) => Endpoints {
                device: None,
                authorization: Some("https://accounts.google.com/o/oauth2/v2/auth".to_owned()),
                token: "https://oauth2.googleapis.com/token".to_owned(),
                scope: "https://mail.google.com/".to_owned(),
                parameters: &[("access_type", "offline"), ("prompt", "consent")],
            },
            Some(Provider::Microsoft) => {
                let tenant = self.tenant.as_deref().unwrap_or("common");
                let endpoint = |name: &str| format!("https://login.microsoftonline.com/{tenant}/oauth2/v2.0/{name}");
                Endpoints {
                    device: Some(endpoint("devicecode")),
                    authorization: Some(endpoint("authorize")),
                    token: endpoint("token"),
                    scope: "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send \
                            offline_access"
                        .to_owned(),
                    parameters: &[],
                }
            }
            None => Endpoints {
                device: given(&self.device_endpoint),
                authorization: given(&self.authorization_endpoint),
                token: given(&self.token_endpoint).unwrap_or_default(),
                scope: self.scope.clone().unwrap_or_default(),
                parameters: &[],
            },
        }
    }

    /// Describes the invalid values, each with the path of its key.
    pub(crate) fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let given = [
            ("oauth.device_endpoint", self.device_endpoint.is_some()),
            ("oauth.authorization_endpoint", self.authorization_endpoint.is_some()),
            ("oauth.token_endpoint", self.token_endpoint.is_some()),
            ("oauth.scope", self.scope.is_some()),
        ];
        let [(_, device), (_, authorization), (_, token), (_, scope)] = given;
        if self.provider.is_some() {
            let known = given.into_iter().filter(|(_, is_given)| *is_given);
            faults.extend(known.map(|(path, _)| (path, format!("{path} is set by the provider; omit one of them"))));
        } else if !token || !scope || !(device || authorization) {
            let what = "[oauth] needs a provider (\"google\" or \"microsoft\"), or else token_endpoint, scope, and \
                        device_endpoint or authorization_endpoint";
            faults.push(("oauth", what.to_owned()));
        }
        if let Some(tenant) = &self.tenant {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
            if self.provider != Some(Provider::Microsoft) {
                faults.push(("oauth.tenant", "oauth.tenant is valid only with provider = \"microsoft\"".to_owned()));
            } else if tenant.is_empty() || !tenant.bytes().all(is_name) {
                let what = format!("{tenant:?} is not a tenant; use the directory's identifier or its domain");
                faults.push(("oauth.tenant", what));
            }
        }
        if self.provider == Some(Provider::Google) && self.client_secret_file.is_none() {
            let what = "Google gives each client a secret: name the file that holds it as client_secret_file";
            faults.push(("oauth.client_secret_file", what.to_owned()));
        }
        if self.client_id.is_empty() || !self.client_id.bytes().all(|byte| byte.is_ascii_graphic()) {
            let what = "[oauth] needs the client_id that the provider gave to your client";
            faults.push(("oauth.client_id", what.to_owned()));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoints(text: &str) -> Endpoints {
        toml::from_str::<OAuth>(&format!("client_id = \"c\"\n{text}")).unwrap().endpoints()
    }

    #[test]
    fn the_endpoints_of_providers_are_built_in() {
        let google = endpoints("provider = \"google\"");
        assert_eq!((google.device, google.scope.as_str()), (None, "https://mail.google.com/"));
        assert!(google.parameters.contains(&("access_type", "offline")), "the provider issues a refresh token");
        let usual = endpoints("provider = \"microsoft\"");
        assert_eq!(usual.token, "https://login.microsoftonline.com/common/oauth2/v2.0/token");
        assert!(usual.scope.ends_with(" offline_access"), "the provider issues a refresh token");
        let own = endpoints("provider = \"microsoft\"\ntenant = \"games.example\"");
        assert_eq!(own.device.unwrap(), "https://login.microsoftonline.com/games.example/oauth2/v2.0/devicecode");
    }

    #[test]
    fn secrets_require_tls_or_a_local_connection() {
        let endpoint = |text: &str| Endpoint::try_from(text.to_owned());
        for good in ["https://a.example/token", "http://localhost:1/t", "http://127.0.0.1:8080/", "http://[::1]:1/"] {
            assert!(endpoint(good).is_ok(), "{good}");
        }
        for bad in ["http://a.example/", "http://localhost@a.example/", "http://127.0.0.1.a.example/"] {
            assert!(endpoint(bad).unwrap_err().contains("unencrypted"), "{bad}");
        }
        for bad in ["", "token", "ftp://a.example/", "/token", "https://"] {
            assert!(endpoint(bad).unwrap_err().contains("is not an address"), "{bad}");
        }
    }
}
