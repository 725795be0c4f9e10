//! The address of a PostgreSQL database.

use std::fmt::{self, Debug, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use form_urlencoded::byte_serialize;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

/// The default port.
const PORT: u16 = 5432;
/// The default timeout for connecting.
const CONNECTING: Duration = Duration::from_secs(10);
/// The total time for a host is this number times the connection timeout. A host may have several addresses, and it
/// sends its greeting after the connection is established.
const ANSWERING: u32 = 2;
/// The time without packets after which the server's machine is considered lost. The system's default is hours.
const SILENCE: Duration = Duration::from_secs(20);

/// The address of a PostgreSQL database, `postgresql://user@host/database`. It is displayed as written, but without the
/// password.
#[derive(Clone)]
pub struct PostgresUrl {
    shown: String,
    pub(crate) config: Config,
    pub(crate) certificates: Certificates,
}

/// The requirements on the server's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Certificates {
    /// No requirements: TLS protects against eavesdropping, but does not authenticate the server.
    Any,
    /// The certificate must match the host name. It must be signed by an authority in this file; if no file is given,
    /// by an authority that the system trusts.
    Checked(Option<PathBuf>),
}

/// The reason why an address is invalid. It does not quote the text, which may be a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The prefix is missing.
    #[error("it does not begin with postgresql://")]
    Scheme,
    /// The host is missing.
    #[error("it has no host; for a socket, write postgresql:///database?host=/run/postgresql")]
    Host,
    /// An `@` or `?` of a name, password or parameter is not encoded.
    #[error("only one \"@\" can occur, before the host; in a password, write \"@\" as \"%40\" and \"?\" as \"%3F\"")]
    Unencoded,
    /// A parameter is unknown, or its value is invalid.
    #[error("{0}")]
    Parameter(String),
}

impl PostgresUrl {
    /// Returns whether a text is the address of a PostgreSQL database, and not the path of a file.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgresql://") || text.starts_with("postgres://")
    }

    pub(crate) fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Returns whether both addresses name the same database, with the same user and options.
    pub(crate) fn is_same(&self, other: &PostgresUrl) -> bool {
        let (own, others) = (&self.config, &other.config);
        own.get_hosts() == others.get_hosts()
            && own.get_hostaddrs() == others.get_hostaddrs()
            && (0..=own.get_hosts().len()).all(|place| self.port(place) == other.port(place))
            && own.get_user() == others.get_user()
            && own.get_dbname() == others.get_dbname()
            && own.get_options() == others.get_options()
    }
}

impl PostgresUrl {
    /// Returns a configuration with a timeout for each host, in the order of the attempts. The driver's own timeout
    /// covers only the connection, and it would wait forever for the greeting of a hanging host.
    pub(crate) fn attempts(&self) -> Vec<(Config, Duration)> {
        let all = &self.config;
        let most = all.get_connect_timeout().copied().unwrap_or(CONNECTING) * ANSWERING;
        let (hosts, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
        let count = hosts.len().max(addresses.len());
        if count < 2 || all.get_load_balance_hosts() == LoadBalanceHosts::Random {
            return vec![(all.clone(), most * u32::try_from(count).unwrap_or(1))];
        }
        let attempt = |place: usize| {
            let mut one = self.without_hosts();
            match hosts.get(place) {
                Some(Host::Tcp(name)) => drop(one.host(name)),
                Some(Host::Unix(path)) => drop(one.host_path(path)),
                None => {}
            }
            addresses.get(place).map(|address| one.hostaddr(*address));
            ports.get(place).or(ports.first()).map(|port| one.port(*port));
            (one, most)
        };
        (0..count).map(attempt).collect()
    }

    /// Returns the port of the host with this index. A single port applies to all hosts.
    fn port(&self, place: usize) -> u16 {
        let ports = self.config.get_ports();
        ports.get(place).or(ports.first()).copied().unwrap_or(PORT)
    }

    /// Returns a copy of the configuration without its hosts.
    fn without_hosts(&self) -> Config {
        let (all, mut config) = (&self.config, Config::new());
        all.get_user().map(|user| config.user(user));
        all.get_password().map(|password| config.password(password));
        all.get_dbname().map(|name| config.dbname(name));
        all.get_options().map(|options| config.options(options));
        all.get_application_name().map(|name| config.application_name(name));
        all.get_connect_timeout().map(|time| config.connect_timeout(*time));
        all.get_tcp_user_timeout().map(|time| config.tcp_user_timeout(*time));
        all.get_keepalives_interval().map(|time| config.keepalives_interval(time));
        all.get_keepalives_retries().map(|count| config.keepalives_retries(count));
        config
            .ssl_mode(all.get_ssl_mode())
            .ssl_negotiation(all.get_ssl_negotiation())
            .keepalives(all.get_keepalives())
            .keepalives_idle(all.get_keepalives_idle())
            .target_session_attrs(all.get_target_session_attrs())
            .channel_binding(all.get_channel_binding());
        config
    }
}

impl FromStr for PostgresUrl {
    type Err = UrlError;

