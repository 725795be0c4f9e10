//! The options of `turnpost quickstart`.

use clap::{Args, ValueEnum};

/// The options of `turnpost quickstart`. It asks for missing ones.
#[derive(Args)]
pub(crate) struct Quickstart {
    /// The server's own mail address, as turnpost@games.example
    #[arg(long)]
    pub(crate) address: Option<String>,
    /// How mail arrives, and letters are sent
    #[arg(long, value_enum)]
    pub(crate) mail: Option<MailPath>,
    /// The provider's IMAP server (provider)
    #[arg(long, value_name = "HOST")]
    pub(crate) imap_host: Option<String>,
    /// The provider's SMTP server (provider)
    #[arg(long, value_name = "HOST")]
    pub(crate) smtp_host: Option<String>,
    /// The login name at the provider (provider) [default: the address]
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// The public address of the pages, which starts with https; empty for none
    #[arg(long)]
    pub(crate) url: Option<String>,
}

/// How mail arrives, and letters are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MailPath {
    /// Postfix on this machine, by LMTP
    Postfix,
    /// A mailbox at a provider, by IMAP and SMTP
    Provider,
}
