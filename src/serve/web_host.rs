//! The services of the server for the web pages.

use std::io;
use std::path::PathBuf;

use chrono::{DateTime, Utc};

use super::data_size::data_bytes;
use super::instance::Instance;
use crate::backup::LastBackup;
use crate::mail::outbound::Relay;
use crate::web::Host;

/// The server that runs the web pages.
pub(crate) struct WebHost {
    data: PathBuf,
    wake: Box<dyn Fn() + Send + Sync>,
    read_only: bool,
}

impl WebHost {
    /// Creates the host for this instance.
    pub(crate) fn of(instance: &Instance) -> WebHost {
        WebHost { data: instance.data.clone(), wake: instance.waker().callback(), read_only: instance.read_only }
    }
}

impl Host for WebHost {
    fn wake(&self) {
        (self.wake)();
    }

    fn mail_works_again(&self) -> io::Result<()> {
        Relay::forget(&self.data)
    }

    fn last_backup(&self) -> Option<(DateTime<Utc>, PathBuf)> {
        let LastBackup { proved_at, file, .. } = LastBackup::read(&self.data);
        proved_at.zip(file)
    }

    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn data_bytes(&self) -> u64 {
        data_bytes(&self.data)
    }
}
