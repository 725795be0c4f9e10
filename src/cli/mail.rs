//! `turnpost mail`, `turnpost serve` and `turnpost tick`.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use crate::mail::inbound::receive;
use crate::mail::outbound;
use crate::serve::Instance;
use crate::store::MailSource;
use crate::world::World;

use super::exit::{Exit, tell};
use super::streams;
use super::streams::{Patience, PatientInput};

/// Opens an instance and checks that all its templates are usable, because accepted mail must be answered.
fn open(data: &Path) -> anyhow::Result<Instance> {
    let instance = Instance::open(data, World::REAL)?;
    instance.check_templates()?;
    Ok(instance)
}

/// The maximum time in which a message must arrive.
const ARRIVAL: Duration = Duration::from_secs(60 * 60);

/// Stores and processes one message from standard input. Exit status 0 tells the mail server that the message is on
/// disk, so later failures do not change it. Any earlier failure, including a panic, asks the mail server to try
/// again: on any other status, it would return the message to its sender.
pub(crate) fn mail(data: &Path) -> Exit {
    streams::start(streams::Level::Warn, false);
    let stored = catch_unwind(AssertUnwindSafe(|| -> anyhow::Result<Instance> {
        let mut instance = open(data)?;
        let now = (instance.world.now)();
        let input = PatientInput::standard(Patience {
            silence: Duration::from_secs(instance.config.receive.idle),
            whole: ARRIVAL,
            advice: "The mail is not stored; send it again (receive.idle in turnpost.toml limits the silence)",
        })?;
        receive(&mut instance.store, input, MailSource::Pipe, now)?;
        Ok(instance)
    }));
    let mut instance = match stored {
        Ok(Ok(instance)) => instance,
        Ok(Err(error)) => {
            tell(format_args!("{error:#}"));
            return Exit::TryAgain;
        }
        Err(_) => return Exit::TryAgain,
    };
    match catch_unwind(AssertUnwindSafe(|| instance.process_or_wake())) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!("the mail is stored; the rest waits for the next turnpost that runs: {error:#}");
        }
        Err(_) => tracing::error!("the mail is stored; processing it panicked"),
    }
    Exit::Done
}

/// Processes mail, clocks and letters until stopped. Serves the pages at `listen`, or at the configured address.
pub(crate) fn serve(
    data: &Path,
    log: &streams::Log,
    read_only: bool,
    listen: Option<SocketAddr>,
) -> anyhow::Result<Exit> {
    let mut instance = if read_only { Instance::open_read_only(data, World::REAL)? } else { open(data)? };
    instance.config.web.listen = listen.or(instance.config.web.listen);
    match read_only {
        true => instance.serve_read_only()?,
        false => instance.serve(log)?,
    }
    Ok(Exit::Done)
}

/// Processes everything that is due, once, or wakes the running `serve`.
pub(crate) fn tick(data: &Path) -> anyhow::Result<Exit> {
    streams::start(streams::Level::Warn, false);
    let mut instance = open(data)?;
    outbound::close_outgoing(data);
    instance.process_or_wake()?;
    instance.forget_old()?;
    Ok(Exit::Done)
}