    /// `sslmode` has the same meaning as in libpq: `disable`, `prefer`, `require`, and `verify-full` with the
    /// authorities in `sslrootcert`, or the system's. With `sslrootcert`, `require` also checks the certificate.
    fn from_str(text: &str) -> Result<Self, UrlError> {
        if !PostgresUrl::is_meant(text) {
            return Err(UrlError::Scheme);
        }
        let (address, parameters) = text.split_once('?').unwrap_or((text, ""));
        // The driver would take a part of the password for the host or for another parameter.
        if address.matches('@').count() > 1 || parameters.contains('@') {
            return Err(UrlError::Unencoded);
        }
        let (mut kept, mut mode, mut authorities) = (Vec::new(), "prefer".to_owned(), None);
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let decoded = form_urlencoded::parse(parameter.as_bytes()).next();
            match decoded.as_ref().map(|(name, value)| (name.as_ref(), value.as_ref())) {
                Some(("sslmode", value)) => mode = value.to_owned(),
                Some(("sslrootcert", "system")) => authorities = None,
                Some(("sslrootcert", value)) => authorities = Some(PathBuf::from(value)),
                // The driver needs a separate `host` parameter for each host.
                Some(("host", hosts)) => {
                    let hosts = hosts.split(',').map(|host| byte_serialize(host.as_bytes()).collect::<String>());
                    kept.extend(hosts.map(|host| format!("host={host}")));
                }
                _ => kept.push(parameter.to_owned()),
            }
        }
        let (driver_mode, certificates) = match mode.as_str() {
            "disable" | "prefer" => (mode.as_str(), Certificates::Any),
            "require" if authorities.is_none() => ("require", Certificates::Any),
            "require" | "verify-full" => ("require", Certificates::Checked(authorities)),
            _ => {
                let known = "sslmode must be disable, prefer, require or verify-full";
                return Err(UrlError::Parameter(known.to_owned()));
            }
        };
        kept.push(format!("sslmode={driver_mode}"));
        let mut config = Config::from_str(&format!("{address}?{}", kept.join("&"))).map_err(|error| {
            let why = std::error::Error::source(&error).map_or_else(String::new, |source| format!(": {source}"));
            UrlError::Parameter(format!("{error}{why}"))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(UrlError::Host);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        if !parameters.contains("keepalives") {
            config.keepalives_idle(SILENCE / 2).keepalives_interval(SILENCE / 4).keepalives_retries(2);
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("turnpost");
        }
        Ok(PostgresUrl { shown: without_password(text), config, certificates })
    }
}

/// Returns the text of an address without its password.
fn without_password(text: &str) -> String {
    let (address, parameters) = text.split_once('?').unwrap_or((text, ""));
    let (start, place) = address.split_at(address.find('@').unwrap_or(0));
    // The first colon belongs to `postgresql://`.
    let start = start.match_indices(':').nth(1).map_or(start, |(colon, _)| &start[..colon]);
    let is_password = |parameter: &str| {
        form_urlencoded::parse(parameter.as_bytes()).next().is_some_and(|(name, _)| name == "password")
    };
    let parameters: Vec<&str> = parameters.split('&').filter(|parameter| !is_password(parameter)).collect();
    let parameters = parameters.join("&");
    let mark = if parameters.is_empty() { "" } else { "?" };
    format!("{start}{place}{mark}{parameters}")
}

impl Display for PostgresUrl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Debug for PostgresUrl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match text.parse::<PostgresUrl>() {
            Ok(url) => format!("{url} {url:?}"),
            Err(error) => format!("{error} {error:?}"),
        }
    }

    #[test]
    fn an_address_is_displayed_as_written() {
        for text in [
            "postgresql://turnpost@db.example.org/games",
            "postgresql:///games?host=/run/postgresql",
            "postgresql://turnpost@db1,db2,db3/games",
            "postgresql:///games?host=/run/db1,/run/db2",
            "postgresql://postgres@127.0.0.1:55993/games",
            "postgresql://turnpost@db1,db2:5433,db3/games",
            "postgresql://turnpost@[::1]:5433/games",
            "postgresql:///games?host=/run/db1,/run/db2&port=5433,5432",
            "postgresql://turnpost@/games?host=db1,db2&target_session_attrs=read-write",
            "postgresql://turnpost@db/games?sslmode=verify-full&options=-c%20search_path%3Dours",
        ] {
            assert_eq!(shown(text), format!("{text} {text}"));
        }
    }

