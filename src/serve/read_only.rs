//! A server with a read-only database, which is a copy or a replica.

use std::io::Read;
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::instance::Instance;
use super::monitor::{LastLook, Monitor};
use super::queues::MAX_WAIT;
use super::workers::start_web;
use crate::config::ConfigError;

impl Instance {
    /// Serves the pages, the API, health and metrics until SIGTERM or SIGINT, without processing queues.
    ///
    /// # Errors
    /// No pages are configured, or the server cannot listen on an address.
    pub fn serve_read_only(&self) -> anyhow::Result<()> {
        let (mut signalled, signal) = UnixStream::pair()?;
        for number in [SIGTERM, SIGINT] {
            signal_hook::low_level::pipe::register(number, signal.try_clone()?)?;
        }
        signalled.set_read_timeout(Some(MAX_WAIT))?;
        let needs = "turnpost.toml: `serve --read-only` serves the pages, so [web] needs `listen`";
        let web = start_web(self)?.ok_or_else(|| ConfigError::Wrong(needs.to_owned()))?;
        let monitor = Monitor::start(self, LastLook::default())?;
        tracing::info!(data = %self.data.display(), read_only = true, "serving");
        while signalled.read(&mut [0]).is_err() {
            // The database may have changed.
            web.notify();
        }
        web.stop();
        if let Some(monitor) = monitor {
            monitor.stop();
        }
        tracing::info!("stopped");
        Ok(())
    }
}
