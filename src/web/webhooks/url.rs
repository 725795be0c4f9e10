//! Validation of webhook URLs.

use std::net::IpAddr;

use axum::http::Uri;

use super::public_address::is_public;
use crate::message;
use crate::text::Message;

/// The longest URL, in octets.
pub(crate) const MAX_URL: usize = 500;

/// Checks a player's webhook URL, and describes any problem. The addresses of its name are checked at each call.
pub(crate) fn check_url(url: &str, private: bool) -> Result<(), Message> {
    let Some(uri) = url.parse::<Uri>().ok().filter(|_| url.len() <= MAX_URL) else {
        return Err(message!("web.webhook-no-url", url));
    };
    let schemes: &[&str] = if private { &["https", "http"] } else { &["https"] };
    if !uri.scheme_str().is_some_and(|scheme| schemes.contains(&scheme)) {
        return Err(message!("web.webhook-not-https"));
    }
    let host = uri.host().unwrap_or_default();
    if host.is_empty() || uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(message!("web.webhook-host"));
    }
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if literal.is_ok_and(|address| !private && !is_public(address)) {
        return Err(message!("web.webhook-not-public", host));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_may_set_public_https_addresses() {
        for url in ["https://bot.example.org/turn?key=1", "https://bot.example.org:8443/", "https://[2606:4700::1111]/"]
        {
            assert_eq!(check_url(url, false), Ok(()), "{url}");
        }
        for (url, code) in [
            ("http://bot.example.org/", "web.webhook-not-https"),
            ("ftp://bot.example.org/", "web.webhook-not-https"),
            ("bot", "web.webhook-not-https"),
            ("/turn", "web.webhook-not-https"),
            ("", "web.webhook-no-url"),
            ("https://", "web.webhook-no-url"),
            ("https://bot example.org/", "web.webhook-no-url"),
            ("https://user:password@bot.example.org/", "web.webhook-host"),
            ("https://127.0.0.1/", "web.webhook-not-public"),
            ("https://[::1]:8443/", "web.webhook-not-public"),
            ("https://169.254.169.254/latest/meta-data", "web.webhook-not-public"),
        ] {
            assert_eq!(check_url(url, false).map_err(|message| message.code), Err(code.into()), "{url}");
        }
        assert!(check_url(&format!("https://bot.example.org/{}", "x".repeat(500)), false).is_err());
        assert_eq!(check_url("http://127.0.0.1:8080/", true), Ok(()));
    }
}