    #[test]
    fn a_password_is_not_displayed() {
        for (text, expected) in [
            ("postgresql://turnpost:s3cret@db/games?sslmode=require", "postgresql://turnpost@db/games?sslmode=require"),
            ("postgresql://turnpost:s3%40cr%3Fet@db:5433/games", "postgresql://turnpost@db:5433/games"),
            ("postgresql://turnpost@db/games?password=s3cret", "postgresql://turnpost@db/games"),
            (
                "postgresql://turnpost@/games?host=/run&password=s3cret&sslmode=disable",
                "postgresql://turnpost@/games?host=/run&sslmode=disable",
            ),
        ] {
            assert_eq!(shown(text), format!("{expected} {expected}"));
        }
    }

    #[test]
    fn an_unencoded_mark_in_a_password_is_refused() {
        for text in [
            "postgresql://turnpost:s3@cret@db:5433/games",
            "postgresql://turnpost:s3?cret@db/games",
            "postgresql://turnpost:s3?c@ret@db/games",
            "postgresql://turnpost:s3?c=ret@db/games",
            "postgresql:///games?host=/run&password=s3@cret",
        ] {
            let refused = text.parse::<PostgresUrl>().unwrap_err();
            assert_eq!(refused, UrlError::Unencoded, "{text}");
            assert!(refused.to_string().contains("%40"));
        }
    }

    #[test]
    fn two_addresses_of_one_database_are_recognised() {
        let is_same = |one: &str, other: &str| {
            let [one, other]: [PostgresUrl; 2] = [one, other].map(|text| text.parse().unwrap());
            one.is_same(&other)
        };
        let address = "postgresql://turnpost@db/games";
        assert!(is_same(address, "postgres://turnpost:s3cret@db:5432/games?sslmode=require"));
        assert!(is_same("postgresql://turnpost@db1,db2/games", "postgresql://turnpost@/games?host=db1,db2"));
        for other in ["postgresql://turnpost@db/chess", "postgresql://turnpost@db:5433/games"] {
            assert!(!is_same(address, other), "{other}");
        }
        assert!(!is_same(address, "postgresql://turnpost@db/games?options=-c%20search_path%3Dours"));
    }

    #[test]
    fn each_host_is_tried_with_all_other_parameters() {
        let url: PostgresUrl = "postgresql://turnpost:s3cret@db1,db2:5433/games?connect_timeout=3&sslmode=require\
             &target_session_attrs=read-write&options=-c%20a%3Db&application_name=x&tcp_user_timeout=7\
             &keepalives_idle=8&keepalives_interval=9&keepalives_retries=4&channel_binding=disable"
            .parse()
            .unwrap();
        let attempts = url.attempts();
        assert_eq!(attempts.len(), 2);
        for ((one, most), (host, port)) in attempts.iter().zip([("db1", 5432), ("db2", 5433)]) {
            assert_eq!((one.get_hosts(), one.get_ports()), (&[Host::Tcp(host.to_owned())][..], &[port][..]));
            assert_eq!(*most, Duration::from_secs(6));
            let mut again = url.without_hosts();
            again.host(host).port(port);
            assert_eq!(*one, again);
        }
        // With the hosts and ports added again, the copy must be equal to the original.
        let mut whole = url.without_hosts();
        whole.host("db1").host("db2").port(5432).port(5433);
        assert_eq!(whole, url.config);
    }

    #[test]
    fn the_driver_must_encrypt_when_the_address_requires_it() {
        use tokio_postgres::config::SslMode;
        let mode = |parameters: &str| {
            let url: PostgresUrl = format!("postgresql://db.example.org/games{parameters}").parse().unwrap();
            (url.config.get_ssl_mode(), url.certificates)
        };
        let checked = |file: Option<&str>| Certificates::Checked(file.map(PathBuf::from));
        assert_eq!(mode(""), (SslMode::Prefer, Certificates::Any));
        assert_eq!(mode("?sslmode=disable"), (SslMode::Disable, Certificates::Any));
        assert_eq!(mode("?sslmode=require"), (SslMode::Require, Certificates::Any));
        assert_eq!(mode("?sslmode=require&sslrootcert=/ca.pem"), (SslMode::Require, checked(Some("/ca.pem"))));
        assert_eq!(mode("?sslmode=verify-full"), (SslMode::Require, checked(None)));
        let unknown = "postgresql://db.example.org/games?sslmode=verify-ca".parse::<PostgresUrl>();
        assert!(unknown.is_err(), "an unsupported sslmode is refused");
    }
}
