//! The workers of a server: letters, web pages, webhooks, LMTP, IMAP, backups and metrics.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::backups::BackupWorker;
use super::instance::Instance;
use super::letters::send_letters;
use super::monitor::{Monitor, Watch};
use super::node::NodeKeeper;
use super::progress::WorkQueue;
use super::robots::play;
use super::web_host::WebHost;
use super::worker::Worker;
use crate::mail::inbound::{imap, lmtp};
use crate::mail::oauth::AccessTokens;
use crate::store::Store;
use crate::web;

/// The number of database connections for web pages.
const PAGES: usize = 4;

/// The workers of a server, with separate database connections.
pub(crate) struct Workers {
    lmtp: Option<lmtp::Server>,
    imap: Option<imap::Worker>,
    web: Option<web::Server>,
    webhooks: Option<web::Webhooks>,
    letters: Worker,
    robots: Worker,
    node: Option<NodeKeeper>,
    backups: Option<BackupWorker>,
    monitor: Option<Monitor>,
    watch: Watch,
}

impl Workers {
    /// Starts the configured workers.
    pub(crate) fn start(instance: &Instance, stop: &Arc<AtomicBool>) -> anyhow::Result<Workers> {
        let node = NodeKeeper::start(instance)?;
        let watch = Watch::start(instance, node.is_some())?;
        Ok(Workers {
            node,
            lmtp: start_lmtp(instance)?,
            imap: start_imap(instance)?,
            web: start_web(instance)?,
            webhooks: start_webhooks(instance)?,
            letters: Worker::start("letters", send_letters, instance, stop)?,
            robots: Worker::start("robots", play, instance, stop)?,
            backups: BackupWorker::start(instance)?,
            monitor: Monitor::start(instance, watch.last_look())?,
            watch,
        })
    }

    /// Notifies the workers of possible changes.
    pub(crate) fn notify(&self) {
        if let Some(web) = &self.web {
            web.notify();
        }
        if let Some(webhooks) = &self.webhooks {
            webhooks.notify();
        }
        self.letters.notify();
        self.robots.notify();
    }

    /// Stops the workers. Afterwards, every acknowledged message is stored.
    pub(crate) fn stop(self) {
        let Workers { lmtp, imap, web, webhooks, letters, robots, node, backups, monitor, watch } = self;
        watch.stop();
        robots.stop();
        if let Some(web) = web {
            web.stop();
        }
        if let Some(webhooks) = webhooks {
            webhooks.stop();
        }
        if let Some(lmtp) = lmtp {
            lmtp.stop();
        }
        if let Some(imap) = imap {
            imap.stop();
        }
        if let Some(monitor) = monitor {
            monitor.stop();
        }
        if let Some(backups) = backups {
            backups.stop();
        }
        // Late, because a mail server may delay it.
        letters.stop();
        if let Some(node) = node {
            node.stop();
        }
    }
}

fn start_lmtp(instance: &Instance) -> anyhow::Result<Option<lmtp::Server>> {
    let receive = &instance.config.receive;
    let Some(address) = &receive.lmtp else { return Ok(None) };
    let settings = lmtp::Settings {
        address: instance.config.address.clone(),
        sessions: receive.sessions,
        idle: Duration::from_secs(receive.idle),
        world: instance.world,
        wake: instance.waker().callback(),
    };
    lmtp::Server::start(address, settings, instance.open_store()?).map(Some)
}

fn start_imap(instance: &Instance) -> anyhow::Result<Option<imap::Worker>> {
    let Some(config) = &instance.config.receive.imap else { return Ok(None) };
    let (store, wake) = (instance.open_store()?, instance.waker().callback());
    let (tokens, node) = (AccessTokens::of(&instance.config), instance.node.clone());
    Ok(Some(imap::Worker::start(config.clone(), tokens, store, node, instance.world, wake)?))
}

pub(crate) fn start_web(instance: &Instance) -> anyhow::Result<Option<web::Server>> {
    let Some(address) = instance.config.web.listen else { return Ok(None) };
    let Instance { config, composer, .. } = instance.another()?;
    let mut stores: Vec<Box<dyn Store>> = Vec::new();
    for _ in 0..PAGES {
        stores.push(instance.open_store()?);
    }
    let site = web::Site::new(config, composer, stores, instance.world, Box::new(WebHost::of(instance)));
    web::Server::start(address, site).map(Some)
}

/// Starts the worker for webhooks. It is separate, because the programs of players may be slow.
fn start_webhooks(instance: &Instance) -> anyhow::Result<Option<web::Webhooks>> {
    if instance.config.web.listen.is_none() {
        return Ok(None);
    }
    let (store, progress) = (instance.open_store()?, Arc::clone(&instance.progress));
    let recorded = Box::new(move || progress.made(WorkQueue::Webhooks));
    web::Webhooks::start(instance.config.clone(), store, instance.node.clone(), instance.world, recorded).map(Some)
}
