//! Creates TLS certificates for tests.

use std::path::Path;
use std::process::Command;

/// Creates a certificate authority, and a certificate for `localhost` that the authority has signed.
pub fn certificates(dir: &Path) {
    let openssl = |line: &str| {
        let ran = Command::new("openssl").args(line.split(' ')).current_dir(dir).output().expect("openssl runs");
        assert!(ran.status.success(), "{ran:?}");
    };
    let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(&format!("{new} -keyout ca.key -out ca.pem -subj /CN=authority"));
    openssl(&format!(
        "{new} -keyout key.pem -out cert.pem -subj /CN=localhost -CA ca.pem -CAkey ca.key -addext \
         subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE"
    ));
}
